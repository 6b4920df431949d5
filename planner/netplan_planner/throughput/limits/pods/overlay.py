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
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from netplan_planner import units
from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model import Limit, LimitKind, Value
from netplan_planner.model.limits import GIVEN
from netplan_planner.throughput.limits.pods import tables
from netplan_planner.throughput.limits.tables import NOBODY, Campaigns
from netplan_planner.throughput.transport import transfer

# The formulas of a pod's path: what headers, streams, packets and encryption let through
#
#     header     host's rate x payload's share of the pod's packets / the same of the host's
#     stream     streams x share x one stream of the host
#     packets    payload / (time per packet + time per byte x payload), of one core
#
# Each works on numbers and on arrays alike. NaN is "unknown", and a bound that needs it is NaN.


HEADER = "pod-overlay-header"
STREAM = "pod-stream"
PACKETS = "pod-packet-budget"
ENCRYPTION = "pod-encryption"
INTERFACE = "pod-interface"
USER_SPACE = "udp"
"""The encapsulation that one process does for all streams."""
FRAME_BYTES = 38
"""Around a packet on Ethernet: header 14, checksum 4, preamble 8, gap 12."""


class Overlay(Value, frozen=True, kw_only=True):
    """What holds for one encapsulation and encryption at one date; None where nothing is known."""

    encapsulation: str
    encryption: str
    headers: tuple[tables.PodTerm, ...]
    fill: tables.PodTerm | None
    share: tables.PodTerm | None
    packet: tables.PodTerm | None
    """Time per packet of the overlay itself."""
    cipher_packet: tables.PodTerm | None
    cipher_byte: tables.PodTerm | None

    @property
    def header_bytes(self) -> float:
        """Bytes around each packet of a pod."""
        return sum(term.value for term in self.headers)

    @property
    def is_user_space(self) -> bool:
        """Whether one process encapsulates the packets of all streams."""
        return self.encapsulation == USER_SPACE


class Traffic(NamedTuple):
    """The numbers of one path, or of many: arrays of one length."""

    mtu_bytes: Any
    host_mtu_bytes: Any
    streams: Any
    host_gbps: Any
    host_single_flow_gbps: Any
    other_link_gbps: Any


class Bound(NamedTuple):
    """A limit with its range, in Gbit/s."""

    name: str
    gbps: Any
    low_gbps: Any
    high_gbps: Any
    terms: tuple[tables.PodTerm, ...]
    """Where it comes from; empty for what was given with the question."""


@cache
def resolve(
    encapsulation: str,
    encryption: str,
    as_of: date,
    is_bare_metal: bool,
    terms: tuple[tables.PodTerm, ...],
) -> Overlay | None:
    """Return what `terms` say of an overlay at a date, None where a name is none of theirs."""
    if encapsulation in tables.ENCRYPTIONS and encryption == tables.NONE:
        encryption = encapsulation  # a WireGuard or IPsec tunnel encrypts what it carries
    names = [name for name in dict.fromkeys((encapsulation, encryption)) if name != tables.NONE]
    headers = [tables.pod_term(terms, "header", name, as_of) for name in names or [tables.NONE]]
    if encryption not in tables.ENCRYPTIONS or None in headers:
        return None
    host = tables.BARE_METAL if is_bare_metal else tables.VM
    by_kernel = tables.OVERLAY if encapsulation not in (tables.NONE, USER_SPACE) else encapsulation
    return Overlay(
        encapsulation=encapsulation,
        encryption=encryption,
        headers=tuple(term for term in headers if term is not None),
        fill=tables.pod_term(terms, "link-fill", "*", as_of),
        share=tables.pod_term(terms, "stream-share", "*", as_of),
        packet=tables.pod_term(terms, "packet-time", by_kernel, as_of),
        cipher_packet=tables.pod_term(terms, "packet-time", encryption, as_of, host)
        if encryption != tables.NONE
        else None,
        cipher_byte=tables.pod_term(terms, "byte-time", encryption, as_of),
    )


def bounds(overlay: Overlay, traffic: Traffic) -> Iterator[Bound]:
    """Yield what bounds a pod's path beyond the host's own limits."""
    header_bytes = overlay.header_bytes
    packet_bytes = inner_packet_bytes(traffic.mtu_bytes, traffic.host_mtu_bytes, header_bytes)
    payload = transfer.segment_bytes(packet_bytes)
    share = header_ratio(packet_bytes, traffic.host_mtu_bytes, header_bytes)
    left = traffic.host_gbps * share
    fill = overlay.fill
    low, high = (fill.low, fill.high) if fill is not None else (1.0, 1.0)
    yield Bound(HEADER, left, left * low, left * high, overlay.headers)
    if overlay.share is not None:
        single, part = traffic.streams * traffic.host_single_flow_gbps, overlay.share
        yield Bound(STREAM, single * part.value, single * part.low, single * part.high, (part,))
    if overlay.packet is not None:
        cores = 1.0 if overlay.is_user_space else traffic.streams
        yield _budget(PACKETS, payload, overlay.packet, None, cores)
    if overlay.cipher_packet is not None:
        yield _budget(ENCRYPTION, payload, overlay.cipher_packet, overlay.cipher_byte, 1.0)
    other = traffic.other_link_gbps * payload / (packet_bytes + header_bytes + FRAME_BYTES)
    yield Bound(INTERFACE, other, other * low, other * high, ())


