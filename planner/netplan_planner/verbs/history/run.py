"""Runs of audits over time: what each found, when the level of traffic's cost moved, and why."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError, did_you_mean
from netplan_planner.inert import inert_line
from netplan_planner.model import Direction, Severity
from netplan_planner.planning.run_file import runs_in
from netplan_planner.planning.run_record import RunPath, RunRecord
from netplan_planner.planning.stored_report import OtherSchema, stored_report
from netplan_planner.units import (
    BYTES_PER_GIB,
    HOURS_PER_MONTH,
    SECONDS_PER_HOUR,
    cents,
    counted,
    gbps_from_bytes,
)
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.history.advice import carried_out
from netplan_planner.verbs.history.answer import Cause, HistoryAnswer, HistoryRun, PathDay, Step
from netplan_planner.verbs.history.ask import HistoryAsk
from netplan_planner.verbs.history.causes import causes_of, has_sign
from netplan_planner.verbs.history.moved import PATH, RATE, Cell, Parted, series_of
from netplan_planner.verbs.history.steps import LEAST_BASE, LEAST_NOISE, Shift, shifts

_ONE_STEP_RUNS = 2
"""Runs between the starts of shifts of two path classes that are one step: traffic that moves from
one to the other does so within an update."""
_MONTH_S = HOURS_PER_MONTH * SECONDS_PER_HOUR
_OVERLAP = 1.5
"""Days between runs, by which a window may be longer before it counts as overlapping."""


@verb(
    panel=panels.AUDIT,
    question="How did cost and traffic develop, and what changed when?",
    rows=10,
    ends=always_well,
)
def history(ask: HistoryAsk, now: Now) -> HistoryAnswer:
    """Show the runs of audits over time, what made traffic cost more or less, and advice made.

    A step is a change of cost that lasts at least two runs and stands out from noise and weekdays.
    Exit status: 0, 2 wrong usage, 3 an input could not be read.
    """
    del now
    is_folder = ask.path.is_dir()
    runs, left_out = _reports(ask.path) if is_folder else (runs_in(ask.path), 0)
    if not runs:
        raise InputError(f"{inert_line(str(ask.path))}: no runs in it")
    found = history_of(_of_title(runs, ask.title), str(ask.path))
    note = f"{counted(left_out, 'other JSON file')} left out: no report of this version."
    return replace(found, notes=(*found.notes, note)) if left_out else found


def _reports(folder: Path) -> tuple[tuple[RunRecord, ...], int]:
    """Return the reports of a folder as runs, and how many other JSON files are in it."""
    found: list[RunRecord] = []
    left_out = 0
    for path in sorted(filter(Path.is_file, folder.glob("*.json"))):
        try:
            found.append(stored_report(path, RunRecord))
        except OtherSchema:
            left_out += 1
    return tuple(found), left_out


def _of_title(runs: Sequence[RunRecord], asked: str | None) -> tuple[RunRecord, ...]:
    titles = sorted({one.title for one in runs})
    if asked is None and len(titles) > 1:
        named = ", ".join(inert_line(one) for one in titles)
        raise UsageError(f"--title: runs of several are there, name one: {named}")
    if asked is not None and asked not in titles:
        hint = did_you_mean(asked, titles) or f"; there is {', '.join(map(inert_line, titles))}"
        raise UsageError(f"--title {inert_line(asked)}: no run has it{hint}")
    return tuple(one for one in runs if asked is None or one.title == asked)


def history_of(recorded: Sequence[RunRecord], source: str = "") -> HistoryAnswer:
    """Return what some runs of one title show.

    Args:
        recorded: In the order of recording; at least one. Of several of a day the last counts.
        source: The file or folder.
    """
    by_day = {one.day: one for one in recorded}
    runs = [by_day[day] for day in sorted(by_day)]
    with_traffic = [one for one in runs if one.bill.traffic_usd is not None]
    return HistoryAnswer(
        source=source,
        title=runs[-1].title,
        projects=runs[-1].projects,
        runs=tuple(map(_run, runs)),
        paths=tuple(_path(run, one) for run in with_traffic for one in _sent(run)),
        steps=tuple(reversed(list(steps_of(with_traffic)))),
        carried_out=tuple(carried_out(runs)),
        notes=tuple(_notes(runs, with_traffic, len(recorded))),
    )


def _sent(run: RunRecord) -> Iterator[RunPath]:
    return (one for one in run.traffic_by_class if one.direction is Direction.SENT)


def _run(run: RunRecord) -> HistoryRun:
    has_traffic = run.bill.traffic_usd is not None
    gib = sum((one.gib_per_month for one in _sent(run)), Decimal(0))
    savings = (one.saving_usd_per_month or Decimal(0) for one in run.findings)
    return HistoryRun(
        day=run.day,
        usd_per_month=run.bill.usd_per_month,
        machines_usd=run.bill.machines_usd,
        traffic_usd=run.bill.traffic_usd,
        sent_gib_per_month=gib if has_traffic else None,
        sent_gbps=_gbps(gib) if has_traffic else None,
        max_gbps=max((one.max_gbps for one in run.zone_pairs), default=None),
        finding_count=len(run.findings),
        high_count=sum(one.severity is Severity.HIGH for one in run.findings),
        saving_usd_per_month=sum((max(one, Decimal(0)) for one in savings), Decimal(0)),
    )


def _path(run: RunRecord, one: RunPath) -> PathDay:
    return PathDay(
        day=run.day,
        path_class=one.path_class,
        gib_per_month=one.gib_per_month,
        usd_per_month=one.usd_per_month,
        gbps=_gbps(one.gib_per_month),
    )


def _gbps(gib_per_month: Decimal) -> float:
    return gbps_from_bytes(float(gib_per_month * BYTES_PER_GIB), _MONTH_S)


def steps_of(runs: Sequence[RunRecord]) -> Iterator[Step]:
    """Yield the steps of runs with traffic, by day, one each."""
    days = [one.day for one in runs]
    series = series_of(runs)
    totals = [sum(row[at] for cell, row in series.items() if cell.kind == PATH)
              for at in range(len(runs))]  # fmt: skip
    found = [
        (cell, one)
        for cell, row in series.items()
        for one in shifts(days, row, totals, 0.0 if cell.kind == RATE else LEAST_NOISE)
    ]
    found.sort(key=lambda one: (one[1].start, one[0]))
    groups: list[list[tuple[Cell, Shift]]] = []
    for one in found:
        if groups and one[1].start - groups[-1][0][1].start <= _ONE_STEP_RUNS:
            groups[-1].append(one)
        else:
            groups.append([one])
    starts = [max(group, key=_sharpness)[1].start for group in groups]
    for at, group in enumerate(groups):
        first = starts[at - 1] if at else 0
        end = starts[at + 1] if at + 1 < len(starts) else len(runs)
        step = _step(runs, series, group, Parted(runs, first, starts[at], end), starts[at])
        if step is not None:
            yield step


def _sharpness(found: tuple[Cell, Shift]) -> tuple[bool, float]:
    """Rank a shift by how well it is dated: without the noise of volumes, then by its size.

    A smaller one may have been noticed a run late.
    """
    cell, shift = found
    return cell.kind == RATE, abs(shift.difference)


def _step(
    runs: Sequence[RunRecord],
    series: dict[Cell, list[float]],
    group: list[tuple[Cell, Shift]],
    parted: Parted,
    start: int,
) -> Step | None:
    by_size = sorted(group, key=lambda one: -abs(one[1].difference))
    cells = tuple(dict.fromkeys(cell for cell, _ in by_size))
    causes = _causes_at_same_volume(parted, cells)
    means = {cell: parted.means(series[cell], start) for cell in cells}
    by_cell = {cell: after - before for cell, (before, after) in means.items() if cell.kind != RATE}
    if not causes or (any(by_cell.values()) and not has_sign(causes[0])):
        causes = causes_of(parted.sides(), by_cell) if any(by_cell.values()) else causes
    if not causes:
        return None
    # Dollars once: a group's are over path classes too.
    shown = [cell for cell in cells if cell.kind == PATH] or list(by_cell) or list(cells)[:1]
    return Step(
        day=runs[start].day,
        seen_day=runs[min(one.seen for _, one in group)].day,
        series=tuple(cell.name for cell in cells),
        usd_per_month_before=cents(Decimal(sum(means[cell][0] for cell in shown))),
        usd_per_month_after=cents(Decimal(sum(means[cell][1] for cell in shown))),
        causes=tuple(causes),
    )


def _causes_at_same_volume(parted: Parted, cells: Sequence[Cell]) -> list[Cause]:
    """Return what moved the cost of groups whose volumes are held; empty: no series shows it."""
    held = [cell for cell in cells if cell.kind == RATE]
    if not held:
        return []
    sides = parted.sides(is_at_same_volume=True)
    by_cell = {cell: sum(one.usd for one in sides.moved if cell in one.cells) for cell in held}
    return causes_of(sides, by_cell) if any(by_cell.values()) else []


def _notes(
    runs: Sequence[RunRecord], with_traffic: Sequence[RunRecord], count: int
) -> Iterator[str]:
    if count > len(runs):
        yield f"{counted(count - len(runs), 'run')} of days with a later run left out."
    if len(with_traffic) < len(runs):
        yield f"{counted(len(runs) - len(with_traffic), 'run')} without traffic: not in its lines."
    if len(with_traffic) < LEAST_BASE + 1:
        yield f"What changed is looked for from {LEAST_BASE + 2} runs with traffic on."
    gaps = [
        (later.window_days or 0) - _OVERLAP * (later.day - one.day).days
        for one, later in pairwise(with_traffic)
    ]
    if any(gap > 0 for gap in gaps):
        yield "Windows of traffic overlap: a step shows later and smoother. Audit a day at a time."
