"""Tells the state that the logs of each day are in, so that a day that has changed is known.

The cheapest that is sound: of partitions and daily tables what BigQuery holds of them itself (rows,
and when they were written last), which costs no scan; of others a count of the day's entries and
the time at which the last one came.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from hashlib import sha256
from itertools import chain

from netplan_planner.errors import UsageError
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.queries import Jobs
from netplan_planner.google.bigquery.tables import Found, LogTable, look_of
from netplan_planner.model import Value
from netplan_planner.tables.sql import quoted

_EPOCH = date(1970, 1, 1)


class States(Value, frozen=True, kw_only=True):
    """What is known of each day's logs."""

    facts: Mapping[date, tuple[str, ...]]
    byte_count: int
    """What was read to know it."""

    def of(self, day: date) -> str:
        """Return the state of a day's logs; that of a day without any is one, too."""
        return sha256("\n".join(sorted(self.facts.get(day, ()))).encode()).hexdigest()


def states_of(
    jobs: Jobs,
    place: Place,
    found: Found,
    since: datetime,
    until: datetime,
    allow: Callable[[int], None],
) -> States:
    """Return the states of the days of some tables.

    Args:
        jobs: Runs the queries.
        place: Where the tables are.
        found: The tables.
        since: From when on entries are asked for.
        until: Up to when.
        allow: Is told how many bytes are to be read; raises what says that they are too many.

    Raises:
        UsageError: If those of a table cannot be told, or by `allow`.
    """
    facts: dict[date, list[str]] = defaultdict(list)
    parted = [t for t in found.tables if t.has_partitions and t.day is None]
    looked_at = [t for t in found.tables if not t.has_partitions and t.day is None]
    for table in found.tables:
        if table.day is not None:
            facts[table.day].append(f"{table.name} {table.row_count} {table.modified}")
    if parted:
        for day, fact in _of_partitions(jobs, place, parted, since.date(), until.date()):
            facts[day].append(fact)
    looks = [(table, _look(table, place, since, until)) for table in looked_at]
    byte_count = sum(jobs.dry_run_bytes(look) for _, look in looks)
    if looks:
        allow(byte_count)
    for table, look in looks:
        for number, entries, received in chain.from_iterable(jobs.run(look)):
            fact = f"{table.name} {entries} {received}"
            facts[_EPOCH + timedelta(days=number)].append(fact)
    return States(
        facts={day: tuple(of_day) for day, of_day in facts.items()}, byte_count=byte_count
    )


def _of_partitions(
    jobs: Jobs, place: Place, tables: Sequence[LogTable], first: date, last: date
) -> Iterator[tuple[date, str]]:
    """Yield what `INFORMATION_SCHEMA.PARTITIONS` tells, which is billed as 10 MB."""
    names = ", ".join(quoted(table.name) for table in tables)
    # A deletion may leave the time as it is, but not the number of rows.
    query = (
        "SELECT table_name, SUBSTR(partition_id, 1, 8) AS day, SUM(total_rows) AS entries,"
        " MAX(UNIX_MICROS(last_modified_time)) AS modified"
        f" FROM `{place.project}`.`{place.dataset}`.INFORMATION_SCHEMA.PARTITIONS"
        f" WHERE table_name IN ({names}) AND SUBSTR(partition_id, 1, 8)"
        f" BETWEEN '{first:%Y%m%d}' AND '{last:%Y%m%d}'"
        " GROUP BY table_name, SUBSTR(partition_id, 1, 8)"
    )
    for name, text, entries, modified in chain.from_iterable(jobs.run(query)):
        yield datetime.strptime(text, "%Y%m%d").date(), f"{name} {entries} {modified}"


def _look(table: LogTable, place: Place, since: datetime, until: datetime) -> str:
    if table.received_column is None:
        raise UsageError(
            f"--rollup: {table.name} is not partitioned by day of timestamp and has no"
            " receiveTimestamp (TIMESTAMP). Changed days cannot be found"
        )
    first = datetime.combine(since.date(), datetime.min.time(), tzinfo=since.tzinfo)
    last = datetime.combine(until.date(), datetime.min.time(), tzinfo=until.tzinfo)
    return look_of(table, place, first, last + timedelta(days=1))
