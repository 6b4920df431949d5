"""Ways to run a command on an end of a path, and the processes here that do."""

import contextlib
import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Sequence

from netplan_planner.errors import AccessError, UsageError
from netplan_planner.inert import inert
from netplan_planner.measuring.guard import BEAT
from netplan_planner.model import Value

# A command is a list of words from beginning to end. Only the far side of SSH takes one text, which
# its login shell splits: there every word is quoted, so that none can be more than a word.


_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@:%+-]*")
"""No leading `-`, which would be an option, and nothing that a `ProxyCommand` with `%h` in the
user's configuration would hand to a shell."""
_VM = re.compile(r"(?:[a-z_][a-z0-9_.-]*@)?[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
_ZONE = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?")
_PROJECT = re.compile(r"[a-z0-9](?:[a-z0-9.:-]*[a-z0-9])?")
_QUIET_SSH = (
    "BatchMode=yes",
    "ConnectTimeout=15",
    # A connection that died is noticed here within 15 s, whatever the far side does.
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
)


class LocalTransport(Value, frozen=True, kw_only=True, tag="local"):
    """The machine here, or what a command of it enters: a network namespace, a container."""

    prefix: tuple[str, ...] = ()
    """Words before every command, such as `ip netns exec blue`."""

    def argv(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return the words to start here so that `command` runs there.

        >>> LocalTransport(prefix=("ip", "netns", "exec", "blue")).argv(["uname", "-r"])
        ('ip', 'netns', 'exec', 'blue', 'uname', '-r')
        """
        return (*self.prefix, *command)

    @property
    def label(self) -> str:
        """How a message names this end."""
        return shlex.join(self.prefix) if self.prefix else "this computer"


class SshTransport(Value, frozen=True, kw_only=True, tag="ssh"):
    """A machine that `ssh HOST` reaches without asking for anything.

    Raises:
        UsageError: If the host is none that SSH could take as a host.
    """

    host: str
    """A name or address, with `user@` where needed."""
    options: tuple[str, ...] = ()
    """More `-o` values, such as `Port=2222`."""

    def __post_init__(self) -> None:
        _require(_HOST, self.host, "host for ssh", "a name or address, `user@` before it if needed")

    def argv(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return the words to start here so that `command` runs there.

        >>> SshTransport(host="vm-1").argv(["echo", "a b"])[-4:]
        ('-T', '--', 'vm-1', "echo 'a b'")
        """
        options = (f"-o{option}" for option in (*_QUIET_SSH, *self.options))
        return ("ssh", *options, "-T", "--", self.host, shlex.join(command))

    @property
    def label(self) -> str:
        """How a message names this end."""
        return f"ssh {self.host}"


class GcloudTransport(Value, frozen=True, kw_only=True, tag="gcloud"):
    """A VM that `gcloud compute ssh` reaches, through Identity-Aware Proxy unless told otherwise.

    Raises:
        UsageError: If a name is none that Google Cloud would give.
    """

    vm: str
    zone: str
    project: str
    is_through_iap: bool = True

    def __post_init__(self) -> None:
        _require(_VM, self.vm, "VM", "the name as `gcloud compute instances list` shows it")
        _require(_ZONE, self.zone, "zone", "a zone such as us-central1-a")
        _require(_PROJECT, self.project, "project", "a project id")

    def argv(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return the words to start here so that `command` runs there.

        >>> GcloudTransport(vm="vm-1", zone="z-a", project="p").argv(["echo", "a b"])[-1]
        "--command=echo 'a b'"
        """
        tunnel = ("--tunnel-through-iap",) if self.is_through_iap else ()
        return (
            *("gcloud", "compute", "ssh", self.vm, f"--zone={self.zone}"),
            *(f"--project={self.project}", *tunnel, "--quiet"),
            *(f"--ssh-flag=-o{option}" for option in _QUIET_SSH),
            f"--command={shlex.join(command)}",
        )

    @property
    def label(self) -> str:
        """How a message names this end."""
        return f"gcloud compute ssh {self.vm}"


Transport = LocalTransport | SshTransport | GcloudTransport


def _require(pattern: re.Pattern[str], text: str, what: str, wanted: str) -> None:
    if not pattern.fullmatch(text):
        raise UsageError(f"{what}: {inert(text)!r} is not valid; give {wanted}")


# A command that runs on an end, as a process here with its input held open
#
# Whatever happens to netplan, the input ends: by `close`, or by the kernel when netplan dies. What
# runs on the far side takes that as the order to stop (guard.py).


_CHUNK_BYTES = 65536
_MOST_BYTES = 32 * 2**20
"""Of output; 16 clients of an hour each stay far below."""
_KEPT_BYTES = 65536
"""Of errors: the last ones."""
_TOLD_LINES = 3
_BEAT_S = 0.5
_TICK_S = 0.25
_TERM_S = 2.0


class Session:
    """One started command; as a context manager it is gone when the block is left."""

    def __init__(self, argv: Sequence[str], *, label: str, grace_s: float = 5.0) -> None:
        """Start `argv`.

        Args:
            argv: The words of the command, with those of the transport.
            label: How a message names it.
            grace_s: How long `close` waits after the input ended before it kills.

        Raises:
            AccessError: If there is no such program here.
        """
        self.label = label
        self.output = bytearray()
        self.errors = bytearray()
        self._grace_s = grace_s
        self._next_beat = 0.0
        try:
            # A session of its own: Ctrl-C goes to netplan alone, which then ends it in order.
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as exc:
            raise AccessError(
                f"{label}: {inert(argv[0])} cannot be started on this computer: {exc.strerror}"
            ) from exc
        self._open = selectors.DefaultSelector()
        for stream, store in (
            (self._process.stdout, self.output),
            (self._process.stderr, self.errors),
        ):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            self._open.register(stream, selectors.EVENT_READ, store)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process here, which leads a process group of its own."""
        return self._process.pid

    @property
    def has_exited(self) -> bool:
        """Whether the process here has ended; it is not collected before `close`.

        Until then its number, and that of its group, belongs to nobody else.
        """
        if self._process.returncode is not None:
            return True
        flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return os.waitid(os.P_PID, self._process.pid, flags) is not None

    @property
    def status(self) -> int | None:
        """The exit status, known after `close`; negative for the signal that ended it."""
        return self._process.returncode

    @property
    def has_ended(self) -> bool:
        """Whether the process here has ended and all of its output was taken."""
        return self.has_exited and not self._open.get_map()

    def attend(self, timeout_s: float) -> None:
        """Take output for at most `timeout_s` seconds, or until there is some; keep it alive.

        Raises:
            AccessError: If it writes without end.
        """
        self._beat()
        has_exited = self.has_exited
        ready = self._open.select(0 if has_exited else max(timeout_s, 0.0))
        for key, _ in ready:
            self._take(key)
        if has_exited and not ready:
            # What it started may hold its pipes open; all that it wrote itself has been read.
            for key in list(self._open.get_map().values()):
                self._open.unregister(key.fileobj)

    def complaint(self) -> str:
        """Return the last lines of what it wrote to its errors, in one line."""
        lines = self.errors.decode("utf-8", "replace").strip().splitlines()
        return inert("; ".join(line.strip() for line in lines[-_TOLD_LINES:]))

    def close(self) -> None:
        """End it: close its input, wait, and kill what is left of its process group.

        An interrupt during the wait makes it shorter, and is raised afterwards.
        """
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._drain(self._grace_s)
        finally:
            try:
                # A shell that keeps iperf3 on a lead ends it on this signal, not on the next.
                self._signal(signal.SIGTERM)
                self._drain(_TERM_S)
            finally:
                self._signal(signal.SIGKILL)
                self._collect()

    def _drain(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self.has_exited and time.monotonic() < deadline:
            self.attend(_TICK_S / 5)

    def _collect(self) -> None:
        self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        self._open.close()

    def _beat(self) -> None:
        stdin = self._process.stdin
        now = time.monotonic()
        if stdin is None or stdin.closed or now < self._next_beat:
            return
        self._next_beat = now + _BEAT_S
        # A full pipe means that the connection stands still: then the far side must not hear us.
        with contextlib.suppress(OSError):
            os.write(stdin.fileno(), BEAT)

    def _take(self, key: selectors.SelectorKey) -> None:
        store: bytearray = key.data
        try:
            chunk = os.read(key.fd, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self._open.unregister(key.fileobj)
            return
        store += chunk
        if store is self.errors:
            del store[:-_KEPT_BYTES]
        elif len(store) > _MOST_BYTES:
            raise AccessError(f"{self.label}: its output does not end; stopped at 32 MiB")

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def attend(sessions: Sequence[Session], *, until: Callable[[], bool], deadline_s: float) -> bool:
    """Take the output of sessions and keep them alive; return whether `until` came true in time.

    Args:
        sessions: The last one's output is waited for; the others are looked at in between.
        until: Asked after every look.
        deadline_s: From now.
    """
    end = time.monotonic() + deadline_s
    while not until():
        left_s = end - time.monotonic()
        if left_s <= 0:
            return False
        for session in sessions[:-1]:
            session.attend(0.0)
        sessions[-1].attend(min(_TICK_S, left_s))
    return True


def run_to_end(argv: Sequence[str], *, label: str, deadline_s: float) -> Session:
    """Return the closed session of a command that ran to its end, with what it wrote.

    Raises:
        AccessError: If it cannot be started, or has not ended in time.
    """
    with Session(argv, label=label) as session:
        if not attend([session], until=lambda: session.has_ended, deadline_s=deadline_s):
            raise AccessError(f"{label}: no answer within {deadline_s:.0f} s")
    return session
