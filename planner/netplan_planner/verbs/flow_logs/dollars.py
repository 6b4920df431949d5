"""What the bytes of traffic mean in dollars, and what a GiB of its logs costs."""

from collections.abc import Mapping
from typing import NamedTuple

from netplan_planner.model import Direction, Facts
from netplan_planner.paths.priced_paths import priced_path_of
from netplan_planner.planning.traffic_bill import mean_prices
from netplan_planner.planning.traffic_totals import direction_of
from netplan_planner.verbs.flow_logs.answer import FlowLogBill


class Priced(NamedTuple):
    """What the bytes of edges mean in dollars a month, by number of the edge."""

    usd_per_byte: Mapping[int, float]
    free: frozenset[int]
    """Those that are known to cost nothing."""
    usd_per_month: float


def priced_edges(facts: Facts) -> Priced:
    """Return what the bytes of edges mean, at the mean price of all traffic of their price."""
    paths = {
        number: priced_path_of(facts, edge)
        for number, edge in enumerate(facts.seen_traffic.edges)
        if direction_of(facts, edge) is Direction.SENT
    }
    prices = mean_prices(facts)
    usd = {n: float(prices[path].usd_per_byte or 0) for n, path in paths.items()}
    free = {p for p, price in prices.items() if price.usd_per_byte == 0 and not price.unknown}
    return Priced(
        {number: per_byte for number, per_byte in usd.items() if per_byte},
        frozenset(n for n, path in paths.items() if path in free),
        sum(per_byte * facts.seen_traffic.edges[n].wire_bytes for n, per_byte in usd.items()),
    )


def marginal_usd_per_gib(answer: FlowLogBill) -> float:
    """Return what the last GiB costs today; 1 where nothing has a price, so that GiB count."""
    last = {line.sku_id: line.unit_price_usd for line in answer.line_items}
    return float(sum(last.values())) or 1.0
