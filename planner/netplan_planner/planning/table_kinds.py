"""The kinds of path of a table: limits are looked up once a kind, not once a row.

The kind of path that the cells of a table's row describe.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import PathClass, PathQuery, SetUp
from netplan_planner.readers.paths.path_cells import (
    clouds_of,
    day_of,
    path_class_of,
    path_end,
    pod_network_of,
)
from netplan_planner.readers.paths.path_table import (
    KIND_COLUMNS,
    PathRows,
    PathTable,
    ceiling_of_note,
)
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.batch import Columns, kind_limits
from netplan_planner.throughput.calibration.factors.shared_factors import pair_key
from netplan_planner.throughput.goodput.terms import Spans
from netplan_planner.throughput.limits import tables
from netplan_planner.throughput.limits.ends import ANYBODY, OWN_CLOUD, without_stock
from netplan_planner.throughput.limits.path_limits import StaticLimits
from netplan_planner.throughput.limits.senders import offers_tier1, why_too_many_vnics
from netplan_planner.throughput.round_trips.of_path import RaisedRtts, row_round_trips
from netplan_planner.throughput.single_row import said_of_control

_NO_DAY = 0


def kind_of_cells(
    cells: dict[str, str], src_location: str, dst_location: str, default: date
) -> tuple[PathQuery, str]:
    """Return the kind of path of some cells, and why it cannot be judged, if so.

    Args:
        cells: By the names of `KIND_COLUMNS`.
        src_location: Place of the sender, with its cloud where that is another than Google's.
        dst_location: Place of the receiver.
        default: The date of a row that has none.
    """
    path_class = path_class_of(cells["path_class"])
    day = day_of(cells["date"]) if cells["date"] else default
    sender, receiver = clouds_of(cells["cloud"], src_location, dst_location)
    caps = load_caps(day or default)
    mtu = _positive(cells["mtu"])
    link = _positive(cells["host_link_gbps"])
    sending, receiving = _set_ups(cells)
    src = path_end(
        machine_type=cells["machine_type"],
        vcpus=_positive(cells["vcpus"]),
        location=src_location,
        cloud=sender,
        tier1=cells["tier1"],
        mtu_bytes=int(mtu) if mtu else None,
        caps=caps,
        cpu_platform=cells["cpu_platform"],
        nic_count=_count(cells["nics"]) or 1,
        set_up=sending,
    )
    dst = path_end(
        machine_type=cells["dst_machine_type"],
        vcpus=_positive(cells["dst_vcpus"]),
        location=dst_location,
        cloud=receiver,
        tier1="",
        mtu_bytes=None,
        caps=caps,
        set_up=receiving,
    )
    is_in_vpc = sender == OWN_CLOUD and link is None
    why = _why_not(cells, path_class, day, mtu if is_in_vpc else None)
    if not why and is_in_vpc:
        why = why_too_many_vnics(src, caps)
    path_class = path_class or PathClass.UNKNOWN
    pod = pod_network_of(
        plugin=cells["plugin"],
        encapsulation=cells["encapsulation"],
        encryption=cells["encryption"],
        note=cells["pod_note"],
        is_bare_metal=link is not None,
    )
    query = PathQuery(
        path_class=path_class,
        src=src,
        dst=dst,
        as_of=day or default,
        pod=pod if path_class.is_pod else None,
        host_link_gbps=link,
        quota_gbps=_positive(cells["quota_gbps"]),
        vpn_tunnels=_count(cells["vpn_tunnels"]),
    )
    return query, why


def _set_ups(cells: dict[str, str]) -> tuple[SetUp, SetUp]:
    """Return how the sender and the receiver are set up.

    Of the sender's buffer the next power of two: a row's own size is among its numbers.
    """
    ceiling = ceiling_of_note(cells["buffer_note"])
    power = cells["sent_log2"]
    sending = SetUp(
        image=cells["src_image"],
        congestion_control=cells["congestion_control"].lower(),
        send_buffer_bytes=2 ** int(float(power)) if power else ceiling,
    )
    receiving = SetUp(image=cells["dst_image"], receive_buffer_bytes=ceiling)
    return without_stock(sending), without_stock(receiving)


def _why_not(
    cells: dict[str, str], path_class: PathClass | None, day: date | None, vpc_mtu: float | None
) -> str:
    """Return why a path cannot be judged, empty where it can; `vpc_mtu` is that of a network."""
    if path_class is None:
        named = cells["path_class"]
        return f"netplan does not predict this path class: {named}" if named else "no path class"
    if day is None:
        return f"not a date: {cells['date']}"
    if vpc_mtu is not None and vpc_mtu > tables.MOST_MTU_BYTES:
        return f"mtu {vpc_mtu:g} is above the VPC maximum of {tables.MOST_MTU_BYTES} bytes"
    if cells["proto"] not in ("", "TCP", "tcp"):
        return f"netplan predicts TCP, not {cells['proto']}"
    return ""


def _notes(query: PathQuery, of_foreign: str) -> Iterator[str]:
    """Yield what of a kind of path was not taken as it stands."""
    yield from filter(None, (of_foreign or tier1_note(query),))
    yield from said_of_control(query.src)


def tier1_note(query: PathQuery) -> str:
    """Return what is said of Tier_1 that a type does not offer; empty where all is well."""
    if not query.src.is_tier1 or query.src.machine_type is None or query.as_of is None:
        return ""
    if offers_tier1(query.src.machine_type, load_caps(query.as_of)) is not False:
        return ""
    return f"Tier_1 is not available for {query.src.machine_type}: predicted without it"


def _count(text: str) -> int | None:
    value = _positive(text)
    return int(value) if value is not None and value >= 1 else None


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value > 0 else None


class TableKinds(NamedTuple):
    """The kinds of path of a table, and what varies by row."""

    kinds: list[PathQuery]
    limits: list[StaticLimits]
    columns: Columns
    places: list[tuple[str, str]]
    """Sender's and receiver's."""
    place: NDArray[np.intp]
    """Number of each row's."""
    rtt: RaisedRtts
    """The rows' own round-trip times."""
    notes: list[str]
    """What of each kind was not taken as it stands; empty where nothing was."""
    is_refused: list[bool]
    """Whether the rows of each kind cannot be judged."""

    def of_rows(
        self, rows: NDArray[np.bool_], without: tables.Campaigns
    ) -> tuple[list[PathQuery], list[StaticLimits], Columns]:
        """Return some rows with their kinds and limits, without what rests on campaigns."""
        used, kind = np.unique(self.columns.kind[rows], return_inverse=True)
        columns = Columns._make(column[rows] for column in self.columns)._replace(kind=kind)
        kinds = [self.kinds[one] for one in used]
        limits = [
            self.limits[one] if self.is_refused[one] else found
            for one, found in zip(used, kind_limits(kinds, without=without), strict=True)
        ]
        return kinds, limits, columns


