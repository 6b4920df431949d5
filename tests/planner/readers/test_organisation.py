"""An organisation of 50 projects: as an export, as tables by type of asset, and live."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory, without_projects
from support.commands.run import run_verbs
from support.flows.entries import entries
from support.projects.asset_table import write_assets_by_type
from support.projects.organisation import MACHINES, ORGANISATION, Organisation, organisation
from support.servers.assets import AssetServer

Json = dict[str, Any]
AUDIT = ("audit", "--today", "2026-11-20", "--fail-on", "never", "-o", "json")


@pytest.fixture(scope="module")
def made() -> Organisation:
    return organisation()


def write_lines(path: Path, assets: list[Json]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in assets))
    return path


@pytest.fixture(scope="module")
def export(made: Organisation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    write_lines(folder / "resources.json", made.resources)
    write_lines(folder / "relationships.json", made.relationships)
    return folder


def check(inventory: Inventory, made: Organisation) -> None:
    """Shared networks, members of groups, and configurations are those of the organisation."""
    assert len(inventory.instances) == MACHINES * len(made.services)
    for instance in inventory.instances:
        (nic,) = instance.interfaces
        assert nic.subnetwork is not None
        subnetwork = inventory.subnetwork_by_link[nic.subnetwork]
        assert subnetwork.project == made.services[instance.project]
        (logs,) = inventory.logging_of(subnetwork)
        assert logs.sampling_ratio == 0.5
    assert {len(one.members or ()) for one in inventory.instance_groups} == {MACHINES // 2}
    assert len(inventory.instance_groups) == len(made.services)
    assert {one.project for one in inventory.flow_log_configurations} == set(made.hosts[1:])
    assert inventory.unread == ()


def test_an_export_resolves_what_lies_in_other_projects(made: Organisation, export: Path) -> None:
    check(read_inventory([export]), made)


def test_tables_by_type_do_so_as_well(made: Organisation, tmp_path: Path) -> None:
    written = write_assets_by_type(tmp_path, made.resources)
    assert len(written) == 5
    relationships = write_lines(tmp_path / "relationships.json", made.relationships)
    check(read_inventory([*written, relationships]), made)


def test_an_excluded_service_takes_only_its_own_away(made: Organisation, export: Path) -> None:
    left = without_projects(read_inventory([export]), ("service-03",))
    assert {one.project for one in left.instances} == set(made.services) - {"service-03"}
    assert len(left.subnetworks) == 2 * len(made.hosts)
    assert len(left.instance_groups) == len(made.services) - 1


def test_the_audit_reads_it_live_and_places_what_it_says(
    made: Organisation, export: Path, tmp_path: Path
) -> None:
    inventory = read_inventory([export])
    machines = [one.name for one in inventory.instances]
    assert len(set(machines)) == MACHINES
    link = "service-{}/us-east1-b/vm-{}"
    flows = [
        {"src": link.format("00", 0), "dst": link.format("05", 1), "gbps": 1.0},
        {"src": link.format("01", 0), "dst": link.format("06", 1), "gbps": 1.0},
    ]
    logs = write_lines(tmp_path / "flows.jsonl", entries_between(inventory, flows))
    server = AssetServer({ORGANISATION: [*made.resources, *made.relationships]})
    with server:
        done = run_verbs(
            arguments=[*AUDIT, "--organization", "7", "--anonymous", "--traffic", str(logs)],
            CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDASSET=server.url,
        )
    assert done.returncode == 0, done.stderr
    live = json.loads(done.stdout)
    done = run_verbs(arguments=[*AUDIT, "--inventory", str(export), "--traffic", str(logs)])
    of_files = json.loads(done.stdout)
    for field in ("traffic_by_class", "zone_pairs"):
        assert live[field] == of_files[field]
    said = [(one["rule"], one["message"]) for one in live["findings"]]
    assert said
    assert said == [(one["rule"], one["message"]) for one in of_files["findings"]]
    assert [one["path_class"] for one in live["traffic_by_class"]] == ["same-zone-internal"]


def test_writers_of_one_name_in_several_hosts_are_told_apart(
    made: Organisation, export: Path, tmp_path: Path
) -> None:
    """Each host calls its subnetworks and its configuration alike."""
    inventory = read_inventory([export])
    ends = (("00", "05", None), ("01", "06", "host-1"), ("02", "07", "host-2"))
    flows = [
        {
            "src": f"service-{src}/us-east1-b/vm-0",
            "dst": f"service-{dst}/us-east1-b/vm-1",
            "gbps": 1.0,
            **({"configuration": f"projects/{host}/locations/global/vpcFlowLogsConfigs/all"}
               if host else {}),
        }
        for src, dst, host in ends
    ]  # fmt: skip
    logs = write_lines(tmp_path / "flows.jsonl", entries_between(inventory, flows))
    words = ["flow-logs", "plan", "-o", "json", "--inventory", str(export), "--traffic", str(logs)]
    done = run_verbs(arguments=words)
    assert done.returncode == 0, done.stderr
    writers = json.loads(done.stdout)["writers"]
    assert {one["name"]: one["places"] for one in writers} == {
        "host-0/us-east1/shared-us-east1": ["host-0/us-east1/shared-us-east1"],
        "host-1/all": ["host-1/us-east1/shared-us-east1"],
        "host-2/all": ["host-2/us-east1/shared-us-east1"],
    }
    for one in writers:
        assert one["now"]["sampling_ratio"] == 0.5
        command = one["proposed"]["command"]
        assert f"--project={one['name'].partition('/')[0]}" in command


def entries_between(inventory: Inventory, flows: list[Json]) -> list[Json]:
    return list(entries(inventory, {"minutes": 30, "flows": flows}))
