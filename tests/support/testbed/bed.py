"""Machines of a small cloud on this one: network namespaces with caps, delays and two addresses.

Every host has an internal address and an external one. Internal ones meet on a bridge; an external
one is reached through a router, at a rate of its own, as it is on Compute Engine. What a host may
send is shaped where it leaves the host. A host with a delay hangs on the router by a wire that
holds every packet (relay.py). Needs root, `ip`, `tc` with HTB and TUN; no netem.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.testbed.shape import cap_egress, cap_external, cap_ingress

PREFIX = "netplan-bed-"
_NAME = re.compile(PREFIX + r"(\d+)-\w+")
_RELAY = Path(__file__).with_name("relay.py")
_SECONDS = 40
EXTERNAL_NET = "203.0.113.0/24"
"""For documentation (RFC 5737): never anybody's, and here behind the bed's router only."""
_ROUTER = "10.77.0.254"
_STOCK = "congctl cubic"
"""Of every route: the sysctl of a namespace takes only what the whole machine lets anybody use."""
STOCK_RECEIVE_BYTES = 6 * 2**20
STOCK_SEND_BYTES = 4 * 2**20


@dataclass(frozen=True, kw_only=True)
class Host:
    """A machine; None is no cap. Rates are of packets with their headers."""

    name: str
    egress_mbps: float | None = None
    """Of all that it sends."""
    flow_mbps: float | None = None
    """Of each flow of an iperf3 run, with a process or a thread for each."""
    external_mbps: float | None = None
    """Of what it sends to or from external addresses; enforced by the router."""
    ingress_mbps: float | None = None
    delay_ms: float = 0.0
    """One way, between it and everybody else."""
    mtu_bytes: int = 1460
    receive_ceiling_bytes: int = STOCK_RECEIVE_BYTES
    """The last number of `net.ipv4.tcp_rmem`."""
    send_ceiling_bytes: int = STOCK_SEND_BYTES
    """The last number of `net.ipv4.tcp_wmem`."""
    window_bytes: int | None = None
    """The most that it offers to any one stream: 65,535 times a power of two, as TCP's header holds
    it. A greater one is offered where the number is none of these."""

    def __post_init__(self) -> None:
        if self.delay_ms and self.ingress_mbps is not None:
            raise ValueError(f"{self.name}: a host on a delaying wire has no cap on ingress here")


class Bed:
    """Hosts that run; made by `bed_of`."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self.hosts = {host.name: host for host in hosts}
        self._numbers = {host.name: number for number, host in enumerate(hosts, 1)}
        self._relays: list[subprocess.Popen[bytes]] = []

    def namespace(self, name: str) -> str:
        """Return the network namespace of a host, of the `router` or of the `fabric`."""
        return f"{PREFIX}{os.getpid()}-{name}"

    def prefix(self, name: str) -> tuple[str, ...]:
        """Return the words before a command that is to run on a host."""
        return ("ip", "netns", "exec", self.namespace(name))

    def internal(self, name: str) -> str:
        """Return the internal address of a host."""
        net = 1 if self.hosts[name].delay_ms else 0
        return f"10.77.{net}.{self._numbers[name]}"

    def external(self, name: str) -> str:
        """Return the external address of a host."""
        return f"203.0.113.{self._numbers[name]}"

    def run(self, name: str, *words: str) -> str:
        """Return what a command prints on a host; it must succeed."""
        return _run(*self.prefix(name), *words)

    def processes(self) -> dict[int, str]:
        """Return the command lines of all processes in the bed, by their number."""
        found: dict[int, str] = {}
        for name in (*self.hosts, "router", "fabric"):
            for pid in _run("ip", "netns", "pids", self.namespace(name)).split():
                with contextlib.suppress(OSError):
                    line = Path(f"/proc/{pid}/cmdline").read_bytes()
                    found[int(pid)] = line.replace(b"\0", b" ").decode("utf-8", "replace").strip()
        return found

    def build(self) -> None:
        for name in ("fabric", "router", *self.hosts):
            _run("ip", "netns", "add", self.namespace(name))
            self._ip(name, "link set lo up")
            self._sysctl(name, "net.ipv4.conf.all.rp_filter", "0")
            self._sysctl(name, "net.ipv4.conf.default.rp_filter", "0")
            # A router with one arm would tell hosts the short way, past its own cap.
            self._sysctl(name, "net.ipv4.conf.all.send_redirects", "0")
            self._sysctl(name, "net.ipv4.conf.default.send_redirects", "0")
            self._sysctl(name, "net.ipv4.conf.all.accept_redirects", "0")
        self._sysctl("router", "net.ipv4.ip_forward", "1")
        self._ip("fabric", "link add bridge type bridge")
        self._ip("fabric", "link set bridge mtu 9000 up")
        self._plug("router", "eth0", 9000)
        self._ip("router", f"addr add {_ROUTER}/24 dev eth0")
        for host in self.hosts.values():
            self._add(host)
        for device in ("eth0", *(self._wire(one) for one in self._delayed())):
            cap_external(
                self.prefix("router"),
                device,
                [
                    (self.internal(one.name), self.external(one.name), one.external_mbps)
                    for one in self.hosts.values()
                    if one.external_mbps is not None
                ],
                EXTERNAL_NET,
            )

    def close(self) -> None:
        for relay in self._relays:
            relay.kill()
            relay.communicate()
        for name in (*self.hosts, "router", "fabric"):
            _remove(self.namespace(name))

    def _delayed(self) -> list[Host]:
        return [host for host in self.hosts.values() if host.delay_ms]

    def _wire(self, host: Host) -> str:
        return f"wire{self._numbers[host.name]}"

    def _add(self, host: Host) -> None:
        name, internal, external = host.name, self.internal(host.name), self.external(host.name)
        habits = _STOCK if host.window_bytes is None else f"{_STOCK} window {host.window_bytes}"
        if host.delay_ms:
            self._lay_wire(host)
            self._ip(name, f"addr add {internal}/32 dev eth0")
            self._ip(name, f"route add default dev eth0 {habits}")
            self._ip("router", f"route add {internal} dev {self._wire(host)}")
            self._ip("router", f"route add {external} dev {self._wire(host)}")
        else:
            self._plug(name, "eth0", host.mtu_bytes)
            self._ip(name, f"addr add {internal}/24 dev eth0 noprefixroute")
            self._ip(name, f"route add 10.77.0.0/24 dev eth0 src {internal} {habits}")
            self._ip(name, f"route add default via {_ROUTER} {habits}")
            # What is sent from the external address leaves by the router too, both ways alike.
            self._ip(name, f"rule add from {external} lookup 100")
            self._ip(name, f"route add default via {_ROUTER} table 100 {habits}")
            self._ip("router", f"route add {external} via {internal}")
            if host.ingress_mbps is not None:
                cap_ingress(self.prefix("fabric"), f"to-{name}", host.ingress_mbps)
        self._ip(name, f"addr add {external}/32 dev lo")
        cap_egress(self.prefix(name), "eth0", host.egress_mbps, host.flow_mbps)
        # Buffers of a stock kernel, as Compute Engine's images have them.
        self._sysctl(name, "net.ipv4.tcp_rmem", f"4096 131072 {host.receive_ceiling_bytes}")
        self._sysctl(name, "net.ipv4.tcp_wmem", f"4096 16384 {host.send_ceiling_bytes}")
        # Each run begins anew, without what the last one learnt.
        self._sysctl(name, "net.ipv4.tcp_no_metrics_save", "1")

    def _plug(self, name: str, device: str, mtu_bytes: int) -> None:
        """Connect a namespace with the bridge."""
        fabric = self.namespace("fabric")
        peer = f"type veth peer name to-{name} netns {fabric} mtu 9000"
        self._ip(name, f"link add {device} mtu {mtu_bytes} {peer}")
        self._ip("fabric", f"link set to-{name} master bridge up")
        self._ip(name, f"link set {device} up")

    def _lay_wire(self, host: Host) -> None:
        """Connect a host with the router by a wire that holds packets."""
        number = self._numbers[host.name]
        ends = [f"np{os.getpid()}{side}{number}"[-15:] for side in "hr"]
        words = [sys.executable, str(_RELAY), str(host.delay_ms), *ends]
        relay = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._relays.append(relay)
        assert relay.stdout is not None
        if relay.stdout.readline() != b"ready\n":
            raise RuntimeError("the relay of the test bed did not start")
        for end, name, device in (
            (ends[0], host.name, "eth0"),
            (ends[1], "router", self._wire(host)),
        ):
            _run("ip", "link", "set", end, "netns", self.namespace(name), "name", device)
            self._ip(name, f"link set {device} mtu {host.mtu_bytes} txqueuelen 10000 up")

    def _ip(self, name: str, words: str) -> None:
        _run("ip", "-n", self.namespace(name), *words.split())

    def _sysctl(self, name: str, key: str, value: str) -> None:
        path = "/proc/sys/" + key.replace(".", "/")
        _run(*self.prefix(name), "sh", "-c", 'printf "%s" "$1" >"$2"', "sysctl", value, path)


