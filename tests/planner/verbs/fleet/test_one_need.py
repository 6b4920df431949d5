"""One machine has one type, whoever names it: the audit's rules and the plan of a fleet."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.compared import AT_LIST
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.planning.fleet.candidates import Checks, Choices
from netplan_planner.planning.fleet.market import Market
from netplan_planner.planning.fleet.need import CommitmentChoice, FleetNeed, MoveKind
from netplan_planner.planning.fleet.plan import Planned, plan_fleet
from netplan_planner.throughput import instance_cap
from netplan_planner.verbs.fleet.inventory import needs_of
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.contract.terms import EffectivePrice, Terms
from netplan_pricing.opening import open_snapshot
from netplan_rules.capacity._resize import resize_need
from netplan_rules.capacity.cheaper_series import check
from netplan_rules.shared.seen_needs import (
    HEADROOM_RATIO,
    SeenNeed,
    seen_need,
    wanted_gbps,
    why_kept,
)
from support.known import known
from support.resources import resource
from support.rules.facts import facts_of, machine, steady

TYPES = ("n1-standard-8", "n2-standard-16", "n2-standard-4", "c2-standard-8", "e2-standard-8")
ZONES = ("us-central1-a", "europe-west1-b")
NAMES = ("ant", "bee", "cow")


def billed(ratios: dict[str, str]) -> SnapshotPriceBook:
    """Return prices of a bill that names some series, each at a ratio of the list."""
    listed = open_snapshot()
    effective = {
        part.sku_id or "": {
            Decimal(0): EffectivePrice(
                usd=part.unit_price_usd * Decimal(ratio), as_of=date(2026, 11, 1), source="the bill"
            )
        }
        for series, ratio in ratios.items()
        for part in listed.machine(
            "us-central1", f"{series}-standard-8", model.Usage.ON_DEMAND
        ).parts
    }
    return open_snapshot(terms=Terms(effective=effective))


def planned(facts: model.Facts, least_usd: Decimal = LEAST_SAVING_USD) -> Planned:
    """Return a fleet's plan at prices on demand."""
    needs, _ = needs_of(
        facts, architecture=None, any_architecture=False, headroom_ratio=HEADROOM_RATIO
    )
    market = Market(facts.prices, CommitmentChoice.NONE, (1,), (), is_shared=False)
    found = plan_fleet(needs, facts.prices, facts.caps, Choices(least_saving_usd=least_usd), market)
    assert isinstance(found, Planned)
    return found


def types_of(plan: Planned) -> Iterator[tuple[str, str]]:
    for need, candidate in zip(plan.needs, plan.chosen, strict=True):
        yield need.name, candidate.machine.machine_type


@given(
    st.lists(st.tuples(st.sampled_from(TYPES), st.sampled_from(ZONES)), min_size=3, max_size=3),
    st.lists(st.sampled_from((0.05, 2.0, 7.0, 9.0, 14.0)), min_size=3, max_size=3),
)
def test_what_audit_names_fleet_takes(kinds: list[tuple[str, str]], rates: list[float]) -> None:
    facts = facts_of(
        *(machine(name, of, zone=zone) for name, (of, zone) in zip(NAMES, kinds, strict=True)),
        talk=tuple(
            (src, dst, model.PathClass.SAME_ZONE_INTERNAL, rate)
            for src, dst, rate in zip(NAMES, NAMES[1:] + NAMES[:1], rates, strict=True)
        ),
    )
    chosen = dict(types_of(planned(facts)))
    for hit in check(facts):
        if isinstance(hit, model.Hit) and hit.change is not None:
            assert chosen[hit.resources[0].name] == hit.change.to


