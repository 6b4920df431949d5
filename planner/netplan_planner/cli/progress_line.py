"""The line of progress on a terminal, drawn by rich, which takes 40 ms to import."""

from collections.abc import Callable

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table


def shown(line: Callable[[], Table]) -> Live:
    """Return what shows a line on standard error, four times a second, and takes it away."""
    return Live(
        get_renderable=line,
        console=Console(stderr=True),
        transient=True,
        refresh_per_second=4,
        redirect_stdout=False,
        redirect_stderr=False,
    )


def line_of(name: str, reached: float, total: float, told: str) -> Table:
    """Return a line: what is done, a bar, and how far it has come.

    Args:
        name: Of the work.
        reached: How much of it is done.
        total: Of how much; 0 where nobody knows: the bar then moves to and fro.
        told: The words behind it.
    """
    bar = ProgressBar(
        total=total or 1.0, completed=reached if total else 0.0, pulse=not total, width=24
    )
    grid = nothing()
    grid.add_row(name, bar, told)
    return grid


def nothing() -> Table:
    """Return a line without anything on it."""
    return Table.grid(padding=(0, 1))