@contextlib.contextmanager
def bed_of(*hosts: Host) -> Iterator[Bed]:
    """Build a bed, and take it down with everything that runs in it."""
    sweep()
    bed = Bed(hosts)
    try:
        bed.build()
        yield bed
    finally:
        bed.close()


def missing() -> str:
    """Return why no test bed can be built here, or an empty text."""
    if os.geteuid() != 0:
        return "a test bed needs root"
    lacking = [name for name in ("ip", "tc", "iperf3") if shutil.which(name) is None]
    if lacking:
        return f"not installed: {', '.join(lacking)}"
    if not Path("/dev/net/tun").exists():
        return "no /dev/net/tun"
    name = f"{PREFIX}{os.getpid()}-trial"
    try:
        _run("ip", "netns", "add", name)
        _run("ip", "-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", "eth1")
        _run(*("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "eth0", "root"), "htb")
    except subprocess.CalledProcessError as exc:
        return f"no network namespaces with HTB here: {exc.stderr.strip()}"
    finally:
        _remove(name)
    return ""


def sweep() -> None:
    """Remove the beds of processes that died without doing so."""
    for line in _run("ip", "netns", "list").splitlines():
        found = _NAME.match(line)
        if found and not Path(f"/proc/{found[1]}").exists():
            _remove(line.split()[0])


def _remove(namespace: str) -> None:
    """Remove a network namespace and end what runs in it."""
    if not Path(f"/run/netns/{namespace}").exists():
        return
    for _ in range(50):
        pids = _run("ip", "netns", "pids", namespace).split()
        if not pids:
            break
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.02)
    _run("ip", "netns", "delete", namespace)


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise subprocess.CalledProcessError(
            done.returncode, words, done.stdout, done.stderr or done.stdout
        )
    return done.stdout
