"""Places that log: subnetworks, and ends that are in none."""

from collections.abc import Iterator, Sequence

from netplan_planner.model import OwnerKind
from netplan_planner.paths import FlowEnd
from netplan_planner.paths.ends import AddressKind
from netplan_planner.traffic.engine import Engine


def write_places(engine: Engine, ends: Sequence[FlowEnd]) -> list[str]:
    """Give each end its place, in the table `place`; return the places' names by number.

    What logs together is one place: the machines of a subnetwork; a gateway; else one end. Inner
    are machines of a subnetwork, met at an address of its IPv4 ranges.
    """
    names: list[str] = []
    engine.create("place")
    engine.insert("place", _rows(ends, names))
    return names


def _rows(ends: Sequence[FlowEnd], names: list[str]) -> Iterator[tuple[int, int, int]]:
    numbers: dict[str, int] = {}
    for node, end in enumerate(ends):
        place = end.reported_by[0] if len(end.reported_by) == 1 else end.owner.key
        if place not in numbers:
            numbers[place] = len(numbers)
            names.append(place if end.owner.kind is not OwnerKind.HYBRID else end.owner.name)
        yield node, numbers[place], int(_is_inner(end))


def _is_inner(end: FlowEnd) -> bool:
    return (
        end.owner.kind is OwnerKind.VM
        and len(end.reported_by) == 1
        and end.address_kind is AddressKind.INTERNAL
        and not end.is_ipv6
    )
