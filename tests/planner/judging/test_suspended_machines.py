"""What a suspended machine costs: its memory by the hour, and nothing of what ran in it."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.judging.month import Committed, machine_rows, month_bill, tables_of
from netplan_planner.ledger import Ledger
from netplan_planner.planning.steps.machine_changes import change_type
from netplan_planner.verbs.audit.tables import region_rows
from netplan_planner.world.not_read import stopped_machines
from netplan_rules.money import machine_saving
from netplan_rules.wording import stop_commands, type_commands
from support.rules.facts import facts_of, machine

GIB_HOUR_USD = Decimal("0.000232876")
"""SKU 0292-2DAA-87AE, VM state: suspended RAM in Americas, 2026-04-30."""
N2_STANDARD_8_USD = Decimal("5.43998336")
"""32 GiB x 730 hours of it."""


def suspended(
    name: str = "a", machine_type: str = "n2-standard-8", **more: object
) -> model.Instance:
    zone = str(more.pop("zone", "us-central1-a"))
    return replace(machine(name, machine_type, zone), status="SUSPENDED", **more)


def month_usd(instance: model.Instance) -> Decimal:
    return model.total_usd(facts_of().machines.cost_today(instance, model.Usage.SUSTAINED_USE))


def test_its_memory_is_paid_by_the_hour_at_one_rate_whatever_runs_in_it() -> None:
    (line,) = facts_of().machines.cost_today(suspended(), model.Usage.SUSTAINED_USE)
    assert (line.quantity, line.unit) == (Decimal(32 * 730), "gib-hour")
    assert (line.unit_price_usd, line.sku_id) == (GIB_HOUR_USD, "0292-2DAA-87AE")
    assert line.usd_per_month == N2_STANDARD_8_USD
    assert line.name == "memory of n2-standard-8, suspended, us-central1"
    # No sustained use, no commitment and no Spot price counts; the series does not either.
    assert month_usd(suspended(is_spot=True)) == N2_STANDARD_8_USD
    assert month_usd(suspended(machine_type="n1-custom-8-32768")) == N2_STANDARD_8_USD
    assert month_usd(suspended(local_ssd_count=2)) == N2_STANDARD_8_USD
    # Dammam is the dearest region: 32 x 730 x 0.000372602.
    assert month_usd(suspended(zone="me-central2-a")) == Decimal("8.70398272")


@pytest.mark.parametrize(
    ("instance", "why"),
    [
        (suspended(zone="us-east5-a"), "the price of its memory in us-east5 is unknown"),
        (suspended(machine_type="q9-standard-8"), "the memory of q9-standard-8 is unknown"),
        (
            suspended(is_sole_tenant=True),
            "the price of suspended VMs on sole-tenant nodes is unknown",
        ),
        (suspended(local_ssd_count=1, has_preserved_ssd=True), "Local SSD data"),
        (
            replace(machine("a"), status="TERMINATED", has_preserved_ssd=True),
            "the price of preserved Local SSD data of a stopped VM is unknown",
        ),
    ],
)
def test_what_is_not_known_of_it_is_never_nothing(instance: model.Instance, why: str) -> None:
    with pytest.raises(MissingDatum, match=why):
        facts_of().machines.cost_today(instance, model.Usage.ON_DEMAND)
    (row,) = machine_rows(facts_of(instance))
    assert row.machine_usd_per_month is None
    assert why in row.price_unknown


def test_the_bill_of_a_month_has_its_memory_and_its_reserved_address() -> None:
    network = model.SelfLink("projects/p/global/networks/default")
    nic = model.NetworkInterface(name="nic0", network=network, external_ipv4="34.1.2.3")
    facts = facts_of(suspended(interfaces=(nic,)), machine("b"))
    asleep, running = machine_rows(facts)
    assert (asleep.is_suspended, asleep.is_stopped, asleep.is_off) == (True, False, True)
    assert not running.is_off
    address = facts.prices.external_address(model.AddressUse.UNUSED_STATIC, "us-central1").usd * 730
    assert (asleep.machine_usd_per_month, asleep.address_usd_per_month) == (
        N2_STANDARD_8_USD,
        address,
    )
    found = month_bill(tables_of(facts), Committed(Decimal(0)))
    assert running.machine_usd_per_month is not None
    assert found.machines_usd == running.machine_usd_per_month + N2_STANDARD_8_USD
    assert (found.addresses_usd, found.unpriced_machine_count) == (address, 0)
    (region,) = region_rows((asleep, running))
    assert (region.machine_count, region.running_count) == (2, 1)
    assert region.egress_gbps == running.egress_gbps


def test_a_plan_of_what_runs_leaves_it_out_with_a_word() -> None:
    inventory = facts_of(suspended(), replace(machine("b"), status="TERMINATED")).inventory
    assert stopped_machines(inventory) == ("2 stopped or suspended VMs are skipped: a, b",)


def change_to(to: str, kind: model.ChangeKind = model.ChangeKind.MACHINE_TYPE) -> model.Change:
    return model.Change(kind=kind, target=machine("a").ref.self_link, to=to)


@pytest.mark.parametrize(
    ("kind", "to"),
    [(model.ChangeKind.MACHINE_TYPE, "e2-standard-8"), (model.ChangeKind.NO_TIER_1, "")],
)
def test_another_type_of_it_has_no_worth_that_is_known(kind: model.ChangeKind, to: str) -> None:
    def unknown(instance: model.Instance) -> str:
        return str(Ledger(facts_of(instance)).value(change_to(to, kind)).saving.unknown)

    assert unknown(suspended()) == "a is suspended: you pay only for its memory"
    stopped = replace(machine("a"), status="TERMINATED")
    assert unknown(stopped) == "a is stopped and costs nothing now"


def test_another_type_of_it_brings_nothing_and_a_move_its_rate() -> None:
    facts: model.Facts = facts_of(suspended())
    found = Ledger(facts).value(change_to("me-central2-a", model.ChangeKind.ZONE)).saving
    assert not found.unknown
    assert found.usd_per_month == N2_STANDARD_8_USD - Decimal("8.70398272")
    # A rule saves nothing by another type of it.
    facts = facts_of(machine("a"))
    wanted = model.MachineNeed(gbps=1.0, region=model.Region("us-central1"), vcpus=8)
    plan = facts.machines.choose(wanted)
    assert isinstance(plan, model.MachinePlan)
    saving = machine_saving(facts, suspended(), plan.ranked[0])
    assert saving.unknown == "it is suspended: you pay only for its memory until it runs"
    stopped = replace(machine("a"), status="TERMINATED")
    said = machine_saving(facts, stopped, plan.ranked[0]).unknown
    assert said == "it is stopped: both types are free until it runs"


def test_it_is_resumed_before_it_is_stopped_for_a_change() -> None:
    at = "--zone=us-central1-a --project=p"
    stop = (f"gcloud compute instances resume a {at}", f"gcloud compute instances stop a {at}")
    assert stop_commands(suspended()) == stop
    assert stop_commands(machine("a")) == stop[1:]
    changed = f"gcloud compute instances set-machine-type a {at} --machine-type=e2-standard-8"
    assert type_commands(suspended(), "e2-standard-8") == (*stop, changed)
    step = change_type(suspended(), "e2-standard-8")
    assert "Resumes and stops the VM for the change" in str(step.fix.caution)
    assert step.fix.undo is not None
    assert step.fix.undo.text == "Change it back to n2-standard-8 while it is stopped."
