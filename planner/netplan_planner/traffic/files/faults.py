"""Records that were left out: why, how many, and the first few with file and line."""

import codecs
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from netplan_planner.errors import InputError
from netplan_planner.model import BadRecord
from netplan_planner.model.evidence.log_volume import OF_ANOTHER_LOG, OUTSIDE_WINDOW, REPEATED
from netplan_planner.tables import extended
from netplan_planner.tables.compression import DAMAGED, chunks_of
from netplan_planner.traffic.files import batches
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.files.entries import split_entries, split_lines
from netplan_planner.traffic.files.ingest import Ingest
from netplan_planner.traffic.files.inputs import Layout, Source
from netplan_planner.traffic.statements import logged, staging

MALFORMED = "malformed"
OF_ANOTHER_CONFIGURATION = "of flows that another flow-log configuration also reports"

REASONS: Mapping[int, tuple[str, str]] = {
    staging.NOT_AN_ENTRY: (MALFORMED, "not a log entry in JSON"),
    staging.OTHER_LOG: (OF_ANOTHER_LOG, "an entry of another log"),
    staging.NO_ADDRESS: (MALFORMED, "no source or destination address"),
    staging.NO_TIME: (MALFORMED, "no readable start or end time"),
    staging.NO_REPORTER: (MALFORMED, "no known reporter or address kind"),
    staging.NO_COUNT: (MALFORMED, "the byte count is not a number"),
    staging.NEGATIVE: ("with a negative count", "a negative byte or packet count"),
    staging.ENDS_BEFORE_START: ("ending before the start", "it ends before it starts"),
    staging.TOO_LONG: ("with an implausible duration", "its duration is implausibly long"),
    staging.ABSURD_TIME: ("with a wrong clock", "its time is before 2000 or after 2100"),
    staging.ABSURD_COUNT: ("with an implausible count", "more bytes than any VM can send"),
    staging.OUTSIDE_WINDOW: (OUTSIDE_WINDOW, "outside the requested window"),
    staging.BAD_ADDRESS: (MALFORMED, "an address that is not an IP address"),
    staging.REPEATED: (REPEATED, "a repeated entry"),
    staging.OF_ANOTHER_CONFIGURATION: (
        OF_ANOTHER_CONFIGURATION,
        "of flows that another configuration also reports",
    ),
}
"""Of each fault: the name it is counted by, and what is said of a single record."""

SKEWED = "with a wrong clock"
"""Also records whose day lies far from all others; see `window.find_window`."""

UNREMARKABLE_FAULTS = frozenset(
    {
        staging.OTHER_LOG,
        staging.OUTSIDE_WINDOW,
        staging.REPEATED,
        staging.OF_ANOTHER_CONFIGURATION,
    }
)
"""Left out, but nothing is wrong with them: not shown as examples, and such a file is readable."""
UNREMARKABLE = frozenset(REASONS[fault][0] for fault in UNREMARKABLE_FAULTS)
"""The names that these are counted by."""

_FIRST_LINES, _MOST_LINES = 2_000, 50_000
"""Lines that are looked at together: few at first, because faults are often early, then more."""

_ROWS_AT_A_TIME = 100_000

_MOST_LOOKED_AT = 200_000
"""Records of a file that are looked at again, some seconds' work; faults behind them are shown
without their line."""

_CHUNK_BYTES = 1 << 20

Shown = Callable[[str], str]
"""From the note of a left-out record to where it stands."""


