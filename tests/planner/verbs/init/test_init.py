"""`netplan init`: what it finds, and that what it writes is read by other verbs."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.google.credentials import configured_project
from netplan_planner.verbs.init import find
from netplan_planner.verbs.init.settings import text_of
from support.commands.in_process import netplan

DEMO = Path(find.__file__).parents[2] / "demos/gecko"
FLOWS = (
    "src,dst,bytes,start,end\n10.0.0.1,10.0.0.2,5000,2026-03-02T00:00:00Z,2026-03-02T01:00:00Z\n"
)
PLAN = {"format_version": "1.2", "terraform_version": "1.9.0", "planned_values": {}}
_ENVIRONMENT = (
    *("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_ACTIVE_CONFIG_NAME"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in _ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def vm(name: str, address: str) -> dict[str, Any]:
    project = "https://www.googleapis.com/compute/v1/projects/my-project"
    zone = f"{project}/zones/us-central1-a"
    return {
        "kind": "compute#instance",
        "name": name,
        "selfLink": f"{zone}/instances/{name}",
        "zone": zone,
        "machineType": f"{zone}/machineTypes/n2-standard-4",
        "status": "RUNNING",
        "networkInterfaces": [{"networkIP": address, "network": f"{project}/global/networks/n"}],
    }


def inventory(folder: Path) -> Path:
    file = folder / "vms.json"
    file.write_text(json.dumps([vm("a", "10.0.0.1"), vm("b", "10.0.0.2")]))
    return file


def answer(*words: str) -> dict[str, Any]:
    done = netplan("init", *words, "--output", "json")
    assert done.status == 0, done.err
    return dict(json.loads(done.out))


def kinds(found: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {one["path"]: (one["kind"], one["setting"]) for one in found["found"]}


def settings(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "netplan.toml").read_text("utf-8"))


def test_an_audit_needs_no_arguments_afterwards(folder: Path) -> None:
    inventory(folder)
    (folder / "flows.csv").write_text(FLOWS)
    done = netplan("init")
    assert done.status == 0
    assert len(done.out.splitlines()) <= 12
    assert "netplan audit" in done.out
    assert settings(folder)["audit"] == {"inventory": ["vms.json"], "traffic": ["flows.csv"]}
    shown = netplan("config", "show").out
    assert "audit.inventory" in shown
    assert "vms.json  (netplan.toml)" in shown
    report = json.loads(netplan("audit", "--fail-on", "never", "--output", "json").out)
    assert [one["name"] for one in report["machines"]] == ["a", "b"]
    assert report["coverage"]["traffic"] is not None
    assert netplan("graph").status == 0


def test_every_comment_is_a_setting_that_is_read(folder: Path) -> None:
    """Each example is accepted, and each default is the one that `netplan audit` has."""
    text = text_of({}, {})
    assert len(text.splitlines()) <= 60
    plain = [line.removeprefix("# ") for line in text.splitlines()]
    given = "\n".join(line for line in plain if " = " in line or line[:1] == "[")
    held = tomllib.loads(given)
    assert held["targets"]
    (folder / "netplan.toml").write_text("")
    shown = json.loads(netplan("config", "show", "--output", "json").out)["settings"]
    defaults = {one["setting"]: one["value"] for one in shown}
    lines = text.splitlines()
    for name in held["audit"]:
        place = next(i for i, line in enumerate(lines) if line.startswith(f"# {name} = "))
        said = lines[place - 1].rpartition("Default: ")[2].rstrip(".")
        default = defaults[f"audit.{name}"]
        assert said == ("none" if default in (None, []) else str(default)), name
    (folder / "netplan.toml").write_text(given)
    assert netplan("config", "show").status == 0


def test_a_file_that_exists_is_kept(folder: Path) -> None:
    inventory(folder)
    own = folder / "netplan.toml"
    own.write_text("# mine\n")
    done = netplan("init")
    assert done.status == 2
    assert "--force" in done.err
    assert own.read_text() == "# mine\n"
    assert netplan("init", "--force").status == 0
    assert settings(folder)["audit"]["inventory"] == ["vms.json"]
    assert sorted(one.name for one in folder.iterdir()) == ["netplan.toml", "vms.json"]


def test_each_kind_is_known_by_its_content(folder: Path) -> None:
    inventory(folder)
    (folder / "plan.json").write_text(json.dumps(PLAN))
    (folder / "main.tf").write_text('resource "x" "y" {}\n')
    (folder / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n")
    (folder / "flows.csv").write_text(FLOWS)
    (folder / "rates.csv").write_text("src,dst,gbps\na,b,1\n")
    (folder / "edges.csv").write_text("src,dst,gib_per_month\na,b,1\n")
    (folder / "series.json").write_text(json.dumps({"timeSeries": []}))
    (folder / "notes.txt").write_text("hello\n")
    assert netplan("collect", "--demo", "gecko", "--out", "all.tar.zst").status == 0
    found = answer()
    assert kinds(found) == {
        "vms.json": ("inventory", "inventory"),
        "plan.json": ("terraform-plan", ""),
        "main.tf": ("terraform-source", ""),
        "pod.yaml": ("kubernetes", "inventory"),
        "flows.csv": ("flow-logs", "traffic"),
        "rates.csv": ("rates", ""),
        "series.json": ("metrics", "metrics"),
        "all.tar.zst": ("bundle", ""),
    }
    assert "netplan diff plan.json" in found["commands"]
    assert len(netplan("init", "--force").out.splitlines()) <= 12


def test_a_bundle_alone_is_set(folder: Path) -> None:
    assert netplan("collect", "--demo", "gecko", "--out", "all.tar.zst").status == 0
    assert kinds(answer()) == {"all.tar.zst": ("bundle", "bundle")}
    assert netplan("audit", "--fail-on", "never").status == 0


def test_folders_of_one_kind_are_set_as_such(folder: Path) -> None:
    logs = folder / "logs"
    logs.mkdir()
    for one in DEMO.glob("*.gz"):
        (logs / one.name).write_bytes(one.read_bytes())
    assert kinds(answer()) == {"logs": ("flow-logs", "traffic")}
    (logs / "readme.txt").write_text("not flow logs\n")
    assert set(kinds(answer("--force"))) == {"logs/flows-00.json.gz", "logs/flows-12.json.gz"}


def test_what_is_over_the_bounds_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        (folder / f"{number}.csv").write_text(FLOWS)
    monkeypatch.setattr(find, "MOST_FILES", 2)
    found = answer()
    assert (found["checked_count"], found["unchecked_count"]) == (2, 1)
    assert not found["is_complete"]
    assert "or more not" in netplan("init", "--force").out


def test_a_large_inventory_is_known_by_its_first_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory(folder)
    (folder / "other.json").write_text(json.dumps({"hello": 1}))
    monkeypatch.setattr(find, "LARGEST_BYTES", 5)
    found = answer()
    assert kinds(found) == {"vms.json": ("inventory", "inventory")}
    assert found["unchecked_count"] == 1


def test_the_project_is_set_where_nothing_else_holds_its_vms(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "my-project")
    assert answer()["is_project_set"]
    assert settings(folder)["audit"] == {"project": ["my-project"]}
    inventory(folder)
    assert not answer("--force")["is_project_set"]
    assert '# project = ["my-project"]' in (folder / "netplan.toml").read_text("utf-8")
    assert answer("--force", "--project", "other")["projects"] == ["other"]
    assert settings(folder)["audit"]["project"] == ["other"]


def test_another_folder(folder: Path) -> None:
    there = folder / "there"
    there.mkdir()
    inventory(there)
    found = answer("--dir", "there")
    assert found["commands"][0] == "cd there"
    assert settings(there)["audit"] == {"inventory": ["vms.json"]}


def test_the_project_of_credentials_and_of_gcloud(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert configured_project() is None
    gcloud = folder.parent / "gcloud"
    (gcloud / "configurations").mkdir(parents=True)
    (gcloud / "active_config").write_text("work\n")
    (gcloud / "configurations/config_work").write_text("[core]\nproject = of-gcloud\n")
    assert configured_project() == "of-gcloud"
    key = folder / "key.json"
    key.write_text(json.dumps({"type": "service_account", "project_id": "of-the-key"}))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key))
    assert configured_project() == "of-the-key"
    key.write_text("[" * 9)
    assert configured_project() == "of-gcloud"
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "of-environment")
    assert configured_project() == "of-environment"
