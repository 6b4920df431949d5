"""The limits of a pod's path as they stand beside those of the nodes: shared, or of one flow."""

from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from netplan_planner.model import PathQuery, PodNetwork
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.bounds import Bound
from netplan_planner.throughput.limits.named import ETHERNET_MTU_BYTES
from netplan_planner.throughput.limits.pods.overlay import (
    HEADER,
    PACKETS,
    STREAM,
    overlay_limits,
)
from netplan_planner.throughput.limits.pods.tables import pod_terms

USER_SPACE = "udp"
ASSUMED = "the cluster's network is not known: no overlay and no encryption, as on GKE"


def fill_of_pods(hard: Sequence[Bound], without: str = "") -> Iterator[Bound]:
    """Yield what pods reach of the path that their nodes have, with headers or without any.

    What a plugin costs beyond its headers was measured of some: the range of these holds for all.
    """
    fill = next((term for term in pod_terms(without) if term.name == "link-fill"), None)
    least = min(hard, key=lambda bound: bound.limit.gbps).limit
    if fill is not None:
        limit = msgspec.structs.replace(
            least,
            name=HEADER,
            kind=fill.kind,
            source=fill.source,
            as_of=fill.as_of,
            low_gbps=fill.low * least.gbps,
            high_gbps=least.gbps,
        )
        yield bounds.plain(limit)


def pod_bounds(
    query: PathQuery,
    hard: Sequence[Bound],
    per_flow: Sequence[Bound],
    as_of: date,
    without: str = "",
) -> tuple[list[Bound], list[Bound], tuple[str, ...]]:
    """Return a pod's limits beyond the nodes': shared ones, those of one flow, what is assumed.

    `without` leaves the figures of a campaign out.
    """
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
        as_of=as_of,
        host_mtu_bytes=node_mtu if is_node_mtu_known else None,
        other_link_gbps=pod.other_link_gbps,
        is_bare_metal=pod.is_bare_metal,
        without=without,
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
