"""What one physical NIC of a machine with several of them sends.

The cap of such a machine is the sum over its NICs. Two machines that talk over one pair of
addresses use one NIC at each end; the sum takes a vNIC on each, and flows that spread over them.
NICs that carry RDMA between GPUs only are no way for TCP.
"""

from functools import cache

from netplan_planner.model import CapsBook, Limit, LimitKind, PathEnd, PhysicalNics
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.limits.ends import vcpus_of
from netplan_planner.throughput.limits.tables import DATA

NIC_EGRESS = "nic-egress"
LEAST_VNICS, MOST_VNICS = 2, 10
"""Any machine type takes the first; most types one vNIC a vCPU, up to the second. Dynamic NICs,
which share a vNIC, are not counted (docs.cloud.google.com/vpc/docs/multiple-interfaces-concepts,
"Maximum number of network interfaces"; VPC release note of 2025-06-13)."""


def most_vnics(vcpus: int | None) -> int:
    """Return how many vNICs a machine may have; without its vCPUs what any type may have.

    >>> [most_vnics(vcpus) for vcpus in (1, 2, 4, 10, 96, None)]
    [2, 2, 4, 10, 10, 10]
    """
    return min(max(vcpus, LEAST_VNICS), MOST_VNICS) if vcpus else MOST_VNICS


def why_too_many_vnics(end: PathEnd, caps: CapsBook) -> str:
    """Return why a machine cannot have the vNICs that are said of it; empty where it can."""
    most = most_vnics(vcpus_of(end, caps))
    if end.nic_count <= most:
        return ""
    return f"{end.machine_type or 'a machine'} takes {most} vNICs at most, not {end.nic_count}"


@cache
def physical_nics() -> dict[str, PhysicalNics]:
    """Return the machine types with several physical NICs, by name."""
    found = shipped_values(DATA / "physical_nics.csv", PhysicalNics, as_of="source_date")
    return {one.machine_type: one for one in found}


def nic_limit(machine_type: str, nic_count: int) -> Limit | None:
    """Return what the NICs in use send together, None for a machine with one physical NIC.

    Args:
        machine_type: Of the sender.
        nic_count: vNICs that the flows spread over, each on a physical NIC of its own.
    """
    nics = physical_nics().get(machine_type)
    if nics is None:
        return None
    used = min(nic_count, nics.vpc_nic_count)
    share = "" if nics.basis == "documented" else f" ({nics.note})"
    rest = nics.vpc_nic_count - used
    return Limit(
        name=NIC_EGRESS,
        gbps=nics.nic_gbps * used,
        kind=LimitKind.DOCUMENTED,
        source=f"{nics.source}{share}",
        as_of=nics.as_of,
        detail=f"{machine_type}, {used} of {nics.vpc_nic_count} for TCP/IP in use",
        lifted_by="a vNIC on each physical NIC, and flows over all of them (--nics)"
        if rest
        else "a machine type with a greater cap",
    )
