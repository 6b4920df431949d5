"""Published figures of network plugins, and what they give for the quantities of the pod model."""

import csv
import math
import statistics
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np

from netplan_planner.throughput.limits.pods.overlay import inner_packet_bytes, resolve
from netplan_planner.throughput.limits.pods.tables import PodTerm, pod_terms
from netplan_planner.throughput.transport.transfer import gbit_from_bytes, segment_bytes
from support.paths.pod_rates import pod_rates
from support.projects.shared_data import shared

LINK_10, LINK_40, CLOUD = "10 Gbit/s of 2020", "40 Gbit/s of 2024", "Compute Engine"
CAMPAIGNS = {
    "infrabuilder-cni-2020-08": (LINK_10, date(2020, 8, 31), True),
    "infrabuilder-cni-2024-01": (LINK_40, date(2024, 1, 31), True),
    "constellation-gke": (CLOUD, date(2023, 3, 31), False),
}
NAMES = {"kubeovn": "kube-ovn", "kuberouter": "kube-router", "GKE kubenet": "gke", "GKE": "gke"}
LINK_MTU_BYTES = 9000
LINK_10_GOODPUT_GBPS = 10 * 8948 / 9038
CLOUD_CAP_GBPS = 9.55
SMALL_BYTES = 2000
SPREAD, CIPHER_SPREAD = 1.05, 1.2
"""What the extremes of the figures are widened by, for plugins that are not among them. Chosen so
that intervals hold for plugins that were left out."""
TWICE_THROUGH_THE_STACK = 2
N1_WIREGUARD_GBPS, N1_PACKET_BYTES = 0.8, 1400
N1_IPSEC_GBPS, N1_IPSEC_PACKET_BYTES = 1.0, 1398
"""n1-standard-8, github.com/submariner-io/submariner issue 1509, MTU 1460 less headers."""

Range = tuple[float, float, float]
Key = tuple[str, str, str, bool, bool]
"""Name, of, host, whether it ends in 2021, whether it begins in 2022."""


class Figure(NamedTuple):
    """One published figure of one plugin."""

    plugin: str
    campaign: str
    encapsulation: str
    encryption: str
    mtu_bytes: float
    host_mtu_bytes: float
    streams: int
    gbps: float
    host_gbps: float
    single_gbps: float
    day: date
    is_bare_metal: bool

    @property
    def payload_bytes(self) -> float:
        found = resolve(
            self.encapsulation, self.encryption, self.day, self.is_bare_metal, pod_terms()
        )
        assert found is not None
        packet = inner_packet_bytes(self.mtu_bytes, self.host_mtu_bytes, found.header_bytes)
        return float(segment_bytes(packet))

    @property
    def packet_s(self) -> float:
        return float(gbit_from_bytes(self.payload_bytes)) / self.gbps


