"""The verbs: one folder each, with what it is asked, what it does, and what its answer says."""

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple, TypeVar

Run = TypeVar("Run", bound=Callable[..., Any])
ROWS = "Rows of each table; 0: all."


class Now(NamedTuple):
    """What a run has beside what it is asked."""

    today: date
    say: Callable[[str], None]
    """Where progress goes."""


def verb(
    *,
    panel: str,
    rows: int | None = None,
    explains: str = "",
    top: str = ROWS,
    ends: Callable[[Any, Any], bool] | None = None,
) -> Callable[[Run], Run]:
    """Return what marks the function that a verb is.

    The command line takes its first parameter's type for what it is asked (`netplan_planner.asks`),
    its docstring for the help page, and writes its answer; a text is written as it is.

    Args:
        panel: The task by which `netplan --help` groups it.
        rows: How many rows of each table are shown where `--top` says nothing; None: it has no
            such options, its answer being short.
        explains: What `--explain` does; empty: nothing of its own.
        top: What `--top` does.
        ends: Takes what was asked and the answer, once it is written; returns whether all is well,
            and may raise. Without one an answer is well that is feasible.
    """

    def marked(run: Run) -> Run:
        vars(run).update(panel=panel, rows=rows, explains=explains, top=top, ends=ends)
        return run

    return marked
