"""Lines of findings' resources in the files of the inventory, as code scanning shows them."""

import gzip
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.judging.code_places import code_places, fallback_place, sources_of
from netplan_planner.renderers import RenderOptions
from netplan_planner.verbs.audit.run import run_audit
from netplan_planner.verbs.audit.sarif import render
from netplan_planner.world.demos import DEMO_FOLDER, DEMO_PREFIX, load_demo
from netplan_planner.world.request import InputRequest
from support.projects.one_project import ASSET_TYPES, FOLDER, resources
from support.projects.plans import change, configured, machine, plan, refers
from support.reports.code_scanning import faults

TODAY = date(2026, 11, 20)


def results_of(request: InputRequest, config: Path | None = None) -> list[dict[str, Any]]:
    report = run_audit(request)
    options = RenderOptions(
        places=code_places(sources_of(report.findings)),
        fallback_place=fallback_place(request, config),
    )
    log = json.loads(render(report, options))
    assert faults(log) == []
    results: list[dict[str, Any]] = log["runs"][0]["results"]
    assert results
    return results


def lines_of_names(text: str) -> dict[str, int]:
    """Return the first line of each object of an indented list, by its self link's end."""
    found: dict[str, int] = {}
    rows = text.split("\n")
    for number, row in enumerate(rows):
        if row.strip().startswith('"selfLink"'):
            depth = row.index('"')
            start = number
            while rows[start].strip() != "{" or rows[start].index("{") >= depth:
                start -= 1
            found["projects/" + row.partition("projects/")[2].rstrip('",')] = start + 1
    return found


def places_in(results: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    """Return (uri, line, resource) of every location whose resource was read from a file."""
    return [
        (
            at["physicalLocation"]["artifactLocation"]["uri"],
            at["physicalLocation"]["region"]["startLine"],
            at["logicalLocations"][0]["fullyQualifiedName"],
        )
        for result in results
        for at in (*result["locations"], *result.get("relatedLocations", ()))
        if "fileIs" not in at.get("properties", {})
    ]


def test_the_line_is_that_of_the_resource() -> None:
    checked = 0
    for uri, line, name in places_in(results_of(InputRequest(today=TODAY, demo="gecko"))):
        path = DEMO_FOLDER / uri.replace("%3A", ":").removeprefix(DEMO_PREFIX)
        assert line == lines_of_names(path.read_text("utf-8"))[name]
        checked += 1
    assert checked > 8


@pytest.mark.parametrize("is_packed", [False, True])
def test_files_below_the_working_folder_are_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_packed: bool
) -> None:
    data = load_demo("gecko").inventory
    (tmp_path / "net").mkdir()
    for path in data:
        content = path.read_bytes()
        target = tmp_path / "net" / (path.name + (".gz" if is_packed else ""))
        target.write_bytes(gzip.compress(content) if is_packed else content)
    monkeypatch.chdir(tmp_path)
    request = InputRequest(today=TODAY, inventory=(tmp_path / "net",))
    places = places_in(results_of(request))
    assert places
    ending = ".json.gz" if is_packed else ".json"
    assert all(uri.startswith("net/") and uri.endswith(ending) for uri, _, _ in places)
    assert any(line > 1 for _, line, _ in places)


def test_an_asset_export_by_line_and_a_file_without_ending(tmp_path: Path) -> None:
    listed = [(kind, one) for kind, found in resources().items() for one in found]
    assets: list[dict[str, Any]] = [
        {
            "name": f"//compute.googleapis.com/{one['selfLink'].partition('/v1/')[2]}",
            "assetType": f"compute.googleapis.com/{ASSET_TYPES[kind]}",
            "resource": {"data": one},
        }
        for kind, one in listed
        if kind in ASSET_TYPES
    ]
    path = tmp_path / "export"
    path.write_text("\n\n".join(map(json.dumps, assets)), "utf-8")
    order = [asset["name"].partition("googleapis.com/")[2] for asset in assets]
    places = places_in(results_of(InputRequest(today=TODAY, inventory=(path,))))
    assert places
    for uri, line, name in places:
        assert uri == str(path).lstrip("/")
        assert line == 2 * order.index(name) + 1


def test_a_file_that_has_gone_gives_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(
        json.dumps([one for found in resources().values() for one in found], indent=1), "utf-8"
    )
    request = InputRequest(today=TODAY, inventory=(path,))
    report = run_audit(request)
    for after in (None, b"", b"\xff\xfe\xff", b"[1, 2"):
        path.unlink(missing_ok=True)
        if after is not None:
            path.write_bytes(after)
        found = code_places(sources_of(report.findings))
        assert found
        assert {place.line for place in found.values()} == {1}


def test_what_has_no_file_is_at_the_configuration_else_at_the_inventory(tmp_path: Path) -> None:
    config = tmp_path / "netplan.toml"
    request = InputRequest(today=TODAY, inventory=(FOLDER / "gcloud",), projects=())
    assert fallback_place(request, config).path == str(config)
    assert fallback_place(request, None).path.endswith("gcloud/addresses.json")
    live = InputRequest(today=TODAY, projects=("p",))
    assert fallback_place(live, None).path == "netplan.toml"


TARGET = {"netplan-target-mbps": "50000"}
TERRAFORM = """
resource "google_compute_instance" "vm" {
  count = 2
}
"""


