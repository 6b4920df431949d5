"""The cheapest machine types for a bandwidth, or for what a machine of the input sends."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.engine.calibration_file import with_calibration
from netplan_planner.engine.caps import checked_series
from netplan_planner.engine.completeness import what_is_incomplete
from netplan_planner.engine.machines import Wanted, find_machine, wanted_gbps
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import MissingDatum, UsageError, nearest_names
from netplan_planner.machines import ties_of
from netplan_planner.model import (
    CapsBook,
    Destination,
    Facts,
    Infeasible,
    Instance,
    MachineNeed,
    MachinePlan,
    PriceBook,
    Recommendation,
    Usage,
    need_for_vm,
    series_of,
    worded,
)
from netplan_planner.model.price_age import price_age
from netplan_planner.optimise.commitment_changes import cover_today
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.optimise.recommended import with_price_age, with_traffic
from netplan_planner.optimise.vm_today import baseline_of, with_baseline
from netplan_planner.throughput import load_caps, stated_on
from netplan_planner.throughput.calibration.factors.calibrated_caps import calibration_note
from netplan_planner.units import gib_per_month_from_gbps
from netplan_pricing import open_prices
from netplan_rules.sizes import size_of

X86 = "X86_64"
"""As the Compute API spells the architecture that most images are for."""


class To(StrEnum):
    """Where the bandwidth goes."""

    INTERNAL = "internal"
    ZONE = "zone"
    EXTERNAL = "external"


class Goal(NamedTuple):
    """Where the bandwidth goes, and the region whose traffic price is asked for."""

    to: To
    region: str | None = None


def goal_of(text: str | None) -> Goal | None:
    """Return what `--to` names: a kind of destination, or a region, which is internal."""
    if text is None:
        return None
    return Goal(To(text)) if text in set(To) else Goal(To.INTERNAL, text)


class Wish(NamedTuple):
    """What the flags ask for; None where a machine's own value or a default stands in."""

    gbps: float | None
    region: str | None
    to: Goal | None
    """None: wherever a machine's traffic goes."""
    vcpus: int | None
    memory_gib: float | None
    headroom: float
    max_count: int | None
    min_flow_gbps: float
    month_ratio: float
    series: tuple[str, ...]
    arch: str | None
    any_arch: bool
    """No architecture is asked for, and none goes first."""
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
    wish: Wish,
    prices: PriceChoice,
    as_of: date | None,
    today: date,
    calibration: Path | None = None,
    why_not: tuple[str, ...] = (),
) -> Recommendation:
    """Return the plan for a bandwidth in a region.

    Raises:
        UsageError: If a region, a series or the bandwidth is missing or not known.
    """
    if wish.gbps is None or wish.region is None:
        raise UsageError("give --gbps and --region, or a machine to replace (--vm NAME)")
    limits = load_caps(as_of or today)
    book, caps = open_prices(*prices), with_calibration(limits, calibration)
    _check_region("--region", wish.region, book)
    _check_goal(wish, book)
    need = MachineNeed(
        gbps=wish.gbps,
        region=wish.region,
        destination=_destination(wish),
        vcpus=wish.vcpus or 0,
        memory_gib=wish.memory_gib or 0.0,
        headroom_ratio=wish.headroom,
        usage=_usage(wish) or Usage.ON_DEMAND,
        series=checked_series(wish.series, limits),
        architecture=wish.arch,
        first_architecture=None if wish.any_arch else X86,
        max_count=wish.max_count or 1,
        min_flow_gbps=wish.min_flow_gbps,
        allow_gpu=wish.gpu,
        allow_shared_core=wish.shared_core,
        month_ratio=wish.month_ratio,
    )
    plan = Chooser(book, caps).choose(need)
    if isinstance(plan, MachinePlan):
        volume = _steady_gib(wish.gbps, wish), _rate_basis(wish.gbps, wish)
        plan = _completed(plan, wish, book, today, volume)
    return _answer(plan, caps, book, today, prices.folder, why_not)


