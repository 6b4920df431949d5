"""The best way to move bytes: ways, relays and machines, held against the direct way."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import Amount, CapsBook, PathClass, PriceBook, Text, Usage, worded
from netplan_planner.optimise.job.plan import seconds_text
from netplan_planner.throughput import predict
from netplan_planner.throughput.goodput.doubts import doubt_of
from netplan_planner.throughput.limits.named import quota_of
from netplan_planner.throughput.transport.tools import THREADED_TEXT
from netplan_planner.verbs.transfer.answer import (
    PlaceKind,
    TransferOption,
    TransferPlan,
    TransferWay,
)
from netplan_planner.verbs.transfer.ask import AddressKind, NetworkTier, TransferGoal, TransferNeed
from netplan_planner.verbs.transfer.hops import Tables, kind_of, region_of_bucket
from netplan_planner.verbs.transfer.infeasible import why_infeasible
from netplan_planner.verbs.transfer.machines import hop_query
from netplan_planner.verbs.transfer.market import Market, market_of
from netplan_planner.verbs.transfer.option import Asked, Solved, probability_of
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
        direct=direct.best,
        why_no_direct="" if direct.best else why_no_direct(need, direct),
        front=_front(need, [*solved.options, *direct.options]),
        ways=tuple(_ways(need, asked)) if best is not None else (),
        relay_verdict=relay_verdict(need, market, best, direct.best, asked),
        infeasible=infeasible,
        unknown=market.unknown,
        unpriced=market.unpriced.unpriced,
        doubts=doubts(need, market, best, caps) if best is not None else (),
        advice=tuple(advice(need, market, best)) if best is not None else (),
        assumptions=tuple(assumptions(need, market, tables)),
        is_given=tables.has_own_names,
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


def _ways(need: TransferNeed, asked: Asked) -> Iterator[TransferWay]:
    """Yield what other choices would make of it, each at its own best."""
    if asked.tables.grid is not None:
        return
    regions = frozenset(asked.prices.regions())
    kinds = {kind_of(one, regions, asked.tables) for one in need.targets}
    if PlaceKind.INTERNET in kinds:
        other = (
            NetworkTier.STANDARD
            if need.network_tier is NetworkTier.PREMIUM
            else NetworkTier.PREMIUM
        )
        yield _way(f"{other.value.title()} Tier", replace(need, network_tier=other), asked)
    if kinds == {PlaceKind.REGION} and need.source in regions and len(need.targets) == 1:
        external = need.address is AddressKind.INTERNAL
        kind = AddressKind.EXTERNAL if external else AddressKind.INTERNAL
        yield _way(f"{kind.value} addresses", replace(need, address=kind), asked)
    if need.usage is Usage.ON_DEMAND and need.interruptions_per_day is not None:
        yield _way("Spot machines", replace(need, usage=Usage.SPOT), asked)


def _way(name: str, need: TransferNeed, asked: Asked) -> TransferWay:
    other = replace(need, relays=need.relays if need.relays is not None else ())
    market = market_of(other, *asked)
    solved = solve(market, other, asked, has_front=False)
    why: Text = ""
    if solved.best is None:
        found = why_infeasible(other, solved, asked)
        why = worded(f"{found.binding}: ", found.shortfall) if found.shortfall else found.binding
    return TransferWay(name=name, option=solved.best, why_not=why)


def relay_verdict(
    need: TransferNeed,
    market: Market,
    best: TransferOption | None,
    direct: TransferOption | None,
    asked: Asked,
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
            "no relay pays: to pass bytes on from one target to another costs no less than to send"
            " them from the source"
        )
    if need.goal is TransferGoal.TIME:
        return "no relay makes it faster: it would share what the ends let through"
    found = _cheapest_relay(need, market)
    if found is None:
        return "no relay pays: no other place leads there"
    place, usd, straight = found
    if usd < straight:
        return worded(
            f"no relay pays: by {place} the traffic costs ",
            Amount(usd=usd),
            ", direct ",
            Amount(usd=straight),
            ", but it is not to be had in time or its machines cost more",
        )
    same = "as much" if usd == straight else "more"
    return worded(
        f"no relay pays: the cheapest other way, by {place}, costs ",
        Amount(usd=usd),
        " for the traffic alone, direct ",
        Amount(usd=straight),
        f": {same} before its machines are paid",
    )


def _pays(need: TransferNeed, best: TransferOption, direct: TransferOption | None) -> Text:
    by = ", ".join(best.relays)
    if direct is None:
        return f"without a relay ({by}) it is not to be had within the bounds"
    if need.goal is TransferGoal.TIME:
        less = direct.duration_s - best.duration_s
        return worded(
            f"a relay makes it faster: by {by} {seconds_text(less)} less than the direct way"
        )
    return worded(
        f"a relay pays: by {by} it costs ",
        Amount(usd=direct.usd_total - best.usd_total),
        " less than the direct way (",
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
        return "there is no direct way with a rate, a price and machines"
    fastest = min(direct.options, key=lambda one: one.duration_s)
    cheapest = min(direct.options, key=lambda one: one.usd_total)
    if need.deadline_s is not None and fastest.duration_s > need.deadline_s:
        time, late_s = seconds_text(fastest.duration_s), fastest.duration_s - need.deadline_s
        is_read_as_it = time == seconds_text(need.deadline_s)
        late = f", {seconds_text(late_s)} too late" if is_read_as_it else ""
        return f"the direct way takes at least {time}{late}"
    return worded("the direct way costs at least ", Amount(usd=cheapest.usd_total))


def doubts(
    need: TransferNeed, market: Market, best: TransferOption, caps: CapsBook
) -> tuple[str, ...]:
    """Return what published measurements say against the rates of a plan, each once."""
    machines = {(one.place, one.name, one.is_tier1): one for one in market.machines}
    used = {one.place: machines[one.place, one.machine_type, one.is_tier1] for one in best.machines}
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
            f"quota: {place} sends {gbps:.4g} Gbit/s; its project needs at least"
            f" {gbps * 1000:,.0f} Mbit/s of \u201c{name}\u201d there (console, Quotas page; give it"
            f" with {option} {place}=GBPS)"
        )
    if best.relays and len(need.targets) == 1 and not market.is_given:
        for flow in best.flows:
            if classes.get((flow.src, flow.dst)) is PathClass.INTER_REGION_INTERNAL:
                yield (
                    "the relay rests on the price of each hop: look at it, and at a bill, before"
                    f" you rely on it: netplan price traffic --from {flow.src} --to {flow.dst}"
                    f" --gib {flow.gib:.0f}"
                )
    longest = max(best.flows, key=lambda one: one.gbps)
    if longest.streams and not market.is_given:
        yield (
            f"measure with iperf3 {THREADED_TEXT} or newer: on a machine of {longest.dst}"
            f" `iperf3 -s`, on one of {longest.src}"
            f" `iperf3 -c RECEIVER -P {longest.streams} -t 30 -O 5`"
        )
    buckets = [one for one in (need.source, *need.targets) if region_of_bucket(one) != one]
    if buckets:
        if len(buckets) == len(need.targets) + 1:
            yield (
                "from bucket to bucket Cloud Storage copies by itself, without machines of yours"
                " (`gcloud storage cp --recursive gs://FROM gs://TO`, or Storage Transfer Service):"
                " how fast is not documented, so that it is not held against this plan"
            )
        elif need.source != region_of_bucket(need.source) or len(need.targets) == 1:
            yield (
                "machines can also read or write a bucket of another region directly, without"
                " machines there; how fast is not documented: measure it, then hold it against this"
                " plan"
            )
        yield (
            "Cloud Storage: `gcloud storage cp --recursive` on each machine with its part of the"
            " objects; measure one machine before you rely on --storage-gbps"
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


def _grid_assumptions(need: TransferNeed, market: Market) -> Iterator[str]:
    if need.machine_egress_gbps is None:
        yield (
            "a machine sends no more in all than the most that the grid shows of one from its"
            " place on one edge (--machine-egress-gbps)"
        )
    if need.machine_ingress_gbps is None:
        yield "it takes no more than the most that the grid shows (--machine-ingress-gbps)"
    if any(not one.prices for one in market.machines):
        yield (
            "what a machine costs is not told (--machine-usd-per-hour): the total is that of"
            " the traffic, and as many machines as --max-count allows are free to use"
        )
    yield "the grid's rates hold from the first byte on: no start of connections is reckoned"


def assumptions(need: TransferNeed, market: Market, tables: Tables) -> Iterator[str]:
    """Yield what nobody told and the figures rest on."""
    if tables.grid is not None:
        yield from _grid_assumptions(need, market)
    if need.startup_s is None:
        paid = ", though it is paid" if any(one.prices for one in market.machines) else ""
        yield f"start-up time is not told (--start-up) and left out{paid}"
    if tables.grid is None:
        if need.streams is None:
            yield "as many connections as it takes (--streams)"
        if need.machine_gbps is None:
            yield "no disk and no tool is in the way (--machine-gbps)"
    yield "the bytes share out evenly over the machines, and pass relays as they come"
    if need.usage is Usage.SPOT and need.lost_work_s is None:
        yield "an interruption takes all of the transfer with it (--spot-lost-work)"
    buckets = [one for one in (need.source, *need.targets) if region_of_bucket(one) != one]
    if buckets and not tables.has_own_names:
        yield (
            "between machines and a bucket of the same region the traffic is free; operations,"
            " retrieval and storage have prices of Cloud Storage's own"
        )
    outside = {flow.dst for flow in market.hops if flow.path_class is PathClass.INTERNET}
    if outside:
        yield "what the machines at the other end cost and take is not known here"
    free = any(hop.price is None and hop.path_class is not None and hop.usd for hop in market.hops)
    if free:
        yield "price steps and free GiB of a month are counted from nothing for this transfer"
