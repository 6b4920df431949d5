"""What a machine needs, as it was seen: one judgement for rules, `fleet` and `recommend --vm`."""

from collections.abc import Container
from typing import NamedTuple

from netplan_planner.errors import InputError
from netplan_planner.machines import SeenSize, SizeLimits, seen_size
from netplan_planner.model import (
    PIN_LABEL,
    Destination,
    EgressCap,
    Facts,
    Instance,
    MachineShape,
    SelfLink,
    Series,
)
from netplan_planner.throughput import instance_cap, outside_gbps
from netplan_rules.shared.flows import is_full
from netplan_rules.shared.trust import started_since

# What a machine needs of vCPUs and memory, as all rules and `recommend` judge it


_RULE = "cheaper-series"
"""The rule whose thresholds say how full a machine may be, for every proposal of a type."""


def days_that_decide(facts: Facts) -> float:
    """Return the days with points from which metrics decide a machine's size."""
    return facts.threshold(_RULE, "min_metric_days")


def size_of(facts: Facts, instance: Instance, shape: MachineShape) -> SeenSize:
    """Return the vCPUs and memory that another type of a machine must have."""
    limits = SizeLimits(
        cpu_ratio=facts.threshold(_RULE, "cpu_ratio"),
        memory_ratio=facts.threshold(_RULE, "memory_ratio"),
        min_days=days_that_decide(facts),
    )
    return seen_size(facts, instance, shape, limits)


# What a machine needs, as it was seen: one judgement for rules, `fleet` and `recommend --vm`


HEADROOM_RATIO = 0.2
"""Share of a cap that stays free at the 95th percentile, unless the user asks for another."""


class Wanted(NamedTuple):
    """What a machine is to send, and where that comes from."""

    gbps: float
    outside_gbps: float
    """The part of it that goes to addresses outside the VPC."""
    basis: str
    is_todays_cap: bool = False
    """Nothing tells what it sends, so it keeps the bandwidth that it has."""


class SeenNeed(NamedTuple):
    """What a machine needs of another type."""

    gbps: float
    """Headroom comes on top."""
    outside_gbps: float
    """The part of it that goes to addresses outside the VPC."""
    vcpus: int
    memory_gib: float
    is_busy: bool
    """It sends more than shared cores are for."""
    basis: str


def seen_need(
    facts: Facts,
    instance: Instance,
    shape: MachineShape,
    headroom_ratio: float = HEADROOM_RATIO,
    asked: Container[str] = (),
) -> SeenNeed | str:
    """Return what a machine needs, or why it keeps its type (`why_kept`).

    Of bandwidth that is `wanted_gbps`; a machine that was watched and sent nothing needs none.
    """
    if why := why_kept(facts, instance, asked):
        return why
    try:
        wanted = wanted_gbps(facts, instance, Destination.INTERNAL, headroom_ratio)
    except InputError as unknown:
        if not _is_seen_idle(facts, instance):
            return str(unknown)
        wanted = Wanted(0.0, 0.0, "it sent nothing in the observed time")
    return sized(facts, instance, shape, wanted)


def sized(facts: Facts, instance: Instance, shape: MachineShape, wanted: Wanted) -> SeenNeed:
    """Return a need with the vCPUs and memory that go with it."""
    size = size_of(facts, instance, shape)
    vcpus = size.vcpus
    is_busy = wanted.gbps >= facts.threshold("shared-core-in-data-path", "min_gbps")
    is_busy = is_busy and not wanted.is_todays_cap
    if is_busy and shape.is_shared_core:
        # Shared cores are no place for real traffic.
        vcpus = max(vcpus, int(facts.threshold("shared-core-in-data-path", "min_vcpus")))
    basis = "; ".join(filter(None, (wanted.basis, size.basis)))
    return SeenNeed(wanted.gbps, wanted.outside_gbps, vcpus, size.memory_gib, is_busy, basis)


