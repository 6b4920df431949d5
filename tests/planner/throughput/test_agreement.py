"""What an answer says of one path agrees: what binds, what is doubted, and its interval."""

from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from netplan_planner.model import PathClass, PathEnd, PathQuery
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.batch import predict_columns
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.open_runs import MANY, NEARLY, predict_rows
from netplan_planner.throughput.single_row import single_row, stacked
from support.nightly import every
from support.paths.queries import DAY, end

BY_DAY = 24
"""Of so many machine types, one by day."""
CAPS = load_caps(DAY)
TYPES = CAPS.machine_types
STREAMS = (1, 8, 64, None)
WIDEST = 0.99
NEAR = (PathClass.SAME_ZONE_INTERNAL, PathClass.SAME_ZONE_EXTERNAL)
FAR = (PathClass.INTER_REGION_INTERNAL, PathClass.INTER_REGION_EXTERNAL, PathClass.INTERNET)
SMALL = ("e2-micro", "n1-standard-1", "c3-standard-176", None)
"""Receivers of which some take in less than is sent."""


def asked(path_class: PathClass, src: str, dst: str | None, **more: object) -> PathQuery:
    """Return a path of which nothing is told that need not be."""
    ends = (PathEnd(machine_type=src), PathEnd(machine_type=dst))
    return replace(PathQuery(path_class=path_class, src=ends[0], dst=ends[1]), **more)


@pytest.mark.parametrize("nth", every(BY_DAY, range(BY_DAY)))
def test_what_may_bind_does_so_at_a_rate_inside_the_widest_interval(nth: int) -> None:
    """VM egress of 200 Gbit/s was 18 % likely where at most 24.5 were said."""
    wrong = []
    for name, path_class, count in product(TYPES[nth::BY_DAY], NEAR, STREAMS):
        query = asked(path_class, name, name, streams=count, rtt_ms=0.1)
        found = predict(query, CAPS, may_assume=True, level=WIDEST, weigh=True)
        if found.gbps is None:
            continue
        assert sum(found.probabilities) == pytest.approx(1)
        low, high = found.low_gbps or 99, found.high_gbps or 0
        told = zip(found.limits, found.probabilities, found.binding_gbps, strict=True)
        for limit, chance, gbps in told:
            assert (chance > 0) is (gbps is not None)
            if gbps is not None and not low <= gbps <= high:
                wrong.append((name, path_class, count, limit.name, gbps, low, high))
    assert wrong == []


def test_of_a_cap_that_may_be_another_one_nothing_between_the_two_is_drawn() -> None:
    query = asked(NEAR[1], "z4d-highmem-384-standardlssd", None, streams=64, rtt_ms=0.1)
    found = predict(query, CAPS, may_assume=True, weigh=True)
    chances = dict(zip((one.name for one in found.limits), found.probabilities, strict=True))
    rates = dict(zip((one.name for one in found.limits), found.binding_gbps, strict=True))
    assert chances["vm-egress"] == pytest.approx(0.5, abs=0.01)
    assert rates["vm-egress"] == pytest.approx(7)


@pytest.mark.parametrize("nth", every(BY_DAY, range(BY_DAY)))
def test_a_doubt_is_told_only_where_its_limit_may_bind(nth: int) -> None:
    """A project's quota below all that a doubted limit may be leaves nothing to doubt."""
    told = 0
    for name, path_class, dst, count in product(TYPES[nth::BY_DAY], FAR, SMALL, STREAMS):
        query = asked(path_class, name, dst, streams=count, rtt_ms=20.0)
        whole = predict(query, CAPS, may_assume=True)
        for doubt in static_limits(query, CAPS, may_assume=True).assumed:
            is_told = doubt.said in whole.assumed
            assert is_told is (doubt.least_gbps < (whole.high_gbps or 0.0))
            below = replace(query, quota_gbps=doubt.least_gbps / 1.05)
            assert doubt.said not in predict(below, CAPS, may_assume=True).assumed
            above = replace(query, quota_gbps=(whole.high_gbps or 0.0) * 2)
            assert (doubt.said in predict(above, CAPS, may_assume=True).assumed) is is_told
            told += is_told
    assert told > 0


@pytest.mark.parametrize("name", ["e2-micro", "n2-standard-8", "n2-standard-32", "c3-standard-176"])
def test_the_connections_that_are_told_are_inside_of_what_is_told(name: str) -> None:
    queries = [
        replace(
            asked(path_class, name, name, rtt_ms=rtt_ms, transfer_bytes=int(gib * 2**30)),
            src=end(name),
            dst=end(None if path_class is PathClass.INTERNET else name),
            as_of=DAY,
        )
        for path_class, rtt_ms, gib in product(FAR, (10.0, 100.0, 300.0), (0.1, 10, 1000))
    ]
    limits = [static_limits(one, CAPS, may_assume=True) for one in queries]
    columns = stacked([single_row(one)[0] for one in queries])
    told = predict_rows(queries, limits, columns, factors_at(0.9))
    own = columns._replace(streams=told.streams)
    run = predict_columns(queries, limits, own, factors_at(0.9))
    assert np.all(run.gbps >= NEARLY * told.gbps)
    assert np.all(run.low_gbps >= told.low_gbps)
    # Over long ways windows hold many connections back: more of them start faster, too.
    is_few = told.streams <= MANY
    assert np.all(run.high_gbps[is_few] <= told.high_gbps[is_few] * (1 + 1e-9))
    assert np.all(run.gbps[is_few] <= told.gbps[is_few] * (1 + 1e-9))
    fewer = columns._replace(streams=np.maximum(told.streams / 2, 1))
    less = predict_columns(queries, limits, fewer, factors_at(0.9))
    is_least = (less.gbps < NEARLY * told.gbps) | (less.low_gbps < told.low_gbps)
    assert np.all(is_least | (told.streams == 1))
