"""Machines before and after changes: what each gets of the rates, as two bars a machine."""

from typing import NamedTuple

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import say
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.whatif.answer import WhatifAnswer, WhatifPair

MOST = 16
WIDTH, LEFT, RIGHT = 900, 190, 190
ROW, BAR, TOP = 34, 10, 8
_NAME, _GAP = 26, 8


class Bars(NamedTuple):
    """One machine; lengths and places in units of the picture."""

    name: str
    text: str
    """Both figures, in words."""
    top: float
    before: float
    after: float
    cap: float | None
    """Where its cap after the changes lies; None: beyond the picture, or not known."""
    label: float
    """Where both figures stand: right of the bars and of the cap, which would cross them."""


class _Sending(NamedTuple):
    pair: WhatifPair
    before_gbps: float
    after_gbps: float


class BeforeAfter(NamedTuple):
    """The picture."""

    rows: tuple[Bars, ...]
    left_out: str
    alt: str
    height: int
    width: int = WIDTH
    left: int = LEFT
    bar: int = BAR


def pictures(answer: WhatifAnswer, currency: CurrencyRate | None) -> list[Picture]:
    """Return the machines' rates before and after."""
    del currency
    return drawn("before_after", before_after(answer))


def before_after(answer: WhatifAnswer) -> BeforeAfter | None:
    """Return the picture of machines that send; None where none does, before or after.

    Those whose rate changes most come first; bars of all have one scale.
    """
    sending = [
        _Sending(pair, pair.before.gbps, pair.after.gbps)
        for pair in answer.machines
        if pair.before.gbps is not None and pair.after.gbps is not None
    ]
    sending = [one for one in sending if one.before_gbps or one.after_gbps]
    if not sending:
        return None
    shown = sorted(sending, key=lambda one: -abs(one.after_gbps - one.before_gbps))[:MOST]
    most = max(max(one.before_gbps, one.after_gbps) for one in shown)
    rest = len(sending) - len(shown)
    unknown = sum(one.before.gbps is None or one.after.gbps is None for one in answer.machines)
    said = (
        f"{rest:,} more are in the VM table." if rest else "",
        f"Not drawn: {unknown:,} with an unknown rate before or after." if unknown else "",
    )
    return BeforeAfter(
        rows=tuple(_bars(one, number, most) for number, one in enumerate(shown)),
        left_out=" ".join(one for one in said if one),
        alt=f"the largest change: {_text(shown[0])}",
        height=TOP + ROW * len(shown),
    )


def _bars(one: _Sending, number: int, most: float) -> Bars:
    def length(gbps: float) -> float:
        return round(gbps / most * (WIDTH - LEFT - RIGHT), 1)

    cap = one.pair.after.egress_gbps
    at = LEFT + length(cap) if cap is not None and cap <= most * (1 + 1e-9) else None
    ends = (LEFT + length(max(one.before_gbps, one.after_gbps)), at or 0.0)
    return Bars(
        name=say(one.pair.name, length=_NAME).text,
        text=_text(one),
        top=TOP + ROW * number,
        before=length(one.before_gbps),
        after=length(one.after_gbps),
        cap=at,
        label=max(ends) + _GAP,
    )


def _text(one: _Sending) -> str:
    rates = figures.rates(one.before_gbps, one.after_gbps)
    return f"{say(one.pair.name, length=63).text}: {rates}"
