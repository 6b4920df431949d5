"""The caps of the test bed, as qdiscs of the kernel: HTB, with short queues."""

import subprocess
from collections.abc import Sequence

_SECONDS = 20
_FLOW_CLASSES = 32 * 32
_FIRST_FLOW_CLASS = 0x400
_SOURCE_PORT, _TARGET_PORT = 0xFFF00014, 0xFFF00016
"""Bytes 20 and 22 from the network header, where TCP's begins; -0x100000 means "from there"."""
_FLOW_CLASS_OF_PORTS = (
    (0x28, 0, 0, _SOURCE_PORT),  # A = source port
    (0x07, 0, 0, 0),  # X = A
    (0x28, 0, 0, _TARGET_PORT),  # A = target port
    (0x3D, 3, 0, 0),  # if A >= X, the server's is X: over the next three
    (0x02, 0, 0, 0),  # M = A, the server's
    (0x87, 0, 0, 0),  # A = X, the client's
    (0x05, 0, 0, 1),
    (0x03, 0, 0, 0),  # M = X
    (0x74, 0, 0, 1),  # the client's ports of one process are two apart
    (0x54, 0, 0, 31),
    (0x07, 0, 0, 0),
    (0x60, 0, 0, 0),
    (0x54, 0, 0, 31),
    (0x64, 0, 0, 5),
    (0x4C, 0, 0, 0),  # A = 32 x (server's port mod 32) + client's port / 2 mod 32
    (0x04, 0, 0, 0x10000 + _FIRST_FLOW_CLASS),
    (0x16, 0, 0, 0),  # the class is A
)
"""A class for each flow of an iperf3 run: the servers' ports differ, or the clients' follow each
other. Classic BPF in the form of `tc-bpf`: operation, jumps, operand."""
_QUEUE_S = 0.03
_LEAST_QUEUE_BYTES = 256 * 1024
"""Of a queue: four packets of 64 KiB, as the offload hands them over."""
_QUANTUM_BYTES = 20_000
_BITS_PER_MBIT = 1_000_000


def cap_egress(
    prefix: Sequence[str], device: str, egress_mbps: float | None, flow_mbps: float | None
) -> None:
    """Cap all that leaves by a device, and each flow to or from a server's port."""
    if egress_mbps is None and flow_mbps is None:
        return
    # Without a cap of the whole, one that no flow here reaches.
    whole_mbps = egress_mbps if egress_mbps is not None else 100_000.0
    lines = [
        f"qdisc add dev {device} root handle 1: htb default 10",
        _class(device, "1:", "1:1", whole_mbps, whole_mbps),
        _class(device, "1:1", "1:10", whole_mbps, whole_mbps),
        _queue(device, "1:10", whole_mbps),
    ]
    if flow_mbps is not None:
        for number in range(_FLOW_CLASSES):
            name = f"1:{_FIRST_FLOW_CLASS + number:x}"
            # A class may always use its own rate: a small one, so that the whole holds.
            lines.append(_class(device, "1:1", name, whole_mbps / 1000, flow_mbps))
            lines.append(_queue(device, name, flow_mbps))
        code = ",".join(" ".join(map(str, step)) for step in _FLOW_CLASS_OF_PORTS)
        count = len(_FLOW_CLASS_OF_PORTS)
        lines.append(
            f"filter add dev {device} parent 1: protocol ip prio 1"
            f" bpf bytecode '{count},{code}' classid 1:10"
        )
    _tc(prefix, lines)


def cap_external(
    prefix: Sequence[str],
    device: str,
    hosts: Sequence[tuple[str, str, float]],
    external_net: str,
) -> None:
    """Cap what a router passes on for each host to or from external addresses.

    Args:
        prefix: Words that enter the router.
        device: One of its own.
        hosts: Internal address, external address and cap of each.
        external_net: All external addresses.
    """
    # What no filter takes passes unshaped.
    lines = [f"qdisc add dev {device} root handle 1: htb"]
    for number, (internal, external, mbps) in enumerate(hosts, 10):
        lines += [
            _class(device, "1:", f"1:{number}", mbps, mbps),
            _queue(device, f"1:{number}", mbps),
            _filter(device, f"match ip src {external}", f"1:{number}"),
            _filter(device, f"match ip src {internal} match ip dst {external_net}", f"1:{number}"),
        ]
    _tc(prefix, lines)


def cap_ingress(prefix: Sequence[str], device: str, mbps: float) -> None:
    """Cap what a host receives, at the far end of its cable."""
    _tc(
        prefix,
        [
            f"qdisc add dev {device} root handle 1: htb default 10",
            _class(device, "1:", "1:10", mbps, mbps),
            _queue(device, "1:10", mbps),
        ],
    )


def _class(device: str, parent: str, name: str, rate_mbps: float, ceil_mbps: float) -> str:
    rate, ceil = (round(mbps * _BITS_PER_MBIT) for mbps in (rate_mbps, ceil_mbps))
    return (
        f"class add dev {device} parent {parent} classid {name} htb"
        f" rate {rate}bit ceil {ceil}bit quantum {_QUANTUM_BYTES}"
    )


def _queue(device: str, parent: str, mbps: float) -> str:
    limit = max(round(mbps * _BITS_PER_MBIT / 8 * _QUEUE_S), _LEAST_QUEUE_BYTES)
    return f"qdisc add dev {device} parent {parent} bfifo limit {limit}"


def _filter(device: str, match: str, target: str) -> str:
    return f"filter add dev {device} parent 1: protocol ip prio 1 u32 {match} flowid {target}"


def _tc(prefix: Sequence[str], lines: Sequence[str]) -> None:
    done = subprocess.run(
        [*prefix, "tc", "-batch", "-"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"tc refuses the caps of the test bed: {done.stderr.strip()}")
