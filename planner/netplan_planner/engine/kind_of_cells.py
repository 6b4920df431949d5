"""The kind of path that the cells of a table's row describe."""

from datetime import date

import msgspec

from netplan_planner.model import PathClass, PathQuery
from netplan_planner.readers.path_cells import (
    clouds_of,
    day_of,
    path_class_of,
    path_end,
    pod_network_of,
)
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.ends import OWN_CLOUD
from netplan_planner.throughput.limits.tables import MOST_MTU_BYTES


def kind_of_cells(
    cells: dict[str, str], src_location: str, dst_location: str, default: date
) -> tuple[PathQuery, str]:
    """Return the kind of path of some cells, and why it cannot be judged, if so.

    Args:
        cells: By the names of `KIND_COLUMNS`.
        src_location: Place of the sender, with its cloud where that is another than Google's.
        dst_location: Place of the receiver.
        default: The date of a row that has none.
    """
    path_class = path_class_of(cells["path_class"])
    day = day_of(cells["date"]) if cells["date"] else default
    sender, receiver = clouds_of(cells["cloud"], src_location, dst_location)
    caps = load_caps(day or default)
    mtu = _positive(cells["mtu"])
    link = _positive(cells["host_link_gbps"])
    src = path_end(
        machine_type=cells["machine_type"],
        vcpus=_positive(cells["vcpus"]),
        location=src_location,
        cloud=sender,
        tier1=cells["tier1"],
        mtu_bytes=int(mtu) if mtu else None,
        caps=caps,
    )
    dst = path_end(
        machine_type=cells["dst_machine_type"],
        vcpus=_positive(cells["dst_vcpus"]),
        location=dst_location,
        cloud=receiver,
        tier1="",
        mtu_bytes=None,
        caps=caps,
    )
    is_in_vpc = sender == OWN_CLOUD and link is None
    why = _why_not(cells, path_class, day, mtu if is_in_vpc else None)
    path_class = path_class or PathClass.UNKNOWN
    pod = pod_network_of(
        plugin=cells["plugin"],
        encapsulation=cells["encapsulation"],
        encryption=cells["encryption"],
        note=cells["pod_note"],
        is_bare_metal=link is not None,
    )
    query = PathQuery(
        path_class=path_class,
        src=src,
        dst=dst,
        as_of=day or default,
        pod=pod if path_class.is_pod else None,
        host_link_gbps=link,
        quota_gbps=_positive(cells["quota_gbps"]),
        vpn_tunnels=_count(cells["vpn_tunnels"]),
    )
    nics = _count(cells["nics"])
    if nics is not None:
        sending = msgspec.structs.replace(query.src, nic_count=nics)
        query = msgspec.structs.replace(query, src=sending)
    return query, why


def _why_not(
    cells: dict[str, str], path_class: PathClass | None, day: date | None, vpc_mtu: float | None
) -> str:
    """Return why a path cannot be judged, empty where it can; `vpc_mtu` is that of a network."""
    if path_class is None:
        named = cells["path_class"]
        return f"no path class that netplan predicts: {named}" if named else "no path class"
    if day is None:
        return f"not a date: {cells['date']}"
    if vpc_mtu is not None and vpc_mtu > MOST_MTU_BYTES:
        return f"mtu {vpc_mtu:g} is more than a VPC network carries ({MOST_MTU_BYTES} bytes)"
    if cells["proto"] not in ("", "TCP", "tcp"):
        return f"netplan predicts TCP, not {cells['proto']}"
    return ""


def tier1_note(query: PathQuery) -> str:
    """Return what is said of Tier_1 that a type does not offer; empty where all is well."""
    if not query.src.is_tier1 or query.src.machine_type is None or query.as_of is None:
        return ""
    variants = load_caps(query.as_of).variants(query.src.machine_type)
    if not variants or any(cap.is_tier1 for cap in variants):
        return ""
    return f"Tier_1 is not offered for {query.src.machine_type}: taken without it"


def _count(text: str) -> int | None:
    value = _positive(text)
    return int(value) if value is not None and value >= 1 else None


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value > 0 else None
