"""What a pod's path carries: the host's path, less what overlay and encryption take of it.

An overlay without encryption costs time per packet, on the core of each stream: it shows for one
stream and for small packets. Encryption between two nodes runs on one core, whatever the number of
streams, and takes much longer per packet, so greater packets help most. A plugin that uses the
wrong interface gets the other link. No constant belongs to a plugin: encapsulation, encryption,
packet size, streams, date and kind of host decide. Rates are those of TCP; a process that sends
UDP datagrams one by one is slower by its own doing.

Source:
    `data/pod_overlays.csv` and `data/pod_plugins.csv`, a source and date for each row.
"""

import math
from collections.abc import Iterable
from datetime import date

from netplan_planner import units
from netplan_planner.errors import UsageError, nearest_names
from netplan_planner.model import Limit, LimitKind
from netplan_planner.throughput.limits.pods.bounds import (
    ENCRYPTION,
    HEADER,
    INTERFACE,
    PACKETS,
    STREAM,
    Bound,
    Overlay,
    Traffic,
    bounds,
    inner_packet_bytes,
    resolve,
)
from netplan_planner.throughput.limits.pods.tables import (
    ENCRYPTIONS,
    PluginDefault,
    PodTerm,
    encapsulation_of,
    encapsulations,
    pod_terms,
)
from netplan_planner.throughput.transport import tcp

__all__ = [
    "ENCRYPTION",
    "ENCRYPTIONS",
    "HEADER",
    "INTERFACE",
    "PACKETS",
    "STREAM",
    "PluginDefault",
    "encapsulation_of",
    "encapsulations",
    "overlay_limits",
]
MICROSECONDS = units.MS_PER_SECOND**2
GIVEN = "given with the question"
LIFTED_BY = {
    HEADER: "a greater MTU, or routing without encapsulation",
    STREAM: "more parallel connections, or the host's network",
    PACKETS: "a greater MTU, more parallel connections, or routing without encapsulation",
    ENCRYPTION: "a greater MTU, more nodes, or no encryption by the plugin",
    INTERFACE: "the plugin's setting for the faster interface",
}


def overlay_limits(
    *,
    encapsulation: str,
    encryption: str,
    mtu_bytes: float,
    streams: float | None,
    host_gbps: float,
    host_single_flow_gbps: float | None,
    as_of: date,
    host_mtu_bytes: float | None = None,
    other_link_gbps: float | None = None,
    is_bare_metal: bool = False,
    without: str = "",
) -> tuple[Limit, ...]:
    """Return the limits that a pod's path has beyond the host's, in rising order.

    Args:
        encapsulation: One of `encapsulations()`.
        encryption: One of `ENCRYPTIONS`.
        mtu_bytes: Of the pod's interface.
        streams: How many connections share the path; None is as many as it takes.
        host_gbps: Goodput between the hosts without pods; infinity where only the overlay counts.
        host_single_flow_gbps: What one stream of a host could carry if nothing but its core held
            it back; None when that is not known, as after a stream that filled the host's path.
        as_of: The day whose kernels count.
        host_mtu_bytes: Of the node's interface; None takes the pod's MTU and its headers.
        other_link_gbps: The link that the plugin uses instead of the one that `host_gbps` is of.
        is_bare_metal: Whether nodes are whole machines: packets pass no virtual card.
        without: A campaign whose figures are left out.

    Raises:
        UsageError: If encapsulation or encryption is none that netplan knows.
        ValueError: If a number is not above 0, or an MTU holds no payload.

    >>> limits = overlay_limits(
    ...     encapsulation="vxlan", encryption="wireguard", mtu_bytes=1330, streams=8,
    ...     host_gbps=10.0, host_single_flow_gbps=None, as_of=date(2022, 9, 1),
    ... )
    >>> [(limit.name, round(limit.gbps, 2)) for limit in limits]
    [('pod-encryption', 0.86), ('pod-overlay-header', 9.21), ('pod-packet-budget', 41.1)]
    """
    traffic = Traffic(
        mtu_bytes=mtu_bytes,
        host_mtu_bytes=_or(host_mtu_bytes, math.nan),
        streams=_or(streams, math.inf),
        host_gbps=host_gbps,
        host_single_flow_gbps=_or(host_single_flow_gbps, math.nan),
        other_link_gbps=_or(other_link_gbps, math.nan),
    )
    overlay = resolve(encapsulation, encryption, as_of, is_bare_metal, pod_terms(without))
    if overlay is None:
        raise UsageError(_no_such(encapsulation, encryption))
    _check(overlay, traffic)
    found = (bound for bound in bounds(overlay, traffic) if _is_limit(bound, host_gbps))
    limits = [_limit(bound, overlay, traffic, as_of) for bound in found]
    return tuple(sorted(limits, key=lambda limit: limit.gbps))


