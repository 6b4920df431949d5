"""Keeps what days of logs add up to in a dataset, one table a day, so that a day is read once.

This is all that netplan writes to BigQuery, and only to the dataset that `--rollup` names. A table
is written whole by one statement, with the state of the logs that it was made of: a run that breaks
off leaves no half day, and of two runs at once the later one's whole day stands.

That a day has changed is told by what BigQuery says of its partition (rows, and when it was written
last), asked before the day is read. See docs/adr/0031-rollup.md for what this relies on.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

from netplan_planner.errors import NetplanError, UsageError
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.queries import (
    RECORDS,
    WRITING,
    BigQueryEngine,
    Estimate,
    Jobs,
    of_days,
    of_kept,
    of_look,
    told,
    types,
)
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.bigquery.states import states_of
from netplan_planner.google.bigquery.tables import Found, LogTable, query_of_day
from netplan_planner.model import Inventory, TrafficMatrix, Value
from netplan_planner.traffic import day_sums
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.statements import rolled
from netplan_planner.traffic.statements.day_sums import OF_OTHER_DAYS
from netplan_planner.units import counted

SETTLED = timedelta(hours=2)
"""How long after its end a day may be kept: entries come up to 20 minutes late (`DELAY`), and rows
that are streamed stay up to 90 minutes in BigQuery's buffer."""

_EPOCH = date(1970, 1, 1)
_MOST_DAYS = 900
"""A query may name 1,000 tables (cloud.google.com/bigquery/quotas)."""


class LogDay(Value, frozen=True, kw_only=True):
    """A day of logs that a window looks at."""

    day: date
    tables: tuple[LogTable, ...]
    state: str
    """Of the logs; another one when they have changed."""
    is_over: bool
    is_kept: bool

    @property
    def number(self) -> int:
        """Days since 1970."""
        return (self.day - _EPOCH).days


