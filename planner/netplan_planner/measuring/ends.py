"""What an end of a path is: kernel, buffers, network card and iperf3, read and never changed."""

import re

import msgspec

from netplan_planner.errors import AccessError
from netplan_planner.inert import inert
from netplan_planner.measuring.campaign import Patience, ProbeEnd
from netplan_planner.measuring.guard import facts_command
from netplan_planner.measuring.outputs.base import address_in
from netplan_planner.measuring.protocol import OLDEST
from netplan_planner.measuring.transports import run_to_end
from netplan_planner.model import MeasuredEnd, Value
from netplan_planner.throughput.transport.tools import THREADED_TEXT, Version

_VERSION = re.compile(r"^iperf (\d{1,3})\.(\d{1,3})\S*")
_PING = re.compile(r"min/avg/max(?:/\w+)? = (\d+(?:\.\d+)?)/")
_GOOGLE_NIC_TYPES = {"virtio_net": "VIRTIO_NET", "gve": "GVNIC", "idpf": "IDPF"}
"""Drivers of Linux by the names that Compute Engine has for the network interface."""
_TEXT_LENGTH = 200


class EndFacts(Value, frozen=True, kw_only=True):
    """What was read on an end; None is "could not be read"."""

    version: Version
    """Of iperf3."""
    kernel: str | None = None
    congestion_control: str | None = None
    receive_ceiling_bytes: int | None = None
    send_ceiling_bytes: int | None = None
    vcpus: int | None = None
    mtu_bytes: int | None = None
    """Of the interface towards the other end."""
    driver: str | None = None
    source: str | None = None
    """The address that the end sends from."""
    ping_ms: float | None = None
    """The least of five."""


def read_facts(end: ProbeEnd, *, address: str, wants_ping: bool, patience: Patience) -> EndFacts:
    """Return what an end says of itself and of its way to `address`.

    Raises:
        AccessError: If the end does not answer, or has no iperf3 that serves, or no `timeout`.
    """
    label = end.transport.label
    argv = end.transport.argv(
        facts_command(program=end.iperf3, address=address, wants_ping=wants_ping)
    )
    session = run_to_end(argv, label=label, deadline_s=patience.start_s)
    lines = session.output.decode("utf-8", "replace").splitlines()
    told = dict(reversed([line.split("=", 1) for line in lines if "=" in line]))
    if "kernel" not in told:
        said = session.complaint() or f"exit status {session.status}"
        raise AccessError(f"{label}: it did not answer ({said})")
    if not told.get("timeout"):
        raise AccessError(f"{label}: the command `timeout` is missing; install coreutils")
    ping = _PING.search(told.get("ping", ""))
    return EndFacts(
        version=_version(told.get("version", ""), label=label, program=end.iperf3),
        kernel=_text(told.get("kernel")),
        congestion_control=_text(told.get("congestion_control")),
        receive_ceiling_bytes=_last_number(told.get("receive_buffers", "")),
        send_ceiling_bytes=_last_number(told.get("send_buffers", "")),
        vcpus=_number(told.get("cpus")),
        mtu_bytes=_number(told.get("mtu")),
        driver=_text(told.get("driver")),
        source=address_in(told.get("source")),
        ping_ms=float(ping[1]) if ping else None,
    )


def described(end: ProbeEnd, facts: EndFacts, measured: MeasuredEnd) -> MeasuredEnd:
    """Return an end with all that is known: of the inventory, of the end itself, of the run."""
    told = {
        "name": end.described.name or measured.name,
        "address": measured.address,
        "kernel": facts.kernel,
        "congestion_control": measured.congestion_control or facts.congestion_control,
        "receive_ceiling_bytes": facts.receive_ceiling_bytes,
        "send_ceiling_bytes": facts.send_ceiling_bytes,
        "vcpus": facts.vcpus,
        "nic_type": _GOOGLE_NIC_TYPES.get(facts.driver or "", facts.driver),
        "cpu_ratio": measured.cpu_ratio,
    }
    known = {name: value for name, value in told.items() if value is not None}
    return msgspec.structs.replace(end.described, **known)


def _version(line: str, *, label: str, program: str) -> Version:
    found = _VERSION.match(line)
    if found is None:
        said = f" (it printed {inert(line, _TEXT_LENGTH)!r})" if line else ""
        raise AccessError(
            f"{label}: {inert(program)} is not iperf3{said}; install it: apt-get install iperf3"
        )
    version = int(found[1]), int(found[2])
    if version < OLDEST:
        raise AccessError(
            f"{label}: iperf3 {version[0]}.{version[1]} is too old; it needs"
            f" {OLDEST[0]}.{OLDEST[1]} or newer, best {THREADED_TEXT} or newer"
        )
    return version


def _text(text: str | None) -> str | None:
    return inert(text.strip(), _TEXT_LENGTH) or None if text else None


def _last_number(text: str) -> int | None:
    """Return the greatest of a buffer's least, usual and greatest size."""
    return _number((text.split() or [""])[-1])


def _number(text: str | None) -> int | None:
    # More digits than any of these has are somebody's joke.
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None