@given(
    st.sampled_from(TYPES),
    st.sampled_from((0.05, 2.0, 7.0)),
    st.dictionaries(
        st.sampled_from(("n2", "e2", "n2d", "n1", "c2")), st.sampled_from(("0.5", "0.8", "0.95"))
    ),
)
def test_audit_fleet_and_recommend_name_one_type_and_one_price_under_a_contract(
    of: str, rate: float, ratios: dict[str, str]
) -> None:
    """What the bill names of both sides is as it is paid; else list prices stand on both."""
    facts = facts_of(
        machine("ant", of),
        machine("bee", "n1-standard-2"),
        talk=(("ant", "bee", model.PathClass.SAME_ZONE_INTERNAL, rate),),
    )
    prices = billed(ratios)
    facts = replace(facts, prices=prices, machines=Chooser(prices, facts.caps))
    ant = facts.inventory.instances[0]
    need = known(resize_need(facts, ant, known(instance_cap(ant, facts.caps))))
    plan = facts.machines.choose_from(ant, need)
    assert isinstance(plan, model.MachinePlan)
    first, today = plan.ranked[0], model.total_usd(facts.machines.cost_today(ant, need.usage))
    assert model.total_usd(first.line_items) == first.usd_per_month
    fleet = planned(facts, Decimal(0))
    at = [one.name for one in fleet.needs].index("ant")
    assert fleet.chosen[at].machine.machine_type == first.machine_type
    assert abs(fleet.bill.usd_by_group[at] - known(first.usd_per_month)) < Decimal("1e-6")
    for hit in check(facts):
        if isinstance(hit, model.Hit) and hit.resources[0].name == "ant":
            assert known(hit.change).to == first.machine_type
            assert hit.saving.usd_per_month == today - known(first.usd_per_month)
            listed = any(one.name.endswith(AT_LIST) for one in first.line_items)
            assert hit.saving.note == (AT_LIST if listed else "")


T4 = "nvidia-tesla-t4"
KEPT: dict[str, tuple[dict[str, object], str]] = {
    "Local SSDs": ({"local_ssd_count": 4}, "local-ssd"),
    "GPUs": ({"machine_type": "n1-standard-8", "gpu_count": 1, "gpu_type": T4}, "gpu"),
    "licence": ({"licenses": ("projects/windows-cloud/global/licenses/windows",)}, "licence"),
    "pin": ({"labels": (("netplan-pin", "here"),)}, ""),
    "nested virtualization": ({"has_nested_virtualization": True}, ""),
}
"""What nobody changes unasked, and by which kind of move fleet is asked for it."""


@pytest.mark.parametrize(("parts", "kind"), KEPT.values(), ids=KEPT)
def test_what_the_audit_leaves_alone_fleet_leaves_alone(
    parts: dict[str, object], kind: str
) -> None:
    ant = replace(machine("ant", "n2-standard-8"), **parts)
    facts = facts_of(ant, machine("bee"), talk=())
    assert why_kept(facts, ant)
    found = [one for one in check(facts) if isinstance(one, model.Hit)]
    assert "ant" not in [one.resources[0].name for one in found]
    ((need,), names) = kept_of(facts)
    assert names["ant"] == ant.machine_type
    assert need.why_pinned.startswith(why_kept(facts, ant))
    assert ("--move-price" in need.why_pinned) is bool(kind)
    if kind:
        ((need,), names) = kept_of(facts, MoveKind(kind))
        assert not need.is_pinned
        assert why_kept(facts, ant, (kind,)) == ""


def kept_of(facts: model.Facts, *asked: MoveKind) -> tuple[tuple[FleetNeed, ...], dict[str, str]]:
    """Return the need of `ant` and the types that a fleet's plan gives."""
    needs, _ = needs_of(
        facts,
        architecture=None,
        any_architecture=False,
        headroom_ratio=HEADROOM_RATIO,
        asked=asked,
    )
    market = Market(facts.prices, CommitmentChoice.NONE, (1,), (), is_shared=False)
    plan = plan_fleet(needs, facts.prices, facts.caps, Choices(), market)
    assert isinstance(plan, Planned)
    return tuple(one for one in needs if one.name == "ant"), dict(types_of(plan))


