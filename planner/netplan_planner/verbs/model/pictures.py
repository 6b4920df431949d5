"""The pictures of the answer's page."""

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers.html.charts.agreement import Point, agreement
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.model.answer import Evaluation


def pictures(answer: Evaluation, currency: CurrencyRate | None) -> list[Picture]:
    """Return predicted against measured."""
    del currency
    points = [
        Point(one.path_class, one.measured_gbps, one.gbps, one.low_gbps, one.high_gbps)
        for one in answer.rows
    ]
    return drawn("agreement", agreement(points))
