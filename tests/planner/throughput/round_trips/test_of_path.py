"""Which round-trip time a path has, from the best that is known of it."""

import math

import numpy as np
import pytest

from netplan_planner.model import PathClass, PathEnd, PathQuery
from netplan_planner.throughput.round_trips.of_path import (
    path_round_trip,
    row_round_trips,
    with_round_trip,
)
from netplan_planner.throughput.round_trips.rtt import rtt_between

HERE, THERE = "us-central1-a", "europe-west1-b"


def test_each_source_goes_before_the_next() -> None:
    assert path_round_trip(HERE, THERE, idle_ms=1.0, seen_ms=2.0, loaded_ms=4.0).rtt_ms == 1.0
    assert path_round_trip(HERE, THERE, seen_ms=2.0, loaded_ms=4.0).source == "flow logs"
    assert path_round_trip(HERE, THERE, loaded_ms=4.0) == rtt_between(HERE, THERE)
    assert path_round_trip(None, None, loaded_ms=4.0).rtt_ms == 4.0


def test_places_without_names_have_a_typical_one_of_their_distance() -> None:
    for distance, other in (("same-zone", HERE), ("inter-zone", "us-central1-b")):
        assert path_round_trip(None, None, distance=distance) == rtt_between(HERE, other)
    assert path_round_trip("", "", distance="inter-region").rtt_ms is None


def test_an_unknown_place_says_why_unless_the_run_knows() -> None:
    assert "no region or zone" in path_round_trip(HERE, "mars-north1-a").why_unknown
    assert path_round_trip(HERE, "mars-north1-a", loaded_ms=9.0).rtt_ms == 9.0


def test_a_path_takes_the_range_and_the_source() -> None:
    end = PathEnd(machine_type="n2-standard-8")
    query = PathQuery(path_class=PathClass.INTER_REGION_INTERNAL, src=end, dst=end)
    found = rtt_between(HERE, THERE)
    made = with_round_trip(query, found)
    assert (made.rtt_ms, made.low_rtt_ms, made.high_rtt_ms) == (
        found.rtt_ms,
        found.low_ms,
        found.high_ms,
    )
    assert made.rtt_source == found.source


@pytest.mark.parametrize("own_ms", [math.nan, 105.0])
def test_a_row_of_a_table_has_what_one_path_has(own_ms: float) -> None:
    places = [(HERE, THERE), ("", "")]
    rows = row_round_trips(
        own_ms=np.array([own_ms, own_ms]),
        is_joined=np.zeros(2, dtype=bool),
        places=places,
        place=np.arange(2),
        distances=["inter-region", "same-zone"],
        kind=np.arange(2),
    )
    given = None if math.isnan(own_ms) else own_ms
    wanted = [
        path_round_trip(*pair, distance=distance, idle_ms=given).rtt_ms
        for pair, distance in zip(places, ("inter-region", "same-zone"), strict=True)
    ]
    assert rows.taken.middle.tolist() == wanted
