"""The cheapest machine types for a bandwidth, or for what a machine of the input sends."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.ledger.compared import AT_LIST
from netplan_planner.machines import ties_of
from netplan_planner.machines.groups import why_together, why_type_stays
from netplan_planner.machines.known import check_region
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.optimise.commitment_changes import cover_today
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.optimise.offers import query_to
from netplan_planner.optimise.vm_today import baseline_of, with_baseline
from netplan_planner.planning.basis import opened, resting
from netplan_planner.planning.configured import set_ups
from netplan_planner.planning.inputs import PlanBasis, one_usage
from netplan_planner.planning.path_question import check_mtu, check_type
from netplan_planner.planning.project import request_of
from netplan_planner.throughput import CapsTable, instance_end, load_caps, type_end
from netplan_planner.throughput.goodput.doubts import doubt_of
from netplan_planner.throughput.limits.caps import checked_series
from netplan_planner.units import counted, gib_per_month_from_gbps
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.recommend.answer import Recommendation
from netplan_planner.verbs.recommend.ask import Need, Payment, RecommendAsk, To
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import find_machine
from netplan_rules.shared.seen_needs import Wanted, sized, wanted_gbps, why_kept

_MORE = "more VMs (--max-count)"
_LOOSEN = {
    "bandwidth": (_MORE, "less headroom (--headroom)"),
    "bandwidth to external addresses": (_MORE, "less headroom (--headroom)"),
    "vcpus": (_MORE, "fewer vCPUs (--vcpus)"),
    "memory": (_MORE, "less memory (--memory-gib)"),
    "combination": (_MORE, "fewer vCPUs or less memory (--vcpus, --memory-gib)"),
    "flow": ("a lower rate of one flow (--min-flow-gbps)",),
    "series": ("other series (--series)",),
    "architecture": ("another architecture (--architecture)",),
    "gpu": ("types with GPUs (--gpu)",),
    "shared-core": ("types with shared cores (--shared-core)",),
}
"""What to change, by what binds."""
X86 = "X86_64"
"""As the Compute API spells the architecture that most images are for."""
SPOT_DAYS = 30
"""Age from which a Spot price is called old: nearly every one changed between two price lists ten
weeks apart (2026-05-21 and 2026-07-30), and Google may change them once a day."""


@verb(
    panel=panels.PLAN,
    question="Which machine type carries a bandwidth at least cost?",
    rows=10,
    top="Rows of the ranking. 0 shows all.",
    explains="Show every row, and why each other type was left out.",
)
def recommend(ask: RecommendAsk, now: Now) -> Recommendation:
    """Rank the machine types that carry a bandwidth by price, and say why others do not qualify.

    Includes predefined types that the region offers with a known price; Tier_1 with its fee. Types
    with a steady bandwidth come before types with a peak value. With --vm, only types that
    support its disks, placement policy, reservation and GPUs. Exit status: 0, or 1 when no type
    carries it.
    """
    return for_bandwidth(ask, now) if ask.need.vm is None else for_machine(ask, now, ask.need.vm)


def for_bandwidth(ask: RecommendAsk, now: Now) -> Recommendation:
    """Return the plan for a bandwidth in a region.

    Raises:
        UsageError: If a region, a series or the bandwidth is missing or not known.
    """
    if ask.given.is_given:
        raise UsageError("--vm needs the VM of the input to replace")
    wish, choice = ask.need, ask.choice
    if wish.gbps is None or wish.region is None:
        raise UsageError("give --gbps and --region, or the VM to replace (--vm NAME)")
    on = opened(
        PlanBasis(pricing=ask.pricing, as_of=ask.as_of, calibration=ask.calibration), now.today
    )
    check_region("--region", wish.region, on.prices)
    _check_goal(wish, on.prices)
    need = model.MachineNeed(
        gbps=wish.gbps,
        region=wish.region,
        destination=_destination(wish),
        far=_far(wish, on.limits),
        vcpus=wish.vcpus or 0,
        memory_gib=wish.memory_gib or 0.0,
        headroom_ratio=wish.headroom,
        usage=_usage(ask.payment) or model.Usage.ON_DEMAND,
        series=checked_series(choice.series, on.limits),
        architecture=choice.architecture,
        first_architecture=None if choice.is_any else X86,
        max_count=wish.max_count or 1,
        min_flow_gbps=wish.min_flow_gbps,
        allow_gpu=choice.gpu,
        allow_shared_core=choice.shared_core,
        month_ratio=ask.payment.month_ratio,
    )
    plan = Chooser(on.prices, on.caps).choose(need)
    if isinstance(plan, model.MachinePlan):
        volume = _steady(wish.gbps, ask.payment.month_ratio)
        plan = _completed(plan, wish, on.prices, now.today, volume)
    return _answer(plan, on.caps, on.prices, now.today, on.folder, ask.why_not)


def for_machine(ask: RecommendAsk, now: Now, vm: str) -> Recommendation:
    """Return the plan for what a machine of the input sends, beside the machine itself.

    Raises:
        MissingDatum: If the size of the machine's type is not known.
        UsageError: If the machine, a region or a series is not known.
    """
    request = request_of(ask, **set_ups(now.config))
    wish, choice = ask.need, ask.choice
    facts, instance = find_machine(request, vm, now.say)
    shape = facts.shape(instance.machine_type)
    if shape is None:
        raise MissingDatum(
            f"vCPUs and memory of {instance.name}'s type {instance.machine_type!r} are unknown"
        )
    if instance.is_sole_tenant:
        raise UsageError(
            f"{instance.name} runs on sole-tenant nodes, which are billed instead of the VM: "
            "another type saves nothing"
        )
    destination = _destination(wish)
    _check_goal(wish, facts.prices)
    if wish.gbps is not None:
        wanted = Wanted(gbps=wish.gbps, outside_gbps=0.0, basis="--gbps")
    else:
        wanted = wanted_gbps(facts, instance, destination, wish.headroom)
        if wish.to is not None:
            wanted = wanted._replace(outside_gbps=0.0)
    seen = sized(facts, instance, shape, wanted)
    need = model.need_for_vm(
        instance,
        wanted.gbps,
        shape,
        destination=destination,
        outside_gbps=wanted.outside_gbps,
        headroom_ratio=wish.headroom,
        vcpus=seen.vcpus if wish.vcpus is None else wish.vcpus,
        memory_gib=seen.memory_gib if wish.memory_gib is None else wish.memory_gib,
        usage=_usage(ask.payment),
        series=checked_series(choice.series, load_caps(facts.caps.as_of)),
        ties=ties_of(facts.inventory, instance, shape),
    )
    need = replace(
        need,
        basis=seen.basis,
        region=wish.region or need.region,
        zone=need.zone if wish.region in {None, need.region} else None,
        far=_far_of(instance, wish, load_caps(facts.caps.as_of)),
        max_count=wish.max_count or 1,
        min_flow_gbps=wish.min_flow_gbps,
        month_ratio=ask.payment.month_ratio,
        architecture=None if choice.is_any else choice.architecture or need.architecture,
        allow_gpu=choice.gpu or need.allow_gpu,
        allow_shared_core=choice.shared_core or (need.allow_shared_core and not seen.is_busy),
    )
    plan = facts.machines.choose_from(instance, need)
    if isinstance(plan, model.MachinePlan):
        baseline, note = baseline_of(instance, shape, need, facts.prices, facts.caps)
        ledger = facts.machines.ledger(facts.inventory, facts.today)
        parts = (note, cover_today(ledger, instance), _compared(plan), _group(facts, instance))
        told = [one for one in parts if one]
        said = model.worded(*[part for one in told for part in ("; ", one)][1:])
        plan = with_baseline(plan, baseline, said)
        volume = _volume(facts, instance, ask, wanted)
        plan = _completed(plan, wish, facts.prices, facts.today, volume)
    answer = _answer(plan, facts.caps, facts.prices, request.today, request.prices, ask.why_not)
    return replace(answer, incomplete=what_is_incomplete(facts, ()))


def _group(facts: model.Facts, instance: model.Instance) -> str:
    """Return what keeps advice from a change, or changes others with it; empty: nothing."""
    if why := why_type_stays(facts, instance) or why_kept(facts, instance):
        return f"netplan does not recommend changing it: {why}"
    why = why_together(facts, instance)
    return f"{why}: prices here are for one VM" if why else ""


def _compared(plan: model.MachinePlan) -> str:
    """Return which types are compared at list prices with the machine of today; empty: none."""
    listed = [any(one.name.endswith(AT_LIST) for one in c.line_items) for c in plan.ranked]
    if not any(listed):
        return ""
    return AT_LIST if listed[0] else f"{counted(sum(listed), 'type')} {AT_LIST}"


def _answer(
    plan: model.MachinePlan | model.Infeasible,
    caps: model.CapsBook,
    prices: model.PriceBook,
    today: date,
    folder: Path | None,
    why_not: tuple[str, ...],
) -> Recommendation:
    """Return a plan with what it rests on, or what to change where there is none."""
    if isinstance(plan, model.Infeasible):
        plan = replace(plan, changes=_LOOSEN.get(plan.binding, ()))
    return resting(
        Recommendation,
        prices,
        caps,
        today,
        folder,
        has_spot=plan.need.usage is model.Usage.SPOT,
        plan=plan,
        is_feasible=isinstance(plan, model.MachinePlan),
        infeasible=model.taken(Shortfall, plan) if isinstance(plan, model.Infeasible) else None,
        long_use_percents=tuple(_long_use_percents(plan, prices)),
        why_not=why_not,
    )


def _long_use_percents(
    plan: model.MachinePlan | model.Infeasible, prices: model.PriceBook
) -> Iterator[tuple[str, Decimal]]:
    """Yield the discounts that on-demand use would bring by itself, by series."""
    if isinstance(plan, model.Infeasible) or plan.need.usage is not model.Usage.ON_DEMAND:
        return
    found = {
        (model.series_of(candidate.machine_type), 100 * (1 - ratio))
        for candidate in plan.ranked
        if (ratio := prices.sustained_use_ratio(candidate.machine_type, plan.need.month_ratio)) < 1
    }
    yield from sorted(found)


def _destination(wish: Need) -> model.Destination:
    return model.Destination((wish.to.to if wish.to else To.INTERNAL).value)


def _far_of(instance: model.Instance, wish: Need, limits: CapsTable) -> model.FarEnd:
    """Return what is told of the other end and of the machine's own buffers."""
    far = _far(wish, limits)
    buffer_bytes = far.send_buffer_bytes or instance_end(instance).set_up.send_buffer_bytes
    return replace(far, send_buffer_bytes=buffer_bytes)


