"""A fleet with its commitments as an exact bill: what is decided is counted again, in decimals.

A covered unit is billed no more on demand: it comes off at the price of a full month's use, the
lowest that it can have, for what runs all month is what a commitment covers. What it covers is
shared out over the groups that run in the same hours, by their size.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.compared import at_list_line
from netplan_planner.optimise.bill import machine_price
from netplan_planner.optimise.commitments import ANY_PROJECT, Resource
from netplan_planner.planning.fleet.assembly import profile_of
from netplan_planner.planning.fleet.market import (
    Market,
    PoolKey,
    credit_line,
    in_project,
    joined,
    with_quantity,
    years_text,
)
from netplan_planner.planning.fleet.need import (
    Calendar,
    Candidate,
    FleetNeed,
    Machine,
    gpu_ratio,
    hourly_lines,
)
from netplan_planner.planning.fleet.sheet import Sheet
from netplan_planner.units import HOURS_PER_MONTH

_DIGITS = Decimal("1e-9")
_ZERO = Decimal(0)
_UNIT_WORDS = {Resource.VCPU: "vcpu-hour", Resource.MEMORY: "gib-hour"}


class Bought(NamedTuple):
    """What is committed to, new."""

    units: dict[tuple[PoolKey, int], Decimal]
    """By pool and years."""
    usd_per_hour: dict[int, Decimal]
    """Fees of flexible commitments by years."""


NOTHING = Bought({}, {})


class Bill(NamedTuple):
    """What a fleet costs a month."""

    usd_by_group: tuple[Decimal, ...]
    """Of what no commitment covers, in the order of the groups."""
    on_demand_by_group: tuple[Decimal, ...]
    """As if nothing were covered, in the same order."""
    commitments: tuple[model.FleetCommitment, ...]
    line_items: tuple[model.LineItem, ...]
    spent_usd: Decimal
    """Of these, at prices on demand: what flexible commitments cover."""

    def plus(self, fee: model.LineItem | None) -> "Bill":
        """Return the bill with one fee more, if there is one."""
        return self if fee is None else self._replace(line_items=(*self.line_items, fee))

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of the lines; what decimals leave of two equal sums is 0."""
        usd = sum((one.usd_per_month for one in self.line_items), _ZERO)
        return usd if abs(usd) > _DIGITS else _ZERO


class _Hours(NamedTuple):
    """What runs of a pool in each stretch, and what of it is covered."""

    runs: tuple[Decimal, ...]
    covered: list[Decimal]
    spent: list[Decimal]


