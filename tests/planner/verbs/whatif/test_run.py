"""`netplan whatif` against audits: of what is there, and of an inventory edited by hand."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.model import Direction
from netplan_planner.units import cents
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.run import run_audit
from netplan_planner.verbs.whatif.answer import FindingState, WhatifAnswer, WhatifField, WhatifSide
from netplan_planner.verbs.whatif.ask import changes_of
from netplan_planner.verbs.whatif.run import whatif_of
from netplan_planner.world.request import InputRequest
from support.commands.in_process import netplan
from support.known import known
from support.whatif.projects import TODAY, edited, moved_in_logs, plain

COMMANDS_BY_ANSWER = {
    "WhatifAnswer": (
        "whatif --demo gecko --vm transcoder-[1-4] --address internal",
        "whatif --demo gecko --growth 2 --by 2099-01-01",
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""
DEMO = InputRequest(today=TODAY, demo="gecko")
TRANSCODERS = tuple(f"transcoder-{number}" for number in range(1, 5))
Values = tuple[tuple[str, str], ...]


def asked(
    read: InputRequest, vms: Sequence[str], *values: tuple[str, str], by: date | None = None
) -> WhatifAnswer:
    said = tuple((WhatifField(field), to, f"--{field}") for field, to in values)
    return whatif_of(read, changes_of(tuple(vms), said, by, read.today))


def sums(report: Report) -> dict[str, Decimal]:
    """Return what a report's own tables add up to, added here."""

    def of(amounts: Any) -> Decimal:
        return cents(sum((one for one in amounts if one is not None), Decimal(0)))

    return {
        "machines": of(row.machine_usd_per_month for row in report.machines),
        # Reserved addresses that nothing has are of no machine.
        "addresses": cents(report.bill.addresses_usd),
        "traffic": of(one.usd_per_month for one in report.traffic_by_class),
        "services": of(one.usd_per_month for one in report.network_services),
        "findings": Decimal(len(report.findings)),
        "places": Decimal(sum(len(one.members) for one in report.findings)),
    }


def gbps(side: WhatifSide) -> float:
    return known(side.gbps)


def usd(side: WhatifSide) -> Decimal:
    return known(side.money.traffic_usd)


def told(side: WhatifSide) -> dict[str, Decimal]:
    money = side.money
    return {
        "machines": cents(money.machines_usd),
        "addresses": cents(money.addresses_usd),
        "traffic": cents(money.traffic_usd or Decimal(0)),
        "services": cents(money.services_usd),
        "findings": Decimal(side.finding_count),
        "places": Decimal(side.finding_place_count),
    }


@pytest.mark.parametrize("demo", ["gecko", "interzone", "dobermanifesto"])
def test_before_is_the_audit_to_the_cent(demo: str) -> None:
    read = InputRequest(today=TODAY, demo=demo)
    found = asked(read, (), ("growth", "2"))
    assert told(found.before) == sums(run_audit(read))


def test_nothing_changes_nothing() -> None:
    found = asked(DEMO, (), ("growth", "1"))
    assert found.before == found.after
    assert {one.state for one in found.findings} == {FindingState.UNCHANGED}
    assert not any((found.limits, found.full, found.price_steps, found.together))
    assert not found.changes.steps
    (step,) = found.steps
    assert not any((step.alone.saves_usd_per_month, step.alone.gains_gbps))


def _type(one: dict[str, Any]) -> None:
    one["machineType"] = one["machineType"].replace("n1-standard-1", "n1-highcpu-8")


def _zone(one: dict[str, Any]) -> None:
    for name in ("zone", "selfLink", "machineType"):
        one[name] = one[name].replace("zones/us-central1-c", "zones/us-central1-b")


def _tier(one: dict[str, Any]) -> None:
    for nic in one["networkInterfaces"]:
        for config in nic.get("accessConfigs", ()):
            config["networkTier"] = "STANDARD"