LICENCES_BY_CORE = ("windows", "sql", "rhel", "sles", "sap")
"""Parts of licence names billed by core (cloud.google.com/compute/disks-image-pricing; Google's
Migration Center API, OperatingSystemPricing.licenseType, read 2026-11-23)."""


def pays_by_core(instance: Instance) -> bool:
    """Return whether a machine has a licence that is billed by core."""
    return any(part in name for name in instance.licenses for part in LICENCES_BY_CORE)


def why_kept(facts: Facts, instance: Instance, asked: Container[str] = ()) -> str:
    """Return why nobody gives a machine a cheaper type unasked: rules and `fleet`, or nothing.

    Args:
        facts: What is known.
        instance: The machine.
        asked: Kinds of moves that the user asked for: `local-ssd`, `gpu`, `licence`.
    """
    shape = facts.shape(instance.machine_type)
    ssds_gib = shape.bundled_local_ssd_gib if shape is not None else 0
    gpus = shape.gpu_count if shape is not None else 0
    reasons = (
        ("", f"label {PIN_LABEL}", instance.label(PIN_LABEL) is not None),
        (
            "",
            "nested virtualization is on, and some series do not support it",
            instance.has_nested_virtualization,
        ),
        ("", instance.why_unknown, bool(instance.unknown_parts)),
        ("", "it is a bare-metal VM", shape is not None and shape.is_bare_metal),
        (
            "local-ssd",
            "another type needs a new VM, and the data on its Local SSDs is lost",
            bool(instance.local_ssd_count or ssds_gib),
        ),
        ("gpu", "it has GPUs, and another type needs a new VM", bool(instance.gpu_count or gpus)),
        ("licence", "it has a license billed per core", pays_by_core(instance)),
    )
    return next((why for kind, why, holds in reasons if holds and kind not in asked), "")


def _is_seen_idle(facts: Facts, instance: Instance) -> bool:
    rates = facts.rates_of(instance)
    if rates is not None:
        return rates.egress.max_gbps == 0
    return facts.traffic is not None and not facts.traffic.is_steady


def wanted_gbps(
    facts: Facts,
    instance: Instance,
    destination: Destination,
    headroom_ratio: float = HEADROOM_RATIO,
) -> Wanted:
    """Return what a machine is to send to a destination: the greatest of what is known of it.

    That is its declared target, the 95th percentile of what it was seen to send, and so much that
    the cap also carries its busiest minute, of which no headroom is kept. One that stands at its
    cap needs that cap at least: what it would send beyond cannot be seen. So does one whose
    subnetwork keeps no flow logs, for others may not have seen all that it sends, and one that was
    started since, for it may have been a smaller type then. A declared target counts inside the
    VPC, as it does in the audit.

    Raises:
        InputError: If nothing is known: unknown is not 0.
    """
    target = None if destination is Destination.EXTERNAL else facts.target(instance)
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    is_outside = destination is Destination.EXTERNAL
    rates = facts.rates_of(instance)
    if is_outside:
        series = seen.egress_outside_vpc if seen is not None else None
    else:
        series = rates.egress if rates is not None else None
    outside = 0.0 if is_outside else outside_gbps(facts, instance)
    cap = instance_cap(instance, facts.caps)
    doubt = "" if is_outside else _doubt_of_outside(facts, instance, cap, outside)
    at_cap = cap.egress_gbps if cap is not None and not is_outside else None
    is_held_back = rates is not None and cap is not None and not is_outside
    is_held_back = is_held_back and is_full(facts, rates, cap)  # type: ignore[arg-type]
    observed, basis = _observed(series, at_cap, headroom_ratio, is_held_back=is_held_back)
    if target is not None and target.gbps >= observed:
        return Wanted(gbps=target.gbps, outside_gbps=outside, basis=target.source + doubt)
    unseen = unlogged(facts, instance) or started_since(facts, instance)
    if unseen and cap is not None:
        return _todays_cap(cap, headroom_ratio, unseen, is_outside=is_outside)
    if observed:
        witness = f" ({rates.source})" if rates and rates.is_counted and not is_outside else ""
        return Wanted(gbps=observed, outside_gbps=outside, basis=f"{basis}{witness}{doubt}")
    raise InputError(_why_unknown(facts, instance, series))


