"""A second opinion on traffic: the arithmetic of flow logs in plain Python, with exact numbers.

Nothing is shared with the engine: no SQL, no integer keys, no batches. It takes few records and is
as slow as it likes. `Place` says whose an address is; the look-up itself is tested elsewhere.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

HEADERS = {6: 52, 17: 28, 1: 28}
OTHER_HEADER = 20
GAP_MINUTES = 60


@dataclass(frozen=True)
class Place:
    """Whose an address is."""

    owner: str
    zone: str | None = None
    subnetwork: str | None = None
    external: str | None = None
    """The external address of the same interface."""
    is_external: bool = False
    """Whether this address is that one."""
    is_machine: bool = True
    is_internet: bool = False


@dataclass(frozen=True)
class Record:
    """One flow record; times are microseconds."""

    src: str
    dst: str
    by: str
    start_us: int
    end_us: int
    payload: int
    packets: int
    protocol: int
    port: int
    is_dropped: bool = False


@dataclass
class EdgeSum:
    """What one edge adds up to; minutes hold bytes, perhaps halves."""

    payload: Fraction = Fraction(0)
    wire: Fraction = Fraction(0)
    packets: Fraction = Fraction(0)
    by_destination: Fraction = Fraction(0)
    coarse: Fraction = Fraction(0)
    records: int = 0
    other_payload: int = 0
    other_records: int = 0
    dropped_bytes: int = 0
    dropped_packets: int = 0
    minutes: dict[int, Fraction] = field(default_factory=lambda: defaultdict(Fraction))


EdgeKey = tuple[str, str, str, str | None]


@dataclass
class Answer:
    """Edges by owners, path class and address; machines' minutes; the observed minutes."""

    edges: dict[EdgeKey, EdgeSum]
    sent: dict[str, dict[int, Fraction]]
    outside: dict[str, dict[int, Fraction]]
    received: dict[str, dict[int, Fraction]]
    observed_minutes: int


def answer(
    records: Sequence[Record],
    places: Mapping[str, Place],
    declared: frozenset[str],
    reporter: str,
) -> Answer:
    """Return what the records say; `declared` are the subnetworks that log by the inventory."""
    sending, receiving = _loggers(records, places, declared)
    pairs: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        pairs[_end(places[record.src]), _end(places[record.dst])].append(record)
    edges: dict[EdgeKey, EdgeSum] = defaultdict(EdgeSum)
    for group in pairs.values():
        src, dst = places[group[0].src], places[group[0].dst]
        sends, receives = _logger(src) in sending, _logger(dst) in receiving
        _add(edges[_key(src, dst)], group, _weights(group, sends, receives, reporter))
    found = {key: total for key, total in edges.items() if total.records}
    sent, outside, received = _machines(found, {p.owner: p for p in places.values()})
    return Answer(found, sent, outside, received, _observed(records))


def _end(place: Place) -> str:
    """What tells two ends apart: the owner, and by which address a machine is met."""
    return f"{place.owner} {place.is_external}"


def _logger(place: Place) -> str:
    if place.subnetwork is not None:
        return place.subnetwork
    return "" if place.is_internet else place.owner


def _loggers(
    records: Sequence[Record], places: Mapping[str, Place], declared: frozenset[str]
) -> tuple[set[str], set[str]]:
    sending, receiving = set(declared), set(declared)
    for record in records:
        if record.by == "SRC":
            sending.add(_logger(places[record.src]))
        else:
            receiving.add(_logger(places[record.dst]))
    return sending - {""}, receiving - {""}


def _weights(
    group: Sequence[Record], sends: bool, receives: bool, reporter: str
) -> dict[str, Fraction]:
    by = {record.by for record in group if not record.is_dropped}
    if reporter == "average" and sends and receives:
        return {"SRC": Fraction(1, 2), "DEST": Fraction(1, 2)}
    if reporter == "destination":
        chosen = "DEST" if receives or "SRC" not in by else "SRC"
    else:
        chosen = "SRC" if sends or "DEST" not in by else "DEST"
    return {side: Fraction(side == chosen) for side in ("SRC", "DEST")}


