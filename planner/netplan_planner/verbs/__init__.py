"""The verbs: one folder each, with what it is asked, what it does, and what its answer says."""

from collections.abc import Callable
from typing import Any, TypeVar

Run = TypeVar("Run", bound=Callable[..., Any])


def verb(*, panel: str, rows: int, explains: str) -> Callable[[Run], Run]:
    """Return what marks the function that a verb is.

    The command line takes its first parameter's type for what it is asked (`netplan_planner.asks`),
    its docstring for the help page, and writes its answer.

    Args:
        panel: The task by which `netplan --help` groups it.
        rows: How many rows of each table are shown where `--top` says nothing.
        explains: What `--explain` does.
    """

    def marked(run: Run) -> Run:
        vars(run).update(panel=panel, rows=rows, explains=explains)
        return run

    return marked
