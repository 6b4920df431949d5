"""What runs on an end of a path: a shell that keeps iperf3 on a lead.

The shell starts iperf3 and listens to its own input, on which netplan writes a line now and then.
When the input ends (netplan or the connection has gone), or falls silent (the connection is dead
but nobody was told), it kills what it started. `timeout` ends each process in any case after a
fixed time, also when the shell itself was killed. It needs a POSIX shell, Linux's /proc and the
coreutils; it writes nothing outside of a folder of its own that goes with it.
"""

from collections.abc import Sequence

from netplan_planner.model import Value

BEAT = b"beat\n"
READY = "netplan-ready"
BUSY = "netplan-busy"
FAILED = "netplan-failed"

_LEAD = """
set -u
command -v timeout >/dev/null || { echo "no command named timeout (coreutils)" >&2; exit 127; }
end_group() { kill -s TERM 0; sleep 0.2; clean; sleep 0.3; kill -s KILL 0; }
done_well() {
  trap '' HUP INT TERM
  trap - EXIT
  kill -s KILL "$watcher"
  kill -s TERM 0
  clean
  exit 0
}
exec 3<&0 </dev/null
(
  trap '' HUP INT TERM
  while beat=$(timeout --foreground -k 1 "$silence" head -n 1 <&3) && [ -n "$beat" ]; do :; done
  end_group
) >/dev/null 2>&1 &
watcher=$!
trap 'trap "" EXIT HUP INT TERM; end_group' EXIT HUP INT TERM
"""
"""The watcher is there first, so that nothing is ever started unseen, and outlives the shell. It
ends the process group, which is this command's alone: sessions.py begins a new one here, the SSH
server one there. With `--foreground`, what `timeout` runs stays in the group. A process that is
just being started may miss the first signal, so that the one that none can miss follows."""

_SERVE = (
    """
clean() { :; }
life=$1 silence=$2 left=$3 port=$4 last=$5 program=$6
"""
    + _LEAD
    + f"""
listens() {{
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
    grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$1") [0-9A-F]*:0000 0A "
}}
pids= ports=
while [ "$left" -gt 0 ] && [ "$port" -le "$last" ]; do
  if ! listens "$port"; then
    timeout --foreground -k 2 "$life" "$program" -s -1 -J -p "$port" 3<&- >&2 &
    pids="$pids $!" ports="$ports $port" left=$((left - 1))
  fi
  port=$((port + 1))
done
[ "$left" -eq 0 ] || {{ echo "{BUSY}"; exit 1; }}
for port in $ports; do
  tries=100
  until listens "$port"; do
    tries=$((tries - 1))
    for pid in $pids; do kill -0 "$pid" 2>/dev/null || tries=0; done
    [ "$tries" -gt 0 ] || {{ echo "{FAILED}"; exit 1; }}
    sleep 0.1
  done
done
echo "{READY}$ports"
wait $pids
done_well
"""
)
"""A port that somebody listens on is passed over; whether the server listens is read from the
kernel's table, because a connection to find out would use up its one test. The server's results
go to the client, its own output is only looked at when it fails."""

_RUN = (
    """
pids= folder=${TMPDIR:-/tmp}/netplan-run.$(cat /proc/sys/kernel/random/uuid)
clean() { rm -rf "$folder"; }
life=$1 silence=$2 ports=$3 program=$4
shift 4
"""
    + _LEAD
    + """
ulimit -f 32768
mkdir -m 700 "$folder" || exit 1
for port in $ports; do
  timeout --foreground -k 2 "$life" "$program" "$@" -p "$port" 3<&- >"$folder/$port" &
  pids="$pids $!"
done
wait $pids
cat "$folder"/*
done_well
"""
)
"""Several clients would write into each other's documents: each has a file until all are done. No
file can exceed 16 MiB, or 32 where the shell counts in KiB. The folder has its name before the
watcher starts: whichever of the two kills the rest has removed it first."""

_FACTS = """
program=$1 address=$2 wants_ping=$3
say() { printf '%s=%s\\n' "$1" "$2"; }
say kernel "$(uname -sr)"
say receive_buffers "$(cat /proc/sys/net/ipv4/tcp_rmem)"
say send_buffers "$(cat /proc/sys/net/ipv4/tcp_wmem)"
say congestion_control "$(cat /proc/sys/net/ipv4/tcp_congestion_control)"
say cpus "$(nproc)"
say version "$(timeout -k 1 10 "$program" --version 2>&1 </dev/null | head -n 1)"
say timeout "$(command -v timeout)"
route=$(ip -o route get "$address" | head -n 1)
device=$(printf '%s' "$route" | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')
say source "$(printf '%s' "$route" | sed -n 's/.* src \\([^ ]*\\).*/\\1/p')"
say mtu "$(cat "/sys/class/net/$device/mtu")"
say driver "$(basename "$(readlink "/sys/class/net/$device/device/driver")")"
[ "$wants_ping" = 0 ] || say ping "$(ping -n -q -c 5 -i 0.2 -w 5 "$address" | tail -n 1)"
"""
"""Reads only. What cannot be read leaves its line empty."""


class Lead(Value, frozen=True, kw_only=True):
    """How long a process may live, and how long its shell may hear nothing, both in whole s."""

    life_s: int
    silence_s: int


def serve_command(
    *, program: str, ports: tuple[int, int], count: int, lead: Lead
) -> tuple[str, ...]:
    """Return the command of `count` one-test iperf3 servers on the first free ports of a range.

    It prints `netplan-ready PORT …` when all listen, `netplan-busy` when too few ports are free,
    or `netplan-failed` when a server ended.
    """
    first, last = ports
    numbers = (lead.life_s, lead.silence_s, count, first, last)
    return ("sh", "-c", _SERVE, "netplan-serve", *map(str, numbers), program)


def run_command(
    *, program: str, arguments: Sequence[str], ports: Sequence[int], lead: Lead
) -> tuple[str, ...]:
    """Return the command of one iperf3 client for each port, all at once.

    It prints their outputs one after another, once all have ended.
    """
    listed = " ".join(map(str, ports))
    head = ("sh", "-c", _RUN, "netplan-run", str(lead.life_s), str(lead.silence_s), listed)
    return (*head, program, *arguments)


def facts_command(*, program: str, address: str, wants_ping: bool) -> tuple[str, ...]:
    """Return the command that prints `name=value` lines on an end, with the way to `address`."""
    return ("sh", "-c", _FACTS, "netplan-facts", program, address, str(int(wants_ping)))