def planned(folder: Path) -> InputRequest:
    """A plan of machines whose caps are below their declared target, packed by a module."""
    machines = [
        change(
            f"module.fleet.google_compute_instance.vm[{number}]",
            machine(f"vm-{number}", effective_labels=TARGET),
        )
        for number in range(2)
    ]
    (folder / "plan.json").write_text(json.dumps(plan(*machines), indent=1), "utf-8")
    return InputRequest(today=TODAY, inventory=(folder / "plan.json",))


def terraform_places(request: InputRequest, root: Path | None) -> set[tuple[str, int, str]]:
    """(uri, line, address) of all locations of Terraform's resources."""
    report = run_audit(request)
    places, fallback = code_places(sources_of(report.findings), root), fallback_place(request, None)
    log = json.loads(render(report, RenderOptions(places=places, fallback_place=fallback)))
    assert faults(log) == []
    locations = [
        at
        for result in log["runs"][0]["results"]
        for at in (*result["locations"], *result.get("relatedLocations", ()))
    ]
    return {
        (
            at["physicalLocation"]["artifactLocation"]["uri"],
            at["physicalLocation"]["region"]["startLine"],
            at["properties"]["terraformAddress"],
        )
        for at in locations
        if "terraformAddress" in at.get("properties", {})
    }


@pytest.mark.parametrize("is_beside", [False, True])
def test_a_planned_resource_is_at_its_line_of_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_beside: bool
) -> None:
    root = tmp_path if is_beside else tmp_path / "infra"
    (root / "fleet").mkdir(parents=True)
    (root / "main.tf").write_text('module "fleet" {\n  source = "./fleet"\n}\n')
    (root / "fleet" / "main.tf").write_text(TERRAFORM)
    monkeypatch.chdir(tmp_path)
    found = terraform_places(planned(tmp_path), None if is_beside else root)
    uri = "fleet/main.tf" if is_beside else "infra/fleet/main.tf"
    address = "module.fleet.google_compute_instance.vm"
    assert found == {(uri, 2, f"{address}[0]"), (uri, 2, f"{address}[1]")}


def test_without_a_block_it_is_at_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = terraform_places(planned(tmp_path), None)
    rows = (tmp_path / "plan.json").read_text().splitlines()
    assert len(found) == 2
    for uri, line, address in found:
        assert uri == "plan.json"
        assert rows[line - 1].strip() == f'"address": {json.dumps(address)},'


POOL = """
resource "google_container_cluster" "shop" {
  name = "shop"
}

resource "google_container_node_pool" "pool" {
  for_each = toset(["pool"])
  cluster  = google_container_cluster.shop.id
}
"""


def with_pool(folder: Path) -> InputRequest:
    """A plan of a cluster without Tier_1, and nodes of which one needs more than its cap."""
    home = {"project": "p", "location": "us-central1"}
    config = [{"machine_type": "n2-standard-32", "spot": False, "preemptible": False}]
    pool = change(
        'google_container_node_pool.pool["pool"]',
        {"name": "pool", "node_config": config, "node_count": 2},
        {"cluster": True, "version": True},
    )
    vms = [
        change(
            f"google_compute_instance.vm[{number}]",
            machine(f"n{number}", machine_type="n2-standard-32")
            | ({"effective_labels": {"netplan-target-mbps": "36000"}} if number else {}),
        )
        for number in range(2)
    ]
    cluster = change("google_container_cluster.shop", {"name": "shop"} | home, {"node_pool": True})
    refer = refers("google_container_cluster.shop.id", "google_container_cluster.shop")
    made = plan(
        cluster,
        pool,
        *vms,
        resources=(configured("google_container_node_pool", "pool", cluster=refer),),
    )
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"n{number}", "labels": {"cloud.google.com/gke-nodepool": "pool"}},
            "spec": {"providerID": f"gce://p/us-central1-a/n{number}"},
        }
        for number in range(2)
    ]
    (folder / "plan.json").write_text(json.dumps(made, indent=1), "utf-8")
    listed = {"apiVersion": "v1", "kind": "List", "items": nodes}
    (folder / "nodes.json").write_text(json.dumps(listed), "utf-8")
    return InputRequest(today=TODAY, inventory=(folder / "nodes.json", folder / "plan.json"))


def test_a_node_pool_is_at_its_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "main.tf").write_text(POOL)
    monkeypatch.chdir(tmp_path)
    (result,) = [
        one for one in results_of(with_pool(tmp_path)) if one["ruleId"] == "node-pool-tier1-missing"
    ]
    (at,) = result["locations"]
    assert at["physicalLocation"]["artifactLocation"]["uri"] == "main.tf"
    assert at["physicalLocation"]["region"]["startLine"] == 6
    address = 'google_container_node_pool.pool["pool"]'
    assert at["properties"] == {"terraformAddress": address}


def test_what_has_no_block_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "main.tf").write_text("locals {\n  é = 1\n")
    monkeypatch.chdir(tmp_path)
    (result,) = [
        one for one in results_of(with_pool(tmp_path)) if one["ruleId"] == "node-pool-tier1-missing"
    ]
    (at,) = result["locations"]
    assert at["physicalLocation"]["artifactLocation"]["uri"] == "plan.json"
    assert "no available configuration" in at["properties"]["fileIs"]
