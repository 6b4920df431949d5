"""The formulas of a pod's path: what headers, streams, packets and encryption let through.

    header     host's rate x payload's share of the pod's packets / the same of the host's
    stream     streams x share x one stream of the host
    packets    payload / (time per packet + time per byte x payload), of one core

Each works on numbers and on arrays alike. NaN is "unknown", and a bound that needs it is NaN.
"""

from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from netplan_planner.model import Value
from netplan_planner.throughput.limits.pods.tables import (
    BARE_METAL,
    ENCRYPTIONS,
    NONE,
    OVERLAY,
    VM,
    PodTerm,
    pod_term,
)
from netplan_planner.throughput.transport import tcp

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
    headers: tuple[PodTerm, ...]
    fill: PodTerm | None
    share: PodTerm | None
    packet: PodTerm | None
    """Time per packet of the overlay itself."""
    cipher_packet: PodTerm | None
    cipher_byte: PodTerm | None

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
    terms: tuple[PodTerm, ...]
    """Where it comes from; empty for what was given with the question."""


@cache
def resolve(
    encapsulation: str,
    encryption: str,
    as_of: date,
    is_bare_metal: bool,
    terms: tuple[PodTerm, ...],
) -> Overlay | None:
    """Return what `terms` say of an overlay at a date, None where a name is none of theirs."""
    if encapsulation in ENCRYPTIONS and encryption == NONE:
        encryption = encapsulation  # a WireGuard or IPsec tunnel encrypts what it carries
    names = [name for name in dict.fromkeys((encapsulation, encryption)) if name != NONE]
    headers = [pod_term(terms, "header", name, as_of) for name in names or [NONE]]
    if encryption not in ENCRYPTIONS or None in headers:
        return None
    host = BARE_METAL if is_bare_metal else VM
    by_kernel = OVERLAY if encapsulation not in (NONE, USER_SPACE) else encapsulation
    return Overlay(
        encapsulation=encapsulation,
        encryption=encryption,
        headers=tuple(term for term in headers if term is not None),
        fill=pod_term(terms, "link-fill", "*", as_of),
        share=pod_term(terms, "stream-share", "*", as_of),
        packet=pod_term(terms, "packet-time", by_kernel, as_of),
        cipher_packet=pod_term(terms, "packet-time", encryption, as_of, host)
        if encryption != NONE
        else None,
        cipher_byte=pod_term(terms, "byte-time", encryption, as_of),
    )


def bounds(overlay: Overlay, traffic: Traffic) -> Iterator[Bound]:
    """Yield what bounds a pod's path beyond the host's own limits."""
    header_bytes = overlay.header_bytes
    packet_bytes = inner_packet_bytes(traffic.mtu_bytes, traffic.host_mtu_bytes, header_bytes)
    payload = tcp.segment_bytes(packet_bytes)
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
    inside = tcp.segment_bytes(packet_bytes) / (outside + FRAME_BYTES)
    return np.minimum(inside * (host + FRAME_BYTES) / tcp.segment_bytes(host), 1.0)


def packet_time_gbps(*, payload_bytes: Any, packet_s: float, byte_s: float = 0.0) -> Any:
    """Return what one core carries that spends `packet_s` on a packet and `byte_s` on its bytes.

    >>> round(float(packet_time_gbps(payload_bytes=1408, packet_s=1.2e-6)), 2)
    9.39
    """
    time_s = packet_s + byte_s * np.asarray(payload_bytes)
    return tcp.gbit_from_bytes(payload_bytes) / time_s


def _budget(
    name: str, payload_bytes: Any, packet: PodTerm, byte: PodTerm | None, cores: Any
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
