"""Machines as they stand, and what committing to them saves: no type changes.

The commitments of a project as a fleet counts them: they are paid whatever is done.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.machines import ties_of
from netplan_planner.machines.groups import is_managed
from netplan_planner.optimise.commitment_changes import covers_of
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.optimise.commitment_types import is_pending
from netplan_planner.optimise.commitments import Uses
from netplan_planner.planning.fleet.candidates import Choices
from netplan_planner.planning.fleet.market import Existing, Market
from netplan_planner.planning.fleet.need import ALL_DAY, CommitmentChoice, FleetNeed
from netplan_planner.planning.fleet.plan import Planned, plan_fleet
from netplan_planner.throughput import deciding_platform
from netplan_planner.units import HOURS_PER_MONTH


class Bought(NamedTuple):
    """The commitments that a project has."""

    existing: tuple[Existing, ...]
    is_shared: bool
    """Whether projects share them."""
    notes: tuple[model.Text, ...]
    """What is not known of them, and how they are counted."""
    is_known: bool
    """Whether all is known that decides what others would save."""
    flexible: model.FlexibleUse | None
    """What flexible ones did that a billing export shows; None: nothing, or it is not known."""

    def market(
        self, prices: model.PriceBook, choice: CommitmentChoice, years: tuple[int, ...]
    ) -> Market:
        """Return these, with those that may be bought."""
        return Market(
            prices,
            choice,
            years,
            self.existing,
            is_shared=self.is_shared,
            flexible_use=self.flexible,
        )


NOTHING_BOUGHT = Bought((), is_shared=False, notes=(), is_known=True, flexible=None)


def existing_of(facts: model.Facts, scope: model.CommitmentScope) -> Bought:
    """Return the commitments that are bought, those that begin within days among them.

    Where that they are shared is not known, each serves its own project: no plan then rests on
    sharing that may not be.
    """
    inventory = replace(facts.inventory, commitments=tuple(_as_bought(facts)))
    # Of two ways of sharing the first is the narrower one.
    covers = covers_of(inventory, Uses(facts.prices), facts.today, scope)
    cover = covers[0]
    uses = commitment_uses(inventory, facts.prices, facts.today, scope)
    in_force = [use for use in uses if use.state == "active"]
    fees = {use.resource.self_link: use.parts for use in in_force}
    is_known = len(covers) == 1 or not cover.pools
    is_known &= not any("unknown: " in use.note for use in in_force)
    found: list[Existing] = []
    notes: list[model.Text] = []
    for (project, region, series), pool in sorted(cover.pools.items()):
        lines, unknown = [], []
        for commitment in pool.commitments:
            parts = fees.get(commitment.ref.self_link, ())
            lines += [part.line_item for part in parts if part.line_item is not None]
            if any(part.line_item is None for part in parts):
                unknown.append(commitment.name)
        units = tuple((resource, amount) for resource, amount in pool.committed.items())
        found.append(Existing(project, region, series, units, tuple(lines)))
        is_known &= not unknown and not pool.doubts
        if unknown:
            notes.append(
                f"the fee of commitment {', '.join(unknown)} is unknown; no sum includes it,"
                " and you pay it in any case"
            )
        notes += [f"unknown of {pool.names}: {doubt}" for doubt in sorted(pool.doubts)]
    by_bill = bought_by_bill(facts.prices)
    notes += by_bill.notes
    is_known &= by_bill.is_known
    is_shared = scope in {
        model.CommitmentScope.PROJECTS_READ,
        model.CommitmentScope.BILLING_ACCOUNT,
    }
    return Bought(tuple(found), is_shared, tuple(notes), is_known, by_bill.flexible)


def bought_by_bill(prices: model.PriceBook) -> Bought:
    """Return what a billing export tells of commitments: of flexible ones, and of no others."""
    use = prices.flexible.use if prices.flexible is not None else None
    if use is None:
        return NOTHING_BOUGHT
    flexible = None if use.doubt else use
    return Bought((), False, (_of_flexible(use),), is_known=not use.doubt, flexible=flexible)


def _of_flexible(use: model.FlexibleUse) -> model.Text:
    """Return how flexible commitments that are there are counted."""
    if use.doubt:
        return (
            "existing flexible commitments on the bill are not counted, today or in the plan: it"
            f" is not known {use.doubt}"
        )
    return model.worded(
        "existing flexible commitments (",
        model.Amount(usd=use.usd_per_month),
        "/month, for all projects of the billing account) are assumed to cover these VMs first;"
        " new ones are for the rest",
    )


def _as_bought(facts: model.Facts) -> Iterator[model.Commitment]:
    """Yield commitments as if those were active that begin soon: nobody buys them again."""
    for one in facts.inventory.commitments:
        yield replace(one, status="ACTIVE") if is_pending(one) else one


class Committed(NamedTuple):
    """What commitments make of machines as they stand, in dollars a month."""

    paid_usd: Decimal
    """Now, with the commitments that there are."""
    saved_usd: Decimal
    """By those that are bought as well."""
    most_usd: Decimal
    """No commitments save more."""
    added_usd: Decimal
    """Fees of those that there are less what they cover: what they add to prices without them."""
    commitments: tuple[model.FleetCommitment, ...]
    """To buy."""
    covered_count: int
    """Machines that commitments may serve: Spot machines are none."""
    managed_count: int
    """Machines of managed groups and GKE."""
    unpriced_count: int
    """Machines that run and are in no sum."""


def committed(
    facts: model.Facts,
    machines: Iterable[model.Instance],
    scope: model.CommitmentScope,
    years: tuple[int, ...],
) -> Committed | None:
    """Return what commitments of some years save of machines that keep their types.

    Flexible commitments that a billing export shows are taken to serve these machines first, so
    that what new ones save is never too much. None: no machine that runs has a known price, or
    what was bought already is not known.

    Args:
        facts: Prices, limits and the commitments that there are.
        machines: Those that do not run are left out.
        scope: Whether projects share commitments.
        years: Terms that may be bought.
    """
    machines = tuple(machines)
    needs, unpriced_count = _needs(facts, machines)
    if not needs:
        return None
    bought = existing_of(facts, scope)
    if not bought.is_known:
        return None
    market = bought.market(facts.prices, CommitmentChoice.ALL, years)
    plan = plan_fleet(needs, facts.prices, facts.caps, Choices(), market)
    if not isinstance(plan, Planned) or plan.baseline is None:
        return None
    paid = plan.baseline.usd_per_month
    return Committed(
        paid_usd=paid,
        saved_usd=paid - plan.bill.usd_per_month,
        most_usd=paid - plan.bound_usd_per_month,
        added_usd=paid - sum(plan.baseline.on_demand_by_group, Decimal(0)),
        commitments=plan.bill.commitments,
        covered_count=sum(
            need.count for need in needs if not need.is_spot and _is_sold(market, need, years)
        ),
        managed_count=sum(one.is_to_run and is_managed(facts, one) for one in machines),
        unpriced_count=unpriced_count,
    )


def _is_sold(market: Market, need: FleetNeed, years: tuple[int, ...]) -> bool:
    """Return whether a commitment of some years is sold for machines like these."""
    units = market.units_of(market.project(need), need.region, need.machine_type or "")
    return any(one.key.spend_usd or any(market.fee(one.key, y) for y in years) for one in units)


class _Alike(NamedTuple):
    """Machines that cost the same."""

    project: model.ProjectId
    zone: model.Zone
    machine_type: str
    is_tier1: bool
    cpu_platform: str | None
    is_spot: bool
    ties: model.Ties


def _needs(facts: model.Facts, machines: Iterable[model.Instance]) -> tuple[list[FleetNeed], int]:
    """Return machines that run as groups that keep their type, and how many have no price."""
    alike: Counter[_Alike] = Counter()
    unpriced_count = 0
    for machine in machines:
        if not machine.is_to_run:
            continue
        shape = facts.shape(machine.machine_type)
        if shape is None or why_in_no_sum(facts, machine):
            unpriced_count += 1
        else:
            alike[_alike(facts, machine, shape)] += 1
    needs = [
        model.taken(
            FleetNeed,
            one,
            name=str(number),
            count=count,
            gbps=0.0,
            vcpus=0,
            memory_gib=0.0,
            hours_per_month=Decimal(HOURS_PER_MONTH),
            active_hours=tuple(sorted(ALL_DAY)),
            is_pinned=True,
            why_pinned="it is stopped",
        )
        for number, (one, count) in enumerate(alike.items())
    ]
    return needs, unpriced_count


def why_in_no_sum(facts: model.Facts, machine: model.Instance) -> str:
    """Return why a machine is no part of a plan of types and commitments; empty: it is."""
    if machine.is_sole_tenant:
        return "it runs on sole-tenant nodes, which are billed instead of the VM"
    return why_no_price(facts, machine)


def why_no_price(facts: model.Facts, machine: model.Instance) -> str:
    """Return why it is not known what a machine costs as it stands; empty where it is."""
    try:
        facts.machines.cost_today(machine, model.usage_of(machine))
    except MissingDatum as missing:
        return str(missing)
    return ""


def _alike(facts: model.Facts, machine: model.Instance, shape: model.MachineShape) -> _Alike:
    return _Alike(
        machine.project,
        machine.zone,
        machine.machine_type,
        machine.bandwidth_tier is model.BandwidthTier.TIER_1,
        deciding_platform(machine),
        machine.is_spot,
        ties_of(facts.inventory, machine, shape),
    )
