"""What each group of a fleet may become: types that carry its needs, priced by the hour."""

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_DOWN, Decimal
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.errors import MissingDatum
from netplan_planner.ledger.compared import compared_usd, is_at_list
from netplan_planner.machines import Fit, can_become
from netplan_planner.model import CapsBook, EgressCap, MachineNeed, PriceBook, Usage, series_of
from netplan_planner.model.plans.plan_answer import Shortfall
from netplan_planner.optimise.bill import NOTHING_ATTACHED, Attached, attached_of, with_attached
from netplan_planner.optimise.offers import PATHS, Pool, build_pool, in_zone
from netplan_planner.optimise.vm_today import Standing, standing_bill
from netplan_planner.planning.fleet.need import (
    Candidate,
    FleetNeed,
    Machine,
    MoveKind,
    month_usd,
    priced_lines,
    why_none,
)
from netplan_planner.throughput import predict, sending_query, type_end

_SLACK = 1e-9
"""Relative slack of a comparison, so that 0.8 times 12.5 carries 10."""
_DIGITS = Decimal("1e-9")
_NO_MOVES: Mapping[MoveKind, Decimal] = {}


class Checks(StrEnum):
    """When a machine may get a type of which something has to be looked at first."""

    NEVER = "never"
    LAST = "last"
    """Where nothing else carries what it needs, as the audit has it."""
    ALWAYS = "always"


class Choices(NamedTuple):
    """What the user allows."""

    headroom_ratio: float = 0.2
    series: tuple[str, ...] = ()
    """Only these; empty: all that the zone offers."""
    move_usd: Mapping[MoveKind, Decimal] = _NO_MOVES
    """Dollars a month that a move of one machine must be worth."""
    checks: Checks = Checks.LAST
    least_saving_usd: Decimal = Decimal(0)
    """Dollars a month that another type must save of a group whose own carries its need."""


class _Shelf:
    """The machines of a region under one set of filters, as arrays."""

    def __init__(self, machines: list[Machine], pool: Pool) -> None:
        self.machines = machines
        self.pool = pool
        self.plain = [Candidate(machine, Decimal(0)) for machine in machines]
        """As what a group becomes that nothing ties."""
        self.usable = np.array([m.usable_gbps or 0.0 for m in machines])
        self.outside = np.array(
            [-1.0 if o.usable_outside_gbps is None else o.usable_outside_gbps for o in pool.offers]
        )
        self.vcpus = np.array([m.shape.vcpus for m in machines], dtype=float)
        self.memory = np.array([m.shape.memory_gib for m in machines])
        self.is_priced = np.array([not m.bill.unknown for m in machines], dtype=bool)
        self.is_peak = np.array([o.cap.is_peak for o in pool.offers], dtype=bool)
        self.place = {(m.machine_type, m.is_tier1): at for at, m in enumerate(machines)}
        self.architecture = np.array([m.shape.architecture or "" for m in machines])

    def carries(self, need: FleetNeed) -> NDArray[np.bool_]:
        """Return which machines carry a need; what bursts only where nothing steady does."""
        wanted = need.gbps + need.outside_gbps
        found: NDArray[np.bool_] = (
            (self.usable * (1 + _SLACK) >= wanted)
            & (self.vcpus >= need.vcpus)
            & (self.memory * (1 + _SLACK) >= need.memory_gib)
        )
        if need.outside_gbps:
            found &= self.outside * (1 + _SLACK) >= need.outside_gbps
        if need.architecture is not None:
            found &= self.architecture == need.architecture
        steady = found & ~self.is_peak
        return steady if steady.any() else found


