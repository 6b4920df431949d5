"""What `netplan recommend` is asked for, and the plan that answers it."""

from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from netplan_planner.cli import options
from netplan_planner.cli.app import progress
from netplan_planner.errors import MissingDatum, UsageError, nearest_names

if TYPE_CHECKING:
    from netplan_planner.engine import AuditRequest
    from netplan_planner.model import CapsBook, Infeasible, MachinePlan, PriceBook, Usage
    from netplan_planner.throughput import CapsTable


class To(StrEnum):
    """Where the bandwidth goes."""

    INTERNAL = "internal"
    ZONE = "zone"
    EXTERNAL = "external"


class Wish(NamedTuple):
    """What the flags ask for; None where a machine's own value or a default stands in."""

    gbps: float | None
    region: str | None
    to: To | None
    """None: wherever a machine's traffic goes."""
    vcpus: int | None
    memory_gib: float | None
    headroom: float
    max_count: int | None
    min_flow_gbps: float
    month_ratio: float
    series: tuple[str, ...]
    arch: str | None
    gpu: bool
    shared_core: bool
    on_demand: bool
    spot: bool
    cud_1y: bool
    cud_3y: bool
    sustained_use: bool


class PriceChoice(NamedTuple):
    """Which prices: folder of the snapshot, discounts, files of the billing export."""

    folder: Path | None = None
    discounts: tuple[str, ...] = ()
    billing_exports: tuple[Path, ...] = ()


def for_bandwidth(
    wish: Wish, prices: PriceChoice, as_of: datetime | None, calibration: Path | None = None
) -> "tuple[MachinePlan | Infeasible, CapsBook, PriceBook]":
    """Return the plan for a bandwidth in a region."""
    from netplan_planner.engine.calibration_file import with_calibration
    from netplan_planner.model import Destination, MachineNeed, Usage
    from netplan_planner.optimise import Chooser
    from netplan_planner.throughput import load_caps
    from netplan_pricing import open_prices

    if wish.gbps is None or wish.region is None:
        raise UsageError("give --gbps and --region, or a machine to replace (--vm NAME)")
    limits = load_caps(options.day(as_of) or date.today())
    book, caps = open_prices(*prices), with_calibration(limits, calibration)
    _check_region(wish.region, book)
    need = MachineNeed(
        gbps=wish.gbps,
        region=wish.region,
        destination=Destination((wish.to or To.INTERNAL).value),
        vcpus=wish.vcpus or 0,
        memory_gib=wish.memory_gib or 0.0,
        headroom_ratio=wish.headroom,
        usage=_usage(wish) or Usage.ON_DEMAND,
        series=checked_series(wish.series, limits),
        architecture=wish.arch,
        max_count=8 if wish.max_count is None else wish.max_count,
        min_flow_gbps=wish.min_flow_gbps,
        allow_gpu=wish.gpu,
        allow_shared_core=wish.shared_core,
        month_ratio=wish.month_ratio,
    )
    return Chooser(book, caps).choose(need), caps, book


def for_machine(
    wish: Wish, vm: str, request: "AuditRequest"
) -> "tuple[MachinePlan | Infeasible, CapsBook, PriceBook]":
    """Return the plan for what a machine of the input sends, beside the machine itself."""
    from msgspec.structs import replace

    from netplan_planner.engine.machines import Wanted, find_machine, wanted_gbps
    from netplan_planner.model import Destination, MachinePlan, need_for_vm
    from netplan_planner.optimise import baseline_of, with_baseline
    from netplan_planner.optimise.commitment_changes import cover_today
    from netplan_planner.throughput import load_caps

    facts, instance = find_machine(request, vm, progress)
    shape = facts.shape(instance.machine_type)
    if shape is None:
        raise MissingDatum(
            f"the vCPUs and memory of {instance.name}'s type {instance.machine_type!r} are not"
            f" known"
        )
    destination = Destination((wish.to or To.INTERNAL).value)
    if wish.gbps is not None:
        wanted = Wanted(gbps=wish.gbps, outside_gbps=0.0, basis="--gbps")
    else:
        wanted = wanted_gbps(facts, instance, destination)
        if wish.to is not None:
            wanted = wanted._replace(outside_gbps=0.0)
    need = need_for_vm(
        instance,
        wanted.gbps,
        shape,
        destination=destination,
        outside_gbps=wanted.outside_gbps,
        headroom_ratio=wish.headroom,
        vcpus=wish.vcpus,
        memory_gib=wish.memory_gib,
        usage=_usage(wish),
        series=checked_series(wish.series, load_caps(facts.caps.as_of)),
        max_count=1 if wish.max_count is None else wish.max_count,
        min_flow_gbps=wish.min_flow_gbps,
        month_ratio=wish.month_ratio,
    )
    # As the audit says: shared cores are no place for real traffic.
    is_busy = wanted.gbps >= facts.threshold("shared-core-in-data-path", "min_gbps")
    if is_busy and shape.is_shared_core and wish.vcpus is None:
        least = int(facts.threshold("shared-core-in-data-path", "min_vcpus"))
        need = replace(need, vcpus=max(need.vcpus, least))
    need = replace(
        need,
        basis=wanted.basis,
        region=wish.region or need.region,
        architecture=wish.arch or need.architecture,
        allow_gpu=wish.gpu or need.allow_gpu,
        allow_shared_core=wish.shared_core or (need.allow_shared_core and not is_busy),
    )
    plan = facts.machines.choose(need)
    if isinstance(plan, MachinePlan):
        baseline, note = baseline_of(instance, shape, need, facts.prices, facts.caps)
        ledger = facts.machines.ledger(facts.inventory, facts.today)
        notes = filter(None, (note, cover_today(ledger, instance)))
        plan = with_baseline(plan, baseline, "; ".join(notes))
    return plan, facts.caps, facts.prices


def _usage(wish: Wish) -> "Usage | None":
    """Return the way of paying that the flags ask for; None: none is named.

    Raises:
        UsageError: If there are two.
    """
    from netplan_planner.model import Usage

    flags = {
        Usage.ON_DEMAND: wish.on_demand,
        Usage.SPOT: wish.spot,
        Usage.CUD_1Y: wish.cud_1y,
        Usage.CUD_3Y: wish.cud_3y,
        Usage.SUSTAINED_USE: wish.sustained_use,
    }
    chosen = [usage for usage, is_on in flags.items() if is_on]
    if len(chosen) > 1:
        both = " and ".join(f"--{usage.value}" for usage in chosen)
        raise UsageError(f"{both} exclude each other: a machine is paid in one way")
    return chosen[0] if chosen else None


def checked_series(series: tuple[str, ...], caps: "CapsTable") -> tuple[str, ...]:
    """Return the series, each of which the caps table knows.

    Raises:
        UsageError: If one is not known; the text names them all.
    """
    from netplan_planner.model import series_of

    known = {series_of(name) for name in caps.machine_types}
    for name in series:
        if name not in known:
            raise UsageError(f"--series {name!r}: it is one of {', '.join(sorted(known))}")
    return series


def _check_region(region: str, prices: "PriceBook") -> None:
    known = prices.regions()
    if region not in known:
        near = nearest_names(region, known)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise UsageError(f"--region {region[:80]!r} offers no machine type that is known{hint}")
