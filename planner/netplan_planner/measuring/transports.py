"""Ways to run a command on an end of a path: here, over SSH, or over `gcloud compute ssh`.

A command is a list of words from beginning to end. Only the far side of SSH takes one text, which
its login shell splits: there every word is quoted, so that none can be more than a word.
"""

import re
import shlex
from collections.abc import Sequence

from netplan_planner.errors import UsageError
from netplan_planner.inert import inert
from netplan_planner.model import Value

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
        return shlex.join(self.prefix) if self.prefix else "this machine"


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
        _require(_HOST, self.host, "host of ssh", "a name or address, `user@` before it if needed")

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
        raise UsageError(f"{what}: {inert(text)!r} cannot be one; give {wanted}")
