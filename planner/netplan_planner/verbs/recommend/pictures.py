"""The pictures of the answer's page."""

from netplan_planner.model import CurrencyRate, MachinePlan
from netplan_planner.renderers.html.charts.front import front
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.recommend.answer import Recommendation


def pictures(answer: Recommendation, currency: CurrencyRate | None) -> list[Picture]:
    """Return the types that no other beats in price and bandwidth."""
    plan = answer.plan
    return drawn("front", front(plan, currency)) if isinstance(plan, MachinePlan) else []
