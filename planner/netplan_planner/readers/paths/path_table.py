"""A table of paths or measurements: what is asked of each row.

Out come numbers as arrays, and the few distinct kinds of path as text. A column `value` is read by
nobody but the evaluation.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.readers.paths.path_columns import (
    BUFFER_NOTE,
    KIND_COLUMNS,
    NUMBER_COLUMNS,
    PATH_COLUMNS,
    PLACE_COLUMNS,
    POD_NOTE,
    SENT_LOG2,
    VALUE_COLUMNS,
)
from netplan_planner.tables import refusals
from netplan_planner.tables.extended import AddedColumn, write_extended
from netplan_planner.tables.reading import Table

_RATE_UNITS = {
    **dict.fromkeys(("", "gbps", "gbit/s", "gb/s", "gbits/sec"), 1.0),
    **dict.fromkeys(("mbps", "mbit/s", "mb/s", "mbits/sec"), 1e-3),
    **dict.fromkeys(("kbps", "kbit/s", "kb/s", "kbits/sec"), 1e-6),
    **dict.fromkeys(("bps", "bit/s", "b/s", "bits/sec"), 1e-9),
}
"""Gbit/s in one of them; what has another unit is no rate."""
_CEILING = re.compile(r"\brmem (\d{1,6}) ?([KMG])iB\b")
"""In a note: the greatest buffer of both ends, of which a window gets half."""
_CLUSTER = r"'(?i)(wireguard|ipsec|vxlan|geneve)'"
"""In a note on pods: what their network does."""
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


class PathRows(NamedTuple):
    """The rows of a table. NaN: not given."""

    kinds: list[tuple[str, ...]]
    """Distinct kinds of path; cells in the order of `KIND_COLUMNS`."""
    kind: NDArray[np.intp]
    places: list[tuple[str, str]]
    place: NDArray[np.intp]
    numbers: dict[str, NDArray[np.float64]]
    """By name of `NUMBER_COLUMNS`, and `window_of_note`."""
    is_sender_count: NDArray[np.bool_]


class PathTable(Table):
    """A table of paths that is open for reading and for writing it out with more columns."""

    def __init__(self, path: Path, *, stream: BinaryIO | None = None) -> None:
        super().__init__(path, PATH_COLUMNS, stream=stream)
        self.value_column = self.found_name("value")
        """What was measured, in Gbit/s; for the evaluation only."""

    def rows(self) -> PathRows:
        """Return what the rows ask for; a row with a cell that makes no sense is refused.

        Raises:
            InputError: If every row is refused.
        """
        kinds, kind = self.coded(KIND_COLUMNS)
        places, place = self.coded(PLACE_COLUMNS)
        checked = self.checked_numbers()
        numbers = {name: checked[name] for name in NUMBER_COLUMNS}
        numbers["rtt_ms"] = np.where(numbers["rtt_ms"] > 0, numbers["rtt_ms"], np.nan)
        numbers["window_of_note"] = self._windows_of_notes()
        counted = f"lower({self.text_sql('metric')}) like 'tcp_throughput%'"
        return PathRows(
            kinds=kinds,
            kind=kind,
            places=[(src, dst) for src, dst in places],
            place=place,
            numbers=numbers,
            is_sender_count=self.column(f"({counted})::double") > 0,
        )

    def values_gbps(self) -> NDArray[np.float64]:
        """Return what was measured in Gbit/s, NaN where it is empty or no rate by its `unit`.

        Raises:
            InputError: If there is no such column.
        """
        if self.value_column is None:
            hint = ", the measured Gbit/s"
            raise refusals.lacking_columns(self.shown, [VALUE_COLUMNS], self.columns, hint)
        values = self.numbers(self.value_column)
        if not self.has("unit") or self.value_column != VALUE_COLUMNS[0]:
            return values
        units, which = self.texts("unit")
        of_unit = [_RATE_UNITS.get(unit.casefold(), np.nan) for unit in units]
        return np.asarray(values * np.array(of_unit, dtype=float)[which], dtype=float)

    def earlier_values(self) -> NDArray[np.float64]:
        """Return what the newest earlier campaign measured on the same pair, NaN where none did.

        A pair is sender, receiver, clouds and path class; a campaign is a `source`, as old as its
        oldest row, and gives the median of its values.
        """
        needed = ("source", "date", *PLACE_COLUMNS)
        if self.value_column is None or not all(map(self.has, needed)):
            return np.full(self.row_count, np.nan)
        key = [self.sql(n) for n in ("cloud", "path_class", *PLACE_COLUMNS) if self.has(n)]
        return self.column_of(
            f"""
            with pairs as (
                select rowid as at, {self.sql("source")} as source,
                    concat_ws('|', {", ".join(key)}) as pair,
                    try_cast({self.sql(self.value_column)} as double) as value,
                    min({self.sql("date")}::varchar)
                        over (partition by {self.sql("source")}) as start
                from held),
            known as (
                select pair, start, median(value) as value from pairs
                where value > 0 group by pair, source, start)
            select known.value as value from pairs
            asof left join known on pairs.pair = known.pair and pairs.start > known.start
            order by pairs.at
            """
        )

    def write(
        self, added: Mapping[str, AddedColumn], target: Path, *, is_parquet: bool = False
    ) -> None:
        """Write the table with columns after its own, as `write_extended` does."""
        write_extended(self, added, target, is_parquet=is_parquet)

    def text_sql(self, name: str) -> str:
        """Return the expression of a cell as text; of a pod's note what it says of its network."""
        if name == BUFFER_NOTE and self.has("note"):
            return f"coalesce(regexp_extract({self.sql('note')}, '{_CEILING.pattern}'), '')"
        if name == SENT_LOG2 and self.has("send_buffer_bytes"):
            size = f"try_cast({self.sql('send_buffer_bytes')} as double)"
            return f"coalesce(ceil(log2(case when {size} >= 1 then {size} end))::varchar, '')"
        if name in (BUFFER_NOTE, SENT_LOG2):
            return "''"
        if name != POD_NOTE:
            return super().text_sql(name)
        if not (self.has("note") and self.has("path_class")):
            return "''"
        said = f"coalesce(regexp_extract({self.sql('note')}, {_CLUSTER}), '')"
        return f"case when {self.sql('path_class')} like '%-pod%' then {said} else '' end"

    def _windows_of_notes(self) -> NDArray[np.float64]:
        """Return half the receive ceiling that a note tells, NaN where it tells none.

        Who raises it for a run raises that of the sending sockets with it.
        """
        if not self.has("note"):
            return np.full(self.row_count, np.nan)
        notes, which = self.texts("note")
        ceilings = [ceiling_of_note(note) for note in notes]
        windows = [np.nan if one is None else one / 2 for one in ceilings]
        return np.array(windows, dtype=float)[which]


def ceiling_of_note(note: str) -> int | None:
    """Return the greatest buffer of both ends that a note tells, in bytes.

    >>> ceiling_of_note("cpu 8; rmem 1GiB"), ceiling_of_note("cpu 8")
    (1073741824, None)
    """
    found = _CEILING.search(note)
    return int(found[1]) * _UNITS[found[2]] if found else None
