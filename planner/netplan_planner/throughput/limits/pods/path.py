"""The limits of a pod's path as they stand beside those of the nodes: shared, or of one flow."""

from collections.abc import Iterator, Sequence

import msgspec

from netplan_planner.model import CapsBook, Limit, PathQuery, PodNetwork
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.named import ETHERNET_MTU_BYTES
from netplan_planner.throughput.limits.pods.overlay import (
    ENCRYPTION,
    HEADER,
    PACKETS,
    STREAM,
    overlay_limits,
    packet_time_gbps,
    resolve,
)
from netplan_planner.throughput.limits.pods.tables import NONE, PodTerm, pod_terms
from netplan_planner.throughput.transport.transfer import segment_bytes

USER_SPACE = "udp"
ASSUMED = "the cluster network is unknown: no overlay and no encryption assumed, as on GKE"


def possible_of_pods(query: PathQuery, hard: Sequence[Bound], caps: CapsBook) -> Iterator[Bound]:
    """Yield what a plugin may cost that was not measured: only the low end knows of it.

    Pods reach a part of the path that their nodes have, with headers or without any: the range of
    the plugins that were measured holds for all. An encryption without a figure for such nodes and
    that day may be as slow as on any others.
    """
    terms, pod = pod_terms(caps.without), query.pod or PodNetwork(is_assumed=True)
    least = min(hard, key=lambda bound: bound.limit.gbps).limit
    fill = next((term for term in terms if term.name == "link-fill"), None)
    if fill is not None:
        yield _down_to(least, HEADER, fill, fill.low * least.gbps)
    overlay = resolve(pod.encapsulation, pod.encryption, caps.as_of, pod.is_bare_metal, terms)
    of_cipher = [term for term in terms if overlay and term.of == overlay.encryption]
    packets = [term for term in of_cipher if term.name == "packet-time"]
    if overlay and overlay.encryption != NONE and overlay.cipher_packet is None and packets:
        slowest = max(packets, key=lambda term: term.high)
        byte_s = max((term.high for term in of_cipher if term.name == "byte-time"), default=0.0)
        frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
        payload = segment_bytes(min(frames, default=bounds.DEFAULT_MTU_BYTES))
        low = packet_time_gbps(payload_bytes=payload, packet_s=slowest.high, byte_s=byte_s)
        yield _down_to(least, ENCRYPTION, slowest, min(float(low), least.gbps))


def _down_to(least: Limit, name: str, term: PodTerm, low_gbps: float) -> Bound:
    limit = msgspec.structs.replace(
        least,
        name=name,
        kind=term.kind,
        source=term.source,
        as_of=term.as_of,
        low_gbps=low_gbps,
        high_gbps=least.gbps,
    )
    return bounds.plain(limit)


def pod_bounds(
    query: PathQuery,
    hard: Sequence[Bound],
    per_flow: Sequence[Bound],
    caps: CapsBook,
) -> tuple[list[Bound], list[Bound], tuple[str, ...]]:
    """Return a pod's limits beyond the nodes': shared ones, those of one flow, what is assumed."""
    pod = query.pod or PodNetwork(is_assumed=True)
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    # A link that is declared is not Google's, and `host_link` takes its frames for these.
    is_declared = query.host_link_gbps is not None
    node_mtu = min(frames, default=ETHERNET_MTU_BYTES if is_declared else bounds.DEFAULT_MTU_BYTES)
    # A pod's greater MTU tells that the node's is greater still.
    is_node_mtu_known = not pod.mtu_bytes or (is_declared and pod.mtu_bytes <= node_mtu)
    core = min((b.limit.gbps for b in per_flow), default=None)
    found = overlay_limits(
        encapsulation=pod.encapsulation,
        encryption=pod.encryption,
        mtu_bytes=pod.mtu_bytes or node_mtu,
        streams=1,
        host_gbps=min(bound.limit.gbps for bound in hard),
        host_single_flow_gbps=core,
        as_of=caps.as_of,
        host_mtu_bytes=node_mtu if is_node_mtu_known else None,
        other_link_gbps=pod.other_link_gbps,
        is_bare_metal=pod.is_bare_metal,
        without=caps.without,
    )
    shared, each = [], []
    for limit in found:
        if limit.name == PACKETS and pod.encapsulation == USER_SPACE:
            shared.append(bounds.plain(msgspec.structs.replace(limit, name="pod-user-space")))
        elif limit.name in (STREAM, PACKETS):
            each.append(bounds.plain(limit))
        else:
            shared.append(bounds.plain(limit))
    return shared, each, (ASSUMED,) if pod.is_assumed else ()
