"""The answer of a forecast: reads what is asked, and joins machines and paths."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import InputError, UsageError
from netplan_planner.model.evidence.traffic import MachineHours, RateBins
from netplan_planner.model.plans.plan import MachineChooser
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.paths.priced_paths import (
    PathPrice,
    billed_path,
    path_prices_of,
    priced_path_of,
)
from netplan_planner.planning.basis import resting
from netplan_planner.planning.project import request_of
from netplan_planner.planning.steps import in_order
from netplan_planner.planning.steps.machine_changes import Target, resize
from netplan_planner.throughput import instance_cap, load_caps
from netplan_planner.units import counted
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.forecast.answer import (
    CapStatus,
    ForecastAnswer,
    MachineForecast,
    NextMachine,
    Scope,
)
from netplan_planner.verbs.forecast.ask import Ahead, ForecastAsk
from netplan_planner.verbs.forecast.level import DAYS_PER_WEEK
from netplan_planner.verbs.forecast.machines import Outlook
from netplan_planner.verbs.forecast.paths import costs_of
from netplan_planner.verbs.forecast.series import PathSeries, Sender, Subjects, busy_rate
from netplan_planner.verbs.forecast.table import read_series
from netplan_planner.world.calibration import with_calibration
from netplan_planner.world.demos import load_demo, projects_of, title_of
from netplan_planner.world.not_read import stopped_machines, what_is_incomplete
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest
from netplan_pricing import open_prices

_NO_HOURS = (
    "no traffic by hour: give flow logs or time series of Cloud Monitoring (--traffic, "
    "--metrics), or a table of series (--series FILE). Steady rates have no time, and older "
    "bundles have no hours (collect again)"
)


_WHY = (
    "Each VM is separate. The VM that reaches its cap soonest comes first. You can stop after "
    "any step and forecast again."
)


_FRESH_DAYS = 7
"""A week: the unit in which caps are told."""


_ACT = frozenset({CapStatus.THERE, CapStatus.WITHIN})


def changes_of(
    facts: model.Facts | None, machines: Iterable[MachineForecast], today: date
) -> PlanChanges:
    """Return the steps of machines for which a greater type is known; a table names no machines.

    Args:
        facts: The inventory; None: the series are a table.
        machines: What needs action soonest first.
        today: Steps whose day has passed are due now.
    """
    if facts is None:
        return PlanChanges()
    steps: dict[str, PlanChange] = {}
    types: dict[str, NextMachine] = {}
    for one in machines:
        instance = facts.inventory.instance_by_link.get(one.machine) if one.machine else None
        if one.next_machine is None or instance is None:
            continue
        new = one.next_machine
        group = facts.inventory.group_by_member.get(instance.ref.self_link)
        key = group.ref.self_link if group is not None and group.is_managed else str(one.machine)
        if key not in steps:
            target = Target(new.machine_type, new.is_tier1, new.cpu_platform)
            steps[key] = _dated(resize(facts, instance, target), one, today)
            types[key] = new
        elif (new.machine_type, new.is_tier1) != (types[key].machine_type, types[key].is_tier1):
            steps[key] = _with_other(steps[key], one, new)
    return in_order(steps.values(), _WHY)


def _dated(step: PlanChange, one: MachineForecast, today: date) -> PlanChange:
    fix = step.fix
    text = f"{_when(one, today)}: {fix.text[0].lower()}{fix.text[1:]}"
    return replace(step, fix=replace(fix, text=text))


def _when(one: MachineForecast, today: date) -> str:
    """Return by when a machine needs another type: the day before the week that reaches the cap."""
    if one.status is CapStatus.THERE or one.week is None:
        return "Now, because it is at its cap"
    by = one.basis.end.date() + timedelta(days=DAYS_PER_WEEK * (one.week - 1))
    if by <= today:
        return f"Now, because it has likely been at its cap since the week of {by}"
    low = one.basis.end.date() + timedelta(days=DAYS_PER_WEEK * ((one.low_week or one.week) - 1))
    sooner = f" (possibly from {max(low, today)} on)" if low < by else ""
    return f"Before {by}{sooner}"


def _with_other(step: PlanChange, one: MachineForecast, new: NextMachine) -> PlanChange:
    """Return a step that says what another cap, or machine of the group, would take."""
    tier1 = " with Tier_1" if new.is_tier1 else ""
    said = (
        f"{one.name} needs {new.machine_type}{tier1} to stay below its cap of {one.scope.value} "
        "traffic: take the larger of both."
    )
    return replace(step, fix=replace(step.fix, caution=model.spaced(step.fix.caution, said)))


@verb(
    panel=panels.PLAN,
    question="When do VMs reach their caps, and what will traffic cost?",
    rows=10,
    top="Rows of a table. 0 shows all.",
    explains="Show every VM, and the line items of the bill.",
    ends=lambda _, found: all(one.status not in _ACT for one in found.machines),
)
def forecast(ask: ForecastAsk, now: Now) -> ForecastAnswer:
    """Forecast when VMs reach their caps and what traffic will cost, with tested intervals.

    Uses the hourly traffic of an inventory, or a table of series. Models growth, weekly pattern,
    gaps and level changes that the window shows. Exit status: 0, or 1 when a VM is at its cap, or
    over 50% likely to reach it.
    """
    if ask.series is None and not ask.given.is_given:
        raise UsageError(
            "no traffic is given: add a table of series (--series FILE), or an inventory with "
            "its traffic (--inventory DIR --traffic FILE)"
        )
    read = request_of(ask)
    if ask.series is not None:
        return _of_table(ask.ahead, read, ask.series)
    read = replace(read, traffic_options=replace(read.traffic_options, by_hour=True))
    demo = load_demo(read.demo) if read.demo is not None else None
    facts = read_facts(read, demo, now.say)
    subjects = observed(facts)
    paths = counted(len(subjects.paths), "path")
    now.say(f"forecasting {counted(len(subjects.senders), 'sender')} and {paths}")
    title = title_of(demo, projects_of(read, facts.inventory))
    return _answer(
        ask.ahead, read, subjects, title, facts.prices, facts.caps, facts.machines, facts
    )


def _of_table(asked: Ahead, read: InputRequest, table: Path) -> ForecastAnswer:
    if read.inventory or read.projects or read.parents or read.demo or read.traffic:
        raise UsageError("--series is the only input: leave inventory and traffic out")
    prices = open_prices(read.prices, read.discounts, read.billing_exports)
    caps = with_calibration(load_caps(read.as_of or read.today), read.calibration)
    subjects = read_series(table, prices, caps)
    return _answer(asked, read, subjects, table.name, prices, caps, Chooser(prices, caps), None)


def _answer(
    asked: Ahead,
    read: InputRequest,
    subjects: Subjects,
    title: str,
    prices: model.PriceBook,
    caps: model.CapsBook,
    machines: MachineChooser,
    facts: model.Facts | None,
) -> ForecastAnswer:
    found = Outlook(asked, prices, machines, facts).all(subjects.senders)
    costs = costs_of(subjects.paths, asked)
    # A sample is of its own day.
    old = () if read.demo is not None else _old(subjects, read.today)
    return resting(
        ForecastAnswer,
        prices,
        caps,
        read.today,
        read.prices,
        has_spot=False,
        title=title,
        horizon_days=asked.horizon_days,
        level=asked.level,
        headroom_ratio=asked.headroom_ratio,
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
        changes=changes_of(facts, found, read.today),
        prices_as_of=prices.info.network_as_of,
    )


def _old(subjects: Subjects, today: date) -> Iterator[str]:
    """Say that the weeks ahead have begun long ago, or begin late, by the times of the input."""
    ends = [one.bins.end for one in subjects.senders] + [one.bins.end for one in subjects.paths]
    end = max(ends, default=None)
    age = (today - end.date()).days if end is not None else 0
    if end is not None and age > _FRESH_DAYS:
        yield (
            f"The input ends on {end:%Y-%m-%d}, over a week ago. Weeks and dates count from that "
            "day. Use newer input before you act on them."
        )
    elif end is not None and age < -1:
        yield (
            f"The input ends on {end:%Y-%m-%d}, which is in the future. Check its times. Weeks "
            "and dates count from that day."
        )


def observed(facts: model.Facts) -> Subjects:
    """Return what is known of machines and paths by hour.

    Raises:
        InputError: If nothing is.
    """
    senders = tuple(_senders(facts))
    paths = tuple(_paths(facts))
    if not senders and not paths:
        raise InputError("; ".join((_NO_HOURS, *what_is_incomplete(facts, ()))))
    seen = {one.instance.ref.self_link for one in senders if one.instance is not None}
    unseen = [
        one for one in facts.inventory.instances if not one.is_off and one.ref.self_link not in seen
    ]
    left_out = (f"{counted(len(unseen), 'VM')} with unknown egress",)
    stopped = stopped_machines(facts.inventory)
    return Subjects(senders, paths, (*(left_out if unseen else ()), *stopped))


def _senders(facts: model.Facts) -> Iterator[Sender]:
    by_owner = _hours_by_owner(facts)
    for instance in sorted(facts.inventory.instances, key=lambda one: one.ref.self_link):
        if instance.is_off:
            continue
        rates = facts.rates_of(instance)
        if rates is None:
            continue
        traffic, hours = facts.traffic, by_owner.get(instance.ref.self_link)
        counter = (
            facts.metrics.of(rates.link, model.Metric.VM_SENT_BYTES) if facts.metrics else None
        )
        whole = counter.hours if counter is not None and rates.is_counted else None
        if whole is None and hours is not None and traffic is not None and traffic.hours:
            whole = traffic.hours.bins(hours.gbps)
        if whole is None or not whole.known_s:
            continue
        cap = instance_cap(instance, facts.caps)
        total = cap.egress_gbps if cap is not None else None
        yield _sender(instance, Scope.ALL, whole, rates.egress, rates.source)._replace(
            cap_gbps=total
        )
        outside = cap.external_gbps if cap is not None else None
        seen = rates.traffic
        if (
            outside is None
            or hours is None
            or seen is None
            or traffic is None
            or traffic.hours is None
        ):
            continue
        bins = traffic.hours.bins(hours.outside_gbps)
        if seen.egress_outside_vpc.byte_count and (total is None or outside < total):
            source = traffic.source.value
            one = _sender(instance, Scope.OUTSIDE, bins, seen.egress_outside_vpc, source)
            yield one._replace(cap_gbps=outside)


def _hours_by_owner(facts: model.Facts) -> dict[str, MachineHours]:
    traffic = facts.traffic
    if traffic is None or traffic.hours is None:
        return {}
    links = ((traffic.owners[one.owner].link, one) for one in traffic.hours.machines)
    return {link: one for link, one in links if link is not None}


def _sender(
    instance: model.Instance, scope: Scope, bins: RateBins, series: model.Series, source: str
) -> Sender:
    rates = np.array([np.nan if rate is None else rate for rate in bins.gbps], dtype=float)
    busy = busy_rate(rates) or 0.0
    peak = float(np.nanmax(rates))
    return Sender(
        name=instance.name,
        scope=scope,
        bins=bins,
        source=source,
        machine_type=instance.machine_type,
        is_tier1=instance.bandwidth_tier.value == "TIER_1",
        zone=instance.zone,
        instance=instance,
        busy_factor=series.p95_gbps / busy if busy > 0 else 1.0,
        peak_factor=series.max_gbps / peak if peak > 0 else 1.0,
    )


def _paths(facts: model.Facts) -> Iterator[PathSeries]:
    traffic = facts.traffic
    if traffic is None or traffic.hours is None:
        return
    for one in traffic.hours.paths:
        edge = traffic.edges[one.edge]
        parts = _prices(facts, edge)
        if parts is None:
            continue
        reason = next((part.reason for part in parts if not part.tiers), "")
        src, dst = _place(facts, edge, is_src=True), _place(facts, edge, is_src=False)
        yield PathSeries(
            name=f"{src} → {dst}, {edge.path_class.value}",
            path_class=edge.path_class.value,
            src=src,
            dst=dst,
            bins=traffic.hours.bins(one.gbps),
            source=traffic.source.value,
            prices=() if reason else tuple(part.tiers for part in parts),
            unpriced=reason,
        )


def _prices(facts: model.Facts, edge: model.Edge) -> tuple[PathPrice, ...] | None:
    """Return the prices of an edge's path; None where nobody of ours is charged for its bytes."""
    path = billed_path(facts, edge, priced_path_of(facts, edge))
    return path_prices_of(facts.prices, path) if path is not None else None


def _place(facts: model.Facts, edge: model.Edge, *, is_src: bool) -> str:
    owner = facts.src(edge) if is_src else facts.dst(edge)
    if owner.kind is model.OwnerKind.INTERNET:
        return f"internet {owner.area}" if owner.area else "internet"
    return owner.zone or owner.region or owner.name
