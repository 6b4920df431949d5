"""The verbs: one folder each, with what it is asked, what it does, and what its answer says."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from netplan_planner.errors import IncompleteError

Run = TypeVar("Run", bound=Callable[..., Any])
ROWS = "Rows of each table. 0 shows all."
Shows = Callable[[Any, Any, Any, "Now"], Any]


def ignored(text: str) -> None:
    """Take a line that nobody is to see."""
    del text


class Now(NamedTuple):
    """What a run has beside what it is asked."""

    today: date
    say: Callable[[str], None]
    """Where progress goes."""
    config: Path | None = None
    """The configuration file; None: there is none."""
    note: Callable[[str], None] = ignored
    """Where goes what is worth knowing beside an answer."""
    warn: Callable[[str], None] = ignored
    """Where goes what was given and not used."""
    formats: frozenset[str] = frozenset()
    """In which the answer is written."""


def always_well(ask: object, found: object) -> bool:
    """Return that whatever was found is no finding."""
    del ask, found
    return True


def read_in_full(what: str) -> Callable[[Any, Any], bool]:
    """Return what ends a verb with 4 where `--strict` was given and evidence is incomplete."""

    def ended(ask: Any, found: Any) -> bool:
        if ask.is_strict:
            refuse_incomplete(what, found.incomplete)
        return getattr(found, "is_feasible", True)

    return ended


def refuse_incomplete(what: str, incomplete: Sequence[str]) -> None:
    """End with 4 where `--strict` was given and something could not be read in full.

    Raises:
        IncompleteError: If anything is missing.
    """
    if incomplete:
        more = f" (and {len(incomplete) - 1:,} more)" if len(incomplete) > 1 else ""
        raise IncompleteError(f"{what} incomplete and --strict is set: {incomplete[0]}{more}")


def verb(
    *,
    panel: str,
    question: str = "",
    rows: int | None = None,
    explains: str = "",
    top: str = ROWS,
    ends: Callable[[Any, Any], bool] | None = None,
    has_look: bool = False,
    shows: Shows | None = None,
    form: Callable[[Any], str] | None = None,
) -> Callable[[Run], Run]:
    """Return what marks the function that a verb is.

    The command line takes its first parameter's type for what it is asked (`netplan_planner.asks`),
    its docstring for the help page, and writes its answer: a text as it is, None not at all. Where
    to is asked for beside it, but where a field `written` says so.

    Args:
        panel: The task by which `netplan --help` groups it.
        question: What it answers, its line there; a group of commands has that of its first.
        rows: How many rows of each table are shown where `--top` says nothing; None: it has no
            such option, its answer being short.
        explains: What `--explain` does; empty: nothing of its own.
        top: What `--top` does.
        ends: Takes what was asked and the answer, once it is written; returns whether all is well,
            and may raise. Without one an answer is well that is feasible.
        has_look: Whether it is asked for a currency, a width and colours, as all with `rows` are.
        shows: Takes what was asked, the answer, how it is shown, and what the run had;
            returns how it is shown.
        form: Takes what was asked; returns the format where none is named. Without one, text.
    """

    def marked(run: Run) -> Run:
        vars(run).update(
            panel=panel,
            question=question,
            rows=rows,
            explains=explains,
            top=top,
            ends=ends,
            has_look=has_look or rows is not None,
            shows=shows,
            form=form,
        )
        return run

    return marked
