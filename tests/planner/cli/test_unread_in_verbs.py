"""Every verb that reads an inventory says what of it was not read, by name and count."""

import json
from pathlib import Path

import pytest

from support.commands.in_process import netplan
from support.commands.lines import VERBS as LINES
from support.commands.tree import ROOT
from support.flows.records import entry, lines
from support.projects.compute_json import machine
from support.projects.plans import change, plan

UNREAD = "google_dataproc_cluster.d: google_dataproc_cluster is not supported: it creates VMs"
NODES = "the input has none of its nodes: initially 3 per zone"


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """Return a folder of two machines that run, one that is stopped, and what is not read."""
    folder = tmp_path / "inventory"
    folder.mkdir()
    values = {"name": "np", "project": "p", "cluster": "c", "location": "us-east1"}
    planned = plan(
        change("google_dataproc_cluster.d", {"name": "d"}),
        change("google_container_node_pool.np", values | {"node_count": 3}),
    )
    (folder / "plan.json").write_text(json.dumps(planned))
    machines = [
        machine("a"),
        machine("b", zone="us-central1-b", address="10.0.0.3"),
        machine("off", address="10.0.0.4", status="TERMINATED"),
    ]
    (folder / "instances.json").write_text(json.dumps(machines))
    return folder


@pytest.fixture
def flows(tmp_path: Path) -> Path:
    path = tmp_path / "flows.json"
    path.write_text(
        lines([entry("10.0.0.2", "10.0.0.3", 10**9, insert_id=f"{number}") for number in range(3)])
    )
    return path


VERBS = {
    "fleet": (),
    "whatif": ("--vm", "a", "--machine-type", "n2-standard-4"),
    "recommend": ("--vm", "a", "--gbps", "1"),
    "probe plan": (),
    "place": ("TRAFFIC",),
    "forecast": ("TRAFFIC",),
    "flow-logs cost": ("TRAFFIC",),
    "flow-logs plan": ("TRAFFIC",),
    "graph": ("TRAFFIC",),
    "audit": ("TRAFFIC", "--full"),
    "baseline": ("--out", "OUT/b.json"),
    "collect": ("--out", "OUT/b.tar.zst"),
    "diff": (),
    "flows aggregate": ("TRAFFIC", "--out", "OUT/sums"),
    "predict": ("a", "b"),
    "probe run": (),
}
LEAVE_OUT_STOPPED = ("fleet", "place", "forecast")


def answer(verb: str, inventory: Path, flows: Path, *more: str) -> str:
    options = [*VERBS[verb], *more]
    out = inventory.parent / f"made{len(more)}"
    out.mkdir(exist_ok=True)
    options = [one.replace("OUT", str(out)) for one in options]
    given = [str(inventory)] * 2 if verb == "diff" else ["--inventory", str(inventory)]
    if "TRAFFIC" in options:
        options[options.index("TRAFFIC") : options.index("TRAFFIC") + 1] = ["--traffic", str(flows)]
    done = netplan(*verb.split(), *options, *given)
    assert done.status in {0, 1}, done.err
    return done.out


def test_every_verb_that_reads_an_inventory_is_looked_at() -> None:
    takes = {verb for verb in LINES if "--inventory" in options_of(verb)}
    # It has no inventory without the export of a bill, and says what of both it could not match.
    assert takes - set(VERBS) == {"prices reconcile"}


def options_of(verb: str) -> set[str]:
    command = ROOT
    for word in verb.split():
        command = command.commands[word]
    return {option for one in command.params for option in one.opts}


@pytest.mark.parametrize("verb", VERBS)
def test_what_was_not_read_is_named(verb: str, inventory: Path, flows: Path) -> None:
    text = " ".join(answer(verb, inventory, flows).split())
    assert "google_dataproc_cluster is not supported" in text
    assert NODES in text
    said = json.loads(answer(verb, inventory, flows, "--output", "json"))
    (found,) = [
        part["incomplete"] for part in (said, said.get("coverage", {})) if "incomplete" in part
    ]
    assert [one for one in found if one.endswith(f"{UNREAD} in the project")]
    # By its own name, which a file of an API has nowhere else.
    assert [one for one in found if one.endswith(f"np: {NODES}")]


@pytest.mark.parametrize("verb", LEAVE_OUT_STOPPED)
def test_stopped_machines_are_left_out_with_a_word(verb: str, inventory: Path, flows: Path) -> None:
    text = " ".join(answer(verb, inventory, flows).split())
    assert "1 stopped VM is skipped: off" in text
    assert "1 stopped VM is skipped: off" in answer(verb, inventory, flows, "-o", "json")


@pytest.mark.parametrize("verb", LEAVE_OUT_STOPPED)
def test_a_suspended_machine_is_left_out_too(verb: str, inventory: Path, flows: Path) -> None:
    stopped = answer(verb, inventory, flows)
    machines = inventory / "instances.json"
    machines.write_text(machines.read_text().replace("TERMINATED", "SUSPENDED"))
    suspended = answer(verb, inventory, flows)
    said = "1 stopped or suspended VM is skipped: off"
    assert said in " ".join(suspended.split())
    # All else is the same: what does not run is in no plan.
    as_stopped = " ".join(suspended.split()).replace("stopped or suspended", "stopped")
    assert as_stopped == " ".join(stopped.split())


@pytest.mark.parametrize("verb", ["fleet", "whatif"])
def test_strict_refuses_a_plan_of_less(verb: str, inventory: Path, flows: Path) -> None:
    done = netplan(verb, "--inventory", str(inventory), *VERBS[verb], "--strict")
    assert done.status == 4
    assert "incomplete and --strict is set" in done.err
    (inventory / "plan.json").unlink()
    text = answer(verb, inventory, flows, "--strict")
    assert "could not be read in full" not in text


def test_place_counts_what_it_does_not_show(inventory: Path, flows: Path) -> None:
    """Beyond the lines that are shown, how many more there are."""
    values = {"project": "p", "cluster": "c", "location": "us-east1"}
    pools = (
        change(f"google_container_node_pool.x{n}", values | {"name": f"x{n}", "node_count": n})
        for n in range(1, 13)
    )
    (inventory / "plan.json").write_text(json.dumps(plan(*pools)))
    text = answer("place", inventory, flows)
    assert text.count("per zone") == 8
    assert "and 4 more" in text