def for_machine(
    wish: Wish,
    vm: str,
    request: AuditRequest,
    progress: Callable[[str], None],
    why_not: tuple[str, ...] = (),
) -> Recommendation:
    """Return the plan for what a machine of the input sends, beside the machine itself.

    Raises:
        MissingDatum: If the size of the machine's type is not known.
        UsageError: If the machine, a region or a series is not known.
    """
    facts, instance = find_machine(request, vm, progress)
    shape = facts.shape(instance.machine_type)
    if shape is None:
        raise MissingDatum(
            f"the vCPUs and memory of {instance.name}'s type {instance.machine_type!r} are not"
            f" known"
        )
    destination = _destination(wish)
    _check_goal(wish, facts.prices)
    if wish.gbps is not None:
        wanted = Wanted(gbps=wish.gbps, outside_gbps=0.0, basis="--gbps")
    else:
        wanted = wanted_gbps(facts, instance, destination)
        if wish.to is not None:
            wanted = wanted._replace(outside_gbps=0.0)
    size = size_of(facts, instance, shape)
    need = need_for_vm(
        instance,
        wanted.gbps,
        shape,
        destination=destination,
        outside_gbps=wanted.outside_gbps,
        headroom_ratio=wish.headroom,
        vcpus=size.vcpus if wish.vcpus is None else wish.vcpus,
        memory_gib=size.memory_gib if wish.memory_gib is None else wish.memory_gib,
        usage=_usage(wish),
        series=checked_series(wish.series, load_caps(facts.caps.as_of)),
        max_count=wish.max_count or 1,
        min_flow_gbps=wish.min_flow_gbps,
        month_ratio=wish.month_ratio,
        ties=ties_of(facts.inventory, instance, shape),
    )
    # As the audit says: shared cores are no place for real traffic.
    is_busy = wanted.gbps >= facts.threshold("shared-core-in-data-path", "min_gbps")
    if is_busy and shape.is_shared_core and wish.vcpus is None:
        least = int(facts.threshold("shared-core-in-data-path", "min_vcpus"))
        need = replace(need, vcpus=max(need.vcpus, least))
    need = replace(
        need,
        basis="; ".join(filter(None, (wanted.basis, size.basis))),
        region=wish.region or need.region,
        architecture=None if wish.any_arch else wish.arch or need.architecture,
        allow_gpu=wish.gpu or need.allow_gpu,
        allow_shared_core=wish.shared_core or (need.allow_shared_core and not is_busy),
    )
    plan = facts.machines.choose(need)
    if isinstance(plan, MachinePlan):
        baseline, note = baseline_of(instance, shape, need, facts.prices, facts.caps)
        ledger = facts.machines.ledger(facts.inventory, facts.today)
        covered = cover_today(ledger, instance)
        told = worded(note, "; " if note and covered else "", covered)
        plan = with_baseline(plan, baseline, told)
        volume = _volume(facts, instance, wish, wanted)
        plan = _completed(plan, wish, facts.prices, facts.today, volume)
    answer = _answer(plan, facts.caps, facts.prices, request.today, request.prices, why_not)
    return replace(answer, incomplete=what_is_incomplete(facts, ()))


def _answer(
    plan: MachinePlan | Infeasible,
    caps: CapsBook,
    prices: PriceBook,
    today: date,
    folder: Path | None,
    why_not: tuple[str, ...],
) -> Recommendation:
    """Return a plan with what it rests on."""
    info = prices.info
    return Recommendation(
        plan=plan,
        limits_as_of=stated_on(caps.as_of),
        calibration=next(calibration_note(caps), None),
        prices_as_of=info.as_of,
        network_prices_as_of=info.network_as_of,
        prices_sha256=info.sha256,
        price_terms=info.terms,
        price_age=price_age(info, today, has_spot=plan.need.usage is Usage.SPOT, folder=folder),
        long_use_percents=tuple(_long_use_percents(plan, prices)),
        why_not=why_not,
    )


def _long_use_percents(
    plan: MachinePlan | Infeasible, prices: PriceBook
) -> Iterator[tuple[str, Decimal]]:
    """Yield the discounts that on-demand use would bring by itself, by series."""
    if isinstance(plan, Infeasible) or plan.need.usage is not Usage.ON_DEMAND:
        return
    found = {
        (series_of(candidate.machine_type), 100 * (1 - ratio))
        for candidate in plan.ranked
        if (ratio := prices.sustained_use_ratio(candidate.machine_type, plan.need.month_ratio)) < 1
    }
    yield from sorted(found)


def _destination(wish: Wish) -> Destination:

    return Destination((wish.to.to if wish.to else To.INTERNAL).value)


def _check_goal(wish: Wish, prices: PriceBook) -> None:
    if wish.to is not None and wish.to.region is not None:
        kinds = ", ".join(To)
        _check_region("--to", wish.to.region, prices, f" (it is {kinds}, or a region)")


def _steady_gib(gbps: float, wish: Wish) -> Decimal:
    """Return the GiB of a month at a steady rate, for the share of it that is asked for."""
    return gib_per_month_from_gbps(gbps) * Decimal(str(wish.month_ratio))


def _rate_basis(gbps: float, wish: Wish) -> str:
    share = f" for {wish.month_ratio:.0%} of the month" if wish.month_ratio < 1 else ", all month"
    return f"{gbps:g} Gbit/s{share}"


def _volume(facts: Facts, instance: Instance, wish: Wish, wanted: Wanted) -> tuple[Decimal, str]:
    """Return the GiB a month that a machine sends, and where that comes from."""
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    # A month's volume is that of the traffic input, whose window says how long it was watched.
    if wish.gbps is not None or seen is None:
        return _steady_gib(wanted.gbps, wish), _rate_basis(wanted.gbps, wish)
    return facts.gib_per_month(seen.egress.byte_count), "all that it was seen to send"


def _completed(
    plan: MachinePlan,
    wish: Wish,
    prices: PriceBook,
    today: date,
    volume: tuple[Decimal, str],
) -> MachinePlan:
    """Return a plan with the price of its traffic, where a region was named, and how sure it is."""
    if wish.to is not None and wish.to.region is not None:
        plan = with_traffic(plan, prices, wish.to.region, *volume)
    return with_price_age(plan, today)


def _usage(wish: Wish) -> Usage | None:
    """Return the way of paying that the flags ask for; None: none is named.

    Raises:
        UsageError: If there are two.
    """
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


def _check_region(option: str, region: str, prices: PriceBook, also: str = "") -> None:
    known = prices.regions()
    if region not in known:
        near = nearest_names(region, known)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise UsageError(
            f"{option} {region[:80]!r} offers no machine type that is known{also}{hint}"
        )
