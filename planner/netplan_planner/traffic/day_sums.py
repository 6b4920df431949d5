"""Sums by day of log: what is kept so that a day is read once, and the matrix of such days.

`DaySums` makes the rows of one day from its records; `read` makes the matrix of the rows of several
days, as `remote.read` does of their records. See `statements.day_sums` for what the rows hold.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from msgspec.structs import replace

from netplan_planner.errors import UsageError
from netplan_planner.model import Inventory, Reporter, TrafficMatrix
from netplan_planner.paths import parse_address
from netplan_planner.traffic.assembly import assembled
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.engine import Engine
from netplan_planner.traffic.files.faults import UNREMARKABLE_FAULTS
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.record_sums import bounds_of, judged_by, microseconds
from netplan_planner.traffic.remote import RemoteFaults, RemoteSums
from netplan_planner.traffic.repeats import Said
from netplan_planner.traffic.statements import day_sums, repeats, rolled, staging, sums
from netplan_planner.traffic.statements.keys import FIRST_US, LAST_US, US_PER_DAY

DELAY = timedelta(minutes=20)
"""How much later than its flow an entry may be: the longest interval, and some minutes on the way;
see `google.logs.read`. Around a window entries are looked for so much earlier and later."""

VERSION = 2
"""Of what the rows mean: another one for every change of the statements that make them, of how a
record is read, or of the code here, by which a day's rows would be others. A test knows the texts.
"""

_IPV6 = 6
_DELAY_US = DELAY // timedelta(microseconds=1)


def key_of(options: TrafficOptions) -> str:
    """Return what stands for the choices that rows depend on; the reporter is none of them."""
    chosen = (
        options.header_bytes,
        options.max_record_minutes,
        options.max_record_gbps,
        options.flow_min_gbps,
        options.example_count,
    )
    return sha256(repr((VERSION, *chosen)).encode()).hexdigest()


def statements_of(options: TrafficOptions) -> tuple[str, ...]:
    """Return the statements that make the rows of a day."""
    of_all = _of_all(options)
    return (
        part_of("t"),
        staging.ends(by_day=True, **bounds_of(of_all)),
        judged_by(of_all, with_details=False),
        repeats.SEEN_AGAIN,
        repeats.ONCE,
        sums.span_positions(options.max_record_minutes),
        day_sums.DAY_RECORDS,
        day_sums.DAY_SHARES,
        day_sums.DAY_FLOWS,
        day_sums.DAY_ROUND_TRIPS,
        day_sums.DAY_ENDS,
        day_sums.DAY_NAMES,
        day_sums.examples(options.example_count, UNREMARKABLE_FAULTS),
    )


def _of_all(options: TrafficOptions) -> TrafficOptions:
    """Return options by which no report and no time is left out."""
    return replace(options, reporter=Reporter.AVERAGE, since=None, until=None)


def part_of(time_us: str) -> str:
    """Return the SQL of the part of a day that an entry's time is in; see `day_sums.FIRST_PART`."""
    time = f"(({time_us}) % {US_PER_DAY})"
    return (
        f"CASE WHEN {time} < {_DELAY_US} THEN {day_sums.FIRST_PART}"
        f" WHEN {time} < {US_PER_DAY - _DELAY_US} THEN {day_sums.MIDDLE}"
        f" ELSE {day_sums.LAST_PART} END"
    )


def part_of_table(day: int, time_us: str) -> str:
    """Return the same for a table of one day, NULL for an entry of another day."""
    return f"CASE WHEN ({time_us}) // {US_PER_DAY} = {day} THEN {day_sums.WHOLE} END"


def parts_seen(day: int, since_day: int, until_day: int) -> frozenset[int]:
    """Return the parts of a day of logs that a window looks at.

    >>> [sorted(parts_seen(day, 5, 7)) for day in (3, 4, 5, 6, 7, 8)]
    [[], [2], [0, 1, 2, 3], [0, 1, 2, 3], [0, 3], []]
    """
    if since_day <= day < until_day:
        return frozenset({day_sums.FIRST_PART, day_sums.MIDDLE, day_sums.LAST_PART, day_sums.WHOLE})
    if day == since_day - 1:
        return frozenset({day_sums.LAST_PART})
    if day == until_day:
        return frozenset({day_sums.FIRST_PART, day_sums.WHOLE})
    return frozenset()


def rows_seen(parts: Iterable[int]) -> str:
    """Return the SQL of whether a row of a day is of some of its parts."""
    listed = ", ".join(map(str, sorted(parts))) or "-1"
    return (
        f"(kind IN ({day_sums.NAME}, {day_sums.STATE})"
        f" OR COALESCE(day_part, {day_sums.MIDDLE}) IN ({listed}))"
    )


