"""Price against bandwidth of machines that meet a need: which of them no other beats in both."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple, Protocol

from netplan_planner.model import Candidate, CurrencyRate, MachinePlan, Value
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import say

WIDTH, HEIGHT = 900, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 170, 22, 44
MOST_OTHERS = 120
_LETTER, _LINE = 6.8, 14
_STEPS = (1, 2, 2.5, 5, 10, 20, 25, 50)
_LINES = 6
_DEARER = 4.0
"""Prices above this multiple of the dearest of the front would press all others together."""
_DROPS = (4, -8, 16)
"""Where a label can stand: beside its mark, above, below."""


class Mark(NamedTuple):
    """A machine at its price and bandwidth, in units of the picture."""

    x: float
    y: float
    kind: str
    """`front`, `other` or `today`."""
    text: str
    label: str
    """Written beside it; empty where it would stand over something."""
    drop: int
    """How far below the mark the label's base line is."""


class Tick(NamedTuple):
    """A line of a scale."""

    at: float
    text: str


class Frame(Value, frozen=True, kw_only=True):
    """The room of a picture, in its units."""

    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    end: int = WIDTH - RIGHT
    top: int = TOP
    floor: int = HEIGHT - BOTTOM


def at_x(share: float) -> float:
    """Return how far right a share of a frame's width is."""
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def at_y(share: float) -> float:
    """Return how far down a share of a frame's height is, seen from its floor."""
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


class Stepped(Frame, frozen=True, kw_only=True):
    """A step line through the machines of a front, the others beside it."""

    name: str
    """What it is of: `A job in us-central1`."""
    marks: tuple[Mark, ...]
    steps: str
    """The points of the front's line, as SVG writes them."""
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    alt: str


class Front(Stepped, frozen=True, kw_only=True):
    """The picture of price against bandwidth."""

    wanted: Tick
    """The wanted bandwidth, with what is kept free."""
    dearer: str
    """How many are too dear for the picture; empty: none."""


class _Point(NamedTuple):
    usd: float
    gbps: float
    name: str
    kind: str
    text: str


def front(plan: MachinePlan, currency: CurrencyRate | None = None) -> Front | None:
    """Return the picture of a plan; None where fewer than two machines have a price.

    Its prices are shown in a currency; None: US dollars.
    """
    line = list(_points(plan.front, "front", currency))
    if len(line) < 2:
        return None
    named = {point.name for point in line}
    fitting = [p for p in _points(plan.ranked, "other", currency) if p.name not in named]
    today = list(_points([plan.baseline] if plan.baseline else [], "today", currency))
    most = max(point.usd for point in (*line, *today)) * _DEARER
    others = [point for point in fitting if point.usd <= most][:MOST_OTHERS]
    hidden = len(fitting) - len(others)
    points = [*others, *today, *line]
    need_gbps = plan.need.gbps / (1 - plan.need.headroom_ratio)
    most_usd = max(point.usd for point in points) * 1.04
    most_gbps = max([need_gbps, *(point.gbps for point in points)]) * 1.06

    def x(usd: float) -> float:
        return at_x(usd / most_usd)

    def y(gbps: float) -> float:
        return at_y(gbps / most_gbps)

    corners = stairs([(x(point.usd), y(point.gbps)) for point in line])
    ratio = plan.need.headroom_ratio
    kept = f", {figures.share(ratio, 1)} kept free" if ratio else ""
    return Front(
        name=f"{figures.rate(plan.need.gbps)} from {say(plan.need.region, length=40).text}",
        marks=tuple(labelled([(x(point.usd), y(point.gbps), point) for point in points], corners)),
        steps=written(corners),
        across=tuple(Tick(x(value), dollars(value, currency)) for value in scale(most_usd)),
        up=tuple(Tick(y(value), figures.trimmed(value, 1)) for value in scale(most_gbps)),
        wanted=Tick(y(need_gbps), f"need {figures.rate(need_gbps)}{kept}"),
        alt="; ".join(point.text for point in line),
        dearer=f"{figures.counted(hidden, 'more expensive one')} not shown." if hidden else "",
    )