def read_kinds(table: PathTable, *, as_of: date) -> TableKinds:
    """Return the kinds of path of a table with their limits."""
    rows = table.rows()
    cells = [dict(zip(KIND_COLUMNS, kind, strict=True)) for kind in rows.kinds]
    pairs, kind = _kinds_and_places(rows)
    made = [kind_of_cells(cells[k], *rows.places[p], as_of) for k, p in pairs]
    kinds = [query for query, _ in made]
    limits = [
        StaticLimits((), (), (why,), ()) if why else found
        for (_, why), found in zip(made, kind_limits(kinds), strict=True)
    ]
    notes = [
        "" if why else "; ".join(_notes(query, found.of_foreign))
        for (query, why), found in zip(made, limits, strict=True)
    ]
    kinds, limits, kind = _with_refused(table, kinds, limits, kind)
    notes += [""] * (len(kinds) - len(notes))
    is_refused = [bool(why) for _, why in made] + [True] * (len(kinds) - len(made))
    both = np.array(["both" in one["direction"].lower() for one in cells], dtype=bool)
    joined = _joined(table, [k.as_of for k in kinds], kind)
    rtt = row_round_trips(
        own_ms=rows.numbers["rtt_ms"],
        is_joined=joined,
        places=rows.places,
        place=rows.place,
        distances=[one.path_class.distance for one in kinds],
        kind=kind,
    )
    columns = _columns(table, rows, kinds, kind, both[rows.kind], rtt.taken)
    return TableKinds(kinds, limits, columns, rows.places, rows.place, rtt.own, notes, is_refused)