def _add(total: EdgeSum, group: Sequence[Record], weights: Mapping[str, Fraction]) -> None:
    by = {record.by for record in group if not record.is_dropped}
    is_both = weights["SRC"] == weights["DEST"]
    for record in group:
        if record.is_dropped:
            total.dropped_bytes += record.payload
            total.dropped_packets += record.packets
            continue
        weight = weights[record.by]
        wire = record.payload + record.packets * HEADERS.get(record.protocol, OTHER_HEADER)
        total.payload += weight * record.payload
        total.wire += weight * wire
        total.packets += weight * record.packets
        total.records += weight > 0
        if record.by == "DEST":
            total.by_destination += weight * record.payload
        if record.end_us - record.start_us > 60_000_000:
            total.coarse += weight * record.payload
        if (
            not weight
            or (is_both and record.by == "DEST")
            or (weights["SRC"] and record.by == "DEST" and "SRC" in by)
        ):
            total.other_payload += record.payload
            total.other_records += 1
        for minute, share in spread(record.start_us, record.end_us, wire).items():
            if weight and share:
                total.minutes[minute] += weight * share


def spread(start_us: int, end_us: int, byte_count: int) -> dict[int, int]:
    """Return the bytes of each minute: floor(bytes * elapsed / duration), in milliseconds."""
    minute = start_us // 60_000_000
    if end_us <= (minute + 1) * 60_000_000:
        return {minute: byte_count}
    start_ms, end_ms = start_us // 1000, end_us // 1000
    duration = max(end_ms - start_ms, 1)
    shares, before = {}, 0
    while minute * 60_000_000 < end_us:
        elapsed = min(max((minute + 1) * 60_000 - start_ms, 0), duration)
        until = byte_count * elapsed // duration
        shares[minute] = until - before
        before, minute = until, minute + 1
    return shares


def _key(src: Place, dst: Place) -> EdgeKey:
    if not all(place.is_machine or place.is_internet for place in (src, dst)):
        return src.owner, dst.owner, "unknown", None
    if src.is_internet or dst.is_internet:
        return src.owner, dst.owner, "internet", None
    distance = "same-zone" if src.zone == dst.zone else "inter-zone"
    if src.is_external or dst.is_external:
        return src.owner, dst.owner, f"{distance}-external", dst.external
    return src.owner, dst.owner, f"{distance}-internal", None


def _machines(
    edges: Mapping[EdgeKey, EdgeSum], places: Mapping[str, Place]
) -> tuple[dict[str, dict[int, Fraction]], ...]:
    sums: tuple[dict[str, dict[int, Fraction]], ...] = tuple(
        defaultdict(lambda: defaultdict(Fraction)) for _ in range(3)
    )
    for (src, dst, path_class, _), total in edges.items():
        leaves = path_class == "internet" or path_class.endswith("external")
        for minute, wire in total.minutes.items():
            if places[src].is_machine:
                sums[0][src][minute] += wire
                if leaves:
                    sums[1][src][minute] += wire
            if places[dst].is_machine:
                sums[2][dst][minute] += wire
    return sums


def _observed(records: Sequence[Record]) -> int:
    """Return the minutes from the first to the last, less silences of more than an hour."""
    covered: set[int] = set()
    for record in records:
        last = max(record.end_us - 1, record.start_us) // 60_000_000
        covered.update(range(record.start_us // 60_000_000, last + 1))
    minutes = sorted(covered)
    silences = (b - a - 1 for a, b in pairwise(minutes))
    return minutes[-1] - minutes[0] + 1 - sum(s for s in silences if s > GAP_MINUTES)


def percentile(minutes: Mapping[int, Fraction], observed: int, percent: int) -> Fraction:
    """Return the nearest-rank percentile over all observed minutes, idle ones as 0."""
    values = sorted(minutes.values())
    values = [Fraction(0)] * (observed - len(values)) + values
    return values[-(-percent * observed // 100) - 1]
