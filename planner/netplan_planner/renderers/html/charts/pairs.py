"""The pairs of ends whose traffic costs most, drawn from the senders to the receivers."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.model import Amount, CurrencyRate, DearPair
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Line, fixed, in_currency, line, say
from netplan_planner.renderers.html.charts.bands import Bands, EndTexts, Frame, Link, bands

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


def pairs(dear: Sequence[DearPair], currency: CurrencyRate | None = None) -> Pairs | None:
    """Return the picture of pairs that cost something; None where there are none."""
    known = [pair for pair in dear if pair.usd_per_month > 0]
    if not known:
        return None

    def title_of(name: str, usd: Decimal) -> str:
        return f"{name}: {figures.dollars(usd, currency)} a month"

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
        alt=f"The dearest: {_title(known[0], currency)}",
    )


def _src(pair: DearPair) -> str:
    return f"{pair.src} ({pair.src_place})" if pair.src_place else pair.src


def _dst(pair: DearPair) -> str:
    return f"{pair.dst} ({pair.dst_place})" if pair.dst_place else pair.dst


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