class Biller:
    """Writes bills of one fleet."""

    def __init__(
        self,
        prices: model.PriceBook,
        market: Market,
        sheet: Sheet,
        needs: Sequence[FleetNeed],
        calendar: Calendar,
    ) -> None:
        self._prices = prices
        self._market = market
        self._sheet = sheet
        self._needs = tuple(needs)
        self._calendar = calendar
        self._places = tuple(calendar.place[profile_of(need)] for need in needs)
        self._flexible_existing = market.covered_usd_per_hour
        self._hourly = lru_cache(None)(self._ask_hourly)

    def bill(self, chosen: Sequence[Candidate], bought: Bought = NOTHING) -> Bill:
        """Return the bill of one machine for each group, under existing and bought commitments."""
        own, lines = self._machines(chosen)
        on_demand = tuple(own)
        use = self._use(chosen)
        hours = self._covered(use, bought)
        self._spend(hours, bought)
        off = self._off(hours)
        for at, (need, candidate) in enumerate(zip(self._needs, chosen, strict=True)):
            # No commitment covers less than nothing: 0 and not -0, which JSON tells apart.
            own[at] = (own[at] - self._share(need, candidate, off)).quantize(_DIGITS) + _ZERO
        credits = list(self._credits(hours))
        total = sum((one.usd_per_month for one in (*lines, *credits)), _ZERO)
        if own:
            # Shares are rounded: what is left over of billionths goes where it is least.
            left = (total - sum(own, _ZERO)).quantize(_DIGITS)
            own[max(range(len(own)), key=own.__getitem__)] += left + _ZERO
        commitments, fees = self._fees(bought, hours)
        existing = [fee for one in self._market.existing for fee in one.fees]
        spent = sum((self._sum(one.spent) for one in hours.values()), _ZERO)
        all_lines = *lines, *credits, *fees, *existing
        return Bill(tuple(own), on_demand, commitments, all_lines, spent)

    def _machines(
        self, chosen: Sequence[Candidate]
    ) -> tuple[list[Decimal], tuple[model.LineItem, ...]]:
        """Return what each group costs before anything is covered, and that as lines."""
        own = []
        summed: dict[tuple[object, ...], model.LineItem] = {}
        for need, candidate in zip(self._needs, chosen, strict=True):
            total = _ZERO
            for line in self._lines(need, candidate):
                total += line.usd_per_month
                key = line.name, line.unit_price_usd
                known = summed.get(key)
                summed[key] = line if known is None else joined(known, line)
            own.append(total)
        return own, tuple(summed[key] for key in sorted(summed, key=str))

    def _lines(self, need: FleetNeed, candidate: Candidate) -> Iterable[model.LineItem]:
        machine, profile = candidate.machine, profile_of(need)
        hours = need.hours_per_month * need.count
        place = machine.region, machine.machine_type, machine.is_spot, candidate.is_at_list
        yield with_quantity(self._hourly(*place, profile.month_ratio), hours)
        for fee in (*hourly_lines(machine), *self._gpus(machine, profile.month_ratio)):
            share = fee.quantity / HOURS_PER_MONTH * hours
            yield with_quantity(fee, share)
        as_of = self._prices.info.as_of
        if candidate.at_list_usd:
            kinds = f"{need.machine_type} to {machine.machine_type}"
            yield at_list_line(kinds, candidate.at_list_usd, need.count, as_of)
        if candidate.move_usd:
            yield model.LineItem(
                name=f"price of moves that you set, for {need.name}",
                quantity=Decimal(need.count),
                unit="VM",
                unit_price_usd=candidate.move_usd,
                usd_per_month=need.count * candidate.move_usd,
                as_of=as_of,
                source="not on any bill (--move-price)",
            )

    def _gpus(self, machine: Machine, month_ratio: float) -> Iterable[model.LineItem]:
        line, ratio = machine.bill.gpus, gpu_ratio(self._prices, machine, month_ratio)
        if line is not None:
            # What is sold on demand is discounted by use.
            name = line.name if ratio == 1 else line.name.replace("on demand", "sustained use")
            yield replace(line, name=name, unit_price_usd=line.unit_price_usd * ratio)

    def _ask_hourly(
        self, region: str, machine_type: str, is_spot: bool, is_at_list: bool, month_ratio: float
    ) -> model.LineItem:
        """Return the line of an hour of a machine."""
        usage = model.Usage.SPOT if is_spot else model.Usage.SUSTAINED_USE
        prices = self._prices.even if is_at_list else self._prices
        price = machine_price(prices, region, machine_type, usage, month_ratio)
        ratio = 1 if is_spot else self._prices.sustained_use_ratio(machine_type, month_ratio)
        paid = "Spot" if is_spot else "on demand" if ratio == 1 else "sustained use"
        return model.line_item(f"{machine_type}, {paid}, {region}", Decimal(1), price)

    def _use(self, chosen: Sequence[Candidate]) -> dict[PoolKey, dict[int, Decimal]]:
        """Return the units of each pool that run at once, by profile."""
        found: dict[PoolKey, dict[int, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
        for need, candidate in zip(self._needs, chosen, strict=True):
            place = self._calendar.place[profile_of(need)]
            for unit in self._sheet.units(self._market.project(need), candidate):
                found[unit.key][place] += unit.units * need.count
        return found

    def _covered(
        self, use: dict[PoolKey, dict[int, Decimal]], bought: Bought
    ) -> dict[PoolKey, _Hours]:
        """Return what resource-based commitments cover in each stretch: at most what runs.

        Of units that the same commitments serve those with the highest price go first, as the
        program has it.
        """
        found: dict[PoolKey, _Hours] = {}
        left: dict[PoolKey, list[Decimal]] = {}
        for key in sorted(use, key=lambda one: (one.sold, -one.rate_usd, one)):
            runs = tuple(
                sum((use[key].get(place, _ZERO) for place in sorted(stretch.profiles)), _ZERO)
                for stretch in self._calendar.stretches
            )
            bought_of = (bought.units.get((key.sold, y), _ZERO) for y in self._market.years)
            if key.sold not in left:
                left[key.sold] = [self._market.committed(key) + sum(bought_of, _ZERO)] * len(runs)
            most = left[key.sold]
            covered = [min(pair) for pair in zip(most, runs, strict=True)]
            left[key.sold] = [have - taken for have, taken in zip(most, covered, strict=True)]
            found[key] = _Hours(runs, covered, [_ZERO] * len(runs))
        return {key: found[key] for key in sorted(found)}

    def _spend(self, hours: dict[PoolKey, _Hours], bought: Bought) -> None:
        """Let flexible commitments cover what is left, where a dollar saves most first."""
        most = self._flexible_existing
        for years, usd in bought.usd_per_hour.items():
            most += usd / self._market.flexible[years]
        if not most:
            return
        eligible = [key for key in hours if key.spend_usd]
        eligible.sort(key=lambda key: (-self._saved(key), key))
        for at in range(len(self._calendar.stretches)):
            left = most
            for key in eligible:
                one = hours[key]
                taken = min(left, (one.runs[at] - one.covered[at]) * key.spend_usd)
                one.spent[at] = taken
                left -= taken

    def _saved(self, key: PoolKey) -> Decimal:
        """Return what a dollar of a pool's spend no longer costs when it is covered."""
        return key.rate_usd / key.spend_usd

    def _off(self, hours: dict[PoolKey, _Hours]) -> dict[PoolKey, dict[int, Decimal]]:
        """Return what cover takes off a unit of each pool a month, by profile."""
        found: dict[PoolKey, dict[int, Decimal]] = {}
        for key, one in hours.items():
            by_profile: dict[int, Decimal] = defaultdict(Decimal)
            for at, stretch in enumerate(self._calendar.stretches):
                if not one.runs[at]:
                    continue
                usd = one.covered[at] * key.rate_usd
                usd += one.spent[at] * self._saved(key) if one.spent[at] else _ZERO
                for place in stretch.profiles:
                    by_profile[place] += usd * stretch.hours_per_month / one.runs[at]
            found[key] = by_profile
        return found

    def _share(
        self, need: FleetNeed, candidate: Candidate, off: dict[PoolKey, dict[int, Decimal]]
    ) -> Decimal:
        place = self._calendar.place[profile_of(need)]
        units = self._sheet.units(self._market.project(need), candidate)
        usd = sum((off[u.key][place] * u.units * need.count for u in units), _ZERO)
        return usd

    def _credits(self, hours: dict[PoolKey, _Hours]) -> Iterable[model.LineItem]:
        """Yield what is not paid on demand, as lines below 0."""
        for key, one in hours.items():
            rate = self._sheet.rate(key)
            of = (
                f"{key.resource} of {'/'.join(key.family)} in {key.region}{in_project(key.project)}"
            )
            covered = self._sum(one.covered)
            if covered:
                name = f"{of}, covered by commitments: not paid on demand"
                yield credit_line(name, covered, _UNIT_WORDS[key.resource], key.rate_usd, rate)
            spent = self._sum(one.spent)
            if spent:
                name = f"{of}, spend covered by flexible commitments: not paid on demand"
                yield credit_line(name, spent, model.SPEND_UNIT, self._saved(key), rate)

    def _sum(self, by_stretch: Sequence[Decimal]) -> Decimal:
        stretches = self._calendar.stretches
        found = (n * s.hours_per_month for n, s in zip(by_stretch, stretches, strict=True))
        return sum(found, _ZERO)

    def _fees(
        self, bought: Bought, hours: dict[PoolKey, _Hours]
    ) -> tuple[tuple[model.FleetCommitment, ...], tuple[model.LineItem, ...]]:
        """Return the commitments to buy, and their fees as lines."""
        commitments, lines = [], []
        places = sorted({(k.project, k.region, k.family, years) for (k, years) in bought.units})
        for project, region, family, years in places:
            usd_per_hour, amounts, used = _ZERO, {}, []
            for resource in Resource:
                key = PoolKey(project, region, family, resource)
                units = bought.units.get((key, years), _ZERO)
                fee = self._market.fee(key, years)
                amounts[resource] = units
                if not units or fee is None:
                    continue
                usd_per_hour += units * fee.usd
                used.append((units * fee.usd, self._used(key, hours, units, bought, years)))
                of = f"{resource} of {'/'.join(family)} in {region}"
                name = f"commitment of {years_text(years)}, {of}"
                lines.append(
                    model.LineItem(
                        name=f"{name}{in_project(project)}",
                        quantity=units * HOURS_PER_MONTH,
                        unit=fee.part.unit,
                        unit_price_usd=fee.usd,
                        usd_per_month=units * HOURS_PER_MONTH * fee.usd,
                        as_of=fee.part.as_of,
                        source=fee.source,
                        sku_id=fee.part.sku_id,
                    )
                )
            weight = sum((usd for usd, _ in used), _ZERO)
            share = sum((usd * ratio for usd, ratio in used), _ZERO) / weight if weight else _ZERO
            commitments.append(
                model.FleetCommitment(
                    kind="resource",
                    family="/".join(family),
                    region=region,
                    years=years,
                    vcpus=int(amounts[Resource.VCPU]),
                    memory_gib=amounts[Resource.MEMORY],
                    usd_per_hour=usd_per_hour,
                    usd_per_month=usd_per_hour * HOURS_PER_MONTH,
                    used_ratio=round(share, 4),
                    project=model.ProjectId("" if project == ANY_PROJECT else project),
                )
            )
        for years, usd in sorted(bought.usd_per_hour.items()):
            commitment, line = self._flexible_fee(years, usd, bought, hours)
            commitments.append(commitment)
            lines.append(line)
        return tuple(commitments), tuple(lines)

    def _used(
        self,
        key: PoolKey,
        hours: dict[PoolKey, _Hours],
        units: Decimal,
        bought: Bought,
        years: int,
    ) -> Decimal:
        """Return the share of a commitment in use: those that are there already go first."""
        before = self._market.committed(key)
        before += sum(
            (bought.units.get((key, y), _ZERO) for y in self._market.years if y > years), _ZERO
        )
        of_all = [one.covered for at, one in hours.items() if at.sold == key]
        of_it = [
            min(units, max(_ZERO, sum(one, _ZERO) - before)) for one in zip(*of_all, strict=True)
        ]
        return self._sum(of_it) / (units * HOURS_PER_MONTH)

    def _flexible_fee(
        self, years: int, usd: Decimal, bought: Bought, hours: dict[PoolKey, _Hours]
    ) -> tuple[model.FleetCommitment, model.LineItem]:
        ratio = self._market.flexible[years]
        covers = usd / ratio
        most = self._flexible_existing
        most += sum((f / self._market.flexible[y] for y, f in bought.usd_per_hour.items()), _ZERO)
        spent = sum((self._sum(one.spent) for one in hours.values()), _ZERO)
        used = spent / (most * HOURS_PER_MONTH) if most else _ZERO
        info = self._prices.info
        line = model.LineItem(
            name=f"flexible commitment of {years_text(years)}",
            quantity=usd * HOURS_PER_MONTH,
            unit=model.SPEND_UNIT,
            unit_price_usd=Decimal(1),
            usd_per_month=usd * HOURS_PER_MONTH,
            as_of=info.as_of,
            source=f"{info.source}: {ratio} of the spend at on-demand prices",
        )
        commitment = model.FleetCommitment(
            kind="flexible",
            family="",
            region="",
            years=years,
            vcpus=0,
            memory_gib=_ZERO,
            usd_per_hour=usd,
            usd_per_month=usd * HOURS_PER_MONTH,
            covers_usd_per_hour=covers.quantize(_DIGITS),
            used_ratio=round(used, 4),
        )
        return commitment, line