def _far(wish: Need, limits: CapsTable) -> model.FarEnd:
    """Return what is told of the other end.

    Raises:
        UsageError: If something is told of a path whose length nobody knows, or of no machine type.
    """
    check_type("--dst-type", wish.dst_type, limits)
    check_mtu(wish)
    region = wish.to.region if wish.to is not None else None
    found = model.taken(model.FarEnd, wish, region=region, machine_type=wish.dst_type)
    if _destination(wish) is model.Destination.EXTERNAL and found != model.FarEnd():
        raise UsageError(
            "--dst-type, --bytes and send options (such as --streams) need a path with a known "
            "distance: leave out --to external, or give a region"
        )
    return found


def _check_goal(wish: Need, prices: model.PriceBook) -> None:
    if wish.to is not None and wish.to.region is not None:
        kinds = ", ".join(To)
        check_region("--to", wish.to.region, prices, f" (it is {kinds}, or a region)")


def _steady(gbps: float, month_ratio: float) -> tuple[Decimal, str]:
    """Return the GiB of a month at a steady rate, for a share of it, and what they rest on."""
    share = f" for {month_ratio:.0%} of the month" if month_ratio < 1 else ", all month"
    gib = gib_per_month_from_gbps(gbps) * Decimal(str(month_ratio))
    return gib, f"{gbps:g} Gbit/s{share}"


