"""A probe before it is run: what each direction is predicted to reach, and what that costs."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

import msgspec

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Facts, Instance, PathQuery, Price, Usage, Value
from netplan_planner.paths.priced_paths import PricedPath, path_prices
from netplan_planner.throughput import predict
from netplan_planner.units import SECONDS_PER_HOUR, bytes_from_gbps, gib_from_bytes
from netplan_planner.verbs.probe.answer import (
    Probe,
    ProbeCost,
    ProbeFlow,
    ProbeLine,
    ProbePath,
    ProbeWay,
)
from netplan_planner.verbs.probe.information import (
    limit_shares,
    width_and_reach,
    width_others_leave,
)

_LINE_DIGITS = 6
"""Of GiB in a line: a kilobyte."""
_Prices = Mapping[bool, Price]
"""Of a GiB, by whether it goes back."""


class ProbeRules(Value, frozen=True, kw_only=True):
    """How probes are run, as far as a plan depends on it."""

    ways: tuple[tuple[int, tuple[ProbeWay, ...]], ...]
    """By number of streams, the kinds of runs."""
    min_runs: int
    max_runs: int
    tolerance_ratio: float
    """Half the width of an interval that is narrow enough, as a share of its middle."""
    bitrate_gbps: float | None = None
    """A cap on each direction of a run."""
    wire_ratio: float = 1.0
    """Bytes on the wire for each byte of payload."""
    overhead_s: float = 0.0
    """Of a run, beside the seconds in which it sends."""


def forecast(path: ProbePath, streams: int, facts: Facts, rules: ProbeRules) -> Probe:
    """Return a probe with its predictions and its cost; `refused` says why it cannot be done.

    Args:
        path: The machines.
        streams: One of `rules.ways`.
        facts: Caps and prices.
        rules: How it is run.
    """
    ways = dict(rules.ways)[streams]
    flows = tuple(_flow(path, way, is_back, streams, facts, rules) for way, is_back in _each(ways))
    prices, unpriced = _traffic_prices(path, facts)
    vm_usd_per_s = _vm_usd_per_s(path, facts)
    refused = path.refused or _why_useless(flows, rules)
    expected, most = (
        _cost(path, flows, prices, vm_usd_per_s, runs * len(ways), is_most, rules)
        for runs, is_most in ((rules.min_runs, False), (rules.max_runs, True))
    )
    return Probe(
        path=path,
        streams=streams,
        flows=flows,
        expected=expected,
        most=most,
        unpriced=unpriced,
        refused=refused,
    )


def _each(ways: tuple[ProbeWay, ...]) -> Iterator[tuple[ProbeWay, bool]]:
    """Yield each direction of each kind of run."""
    for way in ways:
        if way is not ProbeWay.REVERSE:
            yield way, False
        if way is not ProbeWay.FORWARD:
            yield way, True


def _flow(
    path: ProbePath, way: ProbeWay, is_back: bool, streams: int, facts: Facts, rules: ProbeRules
) -> ProbeFlow:
    query = _query(path, streams, way, is_back)
    estimate = predict(query, facts.caps, may_assume=True, weigh=True)
    width, reach = width_and_reach(estimate, rules.bitrate_gbps)
    return ProbeFlow(
        way=way,
        is_back=is_back,
        estimate=estimate,
        log_width=width,
        informative_ratio=reach,
        shares=limit_shares(query, estimate),
        shared_log_width=width_others_leave(query, facts.caps),
    )


def query_of(probe: Probe, flow: ProbeFlow) -> PathQuery:
    """Return the path of one direction of a probe, as it is predicted."""
    return _query(probe.path, probe.streams, flow.way, flow.is_back)


def _query(path: ProbePath, streams: int, way: ProbeWay, is_back: bool) -> PathQuery:
    return msgspec.structs.replace(
        path.back if is_back else path.there,
        streams=streams,
        is_both_ways=way is ProbeWay.BOTH,
    )


def _why_useless(flows: tuple[ProbeFlow, ...], rules: ProbeRules) -> str:
    unknown = next((flow.estimate for flow in flows if flow.estimate.gbps is None), None)
    if unknown is not None and rules.bitrate_gbps is None:
        why = "; ".join(unknown.unknown)
        return f"its rate and cost cannot be predicted ({why}): set --bitrate"
    if not any(flow.informative_ratio for flow in flows):
        least = min(flow.estimate.low_gbps or 0.0 for flow in flows)
        return (
            f"the path carries at least {least:.3g} Gbit/s, so runs at {rules.bitrate_gbps:g} would"
            " measure only that limit (--bitrate)"
        )
    return ""


def run_gbps(flow: ProbeFlow, bitrate_gbps: float | None, *, is_most: bool = False) -> float:
    """Return what one direction of a run sends: as predicted, or at most."""
    found = flow.estimate
    rate = found.high_gbps if is_most else found.gbps
    if rate is None:
        # Without a cap such a probe is refused, and costs nothing.
        return bitrate_gbps or 0.0
    return rate if bitrate_gbps is None else min(rate, bitrate_gbps)


def sending_s(path: ProbePath) -> float:
    """Return for how long a run sends, its omitted start included."""
    return path.there.omit_s + (path.there.duration_s or 0.0)


def _cost(
    path: ProbePath,
    flows: tuple[ProbeFlow, ...],
    prices: _Prices,
    vm_usd_per_s: Decimal | None,
    runs: int,
    is_most: bool,
    rules: ProbeRules,
) -> ProbeCost:
    """Return what `runs` runs in all take, as many of each kind."""
    kinds = len({flow.way for flow in flows})
    each_s = sending_s(path)
    gib: dict[bool, Decimal] = {}
    for flow in flows:
        rate = run_gbps(flow, rules.bitrate_gbps, is_most=is_most)
        sent = bytes_from_gbps(rate, each_s) * rules.wire_ratio * runs / kinds
        gib[flow.is_back] = gib.get(flow.is_back, Decimal(0)) + gib_from_bytes(round(sent))
    lines = tuple(_line(path, is_back, gib[is_back], price) for is_back, price in prices.items())
    seconds = runs * (each_s + rules.overhead_s)
    return ProbeCost(
        runs=runs,
        seconds=seconds,
        gib=sum(gib.values(), Decimal(0)),
        line_items=lines,
        usd=sum((line.usd for line in lines), Decimal(0)) if lines else None,
        vm_seconds=2 * seconds,
        vm_usd_in_ranking=None if vm_usd_per_s is None else vm_usd_per_s * Decimal(str(seconds)),
    )


def _line(path: ProbePath, is_back: bool, gib: Decimal, price: Price) -> ProbeLine:
    gib = round(gib, _LINE_DIGITS)
    ends = (path.server, path.client) if is_back else (path.client, path.server)
    return ProbeLine(
        name=f"{path.path_class.value}, {ends[0].name} → {ends[1].name}",
        gib=gib,
        usd_per_gib=price.usd,
        usd=gib * price.usd,
        sku_id=price.sku_id,
        as_of=price.as_of,
        source=price.source,
    )


def _traffic_prices(path: ProbePath, facts: Facts) -> tuple[_Prices, str]:
    """Return the prices of a GiB there and back, or why they are not known.

    Of a price with steps the dearest: what else the month holds at that price is not known, and
    a free first GiB is soon gone.
    """
    found = {}
    for is_back, query in ((False, path.there), (True, path.back)):
        ends = (path.server, path.client) if is_back else (path.client, path.server)
        hub = "" if path.path_class.is_external_address else facts.inventory.hub_over(*ends)
        regions = query.src.region or "", query.dst.region or ""
        priced = PricedPath(path.path_class, *regions, "", hub=hub)
        try:
            steps = (step for tiers in path_prices(facts.prices, priced) for step in tiers)
            found[is_back] = max((step.price for step in steps), key=lambda price: price.usd)
        except MissingDatum as missing:
            return {}, str(missing)
    return found, ""


def _vm_usd_per_s(path: ProbePath, facts: Facts) -> Decimal | None:
    """Return what a second of both machines costs, or None where a price is not known."""
    try:
        usd = sum((_machine_usd(one, facts) for one in (path.client, path.server)), Decimal(0))
    except MissingDatum:
        return None
    return usd / SECONDS_PER_HOUR


def _machine_usd(instance: Instance, facts: Facts) -> Decimal:
    usage = Usage.SPOT if instance.is_spot else Usage.ON_DEMAND
    return facts.prices.machine(instance.region, instance.machine_type, usage).usd
