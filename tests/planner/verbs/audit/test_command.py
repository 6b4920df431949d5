"""`netplan audit` as a process: demos, files, the live API, outputs, exit statuses, bad input."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from netplan_planner.readers import read_inventory
from support.commands.audits import Report, audit, report
from support.commands.run import run_verbs
from support.flows.entries import write_entries
from support.nightly import every
from support.projects.one_project import FOLDER, PROJECT, resources
from support.projects.recorded import add_recorded_project
from support.projects.shared_data import needs_shared
from support.servers.compute import ComputeServer, Fault

DAY = ("--today", "2026-11-20")
FILES = FOLDER / "gcloud"


def findings(found: Report) -> dict[str, Report]:
    return {finding["rule"]: finding for finding in found["findings"]}


def test_gecko_names_both_faults_and_what_each_fix_brings() -> None:
    found = report("--demo", "gecko", status=1)
    assert found["limits_as_of"] == "2017-07-27"
    by_rule = findings(found)
    address = by_rule["external-ip-intra-zone"]
    assert address["severity"] == "high"
    assert len(address["members"]) == 8
    assert address["throughput_now"]["gbps"] == 1.6
    volume = next(e["value"] for e in address["evidence"] if e["name"] == "volume")
    assert address["saving_usd_per_month"] == pytest.approx(volume * 0.01, rel=1e-6)
    assert "egress-cap-undersized-for-target" in by_rule
    (small,) = found["fix_sets"]
    alone = {step["name"]: step["estimate"]["gbps"] for step in small["singles"]}
    assert small["now"]["gbps"] == 1.6
    assert alone["internal address"] == 2.0
    assert [gbps for name, gbps in alone.items() if name != "internal address"] == [1.6]
    assert small["joint"]["estimate"]["gbps"] == 16.0
    order = [(fix["rank"], fix["rule"]) for fix in found["do_first"]]
    assert order == [(1, "external-ip-intra-zone"), (2, "egress-cap-undersized-for-target")]
    # Alone the bigger machine brings nothing; after the address fix it does.
    second = found["do_first"][1]
    assert (second["now"]["gbps"], second["fixed"]["gbps"]) == (2.0, 16.0)
    alone = by_rule["egress-cap-undersized-for-target"]
    assert (alone["throughput_now"]["gbps"], alone["throughput_fixed"]["gbps"]) == (1.6, 1.6)
    excluded = dict(found["coverage"]["traffic"]["excluded"])
    assert sum(excluded.values()) == 2
    places = [e["source"] for e in found["coverage"]["traffic"]["examples"]]
    assert places == ["demo:gecko/flows-00.json.gz:118", "demo:gecko/flows-12.json.gz:2071"]
    # A fix is the change and the clean up comes after it.
    by_rule = findings(report("--demo", "gecko"))
    for member in by_rule["external-ip-intra-zone"]["members"]:
        sender, receiver = (ref["self_link"].rpartition("/")[2] for ref in member["resources"])
        fix = member["fix"]
        # Each way has its own address: the one that the other machine uses.
        both = re.search(r"connect to (\S+)\.us-\S+, now \S+, not (\S+)\.$", fix["text"])
        assert both is None or both[1] == sender
        assert both is None or both[2] not in fix["text"][: both.start()]
        assert f"In the configuration of {sender}, connect to {receiver}." in fix["text"]
        assert fix["commands"] == []
        assert "gcloud logging read" in fix["verify"]["commands"][0]
        assert f"delete-access-config {receiver} " in fix["clean_up"]["commands"][0]
        assert fix["undo"]["text"]


def test_dobermanifesto_recommends_the_four_core_machine_and_says_by_how_much() -> None:
    found = report("--demo", "dobermanifesto", "--fail-on", "never", status=0)
    # What to do first, the story's need and its job name one type.
    capacity = {"egress-cap-saturated", "egress-cap-undersized-for-target"}
    assert capacity <= set(findings(found))
    for finding in found["findings"]:
        if finding["rule"] in capacity:
            assert len(finding["members"]) == 6
            assert {m["fix"]["label"] for m in finding["members"]} == {"n1-standard-4"}
    (plan,) = found["recommendations"]
    first, second = plan["ranked"][:2]
    assert first["machine_type"] == "n1-standard-4"
    assert first["cap_gbps"] == 8.0
    assert plan["baseline"]["machine_type"] == "n1-standard-1"
    assert plan["need"]["basis"] == "the story's goal for encoder-1, its stated target"
    bigger = next(c for c in plan["ranked"] if c["machine_type"] == "n1-standard-8")
    assert bigger["usd_per_month"] == pytest.approx(2 * first["usd_per_month"], rel=1e-3)
    assert second["usd_per_month"] > first["usd_per_month"]
    (job,) = found["jobs"]
    assert job["options"][0]["machine_type"] == "n1-standard-4"
    assert any("100 GB" in text for text in found["assumptions"])


def test_interzone_shows_the_matrix_both_ways() -> None:
    found = report("--demo", "interzone", "--fail-on", "never", status=0)
    pairs = {(p["src_zone"][-1], p["dst_zone"][-1]): p for p in found["zone_pairs"]}
    assert set(pairs) == {(a, b) for a in "abc" for b in "abc"} - {("b", "b"), ("c", "c")}
    for (src, dst), told in {
        ("a", "a"): 13.9,
        ("a", "b"): 7.96,
        ("b", "a"): 8.22,
        ("c", "b"): 7.51,
    }.items():
        assert pairs[src, dst]["max_gbps"] == pytest.approx(told, rel=0.01)
        assert pairs[src, dst]["predicted"]["gbps"] == 16.0
    assert pairs["a", "a"]["usd_per_month"] == 0
    assert pairs["a", "b"]["rtt_ms"] == 0.193
    assert 5.75 <= pairs["a", "b"]["one_flow"]["gbps"] <= 8.51
    # One flow of the story: one way, then both ways at once; round trip in ms.
    for (src, dst), (one_way, both_ways, rtt_ms) in {
        ("a", "a"): ((12.0, 13.9), (8.12, 10.1), 0.072),
        ("a", "b"): ((7.96, 8.22), (4.57, 6.3), 0.193),
        ("a", "c"): ((6.87, 8.51), (3.97, 5.98), 0.189),
        ("b", "c"): ((5.75, 7.51), (3.05, 3.96), 0.176),
    }.items():
        pair = pairs[src, dst]
        assert pair["rtt_ms"] == rtt_ms
        for name, rates in (("one_flow", one_way), ("one_flow_both_ways", both_ways)):
            estimate = pair[name]
            assert all(estimate["low_gbps"] <= rate <= estimate["high_gbps"] for rate in rates)
            assert estimate["gbps"] == pytest.approx(sum(rates) / 2, rel=0.6)


@pytest.mark.parametrize("name", every(2, ["gecko", "dobermanifesto", "interzone", "percona"]))
def test_a_demo_is_the_same_text_each_time_and_fits_the_width(name: str) -> None:
    first = audit("--demo", name, "--full", "--fail-on", "never")
    second = audit(
        "--demo", name, "--full", "--fail-on", "never", PYTHONHASHSEED="2", TZ="Asia/Tokyo"
    )
    assert first == second
    assert first[0] == 0
    assert first[2] == ""
    long = [line for line in first[1].splitlines() if len(line) > 100 and "gcloud" not in line]
    assert long == []


def test_files_and_flow_logs_in_any_order(tmp_path: Path) -> None:
    inventory = read_inventory([FILES])
    running = [i for i in inventory.instances if i.is_running and i.interfaces[0].internal_ipv4]
    flows = [{"src": a.name, "dst": b.name, "gbps": 0.2} for a, b in pairwise(running)]
    half = len(flows) // 2
    write_entries(tmp_path / "one.json", inventory, {"flows": flows[:half]})
    write_entries(tmp_path / "two.json", inventory, {"flows": flows[half:]})
    files = sorted(FILES.glob("*.json"))
    one = audit("--output", "json", "--inventory", FILES, "--traffic", tmp_path)
    two = audit(
        "--output",
        "json",
        *("--traffic", tmp_path / "two.json", "--traffic", tmp_path / "one.json"),
        *("--threads", 1, "--memory-limit", "200MB"),
        *("--inventory", files[-1]),
        *reversed(files[:-1]),
    )
    assert json.loads(one[1])["coverage"]["instance_count"] == len(inventory.instances)
    assert one == two
    # As a shell writes patterns out.
    patterns = ("--inventory", *files, "--traffic", tmp_path / "one.json", tmp_path / "two.json")
    assert audit("--output", "json", *patterns) == one


def test_an_empty_folder_of_traffic_is_status_3(tmp_path: Path) -> None:
    code, out, err = audit("--inventory", FILES, "--traffic", tmp_path)
    assert (code, out) == (3, "")
    assert str(tmp_path) in err


def test_configuration_file_environment_and_flags(tmp_path: Path) -> None:
    config = tmp_path / "netplan.toml"
    config.write_text(
        '[audit]\nselect = ["price"]\nfail-on = "never"\n'
        "[rules.idle-external-address]\nmin_age_days = 100000\n"
        '[targets]\n"instances/ingest-1" = "20 Gbps"\n',
        "utf-8",
    )

    def run(*arguments: str, **environment: str) -> Report:
        done = run_verbs(
            arguments=["--config", str(config), "audit", *DAY, "--demo", "gecko", *arguments],
            **environment,
        )
        assert done.returncode == 0, done.stderr
        found: Report = json.loads(done.stdout)
        return found

    from_file = run("--output", "json")
    assert set(findings(from_file)) == set()
    assert {note["rule"] for note in from_file["not_evaluated"]} >= {"external-ip-intra-zone"}
    from_environment = run("--output", "json", NETPLAN_AUDIT_SELECT="evidence")
    assert set(findings(from_environment)) == set()
    assert {note["rule"] for note in from_environment["notes"]} == {"stale-prices-or-caps"}
    rule = "egress-cap-undersized-for-target"
    from_flag = run("--output", "json", "--select", rule, NETPLAN_AUDIT_SELECT="evidence")
    subjects = [m["subject"] for f in from_flag["findings"] for m in f["members"]]
    assert any(subject.startswith("ingest-1") for subject in subjects)
    shown = run_verbs(arguments=["--config", str(config), "config", "show"]).stdout
    assert "audit.select" in shown
    assert "price  (netplan.toml)" in shown
    assert "rules.idle-external-address.min_age_days" in shown
    assert "100000 days  (netplan.toml)" in shown
    assert "audit.memory-limit" in shown


def test_a_live_project_reads_as_its_files() -> None:
    with ComputeServer(page_limit=3) as server:
        server.add_project(PROJECT, resources())
        live = report("--project", PROJECT, "--api-endpoint", server.url, "--anonymous")
        assert "compute.instances.aggregatedList" in server.read_methods()
    files = report("--inventory", FILES)
    assert live["coverage"]["instance_count"] == files["coverage"]["instance_count"]
    assert set(findings(live)) == set(findings(files))
    assert live["coverage"]["is_complete"]


@needs_shared
def test_a_project_that_refuses_is_reported_and_the_rest_goes_on() -> None:
    with ComputeServer(page_limit=2) as server:
        (first, *_) = add_recorded_project(server, "gce6")
        add_recorded_project(server, "gce5")
        server.add_fault(Fault(method="compute.routes.list", project=first, status=403))
        server.add_fault(Fault(method="compute.instances.aggregatedList", status=503, times=1))
        server.add_fault(Fault(method="compute.subnetworks.*", status=429, times=1))
        arguments = (
            *("--project", first, "--project", "gcpdiag-gce5-aaaa", "--project", "nobody"),
            *("--api-endpoint", server.url, "--anonymous"),
        )
        found = report(*arguments, "--fail-on", "never", status=0)
        strict = audit(*arguments, "--strict", "--fail-on", "never")
    errors = {p["project"]: p["errors"] for p in found["coverage"]["projects"]}
    assert any("compute.routes.list" in e for e in errors[first])
    assert errors["gcpdiag-gce5-aaaa"] == []
    assert errors["nobody"]
    assert found["coverage"]["instance_count"] > 0
    assert not found["coverage"]["is_complete"]
    assert strict[0] == 4
    assert "incomplete" in strict[2]


def test_nothing_readable_at_all_is_status_3() -> None:
    with ComputeServer() as server:
        code, out, err = audit(
            *("--project", "nobody", "--api-endpoint", server.url, "--anonymous")
        )
    assert (code, out) == (3, "")
    assert "nobody" in err


HOSTILE = "\x1b]0;owned\x07\x1b[31m[red]<script>=cmd()|" + "x" * 10_000


def test_hostile_names_stay_inert_everywhere(tmp_path: Path) -> None:
    held = resources()
    for instance in held["instances"]:
        instance["labels"] = {"netplan-ignore": HOSTILE}
        instance["description"] = HOSTILE
    held["instances"][0]["name"] = HOSTILE
    held["instances"][0]["selfLink"] = held["instances"][0]["selfLink"].rpartition("/")[0] + (
        "/" + HOSTILE
    )
    path = tmp_path / "evil\x1b[31m.json"
    path.write_text(json.dumps([r for listed in held.values() for r in listed]), "utf-8")
    for form in ("text", "md", "csv", "sarif", "json"):
        code, out, err = audit(
            "--inventory", path, "--output", form, "--fail-on", "never", "-v", "--max-findings", 0
        )
        assert code == 0, err
        for text in (out, err):
            assert "\x1b" not in text
            assert "\x07" not in text
    code, _, err = audit("--inventory", tmp_path / "no\x1b[31m-file")
    assert code == 3
    assert "\x1b" not in err