def _or(value: float | None, unset: float) -> float:
    return unset if value is None else value


def _no_such(encapsulation: str, encryption: str) -> str:
    for name, kind, known in (
        (encryption, "encryption", ENCRYPTIONS),
        (encapsulation, "encapsulation", encapsulations()),
    ):
        if name not in known:
            near = nearest_names(name, known)
            hint = f"; is {near[0]} meant?" if near else "."
            return f"No {kind} of the name {name!r}{hint} netplan knows {', '.join(known)}."
    return f"{encapsulation} with {encryption} is not known at that date"


def _check(overlay: Overlay, traffic: Traffic) -> None:
    for name, value in traffic._asdict().items():
        if value <= 0:
            raise ValueError(f"{name} is above 0, got {value:g}")
    packet = inner_packet_bytes(traffic.mtu_bytes, traffic.host_mtu_bytes, overlay.header_bytes)
    if tcp.segment_bytes(packet) <= 0:
        raise ValueError(f"a packet of {packet:g} bytes holds no payload")


def _is_limit(bound: Bound, host_gbps: float) -> bool:
    """Return whether a bound is known and finite; without headers the host's path is no new one."""
    return math.isfinite(bound.gbps) and not (bound.name == HEADER and bound.gbps >= host_gbps)


def _limit(bound: Bound, overlay: Overlay, traffic: Traffic, as_of: date) -> Limit:
    terms = bound.terms
    lifted = LIFTED_BY[bound.name]
    if bound.name == PACKETS and overlay.is_user_space:
        lifted = "an encapsulation that the kernel does, such as VXLAN"
    return Limit(
        name=bound.name,
        gbps=float(bound.gbps),
        kind=terms[0].kind if terms else LimitKind.DOCUMENTED,
        source="; ".join(_sources(terms)) or GIVEN,
        as_of=max((term.as_of for term in terms), default=as_of),
        detail=_detail(bound, overlay, traffic),
        low_gbps=float(bound.low_gbps),
        high_gbps=float(bound.high_gbps),
        lifted_by=lifted,
    )


def _sources(terms: tuple[PodTerm, ...]) -> Iterable[str]:
    """Return each source once; a row can name several."""
    return dict.fromkeys(source for term in terms for source in term.source.split("; "))


def _detail(bound: Bound, overlay: Overlay, traffic: Traffic) -> str:
    packet = inner_packet_bytes(traffic.mtu_bytes, traffic.host_mtu_bytes, overlay.header_bytes)
    if bound.name == HEADER:
        names = " and ".join(term.of for term in overlay.headers)
        return f"{names}: {overlay.header_bytes:g} bytes around packets of {packet:g}"
    if bound.name == STREAM:
        single = f"{traffic.host_single_flow_gbps:g} Gbit/s"
        share = float(bound.gbps) / traffic.streams / traffic.host_single_flow_gbps
        return f"{traffic.streams:g} x {share:.2g} of one stream of the host, {single}"
    if bound.name == INTERFACE:
        return f"another interface, of {traffic.other_link_gbps:g} Gbit/s"
    is_cipher = bound.name == ENCRYPTION
    cores = 1.0 if is_cipher or overlay.is_user_space else traffic.streams
    payload = float(tcp.segment_bytes(packet))
    time_us = cores * float(tcp.gbit_from_bytes(payload)) / float(bound.gbps) * MICROSECONDS
    whose = "one core for all streams" if is_cipher else "one core for each stream"
    if overlay.is_user_space and not is_cipher:
        whose = "one process for all streams"
    name = overlay.encryption if is_cipher else overlay.encapsulation
    return f"{name}: {time_us:.3g} µs for a packet of {packet:g} bytes, {whose}"