@cache
def figures() -> tuple[Figure, ...]:
    with shared("data/measurements/cni_measurements.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["source"] in CAMPAIGNS]
    hosts = {
        int(row["streams"]): float(row["gbps"])
        for row in rows
        if row["plugin"] == "baremetal" and row["proto"] == "TCP"
    }
    return tuple(
        figure(row, hosts) for row in rows if row["proto"] == "TCP" and row["plugin"] != "baremetal"
    )


def figure(row: dict[str, str], hosts: dict[int, float]) -> Figure:
    campaign, day, is_bare_metal = CAMPAIGNS[row["source"]]
    goodput = {LINK_10: LINK_10_GOODPUT_GBPS, LINK_40: hosts[8], CLOUD: CLOUD_CAP_GBPS}
    return Figure(
        plugin=NAMES.get(row["plugin"], row["plugin"]),
        campaign=campaign,
        encapsulation=row["encapsulation"].split(" ")[0].split("/")[0],
        # Weave's fast datapath encrypts by ESP in the kernel.
        encryption={"fastdp-aes": "ipsec"}.get(row["encryption"], row["encryption"]),
        mtu_bytes=float(row["mtu"]),
        host_mtu_bytes=LINK_MTU_BYTES if is_bare_metal else float(row["mtu"]),
        streams=int(row["streams"]),
        gbps=float(row["gbps"]),
        host_gbps=goodput[campaign],
        # Where the link or the cap stopped one stream, nobody knows what its core could do.
        single_gbps=hosts[1] if campaign == LINK_40 else math.nan,
        day=day,
        is_bare_metal=is_bare_metal,
    )


def fitted(known: Sequence[Figure]) -> dict[Key, Range]:
    """Return every measured quantity from these figures: middle, least and greatest."""
    plain = [each for each in known if each.encryption == "none"]
    wireguard = [each for each in known if each.encryption == "wireguard"]
    found = {
        ("stream-share", "*", "", False, False): stream_share(plain),
        ("link-fill", "*", "", False, False): link_fill(plain),
        **overlay_times(plain),
        **wireguard_times(wireguard),
    }
    stack = found["packet-time", "wireguard", "bare-metal", False, False]
    found["packet-time", "ipsec", "bare-metal", False, False] = stack
    old = ipsec_byte_time(known, LINK_10, stack[0])
    found["byte-time", "ipsec", "", True, False] = old
    found["byte-time", "ipsec", "", False, True] = ipsec_byte_time(known, LINK_40, stack[0])
    found["packet-time", "ipsec", "vm", False, False] = ipsec_packet_time(old[0], stack[0])
    return found


def stream_share(plain: Sequence[Figure]) -> Range:
    """Return the median of the plugins' medians, so that none counts for its many variants."""
    shares: dict[str, list[float]] = {}
    for each in plain:
        if each.campaign == LINK_40 and each.streams == 1:
            shares.setdefault(each.plugin, []).append(each.gbps / each.single_gbps)
    of_all = [share for of_plugin in shares.values() for share in of_plugin]
    middle = statistics.median(map(statistics.median, shares.values()))
    return middle, min(of_all) / SPREAD, max(of_all) * SPREAD


def link_fill(plain: Sequence[Figure]) -> Range:
    walls = [
        each.gbps / (each.host_gbps * each.payload_bytes / (LINK_MTU_BYTES - 52))
        for each in plain
        if each.mtu_bytes > SMALL_BYTES and (each.streams == 8 or each.campaign == LINK_10)
    ]
    return 1.0, min(walls) / SPREAD, 1.0


def overlay_times(plain: Sequence[Figure]) -> dict[Key, Range]:
    """Return the times of a packet with and without encapsulation, by physics from one another."""
    small = [each for each in plain if each.campaign == LINK_10 and each.mtu_bytes < SMALL_BYTES]
    routed = [each.packet_s for each in small if each.encapsulation == "none"]
    tunnelled = [each.packet_s for each in small if each.encapsulation != "none"]
    between = math.sqrt(TWICE_THROUGH_THE_STACK)
    once = statistics.median(routed) if routed else statistics.median(tunnelled) / between
    least = min((each.packet_s for each in plain if each.campaign == CLOUD), default=once)
    most = max(routed or tunnelled) * SPREAD
    return {
        ("packet-time", "none", "", True, False): (once, least, most),
        ("packet-time", "overlay", "", False, False): (
            once * between,
            least,
            once * TWICE_THROUGH_THE_STACK,
        ),
    }


def wireguard_times(wireguard: Sequence[Figure]) -> dict[Key, Range]:
    """Return times by packet and byte; the only pair of MTUs is the cloud's.

    Without that pair all time is the packet's.
    """
    n1_payload = float(segment_bytes(N1_PACKET_BYTES))
    n1_s = float(gbit_from_bytes(n1_payload)) / N1_WIREGUARD_GBPS
    byte_s, virtual_s = 0.0, n1_s
    points = [(each.payload_bytes, each.packet_s) for each in wireguard if each.campaign == CLOUD]
    if points:
        small, small_s = min(points)
        great = max(points)[0]
        great_s = statistics.median(time_s for payload, time_s in points if payload == great)
        byte_s = (great_s - small_s) / (great - small)
        virtual_s = small_s - byte_s * small
    whole = [
        each.packet_s - byte_s * each.payload_bytes for each in wireguard if each.is_bare_metal
    ]
    stack_s = statistics.median(whole)
    return {
        ("byte-time", "wireguard", "", False, False): (
            byte_s,
            byte_s / CIPHER_SPREAD,
            byte_s * CIPHER_SPREAD,
        ),
        ("packet-time", "wireguard", "bare-metal", False, False): (
            stack_s,
            min(whole) / CIPHER_SPREAD,
            max(whole) * CIPHER_SPREAD,
        ),
        ("packet-time", "wireguard", "vm", False, False): (
            virtual_s,
            stack_s,
            (n1_s - byte_s * n1_payload) * CIPHER_SPREAD,
        ),
    }


def ipsec_byte_time(known: Sequence[Figure], campaign: str, stack_s: float) -> Range:
    times = [
        (each.packet_s - stack_s) / each.payload_bytes
        for each in known
        if each.encryption == "ipsec" and each.campaign == campaign
    ]
    return statistics.median(times), min(times) / CIPHER_SPREAD, max(times) * CIPHER_SPREAD


def ipsec_packet_time(byte_s: float, stack_s: float) -> Range:
    """Return what virtual machines of 2021 took beyond the time of the bytes."""
    payload = float(segment_bytes(N1_IPSEC_PACKET_BYTES))
    times = [
        float(gbit_from_bytes(payload)) / gbps - byte_s * payload
        for gbps in (*per_vcpu_gbps(), N1_IPSEC_GBPS)
    ]
    return statistics.median(times), stack_s, max(times) * CIPHER_SPREAD


@cache
def per_vcpu_gbps() -> tuple[float, ...]:
    """Return what encrypting gateways on n1-highcpu carry for each vCPU."""
    with shared("data/measurements/public_measurements.csv").open(encoding="utf-8") as file:
        return tuple(
            float(row["value"]) / float(row["vcpus"])
            for row in csv.DictReader(file)
            if row["source"] == "aviatrix-gcp-gateways" and row["cloud"] == "gcp"
        )


def key_of(term: PodTerm) -> Key:
    return (
        term.name,
        term.of,
        term.host,
        term.valid_until is not None,
        term.valid_from is not None,
    )


def terms_from(known: Sequence[Figure]) -> tuple[PodTerm, ...]:
    found = fitted(known)
    return tuple(
        msgspec.structs.replace(term, value=new[0], low=new[1], high=new[2])
        if (new := found.get(key_of(term))) is not None
        else term
        for term in pod_terms()
    )


class Score(NamedTuple):
    """Of predictions of the ratio of pod to host; the host's rate is common to both."""

    median_error: float
    p90_error: float
    coverage: float
    median_width: float
    row_count: int


@cache
def left_out() -> tuple[tuple[Figure, float, float, float], ...]:
    """Return each figure with what the other plugins say of it: middle, low and high."""
    found = []
    for plugin in sorted({each.plugin for each in figures()}):
        terms = terms_from([each for each in figures() if each.plugin != plugin])
        for each in figures():
            if each.plugin == plugin:
                rates = pod_rates(
                    encapsulation=each.encapsulation,
                    encryption=each.encryption,
                    mtu_bytes=each.mtu_bytes,
                    streams=each.streams,
                    host_gbps=each.host_gbps,
                    host_single_flow_gbps=each.single_gbps,
                    as_of=each.day,
                    host_mtu_bytes=each.host_mtu_bytes,
                    is_bare_metal=each.is_bare_metal,
                    terms=terms,
                )
                found.append(
                    (
                        each,
                        float(rates.gbps[0]),
                        float(rates.low_gbps[0]),
                        float(rates.high_gbps[0]),
                    )
                )
    return tuple(found)


def score(rows: Iterable[tuple[Figure, float, float, float]]) -> Score:
    listed = list(rows)
    errors = [abs(middle / each.gbps - 1) for each, middle, _, _ in listed]
    return Score(
        median_error=float(np.median(errors)),
        p90_error=float(np.quantile(errors, 0.9)),
        coverage=statistics.mean(low <= each.gbps <= high for each, _, low, high in listed),
        median_width=statistics.median(high / low for _, _, low, high in listed),
        row_count=len(listed),
    )