def _nic(one: dict[str, Any]) -> None:
    for nic in one["networkInterfaces"]:
        nic["nicType"] = "VIRTIO_NET"


@pytest.mark.parametrize(
    ("demo", "names", "edit", "value"),
    [
        ("gecko", TRANSCODERS, _type, ("machine-type", "n1-highcpu-8")),
        ("interzone", ("us-central1-c",), _zone, ("zone", "us-central1-b")),
        ("gecko", ("transcoder-5",), _tier, ("network-tier", "standard")),
        ("gecko", TRANSCODERS, _nic, ("nic", "virtio")),
    ],
)
def test_after_is_the_audit_of_an_inventory_edited_by_hand(
    tmp_path: Path, demo: str, names: tuple[str, ...], edit: Any, value: tuple[str, str]
) -> None:
    logs: tuple[Path, ...] = ()
    if value[0] == "zone":
        logs = moved_in_logs(demo, tmp_path, names[0], "us-central1-c", value[1])
    by_hand = run_audit(edited(demo, tmp_path, names, edit, logs))
    found = asked(plain(demo), names, value)
    assert told(found.after) == sums(by_hand)
    new = {
        (one.rule, one.subject, cents(one.saving_after_usd_per_month or Decimal(0)))
        for one in found.findings
        if one.state in {FindingState.NEW, FindingState.UNCHANGED}
    }
    assert new == {
        (one.rule, member.subject, cents(member.saving_usd_per_month or Decimal(0)))
        for one in by_hand.findings
        for member in one.members
    }
    rows = {row.name: row for row in by_hand.machines}
    for pair in found.machines:
        row = rows[pair.name]
        assert (pair.after.machine_type, pair.after.zone) == (row.machine_type, row.zone)
        assert pair.after.egress_gbps == row.egress_gbps
        assert pair.after.external_gbps == row.external_gbps


def test_traffic_stands_by_class_and_machines_share_its_bill() -> None:
    found = asked(InputRequest(today=TODAY, demo="interzone"), (), ("growth", "3"))
    assert len(found.machines) == found.machine_count
    for side in ("before", "after"):
        each = sum((getattr(one, side).traffic_usd_per_month for one in found.machines), Decimal(0))
        assert cents(each) == cents(getattr(found, side).money.traffic_usd)
    # Sent traffic stands by class.
    read = InputRequest(today=TODAY, demo="gecko")
    found = asked(read, ("transcoder-*",), ("address", "internal"))
    before = {
        one.path_class: one.usd_per_month
        for one in run_audit(read).traffic_by_class
        if one.direction is Direction.SENT
    }
    assert {one.path_class: one.usd_before for one in found.traffic if one.gib_before} == before


def test_an_address_alone_and_a_type_alone_bring_little_and_both_much() -> None:
    found = asked(DEMO, TRANSCODERS, ("address", "internal"), ("machine-type", "n1-highcpu-8"))
    by_field = {step.change.field: step for step in found.steps}
    steps = found.steps
    assert [step.rank for step in steps] == list(range(1, len(steps) + 1))
    types = [step for step in steps if step.change.field is WhatifField.MACHINE_TYPE]
    assert all(step.alone.gains_gbps == 0 for step in types)
    assert by_field[WhatifField.ADDRESS].alone.gains_gbps is not None
    best = found.together[0]
    # The receiver's one vCPU is the next limit: its own type is a change of its own.
    assert best.together_gbps > 3 * best.most_without_gbps
    assert best.now_gbps == pytest.approx(1.6)
    assert gbps(found.after) > 4 * gbps(found.before)


