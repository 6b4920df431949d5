"""What is asked about a path, and what of it cannot be: refused with the option that says it."""

from collections.abc import Iterator

from netplan_planner.errors import UsageError
from netplan_planner.model import CapsBook, PathClass, PathEnd, PodNetwork, Value, shape_of_custom
from netplan_planner.throughput import CapsTable
from netplan_planner.throughput.limits.quotas import quota_of
from netplan_planner.throughput.limits.tables import MOST_MTU_BYTES
from netplan_planner.throughput.round_trips.rtt import rtt_between


class PathQuestion(Value, frozen=True, kw_only=True):
    """What is asked about a path, however its two ends were named."""

    src_type: str | None = None
    dst_type: str | None = None
    src_place: str | None = None
    """A zone or region."""
    dst_place: str | None = None
    path_class: PathClass | None = None
    is_tier1: bool | None = None
    cpu_platform: str | None = None
    mtu_bytes: int | None = None
    is_external: bool = False
    """Whether the receiver is addressed by its external address."""
    streams: int | None = None
    rtt_ms: float | None = None
    window_bytes: int | None = None
    duration_s: float | None = None
    omit_s: float = 0.0
    transfer_bytes: int | None = None
    is_both_ways: bool = False
    pod: PodNetwork | None = None
    vpn_tunnels: int | None = None
    nic_count: int = 1
    """vNICs over which the flows spread."""
    quota_gbps: float | None = None
    host_link_gbps: float | None = None
    """Of machines that are not Google's, in place of a machine type."""


def check_options(question: PathQuestion, path_class: PathClass) -> None:
    """Raise for what is said of a path that the path does not have."""
    if question.pod is not None and not path_class.is_pod:
        raise UsageError(
            f"a plugin, an encapsulation or an encryption is one of a path of pods: {path_class} is"
            f" none (--path {PathClass.SAME_ZONE_INTERNAL}-pod is)"
        )
    if (
        question.mtu_bytes is not None
        and question.mtu_bytes > MOST_MTU_BYTES
        and question.host_link_gbps is None
    ):
        raise UsageError(
            f"--mtu {question.mtu_bytes} is more than a VPC network carries: {MOST_MTU_BYTES} bytes"
            " at most"
        )
    if question.quota_gbps is not None and quota_of(path_class) is None:
        raise UsageError(f"--quota-gbps is of what leaves a region or the VPC, not of {path_class}")
    if question.vpn_tunnels is not None and path_class is not PathClass.HYBRID:
        raise UsageError(
            f"--vpn-tunnels are those of a hybrid path (--path hybrid), not of {path_class}"
        )


def check_transfer(question: PathQuestion) -> None:
    """Raise for a transfer that is told by its time and its volume, or only by what goes before."""
    if question.duration_s is not None and question.transfer_bytes is not None:
        raise UsageError("--duration and --bytes exclude each other: one follows from the other")
    if question.omit_s and question.duration_s is None:
        raise UsageError("--omit is what goes before --duration: give both")


def check_tier1(question: PathQuestion, src: PathEnd, caps: CapsBook) -> None:
    """Raise where Tier_1 is asked for of a type that does not offer it at the date."""
    machine_type = src.machine_type
    if not question.is_tier1 or machine_type is None:
        return
    variants = caps.variants(machine_type)
    if variants and not any(cap.is_tier1 for cap in variants):
        raise UsageError(
            f"--tier1: Tier_1 is not offered for {machine_type} (limits of {caps.as_of};"
            f" `netplan caps {machine_type}`)"
        )


def notes_of(src: PathEnd, path_class: PathClass, caps: CapsBook) -> Iterator[str]:
    """Yield what Tier_1 does not do on a path to the outside."""
    if not (src.is_tier1 and path_class.leaves_vpc and src.machine_type):
        return
    cap = caps.cap(src.machine_type, tier1=True, cpu_platform=src.cpu_platform)
    if cap is not None and cap.external_gbps is not None:
        flow = cap.external_flow_gbps
        alone = f", {flow:g} Gbit/s for one flow as without it" if flow is not None else ""
        yield (
            f"Tier_1's {cap.egress_gbps:g} Gbit/s are for internal addresses: to the outside it"
            f" allows {cap.external_gbps:g} Gbit/s in all{alone}"
        )


def check_type(option: str, machine_type: str | None, caps: CapsTable) -> None:
    """Raise for a type that is none: a slip of the hand would be answered with "unknown".

    A custom type whose cap no source states is one, and so is a type of another day.
    """
    if machine_type is None or machine_type in caps.machine_types:
        return
    if shape_of_custom(machine_type) is not None:
        return
    near = caps.nearest(machine_type)
    hint = f"; near: {', '.join(near)}" if near else ""
    raise UsageError(f"{option} {machine_type[:60]!r} is no machine type{hint}")


def check_place(option: str, place: str | None) -> None:
    """Raise for a place that is none: a slip of the hand would be another region."""
    if place is None:
        return
    why = rtt_between(place, place).why_unknown
    if why:
        raise UsageError(f"{option} {place[:60]!r}: {why}")
