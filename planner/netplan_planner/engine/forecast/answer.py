"""The answer of a forecast: reads what is asked, and joins machines and paths."""

from collections.abc import Callable, Iterator
from datetime import date

from msgspec.structs import replace

from netplan_planner.engine.calibration_file import with_calibration
from netplan_planner.engine.completeness import what_is_incomplete
from netplan_planner.engine.demos import load_demo
from netplan_planner.engine.forecast.changes import changes_of
from netplan_planner.engine.forecast.machines import Outlook
from netplan_planner.engine.forecast.observed import observed
from netplan_planner.engine.forecast.paths import costs_of
from netplan_planner.engine.forecast.request import ForecastRequest
from netplan_planner.engine.forecast.subjects import Subjects
from netplan_planner.engine.forecast.table import read_series
from netplan_planner.engine.inputs import read_facts
from netplan_planner.engine.titles import projects_of, title_of
from netplan_planner.errors import UsageError
from netplan_planner.model import CapsBook, Facts, PriceBook
from netplan_planner.model.forecast import ForecastAnswer
from netplan_planner.model.plan import MachineChooser
from netplan_planner.model.price_age import price_age
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.throughput import load_caps, stated_on
from netplan_planner.units import counted
from netplan_pricing import open_prices

_FRESH_DAYS = 7
"""A week: the unit in which caps are told."""
Say = Callable[[str], None]


def forecast_of(request: ForecastRequest, say: Say = lambda _: None) -> ForecastAnswer:
    """Return what traffic becomes.

    Raises:
        InputError: If the input cannot be read, makes no sense, or tells of no traffic by hour.
        UsageError: If the request contradicts itself.
    """
    if request.series is not None:
        return _of_table(request)
    options = replace(request.read.traffic_options, by_hour=True)
    read = replace(request.read, traffic_options=options)
    demo = load_demo(read.demo) if read.demo is not None else None
    facts = read_facts(read, demo, say)
    subjects = observed(facts)
    paths = counted(len(subjects.paths), "path")
    say(f"forecasting {counted(len(subjects.senders), 'sender')} and {paths}")
    title = title_of(demo, projects_of(read, facts.inventory))
    return _answer(request, subjects, title, facts.prices, facts.caps, facts.machines, facts)


def _of_table(request: ForecastRequest) -> ForecastAnswer:
    read, table = request.read, request.series
    assert table is not None
    if read.inventory or read.projects or read.parents or read.demo or read.traffic:
        raise UsageError("--series is all that is forecast: leave inventory and traffic out")
    prices = open_prices(read.prices, read.discounts, read.billing_exports)
    caps = with_calibration(load_caps(read.as_of or read.today), read.calibration)
    subjects = read_series(table, prices, caps)
    return _answer(request, subjects, table.name, prices, caps, Chooser(prices, caps), None)


def _answer(
    request: ForecastRequest,
    subjects: Subjects,
    title: str,
    prices: PriceBook,
    caps: CapsBook,
    machines: MachineChooser,
    facts: Facts | None,
) -> ForecastAnswer:
    found = Outlook(request, prices, machines, facts).all(subjects.senders)
    costs = costs_of(subjects.paths, request)
    # A sample is of its own day.
    old = () if request.read.demo is not None else _old(subjects, request.read.today)
    info = prices.info
    return ForecastAnswer(
        title=title,
        horizon_days=request.horizon_days,
        level=request.level,
        headroom_ratio=request.headroom_ratio,
        machines=found,
        paths=costs.paths,
        months=costs.months,
        usd=costs.usd,
        low_usd=costs.low_usd,
        high_usd=costs.high_usd,
        total_basis=costs.total_basis,
        left_out=subjects.left_out,
        notes=(*old, *subjects.notes),
        incomplete=what_is_incomplete(facts, ()) if facts is not None else (),
        changes=changes_of(facts, found, request.read.today),
        limits_as_of=stated_on(caps.as_of),
        prices_as_of=info.network_as_of,
        prices_sha256=info.sha256,
        price_terms=info.terms,
        price_age=price_age(info, request.read.today, folder=request.read.prices),
    )


def _old(subjects: Subjects, today: date) -> Iterator[str]:
    """Say that the weeks ahead have begun long ago, or begin late, by the times of the input."""
    ends = [one.bins.end for one in subjects.senders] + [one.bins.end for one in subjects.paths]
    end = max(ends, default=None)
    age = (today - end.date()).days if end is not None else 0
    if end is not None and age > _FRESH_DAYS:
        yield (
            f"The input ends on {end:%Y-%m-%d}, over a week ago: weeks and dates count from that"
            " day, so take a newer one before acting on them."
        )
    elif end is not None and age < -1:
        yield (
            f"The input ends on {end:%Y-%m-%d}, which is to come: look at its times; weeks and"
            " dates count from that day."
        )