def _todays_cap(cap: EgressCap, headroom_ratio: float, unseen: str, *, is_outside: bool) -> Wanted:
    """Return so much that a cap with its headroom is no less than the machine has today."""
    outside = (cap.external_gbps or 0.0) * (1 - headroom_ratio)
    return Wanted(
        gbps=outside if is_outside else cap.egress_gbps * (1 - headroom_ratio),
        outside_gbps=0.0 if is_outside else outside,
        basis=f"its current bandwidth, because {unseen}",
        is_todays_cap=True,
    )


def _observed(
    series: Series | None, cap_gbps: float | None, headroom_ratio: float, *, is_held_back: bool
) -> tuple[float, str]:
    """Return what the cap must carry besides its headroom, and in words what decides it.

    Scaled-up samples can show more than a cap lets through, so a minute counts up to the cap.
    """
    if series is None:
        return 0.0, ""
    p95, busiest = series.p95_gbps, series.max_gbps
    if cap_gbps is not None:
        busiest = min(busiest, cap_gbps)
        if is_held_back and cap_gbps > p95:
            return cap_gbps, f"its cap of {cap_gbps:g} Gbit/s, which it uses fully"
    if busiest * (1 - headroom_ratio) > p95:
        idle = "" if p95 else ": idle in 95% of the minutes"
        said = f"its busiest minute: a cap of {busiest:.3g} Gbit/s is enough{idle}"
        return busiest * (1 - headroom_ratio), said
    return p95, "95th percentile of its observed egress"


def unlogged(facts: Facts, instance: Instance) -> str:
    """Return that a machine stands where nothing is logged, in words; empty: not known to.

    What such a machine sends is seen by those that it sends to alone, if these are logged.
    """
    rates = facts.rates_of(instance)
    is_of_logs = facts.traffic is not None and not facts.traffic.is_steady
    if not is_of_logs or (rates is not None and rates.is_counted):
        return ""
    for nic in instance.interfaces:
        subnetwork = facts.inventory.subnetwork_by_link.get(nic.subnetwork or SelfLink(""))
        is_known = subnetwork is not None and subnetwork.flow_logs is not None
        if subnetwork is not None and is_known and not facts.inventory.logging_of(subnetwork):
            return f"its subnetwork {subnetwork.name} has no flow logs"
    return ""


def _doubt_of_outside(
    facts: Facts, instance: Instance, cap: EgressCap | None, outside: float
) -> str:
    """Return what to know where the cap to the outside is not known, or used up."""
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    sent = seen.egress_outside_vpc.p95_gbps if seen is not None else 0.0
    if cap is None or cap.external_gbps is None:
        why = "no source documents its cap to external addresses, so none is required for the"
        return f"; {why} {sent:.3g} Gbit/s sent there" if sent else ""
    share = facts.threshold("external-cap-saturated", "p95_ratio")
    if outside < share * cap.external_gbps:
        return ""
    return (
        f"; to external addresses it is at its cap of {cap.external_gbps:g} Gbit/s, so its real"
        " need is unknown. Traffic to internal addresses is not under this cap (--to external"
        " finds higher caps)"
    )


def _why_unknown(facts: Facts, instance: Instance, series: Series | None) -> str:
    if facts.traffic is None and series is None:
        told = f"what {instance.name} sends is unknown: give its traffic (--traffic) or the"
    else:
        told = f"{instance.name} sent nothing to that destination in the traffic: give the"
    unread = facts.metrics.coverage.unread if facts.metrics is not None else ()
    return "; ".join((f"{told} bandwidth (--gbps)", *(one.reason for one in unread[:1])))