class Faults:
    """Counts what was left out, and looks at the files again for the first few."""

    def __init__(self, engine: EmbeddedEngine, ingest: Ingest, sources: Sequence[Source]) -> None:
        self._engine = engine
        self._ingest = ingest
        self._by_path = {str(source.path): source for source in sources}
        self._counts: Counter[str] = Counter()
        self.comment_count = 0
        """Lines that were taken for records, but are comments at the beginning of a file."""
        self._files: dict[str, Counter[int]] = {}
        """Files with records that something is wrong with, and how many those are by fault."""
        for fault, path, count in engine.rows(logged.COUNTS):
            if fault == staging.NOT_AN_ENTRY and path is not None:
                comments = self._comments(path)
                self.comment_count += comments
                count -= comments
            if count == 0:
                continue
            self._counts[REASONS[fault][0]] += count
            if path is not None and fault not in UNREMARKABLE_FAULTS:
                self._files.setdefault(path, Counter())[fault] += count

    def _comments(self, path: str) -> int:
        """Return how many lines of a file the engine takes for bad entries, but are comments."""
        source = self._by_path[path]
        is_read = source.layout is Layout.JSON_LINES and not source.is_split
        return source.comment_count if is_read else 0

    def excluded(self, skewed_count: int) -> tuple[tuple[str, int], ...]:
        """Return how many records were left out by reason, sorted by reason."""
        return tuple(sorted((self._counts + Counter({SKEWED: skewed_count})).items()))

    def examples(self, count: int) -> tuple[BadRecord, ...]:
        """Return the first left-out records in order of file and line.

        Raises:
            InputError: If a file holds no readable record.
        """
        found: list[BadRecord] = []
        for path in sorted(self._files, key=lambda p: self._by_path[p].shown):
            source = self._by_path[path]
            faults = self._files[path]
            if len(found) >= count and self._is_surely_readable(source, faults.total()):
                continue
            bad, is_readable = self._look_at(source, faults, count - len(found))
            found.extend(bad)
            if not is_readable:
                raise InputError(_unreadable(source, bad))
        return tuple(found[:count])

    def _is_surely_readable(self, source: Source, bad_count: int) -> bool:
        """Return whether a file has good records by the numbers alone, which Parquet knows."""
        if source.layout is not Layout.FLOW_PARQUET:
            return False
        return bad_count < batches.row_count(source, self._engine)

    def _look_at(
        self, source: Source, faults: Counter[int], wanted: int
    ) -> tuple[list[BadRecord], bool]:
        """Return the first left-out records of a file (one at least), and whether it has others."""
        found: list[BadRecord] = []
        looked_at = 0
        is_readable = False
        for batch, shown in self._pieces(source):
            self._ingest.stage(batch)
            bad = [
                BadRecord(source=shown(note), reason=REASONS[fault][1])
                for fault, note in self._engine.rows(logged.FAULTY)
                if fault not in UNREMARKABLE_FAULTS
            ]
            counted = int(self._engine.value("SELECT COUNT(*) FROM staged"))
            found.extend(bad)
            looked_at += counted
            is_readable = is_readable or counted > len(bad)
            if is_readable and len(found) >= min(wanted, faults.total()):
                break
            if looked_at >= _MOST_LOOKED_AT:
                is_readable = is_readable or self._record_count(source) > faults.total()
                break
        if not found:
            fault = min(faults, key=lambda f: (-faults[f], f))
            place = f"{source.shown}: after the first {looked_at:,} records"
            found = [BadRecord(source=place, reason=REASONS[fault][1])]
        return found[: max(wanted, 1)], is_readable

    def _record_count(self, source: Source) -> int:
        if source.layout is Layout.FLOW_PARQUET:
            return batches.row_count(source, self._engine)
        return sum(1 for _ in numbered_lines(source))

    def _pieces(self, source: Source) -> Iterator[tuple[batches.Batch, Shown]]:
        """Yield a file in pieces, and how to say where a record of a piece stands."""
        if source.layout is Layout.JSON_LINES:
            for lines in _chunks(numbered_lines(source)):
                self._engine.create(batches.NUMBERED)
                self._engine.insert(batches.NUMBERED, lines)
                yield batches.numbered_batch(source), lambda note: f"{source.shown}:{note}"
        elif source.layout is Layout.TABLE_CSV:
            starts = row_starts(source)
            yield (
                batches.table_batch(source, self._engine, is_numbered=True),
                (lambda note: _place(source, starts, int(note))),
            )
        elif source.layout is Layout.FLOW_PARQUET:
            for batch in batches.numbered_rows(source, self._engine, _ROWS_AT_A_TIME):
                yield batch, lambda note: f"{source.shown}: row {note}"
        else:
            for batch in batches.make_batches([source], self._engine, _ROWS_AT_A_TIME):
                yield batch, lambda _: source.shown


def numbered_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the entries of a text file with the line that each starts at; blank lines are none."""
    if source.is_split:
        for entry in split_entries(raw_chunks(source), source.encoding, source.shown):
            yield entry.line, entry.text
        return
    for number, line in enumerate(split_lines(raw_chunks(source)), start=1):
        if line.strip() and number > source.skipped_lines:
            yield number, _decoded(line)


def row_starts(source: Source) -> Sequence[int]:
    """Return the line at which each row of a table starts, the header included."""
    raw = islice(split_lines(raw_chunks(source)), source.skipped_lines, None)
    lines = (_decoded(line) + "\n" for line in raw)
    return extended.row_starts(lines, source.delimiter, source.skipped_lines)


def _place(source: Source, starts: Sequence[int], row: int) -> str:
    return f"{source.shown}:{starts[row - 1]}" if row <= len(starts) else source.shown


def raw_chunks(source: Source) -> Iterator[bytes]:
    """Yield the content of a text file, decompressed."""
    path = source.original if source.is_split else source.path
    compression = source.packed if source.is_split else source.compression
    try:
        yield from chunks_of(path, compression)
    except DAMAGED:
        return


def without_lines(chunks: Iterable[bytes], count: int) -> Iterator[bytes]:
    """Yield a text less its first lines."""
    left = count
    for chunk in chunks:
        rest = chunk
        while left and rest:
            _, newline, rest = rest.partition(b"\n")
            left -= bool(newline)
        if rest:
            yield rest


def is_utf8(source: Source) -> bool:
    """Return whether a text file is UTF-8 from its first byte to its last."""
    if not source.encoding.startswith("utf-8"):
        return False
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in raw_chunks(source):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(line: bytes) -> str:
    """Return a line as text; one that is not UTF-8 becomes what no JSON reader takes either."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd"


def _chunks(lines: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    iterator = iter(lines)
    size = _FIRST_LINES
    while chunk := list(islice(iterator, size)):
        yield chunk
        size = min(size * 2, _MOST_LINES)


def _unreadable(source: Source, bad: Sequence[BadRecord]) -> str:
    reasons = "; ".join(f"{record.source}: {record.reason}" for record in bad[:1])
    return f"{source.shown}: the file has no readable flow record ({reasons})"