def inner_packet_bytes(mtu_bytes: Any, host_mtu_bytes: Any, header_bytes: float) -> Any:
    """Return the size of a pod's full packet: its MTU, or what fits into the node's packets."""
    return np.fmin(mtu_bytes, np.subtract(host_mtu_bytes, header_bytes))


def header_ratio(packet_bytes: Any, host_mtu_bytes: Any, header_bytes: float) -> Any:
    """Return the goodput of a full link with a pod's packets over that with the host's, at most 1.

    Args:
        packet_bytes: A full packet of the pod.
        host_mtu_bytes: Of the node; NaN takes the packet with its headers.
        header_bytes: Of the overlay.

    >>> round(float(header_ratio(1410.0, 1460.0, 50)), 4)
    0.9645
    """
    outside = np.add(packet_bytes, header_bytes)
    host = np.where(np.isnan(host_mtu_bytes), outside, host_mtu_bytes)
    inside = transfer.segment_bytes(packet_bytes) / (outside + FRAME_BYTES)
    return np.minimum(inside * (host + FRAME_BYTES) / transfer.segment_bytes(host), 1.0)


def packet_time_gbps(*, payload_bytes: Any, packet_s: float, byte_s: float = 0.0) -> Any:
    """Return what one core carries that spends `packet_s` on a packet and `byte_s` on its bytes.

    >>> round(float(packet_time_gbps(payload_bytes=1408, packet_s=1.2e-6)), 2)
    9.39
    """
    time_s = packet_s + byte_s * np.asarray(payload_bytes)
    return transfer.gbit_from_bytes(payload_bytes) / time_s


def _budget(
    name: str, payload_bytes: Any, packet: tables.PodTerm, byte: tables.PodTerm | None, cores: Any
) -> Bound:
    """Return the bound of times; the longest time gives the least rate."""
    byte_times = (byte.value, byte.high, byte.low) if byte is not None else (0.0, 0.0, 0.0)
    middle, low, high = (
        cores * packet_time_gbps(payload_bytes=payload_bytes, packet_s=packet_s, byte_s=byte_s)
        for packet_s, byte_s in zip(
            (packet.value, packet.high, packet.low), byte_times, strict=True
        )
    )
    return Bound(name, middle, low, high, (packet,) if byte is None else (packet, byte))


# What a pod's path carries: the host's path, less what overlay and encryption take of it


MICROSECONDS = units.MS_PER_SECOND**2
LIFTED_BY = {
    HEADER: "a larger MTU, or routing without encapsulation",
    STREAM: "more parallel connections, or the host network",
    PACKETS: "a larger MTU, more parallel connections, or routing without encapsulation",
    ENCRYPTION: "a larger MTU, more nodes, or no encryption in the plugin",
    INTERFACE: "the plugin setting for the faster interface",
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
    without: Campaigns = NOBODY,
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
        without: Campaigns whose figures are left out.

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
    overlay = resolve(encapsulation, encryption, as_of, is_bare_metal, tables.pod_terms(without))
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
        (encryption, "encryption", tables.ENCRYPTIONS),
        (encapsulation, "encapsulation", tables.encapsulations()),
    ):
        if name not in known:
            hint = did_you_mean(name, known) or "."
            return f"Unknown {kind} {name!r}{hint} netplan knows {', '.join(known)}."
    return f"{encapsulation} with {encryption} is unknown for this date"


def _check(overlay: Overlay, traffic: Traffic) -> None:
    for name, value in traffic._asdict().items():
        if value <= 0:
            raise ValueError(f"{name} must be above 0, not {value:g}")
    packet = inner_packet_bytes(traffic.mtu_bytes, traffic.host_mtu_bytes, overlay.header_bytes)
    if transfer.segment_bytes(packet) <= 0:
        raise ValueError(f"a packet of {packet:g} bytes has no payload")


def _is_limit(bound: Bound, host_gbps: float) -> bool:
    """Return whether a bound is known and finite; without headers the host's path is no new one."""
    return math.isfinite(bound.gbps) and not (bound.name == HEADER and bound.gbps >= host_gbps)


def _limit(bound: Bound, overlay: Overlay, traffic: Traffic, as_of: date) -> Limit:
    terms = bound.terms
    lifted = LIFTED_BY[bound.name]
    if bound.name == PACKETS and overlay.is_user_space:
        lifted = "an encapsulation in the kernel, such as VXLAN"
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


def _sources(terms: tuple[tables.PodTerm, ...]) -> Iterable[str]:
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
        return f"{traffic.streams:g} × {share:.2g} of one stream of the host, {single}"
    if bound.name == INTERFACE:
        return f"another interface, of {traffic.other_link_gbps:g} Gbit/s"
    is_cipher = bound.name == ENCRYPTION
    cores = 1.0 if is_cipher or overlay.is_user_space else traffic.streams
    payload = float(transfer.segment_bytes(packet))
    time_us = cores * float(transfer.gbit_from_bytes(payload)) / float(bound.gbps) * MICROSECONDS
    whose = "one core for all streams" if is_cipher else "one core for each stream"
    if overlay.is_user_space and not is_cipher:
        whose = "one process for all streams"
    name = overlay.encryption if is_cipher else overlay.encapsulation
    return f"{name}: {time_us:.3g} µs for a packet of {packet:g} bytes, {whose}"
