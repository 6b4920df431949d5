"""A machine has one price, whichever verb names it: audit, recommend, fleet or what-if."""

from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.month import tables_of
from netplan_planner.optimise.vm_today import baseline_of
from netplan_planner.planning.fleet.candidates import Choices
from netplan_planner.planning.fleet.market import Market
from netplan_planner.planning.fleet.need import CommitmentChoice
from netplan_planner.planning.fleet.plan import Planned, plan_fleet
from netplan_planner.verbs.fleet.inventory import needs_of
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.run import answer
from netplan_planner.world.request import InputRequest
from netplan_rules.shared.seen_needs import HEADROOM_RATIO
from support.known import known
from support.rules.facts import facts_of, machine

T4 = {"machine_type": "n1-standard-8", "gpu_count": 2, "gpu_type": "nvidia-tesla-t4"}
KINDS: dict[str, dict[str, object]] = {
    "plain": {},
    "Local SSDs": {"local_ssd_count": 4},
    "GPUs": T4,
    "Spot": {"is_spot": True},
    "Tier_1": {"machine_type": "n2-standard-32", "bandwidth_tier": model.BandwidthTier.TIER_1},
    "custom": {"machine_type": "n2-custom-8-16384"},
    "shared core": {"machine_type": "e2-medium"},
    "suspended": {"status": "SUSPENDED"},
}
ZONES = ("us-central1-a", "europe-west1-b", "asia-east1-a")
DUST = Decimal("1e-6")


@given(st.sampled_from(sorted(KINDS)), st.sampled_from(ZONES), st.integers(1, 8))
def test_every_verb_names_one_price(kind: str, zone: str, tenths: int) -> None:
    ant = replace(machine("ant", "n2-standard-8", zone=zone), **KINDS[kind])
    bee = machine("bee", "n1-standard-2", zone=zone)
    talk = ("ant", "bee", model.PathClass.SAME_ZONE_INTERNAL, tenths / 10)
    facts = facts_of(ant, bee, talk=(talk,))
    usd, other = (known(row.machine_usd_per_month) for row in tables_of(facts).machines)
    # `recommend --vm`.
    usage = model.usage_of(ant)
    need = model.MachineNeed(region=ant.region, gbps=tenths / 10, usage=usage)
    shape = known(facts.shape(ant.machine_type))
    today, _ = baseline_of(ant, shape, need, facts.prices, facts.caps)
    assert known(today).usd_per_month == usd
    # `fleet`: what is suspended is in no plan.
    needs, _ = needs_of(
        facts, architecture=None, any_architecture=False, headroom_ratio=HEADROOM_RATIO
    )
    market = Market(facts.prices, CommitmentChoice.NONE, (1,), (), is_shared=False)
    plan = plan_fleet(needs, facts.prices, facts.caps, Choices(), market)
    assert isinstance(plan, Planned)
    paid = other if ant.is_suspended else usd + other
    assert abs(known(plan.baseline).usd_per_month - paid) < DUST
    # `whatif`: of a machine that only sends more.
    more = WhatifChange(vms="ant", field=WhatifField.GROWTH, to="1.5", source="--growth")
    found = answer(InputRequest(today=date(2026, 11, 20)), facts, [more])
    assert found.before.money.machines_usd == found.after.money.machines_usd == usd + other
