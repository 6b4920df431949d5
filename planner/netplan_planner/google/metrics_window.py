"""What time is asked for of Cloud Monitoring."""

from datetime import UTC, datetime, timedelta

from netplan_planner.model import Value

DEFAULT_DAYS = 14
"""A weekly peak, twice and what is asked for before a machine is shrunk."""
MOST_DAYS = 42
"""Cloud Monitoring keeps points of a minute for six weeks (docs.cloud.google.com/nat/docs/
monitoring, 2026-04-08)."""
_DELAY_S = 240
"""After sampling, points of these metrics are not visible for up to 240 seconds."""


class MetricsWindow(Value, frozen=True, kw_only=True):
    """What time is asked for."""

    start: datetime
    end: datetime

    @property
    def seconds(self) -> float:
        """Its length."""
        return (self.end - self.start).total_seconds()


def window_until(
    now: datetime, days: float, since: datetime | None = None, until: datetime | None = None
) -> MetricsWindow:
    """Return the window that is read: whole minutes, at most what Cloud Monitoring keeps.

    Args:
        now: The present.
        days: Its length where no beginning is named.
        since: Its beginning, where it is named; without a zone it is UTC.
        until: Its end, where it is named.
    """
    last = now - timedelta(seconds=_DELAY_S)
    end = min(_utc(until), last) if until is not None else last
    end = end.replace(second=0, microsecond=0)
    start = _utc(since) if since is not None else end - timedelta(days=days)
    start = max(start, end - timedelta(days=MOST_DAYS)).replace(second=0, microsecond=0)
    return MetricsWindow(start=min(start, end - timedelta(minutes=1)), end=end)


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
