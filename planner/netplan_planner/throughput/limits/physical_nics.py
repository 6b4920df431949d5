"""What one physical NIC of a machine with several of them sends.

The cap of such a machine is the sum over its NICs. Two machines that talk over one pair of
addresses use one NIC at each end; the sum takes a vNIC on each, and flows that spread over them.
NICs that carry RDMA between GPUs only are no way for TCP.
"""

from functools import cache

from netplan_planner.model import Limit, LimitKind, PhysicalNics
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.limits.tables import DATA

NIC_EGRESS = "nic-egress"


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
