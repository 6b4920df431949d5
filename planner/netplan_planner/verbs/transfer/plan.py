"""The best way to move bytes: ways, relays and machines, held against the direct way."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import Amount, CapsBook, PathClass, PriceBook, Text, Usage, worded
from netplan_planner.optimise.highs import stopped_after
from netplan_planner.optimise.job.plan import seconds_text
from netplan_planner.throughput import predict
from netplan_planner.throughput.goodput.doubts import doubt_of
from netplan_planner.throughput.limits.named import quota_of
from netplan_planner.throughput.transport.tools import THREADED_TEXT
from netplan_planner.units import rate
from netplan_planner.verbs.transfer.answer import (
    PlaceKind,
    TransferOption,
    TransferPlan,
    TransferWay,
    UnknownMachines,
)
from netplan_planner.verbs.transfer.ask import AddressKind, NetworkTier, TransferGoal, TransferNeed
from netplan_planner.verbs.transfer.assuming import assumptions
from netplan_planner.verbs.transfer.hops import Tables, kind_of, region_of_bucket
from netplan_planner.verbs.transfer.infeasible import why_infeasible
from netplan_planner.verbs.transfer.machines import Machine, hop_query
from netplan_planner.verbs.transfer.market import SAME_S, Market, market_of
from netplan_planner.verbs.transfer.option import Asked, Solved, probability_of
from netplan_planner.verbs.transfer.solve.program import LAST_RESORT_S
from netplan_planner.verbs.transfer.tries import AS_FAST, key, solve, without_relays


def plan_transfer(
    need: TransferNeed,
    prices: PriceBook,
    caps: CapsBook,
    tables: Tables = Tables(),  # noqa: B008
) -> TransferPlan:
    """Return the best way to do a transfer, or why there is none.

    Every target gets all bytes; a relay passes them on as they come, and a byte for several
    targets crosses each way once. Costs are compared in whole cents; of equal ones the fastest
    comes first.
    """
    asked = Asked(prices, caps, tables)
    market = market_of(need, prices, caps, tables)
    straight = without_relays(market, need)
    if need.relays == ():
        market = straight
    solved = solve(market, need, asked)
    direct = solve(straight, need, asked, has_front=False)
    is_out_of_time = solved.found.is_out_of_time or direct.found.is_out_of_time
    best = _better(need, solved.best, direct.best)
    infeasible = None if best else why_infeasible(need, solved, asked)
    bound = None
    if best is not None:
        bound = min(Decimal(repr(solved.found.bound_usd)), best.usd_total)
    return TransferPlan(
        need=need,
        plan=best,
        deadline_probability=probability_of(need, market, best, caps) if best else None,
        bound_usd=bound,
        direct=None if direct.best == best else direct.best,
        why_no_direct="" if direct.best else why_no_direct(need, direct),
        front=tuple(
            replace(one, line_items=()) for one in _front(need, [*solved.options, *direct.options])
        ),
        ways=tuple(_ways(need, best, asked)) if best is not None else (),
        relay_verdict=relay_verdict(need, market, best, direct.best),
        infeasible=infeasible,
        unknown=_unknown(market),
        unpriced=market.unpriced.unpriced,
        doubts=doubts(need, market, best, caps) if best is not None else (),
        advice=tuple(advice(need, market, best)) if best is not None else (),
        assumptions=(
            *assumptions(
                need, market, tables, _used(market, best or next(iter(solved.options), None))
            ),
            *([stopped_after(LAST_RESORT_S)] if is_out_of_time else []),
        ),
        is_given=tables.has_own_names,
    )


def _used(market: Market, best: TransferOption | None) -> list[Machine]:
    """Return the machines of a plan."""
    if best is None:
        return []
    machines = {(one.place, one.name, one.is_tier1): one for one in market.machines}
    keys = [(one.place, one.machine_type, one.is_tier1) for one in best.machines]
    return [machines[key] for key in keys if key in machines]


def _unknown(market: Market) -> tuple[UnknownMachines, ...]:
    """Return the types that cannot be judged, by reason: of several regions and types once."""
    found: dict[tuple[str, str], dict[bool, set[str]]] = {}
    for one in market.unknown:
        detail = one.detail.replace(repr(one.machine_type), "the type")
        detail = detail.replace(one.machine_type, "the type")
        kinds = found.setdefault((one.reason, detail), {False: set(), True: set()})
        kinds[one.is_tier1].add(one.machine_type)
    return tuple(
        UnknownMachines(
            reason=reason,
            detail=detail,
            machine_types=tuple(sorted(kinds[False])),
            tier1_machine_types=tuple(sorted(kinds[True])),
        )
        for (reason, detail), kinds in sorted(found.items())
    )


def _better(
    need: TransferNeed, best: TransferOption | None, direct: TransferOption | None
) -> TransferOption | None:
    """Return the better of two plans; of equal ones the direct way."""
    if best is None or direct is None:
        return best or direct
    if need.goal is TransferGoal.TIME:
        is_alike = direct.duration_s <= best.duration_s * AS_FAST
        return direct if is_alike and direct.usd_total <= best.usd_total else best
    return direct if key(direct) <= key(best) else best


def _front(need: TransferNeed, options: Sequence[TransferOption]) -> tuple[TransferOption, ...]:
    """Return what no other beats in both cost, in whole cents, and time, cheapest first.

    What is in time is not the same as what is a little late.
    """
    ordered = sorted(options, key=lambda one: (*key(one), len(one.relays)))
    front: list[TransferOption] = []
    for one in ordered:
        is_faster = not front or one.duration_s * AS_FAST < front[-1].duration_s
        is_late = bool(front) and not need.is_in_time(front[-1].duration_s)
        if is_faster or (is_late and need.is_in_time(one.duration_s)):
            front.append(one)
    return tuple(front)


def _ways(need: TransferNeed, best: TransferOption, asked: Asked) -> Iterator[TransferWay]:
    """Yield what other choices would make of it, each at its own best."""
    if asked.tables.grid is not None:
        return
    regions = frozenset(asked.prices.regions())
    kinds = {kind_of(one, regions, asked.tables) for one in need.targets}
    if PlaceKind.INTERNET in kinds:
        is_premium = all(one.network_tier != NetworkTier.STANDARD.value for one in best.flows)
        other = NetworkTier.STANDARD if is_premium else NetworkTier.PREMIUM
        yield _way(f"{other.value.title()} Tier", replace(need, network_tier=other), asked)
    if kinds == {PlaceKind.REGION} and need.source in regions and len(need.targets) == 1:
        external = need.address is AddressKind.INTERNAL
        kind = AddressKind.EXTERNAL if external else AddressKind.INTERNAL
        yield _way(f"{kind.value} addresses", replace(need, address=kind), asked)
    if need.usage is Usage.ON_DEMAND and need.interruptions_per_day is not None:
        yield _way("Spot VMs", replace(need, usage=Usage.SPOT), asked)


def _way(name: str, need: TransferNeed, asked: Asked) -> TransferWay:
    other = replace(need, relays=need.relays if need.relays is not None else ())
    market = market_of(other, *asked)
    solved = solve(market, other, asked, has_front=False)
    why: Text = ""
    if solved.best is None:
        found = why_infeasible(other, solved, asked)
        why = worded(f"{found.binding}: ", found.shortfall) if found.shortfall else found.binding
    option = solved.best and replace(solved.best, line_items=())
    return TransferWay(name=name, option=option, why_not=why)


def relay_verdict(
    need: TransferNeed,
    market: Market,
    best: TransferOption | None,
    direct: TransferOption | None,
) -> Text:
    """Return whether a relay pays, and by how much; empty: there is no plan."""
    if best is None:
        return ""
    if best.relays:
        return _pays(need, best, direct)
    if need.relays == ():
        return "relays were not allowed (--no-relays)"
    if len(need.targets) > 1:
        return (
            "no relay saves money: forwarding from one target to another costs at least as much "
            "as sending from the source"
        )
    if need.goal is TransferGoal.TIME:
        return "no relay makes it faster: it would share the limits of the ends"
    found = _cheapest_relay(need, market)
    if found is None:
        return "no relay saves money: no other place leads there"
    place, usd, straight = found
    if usd < straight:
        return worded(
            f"no relay saves money: traffic through {place} costs ",
            Amount(usd=usd),
            ", direct ",
            Amount(usd=straight),
            ", but it is too slow or its VMs cost more",
        )
    same = "as much" if usd == straight else "more"
    return worded(
        f"no relay saves money: the cheapest other path, through {place}, costs ",
        Amount(usd=usd),
        " for traffic alone, direct ",
        Amount(usd=straight),
        f": {same} before the VMs are paid",
    )


def _pays(need: TransferNeed, best: TransferOption, direct: TransferOption | None) -> Text:
    by = ", ".join(best.relays)
    if direct is None:
        return f"no plan without a relay ({by}) is within the limits"
    less = direct.duration_s - best.duration_s
    if need.goal is TransferGoal.TIME and less > max(SAME_S, best.duration_s * (AS_FAST - 1)):
        return worded(
            f"a relay makes it faster: through {by}, {seconds_text(less)} less than the direct path"
        )
    return worded(
        f"a relay saves money: through {by} it saves ",
        Amount(usd=direct.usd_total - best.usd_total),
        " compared with the direct path (",
        Amount(usd=direct.usd_total),
        ")",
    )


def _cheapest_relay(need: TransferNeed, market: Market) -> tuple[str, Decimal, Decimal] | None:
    """Return the cheapest other place by the traffic of two hops, its cost and the direct one."""
    usd = {(hop.src, hop.dst): hop.usd for hop in market.unpriced.every}
    source, target = region_of_bucket(need.source), region_of_bucket(need.targets[0])
    straight = usd.get((source, target))
    if straight is None:
        return None
    ways = [
        (usd[source, place] + usd[place, target], place)
        for src, place in usd
        if src == source and (place, target) in usd and place != target
    ]
    if not ways:
        return None
    least, place = min(ways)
    return place, least, straight


def why_no_direct(need: TransferNeed, direct: Solved) -> Text:
    """Return why the direct way cannot do it."""
    if not direct.options:
        return "no direct path with a rate, a price and machine types"
    fastest = min(direct.options, key=lambda one: one.duration_s)
    cheapest = min(direct.options, key=lambda one: one.usd_total)
    if need.deadline_s is not None and fastest.duration_s > need.deadline_s:
        time, late_s = seconds_text(fastest.duration_s), fastest.duration_s - need.deadline_s
        is_read_as_it = time == seconds_text(need.deadline_s)
        late = f", {seconds_text(late_s)} too late" if is_read_as_it else ""
        return f"the direct path takes at least {time}{late}"
    return worded("the direct path costs at least ", Amount(usd=cheapest.usd_total))


def doubts(
    need: TransferNeed, market: Market, best: TransferOption, caps: CapsBook
) -> tuple[str, ...]:
    """Return what published measurements say against the rates of a plan, each once."""
    used = {one.place: one for one in _used(market, best)}
    ends = {(one.src, one.dst) for one in best.flows}
    found: dict[str, None] = {}
    for hop in market.hops:
        if (hop.src, hop.dst) not in ends or hop.src not in used:
            continue
        query = hop_query(hop, used[hop.src], used.get(hop.dst), need)
        if query is not None and (said := doubt_of(query, predict(query, caps))):
            found[said] = None
    return tuple(found)


def advice(need: TransferNeed, market: Market, best: TransferOption) -> Iterator[str]:
    """Yield what to look at or measure before, in words or commands."""
    seen = set()
    classes = {(hop.src, hop.dst): hop.path_class for hop in market.hops}
    for place, kind, gbps in _quota_use(best, classes):
        told = {
            one.place for one in (need.inside_quotas if kind == "inside" else need.outside_quotas)
        }
        if place in told or (place, kind) in seen:
            continue
        seen.add((place, kind))
        path = PathClass.INTER_REGION_INTERNAL if kind == "inside" else PathClass.INTERNET
        quota = quota_of(path)
        option = "--quota" if kind == "inside" else "--internet-quota"
        name = quota.name if quota else "the regional quota"
        yield (
            f"quota: {place} sends {rate(gbps)}. Its project needs at least "
            f"{gbps * 1000:,.0f} Mbit/s of “{name}” there (console, Quotas page); set it "
            f"with {option} {place}=GBPS"
        )
    if best.relays and len(need.targets) == 1 and not market.is_given:
        for flow in best.flows:
            if classes.get((flow.src, flow.dst)) is PathClass.INTER_REGION_INTERNAL:
                yield (
                    "the relay saves money only at these hop prices: check them, and a bill, "
                    f"before you use it: netplan price traffic --from {flow.src} --to {flow.dst} "
                    f"--gib {flow.gib:.0f}"
                )
    longest = max(best.flows, key=lambda one: one.gbps)
    if longest.streams and not market.is_given:
        yield (
            f"measure with iperf3 {THREADED_TEXT} or newer: on a VM in {longest.dst} `iperf3 "
            f"-s`, on one in {longest.src} `iperf3 -c RECEIVER -P {longest.streams} -t 30 -O 5`"
        )
    buckets = [one for one in (need.source, *need.targets) if region_of_bucket(one) != one]
    if buckets:
        if len(buckets) == len(need.targets) + 1:
            yield (
                "from bucket to bucket Cloud Storage copies by itself, without VMs of yours"
                " (`gcloud storage cp --recursive gs://FROM gs://TO`, or Storage Transfer Service):"
                " its rate is not documented, so it is not compared with this plan"
            )
        elif need.source != region_of_bucket(need.source) or len(need.targets) == 1:
            yield (
                "VMs can also read or write a bucket of another region directly, without VMs "
                "there; the rate is not documented: measure it and compare it with this plan"
            )
        yield (
            "Cloud Storage: run `gcloud storage cp --recursive` on each VM for its part of the "
            "objects; measure one VM before you trust --storage-gbps"
        )


def _quota_use(
    best: TransferOption, classes: dict[tuple[str, str], PathClass | None]
) -> list[tuple[str, str, float]]:
    """Return what each place sends against which quota, in order of place."""
    found: dict[tuple[str, str], float] = {}
    for flow in best.flows:
        path = classes.get((flow.src, flow.dst))
        if path is None or quota_of(path) is None:
            continue
        kind = "outside" if path.leaves_vpc else "inside"
        found[flow.src, kind] = found.get((flow.src, kind), 0.0) + flow.gbps
    return [(place, kind, gbps) for (place, kind), gbps in sorted(found.items())]
