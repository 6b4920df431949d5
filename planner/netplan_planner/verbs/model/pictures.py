"""The pictures of the answer's page."""

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers.html.charts.agreement import agreement
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.model.answer import Evaluation


def pictures(answer: Evaluation, currency: CurrencyRate | None) -> list[Picture]:
    """Return predicted against measured."""
    del currency
    return drawn("agreement", agreement(answer.rows))
