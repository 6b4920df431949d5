"""The bill that advice is held against, worked out by hand; changes to a made project."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.projects.shared_data import needs_shared, shared

pytestmark = pytest.mark.nightly

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
IOWA, OTHER, BELGIUM = "us-central1-a", "us-central1-b", "europe-west1-b"


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """Return the benchmark's modules by name."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    names = ("state", "prices", "truth", "follow")
    return {name: importlib.import_module(f"advice_{name}") for name in names}


@pytest.fixture
def prices(parts: dict[str, ModuleType]) -> Any:
    """Return the price tables."""
    return parts["prices"].Prices(shared("data"))


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


@needs_shared
def test_machines_with_disks_and_addresses(parts: dict[str, ModuleType], prices: Any) -> None:
    state, bill = parts["state"], parts["truth"].bill
    plain, full = machine(state, "a"), machine(state, "b", local_ssds=4, external_ip="34.1.1.1")
    assert bill(project(state, plain), prices).total == pytest.approx(226.87, abs=0.005)
    # Four disks of 375 GiB at 0.08; the first 720 hours of addresses are free.
    usd = bill(project(state, full), prices).usd
    assert usd["Local SSD"] == pytest.approx(120.00)
    assert usd["addresses"] == pytest.approx(10 * 0.005)
    stopped = machine(state, "c", is_running=False)
    assert bill(project(state, stopped), prices).total == 0


@needs_shared
def test_flows_of_one_sku_share_its_steps(parts: dict[str, ModuleType], prices: Any) -> None:
    state, bill = parts["state"], parts["truth"].bill
    ends = [machine(state, name, external_ip=f"34.1.1.{at}") for at, name in enumerate("ab")]
    german = {"place": ("Europe", "deu")}
    sent = tuple(flow(state, one.name, "", 800, **german) for one in ends)
    usd = bill(project(state, *ends, flows=sent), prices).usd
    assert usd["traffic"] == pytest.approx(0 * 1 + 0.12 * 1_023 + 0.11 * 576)
    by_standard = machine(state, "a", external_ip="34.1.1.0", tier=state.STANDARD)
    usd = bill(project(state, by_standard, ends[1], flows=sent), prices).usd
    assert usd["traffic"] == pytest.approx(0.085 * 600 + 0.12 * 799)


@needs_shared
def test_addresses_cost_within_a_zone_and_nat_both_ways(
    parts: dict[str, ModuleType], prices: Any
) -> None:
    state, bill = parts["state"], parts["truth"].bill
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


@needs_shared
def test_a_commitment_is_paid_used_or_not(parts: dict[str, ModuleType], prices: Any) -> None:
    state, bill = parts["state"], parts["truth"].bill
    promise = (state.Commitment("c", "us-central1", "n2", 8, 32),)
    held = 730 * (8 * 0.019915 + 32 * 0.002669)
    used = bill(project(state, machine(state, "a"), commitments=promise), prices)
    assert used.total == pytest.approx(held, abs=0.01)
    assert bill(project(state, commitments=promise), prices).total == pytest.approx(held)


@needs_shared
def test_a_command_that_names_another_zone_is_told_and_the_change_made(
    parts: dict[str, ModuleType], prices: Any
) -> None:
    state, follow = parts["state"], parts["follow"]
    start = project(state, machine(state, "a"), machine(state, "b"))
    step = follow.Step(
        "r", "machine-type", f"projects/p/zones/{OTHER}/instances/a", to="e2-standard-8"
    )._replace(commands=(f"gcloud compute instances stop a --zone={OTHER} --project=p",))
    done = follow.carry_out(start, step, prices)
    assert done.stale == (f"{step.commands[0]}: a is in {IOWA}, not in {OTHER}",)
    assert done.project.machines["a"].machine_type == "e2-standard-8"
    assert done.project.machines["b"] == start.machines["b"]


@needs_shared
def test_groups_change_whole_and_what_cannot_be_is_refused(
    parts: dict[str, ModuleType], prices: Any
) -> None:
    state, follow = parts["state"], parts["follow"]
    members = [machine(state, name, group="g") for name in "ab"]
    lone = machine(state, "c", reservation="r")
    start = project(state, *members, lone, groups={"g": IOWA})
    moved = follow.carry_out(start, follow.Step("r", "zone", "a", to=BELGIUM), prices).project
    assert {moved.machines[name].zone for name in "ab"} == {BELGIUM}
    assert moved.groups["g"] == BELGIUM
    for kind, to in (("zone", OTHER), ("machine-type", "e2-standard-8"), ("unheard", "")):
        done = follow.carry_out(start, follow.Step("r", kind, "c", to=to), prices)
        assert done.refused
        assert done.project == start


@needs_shared
def test_a_way_out_that_is_gone_is_seen(parts: dict[str, ModuleType], prices: Any) -> None:
    state, follow = parts["state"], parts["follow"]
    nat = {"nat": state.Gateway("nat", "us-central1", "n")}
    out = flow(state, "a", "", 1, place=("Europe", "deu"), is_weekly=True)
    start = project(state, machine(state, "a"), gateways=nat, flows=(out,))
    assert not list(state.cuts(start))
    step = follow.Step("r", "delete-gateway", "projects/p/regions/us-central1/routers/nat")
    (cut,) = state.cuts(follow.carry_out(start, step, prices).project)
    assert cut.why == "the last way to the internet is gone"


@needs_shared
def test_changes_of_an_entry_are_made_in_their_order(
    parts: dict[str, ModuleType], prices: Any
) -> None:
    state, follow = parts["state"], parts["follow"]
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


@needs_shared
def test_a_machine_that_is_made_again_runs_under_both_names(
    parts: dict[str, ModuleType], prices: Any
) -> None:
    state, follow = parts["state"], parts["follow"]
    start = project(state, machine(state, "a"))
    again = (
        f"gcloud compute instances stop a --zone={IOWA} --project=p",
        f"gcloud compute machine-images create i --source-instance=a --source-instance-zone={IOWA}",
        f"gcloud compute instances create a-2 --zone={OTHER} --source-machine-image=i",
        f"gcloud compute instances describe a-2 --zone={OTHER}",
        f"gcloud compute instances delete a --zone={IOWA}",
    )
    done = follow.carry_out(start, follow.Step("r", "zone", "a", to=OTHER, commands=again), prices)
    assert not done.stale
    assert not done.refused
    assert done.project.machines["a"].is_running
    later = f"gcloud compute instances stop a-2 --zone={OTHER}"
    step = follow.Step("r", "machine-type", "a-2", to="e2-standard-8", commands=(later,))
    done = follow.carry_out(done.project, step, prices)
    assert not done.stale
    assert done.project.machines["a"].machine_type == "e2-standard-8"
