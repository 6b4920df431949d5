"""What a receiving machine's vCPUs take in, where it is the lesser of the two machines.

Google documents no ingress cap inside the VPC: what arrives must still be handled by the vCPUs.
Nobody has published a figure for it. Every wall that was measured lay between equal machines, so a
machine takes at least what it may send itself; for more there is one core's ceiling (`host`), times
its vCPUs. What machines on shared cores have of theirs is documented; for a while they have more.
"""

from netplan_planner.model import CapsBook, EgressCap, Limit, LimitKind, PathQuery
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.ends import OWN_CLOUD, vcpus_of
from netplan_planner.throughput.limits.host import MTU_BYTES, core_flow
from netplan_planner.throughput.limits.shared_cores import sustained_vcpus

RECEIVER_CORES = "receiver-cores"


def intake(query: PathQuery, cap: EgressCap, caps: CapsBook, without: str) -> Bound | None:
    """Return what the receiver takes in, None where that is all that the sender may send.

    Its least is what the vCPUs carry at their least, or what the machine may send itself.

    Args:
        query: The path.
        cap: Of the sender.
        caps: The caps at a date.
        without: A campaign whose figures are left out.
    """
    machine_type, most = query.dst.machine_type, vcpus_of(query.dst, caps)
    if query.dst.cloud != OWN_CLOUD or machine_type is None or not most:
        return None
    own = min((one.egress_gbps for one in caps.variants(machine_type)), default=0.0)
    frame = min((e.mtu_bytes for e in (query.src, query.dst) if e.mtu_bytes), default=MTU_BYTES)
    one = core_flow(caps.as_of, vcpus=1, mtu_bytes=frame, without=without)
    if own >= cap.egress_gbps or one is None:
        return None
    sustained = sustained_vcpus(machine_type, most)
    low = max(sustained * (one.low_gbps or 0.0), own)
    if low >= cap.egress_gbps:
        return None
    gbps = max(sustained * one.gbps, own)
    high = max(most * (one.high_gbps or 0.0), gbps)
    limit = Limit(
        name=RECEIVER_CORES,
        gbps=gbps,
        kind=LimitKind.MEASURED,
        source=one.source,
        as_of=one.as_of,
        detail=f"{machine_type}, {sustained:g} x {one.gbps:.3g} Gbit/s by one vCPU",
        low_gbps=low,
        high_gbps=high,
        lifted_by="a receiver with more vCPUs",
    )
    return Bound(limit, low, high)