def _points(
    candidates: Sequence[Candidate], kind: str, currency: CurrencyRate | None
) -> Iterator[_Point]:
    """Yield what has a price, of all its machines together."""
    for candidate in candidates:
        if candidate.usd_per_month is not None:
            count = f"{candidate.count} × " if candidate.count > 1 else ""
            tier = ", Tier_1" if candidate.is_tier1 else ""
            name = f"{count}{say(candidate.machine_type, length=60).text}{tier}"
            gbps = candidate.cap_gbps * candidate.count
            price = figures.dollars(candidate.usd_per_month, currency)
            yield _Point(
                usd=float(candidate.usd_per_month),
                gbps=gbps,
                name=name,
                kind=kind,
                text=f"{name}: {price} for {figures.rate(gbps)}",
            )


class Marked(Protocol):
    """What stands at a place of a picture."""

    @property
    def name(self) -> str:
        """Its label."""

    @property
    def kind(self) -> str:
        """As a mark's."""

    @property
    def text(self) -> str:
        """What is said of it where the pointer stands."""


def labelled(
    placed: Sequence[tuple[float, float, Marked]],
    curve: Sequence[tuple[float, float]],
    quiet: frozenset[str] = frozenset(),
    upright: float | None = None,
) -> Iterator[Mark]:
    """Yield the marks, the front on top; a label without room, or of `quiet`, is left out.

    `curve` has the corners of the front's line, which runs through no label; nor does the line
    from top to floor at `upright`.
    """
    taken = [_Box(x - 5, x + 5, y - 5, y + 5) for x, y, _ in placed]
    for (x, y), (to_x, to_y) in pairwise(curve):
        taken.append(_Box(min(x, to_x) - 1, max(x, to_x) + 1, min(y, to_y) - 1, max(y, to_y) + 1))
    if upright is not None:
        taken.append(_Box(upright - 1, upright + 1, TOP, HEIGHT - BOTTOM))
    drops: dict[int, int | None] = {}
    for index in sorted(range(len(placed)), key=lambda index: placed[index][2].kind != "front"):
        x, y, point = placed[index]
        if point.kind != "other" and point.name not in quiet:
            drops[index] = _free(x, y, point.name, taken)
    for index, (x, y, point) in enumerate(placed):
        drop = drops.get(index)
        yield Mark(x, y, point.kind, point.text, "" if drop is None else point.name, drop or 0)


class _Box(NamedTuple):
    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: "_Box") -> bool:
        beside = self.left >= other.right or other.left >= self.right
        return not beside and self.top < other.bottom and other.top < self.bottom


def _free(x: float, y: float, text: str, taken: list[_Box]) -> int | None:
    """Return where a label beside a mark has room, and take it; None: nowhere."""
    end = x + 9 + len(text) * _LETTER
    for drop in _DROPS:
        box = _Box(x + 9, end, y + drop - _LINE + 3, y + drop + 2)
        if end <= WIDTH and not any(map(box.meets, taken)):
            taken.append(box)
            return drop
    return None


def stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of the line through points: along to the next, then up or down."""
    found = [points[0]]
    for x, y in points[1:]:
        found += [(x, found[-1][1]), (x, y)]
    return found


def written(corners: Sequence[tuple[float, float]]) -> str:
    """Return the corners of a line as SVG writes them."""
    return " ".join(f"{x},{y}" for x, y in corners)


def dollars(usd: float, currency: CurrencyRate | None) -> str:
    """Return a value of a scale of money."""
    return figures.dollars(Decimal(str(usd)), currency).removesuffix(".00")


_LEAST = 1e-300
"""Below it a tenth is no number any more."""


def scale(most: float, least: float = 0.0) -> list[float]:
    """Return round values from `least` on, at most `_LINES` of them."""
    if most - least < _LEAST:
        return [least]
    unit = 10.0 ** (math.floor(math.log10(most - least)) - 1)
    step = next(unit * n for n in _STEPS if (most - least) / (unit * n) < _LINES)
    return [step * n for n in range(math.ceil(least / step), int(most / step) + 1)]
