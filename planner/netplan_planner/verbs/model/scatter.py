"""A picture of predictions against measurements, drawn by matplotlib where it is installed."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert
from netplan_planner.verbs.model.answer import Evaluation
from netplan_planner.writing import written_whole

try:
    import matplotlib.figure
except ImportError:
    matplotlib = None  # type: ignore[assignment]
FORMATS = (".svg", ".png")
INSTALL = "the picture needs matplotlib: pip install 'gce-netplan[plot]'"


def write_scatter(path: Path, answer: Evaluation) -> None:
    """Write a scatter plot on logarithmic axes, a colour for each group.

    Raises:
        UsageError: If the file's ending names no format, or matplotlib is not installed.
        InputError: If the file cannot be written, or no row has both figures.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"--plot {path.name!r}: the file ends in {' or '.join(FORMATS)}")
    if not answer.rows:
        raise InputError("no row has a measured and a predicted value, so the plot would be empty")
    measured = np.array([one.measured_gbps for one in answer.rows])
    predicted = np.array([one.gbps for one in answer.rows])
    group = np.array([one.name for one in answer.rows])
    figure = _figure(measured, predicted, group, f"{answer.name}: predicted against measured")
    with written_whole(path) as new:
        # Without a date and with fixed ids: the same rows give the same file.
        figure.savefig(new, format=path.suffix[1:].lower(), metadata=_no_date(path))


def _no_date(path: Path) -> dict[str, Any]:
    return {"Date": None} if path.suffix.lower() == ".svg" else {"Software": None}


def _figure(
    measured: NDArray[np.float64],
    predicted: NDArray[np.float64],
    group: NDArray[np.str_],
    title: str,
) -> Any:
    if matplotlib is None:
        raise UsageError(INSTALL)
    matplotlib.rcParams["svg.hashsalt"] = "netplan"
    figure = matplotlib.figure.Figure(figsize=(8, 7), layout="constrained")
    axes = figure.add_subplot()
    ends = [min(measured.min(), predicted.min()) / 1.2, max(measured.max(), predicted.max()) * 1.2]
    axes.plot(ends, ends, color="0.4", linewidth=1, label="predicted = measured")
    for off in (0.8, 1.25):
        axes.plot(ends, [end * off for end in ends], color="0.8", linewidth=0.8)
    for name in np.unique(group):
        rows = group == name
        axes.scatter(measured[rows], predicted[rows], s=6, alpha=0.5, label=inert(str(name), 60))
    axes.set(
        xscale="log",
        yscale="log",
        xlim=ends,
        ylim=ends,
        xlabel="measured, Gbit/s",
        ylabel="predicted, Gbit/s",
        title=inert(title, 80),
    )
    axes.legend(loc="upper left", fontsize="small")
    return figure
