"""What another machine costs against today's, and how one gets it."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.renderers.figures import shown
from netplan_planner.throughput import load_caps
from netplan_rules.capacity._resize import resize_fix
from netplan_rules.capacity.egress_cap_saturated import check
from netplan_rules.money import machine_saving
from support.rules.facts import facts_of, machine

INTERNAL = model.PathClass.SAME_ZONE_INTERNAL
HOURS = 730


def hourly(
    facts: model.Facts, machine_type: str, usage: model.Usage = model.Usage.ON_DEMAND
) -> Decimal:
    return facts.prices.machine("us-central1", machine_type, usage).usd


def candidate(facts: model.Facts, machine_type: str, usage: model.Usage) -> model.Candidate:
    need = model.MachineNeed(gbps=1, region="us-central1", usage=usage, max_count=1)
    plan = facts.machines.choose(need)
    assert isinstance(plan, model.MachinePlan)
    return next(c for c in plan.ranked if c.machine_type == machine_type and not c.is_tier1)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("n1-standard-16", "n2d-standard-16", ("0.7", "0.8")),
        ("n1-standard-16", "e2-standard-16", ("0.7", "1")),
        ("e2-standard-4", "n2d-standard-4", ("1", "0.8")),
    ],
)
def test_both_sides_have_the_discount_that_they_get(
    old: str, new: str, kept: tuple[str, str]
) -> None:
    facts = facts_of(machine("a", old))
    saving = machine_saving(
        facts, facts.inventory.instances[0], candidate(facts, new, model.Usage.SUSTAINED_USE)
    )
    before, after = (Decimal(ratio) for ratio in kept)
    wanted = HOURS * (hourly(facts, old) * before - hourly(facts, new) * after)
    # The price list rounds the discounted hour to the micro-dollar.
    assert saving.usd_per_month == pytest.approx(wanted, abs=Decimal("0.002"))
    words = ["sustained use" if ratio != "1" else "on demand" for ratio in kept]
    assert [item.name for item in saving.items] == [
        f"{old}, {words[0]}, us-central1",
        f"{new}, {words[1]}, us-central1",
    ]


def test_spot_machines_are_compared_at_spot_prices() -> None:
    facts = facts_of(replace(machine("a", "n1-standard-16"), is_spot=True))
    (spot,) = facts.inventory.instances
    new = candidate(facts, "n2d-standard-16", model.Usage.SPOT)
    wanted = hourly(facts, "n1-standard-16", model.Usage.SPOT)
    wanted -= hourly(facts, "n2d-standard-16", model.Usage.SPOT)
    assert machine_saving(facts, spot, new).usd_per_month == HOURS * wanted


def test_a_newer_platform_of_the_same_type_costs_nothing_and_needs_no_new_type() -> None:
    old = replace(machine("a", "n1-standard-16"), cpu_platform="Intel Haswell")
    facts = facts_of(old, machine("b"), talk=(("a", "b", INTERNAL, 15.5),))
    (hit,) = check(facts)
    assert isinstance(hit, model.Hit)
    assert hit.throughput_now is not None
    assert hit.throughput_fixed is not None
    assert (hit.throughput_now.gbps, hit.throughput_fixed.gbps) == (16, 32)
    assert sum(item.usd_per_month for item in hit.saving.items) == 0
    assert hit.fix is not None
    text = "\n".join(hit.fix.commands)
    assert "set-machine-type" not in text
    assert "'--min-cpu-platform=Intel Skylake'" in text


@pytest.mark.parametrize(
    ("old", "caution"),
    [
        (machine("a"), "Stops the VM"),
        (replace(machine("a"), bandwidth_tier=model.BandwidthTier.TIER_1), "stays until"),
        (replace(machine("a"), local_ssd_count=1), "Local SSD or GPUs"),
        (replace(machine("a"), gpu_count=1), "Local SSD or GPUs"),
    ],
)
def test_commands_only_where_they_suffice(old: model.Instance, caution: str) -> None:
    new = candidate(facts_of(old), "n2d-standard-8", model.Usage.ON_DEMAND)
    fix = resize_fix(facts_of(old), old, new, "")
    assert caution in shown(fix.caution)
    assert bool(fix.commands) == (caution == "Stops the VM")


def test_caps_for_the_outside_are_whole_numbers() -> None:
    """What a machine sends there is rounded up to one: that asks for the same types."""
    caps = facts_of(machine("a")).caps
    for machine_type in load_caps(caps.as_of).machine_types:
        for cap in caps.variants(machine_type):
            assert cap.external_gbps is None or cap.external_gbps.is_integer()


def test_a_stopped_machine_gets_no_stop_or_start_and_has_no_saving() -> None:
    stopped = replace(machine("a", "n1-standard-16"), status="TERMINATED")
    facts = facts_of(stopped)
    proposed = candidate(facts, "n2d-standard-16", model.Usage.ON_DEMAND)
    fix = resize_fix(facts, stopped, proposed, "")
    assert [command.split()[3] for command in fix.commands] == ["set-machine-type"]
    assert fix.undo is not None
    assert [command.split()[3] for command in fix.undo.commands] == ["set-machine-type"]
    saving = machine_saving(facts, stopped, proposed)
    assert saving.items == ()
    assert "stopped" in saving.unknown
