"""Who shares a limit: whose traffic counts against it, and for whom its value is the same.

Documents say the first: a machine's caps count all NICs and addresses of one VM together; a link
counts one physical NIC; quotas count one project in one region; the rest counts one flow.

The second is what a probe of one path tells of others, and one answer serves the plans of probes
and the calibrations that learn from them. Windows are those of receivers that are set up alike,
starts those of such senders: image and buffers of the first; image, congestion control and buffers
of the second. The caps for addresses outside the VPC are stated for
every VM alike, whatever its project: exceptions are machine series, and have figures of their own
in the table, on which what is learnt is a factor. No value but a quota's differs by project.

Source:
    https://cloud.google.com/vpc/docs/quota and
    https://cloud.google.com/compute/docs/network-bandwidth, as of 2026.
"""

import math

from netplan_planner.model import PathQuery, SetUp
from netplan_planner.throughput.limits.ends import CUBIC, OWN_CLOUD
from netplan_planner.throughput.limits.named import REGION_QUOTA
from netplan_planner.throughput.limits.path_limits import is_own_receiver
from netplan_planner.throughput.limits.senders import RECEIVER_CORES

OF_VM = ("vm-egress", "external-egress")
"""Caps of what one VM sends, all its NICs and addresses together."""
OF_SENDER = ("vm-egress", "nic-egress", "external-egress")
"""Limits that all flows of one sender share, `OF_VM` and its physical NIC."""
OF_RECEIVER = ("external-ingress", "external-ingress-packets", RECEIVER_CORES)
"""Limits that all flows to one receiver share."""
OF_PROJECT = (REGION_QUOTA,)
"""Limits that all machines of one project share in one region."""

ALL = "all"
OWN = "own machines"
WINDOW, SEND_BUFFER = "window-over-rtt", "send-buffer-over-rtt"
START = "slow-start-ramp"
_WITH, _AND = " with ", ", "
IMAGE, RECEIVE, SEND = "image ", "receive buffers of ", "send buffers of "
"""How the parts of a set-up begin."""
_OF_SENDING_FAMILY = frozenset({"vm-egress", "single-flow-core", "internal-flow"})
_STAND_INS = {"carried": "by a later cap", "unstated": "outside the VPC"}
"""Whose limit it is where another cap stands in for one that is not known, by `Bound.regime`."""


def stands_in(regime: str) -> bool:
    """Return whether another cap stands in for one that is not known."""
    return regime in _STAND_INS


def same_for(name: str, query: PathQuery, *, regime: str = "") -> str:
    """Return for whom the value of a limit is the same, in words that calibrations keep.

    A machine family's, a class's, a cluster network's, a kind of receiver's, or everyone's. A quota
    differs by project and region, but comes with the question and is not learnt.

    Args:
        name: Of the limit.
        query: The path that it holds.
        regime: Of the bound: what probes say of a stand-in says nothing of documented caps.
    """
    if name in _OF_SENDING_FAMILY:
        family = family_of(query.src.machine_type)
        return f"{family}, {_STAND_INS[regime]}" if regime in _STAND_INS else family
    if name == RECEIVER_CORES:
        return family_of(query.dst.machine_type)
    if name == "external-path":
        return query.path_class.value
    if name in (WINDOW, SEND_BUFFER):
        return set_up_alike(receiver_key(query), window_set_up(query))
    if name == START:
        return set_up_alike(receiver_key(query), sending_set_up(query.src.set_up))
    if name.startswith("pod-") and query.pod is not None:
        return f"{query.pod.encapsulation}, {query.pod.encryption}"
    return ALL


def said_of(name: str, same: str) -> str:
    """Return a limit with for whom it is the same, for a reader.

    What is under way goes through the buffers of both ends, and probes teach one factor of both.

    >>> said_of("vm-egress", "n2"), said_of("send-buffer-over-rtt", "own machines")
    ('vm-egress (n2 VMs)', 'window-over-rtt (to own machines)')
    """
    if name in (WINDOW, SEND_BUFFER, START):
        return f"{START if name == START else WINDOW} (to {same})"
    is_of_machines = same == ALL or name in _OF_SENDING_FAMILY or name == RECEIVER_CORES
    return f"{name} ({same} VMs)" if is_of_machines else f"{name} ({same})"


