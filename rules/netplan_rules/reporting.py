"""Which subnetworks the flow records show to log, whatever the inventory says."""

from netplan_planner.model import Facts, SelfLink


def reporting_subnetworks(facts: Facts) -> frozenset[SelfLink]:
    """Return the subnetworks of which the input has a report of their own.

    Machines with several interfaces do not tell through which one they reported.
    """
    if facts.traffic is None:
        return frozenset()
    ends: set[int] = set()
    for edge in facts.traffic.edges:
        if edge.payload_bytes > edge.by_destination_bytes:
            ends.add(edge.src)
        if edge.by_destination_bytes:
            ends.add(edge.dst)
    owners = facts.traffic.owners
    machines = (facts.instance(owners[end]) for end in ends)
    return frozenset(
        machine.interfaces[0].subnetwork
        for machine in machines
        if machine and len(machine.interfaces) == 1 and machine.interfaces[0].subnetwork
    )
