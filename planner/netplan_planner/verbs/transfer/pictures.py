"""The pictures of the answer's page."""

from netplan_planner.model import Amount, CurrencyRate
from netplan_planner.renderers import figures
from netplan_planner.renderers.content.job_views import spread
from netplan_planner.renderers.document import say
from netplan_planner.renderers.html.charts.cost_time import LABELLED, CostTime, Point, picture
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.transfer.answer import TransferAnswer, TransferOption, TransferPlan
from netplan_planner.verbs.transfer.views import machines_of


def pictures(answer: TransferAnswer, currency: CurrencyRate | None) -> list[Picture]:
    """Return cost against time."""
    return drawn("cost_time", cost_time_of_transfer(answer.transfer, currency))


def cost_time_of_transfer(
    plan: TransferPlan, currency: CurrencyRate | None = None
) -> CostTime | None:
    """Return the picture of a transfer, the direct way as a square.

    None where its front has fewer than two.
    """
    if len(plan.front) < 2:
        return None
    labelled = {_transfer_name(one) for one in spread(plan.front, LABELLED)}
    ways = [plan.plan, *(one.option for one in plan.ways)]
    return picture(
        f"A transfer from {say(plan.need.source, length=40).text}",
        line=[_transfer_point(one, "front", currency) for one in plan.front],
        rest=[_transfer_point(one, "other", currency) for one in ways if one is not None],
        today=[_transfer_point(plan.direct, "today", currency)] if plan.direct else [],
        shown=frozenset(labelled),
        deadline_s=plan.need.deadline_s,
        unit="total",
        time="time",
        currency=currency,
    )


def _transfer_name(option: TransferOption) -> str:
    return say(machines_of(option), length=60).text


def _transfer_point(option: TransferOption, kind: str, currency: CurrencyRate | None) -> Point:
    name = _transfer_name(option)
    price = figures.shown(Amount(usd=option.usd_total), currency)
    took = figures.duration(option.duration_s)
    return Point(option.usd_total, option.duration_s, name, kind, f"{name}: {price}, {took}")