def _volume(
    facts: model.Facts, instance: model.Instance, ask: RecommendAsk, wanted: Wanted
) -> tuple[Decimal, str]:
    """Return the GiB a month that a machine sends, and where that comes from."""
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    # A month's volume is that of the traffic input, whose window says how long it was watched.
    if ask.need.gbps is not None or seen is None:
        return _steady(wanted.gbps, ask.payment.month_ratio)
    return facts.gib_per_month(seen.egress.byte_count), "all traffic that it was seen to send"


def _completed(
    plan: model.MachinePlan,
    wish: Need,
    prices: model.PriceBook,
    today: date,
    volume: tuple[Decimal, str],
) -> model.MachinePlan:
    """Return a plan with the price of its traffic, where a region was named, and how sure it is."""
    plan = replace(plan, doubt=_doubt(plan))
    if wish.to is not None and wish.to.region is not None:
        plan = with_traffic(plan, prices, wish.to.region, *volume)
    return with_price_age(plan, today)


def _doubt(plan: model.MachinePlan) -> str:
    """Return what is known against the bandwidth of the first machine; empty: nothing."""
    if not plan.ranked:
        return ""
    first = plan.ranked[0]
    end = type_end(
        first.machine_type, is_tier1=first.is_tier1, cpu_platform=first.cpu_platform or ""
    )
    found = model.Estimate(gbps=first.cap_gbps, low_gbps=first.low_gbps, limits=(first.limit,))
    return doubt_of(query_to(plan.need, end), found)


