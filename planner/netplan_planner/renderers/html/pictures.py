"""Which pictures stand above an answer's page."""

from functools import singledispatch
from typing import NamedTuple

from netplan_planner.model import (
    CurrencyRate,
    Evaluation,
    JobAnswer,
    MachinePlan,
    Recommendation,
)
from netplan_planner.model.forecast import ForecastAnswer
from netplan_planner.model.placement import Placement
from netplan_planner.model.probe_results import ProbeResults
from netplan_planner.model.traffic_graph import TrafficGraph
from netplan_planner.model.transfer import TransferAnswer
from netplan_planner.model.whatif import WhatifAnswer
from netplan_planner.renderers.html.charts.agreement import agreement
from netplan_planner.renderers.html.charts.before_after import before_after
from netplan_planner.renderers.html.charts.cost_time import cost_time, cost_time_of_transfer
from netplan_planner.renderers.html.charts.forecast import pictures as forecasts
from netplan_planner.renderers.html.charts.front import front
from netplan_planner.renderers.html.charts.savings import savings
from netplan_planner.renderers.html.charts.traffic_graph import picture as graph


class Picture(NamedTuple):
    """A picture, and the macro of `charts.html.j2` that draws it."""

    macro: str
    drawn: object


def _drawn(macro: str, *found: object | None) -> list[Picture]:
    return [Picture(macro, one) for one in found if one]


@singledispatch
def pictures_of(answer: object, currency: CurrencyRate | None) -> list[Picture]:
    """Return the pictures of an answer in their order; most answers have none."""
    del answer, currency
    return []


@pictures_of.register
def _of_machines(answer: Recommendation, currency: CurrencyRate | None) -> list[Picture]:
    plan = answer.plan
    return _drawn("front", front(plan, currency)) if isinstance(plan, MachinePlan) else []


@pictures_of.register
def _of_job(answer: JobAnswer, currency: CurrencyRate | None) -> list[Picture]:
    return _drawn("cost_time", *(cost_time(plan, currency) for plan in answer.plans))


@pictures_of.register
def _of_transfer(answer: TransferAnswer, currency: CurrencyRate | None) -> list[Picture]:
    return _drawn("cost_time", cost_time_of_transfer(answer.plan, currency))


@pictures_of.register
def _of_placement(answer: Placement, currency: CurrencyRate | None) -> list[Picture]:
    return _drawn("savings", savings(answer, currency))


@pictures_of.register
def _of_changes(answer: WhatifAnswer, currency: CurrencyRate | None) -> list[Picture]:
    del currency
    return _drawn("before_after", before_after(answer))


@pictures_of.register
def _of_forecast(answer: ForecastAnswer, currency: CurrencyRate | None) -> list[Picture]:
    del currency
    return _drawn("forecast", *forecasts(answer))


@pictures_of.register(Evaluation)
@pictures_of.register(ProbeResults)
def _of_measurements(
    answer: Evaluation | ProbeResults, currency: CurrencyRate | None
) -> list[Picture]:
    del currency
    return _drawn("agreement", agreement(answer))


@pictures_of.register
def _of_graph(answer: TrafficGraph, currency: CurrencyRate | None) -> list[Picture]:
    return _drawn("graph", graph(answer, currency))
