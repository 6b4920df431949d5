"""Whether a machine can become another type: the one place that decides it.

Asked by `recommend --vm`, by every rule that proposes a type and so by the joint fixes. What no
source says is `CHECK`, never taken for yes or no.

What a machine holds that another type has to take over.
"""

from collections.abc import Iterator
from enum import IntEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from netplan_planner import model
from netplan_planner.model import Value
from netplan_planner.shipped import shipped_rows

# What a machine series takes: disks, Local SSD, compact placement (`series.csv`)
#
# A cell that no source fills is not known: it is neither yes nor no. `sources.csv` names the
# sources with their dates.


_FOLDER = Path(__file__).parent
_ANSWERS = {"yes": True, "no": False, "": None}

BOOT_DISKS = ("pd-standard", "pd-balanced", "pd-ssd", "hyperdisk-balanced")
"""Types of disk that machines start from; other Hyperdisk types hold data only
(docs.cloud.google.com/compute/docs/disks/add-hyperdisk)."""


class SeriesFacts(Value, frozen=True, kw_only=True):
    """What one series takes; None and absent types are not known."""

    series: str
    disks_taken: frozenset[str] = frozenset()
    disks_refused: frozenset[str] = frozenset()
    local_ssd: bool | None = None
    """Whether Local SSDs can be attached; those that a type brings are another matter."""
    compact_placement: bool | None = None


_FAMILIES = {
    "compute-optimized": ("c2", "c2d", "h3", "h4d"),
    "memory-optimized": ("m1", "m2", "m3", "m4", "m4n", "x4"),
}
_FAMILY_OF = {series: family for family, of in _FAMILIES.items() for series in of}


def special_family(series: str) -> str:
    """Return the family that a series was built for one purpose as; empty: general purpose.

    Source: docs.cloud.google.com/compute/docs/machine-resource, machine families.

    >>> special_family("c2"), special_family("e2")
    ('compute-optimized', '')
    """
    return _FAMILY_OF.get(series, "")


@cache
def series_facts(series: str) -> SeriesFacts:
    """Return what is known of a series; nothing of one that the table lacks."""
    return _table().get(series) or SeriesFacts(series=series)


@cache
def _table() -> dict[str, SeriesFacts]:
    return {
        row["series"]: SeriesFacts(
            series=row["series"],
            disks_taken=frozenset(row["disks_taken"].split()),
            disks_refused=frozenset(row["disks_refused"].split()),
            local_ssd=_ANSWERS[row["local_ssd"]],
            compact_placement=_ANSWERS[row["compact_placement"]],
        )
        for row in shipped_rows(_FOLDER / "series.csv")
    }


def generation_of(series: str) -> int | None:
    """Return the generation of a series: the digit of its name; None where it has none.

    Source: cloud.google.com/compute/docs/general-purpose-machines (E2, N2, N2D, T2D are the second
    generation, N1 the first) and the Compute API's text on default disks (C3 the third, C4 the
    fourth).

    >>> generation_of("n1"), generation_of("n2d"), generation_of("c4a"), generation_of("ct5lp")
    (1, 2, 4, None)
    """
    digits = [letter for letter in series if letter.isdigit()]
    return int(digits[0]) if len(digits) == 1 and not series.startswith(("ct", "tpu")) else None


# Whether a machine can become another type: the one place that decides it


def ties_of(
    inventory: model.Inventory, instance: model.Instance, shape: model.MachineShape
) -> model.Ties:
    """Return what ties a machine to some types, as far as the inventory says it.

    Args:
        inventory: Where its disks and policies stand, if they were read.
        instance: The machine.
        shape: What its type has.
    """
    types = inventory.disk_types_by_user.get(instance.ref.self_link)
    return model.taken(
        model.Ties,
        instance,
        disk_types=tuple(sorted(types)) if types else None,
        is_compact=_is_compact(inventory, instance),
        machine_type=instance.machine_type
        if instance.reservation or instance.is_sole_tenant
        else "",
        attached_gpu_count=instance.gpu_count,
        built_in_gpu_count=shape.gpu_count,
        built_in_local_ssd_gib=shape.bundled_local_ssd_gib,
    )


