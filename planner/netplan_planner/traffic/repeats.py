"""Finds what was logged twice, and leaves it out when the records are read again.

Which whole numbers occur more than once among more of them than memory holds.

Places that log: subnetworks, and ends that are in none.
"""

from collections.abc import Iterator, Sequence
from io import RawIOBase
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import LoggedRecords, LogOverlap, OwnerKind, SelfLink, Value
from netplan_planner.model.evidence.log_volume import OWN_SETTING
from netplan_planner.paths import FlowEnd
from netplan_planner.paths.ends import AddressKind
from netplan_planner.traffic.engine import Engine, Row, slices
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.nodes import Nodes
from netplan_planner.traffic.statements import repeats


def write_places(engine: Engine, ends: Sequence[FlowEnd]) -> list[str]:
    """Give each end its place, in the table `place`; return the places' names by number.

    What logs together is one place: the machines of a subnetwork; a gateway; else one end. Inner
    are machines of a subnetwork, met at an address of its IPv4 ranges.
    """
    names: list[str] = []
    engine.create("place")
    engine.insert("place", _rows(ends, names))
    return names


def _rows(ends: Sequence[FlowEnd], names: list[str]) -> Iterator[tuple[int, int, int]]:
    numbers: dict[str, int] = {}
    for node, end in enumerate(ends):
        place = end.reported_by[0] if len(end.reported_by) == 1 else end.owner.key
        if place not in numbers:
            numbers[place] = len(numbers)
            names.append(place if end.owner.kind is not OwnerKind.HYBRID else end.owner.name)
        yield node, numbers[place], int(_is_inner(end))


def _is_inner(end: FlowEnd) -> bool:
    return (
        end.owner.kind is OwnerKind.VM
        and len(end.reported_by) == 1
        and end.address_kind is AddressKind.INTERNAL
        and not end.is_ipv6
    )


Numbers = NDArray[np.int64]
_PART_BITS = 8
_PARTS = 1 << _PART_BITS
_NUMBER_BITS = 63
_PART_BEGINS = np.arange(_PARTS, dtype=np.int64) << (_NUMBER_BITS - _PART_BITS)
_BYTES_PER_NUMBER = 8
_KEPT_AS_READ = ("repeated_entry", "place", "place_hour", "place_rank", "superseded")


class Piece(Value, frozen=True, kw_only=True):
    """Some numbers of a file, sorted, all of one stretch of time."""

    begin: int
    """Where it begins in the file, in numbers."""
    starts: Numbers
    """Where each part begins from there, and the last one ends."""
    first: int
    until: int
    is_compared: bool
    """Whether a number is there twice; else it is only compared with others of its time."""


class NumberFile:
    """Numbers of 63 bits, spread as evenly as hashes are, on disk in parts by their leading bits.

    Equal ones are in the same part, and one part at a time is in memory: 16 MB of 500 million
    numbers. Numbers of times that do not overlap are not compared.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pieces: list[Piece] = []
        self._count = 0

    def add(self, numbers: Numbers, first: int, until: int) -> None:
        """Write numbers of a stretch of time down; some hundred thousand at a time are fastest.

        Raises:
            OSError: If there is no room for them.
        """
        if not len(numbers):
            return
        numbers = np.sort(numbers)
        self._pieces.append(
            Piece(
                begin=self._count,
                starts=np.append(np.searchsorted(numbers, _PART_BEGINS), len(numbers)),
                first=first,
                until=until,
                is_compared=bool((numbers[1:] == numbers[:-1]).any()),
            )
        )
        with self._path.open("ab") as file:
            file.write(numbers.data)
        self._count += len(numbers)

    def take_repeated(self) -> Iterator[Numbers]:
        """Yield the numbers that were added more than once, each once, and remove the file."""
        if not self._pieces:
            return
        compared = _compared(self._pieces)
        with self._path.open("rb", buffering=0) as file:
            for part in range(_PARTS if compared else 0):
                numbers = np.concatenate([_read_part(file, piece, part) for piece in compared])
                # Each piece is sorted, so this merges them.
                numbers.sort(kind="stable")
                again = numbers[1:][numbers[1:] == numbers[:-1]]
                if len(again):
                    yield again[np.concatenate(([True], again[1:] != again[:-1]))]
        self._path.unlink()
        self._count = 0
        self._pieces.clear()


def _compared(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces in which a number may be that is there twice."""
    in_order = sorted(pieces, key=lambda piece: (piece.first, piece.until))
    overlap = [piece.is_compared for piece in in_order]
    longest = 0
    for number, piece in enumerate(in_order[1:], start=1):
        if piece.first < in_order[longest].until:
            overlap[longest] = overlap[number] = True
        if piece.until > in_order[longest].until:
            longest = number
    return [piece for piece, may_be in zip(in_order, overlap, strict=True) if may_be]


