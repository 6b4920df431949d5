"""Flexible commitments of a billing export: audit and fleet count them alike."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_planner.planning.fleet.need import CommitmentChoice
from netplan_planner.renderers.figures import shown
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.run import run_audit
from netplan_planner.verbs.fleet.answer import FleetAnswer
from netplan_planner.verbs.fleet.ask import FleetChoices
from netplan_planner.verbs.fleet.run import fleet_of
from netplan_planner.world.request import InputRequest
from support.known import known
from support.prices.billing_export import write_parquet
from support.prices.flexible_bills import RATIO, newer
from support.projects.compute_json import machine

MONTH_H = 730
E2_8_USD = 8 * 0.02181159 + 32 * 0.00292353
"""An hour of e2-standard-8 in us-central1, list prices of 2026-04-30."""
ALL_USD = 3 * E2_8_USD
CENT = 0.01


def request(folder: Path, covers_usd: float, used_usd: float) -> InputRequest:
    """Return three machines with an export of one commitment, of which not all is used."""
    inventory, traffic = folder / "instances.json", folder / "traffic.csv"
    inventory.write_text(
        json.dumps(
            [machine(f"vm-{at}", "e2-standard-8", address=f"10.0.0.{at}") for at in (2, 3, 4)]
        )
    )
    traffic.write_text("src,dst,gbps\n10.0.0.2,10.0.0.3,0.001\n10.0.0.3,10.0.0.4,0.001\n")
    bill = write_parquet(folder / "export", newer((used_usd,) * 3, covers_usd * RATIO))
    return InputRequest(
        today=date(2026, 11, 2),
        inventory=(inventory,),
        traffic=(traffic,),
        billing_exports=(bill,),
    )


def planned(read: InputRequest, choice: CommitmentChoice) -> FleetAnswer:
    choices = FleetChoices(commitments=choice, years=(1,), series=("e2",))
    return fleet_of(choices, read)


def near(usd: Decimal | None, wanted: float) -> bool:
    return abs(float(known(usd)) - wanted) < CENT


@pytest.mark.parametrize("used_usd", [0.4, 0.3])
def test_what_is_there_covers_first_and_new_ones_what_is_left(
    tmp_path: Path, used_usd: float
) -> None:
    read = request(tmp_path, 0.4, used_usd)
    kept, more = (planned(read, one) for one in (CommitmentChoice.NONE, CommitmentChoice.FLEXIBLE))
    today = MONTH_H * (ALL_USD - 0.4 + 0.4 * RATIO)
    assert near(kept.baseline_usd_per_month, today)
    assert near(kept.usd_per_month, today)
    assert not kept.commitments
    (new,) = more.commitments
    assert near(new.covers_usd_per_hour, ALL_USD - 0.4)
    assert near(more.baseline_usd_per_month, today)
    assert near(more.usd_per_month, MONTH_H * ALL_USD * RATIO)
    assert known(more.bound_usd_per_month) <= known(more.usd_per_month)
    assert near(
        sum((one.usd_per_month for one in more.line_items), Decimal(0)), MONTH_H * ALL_USD * RATIO
    )


def test_nothing_is_bought_for_what_is_covered_and_others_pay_what_they_use(
    tmp_path: Path,
) -> None:
    read = request(tmp_path, 5.0, 5.0)
    for choice in (CommitmentChoice.FLEXIBLE, CommitmentChoice.ALL):
        found = planned(read, choice)
        assert not found.commitments
        assert near(found.usd_per_month, MONTH_H * ALL_USD * RATIO)


def test_the_audits_bill_counts_them_as_the_fleets_baseline_does(tmp_path: Path) -> None:
    read = request(tmp_path, 0.4, 0.3)
    report: Report = run_audit(read)
    fleet = planned(read, CommitmentChoice.NONE)
    bill = report.bill
    assert near(bill.commitments_usd, -MONTH_H * 0.4 * (1 - RATIO))
    paid = bill.machines_usd + known(bill.commitments_usd)
    assert near(fleet.baseline_usd_per_month, float(paid))
    assert near(known(report.commitment_lever).paid_usd_per_month, float(paid))
    assert "other projects" in bill.commitments_unknown
    assert not bill.is_whole


@pytest.mark.parametrize("machine_type", ["e2-standard-8", ""])
def test_a_table_of_needs_counts_them_as_an_inventory_does(
    tmp_path: Path, machine_type: str
) -> None:
    table = tmp_path / "needs.csv"
    table.write_text(
        "name,zone,count,gbps,vcpus,memory_gib,machine_type\n"
        f"vm,us-central1-a,3,0.001,8,32,{machine_type}\n"
    )
    bill = write_parquet(tmp_path / "export", newer((0.3,) * 3, 0.4 * RATIO))
    read = InputRequest(today=date(2026, 11, 2), billing_exports=(bill,))
    today = MONTH_H * (ALL_USD - 0.4 + 0.4 * RATIO)
    for choice in (CommitmentChoice.NONE, CommitmentChoice.FLEXIBLE):
        choices = FleetChoices(commitments=choice, years=(1,), series=("e2",))
        found = fleet_of(choices, read, table)
        assert near(found.baseline_usd_per_month, today)
        assert any("assumed to cover these VMs first" in shown(note) for note in found.notes)
        assert ("without new commitments" in shown(found.baseline_note)) is (not machine_type)
    (new,) = found.commitments
    assert near(new.covers_usd_per_hour, ALL_USD - 0.4)
    assert near(found.usd_per_month, MONTH_H * ALL_USD * RATIO)