def tells_send_buffer(query: PathQuery) -> bool:
    """Return whether somebody told the sender's buffer."""
    told = query.send_buffer_bytes, query.src.set_up.send_buffer_bytes
    return any(one is not None for one in told)


def tells_buffers(query: PathQuery) -> bool:
    """Return whether somebody told a buffer of either end: what one held is not the other's."""
    return tells_send_buffer(query) or query.dst.set_up.receive_buffer_bytes is not None


def family_of(machine_type: str | None) -> str:
    """Return the family whose machines share a factor; shared-core ones are a family apart.

    >>> family_of("n2-standard-32"), family_of("e2-small"), family_of(None)
    ('n2', 'e2 shared-core', 'no known type')
    """
    if not machine_type:
        return "no known type"
    first, _, size = machine_type.partition("-")
    return f"{first} shared-core" if size in ("micro", "small", "medium") else first


def set_up_alike(whose: str, set_up: str) -> str:
    """Return for whom something is the same with how they are set up, where that is known.

    >>> set_up_alike("own machines", ""), set_up_alike("own machines", "image debian-12")
    ('own machines', 'own machines with image debian-12')
    """
    return f"{whose}{_WITH}{set_up}" if set_up else whose


def whatever_set_up(key: str) -> tuple[str, bool]:
    """Return for whom something is the same without the set-up, and whether there was one.

    >>> whatever_set_up("own machines with image debian-12"), whatever_set_up("all")
    (('own machines', True), ('all', False))
    """
    whose, told, _ = key.partition(_WITH)
    return whose, bool(told)


def without(key: str, *heads: str) -> str:
    """Return for whom something is the same, whatever some parts of the set-up.

    >>> without("own machines with image debian-12, send buffers of 64 MiB", IMAGE)
    'own machines with send buffers of 64 MiB'
    """
    whose, _, told = key.partition(_WITH)
    others = (one for one in told.split(_AND) if not one.startswith(heads))
    return set_up_alike(whose, _AND.join(others))


def taught_by(key: str) -> tuple[str, ...]:
    """Return whose probes tell of a path, the nearest first.

    Those of no recorded image tell of any, those of stock buffers of a greater one at one end.
    """
    near = (key, without(key, IMAGE))
    if without(key, SEND) != key != without(key, RECEIVE):
        return near
    stock = without(key, RECEIVE, SEND)
    return (*near, stock, without(stock, IMAGE), whatever_set_up(key)[0])


def has_buffers_of(asked: str, taught: str, *heads: str) -> bool:
    """Return whether a path and the probes that tell of it have the same buffers."""
    return (without(asked, *heads) == asked) == (without(taught, *heads) == taught)


def window_set_up(query: PathQuery) -> str:
    """Return what of both ends decides what is under way, in words; empty: nothing is known."""
    receiver = query.dst.set_up
    parts = (
        _image(receiver),
        _buffers("receive", receiver.receive_buffer_bytes),
        _buffers("send", query.send_buffer_bytes or query.src.set_up.send_buffer_bytes),
    )
    return _AND.join(filter(None, parts))


def sending_set_up(one: SetUp) -> str:
    """Return what of a set-up decides starts, in words; empty where nothing is known.

    >>> sending_set_up(SetUp(image="debian-12", congestion_control="bbr"))
    'image debian-12, bbr'
    """
    control = "" if one.congestion_control == CUBIC else one.congestion_control
    return _AND.join(filter(None, (_image(one), control, _buffers("send", one.send_buffer_bytes))))


def _image(one: SetUp) -> str:
    # What stands between parts would make one name two of them.
    return f"{IMAGE}{one.image.replace(_AND, ',')}" if one.image else ""


def _buffers(which: str, byte_count: int | None) -> str:
    """Return buffers by the next power of two: those of nearly one size are alike."""
    if byte_count is None:
        return ""
    size = 2 ** math.ceil(math.log2(byte_count))
    return f"{which} buffers of {size / 2**20:g} MiB"


def receiver_key(query: PathQuery) -> str:
    """Return whose machine receives: one of ours, another cloud's, or anybody's."""
    if is_own_receiver(query):
        return OWN
    return query.dst.cloud if query.dst.cloud != OWN_CLOUD else "the internet"