def _with_refused(
    table: PathTable,
    kinds: list[PathQuery],
    limits: list[StaticLimits],
    kind: NDArray[np.intp],
) -> tuple[list[PathQuery], list[StaticLimits], NDArray[np.intp]]:
    """Return the kinds with one more for each reason for which rows are refused."""
    code, texts = table.refused.code, table.refused.texts
    if not texts:
        return kinds, limits, kind
    refused = PathQuery(path_class=PathClass.UNKNOWN, src=ANYBODY, dst=ANYBODY)
    of_rows = np.where(code >= 0, len(kinds) + code, kind)
    whys = [StaticLimits((), (), (f"refused: {text}",), ()) for text in texts]
    return [*kinds, *(refused for _ in texts)], [*limits, *whys], of_rows


def pairs_of(found: TableKinds) -> tuple[list[str], NDArray[np.intp]]:
    """Return the keys of a table's pairs of places, and the number of each row's; -1 for none."""
    codes = found.columns.kind * max(len(found.places), 1) + found.place
    distinct, which = np.unique(codes, return_inverse=True)
    numbers: dict[str, int] = {}
    of_code = []
    for code in distinct.tolist():
        kind, place = divmod(code, max(len(found.places), 1))
        names = [name.rpartition(":")[2] for name in found.places[place]]
        key = pair_key(found.kinds[kind], *names)
        of_code.append(numbers.setdefault(key, len(numbers)) if key is not None else -1)
    return list(numbers), np.array(of_code, dtype=np.intp)[which.reshape(-1)]


def _kinds_and_places(rows: PathRows) -> tuple[list[tuple[int, int]], NDArray[np.intp]]:
    """Return the distinct pairs of kind and clouds of the places, and the number of each row's.

    Places matter to a kind only by their cloud: thousands of region pairs share limits.
    """
    clouds: dict[tuple[str, str], int] = {}
    by_place = np.array(
        [clouds.setdefault(clouds_of("", *pair), len(clouds)) for pair in rows.places],
        dtype=np.intp,
    )
    example = {code: number for number, code in reversed(list(enumerate(by_place.tolist())))}
    keys = rows.kind * len(clouds) + by_place[rows.place]
    distinct, which = np.unique(keys, return_inverse=True)
    pairs = [(int(key) // len(clouds), example[int(key) % len(clouds)]) for key in distinct]
    return pairs, which


def _columns(
    table: PathTable,
    rows: PathRows,
    kinds: list[PathQuery],
    kind: NDArray[np.intp],
    is_both_ways: NDArray[np.bool_],
    rtt: Spans,
) -> Columns:
    numbers = rows.numbers
    window, of_note = numbers["window_bytes"], numbers["window_of_note"]
    sending = numbers["send_buffer_bytes"]
    return Columns(
        kind=kind,
        window_bytes=np.where(np.isnan(window), of_note, window),
        send_buffer_bytes=np.where(np.isnan(sending), 2 * of_note, sending),
        streams=numbers["streams"],
        rtt_ms=rtt.middle,
        low_rtt_ms=rtt.low,
        high_rtt_ms=rtt.high,
        duration_s=numbers["duration_s"],
        omit_s=_omits(table, numbers["omit_s"]),
        transfer_bytes=numbers["bytes"],
        is_both_ways=is_both_ways,
        is_sender_count=rows.is_sender_count,
        late_rtts=_by_campaign(table, tables.late_of),
    )


def _joined(
    table: PathTable, days: Sequence[date | None], kind: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return which rows' round-trip times are of another day than the row, or of such a campaign.

    A row is known by its `rtt_date`, a published campaign by its name.
    """
    found = np.zeros(table.row_count, dtype=bool)
    if table.has("source"):
        names, which = table.texts("source")
        found |= np.array([tables.has_joined_rtt(name) for name in names], dtype=bool)[which]
    if table.has("rtt_date"):
        texts, which = table.texts("rtt_date")
        taken = np.array([_ordinal(day_of(text)) for text in texts])[which]
        asked = np.array([_ordinal(day) for day in days])[kind]
        found |= (taken != _NO_DAY) & (taken != asked)
    return found


def _ordinal(day: date | None) -> int:
    return day.toordinal() if day is not None else _NO_DAY


def _omits(table: PathTable, given: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the seconds before counting: the row's own, else those of its campaign's protocol."""
    if not np.isnan(given).any():
        return given
    return np.where(np.isnan(given), _by_campaign(table, tables.omit_of), given)


def _by_campaign(table: PathTable, figure_of: Callable[[str], float]) -> NDArray[np.float64]:
    """Return a figure of each row's campaign; that of none where the table names none."""
    if not table.has("source"):
        return np.full(table.row_count, figure_of(""))
    names, which = table.texts("source")
    return np.array([figure_of(name) for name in names])[which]