class Rollup:
    """The days of a window in a dataset that keeps their sums.

    Args:
        service: Tells what the datasets hold.
        jobs: A session of it.
        place: Where the logs are.
        kept: Where the sums of days are kept.
        found: The tables of the logs.
        options: Choices; the window is of whole days.
        until: Up to which moment entries are looked for.
        now: The time.
        allow: Is told how many bytes are to be read to see which days have changed; raises what
            says that they are too many.

    Raises:
        UsageError: If sums of this place or window cannot be kept there.
        NetplanError: What the service refuses, by name.
    """

    def __init__(
        self,
        service: Service,
        jobs: Jobs,
        place: Place,
        kept: Place,
        found: Found,
        options: TrafficOptions,
        *,
        until: datetime,
        now: datetime,
        allow: Callable[[int], None],
    ) -> None:
        assert options.since is not None
        self._service = service
        self._jobs = jobs
        self._place = place
        self._kept = kept
        self._options = options
        self._until = until + day_sums.DELAY
        self.shown = f"--rollup {kept.project}.{kept.dataset}"
        self._window = day_sums.days_of(options)
        self._check(found)
        since = options.since - day_sums.DELAY
        self._states = states_of(jobs, place, found, since, self._until, allow)
        text = f"{place} {day_sums.key_of(options)}"
        self._key = sha256(text.encode()).hexdigest()[:16]
        self.days = self._days(found, since, now)
        self.buffered = tuple(t.name for t in found.tables if t.buffered_count)

    def _check(self, found: Found) -> None:
        """Refuse what sums by day cannot tell."""
        kept, place = self._kept, self._place
        if (kept.project, kept.dataset) == (place.project, place.dataset):
            raise UsageError(f"{self.shown}: holds the flow logs: name another dataset")
        with told(self.shown, WRITING):
            location = self._service.location(kept)
        if location != found.location:
            raise UsageError(
                f"{self.shown}: is in {location}, but the logs are in {found.location}. Name a"
                f" dataset in {found.location}: a query stays in one location"
            )
        for table in found.tables:
            if table.time_column is None:
                raise UsageError(
                    f"{self.shown}: {table.name} has no column timestamp of type TIMESTAMP, which"
                    " tells the day"
                )
        kinds = {table.day is None for table in found.tables}
        if len(kinds) > 1:
            raise UsageError(
                f"{self.shown}: {place} has both daily tables and a partitioned table, so a day's"
                " entries may be in both. Name one table, or leave out --rollup"
            )

    def _days(self, found: Found, since: datetime, now: datetime) -> tuple[LogDay, ...]:
        with told(self.shown, WRITING):
            listed = set(self._service.tables(self._kept))
        days = []
        day, last = since.date(), (self._until - timedelta(microseconds=1)).date()
        while day <= last:
            tables = tuple(t for t in found.tables if t.day in {None, day})
            midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
            if tables:
                state = self._states.of(day)
                is_over = midnight + timedelta(days=1) + SETTLED <= now
                is_listed = is_over and self._name(day) in listed
                days.append(
                    LogDay(
                        day=day,
                        tables=tables,
                        state=state,
                        is_over=is_over,
                        is_kept=is_listed and self._described(day) == self._description(day, state),
                    )
                )
            day += timedelta(days=1)
        if len(days) > _MOST_DAYS:
            raise UsageError(f"{self.shown}: {len(days):,} days: give at most {_MOST_DAYS}")
        return tuple(days)

    def _name(self, day: date) -> str:
        return f"netplan_sums_{self._key}_{day:%Y%m%d}"

    def _table(self, day: date) -> str:
        return f"`{self._kept.project}`.`{self._kept.dataset}`.`{self._name(day)}`"

    def _description(self, day: date, state: str) -> str:
        return f"netplan: sums of {self._place} of {day.isoformat()}, state {state}"

    def _described(self, day: date) -> str | None:
        with told(self.shown, WRITING):
            return self._service.table(self._kept, self._name(day)).description

    def _query(self, day: LogDay) -> str:
        # What is kept is the whole day, of which this window may see its first minutes alone.
        midnight = datetime(day.day.year, day.day.month, day.day.day, tzinfo=UTC)
        until = midnight + timedelta(days=1) if day.is_over else self._until
        return "\nUNION ALL\n".join(
            query_of_day(table, self._place, day.day, until) for table in day.tables
        )

    def estimate(self) -> Estimate:
        """Return what the logs and the kept sums are, having seen that sums may be kept.

        Raises:
            AccessError: If a table may not be made in the dataset.
        """
        missing = [day for day in self.days if not day.is_kept]
        kept = [day for day in self.days if day.is_kept]
        records = sum(self._jobs.dry_run_bytes(self._query(day)) for day in missing)
        for day in missing:
            if day.is_over:
                # Before anything is paid for: the same rights as at the end of the day's reading.
                self._jobs.dry_run_bytes(self._writing(day, "SELECT 1 AS kind"), writes=self.shown)
                break
        sums = self._jobs.dry_run_bytes(self._union(kept)) if kept else 0
        return of_days(records) + of_kept(sums) + of_look(self._states.byte_count)

    def _writing(self, day: LogDay, query: str) -> str:
        return (
            f"CREATE OR REPLACE TABLE {self._table(day.day)}"
            f' OPTIONS (description = "{self._description(day.day, day.state)}",'
            f' labels = [("tool", "netplan")]) AS {query}'
        )

    def _union(self, days: Sequence[LogDay]) -> str:
        return "\nUNION ALL\n".join(self._rows(day, self._table(day.day)) for day in days)

    def _rows(self, day: LogDay, source: str) -> str:
        columns = ", ".join(f"`{name}`" for name in types("day_sum"))
        parts = day_sums.parts_seen(day.number, *self._window)
        return (
            f"SELECT {columns}, {day.number} AS log_day FROM {source}"
            f" WHERE {day_sums.rows_seen(parts)}"
        )

    def read(self, inventory: Inventory, inputs: Inputs) -> TrafficMatrix:
        """Return the matrix of the days; see `gather`."""
        return day_sums.read(
            self.gather(), inventory, self._options, shown=str(self._place), inputs=inputs
        )

    def gather(self) -> BigQueryEngine:
        """Sum the days that are not kept, keep those that are over, and return the sums of all.

        Raises:
            NetplanError: If a day's sums were made anew by another run meanwhile.
        """
        jobs, options = self._jobs, self._options
        engine = BigQueryEngine(jobs)
        engine.create("rolled")
        columns = ", ".join(f"`{name}`" for name in types("rolled"))
        kept = [day for day in self.days if day.is_kept]
        if kept:
            jobs.run(f"INSERT INTO `rolled` ({columns})\n{self._union(kept)}")
        missing = [day for day in self.days if not day.is_kept]
        sums = day_sums.DaySums(engine, options) if missing else None
        for day in missing:
            assert sums is not None
            jobs.run(f"CREATE OR REPLACE TEMP TABLE {RECORDS} AS\n{self._query(day)}")
            if day.tables[0].day is not None and engine.value(OF_OTHER_DAYS):
                raise UsageError(
                    f"{self.shown}: {day.tables[0].name} holds entries of other days than"
                    f" {day.day.isoformat()}, which no log sink writes. Leave out --rollup"
                )
            sums.fill(day.state)
            if day.is_over:
                jobs.run(self._writing(day, "SELECT * FROM `day_sum`"), writes=self.shown)
            jobs.run(f"INSERT INTO `rolled` ({columns})\n{self._rows(day, '`day_sum`')}")
        self._check_states(engine)
        return engine

    def _check_states(self, engine: BigQueryEngine) -> None:
        """See that what was read is what was looked for: another run may have put it there."""
        found: dict[int, str] = dict(engine.rows(rolled.STATES))
        for day in self.days:
            if found.get(day.number) != day.state:
                raise NetplanError(
                    f"{self.shown}: another run stored {day.day.isoformat()} of another state of"
                    " the logs meanwhile: run again"
                )

    def told(self) -> Mapping[str, Sequence[date]]:
        """Return the days by what was done with them."""
        return {
            "kept": [day.day for day in self.days if day.is_kept],
            "made": [day.day for day in self.days if not day.is_kept and day.is_over],
            "open": [day.day for day in self.days if not day.is_over],
        }

    def notes(self) -> tuple[str, ...]:
        """Return what is said of the days, and of what may be missing in those that are kept."""
        days = self.told()
        done = f"{self.shown}: {_days(days['kept'])} in store before, {_days(days['made'])} now"
        open_days = (
            f"; {_days(days['open'])} not over yet, read but not stored" if days["open"] else ""
        )
        if not (self.buffered and days["kept"]):
            return (done + open_days,)
        return (
            done + open_days,
            f"{', '.join(self.buffered)}: BigQuery has not yet moved some entries to their"
            " partitions (up to 90 minutes). Late entries of stored days are not counted yet",
        )


def _days(days: Sequence[date]) -> str:
    return counted(len(days), "day")


def cost_line(place: Place, rollup: Rollup, estimate: Estimate) -> str:
    """Return what is said before the first scan."""
    days = rollup.told()
    read = len(days["made"]) + len(days["open"])
    return (
        f"{place}: {estimate}: reads the logs of {counted(read, 'day')} and the sums of"
        f" {_days(days['kept'])}; writes to {rollup.shown} the sums of {_days(days['made'])}, and"
        " nothing elsewhere"
    )
