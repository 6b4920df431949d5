"""The window that a matrix rests on: from the first record to the last, less what is unknown."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from netplan_planner.model import Value
from netplan_planner.traffic.statements.keys import MINUTES_PER_DAY

_SECONDS_PER_MINUTE = 60


class Active(Value, frozen=True, kw_only=True):
    """Records that start in one minute, and the last minute that any of them reaches."""

    first_minute: int
    last_minute: int
    record_count: int


class Window(Value, frozen=True, kw_only=True):
    """First and last observed minute (since 1970), the gaps between, and days of wrong clocks."""

    first_minute: int
    last_minute: int
    gaps: tuple[tuple[int, int], ...] = ()
    """First and last minute of each stretch without any record."""
    skewed_days: tuple[int, ...] = ()
    """Days since 1970 whose records are left out."""
    skewed_count: int = 0
    is_asked: bool = False
    """The user named its beginning and its end: what no record tells of was idle."""

    @property
    def span_minutes(self) -> int:
        """Minutes from the first to the last, gaps included."""
        return self.last_minute - self.first_minute + 1

    @property
    def observed_minutes(self) -> int:
        """Minutes of the window less its gaps."""
        gaps = sum(last - first + 1 for first, last in self.gaps)
        return self.last_minute - self.first_minute + 1 - gaps

    @property
    def start(self) -> datetime:
        """Start of the first minute."""
        return time_of_minute(self.first_minute)

    @property
    def end(self) -> datetime:
        """End of the last minute."""
        return time_of_minute(self.last_minute + 1)


def time_of_minute(minute: int) -> datetime:
    """Return when a minute since 1970 begins."""
    return datetime.fromtimestamp(minute * _SECONDS_PER_MINUTE, tz=UTC)


def find_window(
    activity: Iterable[Active],
    *,
    gap_minutes: int,
    max_skew_days: int,
    skew_ratio: float,
    asked: tuple[int, int] | None = None,
) -> Window | None:
    """Return the observed window, or None when there is no record.

    Args:
        activity: Records by start minute, each minute once or more.
        gap_minutes: A longer silence is a gap.
        max_skew_days: As many days without a record part runs of days from each other.
        skew_ratio: A run with at most this share of the greatest run's records has wrong clocks.
        asked: First minute and minute after of the window that the user named, which has no gaps:
            all of it was looked at.
    """
    rows = sorted(activity, key=lambda row: (row.first_minute, row.last_minute))
    if not rows:
        return None
    skewed, count = _skewed_days(rows, max_skew_days, skew_ratio)
    kept = [row for row in rows if row.first_minute // MINUTES_PER_DAY not in skewed]
    if asked is not None:
        first, until = asked
        return Window(
            first_minute=min(first, kept[0].first_minute),
            last_minute=max(until - 1, *(row.last_minute for row in kept)),
            skewed_days=tuple(sorted(skewed)),
            skewed_count=count,
            is_asked=True,
        )
    gaps = []
    last = kept[0].last_minute
    for row in kept:
        if row.first_minute - last - 1 > gap_minutes:
            gaps.append((last + 1, row.first_minute - 1))
        last = max(last, row.last_minute)
    return Window(
        first_minute=kept[0].first_minute,
        last_minute=last,
        gaps=tuple(gaps),
        skewed_days=tuple(sorted(skewed)),
        skewed_count=count,
    )


def _skewed_days(
    rows: Sequence[Active], max_skew_days: int, skew_ratio: float
) -> tuple[frozenset[int], int]:
    """Return the days whose records have wrong clocks, and how many records those are."""
    records: dict[int, int] = {}
    for row in rows:
        day = row.first_minute // MINUTES_PER_DAY
        records[day] = records.get(day, 0) + row.record_count
    runs: list[list[int]] = []
    for day in sorted(records):
        if runs and day - runs[-1][-1] <= max_skew_days:
            runs[-1].append(day)
        else:
            runs.append([day])
    sizes = [sum(records[day] for day in run) for run in runs]
    bulk = max(sizes)
    isolated = [
        (run, size) for run, size in zip(runs, sizes, strict=True) if size <= skew_ratio * bulk
    ]
    days = {day for run, _ in isolated for day in run}
    # What a isolated record spreads into the next day goes with it, unless that day has records.
    days |= {run[-1] + 1 for run, _ in isolated if run[-1] + 1 not in records}
    return frozenset(days), sum(size for _, size in isolated)