def _is_compact(inventory: model.Inventory, instance: model.Instance) -> bool | None:
    """Return whether a machine stands in a compact placement; None: a policy was not read."""
    policies = [inventory.policy_by_link.get(link) for link in instance.resource_policies]
    if any(policy is not None and policy.is_compact for policy in policies):
        return True
    return None if None in policies else False


_REMEMBERED = 65_536
_TAKES_GPUS = "n1"
"""The only series to which GPUs are attached; others have types with GPUs
(cloud.google.com/compute/docs/gpus)."""


class Fit(IntEnum):
    """Whether a type takes what a machine holds; a greater one is worse."""

    YES = 0
    CHECK = 1
    NO = 2


class Verdict(NamedTuple):
    """The answer: `reason` is one word for counting (`disks`, `placement`, …), `text` says why."""

    fit: Fit
    reason: str = ""
    text: str = ""


@lru_cache(_REMEMBERED)
def can_become(ties: model.Ties, shape: model.MachineShape) -> Verdict:
    """Return whether a machine can become a type: the first obstacle, else all that is open."""
    open_points: list[Verdict] = []
    for verdict in _judged(ties, shape):
        if verdict.fit is Fit.NO:
            return verdict
        open_points.append(verdict)
    if not open_points:
        return Verdict(Fit.YES)
    return Verdict(Fit.CHECK, open_points[0].reason, "; ".join(v.text for v in open_points))


def _judged(ties: model.Ties, shape: model.MachineShape) -> Iterator[Verdict]:
    new = model.series_of(shape.machine_type)
    if ties.reservation is not None and shape.machine_type != ties.machine_type:
        text = f"it uses the reservation {ties.reservation}, which is for {ties.machine_type}"
        yield Verdict(Fit.NO, "reservation", text)
    if ties.is_sole_tenant and shape.machine_type != ties.machine_type:
        text = (
            "it runs on sole-tenant nodes, which are billed instead of the VM: another type saves"
            " nothing"
        )
        yield Verdict(Fit.NO, "nodes", text)
    yield from _of_gpus(ties, shape, new)
    if shape.bundled_local_ssd_gib < ties.built_in_local_ssd_gib:
        # Those that are attached instead are billed by themselves, in no price of a type.
        text = f"lacks the {ties.built_in_local_ssd_gib:,} GiB of Local SSD of its type"
        yield Verdict(Fit.NO, "disks", text)
    if new == ties.series:
        return
    facts = series_facts(new)
    yield from _of_disks(ties, facts)
    yield from _of_local_ssds(ties, shape, facts)
    yield from _of_placement(ties, facts)
    family = special_family(ties.series)
    if family and special_family(new) != family:
        text = f"{ties.series.upper()} is {family}, {new.upper()} is not: test your load first"
        yield Verdict(Fit.CHECK, "family", text)
    old = generation_of(ties.series)
    generation = generation_of(new)
    if old is not None and generation is not None and generation < old:
        text = (
            f"an older generation ({new.upper()}, {generation}) than {ties.series.upper()}"
            f" ({old}): its cores are slower"
        )
        yield Verdict(Fit.CHECK, "older", text)


def _of_gpus(ties: model.Ties, shape: model.MachineShape, new: str) -> Iterator[Verdict]:
    if ties.attached_gpu_count and new != _TAKES_GPUS:
        named = ties.gpu_type or "attached"
        text = f"only N1 supports attached GPUs, and it has {ties.attached_gpu_count} ({named})"
        yield Verdict(Fit.NO, "gpu", text)
    if ties.built_in_gpu_count and (
        new != ties.series or shape.gpu_count < ties.built_in_gpu_count
    ):
        text = f"lacks the {ties.built_in_gpu_count} GPUs of its type"
        yield Verdict(Fit.NO, "gpu", text)


