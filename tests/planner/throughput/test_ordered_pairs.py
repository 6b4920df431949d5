"""Of two paths of which one is better in one thing, value and both ends are no worse there."""

import math
from collections.abc import Iterator
from itertools import groupby, pairwise, product

import pytest
from msgspec.structs import replace

from netplan_planner.model import PathClass, PathQuery
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.batch import predict_columns
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.limits.path_limits import StaticLimits, static_limits
from netplan_planner.throughput.single_row import single_row, stacked
from support.nightly import every
from support.paths.queries import DAY, end, estimate, path

SLACK = 1 + 1e-9
ROUND_TRIPS_MS = {
    PathClass.SAME_ZONE_INTERNAL: (0.2, 0.4),
    PathClass.INTER_REGION_INTERNAL: (30.0, 150.0),
    PathClass.INTER_REGION_EXTERNAL: (30.0, 150.0),
    PathClass.INTERNET: (20.0, 200.0),
}
FEW = (None, 1, 8, 64)
SHARED_CORES = ("e2-micro", "e2-small", "e2-medium")
TYPES = load_caps(DAY).machine_types
BY_DAY = 32
"""Of so many types and pairs of types, one by day."""
Pair = tuple[PathQuery, PathQuery]


def asked(
    path_class: PathClass, machine_type: str, time_s: float | None, **more: object
) -> PathQuery:
    near = ROUND_TRIPS_MS[path_class][0]
    made = path(path_class, machine_type, rtt_ms=near, duration_s=time_s)
    if path_class is PathClass.INTERNET:
        made = replace(made, dst=end(None))
    return replace(made, **more)


def better(machine_type: str, path_class: PathClass, time_s: float | None) -> Iterator[Pair]:
    """Yield pairs of paths of one type: the worse one first."""
    near, far = ROUND_TRIPS_MS[path_class]
    query = asked(path_class, machine_type, time_s)
    for few, many in pairwise((1, 8, 64, 256)):
        for rtt in (near, far):
            some = replace(query, rtt_ms=rtt)
            yield replace(some, streams=few), replace(some, streams=many)
    for count in FEW:
        some = replace(query, streams=count)
        yield replace(some, rtt_ms=far), some
        yield some, replace(some, src=replace(some.src, is_tier1=True))
        src, dst = (replace(one, mtu_bytes=8896) for one in (some.src, some.dst))
        yield some, replace(some, src=src, dst=dst)
        if time_s is None or not path_class.leaves_vpc:
            # Greater buffers may let a policed start overshoot further: the next test.
            small = replace(some, rtt_ms=far, window_bytes=2**20)
            yield small, replace(small, window_bytes=2**24)


def growing() -> list[tuple[str, str]]:
    """Return neighbours of a series in vCPUs whose caps do not fall, as far as they are stated."""
    caps = load_caps(DAY)
    sized = [
        (name.rpartition("-")[0], found[0])
        for name in TYPES
        if (found := [c for c in caps.variants(name) if not c.is_tier1]) and found[0].vcpus
    ]
    by_kind = sorted(sized, key=lambda one: (one[0], one[1].vcpus or 0))
    pairs = [*pairwise(SHARED_CORES)]
    for kind, members in groupby(by_kind, key=lambda one: one[0]):
        if kind == "e2":
            continue  # shared cores, in the order of their share
        for (_, small), (_, great) in pairwise(members):
            outside = math.inf if great.external_gbps is None else great.external_gbps
            if small.egress_gbps <= great.egress_gbps and (small.external_gbps or 0) <= outside:
                pairs.append((small.machine_type, great.machine_type))
    return pairs


def worse_ends(pairs: list[Pair], level: float) -> list[str]:
    """Return what is greater at the worse path of a pair."""
    caps = load_caps(DAY)
    known: dict[PathQuery, StaticLimits] = {}
    queries = [replace(one, as_of=DAY) for pair in pairs for one in pair]
    limits = [known.setdefault(q, static_limits(q, caps, may_assume=True)) for q in queries]
    columns = stacked([single_row(query)[0] for query in queries])
    found = predict_columns(queries, limits, columns, factors_at(level))
    said = []
    for name in ("gbps", "low_gbps", "high_gbps"):
        rates = getattr(found, name)
        for at, (bad, good) in enumerate(zip(rates[::2], rates[1::2], strict=True)):
            if bad > good * SLACK:
                said.append(f"{name} {bad:.4g} > {good:.4g}: {pairs[at]}")
    return said


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("time_s", [None, 10.0])
class TestPairs:
    @pytest.mark.parametrize("nth", every(BY_DAY, range(BY_DAY)))
    def test_more_streams_mtu_tier_and_window_and_a_shorter_way(
        self, nth: int, time_s: float | None, level: float
    ) -> None:
        types = TYPES[nth::BY_DAY]
        pairs = [p for name in types for way in ROUND_TRIPS_MS for p in better(name, way, time_s)]
        assert len(pairs) > 800
        assert worse_ends(pairs, level) == []

    @pytest.mark.parametrize("nth", every(8, range(8)))
    def test_more_vcpus_at_either_end(self, nth: int, time_s: float | None, level: float) -> None:
        pairs: list[Pair] = []
        for small, great in growing()[nth::8]:
            for way, count in product(ROUND_TRIPS_MS, FEW):
                one, other = (asked(way, name, time_s, streams=count) for name in (small, great))
                pairs.append((one, other))
                query = asked(way, "c3-standard-22", time_s, streams=count)
                if way is not PathClass.INTERNET:
                    pairs.append((replace(query, dst=end(small)), replace(query, dst=end(great))))
        assert len(pairs) > 400
        assert worse_ends(pairs, level) == []


def test_a_greater_window_costs_a_policed_start_no_more_than_its_round_trips() -> None:
    """Four more doublings from 1 to 16 MiB carry nothing new: of 10 s at 150 ms at most 0.6 s."""
    small = asked(
        PathClass.INTER_REGION_EXTERNAL, "n2-standard-8", 10.0, rtt_ms=150.0, window_bytes=2**20
    )
    for streams in FEW:
        few = replace(small, streams=streams)
        great = replace(few, window_bytes=2**24)
        before, after = estimate(few), estimate(great)
        assert (after.gbps or 0) * SLACK >= (before.gbps or 99)
        assert (after.low_gbps or 0) >= (before.low_gbps or 99) * (1 - 4 * 0.15 / 10)


def test_a_pair_that_is_worse_is_told() -> None:
    better_one = asked(PathClass.INTERNET, "n2-standard-8", None, streams=8)
    worse_one = replace(better_one, rtt_ms=200.0)
    assert len(worse_ends([(better_one, worse_one)], 0.9)) == 3


def test_the_two_pairs_of_the_report_rise() -> None:
    """c4n-standard-48 to the outside fell from 12.3 to 8.4 as streams rose from 8 to 64."""
    few, many = (
        estimate(asked(PathClass.INTERNET, "c4n-standard-48", None, streams=n)) for n in (8, 64)
    )
    small, great = (
        estimate(asked(PathClass.SAME_ZONE_INTERNAL, name, None, streams=1))
        for name in ("e2-small", "e2-medium")
    )
    assert (few.low_gbps or 99) <= (many.low_gbps or 0)
    assert (small.low_gbps or 99) <= (great.low_gbps or 0)
