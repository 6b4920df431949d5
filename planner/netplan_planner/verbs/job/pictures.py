"""The pictures of the answer's page."""

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers.html.charts.cost_time import cost_time
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.job.answer import JobAnswer


def pictures(answer: JobAnswer, currency: CurrencyRate | None) -> list[Picture]:
    """Return cost against time, of each job."""
    return drawn("cost_time", *(cost_time(plan, currency) for plan in answer.jobs))