def with_traffic(
    plan: model.MachinePlan,
    prices: model.PriceBook,
    to_region: str,
    gib_per_month: Decimal,
    basis: str,
) -> model.MachinePlan:
    """Return a plan with what its traffic to a region costs, or why that is not known.

    The sum is the same with every machine of the plan.
    """
    is_inside = to_region == plan.need.region
    path_class = (
        model.PathClass.INTER_ZONE_INTERNAL if is_inside else model.PathClass.INTER_REGION_INTERNAL
    )
    where = f"to {to_region}, over internal addresses" + (", another zone" if is_inside else "")
    note = f"{gib_per_month:,.0f} GiB/month {where} ({basis})"
    try:
        items = prices.traffic_line_items(
            f"traffic {path_class.value}",
            path_class,
            gib_per_month,
            src_region=plan.need.region,
            dst_region=to_region,
        )
    except MissingDatum as missing:
        return replace(plan, traffic_note=f"{note}: {missing}")
    return replace(plan, traffic_items=items, traffic_note=note)


def with_price_age(plan: model.MachinePlan, today: date) -> model.MachinePlan:
    """Return a plan that is less sure where it ranks by old Spot prices."""
    if plan.need.usage is not model.Usage.SPOT:
        return plan
    dates = [item.as_of for item in plan.ranked[0].line_items] if plan.ranked else []
    age = (today - min(dates)).days if dates else 0
    if age <= SPOT_DAYS:
        return plan
    reason = (
        f"the Spot prices are of {min(dates).isoformat()}, {age} days old, and change within "
        "weeks: the ranking may differ today"
    )
    return replace(plan, confidence=model.Confidence.LOW, confidence_reason=reason)


def _usage(payment: Payment) -> model.Usage | None:
    """Return the way of paying that the flags ask for; None: none is named."""
    return one_usage(
        {
            model.Usage.ON_DEMAND: payment.on_demand,
            model.Usage.SPOT: payment.spot,
            model.Usage.CUD_1Y: payment.cud_1y,
            model.Usage.CUD_3Y: payment.cud_3y,
            model.Usage.SUSTAINED_USE: payment.sustained_use,
        }
    )