def test_marginal_gains_add_up_and_the_joint_saving_is_the_fix_set_s() -> None:
    fixes = run_audit(DEMO).fix_sets
    joint = next(one for one in fixes if "n1-highcpu-8" in one.joint.name)
    found = asked(
        DEMO, ("transcoder-[1-4]",), ("address", "internal"), ("machine-type", "n1-highcpu-8")
    )
    saved = found.before.money.usd_per_month - found.after.money.usd_per_month
    assert cents(saved) == cents(known(joint.joint.saving_usd_per_month))
    # Marginal gains add up to the whole.
    found = asked(
        DEMO,
        ("transcoder-[1-4]",),
        *(("address", "internal"), ("machine-type", "n1-highcpu-8"), ("growth", "2")),
    )
    assert found.steps[0].change.field is WhatifField.GROWTH  # nobody chooses it
    saved = sum(
        (step.marginal.saves_usd_per_month or Decimal(0) for step in found.steps), Decimal(0)
    )
    whole = found.before.money.usd_per_month - found.after.money.usd_per_month
    assert cents(saved) == cents(whole)
    gained = sum(step.marginal.gains_gbps or 0 for step in found.steps)
    assert gained == pytest.approx(gbps(found.after) - gbps(found.before))


def test_growth_says_what_is_full_when_and_which_price_step_is_reached() -> None:
    by = date(2027, 11, 23)
    found = asked(DEMO, ("transcoder-1",), ("growth", "2"), by=by)
    (full,) = found.full
    assert (full.machine, full.limit, full.cap_gbps) == ("transcoder-1", "vm-egress", 2.0)
    assert full.gbps * full.at_factor == pytest.approx(2.0)
    days = (known(full.on) - TODAY).days
    assert days == int((by - TODAY).days * (full.at_factor - 1))
    (pair,) = [one for one in found.machines if one.is_changed]
    assert pair.after.p95_gbps == pytest.approx(2 * (pair.before.p95_gbps or 0))


def test_more_traffic_never_costs_less() -> None:
    costs = []
    for factor in ("0.5", "1", "1.5", "40", "900"):
        found = asked(InputRequest(today=TODAY, demo="interzone"), (), ("growth", factor))
        costs.append(usd(found.after))
    assert costs == sorted(costs)
    assert costs[3] == pytest.approx(40 * costs[1])  # one price, without steps


def test_a_plugin_slows_pods_and_leaves_the_bill() -> None:
    read = InputRequest(today=TODAY, demo="interzone")
    found = whatif_of(
        read,
        changes_of(("*",), ((WhatifField.PLUGIN, "flannel", "--plugin"),), None, read.today),
        is_all_out=True,
    )
    assert gbps(found.after) < gbps(found.before)
    assert found.after.money == found.before.money


def test_without_traffic_nothing_of_it_is_nought() -> None:
    read = replace(plain("gecko"), traffic=())
    found = asked(read, ("transcoder-1",), ("machine-type", "n1-standard-8"))
    for side in (found.before, found.after):
        assert (side.gbps, side.money.traffic_usd) == (None, None)
    (pair,) = found.machines
    for one in (pair.before, pair.after):
        assert (one.gbps, one.used_ratio, one.traffic_usd_per_month) == (None, None, None)
    (step,) = found.steps
    assert step.alone.gains_gbps is None
    assert step.alone.is_possible
    assert step.alone.saves_usd_per_month is not None


def test_a_rate_that_is_not_known_is_neither_lost_nor_0() -> None:
    """Nobody knows what n2-standard-8 had in 2017: no flow has a rate after it."""
    found = asked(DEMO, ("*",), ("machine-type", "n2-standard-8"))
    assert found.before.gbps is not None
    assert found.after.gbps is None
    assert found.after.unknown_flow_count == found.before.flow_count
    (step,) = found.steps
    assert step.marginal.gains_gbps is None
    done = netplan("whatif", "--demo", "gecko", "--vm", "*", "--machine-type", "n2-standard-8")
    (row,) = (one for one in done.out.splitlines() if one.startswith("all flows at the same time"))
    assert row.split()[6:] == ["14.5", "Gbit/s", "?", "unknown"]
