"""Ranges of two networks that overlap, against a comparison of all with all."""

from ipaddress import ip_network

from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Inventory, ProjectId, ResourceRef, SelfLink, Subnetwork, region_of

LEFT, RIGHT = (SelfLink(f"projects/p/global/networks/{name}") for name in ("left", "right"))
BLOCKS = st.tuples(st.integers(0, 2**12 - 1), st.integers(20, 32)).map(
    lambda one: str(ip_network((one[0] << 8, one[1]), strict=False))
)


def inventory(left: list[str], right: list[str]) -> Inventory:
    return Inventory(
        subnetworks=tuple(
            Subnetwork(
                ref=ResourceRef(self_link=SelfLink(f"{network}/{number}")),
                project=ProjectId("p"),
                region=region_of("us-east1-b"),
                name=str(number),
                network=network,
                ipv4_range=ranges[0],
                secondary_ranges=tuple(ranges[1:2]),
            )
            for network, every in ((LEFT, left), (RIGHT, right))
            for number in range(0, len(every), 2)
            for ranges in (every[number : number + 2],)
        )
    )


@given(st.lists(BLOCKS, max_size=9), st.lists(BLOCKS, max_size=9))
def test_a_pair_is_found_where_there_is_one(left: list[str], right: list[str]) -> None:
    made = inventory(left, right)
    expected = any(ip_network(a).overlaps(ip_network(b)) for a in left for b in right)
    found = made.overlapping_ranges(LEFT, RIGHT)
    assert bool(found) == expected
    assert found == made.overlapping_ranges(RIGHT, LEFT)
    if found:
        one, _, other = found.partition(" and ")
        assert ip_network(one).overlaps(ip_network(other))
        assert (one in left and other in right) or (one in right and other in left)


@given(st.lists(BLOCKS, max_size=6), BLOCKS)
def test_what_lies_within_a_block(left: list[str], block: str) -> None:
    found = inventory(left, []).range_within(LEFT, block)
    assert bool(found) == any(ip_network(a).overlaps(ip_network(block)) for a in left)
    assert not found or found in left
