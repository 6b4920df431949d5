"""A guard that fails any file, socket or process opened while it stands."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_hooks: list[Callable[[str], None]] = []
_is_installed = False

FORBIDDEN = ("socket.", "subprocess.", "os.", "shutil.", "sqlite3.", "tempfile.", "urllib.")


def _audit(event: str, args: tuple[Any, ...]) -> None:
    for hook in _hooks:
        hook(event)


def _refuse(event: str) -> None:
    if event == "open" or event.startswith(FORBIDDEN):
        raise AssertionError(f"a rule does I/O: {event}")


@contextmanager
def no_io() -> Iterator[None]:
    """Fail on any file, socket or process that the block opens."""
    global _is_installed
    if not _is_installed:
        # An audit hook stays until the process ends: one is enough.
        sys.addaudithook(_audit)
        _is_installed = True
    _hooks.append(_refuse)
    try:
        yield
    finally:
        _hooks.remove(_refuse)
