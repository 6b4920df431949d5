"""Links from senders on the left to receivers on the right, as curves as wide as their weight."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

_ROW = 20
"""The least distance of two names."""
THINNEST = 1.5


class Frame(NamedTuple):
    """Where a picture has what."""

    width: int = 900
    start: int = 250
    """Where the senders end; names stand outside."""
    end: int = 650
    """Where the receivers begin."""
    band: int = 260
    """Height that all weight of one side takes."""
    name_length: int = 30
    """Letters that fit beside the picture."""


class Link(NamedTuple):
    """What one sender sends to one receiver; texts are inert."""

    src: str
    dst: str
    weight: Decimal | None
    """None: not known."""
    title: str
    is_external: bool


class End(NamedTuple):
    """A sender or a receiver: a bar as high as its share of the weight."""

    name: str
    figure: str
    """Written beside the name; may be empty."""
    title: str
    y: float
    height: float


class Flow(NamedTuple):
    """A link as a curve as wide as its share of the weight."""

    path: str
    width: float
    title: str
    is_external: bool
    is_known: bool


class Bands(NamedTuple):
    """The picture."""

    senders: tuple[End, ...]
    receivers: tuple[End, ...]
    flows: tuple[Flow, ...]
    height: int
    width: int
    start: int
    end: int


class _Side(NamedTuple):
    ends: dict[str, End]
    height: float


class EndTexts(NamedTuple):
    """What is said of an end; what comes in and what goes out is inert."""

    title: Callable[[str, Decimal], str]
    """From its name and all its weight."""
    figure: Callable[[Decimal], str] = lambda _: ""
    """From all its weight."""


def bands(links: Sequence[Link], texts: EndTexts, frame: Frame) -> Bands:
    """Return the picture of links, the heaviest ends above."""
    total = float(sum(link.weight or 0 for link in links))
    scale = frame.band / total if total else 0.0
    senders = _side([(link.src, link.weight) for link in links], scale, texts, frame)
    receivers = _side([(link.dst, link.weight) for link in links], scale, texts, frame)
    return Bands(
        senders=tuple(senders.ends.values()),
        receivers=tuple(receivers.ends.values()),
        flows=tuple(_flows(links, (senders, receivers), scale, frame)),
        height=round(max(senders.height, receivers.height)),
        width=frame.width,
        start=frame.start,
        end=frame.end,
    )


def _side(
    ends: Sequence[tuple[str, Decimal | None]], scale: float, texts: EndTexts, frame: Frame
) -> _Side:
    """Return the bars of one side from above, the heaviest first; each holds all its curves."""
    weights: dict[str, Decimal] = defaultdict(Decimal)
    heights: dict[str, float] = defaultdict(float)
    for name, weight in ends:
        weights[name] += weight or 0
        heights[name] += _width(weight, scale)
    found: dict[str, End] = {}
    y = 8.0
    length = frame.name_length
    for name in sorted(weights, key=lambda one: (-weights[one], one)):
        found[name] = End(
            name=name if len(name) <= length else f"{name[: length - 1]}…",
            figure=texts.figure(weights[name]),
            title=texts.title(name, weights[name]),
            y=round(y, 1),
            height=round(heights[name], 1),
        )
        y += max(heights[name] + 6, _ROW)
    return _Side(found, y + 8)


def _width(weight: Decimal | None, scale: float) -> float:
    return max(float(weight or 0) * scale, THINNEST)


def _flows(
    links: Sequence[Link], sides: tuple[_Side, _Side], scale: float, frame: Frame
) -> Iterator[Flow]:
    """Yield the curves; those of one end lie below each other, in the order of the other end."""
    tops = tuple({name: end.y for name, end in side.ends.items()} for side in sides)
    order = {name: number for number, name in enumerate(sides[1].ends)}
    middle = (frame.start + frame.end) // 2
    for link in sorted(links, key=lambda one: order[one.dst]):
        width = _width(link.weight, scale)
        heights = []
        for top, name in zip(tops, (link.src, link.dst), strict=True):
            heights.append(round(top[name] + width / 2, 1))
            top[name] += width
        src, dst = heights
        start, end = frame.start + 8, frame.end - 8
        yield Flow(
            path=f"M{start} {src}C{middle} {src} {middle} {dst} {end} {dst}",
            width=round(width, 1),
            title=link.title,
            is_external=link.is_external,
            is_known=link.weight is not None,
        )
