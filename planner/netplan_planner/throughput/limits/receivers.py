"""What a receiving machine's vCPUs take in, where it is the lesser of the two machines.

Google documents no ingress cap inside the VPC: what arrives must still be handled by the vCPUs.
Nobody has published a figure for it. Every wall that was measured lay between equal machines, so a
machine takes at least what it may send itself; for more there is one core's ceiling (`host`). What
machines on shared cores have of their vCPUs is documented, and bounds them; that others do not keep
up is possible, no more, and only lowers the interval.
"""

from typing import NamedTuple

from netplan_planner.model import CapsBook, EgressCap, Limit, LimitKind, PathQuery
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.ends import OWN_CLOUD, vcpus_of
from netplan_planner.throughput.limits.host import MTU_BYTES, core_flow
from netplan_planner.throughput.limits.shared_cores import sustained_vcpus

RECEIVER_CORES = "receiver-cores"


class _Cores(NamedTuple):
    """vCPUs of a machine: what it has for ever, and what it has for a while."""

    sustained: float
    most: int


class Intake(NamedTuple):
    """What a lesser receiver takes in."""

    low_gbps: float
    """What no vCPU at its least carries less than, and no less than the machine may send."""
    cores: Bound | None
    """Its limit, of a machine on shared cores; others are taken to keep up."""
    said: str


def intake(query: PathQuery, cap: EgressCap, caps: CapsBook, without: str) -> Intake | None:
    """Return what the receiver takes in, None where that is all that the sender may send.

    Args:
        query: The path.
        cap: Of the sender.
        caps: The caps at a date.
        without: A campaign whose figures are left out.
    """
    machine_type, cores = query.dst.machine_type, _cores_of(query, caps)
    if query.dst.cloud != OWN_CLOUD or machine_type is None or cores is None:
        return None
    own = min((one.egress_gbps for one in caps.variants(machine_type)), default=0.0)
    frame = min((e.mtu_bytes for e in (query.src, query.dst) if e.mtu_bytes), default=MTU_BYTES)
    one = core_flow(caps.as_of, vcpus=1, mtu_bytes=frame, without=without)
    if own >= cap.egress_gbps or one is None:
        return None
    low = max(cores.sustained * (one.low_gbps or 0.0), own)
    if low >= cap.egress_gbps:
        return None
    said = f"no document states what {machine_type} receives: by its vCPUs {low:.3g} Gbit/s or more"
    if cores.sustained == cores.most:
        return Intake(low, None, said)
    gbps = max(cores.sustained * one.gbps, own)
    burst = cores.most * (one.high_gbps or 0.0)
    limit = Limit(
        name=RECEIVER_CORES,
        gbps=gbps,
        kind=LimitKind.MEASURED,
        source=one.source,
        as_of=one.as_of,
        detail=f"{machine_type}, {cores.sustained:g} x {one.gbps:.3g} Gbit/s by one vCPU",
        low_gbps=low,
        high_gbps=max(burst, gbps),
        lifted_by="a receiver with more vCPUs",
    )
    return Intake(low, Bound(limit, low, max(burst, gbps)), said)


def _cores_of(query: PathQuery, caps: CapsBook) -> _Cores | None:
    """Return the receiver's vCPUs: of its type, else as the question says."""
    most = vcpus_of(query.dst, caps)
    if not most:
        return None
    return _Cores(sustained_vcpus(query.dst.machine_type or "", most), most)
