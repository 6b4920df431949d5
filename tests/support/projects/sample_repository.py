"""A made Git repository whose second commit changes Terraform, as a pull request does.

    PYTHONPATH=tests python tests/support/projects/sample_repository.py FOLDER

The first commit has two VMs; the second gives one another machine type and makes two more. Beside
the configuration are the plan as JSON, which holds the state before it too, and a report of the
live project with its traffic. Nothing in it is of a real project.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from netplan_planner.readers import read_inventory
from support.commands.run import run_verbs
from support.flows.entries import write_entries
from support.projects.plan_of_vms import GOOGLE, NAME, PLANNED, PRIOR, Vms, write_plan

REPORT = "live.json"
CODE = "main.tf"
PROJECT = "shop-prod"
DAY = "2026-11-20"
FLOWS = [
    {"src": "db-1", "dst": "web-0", "gbps": 9.2},
    {"src": "web-0", "dst": "db-1", "gbps": 0.4},
]
_SECONDS = 60
_HEAD = """# Databases and web servers of the shop.
locals {
  vms = {
"""
_TAIL = """  }
}

resource "google_compute_instance" "vm" {
  for_each     = local.vms
  name         = each.key
  machine_type = each.value[0]
  zone         = each.value[1]
  project      = "shop-prod"

  network_interface {
    network = "default"
  }
}
"""


def write_sample(folder: Path) -> Path:
    """Write the repository; return its folder, on the branch with the change."""
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / CODE).write_text(_code(PRIOR), "utf-8")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "--message", "Two VMs")
    _git(folder, "switch", "--quiet", "--create", "larger-database")
    write_files(folder)
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "--message", "A larger database and two caches")
    return folder


def write_files(folder: Path) -> None:
    """Write what the branch holds: configuration, plan and report."""
    (folder / CODE).write_text(_code(PLANNED), "utf-8")
    write_plan(folder / NAME, project=PROJECT)
    _write_report(folder / REPORT)


def _code(vms: Vms) -> str:
    rows = (f'    {name} = ["{kind}", "{zone}"]\n' for name, (kind, zone) in vms.items())
    return _HEAD + "".join(rows) + _TAIL


def _write_report(path: Path) -> None:
    """Write what an audit of the live VMs and their flow logs says."""
    with TemporaryDirectory() as made:
        live = Path(made)
        (live / "instances.json").write_text(json.dumps(live_instances()), "utf-8")
        write_entries(live / "flows.jsonl", read_inventory([live]), {"flows": FLOWS})
        done = run_verbs(
            arguments=[
                *("audit", "--inventory", str(live / "instances.json"), "--today", DAY),
                *("--traffic", str(live / "flows.jsonl"), "--exit-zero"),
                *("--output", f"json:{path}"),
            ]
        )
        assert done.returncode == 0, done.stderr
        path.write_text(path.read_text("utf-8").replace(f"{live}/", ""), "utf-8")


def live_instances() -> list[dict[str, object]]:
    """Return the VMs before the change, as gcloud lists them."""
    network = f"{GOOGLE}/projects/{PROJECT}"
    return [
        {
            "kind": "compute#instance",
            "id": str(number),
            "name": name,
            "selfLink": f"{network}/zones/{zone}/instances/{name}",
            "zone": f"{network}/zones/{zone}",
            "machineType": f"{network}/zones/{zone}/machineTypes/{kind}",
            "status": "RUNNING",
            "networkInterfaces": [
                {
                    "name": "nic0",
                    "network": f"{network}/global/networks/default",
                    "subnetwork": f"{network}/regions/us-central1/subnetworks/default",
                    "networkIP": f"10.128.0.{number}",
                }
            ],
        }
        for number, (name, (kind, zone)) in enumerate(PRIOR.items(), 2)
    ]


def _git(folder: Path, *words: str) -> None:
    who = {f"GIT_{role}_{what}": said for role in ("AUTHOR", "COMMITTER")
           for what, said in (("NAME", "sample"), ("EMAIL", "sample@example.com"),
                              ("DATE", f"{DAY}T08:00:00Z"))}  # fmt: skip
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    environment = {**os.environ, **alone, **who}
    subprocess.run(["git", *words], cwd=folder, env=environment, check=True, timeout=_SECONDS)


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]))
