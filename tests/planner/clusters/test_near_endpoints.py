"""What preferring near endpoints saves and costs: by hand, and against every client's choice."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.clusters.services import ZoneFlow, endpoint_counts, near_endpoints
from netplan_planner.model import Zone
from netplan_planner.model.project.kubernetes import Endpoint

A, B, C = Zone("a"), Zone("b"), Zone("c")


def flow(client: Zone, endpoint: Zone, byte_count: int) -> ZoneFlow:
    return ZoneFlow(client_zone=client, endpoint_zone=endpoint, byte_count=byte_count)


def test_by_hand() -> None:
    """Clients in a and b, an endpoint in a and two in c: a keeps its own, b uses all three."""
    flows = [flow(A, A, 100), flow(A, C, 200), flow(B, A, 50), flow(B, C, 100)]
    made = near_endpoints(flows, [(A, 1), (C, 2)])
    assert made is not None
    assert (made.total_bytes, made.cross_zone_bytes_now) == (450, 350)
    assert (made.cross_zone_bytes_then, made.saved_bytes, made.fullest_now_bytes) == (150, 200, 150)
    assert made.mean_bytes == 150
    # All of a's 300 and a third of b's 150.
    assert (made.fullest_then_bytes, made.fullest_zone_then) == (350, A)
    assert made.overload_ratio == pytest.approx(350 / 150)
    assert made.zones_without_endpoint == (B,)


def test_clients_and_endpoints_alike_lose_no_balance() -> None:
    flows = [flow(one, other, 100) for one in (A, B, C) for other in (A, B, C)]
    made = near_endpoints(flows, [(A, 2), (B, 2), (C, 2)])
    assert made is not None
    assert (made.saved_bytes, made.overload_ratio) == (600, 1)


def test_a_single_endpoint_saves_nothing_and_loses_nothing() -> None:
    made = near_endpoints([flow(A, B, 100), flow(B, B, 10)], [(B, 1)])
    assert made is not None
    assert (made.saved_bytes, made.overload_ratio) == (0, 1)


def test_traffic_to_an_endpoint_that_is_gone_is_named() -> None:
    made = near_endpoints([flow(A, C, 70), flow(A, A, 30)], [(A, 1)])
    assert made is not None
    assert (made.unplaced_bytes, made.fullest_now_bytes, made.fullest_then_bytes) == (70, 30, 100)


def test_no_traffic_and_no_endpoints_say_nothing() -> None:
    assert near_endpoints([], [(A, 1)]) is None
    assert near_endpoints([flow(A, B, 1)], []) is None


def test_endpoints_are_counted_by_zone_and_only_if_all_have_one() -> None:
    ready = [Endpoint(addresses=(str(n),), zone=zone) for n, zone in enumerate((A, B, A))]
    gone = Endpoint(addresses=("9",), zone=C, is_ready=False)
    assert endpoint_counts([*ready, gone]) == ((A, 2), (B, 1))
    assert endpoint_counts([*ready, Endpoint(addresses=("8",))]) is None


@given(
    st.dictionaries(
        st.tuples(st.sampled_from([A, B, C]), st.sampled_from([A, B, C])),
        st.integers(1, 1000),
        min_size=1,
    ),
    st.dictionaries(st.sampled_from([A, B, C]), st.integers(1, 3), min_size=1),
)
def test_against_the_choice_of_every_byte(
    flows: dict[tuple[Zone, Zone], int], endpoints: dict[Zone, int]
) -> None:
    """Each client's bytes are laid on each endpoint that it may use, one endpoint at a time."""
    places = [zone for zone, count in endpoints.items() for _ in range(count)]
    load = [Fraction(0)] * len(places)
    crossing = Fraction(0)
    for (client, _), byte_count in flows.items():
        usable = [n for n, zone in enumerate(places) if zone == client] or range(len(places))
        for number in usable:
            load[number] += Fraction(byte_count, len(usable))
            if places[number] != client:
                crossing += Fraction(byte_count, len(usable))
    made = near_endpoints(
        [flow(client, zone, count) for (client, zone), count in flows.items()],
        sorted(endpoints.items()),
    )
    assert made is not None
    assert made.fullest_then_bytes == pytest.approx(float(max(load)))
    assert made.cross_zone_bytes_then == pytest.approx(float(crossing))
    assert made.mean_bytes == pytest.approx(float(sum(load)) / len(places))