def _read_part(file: RawIOBase, piece: Piece, part: int) -> Numbers:
    begin, end = piece.starts[part], piece.starts[part + 1]
    offset = (piece.begin + begin) * _BYTES_PER_NUMBER - file.tell()
    return np.fromfile(file, dtype=np.int64, count=end - begin, offset=offset)


class Entries(Protocol):
    """Finds the entries that are there more than once."""

    def note(self) -> None:
        """Take note of the staged entries."""

    def find(self) -> bool:
        """Write those met more than once into `repeated_entry`; return whether there are any."""


class EntriesOnDisk:
    """Writes entries down on disk, 8 bytes each, while records are read for the first time."""

    def __init__(self, engine: EmbeddedEngine) -> None:
        self._engine = engine
        self._seen = NumberFile(engine.folder / "entries")

    def note(self) -> None:
        """Write down which entries a batch has."""
        for first, until in slices(self._engine, "staged", "start_minute"):
            self._seen.add(self._engine.numbers(repeats.seen(first, until)), first, until)

    def find(self) -> bool:
        """Write those met more than once into the engine's table."""
        found = False
        for entries in self._seen.take_repeated():
            self._engine.append("repeated_entry", [entries])
            found = True
        return found


class EntriesInEngine:
    """Has an engine that has the room group the staged entries, which are all that there are."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def note(self) -> None:
        """Group them."""
        self._engine.run(f"INSERT INTO repeated_entry {repeats.SEEN_AGAIN}")

    def find(self) -> bool:
        """Return whether there are any."""
        return bool(self._engine.value("SELECT COUNT(*) AS entries FROM repeated_entry"))


class Said(Value, frozen=True, kw_only=True):
    """The statements by which `Repeats` asks: of staged records, or of sums by day."""

    hours: str
    """Of records before equal entries are left out."""
    hours_once: str
    of_one: str
    """What is asked instead of `hours` while one configuration occurs."""
    configurations: str
    names: str
    once: str | None
    """What takes the place of the staged records; None: each entry is there once."""
    kept: str | None
    table: str
    of_one_configuration: str


OF_RECORDS = Said(
    hours=repeats.NODE_HOURS,
    hours_once=repeats.NODE_HOURS,
    of_one=repeats.NODES_OF_ONE,
    configurations="SELECT DISTINCT configuration FROM staged",
    names=repeats.NAMES,
    once=repeats.ONCE,
    kept=repeats.KEPT,
    table="staged",
    of_one_configuration=repeats.OF_ONE_CONFIGURATION,
)


class Repeats:
    """Entries that are equal, and flows that several configurations report.

    Of files, the records are read again where something is there twice, and only there.
    """

    def __init__(self, engine: Engine, entries: Entries, said: Said = OF_RECORDS) -> None:
        self._engine = engine
        self._entries = entries
        self._said = said
        self._names: dict[int, str] = {0: OWN_SETTING}
        self._met: set[int] = set()
        self.lacks_hours = False
        """Whether a second configuration occurred only after batches that were not told by hour."""
        self._has_repeated = self._has_superseded = False
        engine.create(*_KEPT_AS_READ)
        self.begin()

    def begin(self) -> None:
        """Make the tables that every reading fills anew."""
        self._engine.create("kept_entry", "node_hour")

    def note(self, records: str = "") -> None:
        """Write down which entries and configurations a batch has.

        `records` begins a statement with `flow_record` where the engine has no such relation.
        """
        self._entries.note()
        found = {number for (number,) in self._engine.rows(self._said.configurations)}
        had_one = len(self._met) == 1
        self._met |= found
        has_one = len(self._met) <= 1
        self.lacks_hours |= had_one and not has_one
        self._engine.run(
            f"INSERT INTO node_hour {self._said.of_one if has_one else self._said.hours}"
        )
        if found - self._names.keys():
            for number, name in self._engine.rows(f"{records} {self._said.names}"):
                self._names.setdefault(number, name or "a configuration without a name")

    def forget_hours(self) -> None:
        """Begin the hours anew, for `note_hours` of every batch."""
        self._engine.create("node_hour")

    def note_hours(self) -> None:
        """Write down the hours of each configuration of a batch."""
        self._engine.run(f"INSERT INTO node_hour {self._said.hours}")

    def find(self, nodes: Nodes) -> bool:
        """Return whether anything is there twice, so that all must be read again."""
        engine = self._engine
        self._has_repeated = self._entries.find()
        if len(self._met) > 1:
            self._fill_places(nodes)
            engine.create("configuration")
            engine.insert("configuration", self._in_order())
            engine.run(f"INSERT INTO place_rank {repeats.PLACE_RANKS}")
            engine.run(f"INSERT INTO superseded {repeats.SUPERSEDED}")
            self._has_superseded = engine.value("SELECT COUNT(*) AS hours FROM superseded") > 0
        return self._has_repeated or self._has_superseded

    def _in_order(self) -> Iterator[Row]:
        """Yield the configurations in order: the subnetworks' own setting, then by name."""
        numbers = sorted(self._names, key=lambda number: (number != 0, self._names[number], number))
        yield from ((number, position) for position, number in enumerate(numbers))

    def _fill_places(self, nodes: Nodes) -> None:
        """Give each end its place: what logs together is ranked together."""
        self._places = write_places(self._engine, nodes.ends)
        self._engine.create("place_hour")
        self._engine.run(f"INSERT INTO place_hour {repeats.PLACE_HOURS}")

    def leave_out(self, *, has_records: bool) -> None:
        """Mark what of a batch is there twice; rows of tables are no records."""
        engine, said = self._engine, self._said
        if self._has_repeated and said.once is not None:
            engine.run(f"CREATE OR REPLACE TABLE {said.table} AS {said.once}")
            engine.run(f"INSERT INTO kept_entry {said.kept}")
        if has_records:
            engine.run(f"INSERT INTO node_hour {said.hours_once}")
        if self._has_superseded:
            engine.run(f"CREATE OR REPLACE TABLE {said.table} AS {said.of_one_configuration}")

    def name_of(self, configuration: int) -> str:
        """Return the name of a configuration by its number."""
        return self._names.get(configuration, str(configuration))

    def logged(self, nodes: Nodes) -> tuple[LoggedRecords, ...]:
        """Return what each place logs by each configuration, the most records first.

        As read again, if so: without the entries that are equal.
        """
        self._fill_places(nodes)
        found = [
            LoggedRecords(
                place=SelfLink(self._places[place]),
                configuration=self.name_of(configuration),
                record_count=records,
            )
            for place, configuration, records in self._engine.rows(repeats.PLACE_RECORDS)
        ]
        return tuple(sorted(found, key=lambda o: (-o.record_count, o.place, o.configuration)))

    def overlaps(self) -> tuple[LogOverlap, ...]:
        """Return which configurations reported the same places, the most records first."""
        if not self._has_superseded:
            return ()
        found = [
            LogOverlap(
                place=SelfLink(self._places[place]),
                counted=self.name_of(by),
                left_out=self.name_of(configuration),
                record_count=records,
                payload_bytes=payload,
            )
            for place, by, configuration, records, payload in self._engine.rows(repeats.OVERLAPS)
        ]
        # By all that tells them apart: numbers of configurations, and so rows, are the engine's.
        return tuple(sorted(found, key=lambda o: (-o.record_count, o.place, o.left_out, o.counted)))
