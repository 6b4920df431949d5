"""A table of paths or measurements: its columns, and what is asked of each row."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.tables import refusals
from netplan_planner.tables.columns import Column, ColumnKind, names_of, number_column
from netplan_planner.tables.extended import AddedColumn, write_extended
from netplan_planner.tables.reading import Table

# docs/reference/verbs/predict.md says more of each.


_NUMBER, _WHOLE = ColumnKind.NUMBER, ColumnKind.WHOLE
_BY_TYPE = "if not implied by the machine type"

_KIND = (
    Column(name="path_class", meaning="where the path ends", other_names=("path",)),
    Column(name="cloud", meaning="of both ends, or the sender's and the receiver's"),
    Column(name="machine_type", meaning="the sender's"),
    number_column("vcpus", f"the sender's, {_BY_TYPE}", least=0, most=1e4),
    Column(name="dst_machine_type", meaning="the receiver's"),
    number_column("dst_vcpus", f"the receiver's, {_BY_TYPE}", least=0, most=1e4),
    number_column("mtu", "of the sender's NIC", unit="bytes", kind=_WHOLE, least=68, most=65535),
    Column(name="date", meaning="the date of the limits"),
    Column(name="tier1", meaning="whether the sender has Tier_1 networking"),
    Column(name="cpu_platform", meaning="the sender's, where the cap depends on it (N1, M2)"),
    Column(name="src_image", meaning="the sender's, which sets how it starts"),
    Column(name="dst_image", meaning="the receiver's, which sets its buffers"),
    Column(name="congestion_control", meaning="the sender's; CUBIC where empty"),
    Column(name="direction", meaning="one way, or both at once"),
    Column(name="plugin", meaning="of a cluster's network"),
    Column(name="encapsulation", meaning="of a cluster's network"),
    Column(name="encryption", meaning="of a cluster's network"),
    number_column(
        "host_link_gbps",
        "the link of a host outside Google Cloud",
        unit="Gbit/s",
        least=1e-3,
        most=1e5,
    ),
    number_column("vpn_tunnels", "of a hybrid path", kind=_WHOLE, least=1, most=1e4),
    number_column("nics", "vNICs on separate physical NICs", kind=_WHOLE, least=1, most=10),
    number_column(
        "quota_gbps", "of the project in the region", unit="Gbit/s", least=1e-6, most=1e6
    ),
    Column(name="proto", meaning="TCP where empty"),
)
_PLACE = (
    Column(name="src_location", meaning="the sender's zone or region, with or without its cloud"),
    Column(name="dst_location", meaning="the receiver's"),
)
_NUMBERS = (
    number_column("streams", "parallel connections", kind=_WHOLE, least=1, most=1e6),
    number_column("rtt_ms", "round-trip time; 0 means unknown", unit="ms", least=0, most=1e6),
    number_column("duration_s", "of the transfer", unit="s", least=1e-3, most=1e9),
    number_column("omit_s", "before counting begins", unit="s", least=0, most=1e9),
    number_column("bytes", "of a finite transfer", unit="bytes", least=1, most=1e18),
    number_column(
        "window_bytes", "the receiver's largest window", unit="bytes", least=1, most=1e12
    ),
    number_column(
        "send_buffer_bytes", "the sender's largest buffer", unit="bytes", least=1, most=1e12
    ),
)
_VALUE = Column(
    name="value",
    meaning="the measured rate, only for the evaluation; Gbit/s if `unit` is empty",
    kind=_NUMBER,
    other_names=("gbps",),
    is_aside=True,
)
_ASIDE = tuple(
    Column(name=name, meaning=meaning, is_aside=True)
    for name, meaning in (
        ("metric", "the end whose count gives the rate"),
        ("note", "the maximum buffers of both ends; of Pods, the effect of their network"),
        ("source", "the campaign, whose protocol may be documented"),
        ("src", "the sender's name"),
        ("dst", "the receiver's name"),
        ("unit", "of the value"),
        ("rtt_date", "the day of the round-trip time"),
        # Of published measurements; no limit depends on these.
        ("nic", "not used"),
        ("n_samples", "not used"),
        ("network_tier", "not used"),
        ("tool", "not used"),
    )
)

PATH_COLUMNS = (*_KIND, *_PLACE, *_NUMBERS, _VALUE, *_ASIDE)
POD_NOTE = "pod_note"
"""No column: what a note says of a pod's network."""
BUFFER_NOTE, SENT_LOG2 = "buffer_note", "sent_log2"
"""No columns: the buffers that a note tells, and the next power of two of the sender's buffer."""
KIND_COLUMNS = (*names_of(_KIND), POD_NOTE, BUFFER_NOTE, SENT_LOG2)
"""Text that says which limits hold."""
PLACE_COLUMNS = names_of(_PLACE)
NUMBER_COLUMNS = names_of(_NUMBERS)
VALUE_COLUMNS = _VALUE.names


# A table of paths or measurements: what is asked of each row
#
# Out come numbers as arrays, and the few distinct kinds of path as text. A column `value` is read
# by nobody but the evaluation.


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
