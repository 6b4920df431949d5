"""What ranks and sums is sure; what may save nothing stands behind it, and is in no sum."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fixes import Answer, answer
from netplan_planner.ledger import Ledger
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.renderers.document import plain
from netplan_planner.renderers.figures import shown
from netplan_planner.verbs.audit.answer import script_steps, total
from netplan_planner.verbs.audit.first import left
from netplan_rules.address.external_ip_intra_zone import check as addresses
from netplan_rules.placement.chatty_inter_zone_pair import check as moves
from netplan_rules.price.spot_candidate import check as spot
from support.rules.facts import facts_of, machine
from support.rules.judged import hits_of

CENT = Decimal("0.01")


def project(*, is_steady: bool = True) -> model.Facts:
    """Return a worker that may be a Spot machine, a chatty pair, and a pair by addresses."""
    facts = facts_of(
        machine("ant", labels=((model.ROLE_LABEL, "worker"),)),
        machine("bee", zone="us-central1-b"),
        machine("cow", zone="us-central1-c", labels=((model.PIN_LABEL, "yes"),)),
        machine("dog", zone="us-central1-c"),
        talk=(
            ("bee", "cow", model.PathClass.INTER_ZONE_INTERNAL, 1.0),
            ("cow", "dog", model.PathClass.SAME_ZONE_EXTERNAL, 0.02),
        ),
    )
    assert facts.traffic is not None
    return replace(facts, traffic=replace(facts.traffic, is_steady=is_steady))


def planned(facts: model.Facts, *low: str) -> Answer:
    """Return the plan in which the findings of some rules are of low confidence."""
    found = []
    for check in (spot, moves, addresses):
        hits = hits_of(check, facts)
        if check.rule.id in low:
            hits = tuple(replace(hit, at_most=model.Confidence.LOW) for hit in hits)
        found.append((check.rule, hits))
    return answer(facts, found)


RULES = [one.rule.id for one in (spot, moves, addresses)]


@pytest.mark.parametrize("low", [(), *((rule,) for rule in RULES), tuple(RULES[:2]), tuple(RULES)])
def test_what_is_unsure_stands_behind_and_in_no_sum(low: tuple[str, ...]) -> None:
    facts = project()
    found = planned(facts, *low)
    assert sorted(fix.rule for fix in found.do_first) == sorted(RULES)
    assert [fix.is_sure for fix in found.do_first] == sorted(
        (fix.is_sure for fix in found.do_first), reverse=True
    )
    assert {fix.rule for fix in found.do_first if not fix.is_sure} == set(low)
    sure = [fix for fix in found.do_first if fix.is_sure]
    for part in (sure, found.do_first):
        changes = [one.change for fix in part for one in fix.changes if one.change is not None]
        saved = Ledger(facts).value(*changes).saving.usd_per_month if changes else Decimal(0)
        assert abs(saved - total(part)) < CENT


def test_every_form_says_what_may_be_saved_beyond_what_is_sure() -> None:
    found = planned(project(), spot.rule.id)
    usd = total(fix for fix in found.do_first if not fix.is_sure)
    assert plain(left(found.do_first)).endswith(
        f" · low confidence: saving up to ${usd:,.2f}/month"
    )
    assert (
        plain(left(found.do_first[-1:]))
        == f"and 1 more fix, low confidence: saving up to ${usd:,.2f}/month"
    )
    assert "low confidence" not in plain(left(found.do_first[:1]))
    *sure, unsure = script_steps(found.do_first)
    assert all(shown(step.worth).startswith("saves ") for step in sure)
    assert shown(unsure.worth) == (
        f"may save up to ${usd:,.2f}/month; low confidence, not included in totals"
    )


def test_a_month_that_may_have_little_of_it_is_no_sure_saving() -> None:
    """Logs of an hour: a month has that hour's traffic once a day, of which little is saved."""
    facts = project(is_steady=False)
    found = planned(facts)
    sure = {fix.rule: fix.is_sure for fix in found.do_first}
    assert sure == {moves.rule.id: True, spot.rule.id: True, addresses.rule.id: False}
    least = {fix.rule: fix.saving_low_usd_per_month for fix in found.do_first}
    assert all((least[rule] or 0) >= LEAST_SAVING_USD for rule, is_sure in sure.items() if is_sure)
    assert (least[addresses.rule.id] or 0) < LEAST_SAVING_USD
