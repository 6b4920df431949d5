"""Plans with commitments under contracts that differ from the list for some SKUs of a series."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.optimise.commitments import Resource
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.planning.fleet.candidates import Choices
from netplan_planner.planning.fleet.market import Existing, Market
from netplan_planner.planning.fleet.need import CommitmentChoice, FleetNeed
from netplan_planner.planning.fleet.plan import Planned, plan_fleet
from netplan_planner.planning.fleet.standing import committed, existing_of
from netplan_planner.units import HOURS_PER_MONTH
from netplan_planner.verbs.fleet.inventory import needs_of
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot
from netplan_rules.shared.seen_needs import HEADROOM_RATIO
from support.examples import examples
from support.known import known
from support.prices.commitments import commitment
from support.rules.facts import facts_of, holding, machine

LIST = open_snapshot()
REGION = "us-central1"
SERIES = ("n2", "e2", "n2d", "n1", "c2")
TYPES = (
    *("n1-standard-8", "n2-standard-16", "n2-standard-4", "c2-standard-8", "e2-standard-8"),
    *("n2-custom-6-20480", "n2d-standard-8"),
)
NAMES = ("ant", "bee", "cow")
ZERO, CENT = Decimal(0), Decimal("0.01")
RATES = {"core": Resource.VCPU, "ram": Resource.MEMORY}
Contract = dict[str, tuple[Decimal, tuple[str, ...]]]
"""By series: what is paid of the list price, and of which parts of a machine."""

contracts = st.dictionaries(
    st.sampled_from(SERIES),
    st.tuples(
        st.sampled_from([Decimal(one) for one in ("0.2", "0.6", "0.9", "1.5", "20")]),
        st.sampled_from((("core",), ("ram",), ("core", "ram"))),
    ),
    min_size=1,
    max_size=3,
)
DEAR_N2: Contract = {"n2": (Decimal(20), ("core", "ram"))}
CHEAP_N2: Contract = {"n2": (Decimal("0.2"), ("core", "ram"))}
OF_OTHERS = [("e2-standard-8", 0.05), ("n1-standard-8", 0.05), ("c2-standard-8", 2.0)]
OF_N2 = [("n2-standard-16", 0.05), ("n2-standard-4", 2.0), ("n2-custom-6-20480", 7.0)]
rates = st.sampled_from((0.05, 2.0, 7.0, 14.0))
fleets = st.lists(st.tuples(st.sampled_from(TYPES), rates), min_size=3, max_size=3)


def billed(contract: Contract) -> SnapshotPriceBook:
    """Return prices of a bill that names some parts of some series."""
    effective = {
        part.sku_id or "": {
            ZERO: EffectivePrice(
                usd=part.unit_price_usd * ratio, as_of=date(2026, 11, 1), source="the bill"
            )
        }
        for series, (ratio, named) in contract.items()
        for part in LIST.machine(REGION, f"{series}-standard-8", model.Usage.ON_DEMAND).parts
        if part.component in named
    }
    return open_snapshot(terms=Terms(effective=effective))


def standing(fleet: list[tuple[str, float]], prices: SnapshotPriceBook) -> model.Facts:
    """Return machines of some types that send so much, each to the next."""
    of = [machine(name, kind) for name, (kind, _) in zip(NAMES, fleet, strict=True)]
    talk = tuple(
        (src, dst, model.PathClass.SAME_ZONE_INTERNAL, rate)
        for src, dst, (_, rate) in zip(NAMES, NAMES[1:] + NAMES[:1], fleet, strict=True)
    )
    facts = facts_of(*of, talk=talk)
    return replace(facts, prices=prices, machines=Chooser(prices, facts.caps))


def needs(facts: model.Facts) -> tuple[FleetNeed, ...]:
    found, left_out = needs_of(
        facts, architecture=None, any_architecture=False, headroom_ratio=HEADROOM_RATIO
    )
    assert not left_out
    return found


def planned(facts: model.Facts, market: Market) -> Planned:
    found = plan_fleet(needs(facts), facts.prices, facts.caps, Choices(), market)
    assert isinstance(found, Planned)
    return found


def used(usd_per_month: Decimal) -> model.FlexibleUse | None:
    """Return flexible commitments that cover so much spend."""
    if not usd_per_month:
        return None
    day = datetime(2026, 11, 1, tzinfo=UTC)
    return model.FlexibleUse(
        plans=("1 year",),
        source="the bill",
        start=day,
        end=day,
        hour_count=720,
        usd_per_month=usd_per_month * Decimal("0.72"),
        covered_usd_per_month=usd_per_month,
        unused_usd_per_month=ZERO,
        uncovered_usd_per_month=ZERO,
    )


def covered(facts: model.Facts, units: dict[Resource, Decimal]) -> Decimal:
    """Return what N2 commitments take off machines as they stand a month, worked by hand.

    Of units that cost differently the most expensive go first. What is covered of a custom machine
    still costs its premium.
    """
    off = ZERO
    for resource, most in units.items():
        running = [one for one in facts.inventory.instances if one.machine_type[:3] == "n2-"]
        priced = [dict(_priced(facts.prices, one.machine_type))[resource] for one in running]
        for amount, rate in sorted(priced, key=lambda one: -one[1]):
            off += min(amount, most) * rate
            most -= min(amount, most)
    return off * HOURS_PER_MONTH


def _priced(
    prices: model.PriceBook, machine_type: str
) -> Iterator[tuple[Resource, tuple[Decimal, Decimal]]]:
    """Yield how many units a machine has, and what a covered one costs less an hour."""
    parts = prices.machine(REGION, machine_type, model.Usage.SUSTAINED_USE).parts
    under = prices.machine(REGION, machine_type, model.Usage.CUD_3Y).parts
    premium = {one.component: one.unit_price_usd * one.ratio for one in under}
    for part in parts:
        name = part.component.removeprefix("custom_")
        left = premium.get(f"cud_premium_{part.component}", ZERO)
        yield RATES[name], (part.quantity, part.unit_price_usd * part.ratio - left)


@example(OF_OTHERS, DEAR_N2, CommitmentChoice.ALL, 0, ZERO)
@example(OF_N2, CHEAP_N2, CommitmentChoice.RESOURCE, 4, ZERO)
@settings(max_examples=examples(0.2))
@given(
    fleets,
    contracts,
    st.sampled_from((CommitmentChoice.RESOURCE, CommitmentChoice.FLEXIBLE, CommitmentChoice.ALL)),
    st.sampled_from((0, 4, 16)),
    st.sampled_from((ZERO, Decimal(150))),
)
def test_a_commitment_takes_off_what_the_same_bill_charges(
    fleet: list[tuple[str, float]],
    contract: Contract,
    choice: CommitmentChoice,
    vcpus: int,
    spend: Decimal,
) -> None:
    facts = standing(fleet, billed(contract))
    units = {Resource.VCPU: Decimal(vcpus), Resource.MEMORY: Decimal(4 * vcpus)}
    there = Existing("p", REGION, ("n2",), tuple(units.items())) if vcpus else None
    market = Market(
        *(facts.prices, choice, (1, 3), [there] if there else []),
        is_shared=False,
        flexible_use=used(spend),
    )
    plan = planned(facts, market)
    bill, baseline = plan.bill, known(plan.baseline)
    for one in (bill, baseline, known(plan.same_types)):
        assert one.usd_per_month >= 0
        pairs = list(zip(one.usd_by_group, one.on_demand_by_group, strict=True))
        assert all(0 <= own <= on_demand for own, on_demand in pairs)
        fees = [line for line in one.line_items if "commitment" in line.name]
        fees = [line for line in fees if line.usd_per_month > 0]
        paid = sum((line.usd_per_month for line in fees), ZERO)
        assert abs(sum(one.usd_by_group, ZERO) + paid - one.usd_per_month) < CENT
    assert plan.bound_usd_per_month <= bill.usd_per_month
    if not any(plan.outgrown):
        assert bill.usd_per_month <= baseline.usd_per_month + CENT
    if not spend:
        off = sum(baseline.on_demand_by_group, ZERO) - baseline.usd_per_month
        assert abs(off - covered(facts, units)) < CENT


@settings(max_examples=examples(0.2))
@given(fleets, contracts)
def test_what_is_all_covered_costs_nothing(
    fleet: list[tuple[str, float]], contract: Contract
) -> None:
    """Predefined types have no premium: what is covered costs nothing, whatever moves."""
    plain = [("n2-standard-16" if "custom" in kind else kind, rate) for kind, rate in fleet]
    facts = standing(plain, billed(contract))
    units = ((Resource.VCPU, Decimal(1000)), (Resource.MEMORY, Decimal(10000)))
    every = [Existing("p", REGION, (series,), units) for series in SERIES]
    market = Market(facts.prices, CommitmentChoice.NONE, (1,), every, is_shared=False)
    plan = planned(facts, market)
    assert abs(known(plan.baseline).usd_per_month) < CENT
    # What is paid today above the list is no use of the machine that is listed.
    above = sum(
        (
            max(ZERO, one.at_list_usd * need.count)
            for need, one in zip(plan.needs, plan.chosen, strict=True)
        ),
        ZERO,
    )
    assert 0 <= plan.bill.usd_per_month < above + CENT


@settings(max_examples=examples(0.2))
@given(fleets, contracts, st.sampled_from((0, 8)))
def test_the_audits_lever_saves_no_more_than_is_paid(
    fleet: list[tuple[str, float]], contract: Contract, vcpus: int
) -> None:
    facts = standing(fleet, billed(contract))
    if vcpus:
        facts = holding(facts, commitments=(commitment(vcpus, 4 * vcpus),))
    scope = model.CommitmentScope.PROJECT
    lever = known(committed(facts, facts.inventory.instances, scope, (1, 3)))
    assert 0 <= lever.saved_usd <= lever.most_usd + CENT
    fees = sum(
        (fee.usd_per_month for one in existing_of(facts, scope).existing for fee in one.fees),
        ZERO,
    )
    assert lever.saved_usd <= lever.paid_usd - fees + CENT
    units = {Resource.VCPU: Decimal(vcpus), Resource.MEMORY: Decimal(4 * vcpus)}
    assert abs(lever.added_usd - (fees - covered(facts, units))) < CENT


@example(OF_N2, CHEAP_N2, "n2d-standard-8", 0)
@example(OF_N2, CHEAP_N2, "e2-standard-8", 8)
@settings(max_examples=examples(0.2))
@given(fleets, contracts, st.sampled_from(TYPES), st.sampled_from((0, 8)))
def test_a_change_saves_no_more_than_its_machine_is_paid(
    fleet: list[tuple[str, float]], contract: Contract, to: str, vcpus: int
) -> None:
    facts = standing(fleet, billed(contract))
    if vcpus:
        facts = holding(facts, commitments=(commitment(vcpus, 4 * vcpus),))
    ant = facts.inventory.instances[0]
    paid = model.total_usd(facts.machines.cost_today(ant, model.Usage.SUSTAINED_USE))
    change = model.Change(kind=model.ChangeKind.MACHINE_TYPE, target=ant.ref.self_link, to=to)
    assert ledger_of(facts).value(change).saving.usd_per_month <= paid
