"""What a placement's moves save together, one after the other, with the stop line."""

from decimal import Decimal
from itertools import accumulate

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers import figures
from netplan_planner.renderers.html.charts.front import Frame, Tick, at_x, at_y, dollars, scale
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.place.answer import Placement

_MOST_POINTS = 400
_MARGIN = 1.06


class Savings(Frame, frozen=True, kw_only=True):
    """The picture: a line from no move to all of them."""

    line: str
    """Its points, as SVG writes them."""
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    stop: Tick | None
    """Where the moves end that are worth it; None: all are, or none is."""
    alt: str


def pictures(answer: Placement, currency: CurrencyRate | None) -> list[Picture]:
    """Return what the moves save."""
    return drawn("savings", savings(answer, currency))


def savings(answer: Placement, currency: CurrencyRate | None = None) -> Savings | None:
    """Return the picture of a plan; None where fewer than two moves save anything."""
    sums = list(accumulate((one.saving_usd_per_month for one in answer.moves), initial=Decimal(0)))
    if len(answer.moves) < 2 or max(sums) <= 0 or min(sums) < 0:
        return None
    count = len(answer.moves)
    most = float(max(sums)) * _MARGIN

    def x(number: float) -> float:
        return at_x(number / count)

    def y(usd: float) -> float:
        return at_y(usd / most)

    worth = sum(one.is_worth_it for one in answer.moves)
    every = max(1, count // _MOST_POINTS)
    shown = sorted({*range(0, count + 1, every), worth, count})
    saved = figures.dollars(sums[worth], currency)
    whole = figures.dollars(sums[count], currency)
    return Savings(
        line=" ".join(f"{x(number)},{y(float(sums[number]))}" for number in shown),
        across=tuple(
            Tick(x(number), f"{number:,.0f}") for number in scale(count) if number == int(number)
        ),
        up=tuple(Tick(y(value), dollars(value, currency)) for value in scale(most)),
        stop=Tick(x(worth), "stop line") if 0 < worth < count else None,
        alt=f"the first {worth:,} of {count:,} moves save {saved}/month, all of them {whole}",
    )
