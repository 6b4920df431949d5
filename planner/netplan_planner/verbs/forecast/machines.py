"""Machines against their caps: when they get there, and which type would carry it then."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.machines import ties_of
from netplan_planner.model.plans.plan import MachineChooser, usage_of
from netplan_planner.verbs.forecast.answer import (
    CapStatus,
    ForecastWeek,
    MachineForecast,
    NextMachine,
    Range,
    Scope,
)
from netplan_planner.verbs.forecast.ask import Ahead
from netplan_planner.verbs.forecast.foresee import Foreseen, foresee, interval_of
from netplan_planner.verbs.forecast.level import DAYS_PER_WEEK
from netplan_planner.verbs.forecast.series import (
    Days,
    Sender,
    Weeks,
    basis_of,
    busy_rate,
    busy_weeks,
    days_of,
    past,
    peak_weeks,
    reach,
    short,
    week_of,
    week_ratios,
)
from netplan_rules.shared.seen_needs import size_of

ORDER = tuple(CapStatus)
_ACTED_ON = frozenset({CapStatus.THERE, CapStatus.WITHIN})
_ABOVE = 1.0 + 1e-6


class Outlook:
    """Forecasts machines.

    Args:
        asked: Horizon, level and headroom.
        prices: Of greater types.
        machines: Finds them.
        facts: Of an inventory; None for a table.
    """

    def __init__(
        self,
        asked: Ahead,
        prices: model.PriceBook,
        machines: MachineChooser,
        facts: model.Facts | None,
    ) -> None:
        self._asked = asked
        self._prices = prices
        self._machines = machines
        self._facts = facts

    def all(self, senders: Sequence[Sender]) -> tuple[MachineForecast, ...]:
        """Return the forecasts, what needs action soonest first."""
        found = [self._one(sender) for sender in senders]
        return tuple(sorted(found, key=_pressing))

    def _one(self, sender: Sender) -> MachineForecast:
        days = days_of(sender.bins)
        asked = self._asked
        foreseen = foresee(days.busy, asked.horizon_days, asked.level)
        recent = days.bins[-DAYS_PER_WEEK:]
        if not days.known_count:
            # Less than a day: what there is.
            rates = [rate for rate in sender.bins.gbps if rate is not None]
            now = sorted(rates)[-(-95 * len(rates) // 100) - 1]
            peak = max(rates)
        else:
            now = busy_rate(recent) or 0.0
            peak = float(max(recent[recent == recent], default=0.0))
        now, peak = now * sender.busy_factor, peak * sender.peak_factor
        line = None
        if sender.cap_gbps is not None:
            line = sender.cap_gbps * (1 - asked.headroom_ratio)
        basis = basis_of(sender.bins, days, foreseen, sender.source)
        plain = model.taken(
            MachineForecast,
            sender,
            machine=sender.instance.ref.self_link if sender.instance else None,
            line_gbps=line,
            now_gbps=short(now),
            now_peak_gbps=short(peak),
            status=_status_now(now, line),
            week=0 if line is not None and now >= line else None,
            end_gbps=Range(middle=short(now)),
            basis=basis,
            past_gbps=past(days.busy * sender.busy_factor),
        )
        found = self._ahead(plain, sender, days, foreseen) if foreseen is not None else plain
        return self._with_machine(found, sender) if found.status in _ACTED_ON else found

    def _ahead(
        self, plain: MachineForecast, sender: Sender, days: Days, foreseen: Foreseen
    ) -> MachineForecast:
        level = self._asked.level
        ratios = week_ratios(days, foreseen.exceptions)
        weeks = busy_weeks(foreseen, ratios, sender.busy_factor)
        told = tuple(_weeks(weeks, level))
        last = told[-1]
        end = Range(middle=last.gbps, low=last.low_gbps, high=last.high_gbps)
        found = _replaced(plain, end_gbps=end, weeks=told)
        if plain.line_gbps is None or plain.cap_gbps is None:
            return found
        peaks = peak_weeks(foreseen, ratios, sender.peak_factor)
        of_peak = round(reach(peaks, plain.cap_gbps, level).probability, 3)
        if plain.status is CapStatus.THERE:
            return _replaced(found, peak_probability=of_peak)
        when = reach(weeks, plain.line_gbps, level)
        if when.week is not None:
            status = CapStatus.WITHIN
        elif when.low_week is not None:
            status = CapStatus.PERHAPS
        else:
            status = CapStatus.BEYOND
        return _replaced(
            found,
            status=status,
            probability=round(when.probability, 3),
            peak_probability=of_peak,
            week=when.week,
            low_week=when.low_week,
            high_week=when.high_week,
            reached_by=_last_day(plain, when.week),
        )

    def _with_machine(self, found: MachineForecast, sender: Sender) -> MachineForecast:
        """Return a forecast with the type that would carry it at the end of the horizon."""
        line = found.line_gbps or 0.0
        needs = max(found.end_gbps.middle, found.now_gbps, line)
        # More than the line: else a type of the same cap, which is at the same line, would do.
        need = self._need(found, sender, max(needs, line * _ABOVE))
        if isinstance(need, str):
            return _replaced(found, why_no_machine=need)
        plan = self._machines.choose(need)
        if isinstance(plan, model.Infeasible):
            return _replaced(found, why_no_machine=f"no type carries it: {plan.shortfall}")
        today = (sender.machine_type, sender.is_tier1)
        for one in plan.ranked:
            if one.usd_per_month is None or (one.machine_type, one.is_tier1) == today:
                continue
            machine = model.taken(
                NextMachine,
                one,
                usable_gbps=short(one.usable_gbps),
                usd_per_month_today=self._today(sender),
                needs_gbps=short(needs),
            )
            return _replaced(found, next_machine=machine)
        return _replaced(found, why_no_machine="no type that carries it has a known price")

    def _need(self, found: MachineForecast, sender: Sender, gbps: float) -> model.MachineNeed | str:
        headroom = self._asked.headroom_ratio
        instance, facts = sender.instance, self._facts
        if instance is not None and facts is not None:
            if instance.is_sole_tenant:
                return "it runs on sole-tenant nodes: the node type decides which types fit"
            shape = facts.shape(instance.machine_type)
            if shape is None:
                return f"vCPUs and memory of {instance.machine_type} are unknown"
            size = size_of(facts, instance, shape)
            is_outside = found.scope is Scope.OUTSIDE
            rates = facts.rates_of(instance)
            whole = rates.egress.p95_gbps if rates is not None else 0.0
            return model.need_for_vm(
                instance,
                max(gbps, whole) if is_outside else gbps,
                shape,
                outside_gbps=gbps if is_outside else 0.0,
                headroom_ratio=headroom,
                vcpus=size.vcpus,
                memory_gib=size.memory_gib,
                ties=ties_of(facts.inventory, instance, shape),
            )
        if not sender.zone or not sender.machine_type:
            return "state its machine_type and zone to see a type that carries it"
        known = self._prices.shape(sender.machine_type)
        if known is None:
            return f"vCPUs and memory of {sender.machine_type} are unknown"
        return model.MachineNeed(
            gbps=gbps,
            region=model.Region(model.region_of(sender.zone)),
            vcpus=known.vcpus,
            memory_gib=known.memory_gib,
            architecture=known.architecture,
            headroom_ratio=headroom,
        )

    def _today(self, sender: Sender) -> Decimal | None:
        if sender.instance is None:
            return None
        try:
            lines = self._machines.cost_today(sender.instance, usage_of(sender.instance))
        except MissingDatum:
            return None
        return model.total_usd(lines)


def _status_now(now_gbps: float, line_gbps: float | None) -> CapStatus:
    if line_gbps is None:
        return CapStatus.UNKNOWN
    return CapStatus.THERE if now_gbps >= line_gbps else CapStatus.UNFORESEEN


def _weeks(weeks: Weeks, level: float) -> Iterator[ForecastWeek]:
    for number in range(len(weeks.line)):
        found = interval_of(weeks.draws[:, number], float(weeks.line[number]), level)
        yield week_of(number, found)


def _last_day(found: MachineForecast, week: int | None) -> date | None:
    if week is None:
        return None
    return (found.basis.end + timedelta(days=DAYS_PER_WEEK * week)).date()


def _pressing(one: MachineForecast) -> tuple[int, int, float, float, str, str]:
    share = one.now_gbps / one.line_gbps if one.line_gbps else 0.0
    week = one.week if one.week is not None else 10**6
    known = one.probability if one.probability is not None else 0.0
    return ORDER.index(one.status), week, -known, -share, one.machine or one.name, one.scope.value


def _replaced(one: MachineForecast, **changes: object) -> MachineForecast:
    return replace(one, **changes)
