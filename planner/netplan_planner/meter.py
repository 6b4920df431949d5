"""How far long work is: told by whoever does it, shown by whoever listens, or by nobody.

    with work("flow logs", total=size_bytes, unit="bytes"):
        for batch in batches:
            read(batch)
            advance(batch.size_bytes)

Work inside other work is not shown: what the outermost says is what a person waits for. Nothing
here decides anything; an answer is the same whether or not anybody listens.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Notice(str):
    """A line on what is paid: shown where nobody watches, and with `--quiet`, too."""

    __slots__ = ()


Sampled = Callable[[], float]
"""Returns which share of a part is done, 0 to 1; called from another thread."""


class Listener(Protocol):
    """Shows work."""

    def begin(self, name: str, total: float | None, unit: str) -> None:
        """Show a new piece of work; `total` None: nobody knows how much it is."""

    def advance(self, count: float) -> None:
        """Show that more of it is done."""

    def sample(self, count: float, sampled: Sampled | None) -> None:
        """Show a part of `count` by what `sampled` says of it, until told of none."""

    def end(self) -> None:
        """Show it no longer."""


_listeners: list[Listener] = []
_depth = [0]


@contextmanager
def shown_by(listener: Listener) -> Iterator[None]:
    """Let somebody listen inside the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def is_shown() -> bool:
    """Return whether anybody listens: then it may cost something to know how far work is."""
    return bool(_listeners)


@contextmanager
def work(name: str, *, unit: str, total: float | None = None) -> Iterator[None]:
    """Tell of a piece of work that is done inside the block.

    Args:
        name: What is done, in a few words: `reading flow logs`.
        unit: What is counted: `bytes`, `records`, `lists`.
        total: How many of them; None where it is not known.
    """
    is_outermost = not _depth[0]
    _depth[0] += 1
    try:
        if is_outermost:
            for listener in _listeners:
                listener.begin(name, total, unit)
        yield
    finally:
        _depth[0] -= 1
        if is_outermost:
            for listener in _listeners:
                listener.end()


def advance(count: float = 1.0) -> None:
    """Tell that more of the work is done; of work inside other work, to no effect."""
    if _depth[0] == 1:
        for listener in _listeners:
            listener.advance(count)


@contextmanager
def part(count: float, sampled: Sampled) -> Iterator[None]:
    """Tell how far a part of the work is that takes long by itself."""
    is_told = _depth[0] == 1
    for listener in _listeners if is_told else ():
        listener.sample(count, sampled)
    try:
        yield
    finally:
        for listener in _listeners if is_told else ():
            listener.sample(0.0, None)