def days_of(options: TrafficOptions) -> tuple[int, int]:
    """Return the first day of a window and the day after, since 1970.

    Raises:
        UsageError: If it is not of whole days, or records are to be counted one by one.
    """
    if options.log_volume_from_gbps is not None:
        raise UsageError(
            "--rollup stores sums per pair and minute, not records per five-tuple. Leave it out"
            " of flow-logs cost, flow-logs plan and collect"
        )
    return (
        _day("--since", options.since, FIRST_US // US_PER_DAY),
        _day("--until", options.until, LAST_US // US_PER_DAY),
    )


def _day(flag: str, time: datetime | None, none: int) -> int:
    if time is None:
        return none
    day, rest = divmod(microseconds(time), US_PER_DAY)
    if rest:
        raise UsageError(
            f"{flag} {time.isoformat()}: --rollup stores whole days (UTC): give a day, such as"
            f" {flag} {time:%Y-%m-%d}"
        )
    return day


class DaySums:
    """Sums the records of one day, which the engine holds as `flow_record`."""

    def __init__(self, engine: Engine, options: TrafficOptions) -> None:
        self._engine = engine
        self._options = options
        positions = options.max_record_minutes + 2
        engine.create("minute_position", "span_position", "kept_entry")
        engine.insert("minute_position", ((position,) for position in range(positions)))
        engine.run(f"INSERT INTO span_position {sums.span_positions(options.max_record_minutes)}")

    def fill(self, state: str) -> None:
        """Fill `day_sum`; `state` tells of what state of the logs it is."""
        engine = self._engine
        _, ends, judged, seen_again, once, _, *rows = statements_of(self._options)
        engine.run(f"CREATE OR REPLACE TABLE met_end AS {ends}")
        self._number_ends()
        engine.run(f"CREATE OR REPLACE TABLE staged AS {judged}")
        engine.run(f"CREATE OR REPLACE TABLE repeated_entry AS {seen_again}")
        if engine.value("SELECT COUNT(*) AS entries FROM repeated_entry"):
            engine.run(f"CREATE OR REPLACE TABLE staged AS {once}")
        # All at once: each statement is a job of its own elsewhere.
        together = "\nUNION ALL\n".join((*rows, day_sums.state(state)))
        engine.run(f"CREATE OR REPLACE TABLE day_sum AS {together}")

    def _number_ends(self) -> None:
        """Give every end of the day a number; one that is no address has none."""
        found = sorted(self._engine.rows(day_sums.IDENTITIES), key=str)
        rows: list[tuple[Any, ...]] = []
        for number, identity in enumerate(found):
            address = parse_address(identity[0])
            is_ipv6 = address is not None and address[0] == _IPV6
            extra = self._options.header_bytes.ipv6_extra if is_ipv6 else 0
            rows.append((*identity, None if address is None else number, 0, 0, extra))
        self._engine.create("endpoint")
        self._engine.insert("endpoint", rows)


def read(
    engine: Engine,
    inventory: Inventory,
    options: TrafficOptions,
    *,
    shown: str,
    inputs: Inputs,
) -> TrafficMatrix:
    """Return the traffic matrix of the days in an engine's `rolled`; see `remote.read`.

    Raises:
        InputError: If there is no record to use.
        UsageError: If the window is not of whole days.
    """
    days = days_of(options)
    ingest = RolledDays(engine, inventory, options)
    ingest.read(*days)
    faults = RemoteFaults(engine, rolled.ROLLED_FAULTS, lambda count: rolled.first(count, *days))
    return assembled(engine, ingest, faults, inventory, options, shown=shown, inputs=inputs)


class RolledDays(RemoteSums):
    """Fills the sums by pair from the sums of days."""

    def __init__(self, engine: Engine, inventory: Inventory, options: TrafficOptions) -> None:
        super().__init__(engine, inventory, options, _EntriesOfDays(engine), said=_OF_DAYS)

    def read(self, since_day: int, until_day: int) -> None:
        """Take what a window holds of the days."""
        engine = self._engine
        self.meet(rolled.ends(since_day, until_day))
        engine.create("day_end", "earlier")
        engine.run(f"INSERT INTO day_end {rolled.numbers(since_day, until_day)}")
        self.fill_earlier(rolled.first_minute(since_day, until_day))
        engine.run(f"CREATE OR REPLACE TABLE summed AS {rolled.by_nodes(since_day, until_day)}")
        self.record_count = int(engine.value(rolled.RECORD_COUNT))
        self.repeats.note()
        if self.repeats.find(self.nodes):
            self.repeats.begin()
            self.repeats.leave_out(has_records=True)
        self._sum_days()
        self.note_reporters()

    def _sum_days(self) -> None:
        engine = self._engine
        for table, statement in (
            ("pair_minute", rolled.ROLLED_PAIR_MINUTES),
            ("flow_minute", rolled.ROLLED_FLOW_MINUTES),
            ("batch_total", rolled.ROLLED_TOTALS),
            ("pair_total", "SELECT * FROM batch_total"),
            ("pair_coarse", rolled.ROLLED_COARSE),
            ("pair_dropped", rolled.ROLLED_DROPS),
            ("pair_round_trip", rolled.ROLLED_ROUND_TRIPS),
            ("activity", rolled.ROLLED_ACTIVITY),
        ):
            engine.run(f"INSERT INTO {table} {statement}")


_OF_DAYS = Said(
    hours=rolled.node_hours(with_repeated=True),
    hours_once=rolled.node_hours(with_repeated=False),
    of_one=rolled.node_hours(with_repeated=True),
    configurations=rolled.ROLLED_CONFIGURATIONS,
    names=rolled.ROLLED_CONFIGURATION_NAMES,
    once=None,
    kept=None,
    table="summed",
    of_one_configuration=rolled.ROLLED_OF_ONE_CONFIGURATION,
)


class _EntriesOfDays:
    """Equal entries are of one day, whose sums hold each once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def note(self) -> None:
        """Do nothing: it is known."""

    def find(self) -> bool:
        """Return whether any was left out."""
        return bool(self._engine.value(rolled.REPEATED_RECORDS))
