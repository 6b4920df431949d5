"""What commitments cover, held against a bill that is worked out in another way."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.optimise.commitment_changes import Commitments, cover_today
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.renderers.figures import shown
from support.listed import listed
from support.prices.commitments import commitment
from support.rules.facts import TODAY, facts_of, machine

HOURS = 730
N2_VCPU, N2_GIB = Decimal("0.031611"), Decimal("0.004237")
"""On demand in us-central1, SKUs BB77-5FDA-69D9 and 5B01-D157-A097; 20 % less all month."""
N2_VCPU_3Y, N2_GIB_3Y = Decimal("0.014225"), Decimal("0.001907")
"""Committed for 3 years, SKUs FCA2-37F3-16BA and B638-CAE8-6E60."""


BASE = facts_of()


def committed(
    *commitments: model.Commitment, machines: Sequence[model.Instance] = ()
) -> model.Facts:
    instances = tuple(machines or (machine("a"), machine("b")))
    return replace(BASE, inventory=model.Inventory(instances=instances, commitments=commitments))


def instance(facts: model.Facts, name: str = "a") -> model.Instance:
    return next(i for i in facts.inventory.instances if i.name == name)


def asked(
    facts: model.Facts,
    machine_type: str | None,
    name: str = "a",
    scope: model.CommitmentScope = model.CommitmentScope.UNKNOWN,
    **more: Any,
) -> model.CoverChange:
    ledger = Commitments(facts.prices, scope).ledger(facts.inventory, facts.today)
    change = model.MachineChange(instance=instance(facts, name), machine_type=machine_type, **more)
    return ledger.change(change)


def usd(change: model.CoverChange) -> Decimal:
    assert not change.unknown
    return model.total_usd(change.items)


# Two n2-standard-8: 16 vCPUs and 64 GiB. An uncovered one costs, sustained-use discount taken off:
ONE_N2_STANDARD_8 = HOURS * Decimal("0.8") * (8 * N2_VCPU + 32 * N2_GIB)


def test_a_covered_machine_that_goes_saves_nothing() -> None:
    facts = committed(commitment(16, 64))
    today = model.total_usd(facts.machines.cost_today(instance(facts), model.Usage.SUSTAINED_USE))
    assert today == ONE_N2_STANDARD_8 == Decimal("226.867648")
    assert today + usd(asked(facts, None)) == 0


def test_what_is_above_the_commitment_is_saved() -> None:
    facts = committed(commitment(8, 32))
    assert usd(asked(facts, None)) == 0, "the other machine takes the cover over"
    half = committed(commitment(12, 48))
    assert usd(asked(half, None)) == -ONE_N2_STANDARD_8 / 2
    # Cores and memory are covered each for itself.
    cores = committed(commitment(16, None))
    assert usd(asked(cores, None)) == -HOURS * Decimal("0.8") * 8 * N2_VCPU


def test_the_series_and_the_region_keep_cover() -> None:
    facts = committed(commitment(16, 64))
    assert usd(asked(facts, "n2-standard-8", region=model.Region("us-central1"))) == 0
    half = usd(asked(facts, "n2-standard-4"))
    assert half == -ONE_N2_STANDARD_8 / 2, "half of its cover is left unused"
    for change in (
        asked(facts, "n2-standard-8", region=model.Region("us-east1")),
        asked(facts, "n2d-standard-8"),
    ):
        assert usd(change) == -ONE_N2_STANDARD_8
        assert change.note == "commitment three-years is billed until 2028-06-01 in any case"
        assert all("covered by commitment three-years" in item.name for item in change.items)


@pytest.mark.parametrize("status", ["NOT_YET_ACTIVE", "CREATING"])
@pytest.mark.parametrize("to", ["n2d-standard-8", "n2-standard-4", None])
def test_what_a_commitment_that_begins_in_days_covers_is_not_known(
    status: str, to: str | None
) -> None:
    facts = committed(commitment(16, 64, status=status))
    why = "what commitment three-years covers, which begins within days"
    assert asked(facts, to).unknown == why
    other = committed(commitment(16, 64, "GENERAL_PURPOSE_E2", status=status))
    assert asked(other, None).unknown == ""
    assert asked(other, "n2d-standard-8").unknown == ""
    assert asked(other, "e2-standard-8").unknown == why, "nor what it covers of a newcomer"


def test_an_unused_commitment_takes_over() -> None:
    facts = committed(commitment(64, 256), machines=[machine("a", "e2-standard-8")])
    change = asked(facts, "n2-standard-8")
    assert usd(change) == ONE_N2_STANDARD_8
    assert "is not fully used today" in change.note


def test_changes_count_one_after_the_other() -> None:
    facts = committed(commitment(8, 32))
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    a, b = (model.MachineChange(instance=i, machine_type=None) for i in facts.inventory.instances)
    assert usd(ledger.change(a)) == 0
    ledger.take(a)
    assert usd(ledger.change(b)) == -ONE_N2_STANDARD_8
    again = facts.machines.ledger(facts.inventory, facts.today)
    assert usd(again.change(b)) == 0, "a new ledger begins anew"


@pytest.mark.parametrize(
    "other",
    [
        replace(machine("b"), is_spot=True),
        replace(machine("b"), status="TERMINATED"),
        machine("b", "n2d-standard-8"),
        machine("b", zone="us-east1-b"),
    ],
    ids=["spot", "stopped", "other series", "other region"],
)
def test_who_does_not_use_a_commitment(other: model.Instance) -> None:
    facts = committed(commitment(8, 32), machines=[machine("a"), other])
    assert usd(asked(facts, None)) == -ONE_N2_STANDARD_8, "a is the only one that it covers"
    assert asked(facts, None, name="b").items == ()


def test_shared_cores_use_none() -> None:
    small = machine("b", "e2-medium")
    facts = committed(commitment(2, 4, "GENERAL_PURPOSE_E2"), machines=[small])
    (use,) = commitment_uses(facts.inventory, facts.prices, TODAY, model.CommitmentScope.UNKNOWN)
    assert [part.used for part in use.parts] == [Decimal(0), Decimal(0)]


@pytest.mark.parametrize(
    ("one", "state"),
    [
        (commitment(16, 64, ends="2026-11-19"), "ended"),
        (commitment(16, 64, status="EXPIRED"), "ended"),
        (commitment(16, 64, status="CANCELLED"), "cancelled"),
        (commitment(16, 64, status="NOT_YET_ACTIVE"), "not yet active"),
    ],
)
def test_what_is_not_in_force_covers_nothing(one: model.Commitment, state: str) -> None:
    facts = committed(one)
    change = asked(facts, None)
    assert change.items == ()
    assert bool(change.unknown) == (state == "not yet active"), "it begins within days"
    (use,) = commitment_uses(facts.inventory, facts.prices, TODAY, model.CommitmentScope.UNKNOWN)
    assert (use.state, use.machine_count) == (state, None)
    assert [part.used for part in use.parts] == [None, None]


def test_custom_machines_keep_their_premium() -> None:
    facts = committed(commitment(8, 16), machines=[machine("a", "n2-custom-8-16384")])
    today = model.total_usd(facts.machines.cost_today(instance(facts), model.Usage.SUSTAINED_USE))
    # SKUs A243-259E-C94D and 412E-1524-F841: 5 % of the 3-year rate, billed beside the fee.
    premium = HOURS * (8 * Decimal("0.00071125") + 16 * Decimal("0.00009535"))
    assert today + usd(asked(facts, None)) == premium


GPU = replace(machine("a", "n1-standard-8"), gpu_count=1)
SOLE_TENANT = replace(machine("a"), is_sole_tenant=True)
BOTH = commitment(16, 64)


@listed(
    "one, vm, why",
    [
        (commitment(16, 64, "NEW_KIND"), machine("a"), "which VMs"),
        (commitment(16, 64, None), machine("a"), "which VMs"),
        (commitment(8, 32, "GENERAL_PURPOSE_N2_X"), machine("a"), "which types of n2"),
        (commitment(None, None), machine("a"), "its resources are not stated"),
        (BOTH, SOLE_TENANT, "sole-tenant"),
        (commitment(8, 30, "GENERAL_PURPOSE", others=("ACCELERATOR",)), GPU, "GPUs"),
        (BOTH, machine("a", "n2-custom-2-65536-ext"), "extended"),
    ],
)
def test_what_cannot_be_known_is_said(one: model.Commitment, vm: model.Instance, why: str) -> None:
    change = asked(committed(one, machines=[vm]), "c3-standard-8")
    assert why in change.unknown
    assert change.items == ()


def test_a_list_that_was_not_read_leaves_it_open() -> None:
    facts = committed()
    error = "compute.regionCommitments.aggregatedList: 403 needs compute.commitments.list"
    project = model.ProjectCoverage(project=model.ProjectId("p"), errors=(error,))
    facts = replace(facts, inventory=replace(facts.inventory, projects=(project,)))
    assert "could not be read" in asked(facts, "n2d-standard-8").unknown
    assert asked(facts, "n2-standard-8") == model.CoverChange(), "it stays what it is"


def test_sharing_between_projects() -> None:
    elsewhere = commitment(16, 64, project="q")
    facts = committed(elsewhere)
    change = {scope: asked(facts, None, scope=scope) for scope in model.CommitmentScope}
    assert "--commitment-scope" in change[model.CommitmentScope.UNKNOWN].unknown
    assert usd(change[model.CommitmentScope.PROJECT]) == 0
    assert usd(change[model.CommitmentScope.PROJECTS_READ]) == -ONE_N2_STANDARD_8
    assert "other projects" in change[model.CommitmentScope.BILLING_ACCOUNT].unknown
    # It does not matter where both ways agree.
    facts = committed(commitment(16, 64), commitment(4, 16, "GENERAL_PURPOSE_E2", project="q"))
    assert usd(asked(facts, "n2d-standard-8")) == -ONE_N2_STANDARD_8


def figures(use: model.CommitmentUse) -> list[tuple[float | None, ...]]:
    """Return what is committed, used, stranded and needed, of each resource."""
    numbers = [(p.committed, p.used, p.stranded, p.demand) for p in use.parts]
    return [tuple(None if n is None else float(n) for n in row) for row in numbers]


def test_the_table_says_what_is_used_and_stranded() -> None:
    first = commitment(12, 16, name="first", ends="2027-01-01")
    second = commitment(12, 64, name="second", plan="TWELVE_MONTH", is_renewed=True)
    facts = committed(second, first, commitment(None, None, None, "os", category="LICENSE"))
    uses = commitment_uses(facts.inventory, facts.prices, TODAY, model.CommitmentScope.UNKNOWN)
    by_name = {use.name: use for use in uses}
    assert figures(by_name["first"]) == [(12, 12, 0, 16), (16, 16, 0, 64)]
    assert figures(by_name["second"]) == [(12, 4, 8, 16), (64, 48, 16, 64)]
    memory = by_name["first"].parts[1]
    assert memory.usd_per_month == HOURS * 16 * N2_GIB_3Y
    vcpu = by_name["second"].parts[0]
    # 1 year: SKU 672D-3FDD-7138.
    assert vcpu.stranded_usd_per_month == HOURS * 8 * Decimal("0.019915")
    assert vcpu.line_item is not None
    assert vcpu.line_item.sku_id == "672D-3FDD-7138"
    assert by_name["second"].is_renewed
    assert (by_name["os"].series, by_name["os"].parts) == ((), ())
    assert by_name["first"].machine_count == 2


def test_an_answer_that_leaves_commitments_out_says_what_of_today_they_cover() -> None:
    half, unclear = committed(commitment(12, 48)), committed(commitment(8, 32, "NEW_KIND"))
    said = [
        shown(cover_today(facts.machines.ledger(facts.inventory, facts.today), instance(facts)))
        for facts in (half, unclear, committed())
    ]
    assert said[0].startswith("$113.43 of it is covered")
    assert "which VMs" in said[1]
    assert said[2] == ""


TYPES = ("n2-standard-2", "n2-standard-8", "n2-highmem-4", "e2-standard-4", "n2d-standard-8")
RATES = {"n2": (N2_VCPU * 8 / 10, N2_GIB * 8 / 10)}
SHAPES = {"n2-standard-2": (2, 8), "n2-standard-8": (8, 32), "n2-highmem-4": (4, 32)}


def uncovered_usd(types: Sequence[str | None], vcpus: int, memory_gib: int) -> Decimal:
    """Return what N2 machines cost beside a commitment: the most naive way to work it out."""
    need: dict[int, int] = defaultdict(int)
    for machine_type in types:
        for place, amount in enumerate(SHAPES.get(machine_type or "", (0, 0))):
            need[place] += amount
    vcpu_rate, gib_rate = RATES["n2"]
    return HOURS * (max(need[0] - vcpus, 0) * vcpu_rate + max(need[1] - memory_gib, 0) * gib_rate)


@given(
    before=st.lists(st.sampled_from(TYPES), min_size=1, max_size=6),
    after=st.lists(st.sampled_from((*TYPES, None)), min_size=6, max_size=6),
    vcpus=st.integers(0, 40),
    memory_gib=st.integers(0, 160),
)
def test_all_changes_together_move_the_bill_as_it_is(
    before: list[str], after: list[str | None], vcpus: int, memory_gib: int
) -> None:
    machines = [machine(f"m{n}", kind) for n, kind in enumerate(before)]
    facts = committed(commitment(vcpus, memory_gib), machines=machines)
    if not vcpus and not memory_gib:
        facts = committed(machines=machines)
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    moved = Decimal(0)
    for one, new in zip(facts.inventory.instances, after, strict=False):
        change = model.MachineChange(instance=one, machine_type=new)
        moved += usd(ledger.change(change))
        for kind, sign in ((one.machine_type, 1), (new, -1)):
            if kind in SHAPES:
                vcpu, gib = SHAPES[kind]
                moved += sign * HOURS * (vcpu * RATES["n2"][0] + gib * RATES["n2"][1])
        ledger.take(change)
    wanted = uncovered_usd(before, vcpus, memory_gib)
    wanted -= uncovered_usd(after[: len(before)], vcpus, memory_gib)
    assert moved == wanted


@pytest.mark.parametrize("new", [*TYPES, None])
def test_without_commitments_nothing_is_added(new: str | None) -> None:
    facts = committed(machines=[machine("a"), machine("b", "n2-custom-8-16384")])
    for scope in model.CommitmentScope:
        if scope is not model.CommitmentScope.BILLING_ACCOUNT:
            assert asked(facts, new, scope=scope) == model.CoverChange()
