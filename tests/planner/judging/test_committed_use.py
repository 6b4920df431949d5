"""Types that are taken for commitments: what the whole plan leaves of them counts."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fixes import Answer, answer
from netplan_planner.ledger import Ledger
from netplan_rules.capacity.cheaper_series import check as cheaper
from netplan_rules.capacity.egress_cap_saturated import check as saturated
from support.prices.commitments import commitment
from support.rules.facts import facts_of, holding, machine
from support.rules.judged import hits_of

OTHERS = ("ant", "bee", "cow", "dog", "elk", "fox")
ZONE = "us-central1-a"


def project(vcpus: int) -> model.Facts:
    """Return six machines that an unused commitment would serve, and one that is held back."""
    machines = [machine(name, "e2-standard-8", ZONE) for name in OTHERS]
    facts = facts_of(
        machine("busy", "e2-standard-16", ZONE),
        *machines,
        talk=(
            ("busy", "ant", model.PathClass.SAME_ZONE_INTERNAL, 16.0),
            *((name, "busy", model.PathClass.SAME_ZONE_INTERNAL, 4.0) for name in OTHERS),
        ),
    )
    return holding(facts, commitments=(commitment(vcpus, 4 * vcpus),))


def planned(facts: model.Facts) -> Answer:
    """Return the plan, in which what only saves comes before what is held back, and unsure."""
    busy = (replace(hit, at_most=model.Confidence.LOW) for hit in hits_of(saturated, facts))
    return answer(facts, [(cheaper.rule, hits_of(cheaper, facts)), (saturated.rule, tuple(busy))])


def changes(found: Answer) -> list[model.Change]:
    return [one.change for fix in found.do_first for one in fix.changes if one.change]


def after(facts: model.Facts, made: list[model.Change]) -> model.Facts:
    types = {link: change.to or "" for change in made for link in change.targets}
    instances = tuple(
        replace(one, machine_type=types.get(one.ref.self_link, one.machine_type))
        for one in facts.inventory.instances
    )
    return holding(facts, instances=instances)


@pytest.mark.parametrize("vcpus", [48, 64])
def test_a_plan_that_is_carried_out_takes_no_type_back(vcpus: int) -> None:
    facts = project(vcpus)
    found = planned(facts)
    made = changes(found)
    again = changes(planned(after(facts, made)))
    assert not {one.target for one in made} & {one.target for one in again}
    names = [model.last_part(one.target) for one in made]
    assert "busy" in names
    # The machine that is held back takes 16 vCPUs of it, those that only save the rest.
    assert len(names) == 1 + (vcpus - 16) // 8
    saving = next(one for one in found.findings if one.rule == cheaper.rule.id)
    said = "At 2 of 6 places other fixes use the commitments that it needs"
    assert (said in saving.overlap) == (vcpus == 48)


def test_the_sum_is_what_the_account_says_of_the_whole_plan() -> None:
    facts = project(48)
    found = planned(facts)
    said = sum((fix.saving_usd_per_month or Decimal(0) for fix in found.do_first), Decimal(0))
    assert abs(Ledger(facts).value(*changes(found)).saving.usd_per_month - said) < Decimal("0.01")
    # To leave the commitment to the machine that needs the type costs less than to take it away.
    both = [*changes(found), *spoiling(facts, found)]
    assert Ledger(facts).value(*both).saving.usd_per_month < said


def spoiling(facts: model.Facts, found: Answer) -> list[model.Change]:
    """Return the changes of type for money alone that the plan leaves out."""
    made = set(changes(found))
    return [c for one in found.findings for c in one.changes if c not in made]
