"""Pictures of the page: traffic between places, expensive pairs, caps of machines."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Line, Role, fixed, in_currency, line, say
from netplan_planner.renderers.html.charts.bands import Bands, EndTexts, Frame, Link, bands
from netplan_planner.renderers.html.charts.heat import Cell, Matrix, Panel, by_magnitude, evenly
from netplan_planner.verbs.audit.answer import DearPair, Report

MOST_PLACES = 16
"""Columns that still have room for their figures; the places with the most traffic stay."""


class _Pair(NamedTuple):
    """All traffic from one place to another."""

    gib: Decimal
    usd: Decimal | None
    is_least: bool
    """Part of the traffic has no price."""
    rtt_ms: float | None
    used_ratio: float | None


class _Measure(NamedTuple):
    title: str
    note: str
    value: Callable[[_Pair], float | None]
    text: Callable[[_Pair], model.Text]
    is_even: bool
    """Shaded by size, from 0 to 1; else by order of magnitude."""


def matrices(
    pairs: Sequence[model.ZonePair], currency: model.CurrencyRate | None = None
) -> tuple[Matrix, ...]:
    """Return the matrix of regions, where there are several, and that of zones.

    Amounts are shown in a currency; None: US dollars.
    """
    regions = {model.region_of(zone) for pair in pairs for zone in (pair.src_zone, pair.dst_zone)}
    made = []
    if len(regions) > 1:
        made.append(_matrix("region", pairs, model.region_of, currency))
    if pairs:
        made.append(_matrix("zone", pairs, str, currency))
    return tuple(made)


def _matrix(
    noun: str,
    pairs: Sequence[model.ZonePair],
    place: Callable[[str], str],
    currency: model.CurrencyRate | None,
) -> Matrix:
    by_ends = _by_ends(pairs, place)
    size: dict[str, Decimal] = defaultdict(Decimal)
    for (src, dst), pair in by_ends.items():
        for one in {src, dst}:
            size[one] += pair.gib
    ranked = sorted(size, key=lambda one: (-size[one], one))
    places = tuple(sorted(ranked[:MOST_PLACES]))
    left_out = sum(
        (pair.gib for ends, pair in by_ends.items() if not set(ends) <= set(places)), Decimal(0)
    )
    rest = ""
    if len(ranked) > len(places):
        count = figures.counted(len(ranked) - len(places), f"more {noun}")
        rest = f"{count} with {figures.volume(left_out)} not shown"
    return Matrix(
        name=noun,
        title=f"Between {noun}s: from rows to columns",
        places=tuple(say(one, length=40).text for one in places),
        panels=tuple(_panel(measure, by_ends, places, currency) for measure in _MEASURES),
        rest=rest,
    )


def _by_ends(
    pairs: Iterable[model.ZonePair], place: Callable[[str], str]
) -> dict[tuple[str, str], _Pair]:
    """Return the sums of each pair of places."""
    groups: dict[tuple[str, str], list[model.ZonePair]] = defaultdict(list)
    for pair in pairs:
        groups[place(pair.src_zone), place(pair.dst_zone)].append(pair)
    return {ends: _pair(found) for ends, found in groups.items()}


def _pair(pairs: Sequence[model.ZonePair]) -> _Pair:
    known = [pair.usd_per_month for pair in pairs if pair.usd_per_month is not None]
    rtt = [(pair.gib_per_month, pair.rtt_ms) for pair in pairs if pair.rtt_ms is not None]
    used = [
        pair.max_gbps / pair.predicted.gbps
        for pair in pairs
        if pair.predicted is not None and pair.predicted.gbps
    ]
    return _Pair(
        gib=sum((pair.gib_per_month for pair in pairs), Decimal(0)),
        usd=sum(known, Decimal(0)) if known else None,
        is_least=any(pair.unpriced or pair.usd_per_month is None for pair in pairs),
        rtt_ms=max(rtt)[1] if rtt else None,
        used_ratio=max(used) if used else None,
    )


def _panel(
    measure: _Measure,
    by_ends: dict[tuple[str, str], _Pair],
    places: Sequence[str],
    currency: model.CurrencyRate | None,
) -> Panel:
    shown = {
        ends: value
        for ends, pair in by_ends.items()
        if set(ends) <= set(places) and (value := measure.value(pair)) is not None
    }
    shade = evenly if measure.is_even else by_magnitude([v for v in shown.values() if v > 0])
    rows = tuple(
        tuple(
            cell._replace(text=in_currency(cell.text, currency))
            for dst in places
            for cell in [_cell(measure, by_ends.get((src, dst)), shown.get((src, dst)), shade)]
        )
        for src in places
    )
    return Panel(title=measure.title, note=measure.note, rows=rows)


def _cell(
    measure: _Measure, pair: _Pair | None, value: float | None, shade: Callable[[float], int]
) -> Cell:
    if pair is None:
        return Cell(text=())
    if value is None:
        return Cell(text=line(say("unknown", Role.DIM)))
    text = line(fixed(measure.text(pair)))
    return Cell(text=text, shade=shade(value), is_over=measure.is_even and value >= 1)


def _dollars(pair: _Pair) -> model.Text:
    least = "≥ " if pair.is_least and pair.usd else ""
    return model.worded(least, model.Amount(usd=pair.usd or Decimal(0)))


def _usd(pair: _Pair) -> float | None:
    """Return what is known of the price; a part that has none makes a zero unknown."""
    if pair.usd is None or (pair.is_least and not pair.usd):
        return None
    return float(pair.usd)


_MEASURES = (
    _Measure(
        title="volume",
        note="Per month, internal and external addresses together.",
        value=lambda pair: float(pair.gib),
        text=lambda pair: figures.volume(pair.gib),
        is_even=False,
    ),
    _Measure(
        title="dollars",
        note="Per month at the prices of this report. ≥ means that part of it has no price.",
        value=_usd,
        text=_dollars,
        is_even=False,
    ),
    _Measure(
        title="round trip",
        note="For the traffic with the largest volume.",
        value=lambda pair: pair.rtt_ms,
        text=lambda pair: f"{figures.number(pair.rtt_ms or 0.0)} ms",
        is_even=False,
    ),
    _Measure(
        title="actual rate and maximum",
        note="Busiest minute of any pair of VMs, and what the pair with the most traffic can "
        "reach.",
        value=lambda pair: pair.used_ratio,
        text=lambda pair: figures.use(pair.used_ratio or 0.0),
        is_even=True,
    ),
)


_FRAME = Frame()


class PairRow(NamedTuple):
    """The same in figures."""

    src: str
    dst: str
    path_class: str
    volume: Line
    usd: Line
    fastest: Line


class Pairs(NamedTuple):
    """The picture and its table."""

    picture: Bands
    rows: tuple[PairRow, ...]
    alt: str


def pairs(dear: Sequence[DearPair], currency: model.CurrencyRate | None = None) -> Pairs | None:
    """Return the picture of pairs that cost something; None where there are none."""
    known = [pair for pair in dear if pair.usd_per_month > 0]
    if not known:
        return None

    def title_of(name: str, usd: Decimal) -> str:
        return f"{name}: {figures.dollars(usd, currency)}/month"

    links = [
        Link(
            src=say(_src(pair), length=120).text,
            dst=say(_dst(pair), length=120).text,
            weight=pair.usd_per_month,
            title=_title(pair, currency),
            is_external=not pair.path_class.value.endswith("-internal"),
        )
        for pair in known
    ]
    return Pairs(
        picture=bands(links, EndTexts(title_of), _FRAME),
        rows=tuple(_row(pair, currency) for pair in known),
        alt=f"Most expensive: {_title(known[0], currency)}",
    )


def _src(pair: DearPair) -> str:
    return f"{pair.src} ({pair.src_place})" if pair.src_place else pair.src


def _dst(pair: DearPair) -> str:
    return f"{pair.dst} ({pair.dst_place})" if pair.dst_place else pair.dst


def _title(pair: DearPair, currency: model.CurrencyRate | None) -> str:
    names = say(f"{_src(pair)} → {_dst(pair)}", length=250).text
    return (
        f"{names}, {pair.path_class.value}: {figures.dollars(pair.usd_per_month, currency)}/month "
        f"for {figures.volume(pair.gib_per_month)}"
    )


def _row(pair: DearPair, currency: model.CurrencyRate | None) -> PairRow:
    return PairRow(
        src=say(_src(pair), length=120).text,
        dst=say(_dst(pair), length=120).text,
        path_class=pair.path_class.value,
        volume=line(fixed(figures.volume(pair.gib_per_month))),
        usd=in_currency(line(fixed(model.Amount(usd=pair.usd_per_month))), currency),
        fastest=line(fixed(figures.rate(pair.max_gbps))),
    )


FULL = 1.25
"""The right end of a strip as a ratio of the cap: a minute can pass it by what a shaper lets by."""


class Strip(NamedTuple):
    """One machine in one direction; places are ratios of the strip's length, 0 to 1."""

    machine: str
    machine_type: str
    way: str
    p95_gbps: float
    peak_gbps: float
    cap_gbps: float

    @property
    def used_ratio(self) -> float:
        """The 95th percentile against the cap."""
        return self.p95_gbps / self.cap_gbps

    @property
    def used(self) -> Line:
        """The same, in words."""
        return line(fixed(figures.use(self.used_ratio)))

    def place(self, gbps: float) -> float:
        """Return where a rate stands."""
        return round(min(gbps / self.cap_gbps / FULL, 1.0), 4)

    def rate(self, gbps: float) -> Line:
        """Return a rate in words."""
        return line(fixed(figures.rate(gbps)))


def strips(report: Report) -> tuple[Strip, ...]:
    """Return the machines that were seen to send, the fullest first.

    What carries to all destinations is set against the cap inside the VPC, what leaves the VPC
    against the cap to outside addresses. Without a known cap there is nothing to set it against.
    """
    found = [strip for row in report.machines for strip in _of(row)]
    return tuple(sorted(found, key=lambda one: (-one.used_ratio, one.machine, one.way)))


def _of(row: model.MachineRow) -> Iterator[Strip]:
    ways = (
        ("all", row.egress_p95_gbps, row.egress_max_gbps, row.egress_gbps),
        ("to outside", row.external_p95_gbps, row.external_max_gbps, row.external_gbps),
    )
    for way, p95, peak, cap in ways:
        if p95 is not None and peak and cap:
            yield Strip(
                machine=say(row.name, length=63).text,
                machine_type=say(row.machine_type, length=60).text,
                way=way,
                p95_gbps=p95,
                peak_gbps=peak,
                cap_gbps=cap,
            )
