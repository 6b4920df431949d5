"""The pairs of ends whose traffic costs most, for a report that shows where the money goes."""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

from netplan_planner.engine.edge_prices import mean_prices
from netplan_planner.engine.summary import direction_of
from netplan_planner.model import DearPair, Direction, Facts, PathClass
from netplan_planner.paths.priced_paths import PricedPath, priced_path_of

MOST_PAIRS = 20


class _Key(NamedTuple):
    src: int
    dst: int
    path_class: PathClass


class _Sent(NamedTuple):
    byte_count: int
    max_gbps: float


def dear_pairs(facts: Facts, most: int = MOST_PAIRS) -> tuple[DearPair, ...]:
    """Return what own machines send to whom at the greatest cost, the dearest first.

    Traffic of one price shares the price's steps: each pair has the mean price of it. What has no
    known price is in no pair.
    """
    if facts.traffic is None:
        return ()
    by_path: dict[PricedPath, dict[_Key, _Sent]] = defaultdict(dict)
    for edge in facts.traffic.edges:
        if direction_of(facts, edge) is not Direction.SENT:
            continue
        pairs = by_path[priced_path_of(facts, edge)]
        key = _Key(edge.src, edge.dst, edge.path_class)
        known = pairs.get(key, _Sent(0, 0.0))
        pairs[key] = _Sent(
            known.byte_count + edge.wire_bytes, max(known.max_gbps, edge.series.max_gbps)
        )
    prices = mean_prices(facts, {path: _bytes(pairs) for path, pairs in by_path.items()})
    found = [
        (usd_per_byte * sent.byte_count, sent, key)
        for path, pairs in sorted(by_path.items(), key=itemgetter(0))
        if (usd_per_byte := prices[path].usd_per_byte)
        for key, sent in pairs.items()
    ]
    dearest = nlargest(most, found, key=lambda one: (one[0], -one[2].src, -one[2].dst))
    return tuple(_pair(facts, key, sent, usd) for usd, sent, key in dearest)


def _bytes(pairs: Mapping[_Key, _Sent]) -> int:
    return sum(sent.byte_count for sent in pairs.values())


def _pair(facts: Facts, key: _Key, sent: _Sent, usd: Decimal) -> DearPair:
    owners = facts.traffic.owners if facts.traffic is not None else ()
    src, dst = owners[key.src], owners[key.dst]
    return DearPair(
        src=src.name,
        dst=dst.name,
        src_place=src.zone or src.region or "",
        dst_place=dst.zone or dst.region or "",
        path_class=key.path_class,
        gib_per_month=facts.gib_per_month(sent.byte_count),
        usd_per_month=usd,
        max_gbps=sent.max_gbps,
    )