def _of_disks(ties: model.Ties, facts: SeriesFacts) -> Iterator[Verdict]:
    new = facts.series.upper()
    held, is_known = _held_disks(ties)
    refused = sorted(held & facts.disks_refused)
    if (is_known and refused) or (held and held <= facts.disks_refused):
        kinds = "only Hyperdisk" if facts.disks_taken == {"hyperdisk-balanced"} else "others"
        whose = ", ".join(refused) if is_known else f"Persistent Disk, as all {ties.series.upper()}"
        if "hyperdisk-balanced" in refused:
            kinds, whose = "Persistent Disk", "Hyperdisk"
        yield Verdict(Fit.NO, "disks", f"{new} supports {kinds}; the VM has {whose}")
    elif not held:
        if facts.disks_refused:
            text = f"{new} does not support {', '.join(sorted(facts.disks_refused))}, and its disks"
            yield Verdict(Fit.CHECK, "disks", f"{text} were not read")
        elif not facts.disks_taken:
            yield Verdict(Fit.CHECK, "disks", f"the disks that {new} supports are unknown")
    elif refused:
        text = f"{new} does not support {', '.join(refused)}: check its disks, which were not read"
        yield Verdict(Fit.CHECK, "disks", text)
    elif not held <= facts.disks_taken:
        missing = ", ".join(sorted(held - facts.disks_taken))
        yield Verdict(Fit.CHECK, "disks", f"whether {new} supports {missing} is unknown")


def _held_disks(ties: model.Ties) -> tuple[frozenset[str], bool]:
    """Return the types of disk that a machine has, and whether each is surely among them.

    Without its disks, the series says what its boot disk can be, where it takes but one sort.
    """
    if ties.disk_types is not None:
        return frozenset(ties.disk_types), True
    own = series_facts(ties.series)
    bootable = frozenset(BOOT_DISKS) & own.disks_taken
    one_sort = len({name.partition("-")[0] for name in bootable}) == 1
    is_closed = frozenset(BOOT_DISKS) <= own.disks_taken | own.disks_refused
    return (bootable, len(bootable) == 1) if one_sort and is_closed else (frozenset(), False)


def _of_local_ssds(
    ties: model.Ties, shape: model.MachineShape, facts: SeriesFacts
) -> Iterator[Verdict]:
    if not ties.local_ssd_count or shape.bundled_local_ssd_gib:
        return
    if facts.local_ssd is False:
        text = f"it does not support Local SSDs, and the VM has {ties.local_ssd_count}"
        yield Verdict(Fit.NO, "disks", text)
    elif facts.local_ssd is None:
        text = f"whether {facts.series.upper()} supports Local SSDs is unknown"
        yield Verdict(Fit.CHECK, "disks", text)


def _of_placement(ties: model.Ties, facts: SeriesFacts) -> Iterator[Verdict]:
    if ties.is_compact is False or facts.compact_placement is True:
        return
    new = facts.series.upper()
    if ties.is_compact is None:
        text = f"a resource policy of the VM was not read; {new} may not support compact placement"
        yield Verdict(Fit.CHECK, "placement", text)
    elif facts.compact_placement is False:
        text = f"{new} does not support the compact placement policy of the VM"
        yield Verdict(Fit.NO, "placement", text)
    else:
        text = f"whether {new} supports a compact placement policy is unknown"
        yield Verdict(Fit.CHECK, "placement", text)


class Target(Protocol):
    """What a machine is to become."""

    @property
    def machine_type(self) -> str:
        """The type."""

    @property
    def is_tier1(self) -> bool:
        """Whether it has Tier_1."""

    @property
    def cpu_platform(self) -> str:
        """The least CPU platform to ask for; empty: none."""


def why_new_machine(
    instance: model.Instance, shape: model.MachineShape | None, candidate: Target
) -> str:
    """Return why the change takes more than commands on the machine, or an empty text."""
    if instance.is_sole_tenant:
        return "It runs on sole-tenant nodes: their node type limits the machine types."
    if instance.has_nested_virtualization:
        return "Nested virtualization is on, which some machine series lack: check it first."
    if candidate.is_tier1:
        return "Tier_1 needs gVNIC and is set at creation: recreate the VM."
    if instance.bandwidth_tier is model.BandwidthTier.TIER_1:
        return "Tier_1 is then no longer needed, but stays until the VM is recreated without it."
    if instance.unknown_parts:
        return f"Check the VM first ({instance.why_unknown})."
    has_gpu = instance.gpu_count > 0 or (shape is not None and shape.gpu_count > 0)
    if instance.local_ssd_count > 0 or has_gpu:
        return "The VM has Local SSD or GPUs: its machine type cannot be changed; create a new VM."
    least = instance.min_cpu_platform
    if (
        least
        and least != candidate.cpu_platform
        and candidate.machine_type != instance.machine_type
    ):
        return f"Clear or change its minimum CPU platform, {least}, with the machine type."
    return ""
