"""The pairs of ends whose traffic costs most, drawn from the senders to the receivers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import Amount, CurrencyRate, DearPair
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Line, fixed, in_currency, line, say

WIDTH = 900
_FROM, _TO = 250, 650
"""Where the senders end and the receivers begin; names stand outside."""
_ROW = 20
"""The least distance of two names."""
_BAND = 260
"""Height that all the money of one side takes."""
_THINNEST = 1.5
_NAME = 30
"""Letters that fit beside the picture."""


class End(NamedTuple):
    """A sender or a receiver: a bar as high as its share of the money."""

    name: str
    title: str
    y: float
    height: float


class Flow(NamedTuple):
    """The traffic of a pair, as a curve as wide as its share of the money."""

    path: str
    width: float
    title: str
    is_external: bool


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

    senders: tuple[End, ...]
    receivers: tuple[End, ...]
    flows: tuple[Flow, ...]
    rows: tuple[PairRow, ...]
    height: int
    alt: str
    width: int = WIDTH
    start: int = _FROM
    end: int = _TO


class _Side(NamedTuple):
    ends: dict[str, End]
    height: float


def pairs(dear: Sequence[DearPair], currency: CurrencyRate | None = None) -> Pairs | None:
    """Return the picture of pairs that cost something; None where there are none."""
    known = [pair for pair in dear if pair.usd_per_month > 0]
    if not known:
        return None
    scale = _BAND / float(sum(pair.usd_per_month for pair in known))
    senders = _side([(_src(pair), pair.usd_per_month) for pair in known], scale, currency)
    receivers = _side([(_dst(pair), pair.usd_per_month) for pair in known], scale, currency)
    return Pairs(
        senders=tuple(senders.ends.values()),
        receivers=tuple(receivers.ends.values()),
        flows=tuple(_flows(known, (senders, receivers), scale, currency)),
        rows=tuple(_row(pair, currency) for pair in known),
        height=round(max(senders.height, receivers.height)),
        alt=f"The dearest: {_title(known[0], currency)}",
    )


def _src(pair: DearPair) -> str:
    return f"{pair.src} ({pair.src_place})" if pair.src_place else pair.src


def _dst(pair: DearPair) -> str:
    return f"{pair.dst} ({pair.dst_place})" if pair.dst_place else pair.dst


def _side(
    ends: Sequence[tuple[str, Decimal]], scale: float, currency: CurrencyRate | None
) -> _Side:
    """Return the bars of one side from above, the dearest first."""
    usd: dict[str, Decimal] = defaultdict(Decimal)
    for name, amount in ends:
        usd[name] += amount
    found: dict[str, End] = {}
    y = 8.0
    for name in sorted(usd, key=lambda one: (-usd[one], one)):
        height = max(float(usd[name]) * scale, _THINNEST)
        said = say(name, length=120).text
        found[name] = End(
            name=said if len(said) <= _NAME else f"{said[: _NAME - 1]}…",
            title=f"{said}: {figures.dollars(usd[name], currency)} a month",
            y=round(y, 1),
            height=round(height, 1),
        )
        y += max(height + 6, _ROW)
    return _Side(found, y + 8)


def _flows(
    known: Sequence[DearPair],
    sides: tuple[_Side, _Side],
    scale: float,
    currency: CurrencyRate | None,
) -> Iterator[Flow]:
    """Yield the curves; those of one end lie below each other, in the order of the other end."""
    tops = tuple({name: end.y for name, end in side.ends.items()} for side in sides)
    order = {name: number for number, name in enumerate(sides[1].ends)}
    middle = (_FROM + _TO) // 2
    for pair in sorted(known, key=lambda one: order[_dst(one)]):
        width = max(float(pair.usd_per_month) * scale, _THINNEST)
        heights = []
        for top, name in zip(tops, (_src(pair), _dst(pair)), strict=True):
            heights.append(round(top[name] + width / 2, 1))
            top[name] += width
        src, dst = heights
        yield Flow(
            path=f"M{_FROM + 8} {src}C{middle} {src} {middle} {dst} {_TO - 8} {dst}",
            width=round(width, 1),
            title=_title(pair, currency),
            is_external=not pair.path_class.value.endswith("-internal"),
        )


def _title(pair: DearPair, currency: CurrencyRate | None) -> str:
    names = say(f"{_src(pair)} → {_dst(pair)}", length=250).text
    return (
        f"{names}, {pair.path_class.value}: {figures.dollars(pair.usd_per_month, currency)} a month"
        f" for {figures.volume(pair.gib_per_month)}"
    )


def _row(pair: DearPair, currency: CurrencyRate | None) -> PairRow:
    return PairRow(
        src=say(_src(pair), length=120).text,
        dst=say(_dst(pair), length=120).text,
        path_class=pair.path_class.value,
        volume=line(fixed(figures.volume(pair.gib_per_month))),
        usd=in_currency(line(fixed(Amount(usd=pair.usd_per_month))), currency),
        fastest=line(fixed(figures.rate(pair.max_gbps))),
    )
