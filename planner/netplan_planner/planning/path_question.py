"""What is asked about a path, and what of it cannot be: refused with the option that says it."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from netplan_planner.asks import COMMON, Ask, Bytes, Duration, Reading, Request
from netplan_planner.errors import UsageError, nearest_names
from netplan_planner.model import CapsBook, PathClass, PathEnd, PodNetwork, shape_of_custom
from netplan_planner.model.plans.connections import SENT, Connections, RoundTrip, Streams
from netplan_planner.readers.paths.path_cells import path_class_of
from netplan_planner.throughput import CapsTable
from netplan_planner.throughput.limits.named import quota_of
from netplan_planner.throughput.limits.senders import MOST_VNICS, offers_tier1
from netplan_planner.throughput.limits.tables import MOST_MTU_BYTES
from netplan_planner.throughput.round_trips.rtt import GOOGLE, rtt_between

PATH = "The path"
_KNOWN_REGION = "us-central1"
_SAME_ZONE, _INTER_ZONE, _INTER_REGION = "same-zone", "inter-zone", "inter-region"


def named_class(text: str | None) -> PathClass | None:
    """Return the path class of a name, None without one.

    Raises:
        UsageError: If it names none.
    """
    if text is None:
        return None
    found = path_class_of(text)
    if found is None:
        near = nearest_names(text, [one.value for one in PathClass])
        known = ", ".join(one.value for one in PathClass)
        hint = f"; near: {', '.join(near)}" if near else f"; it is one of {known}"
        raise UsageError(f"--path {text[:60]!r} is not a path class{hint}")
    return found


class PathQuestion(Connections, Request, frozen=True, kw_only=True):
    """What is asked about a path, however its two ends were named."""

    PANEL: ClassVar[str] = PATH

    streams: Annotated[Streams, COMMON] = None
    src_type: Annotated[str | None, Ask("Machine type of the sender.")] = None
    dst_type: Annotated[
        str | None, Ask("Machine type of the receiver (default: the sender's).")
    ] = None
    path_class: Annotated[
        PathClass | None,
        Reading(str, lambda _, text: named_class(text)),
        Ask(
            "Path class, such as inter-region-internal (default: from the places).",
            "--path",
            metavar="CLASS",
        ),
    ] = None
    src_place: Annotated[str | None, Ask("Zone or region of the sender.", metavar="ZONE")] = None
    dst_place: Annotated[str | None, Ask("Zone or region of the receiver.", metavar="ZONE")] = None
    is_external: Annotated[
        bool, Ask("Send to the external address of the receiver.", "--external")
    ] = False
    is_tier1: Annotated[
        bool | None,
        Ask(
            "Whether the sender has Tier_1 networking; default: as its VM.",
            "--tier1/--no-tier1",
        ),
    ] = None
    cpu_platform: Annotated[
        str | None,
        Ask("CPU platform of the sender, if the cap depends on it (N1, M2).", is_expert=True),
    ] = None
    rtt_ms: RoundTrip = None
    src_image: Annotated[
        str | None,
        Ask(
            "Image of the sender, as named in the calibration (default: its VM's licenses).",
            is_expert=True,
        ),
    ] = None
    dst_image: Annotated[
        str | None,
        Ask(
            "Image of the receiver, as named in the calibration (default: its VM's licenses).",
            is_expert=True,
        ),
    ] = None
    congestion_control: Annotated[
        str | None,
        Ask("Congestion control of the sender, such as bbr (default: cubic).", is_expert=True),
    ] = None
    host_link_gbps: Annotated[
        float | None,
        Ask(
            "Link of non-Google hosts, in Gbit/s, instead of a machine type.",
            least=0.001,
            is_expert=True,
        ),
    ] = None
    nic_count: Annotated[
        int,
        Ask(
            "vNICs that share the flows, each on its own physical NIC (A3, A4, C4N).",
            "--nics",
            least=1,
            most=MOST_VNICS,
            is_expert=True,
        ),
    ] = 1
    quota_gbps: Annotated[
        float | None,
        Ask(
            "Egress quota of the project from that region to other regions (or to the internet),"
            " from the console, in Gbit/s.",
            least=0.000001,
            is_expert=True,
        ),
    ] = None
    vpn_tunnels: Annotated[
        int | None, Ask("Cloud VPN tunnels of a hybrid path.", least=1, is_expert=True)
    ] = None
    duration_s: Annotated[
        Duration | None,
        Ask(
            "Duration of sending from a cold start, such as 5s (default: steady state).",
            "--duration",
            metavar="TIME",
            panel=SENT,
            is_expert=True,
        ),
    ] = None
    omit_s: Annotated[
        Duration,
        Ask(
            "Time of sending before counting starts, as iperf3 -O.",
            "--omit",
            metavar="TIME",
            panel=SENT,
            is_expert=True,
        ),
    ] = 0.0
    transfer_bytes: Annotated[
        Bytes | None,
        Ask(
            "Size of a transfer, such as 2TiB: shows its time and cost.",
            "--bytes",
            parameter="byte_count",
            metavar="SIZE",
            panel=SENT,
        ),
    ] = None
    is_both_ways: Annotated[
        bool, Ask("The other direction sends too.", "--both-ways", panel=SENT, is_expert=True)
    ] = False
    pod: PodNetwork | None = None
    """The network of a cluster, of whose options it is made."""


def check_options(question: PathQuestion, path_class: PathClass) -> None:
    """Raise for what is said of a path that the path does not have."""
    if question.pod is not None and not path_class.is_pod:
        raise UsageError(
            f"plugins, encapsulation and encryption are only for pod paths: {path_class} is not"
            f" one (use --path {PathClass.SAME_ZONE_INTERNAL}-pod)"
        )
    if question.host_link_gbps is None:
        check_mtu(question)
    if question.quota_gbps is not None and quota_of(path_class) is None:
        raise UsageError(
            f"--quota-gbps is for traffic that leaves a region or the VPC, not for {path_class}"
        )
    if question.vpn_tunnels is not None and path_class is not PathClass.HYBRID:
        raise UsageError(f"--vpn-tunnels is for hybrid paths (--path hybrid), not for {path_class}")


def check_mtu(sent: Connections) -> None:
    """Raise for an MTU that no VPC network has."""
    if sent.mtu_bytes is not None and sent.mtu_bytes > MOST_MTU_BYTES:
        raise UsageError(
            f"--mtu {sent.mtu_bytes} is above the maximum of a VPC network: {MOST_MTU_BYTES} bytes"
        )


def check_transfer(question: PathQuestion) -> None:
    """Raise for a transfer that is told by its time and its volume, or only by what goes before."""
    if question.duration_s is not None and question.transfer_bytes is not None:
        raise UsageError("--duration and --bytes exclude each other: one determines the other")
    if question.omit_s and question.duration_s is None:
        raise UsageError("--omit is the time before --duration: give both")


def check_tier1(question: PathQuestion, src: PathEnd, caps: CapsBook) -> None:
    """Raise where Tier_1 is asked for of a type that does not offer it at the date."""
    machine_type = src.machine_type
    if not question.is_tier1 or machine_type is None:
        return
    if offers_tier1(machine_type, caps) is False:
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
        alone = f", {flow:g} Gbit/s for one flow, as without it" if flow is not None else ""
        yield (
            f"the {cap.egress_gbps:g} Gbit/s of Tier_1 apply to internal addresses; to external"
            f" addresses it allows {cap.external_gbps:g} Gbit/s in total{alone}"
        )


def check_type(option: str, machine_type: str | None, caps: CapsTable) -> None:
    """Raise for a type that is none: a slip of the hand would be answered with "unknown".

    A custom type whose cap no source states is one, and so is a type of another day.
    """
    if machine_type is None or machine_type in caps.machine_types:
        return
    if shape_of_custom(machine_type) is not None:
        return
    raise UsageError(f"{option} {caps.why_no_type(machine_type)}")


def check_place(option: str, place: str | None) -> None:
    """Raise for a place that is none: a slip of the hand would be another region."""
    if place is None:
        return
    # Not with itself: inside a region of another cloud no round-trip time is known.
    why = rtt_between(_KNOWN_REGION, place).why_unknown
    if why:
        raise UsageError(f"{option} {place[:60]!r}: {why}")


def class_of_path(
    given: PathClass | None, src: PathEnd, dst: PathEnd, *, is_external: bool
) -> PathClass:
    """Return the class of the path between two ends.

    Args:
        given: The class that was asked for, None where the places are to decide.
        src: The sender.
        dst: The receiver.
        is_external: Whether the receiver is addressed by its external address.

    Raises:
        UsageError: If nothing tells the class, or if the places or the address contradict it.
    """
    for end in (src, dst):
        cloud = (end.region or "").partition(":")
        if cloud[1] and cloud[0] != GOOGLE and (given is None or given.is_between_own_vms):
            raise UsageError(f"{_place(end)} is outside Google Cloud: give --path internet")
    possible = _distances(src, dst)
    if given is None:
        if not possible:
            raise UsageError(
                "the path class is unknown: give --path (such as inter-region-internal), or the"
                " places of both ends (--src-place, --dst-place)"
            )
        return PathClass(f"{possible[0]}-{'external' if is_external else 'internal'}")
    if possible and not _fits(given, possible):
        raise UsageError(
            f"--path {given.value} contradicts the places: from {_place(src)} to {_place(dst)} a"
            f" path is {' or '.join(possible)}. Omit --path, or change a place."
        )
    if is_external and given.is_between_own_vms and not given.is_external_address:
        raise UsageError(
            f"--path {given.value} contradicts --external: that class uses the internal address."
            " Omit one of the two."
        )
    return given


def assumed_class(*, is_external: bool, has_pods: bool) -> PathClass:
    """Return the class of a path of whose ends no place is told: both stand in one zone."""
    if is_external:
        return PathClass.SAME_ZONE_EXTERNAL
    return PathClass.SAME_ZONE_INTERNAL_POD if has_pods else PathClass.SAME_ZONE_INTERNAL


def class_of_nodes(path_class: PathClass | None) -> PathClass | None:
    """Return the class of the nodes' own path, of whose pods a class is."""
    if path_class is None or not path_class.is_pod or path_class is PathClass.SAME_NODE_POD:
        return path_class
    return PathClass(path_class.value.removesuffix("-pod"))


def _distances(src: PathEnd, dst: PathEnd) -> tuple[str, ...]:
    """Return what the distance may be by the places, the likely one first; nothing: not known."""
    if src.region is None or dst.region is None:
        return ()
    if src.region != dst.region:
        return (_INTER_REGION,)
    if src.zone is None or dst.zone is None:
        return _INTER_ZONE, _SAME_ZONE
    return (_SAME_ZONE,) if src.zone == dst.zone else (_INTER_ZONE,)


def _fits(given: PathClass, possible: tuple[str, ...]) -> bool:
    """Return whether a class is possible; paths to elsewhere have no distance."""
    distance = _SAME_ZONE if given is PathClass.SAME_NODE_POD else given.distance
    return distance is None or distance in possible


def _place(end: PathEnd) -> str:
    return end.zone or end.region or "nowhere"
