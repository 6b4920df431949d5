"""What the tools may read: files of the folders that were allowed, and nothing of a network."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import Given, real_path
from netplan_planner.planning.project import CLOUD_LOGGING

_REMOTE = re.compile(rf"(?P<scheme>[a-z][a-z0-9+]*):/|{CLOUD_LOGGING}$", re.IGNORECASE)
"""Of a path two slashes have become one."""
_NETWORK = frozenset(
    {"socket.connect", "socket.sendto", "socket.sendmsg"}
    | {"socket.getaddrinfo", "socket.gethostbyname"}
    | {"socket.gethostbyaddr", "socket.getnameinfo"}
)
"""What the interpreter reports before it is done."""


class Confines(NamedTuple):
    """What may be read."""

    folders: tuple[Path, ...]
    """Without links."""
    is_online: bool = False

    def placed(self, text: str) -> str:
        """Return a path as it is in the first allowed folder that has it; others as they are."""
        if not _REMOTE.match(text) and not Path(text).is_absolute():
            for folder in self.folders:
                if os.path.lexists(folder / text):
                    return str(folder / text)
        return text

    def check(self, given: Given) -> None:
        """Refuse to read what is outside; what is not there is refused with the same words.

        Raises:
            UsageError: If a path, or a link in a folder, leads out; if it needs the network.
        """
        text = str(given.path)
        if remote := _REMOTE.match(text):
            if not self.is_online:
                raise UsageError(f"{given.option} {_address(text)}: {not_online()}")
            if (remote["scheme"] or "").lower() == "file":
                raise UsageError(f"{given.option} {_address(text)}: give a local path")
            return
        if not (given.path.exists() and self._holds(given.path)):
            folders = ", ".join(map(str, self.folders)) or "none (start it with --allow DIR)"
            raise UsageError(
                f"{given.option} {inert_line(text)}: no such file in the folders that netplan mcp"
                f" may read: {folders}"
            )
        for link in _links(given.path):
            if not self._holds(link):
                raise UsageError(
                    f"{given.option} {inert_line(text)}: {inert_line(link.name)} is a link to a"
                    " place outside of the folders that netplan mcp may read"
                )

    def _holds(self, path: Path) -> bool:
        place = real_path(path)
        inside = place if place.is_dir() else place.parent
        return any(
            not any(part.startswith(".") for part in inside.relative_to(folder).parts)
            for folder in self.folders
            if inside.is_relative_to(folder)
        )


def _address(text: str) -> str:
    return inert_line(text.replace(":/", "://", 1))


def not_online() -> str:
    """Return what is said where the network would be asked."""
    return "netplan mcp was started without --online: only files can be read"


def _links(folder: Path) -> Iterator[Path]:
    """Yield the links in a folder; what is hidden is read by nobody."""
    for place, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(".")]
        for name in (*folders, *files):
            if (path := Path(place, name)).is_symlink():
                yield path


def refuse_network() -> None:
    """Refuse every connection of this process from now on, whatever asks for it."""

    def refuse(event: str, arguments: object) -> None:
        del arguments
        if event in _NETWORK:
            raise UsageError(not_online())

    sys.addaudithook(refuse)