def test_the_busiest_minute_is_carried_without_headroom() -> None:
    """9 of 10 Gbit/s: N2D with 10 carries it, E2 with 8 does not."""
    facts = facts_of(machine("ant", "n2-standard-4"), machine("bee"), talk=())
    found = known(facts.traffic)
    for busiest, said in ((9.0, "n2d-standard-4"), (7.9, "e2-standard-4")):
        egress = replace(steady(1.0), max_gbps=busiest, top_gbps=(busiest,))
        vms = tuple(
            replace(one, egress=egress) if found.owners[one.owner].name == "ant" else one
            for one in found.vms
        )
        seen = replace(facts, traffic=replace(found, vms=vms))
        ant = seen.inventory.instances[0]
        shape = known(seen.shape(ant.machine_type))
        need = seen_need(seen, ant, shape)
        assert isinstance(need, SeenNeed)
        assert need.gbps == pytest.approx(busiest * 0.8)
        assert dict(types_of(planned(seen)))["ant"] == said
        (hit,) = [one for one in check(seen) if isinstance(one, model.Hit) and "ant" in one.subject]
        assert known(hit.change).to == said


def test_a_move_must_save_what_an_audit_does_first() -> None:
    """From N2 to E2 two vCPUs save some 8 dollars a month."""
    facts = facts_of(machine("ant", "n2-standard-2"), machine("bee"), talk=())
    plain = dict(types_of(planned(facts, Decimal(0))))
    plan = planned(facts)
    kept = dict(types_of(plan))
    moved = planned(facts, Decimal(7))
    assert plain["ant"] == "e2-standard-2" == dict(types_of(moved))["ant"]
    saved = plan.bill.usd_per_month - planned(facts, Decimal(0)).bill.usd_per_month
    assert kept["ant"] == "n2-standard-2"
    assert 7 < saved < LEAST_SAVING_USD
    assert plan.bound_usd_per_month <= plan.bill.usd_per_month


@pytest.mark.parametrize(
    ("checks", "stays"), [(Checks.NEVER, True), (Checks.LAST, True), (Checks.ALWAYS, False)]
)
def test_an_older_generation_is_not_taken_unasked(checks: Checks, stays: bool) -> None:
    facts = facts_of(machine("ant", "c3-standard-22"), machine("bee"), talk=())
    needs, _ = needs_of(
        facts, architecture=None, any_architecture=False, headroom_ratio=HEADROOM_RATIO
    )
    market = Market(facts.prices, CommitmentChoice.NONE, (1,), (), is_shared=False)
    found = plan_fleet(needs, facts.prices, facts.caps, Choices(checks=checks), market)
    assert isinstance(found, Planned)
    assert (dict(types_of(found))["ant"] == "c3-standard-22") == stays


def test_a_machine_whose_subnetwork_keeps_no_logs_keeps_its_bandwidth_in_every_verb() -> None:
    """E2 would do for what others saw of it; what it sends elsewhere nobody saw."""
    facts = facts_of(
        machine("ant", "n2-standard-16"),
        machine("bee"),
        talk=(("ant", "bee", model.PathClass.SAME_ZONE_INTERNAL, 0.2),),
    )
    ant = facts.inventory.instances[0]
    silent = model.SelfLink("projects/p/regions/us-central1/subnetworks/silent")
    nics = tuple(replace(nic, subnetwork=silent) for nic in ant.interfaces)
    subnetwork = resource(
        model.Subnetwork,
        silent,
        project=ant.project,
        region=ant.region,
        network=nics[0].network or model.SelfLink(""),
        flow_logs=model.FlowLogConfig(enabled=False),
    )
    inventory = replace(
        facts.inventory,
        instances=(replace(ant, interfaces=nics), *facts.inventory.instances[1:]),
        subnetworks=(*facts.inventory.subnetworks, subnetwork),
    )
    logged, unlogged = facts, replace(facts, inventory=inventory)
    for seen, said in ((logged, "e2-standard-16"), (unlogged, "n2d-standard-16")):
        hits = [one for one in check(seen) if isinstance(one, model.Hit) and "ant" in one.subject]
        assert [one.change.to for one in hits if one.change is not None] == [said]
        assert dict(types_of(planned(seen)))["ant"] == said
    wanted = wanted_gbps(unlogged, unlogged.inventory.instances[0], model.Destination.INTERNAL)
    assert wanted.gbps == pytest.approx(32 * 0.8)
    assert "silent has no flow logs" in wanted.basis
