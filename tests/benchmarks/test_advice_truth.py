"""The bill that advice is held against, worked out by hand; changes to a made project."""

import importlib
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from support.projects.shared_data import SHARED, WHY, shared

pytestmark = pytest.mark.nightly

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
IOWA, OTHER, BELGIUM = "us-central1-a", "us-central1-b", "europe-west1-b"


@pytest.fixture
def advice(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the benchmark's modules by name."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    names = "state prices truth changes commands follow rates script judge"
    modules = {name: importlib.import_module(f"advice_{name}") for name in names.split()}
    return SimpleNamespace(**modules)


def _needed() -> None:
    if SHARED is None:
        pytest.skip(WHY)


@pytest.fixture
def caps(advice: Any) -> Any:
    """Return the table of caps."""
    _needed()
    return advice.rates.Caps(shared("data"))


@pytest.fixture
def prices(advice: Any) -> Any:
    """Return the price tables."""
    _needed()
    return advice.prices.Prices(shared("data"))


def machine(state: ModuleType, name: str, zone: str = IOWA, **more: Any) -> Any:
    """Return a machine of a network that is in two regions."""
    ip = f"10.0.0.{sum(map(ord, name)) % 250}"
    return state.Machine(
        name=name, zone=zone, machine_type="n2-standard-8", network="n", internal_ip=ip, **more
    )


def project(state: ModuleType, *machines: Any, **more: Any) -> Any:
    """Return a project of one network."""
    ranges = {"us-central1": "10.0.0.0/16", "europe-west1": "10.1.0.0/16"}
    return state.Project(
        days=1,
        machines={one.name: one for one in machines},
        networks={"n": state.Network("n", ranges)},
        **more,
    )


def flow(state: ModuleType, src: str, dst: str, gib_per_month: float, **more: Any) -> Any:
    """Return a flow of so much a month."""
    packets = gib_per_month * 2**30 / state.WIRE_BYTES_PER_PACKET / state.DAYS_PER_MONTH
    return state.Flow(src, dst, packets, **more)


def test_machines_with_disks_and_addresses(advice: Any, prices: Any) -> None:
    state, bill = advice.state, advice.truth.bill
    plain, full = machine(state, "a"), machine(state, "b", local_ssds=4, external_ip="34.1.1.1")
    assert bill(project(state, plain), prices).total == pytest.approx(226.87, abs=0.005)
    # Four disks of 375 GiB at 0.08; the first 720 hours of addresses are free.
    usd = bill(project(state, full), prices).usd
    assert usd["Local SSD"] == pytest.approx(120.00)
    assert usd["addresses"] == pytest.approx(10 * 0.005)
    stopped = machine(state, "c", is_running=False)
    assert bill(project(state, stopped), prices).total == 0


def test_flows_of_one_sku_share_its_steps(advice: Any, prices: Any) -> None:
    state, bill = advice.state, advice.truth.bill
    ends = [machine(state, name, external_ip=f"34.1.1.{at}") for at, name in enumerate("ab")]
    german = {"place": ("Europe", "deu")}
    sent = tuple(flow(state, one.name, "", 800, **german) for one in ends)
    usd = bill(project(state, *ends, flows=sent), prices).usd
    assert usd["traffic"] == pytest.approx(0 * 1 + 0.12 * 1_023 + 0.11 * 576)
    by_standard = machine(state, "a", external_ip="34.1.1.0", tier=state.STANDARD)
    usd = bill(project(state, by_standard, ends[1], flows=sent), prices).usd
    assert usd["traffic"] == pytest.approx(0.085 * 600 + 0.12 * 799)


def test_addresses_cost_within_a_zone_and_nat_both_ways(advice: Any, prices: Any) -> None:
    state, bill = advice.state, advice.truth.bill
    client, server = machine(state, "a"), machine(state, "b", external_ip="34.1.1.1")
    nat = {"nat": state.Gateway("nat", "us-central1", "n")}
    out = flow(state, "a", "b", 100, over_external=True)
    back = flow(state, "", "a", 50, is_opened_by_src=False, place=("Europe", "deu"))
    usd = bill(project(state, client, server, gateways=nat, flows=(out, back)), prices).usd
    assert usd["traffic"] == pytest.approx(1.00)
    assert usd["NAT data"] == pytest.approx(0.045 * 150)
    assert usd["gateways"] == pytest.approx(0.0014 * 730)
    many = [machine(state, f"m{at}") for at in range(33)]
    usd = bill(project(state, *many, gateways=nat), prices).usd
    assert usd["gateways"] == pytest.approx(0.044 * 730)


def test_a_commitment_is_paid_used_or_not(advice: Any, prices: Any) -> None:
    state, bill = advice.state, advice.truth.bill
    promise = (state.Commitment("c", "us-central1", "n2", 8, 32),)
    held = 730 * (8 * 0.019915 + 32 * 0.002669)
    used = bill(project(state, machine(state, "a"), commitments=promise), prices)
    assert used.total == pytest.approx(held, abs=0.01)
    assert bill(project(state, commitments=promise), prices).total == pytest.approx(held)


def test_a_command_that_names_another_zone_is_told(advice: Any, prices: Any) -> None:
    state, follow = advice.state, advice.follow
    start = project(state, machine(state, "a"), machine(state, "b"))
    step = advice.changes.Step(
        "r", "machine-type", f"projects/p/zones/{OTHER}/instances/a", to="e2-standard-8"
    )._replace(commands=(f"gcloud compute instances stop a --zone={OTHER} --project=p",))
    done = follow.carry_out(start, step, prices)
    assert done.stale == (f"{step.commands[0]}: a is in {IOWA}, not in {OTHER}",)
    assert done.project.machines["a"].machine_type == "e2-standard-8"
    assert done.project.machines["b"] == start.machines["b"]


def test_groups_change_whole_and_what_cannot_be_is_refused(advice: Any, prices: Any) -> None:
    state, follow = advice.state, advice.follow
    members = [machine(state, name, group="g") for name in "ab"]
    lone = machine(state, "c", reservation="r")
    start = project(state, *members, lone, groups={"g": IOWA})
    moved = follow.carry_out(
        start, advice.changes.Step("r", "zone", "a", to=BELGIUM), prices
    ).project
    assert {moved.machines[name].zone for name in "ab"} == {BELGIUM}
    assert moved.groups["g"] == BELGIUM
    for kind, to in (("zone", OTHER), ("machine-type", "e2-standard-8"), ("unheard", "")):
        done = follow.carry_out(start, advice.changes.Step("r", kind, "c", to=to), prices)
        assert done.refused
        assert done.project == start


def test_a_way_out_that_is_gone_is_seen(advice: Any, prices: Any) -> None:
    state, follow = advice.state, advice.follow
    nat = {"nat": state.Gateway("nat", "us-central1", "n")}
    out = flow(state, "a", "", 1, place=("Europe", "deu"), is_weekly=True)
    start = project(state, machine(state, "a"), gateways=nat, flows=(out,))
    assert not list(state.cuts(start))
    step = advice.changes.Step("r", "delete-gateway", "projects/p/regions/us-central1/routers/nat")
    (cut,) = state.cuts(follow.carry_out(start, step, prices).project)
    assert cut.why == "the last way to the internet is gone"


def test_changes_of_an_entry_are_made_in_their_order(advice: Any, prices: Any) -> None:
    state, follow = advice.state, advice.follow
    at = "projects/p/regions/us-central1"
    vm = f"projects/p/zones/{IOWA}/instances/a"
    held = {"a-ip": state.Address("a-ip", "us-central1", "34.1.1.1")}
    start = project(
        state,
        machine(state, "a", external_ip="34.1.1.1"),
        addresses=held,
        gateways={"nat": state.Gateway("nat", "us-central1", "n")},
    )
    asked: list[dict[str, Any]] = [
        {"kind": "zone", "target": vm, "to": OTHER, "commands": []},
        {"kind": "network-tier", "target": vm, "to": "STANDARD"},
        {
            "kind": "release-address",
            "target": f"{at}/addresses/a-ip",
            "commands": ["gcloud compute addresses delete a-ip --region=us-central1 --project=p"],
        },
        {
            "kind": "delete-gateway",
            "target": f"{at}/routers/nat",
            "destination": None,
            "commands": ["gcloud compute routers nats delete nat --router=nat --region=us-east1"],
        },
    ]
    changes = [
        {
            "subject": "a",
            "place": "",
            "change": {name: value for name, value in one.items() if name != "commands"},
            "fix": {"commands": one.get("commands", [])},
        }
        for one in asked
    ]
    entry = {"rule": "r", "finding": "", "changes": changes}
    steps = follow.steps_of_entry(entry, {"findings": []})
    assert [step.kind for step in steps] == [one["kind"] for one in asked]
    for step in steps:
        done = follow.carry_out(start, step, prices)
        assert not done.refused
        start = done.project
    moved = start.machines["a"]
    assert (moved.zone, moved.tier) == (OTHER, "STANDARD")
    assert moved.external_ip not in ("", "34.1.1.1")
    assert not start.addresses
    assert not start.gateways
    assert done.stale == (f"{asked[3]['commands'][0]}: there is no gateway nat in us-east1",)


def test_a_machine_that_is_made_again_runs_under_both_names(advice: Any, prices: Any) -> None:
    state, follow = advice.state, advice.follow
    start = project(state, machine(state, "a"))
    again = (
        f"gcloud compute instances stop a --zone={IOWA} --project=p",
        f"gcloud compute machine-images create i --source-instance=a --source-instance-zone={IOWA}",
        f"gcloud compute instances create a-2 --zone={OTHER} --source-machine-image=i",
        f"gcloud compute instances describe a-2 --zone={OTHER}",
    )
    after = (
        f"gcloud compute instances delete a --zone={IOWA}",
        "gcloud compute machine-images delete i",
    )
    step = advice.changes.Step("r", "zone", "a", to=OTHER, commands=again, clean_up=after)
    done = follow.carry_out(start, step._replace(is_scripted=True), prices)
    assert (done.stale, done.refused, done.undone) == ((), "", "")
    missing = follow.carry_out(start, step._replace(commands=again[2:]), prices)
    assert missing.stale[0].endswith("there is no image i for a-2")
    assert done.project.machines["a"].is_running
    later = f"gcloud compute instances stop a-2 --zone={OTHER}"
    step = advice.changes.Step("r", "machine-type", "a-2", to="e2-standard-8", commands=(later,))
    done = follow.carry_out(done.project, step, prices)
    assert not done.stale
    assert done.project.machines["a"].machine_type == "e2-standard-8"


def talkers(state: ModuleType, *flows: Any, **more: Any) -> Any:
    """Return a project in which one machine sends to another, with an address of its own."""
    ends = machine(state, "a", **more), machine(state, "b", external_ip="34.1.1.1")
    return project(state, *ends, flows=flows)


@pytest.mark.parametrize(
    ("told", "gbps"),
    [
        ({}, 16.0),
        ({"over_external": True}, 3.0),
        ({"over_external": True, "streams": 2}, 6.0),
        ({"over_external": True, "streams": 8}, 7.0),
        ({"dst": ""}, 3.0),
    ],
)
def test_a_path_carries_its_least_limit(
    advice: Any, caps: Any, told: dict[str, Any], gbps: float
) -> None:
    state, rates = advice.state, advice.rates
    sent = state.Flow("a", told.pop("dst", "b"), 0, bulk_hours=1, **told)
    start = talkers(state, sent)
    assert rates.path_gbps(start, caps, sent) == gbps
    assert set(rates.held(start, caps).values()) == {gbps}


@pytest.mark.parametrize(
    ("machine_type", "is_tier1", "cap"),
    [
        ("e2-standard-2", False, (4, 4)),
        ("n2-standard-32", True, (50, 25)),
        ("n2-custom-6-24576", False, (16, 7)),
        ("never-heard-1", False, None),
    ],
)
def test_caps_are_those_of_the_table(
    caps: Any, machine_type: str, is_tier1: bool, cap: tuple[float, float] | None
) -> None:
    assert caps.of_type(machine_type, is_tier1=is_tier1) == cap


def test_a_smaller_machine_lowers_a_flow(advice: Any, caps: Any) -> None:
    state, rates = advice.state, advice.rates
    a_day = round(13e9 / 8 * 60 / state.WIRE_BYTES_PER_PACKET) * 60 * 24
    steady = state.Flow("a", "b", a_day, records=0)
    start = talkers(state, steady)
    smaller = replace(start.machines["a"], machine_type="e2-standard-4")
    (one,) = rates.lowered(start, start.with_machine(smaller), caps)
    assert (one.gets, one.is_crowded) == (8, False)
    assert 13 < one.had < 16
    bulk = state.Flow("a", "b", 0, over_external=True, bulk_hours=1)
    start = talkers(state, steady, bulk)
    assert not list(rates.lowered(start, start, caps))
    inside = replace(start, flows=(steady, replace(bulk, over_external=False)))
    (one,) = rates.lowered(start, inside, caps)
    assert (one.gets, one.is_crowded) == (8, True)


def test_what_many_send_from_outside_is_held_at_the_receiver(advice: Any, caps: Any) -> None:
    state, rates = advice.state, advice.rates
    senders = [machine(state, f"s{at}") for at in range(4)]
    sent = [
        state.Flow(one.name, "b", 0, over_external=True, streams=8, bulk_hours=1) for one in senders
    ]
    sink = machine(state, "b", external_ip="34.1.1.1")
    found = rates.held(project(state, *senders, sink, flows=tuple(sent)), caps)
    assert set(found.values()) == {rates.OUTSIDE_IN_GBPS / 4}
    assert 20 < rates.OUTSIDE_IN_GBPS < 30


SCRIPT = """#!/bin/sh
set -eu

# 1. a (z): Take another.
# risk: it stops
gcloud compute instances stop a --zone=z
by_hand 1
# verify: It runs.
#   gcloud compute instances describe a --zone=z
# then: The old one.
#   gcloud compute instances delete a --zone=z

# 2. nat: Delete it.
# There is no way back, so that this is not run with the rest:
#   gcloud compute routers nats delete nat
"""


def test_a_script_is_read_as_it_is_run(advice: Any) -> None:
    script = advice.script
    one, other = script.read(SCRIPT)
    assert one.commands == ("gcloud compute instances stop a --zone=z",)
    assert one.clean_up == ("gcloud compute instances delete a --zone=z",)
    assert (one.is_by_hand, other.is_by_hand) == (True, False)
    assert other.commands == ("gcloud compute routers nats delete nat",)
    planned: list[dict[str, Any]] = [
        {
            "subject": subject,
            "fix": {"commands": list(step.commands), "clean_up": None},
            "made_with": None,
        }
        for subject, step in (("a (z)", one), ("nat", other))
    ]
    report = {"do_first": [{"changes": planned}]}
    assert script.taken_into(report, SCRIPT) == []
    planned.pop()
    assert script.taken_into(report, SCRIPT) == ["step 2 is nobody's: nat: Delete it."]


def test_commands_that_leave_a_part_of_a_change_are_told(advice: Any, prices: Any) -> None:
    state, follow = advice.state, advice.follow
    start = project(state, machine(state, "a"))
    stop = f"gcloud compute instances stop a --zone={IOWA}"
    step = advice.changes.Step("r", "machine-type", "a", to="e2-standard-8", commands=(stop,))
    done = follow.carry_out(start, step._replace(is_scripted=True), prices)
    assert done.undone == "a is left stopped"
    again = stop.replace("stop", "start")
    step = step._replace(commands=(stop, again), is_scripted=True)
    assert follow.carry_out(start, step, prices).undone == "the commands alone leave a"


@pytest.mark.parametrize(
    ("hub", "restarted", "kinds"),
    [("h", "2026-06-20", {"hub", "restarted"}), ("", "2026-01-10", set())],
)
def test_spokes_that_are_peered_and_later_starts_are_counted(
    advice: Any, prices: Any, caps: Any, hub: str, restarted: str, kinds: set[str]
) -> None:
    state, judge = advice.state, advice.judge
    one = machine(state, "a", restarted=f"{restarted}T08:00:00.000-08:00")
    networks = {
        name: state.Network(name, {"us-central1": f"10.{at}.0.0/16"}, hub=hub)
        for at, name in enumerate("nm")
    }
    start = replace(project(state, one), networks=networks)
    assert start.are_joined("n", "m") == bool(hub)
    peer = "gcloud compute networks peerings create n-to-m --network=n --peer-network=m"
    step = advice.changes.Step("r", "machine-type", one.link, to="e2-standard-8", commands=(peer,))
    change = {"target": one.link, "members": []}
    entry: dict[str, Any] = {"rank": 1, "rule": "r", "subject": "a", "fixed": None}
    entry |= {"saving_usd_per_month": None, "changes": [{"place": "here", "change": change}]}
    members = [{"fingerprint": "here", "confidence": "high"}]
    found = judge.Judge(0, start, prices, caps)
    found.follow(entry, [step], {"severity": "high", "members": members})
    assert {one.kind for one in found.faults} - {"entry"} == kinds


@pytest.mark.parametrize(("gbps", "is_promised"), [(16.1, True), (20.0, False)])
def test_a_promise_is_held_against_the_limits(
    advice: Any, prices: Any, caps: Any, gbps: float, is_promised: bool
) -> None:
    state, judge = advice.state, advice.judge
    start = talkers(state, state.Flow("a", "b", 0, over_external=True, bulk_hours=1))
    ends = [start.machines[name].link for name in "ab"]
    step = advice.changes.Step("r", "internal-address", *ends, subject="a")
    entry = {"rank": 1, "rule": "r", "subject": "a", "saving_usd_per_month": None}
    fixed = {"gbps": gbps, "low_gbps": gbps - 0.01, "high_gbps": gbps + 0.01}
    found = judge.Judge(0, start, prices, caps)
    found.follow({**entry, "fixed": fixed}, [step], {"severity": "low"})
    assert found.promised == [is_promised]
    assert [one.kind for one in found.faults if one.kind == "promise"] == ["promise"] * (
        not is_promised
    )


@pytest.mark.parametrize(("is_held", "count"), [(False, 1), (True, 0)])
def test_what_waits_is_not_asked_for(advice: Any, is_held: bool, count: int) -> None:
    start = talkers(advice.state)
    change = {"kind": "zone", "target": start.machines["a"].link, "to": OTHER, "members": []}
    finding = {"rule": "r", "saving_usd_per_month": 100, "is_held": is_held, "changes": [change]}
    finding["members"] = [{"subject": "a", "fix": {"commands": []}}]
    asked = importlib.import_module("apply_advice")._asked
    assert len(asked(start, {"findings": [finding], "do_first": []})) == count


def test_a_promise_is_of_the_place_that_an_entry_names(advice: Any, prices: Any, caps: Any) -> None:
    """Entry 2 moves the machine that entry 1 names, and makes its type in the same stop."""
    start = talkers(advice.state)
    estimate = {"gbps": 16.0, "low_gbps": None, "high_gbps": None}
    told = {"rule": "r", "saving_usd_per_month": 0, "fixed": None, "finding": "f"}

    def planned(name: str, kind: str, to: str, made_with: int | None) -> dict[str, Any]:
        change = {"kind": kind, "target": start.machines[name].link, "to": to, "members": []}
        its = {"subject": name, "place": name, "fix": None, "made_with": made_with}
        return {**its, "saving_usd_per_month": 0, "change": change}

    small = [planned("a", "machine-type", "e2-standard-8", 2)]
    small.append(planned("b", "machine-type", "e2-standard-2", None))
    one = {**told, "rank": 1, "subject": "a", "fixed": estimate, "changes": small}
    other = {**told, "rank": 2, "subject": "a", "changes": [planned("a", "zone", OTHER, None)]}
    report = {"do_first": [one, other], "findings": [{"fingerprint": "f", "members": []}]}
    joined = advice.script.with_joined(report)
    found = advice.judge.Judge(0, start, prices, caps)
    found.follow(one, advice.follow.steps_of_entry(one, report), {"severity": "low"})
    assert found.promised == []
    ((made, fixed),) = [(advice.follow.of_change("r", at), at["fixed"]) for at in joined[2]]
    for name in ("e2-standard-8", "e2-standard-2"):
        there = replace(found.project.machines["a"], machine_type=name)
        found.project = found.project.with_machine(there)
        found.look_at_joined(other, [(made, fixed)])
    assert found.promised == [True, False]
    assert [one.note for one in found.faults if one.kind == "promise"] == [
        "16.00 (16.00 to 16.00) Gbit/s, by limits 4.00"
    ]
