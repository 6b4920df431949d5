"""The network tier of an address that a plan gives: that of its moment, in price and command."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fixes import Answer
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.tiers import next_tier
from netplan_rules.gateway.nat_vs_address_breakeven import check as addresses
from netplan_rules.price.premium_vs_standard_tier import check as tiers
from support.rules.facts import holding
from support.rules.fixtures import facts_of
from support.rules.judged import judged

AREA = {"continent": "Europe", "country": "deu"}


def sends(name: str, gbps: float) -> list[dict[str, Any]]:
    there = {"gbps": gbps, "area": AREA}
    return [{"src": name, "dst": "185.1.2.3", **there}, {"src": "185.1.2.3", "dst": name, **there}]


@pytest.fixture(name="facts")
def given(tmp_path: Path) -> model.Facts:
    """Two machines with addresses that send in bulk, one behind Cloud NAT that does too."""
    own = {"zone": "us-central1-a", "type": "n2-standard-8"}
    case = {
        "machines": [
            {"name": "ant", **own, "internal": "10.0.0.2", "external": "34.1.1.1"},
            {"name": "bee", **own, "internal": "10.0.0.3", "external": "34.1.1.2"},
            {"name": "cow", **own, "internal": "10.0.0.4"},
        ],
        "nats": [{"name": "out", "region": "us-central1"}],
        "traffic": {
            "minutes": 60,
            "flows": [*sends("ant", 0.05), *sends("bee", 0.05), *sends("cow", 0.03)],
        },
    }
    return facts_of(case, tmp_path)


def commands(found: Answer) -> list[str]:
    changes = (one for fix in found.do_first for one in fix.changes)
    return [command for one in changes if one.fix for command in one.fix.commands]


def of(name: str, found: Answer) -> list[str]:
    return [one for one in commands(found) if f" {name} " in one]


def test_an_address_has_the_tier_that_the_plan_has_chosen_before(facts: model.Facts) -> None:
    found = judged(facts, addresses, tiers)
    assert [fix.rule for fix in found.do_first] == [tiers.rule.id, addresses.rule.id]
    assert [one.rpartition(" --")[2] for one in of("cow", found)] == ["network-tier=STANDARD"]
    (given,) = found.do_first[-1].changes
    assert given.tiers == ("STANDARD",)
    assert given.fix is not None
    assert given.fix.text.endswith(" The addresses belong to Standard Tier.")
    ledger = Ledger(facts)
    for fix in found.do_first:
        for one in fix.changes:
            assert one.change is not None
            usd = ledger.value(one.change).usd
            assert usd is not None
            assert abs(usd - (one.saving_usd_per_month or Decimal(0))) < Decimal("0.01")
            ledger.make(one.change)
    (cow,) = (m for m in facts.inventory.instances if m.name == "cow")
    now = ledger.state.machine(cow.ref.self_link)
    assert now is not None
    assert [nic.network_tier for nic in now.interfaces] == ["STANDARD"]


def test_without_such_a_fix_it_is_premium_and_says_so(facts: model.Facts) -> None:
    found = judged(facts, addresses)
    assert [one.rpartition(" --")[2] for one in of("cow", found)] == ["network-tier=PREMIUM"]
    without, beside = (
        next(f for f in one.do_first if f.rule == addresses.rule.id)
        for one in (found, judged(facts, addresses, tiers))
    )
    assert (without.saving_usd_per_month or 0) < (beside.saving_usd_per_month or 0)


def test_a_machine_that_waits_for_nobody_keeps_premium(facts: model.Facts) -> None:
    label = ((model.LATENCY_LABEL, model.LATENCY_CRITICAL),)
    instances = tuple(
        replace(one, labels=label) if one.name == "cow" else one
        for one in facts.inventory.instances
    )
    facts = replace(facts, inventory=replace(facts.inventory, instances=instances))
    found = judged(facts, addresses, tiers)
    assert [one.rpartition(" --")[2] for one in of("cow", found)] == ["network-tier=PREMIUM"]


def test_machines_of_one_template_get_one_tier(facts: model.Facts) -> None:
    """Of two members of a group the name of one is that of a machine in another region, too."""
    (cow,) = (one for one in facts.inventory.instances if one.name == "cow")
    group = model.SelfLink("projects/p/zones/us-central1-a/instanceGroupManagers/cow")

    def like(name: str, zone: str, made: model.SelfLink | None) -> model.Instance:
        link = f"projects/p/zones/{zone}/instances/{name}"
        ref = model.ResourceRef(self_link=model.SelfLink(link))
        return replace(cow, ref=ref, name=name, zone=model.Zone(zone), created_by=made)

    here = [like(f"cow-{end}", "us-central1-a", group) for end in ("aaaa", "x1yz")]
    there = like("cow-x7ab", "us-east1-b", None)
    others = holding(facts, instances=(*here, there))
    assert [next_tier(others, one, "STANDARD") for one in here] == ["PREMIUM", "PREMIUM"]
    alone = holding(facts, instances=tuple(here))
    assert [next_tier(alone, one, "STANDARD") for one in here] == ["STANDARD", "STANDARD"]


def test_the_tier_is_changed_by_commands_which_take_the_old_address_off(facts: model.Facts) -> None:
    (fix,) = judged(facts, tiers).do_first
    (change,) = fix.changes
    assert change.fix is not None
    assert change.fix.undo is not None
    for step, tier in ((change.fix.commands, "STANDARD"), (change.fix.undo.commands, "PREMIUM")):
        verbs = [one.split()[3:5] for one in step]
        each = [[verb, name] for name in ("ant", "bee") for verb in ("delete-access-config",)]
        assert verbs[::2] == each
        assert verbs[1::2] == [["add-access-config", "ant"], ["add-access-config", "bee"]]
        assert all(one.endswith(f"--network-tier={tier}") for one in step[1::2])