class Candidates:
    """Finds what groups may become; what they share is prepared once."""

    def __init__(self, prices: PriceBook, caps: CapsBook, choices: Choices) -> None:
        self._prices = prices
        self._caps = caps
        self._choices = choices
        self._shelf = lru_cache(None)(self._make_shelf)
        self._in_zone = lru_cache(None)(self._make_zone)
        self._today = lru_cache(None)(self._make_today)
        self._at_list = None if prices.even is prices else Candidates(prices.even, caps, choices)
        self._found: dict[object, tuple[Candidate, ...]] = {}
        """Equal for groups that the same machines carry."""

    def today(self, need: FleetNeed) -> Machine | str:
        """Return the machine that a group is today, or why it has no price."""
        assert need.machine_type is not None
        shape = self._prices.shape(need.machine_type)
        attached = attached_of(need.ties, shape) if shape is not None else NOTHING_ATTACHED
        what = need.machine_type, need.is_tier1, need.cpu_platform, need.is_spot
        return self._today(need.region, *what, attached)

    def of(self, need: FleetNeed) -> tuple[Candidate, ...] | Shortfall:
        """Return every machine that carries a need, or why none does."""
        if need.is_pinned:
            return self._pinned(need)
        place = need.region, need.is_spot, _has_gpus(need)
        shelf = self._shelf(*place)
        offered = self._in_zone(*place, need.zone)
        for zone in need.more_zones:
            offered = offered & self._in_zone(*place, zone)
        fitting = shelf.carries(need) & offered & shelf.is_priced
        today = need.machine_type, need.is_tier1, need.has_licences
        staying = None if self._is_among(shelf, fitting, need) else self._staying(need)
        # What a move must save is shared by the machines of a group.
        count = need.count if self._choices.least_saving_usd else 0
        hours = need.hours_per_month if self._at_list is not None else None
        key = (*place, fitting.tobytes(), today, need.ties, staying is not None, count, hours)
        found = self._found.get(key)
        if found is None:
            places = np.flatnonzero(fitting).tolist()
            if need.machine_type is None:
                made = tuple(shelf.plain[at] for at in places)
            else:
                machines = [shelf.machines[at] for at in places]
                machines += [] if staying is None else [staying]
                made = self._surest(tuple(self._candidates(need, machines)))
                made = self._with_floor(made, need)
            found = self._found[key] = made
        if found:
            return found
        choices = self._choices
        return why_none(need, shelf.pool, offered, choices.headroom_ratio, choices.series)

    def _pinned(self, need: FleetNeed) -> tuple[Candidate, ...] | Shortfall:
        machine = self.today(need)
        if isinstance(machine, str):
            return Shortfall(
                name=need.name,
                binding="price",
                shortfall=machine,
                changes=(
                    "leave its type open (pinned false)",
                    "use prices that include it (--prices)",
                ),
            )
        short = (
            lacks(need, machine, self._caps, self._choices.headroom_ratio)
            if not need.why_pinned
            else ""
        )
        if short:
            return Shortfall(
                name=need.name,
                binding="pinned",
                shortfall=f"it is pinned to {machine.machine_type}, which {short}",
                changes=("leave its type open (pinned false)", "reduce its need"),
            )
        return (Candidate(machine, Decimal(0)),)

    @staticmethod
    def _is_among(shelf: _Shelf, fitting: NDArray[np.bool_], need: FleetNeed) -> bool:
        """Return whether what a group is today is one of those found for it."""
        at = shelf.place.get((need.machine_type or "", need.is_tier1))
        return at is not None and bool(fitting[at])

    def _staying(self, need: FleetNeed) -> Machine | None:
        """Return the machine that a group is, where it carries the needs.

        Shared cores, custom and deprecated types are offered to nobody else, nor is a type in a
        zone that no list of zones has; where machines run they may stay.
        """
        if need.machine_type is None:
            return None
        series = self._choices.series
        if series and series_of(need.machine_type) not in series:
            return None
        today = self.today(need)
        if isinstance(today, str) or lacks(need, today, self._caps, self._choices.headroom_ratio):
            return None
        return today

    def _candidates(self, need: FleetNeed, machines: list[Machine]) -> Iterator[Candidate]:
        for machine in machines:
            check = ""
            if need.ties is not None:
                verdict = can_become(need.ties, machine.shape)
                if verdict.fit is Fit.NO:
                    continue
                check = verdict.text if verdict.fit is Fit.CHECK else ""
                machine = self._with_attached(machine, need)
            if not machine.bill.unknown:
                yield self._candidate(need, machine, check)

    def _surest(self, found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Return those that may be taken, by what has to be looked at before a move."""
        if self._choices.checks is Checks.ALWAYS:
            return found
        sure = tuple(one for one in found if MoveKind.CHECK not in one.moves)
        return sure if sure or self._choices.checks is Checks.NEVER else found

    def _candidate(self, need: FleetNeed, machine: Machine, check: str) -> Candidate:
        moves = tuple(self._moves(need, machine, check))
        usd = sum((self._choices.move_usd.get(kind, Decimal(0)) for kind in moves), Decimal(0))
        return self._compared(need, Candidate(machine, usd, moves, check))

    def _compared(self, need: FleetNeed, one: Candidate) -> Candidate:
        """Return a candidate at what compares with the machine of today."""
        today = self.today(need) if need.machine_type is not None else ""
        if self._at_list is None or isinstance(today, str):
            return one
        if not is_at_list(self._prices, priced_lines(today), priced_lines(one.machine)):
            return one
        before, after = self._at_list.today(need), self._at_list.listed(need, one.machine)
        if isinstance(before, str) or isinstance(after, str):
            return one
        now, was, then = (
            month_usd(self._prices, each, need.hours_per_month) for each in (today, before, after)
        )
        usd = compared_usd(now, was, then)
        ratio = min(Decimal(1), usd / then) if then else Decimal(1)
        return one._replace(
            machine=one.machine._replace(bill=after.bill),
            is_at_list=True,
            at_list_usd=(usd - then).quantize(_DIGITS, ROUND_CEILING),
            charged_ratio=ratio.quantize(_DIGITS, ROUND_DOWN),
        )

    def listed(self, need: FleetNeed, machine: Machine) -> Machine | str:
        """Return a machine that was found for a need, at the prices of these candidates."""
        attached = attached_of(need.ties, machine.shape)
        what = machine.machine_type, machine.is_tier1, machine.cpu_platform or None, machine.is_spot
        return self._today(machine.region, *what, attached)

    def _with_floor(self, found: tuple[Candidate, ...], need: FleetNeed) -> tuple[Candidate, ...]:
        """Return candidates of which each move must be worth it, where the group may stay."""
        least_usd = self._choices.least_saving_usd / need.count
        if not least_usd or all(one.moves for one in found):
            return found
        return tuple(one._replace(least_usd=least_usd) if one.moves else one for one in found)

    def _moves(self, need: FleetNeed, machine: Machine, check: str) -> Iterator[MoveKind]:
        """Yield what makes a move work; a new group and one that stays have none."""
        if need.machine_type is None:
            return
        if (machine.machine_type, machine.is_tier1) == (need.machine_type, need.is_tier1):
            return
        yield MoveKind.RESTART
        old = self._prices.shape(need.machine_type)
        if old is not None and old.architecture not in {None, machine.shape.architecture}:
            yield MoveKind.ARCHITECTURE
        if need.ties is not None and need.ties.local_ssd_count:
            yield MoveKind.LOCAL_SSD
        if _has_gpus(need):
            yield MoveKind.GPU
        if need.has_licences and (old is None or old.vcpus != machine.shape.vcpus):
            yield MoveKind.LICENCE
        if check:
            yield MoveKind.CHECK

    def _with_attached(self, machine: Machine, need: FleetNeed) -> Machine:
        attached = attached_of(need.ties, machine.shape)
        if attached == NOTHING_ATTACHED:
            return machine
        terms = _terms(need.region, is_spot=need.is_spot)
        bill = with_attached(machine.bill, self._prices, terms, attached)
        return machine._replace(bill=bill)

    def _make_shelf(self, region: str, is_spot: bool, has_gpus: bool) -> _Shelf:
        choices = self._choices
        terms = _terms(region, is_spot=is_spot, headroom=choices.headroom_ratio)
        need = _with_filters(terms, choices.series, has_gpus=has_gpus)
        pool = build_pool(need, self._prices, self._caps)
        machines = [
            Machine(
                shape=offer.shape,
                region=region,
                is_tier1=offer.cap.is_tier1,
                is_spot=is_spot,
                bill=offer.bill,
                usable_gbps=offer.usable_gbps,
                cpu_platform=offer.cap.min_cpu_platform,
                caution=offer.cap.caution,
            )
            for offer in pool.offers
        ]
        return _Shelf(machines, pool)

    def _make_zone(
        self, region: str, is_spot: bool, has_gpus: bool, zone: str
    ) -> NDArray[np.bool_]:
        """Return which machines a zone offers."""
        machines = self._shelf(region, is_spot, has_gpus).machines
        names = [machine.machine_type for machine in machines]
        return np.array(in_zone(self._prices, names, zone), dtype=bool)

    def _make_today(
        self,
        region: str,
        machine_type: str,
        is_tier1: bool,
        cpu_platform: str | None,
        is_spot: bool,
        attached: Attached,
    ) -> Machine | str:
        shape = self._prices.shape(machine_type)
        if shape is None:
            return f"the vCPUs and memory of {machine_type} are unknown"
        terms = _terms(region, is_spot=is_spot)
        standing = Standing(machine_type, is_tier1, cpu_platform, attached)
        try:
            bill = standing_bill(standing, terms, self._prices, self._caps)
        except MissingDatum as missing:
            return str(missing)
        if bill.unknown:
            return bill.unknown
        usable = self._usable(machine_type, cpu_platform, is_tier1=is_tier1)
        return Machine(shape, region, is_tier1, is_spot, bill, usable)

    def _usable(
        self, machine_type: str, cpu_platform: str | None, *, is_tier1: bool
    ) -> float | None:
        """Return what a machine sends after headroom; of an unknown CPU platform the least."""
        if cpu_platform is None and self._caps.cap(machine_type, tier1=is_tier1) is None:
            known = [one for one in self._caps.variants(machine_type) if one.is_tier1 == is_tier1]
            least = min((one.egress_gbps for one in known), default=None)
            return None if least is None else least * (1 - self._choices.headroom_ratio)
        end = type_end(machine_type, is_tier1=is_tier1, cpu_platform=cpu_platform)
        gbps = predict(sending_query(PATHS[_INSIDE], end), self._caps).gbps
        return None if gbps is None else gbps * (1 - self._choices.headroom_ratio)


_INSIDE = MachineNeed(gbps=0, region="").destination


def _terms(region: str, *, is_spot: bool, headroom: float = 0.0) -> MachineNeed:
    usage = Usage.SPOT if is_spot else Usage.ON_DEMAND
    return MachineNeed(gbps=0.0, region=region, usage=usage, headroom_ratio=headroom)


def _with_filters(terms: MachineNeed, series: tuple[str, ...], *, has_gpus: bool) -> MachineNeed:
    return MachineNeed(
        gbps=0.0,
        region=terms.region,
        usage=terms.usage,
        headroom_ratio=terms.headroom_ratio,
        series=series,
        allow_gpu=has_gpus,
    )


def _has_gpus(need: FleetNeed) -> bool:
    ties = need.ties
    return ties is not None and bool(ties.attached_gpu_count or ties.built_in_gpu_count)


def lacks(need: FleetNeed, machine: Machine, caps: CapsBook, headroom_ratio: float) -> str:
    """Return what a machine lacks of a need, in words; empty where it carries it."""
    wanted = need.gbps + need.outside_gbps
    usable = machine.usable_gbps
    if usable is None:
        return f"has no known cap: {caps.unknown_reason(machine.machine_type)}"
    if usable * (1 + _SLACK) < wanted:
        return f"carries {usable:g} of {wanted:g} Gbit/s after headroom"
    if machine.shape.vcpus < need.vcpus:
        return f"has {machine.shape.vcpus} of {need.vcpus} vCPUs"
    if machine.shape.memory_gib * (1 + _SLACK) < need.memory_gib:
        return f"has {machine.shape.memory_gib:g} of {need.memory_gib:g} GiB"
    cap = caps.cap(machine.machine_type, tier1=machine.is_tier1, cpu_platform=need.cpu_platform)
    outside = (_outside(cap) or 0.0) * (1 - headroom_ratio)
    if need.outside_gbps and outside * (1 + _SLACK) < need.outside_gbps:
        of = f"{need.outside_gbps:g} Gbit/s to external addresses"
        return f"carries {outside:g} of {of} after headroom"
    if need.architecture not in {None, machine.shape.architecture}:
        return f"is {machine.shape.architecture}, not {need.architecture}"
    return ""


def _outside(cap: EgressCap | None) -> float | None:
    return None if cap is None else cap.external_gbps
