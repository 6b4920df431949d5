"""A guard that fails any file, socket or process opened while it stands."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

_hooks: list[Callable[[str], None]] = []
_is_installed = False

CALLING = frozenset(
    (
        *("socket.__new__", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname"),
        *("socket.sendto", "socket.bind"),
    )
)
FORBIDDEN = ("socket.", "subprocess.", "os.", "shutil.", "sqlite3.", "tempfile.", "urllib.")


def _audit(event: str, args: tuple[Any, ...]) -> None:
    for hook in _hooks:
        hook(event)


def _refuse(event: str) -> None:
    if event == "open" or event.startswith(FORBIDDEN):
        raise AssertionError(f"a rule does I/O: {event}")


def _refuse_sockets(event: str) -> None:
    if event in CALLING:
        raise AssertionError(f"somebody is asked: {event}")


def no_io() -> AbstractContextManager[None]:
    """Fail on any file, socket or process that the block opens."""
    return _watched(_refuse)


def no_sockets() -> AbstractContextManager[None]:
    """Fail on any socket that the block makes, and any name that it looks up."""
    return _watched(_refuse_sockets)


@contextmanager
def _watched(refuse: Callable[[str], None]) -> Iterator[None]:
    global _is_installed
    if not _is_installed:
        # An audit hook stays until the process ends: one is enough.
        sys.addaudithook(_audit)
        _is_installed = True
    _hooks.append(refuse)
    try:
        yield
    finally:
        _hooks.remove(refuse)
