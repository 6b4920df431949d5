"""Reading a Terraform plan of 100,000 resources: netplan's inventory, and `json.loads` alone.

The plan is what `terraform show -json` writes for made modules: machines by `count`, each with a
disk and an address, subnetworks, load balancers, and firewall rules that nobody needs. Every
resource stands there twice, as planned value and as change with what is known after apply. Each
reader is a fresh process; time and peak memory are the operating system's.

    python benchmarks/terraform_plan.py
    python benchmarks/terraform_plan.py --resources 20000 --repeat 1

Inputs are pinned: the same arguments make the same bytes.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = "made-project"
REGIONS = ("us-central1", "europe-west1", "asia-east1")
TYPES = ("n2-standard-8", "e2-standard-4", "c3-standard-22", "n2d-highmem-16")
MACHINES_IN_A_MODULE = 200
PROVIDER = "registry.terraform.io/hashicorp/google"

READERS = {
    "netplan": (
        "from pathlib import Path; from netplan_planner.readers import read_inventory;"
        " i = read_inventory([Path(sys.argv[1])]);"
        " print(sum(len(getattr(i, f) or ()) for f in i.__struct_fields__"
        " if f not in {'unread', 'projects'}))"
    ),
    "json.loads": "import json; d = json.loads(open(sys.argv[1], 'rb').read());"
    " print(len(d['resource_changes']))",
}

Resource = tuple[str, str, str, int | None, dict[str, Any], dict[str, Any]]
"""Module, type, name, index, values, and what of them is known after apply."""


def machine(module: str, number: int, region: str) -> Resource:
    """Return a machine as the provider plans it."""
    labels = {"team": f"team-{number % 20}", "goog-terraform-provisioned": "true"}
    values: dict[str, Any] = {
        "advanced_machine_features": [],
        "allow_stopping_for_update": True,
        "attached_disk": [{"mode": "READ_WRITE", "disk_encryption_key_raw": None}],
        "boot_disk": [
            {
                "auto_delete": True,
                "initialize_params": [
                    {"image": "debian-cloud/debian-12", "source_image_encryption_key": []}
                ],
                "mode": "READ_WRITE",
            }
        ],
        "can_ip_forward": False,
        "deletion_protection": False,
        "description": None,
        "desired_status": None,
        "effective_labels": labels,
        "labels": labels,
        "machine_type": TYPES[number % len(TYPES)],
        "metadata": {"enable-oslogin": "TRUE"},
        "metadata_startup_script": "apt-get update\n" * 20,
        "name": f"worker-{number:06d}",
        "network_interface": [
            {
                "access_config": [{"public_ptr_domain_name": None}],
                "alias_ip_range": [],
                "ipv6_access_config": [],
                "nic_type": "GVNIC",
                "queue_count": None,
            }
        ],
        "network_performance_config": [],
        "project": PROJECT,
        "resource_policies": None,
        "scratch_disk": [],
        "service_account": [
            {
                "email": f"worker@{PROJECT}.iam.gserviceaccount.com",
                "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            }
        ],
        "shielded_instance_config": [],
        "tags": ["http-server", module],
        "terraform_labels": labels,
        "timeouts": None,
        "zone": f"{region}-{'abc'[number % 3]}",
    }
    unknown: dict[str, Any] = {
        "attached_disk": [{"device_name": True, "source": True}],
        "boot_disk": [{"device_name": True, "source": True, "initialize_params": [{"size": True}]}],
        "cpu_platform": True,
        "creation_timestamp": True,
        "current_status": True,
        "guest_accelerator": True,
        "id": True,
        "instance_id": True,
        "min_cpu_platform": True,
        "network_interface": [
            {
                "access_config": [{"nat_ip": True, "network_tier": True}],
                "name": True,
                "network": True,
                "network_ip": True,
                "stack_type": True,
                "subnetwork": True,
            }
        ],
        "scheduling": True,
        "self_link": True,
        "tags": [False, False],
    }
    return module, "google_compute_instance", "worker", number, values, unknown


def disk(module: str, number: int, region: str) -> Resource:
    """Return the disk of a machine."""
    values = {
        "image": "",
        "labels": {"team": f"team-{number % 20}"},
        "name": f"data-{number:06d}",
        "project": PROJECT,
        "size": 500,
        "type": "pd-ssd",
        "zone": f"{region}-{'abc'[number % 3]}",
    }
    unknown = {"id": True, "self_link": True, "users": True, "physical_block_size_bytes": True}
    return module, "google_compute_disk", "data", number, values, unknown


def address(module: str, number: int, region: str) -> Resource:
    """Return a reserved address."""
    values = {
        "address_type": "EXTERNAL",
        "name": f"address-{number:06d}",
        "project": PROJECT,
        "region": region,
    }
    unknown = {"address": True, "id": True, "network_tier": True, "self_link": True, "users": True}
    return module, "google_compute_address", "address", number, values, unknown


def rule(module: str, number: int, region: str) -> Resource:
    """Return a firewall rule."""
    values = {
        "allow": [{"ports": ["443", "8080-8090"], "protocol": "tcp"}],
        "direction": "INGRESS",
        "name": f"rule-{number:06d}",
        "project": PROJECT,
        "source_ranges": ["10.0.0.0/8"],
    }
    return module, "google_compute_firewall", "rule", number, values, {"id": True}


KINDS = (machine, disk, address, rule)


def resources(count: int) -> Iterator[Resource]:
    """Yield all resources: three fifths machines and disks, the rest addresses and rules."""
    for number in range(count):
        module = f"cell{number // MACHINES_IN_A_MODULE // len(KINDS)}"
        region = REGIONS[number // MACHINES_IN_A_MODULE % len(REGIONS)]
        yield KINDS[number % len(KINDS)](module, number, region)


def _call(module: str, region: str) -> dict[str, Any]:
    reference = ["google_compute_subnetwork.own.id", "google_compute_subnetwork.own"]
    machine_blocks = [{"subnetwork": {"references": reference}, "access_config": [{}]}]
    held = [
        ("google_compute_instance", "worker", {"network_interface": machine_blocks}),
        ("google_compute_subnetwork", "own", {"network": {"references": ["var.network"]}}),
        ("google_compute_disk", "data", {}),
        ("google_compute_address", "address", {}),
        ("google_compute_firewall", "rule", {}),
    ]
    network = ["google_compute_network.all.id", "google_compute_network.all"]
    return {
        "source": "./cell",
        "expressions": {"network": {"references": network}},
        "module": {
            "resources": [
                {"mode": "managed", "type": kind, "name": name, "expressions": expressions}
                for kind, name, expressions in held
            ],
            "variables": {"network": {}},
        },
    }


def write_plan(path: Path, count: int) -> None:
    """Write a plan of so many resources, and of a network and a subnetwork for each module."""
    modules = max(count // MACHINES_IN_A_MODULE // len(KINDS), 1)
    listed: list[Resource] = [
        (
            "",
            "google_compute_network",
            "all",
            None,
            {"name": "all", "project": PROJECT},
            {"id": True, "mtu": True},
        )
    ]
    for number in range(modules + 1):
        values = {
            "ip_cidr_range": f"10.{number % 256}.0.0/16",
            "log_config": [],
            "name": f"cell-{number}",
            "project": PROJECT,
            "region": REGIONS[number % len(REGIONS)],
        }
        unknown = {"id": True, "network": True, "self_link": True}
        listed.append((f"cell{number}", "google_compute_subnetwork", "own", None, values, unknown))
    listed += resources(count)
    shown: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    for module, kind, name, index, planned, unknown in listed:
        head = {
            "address": f"{f'module.{module}.' if module else ''}{kind}.{name}"
            + ("" if index is None else f"[{index}]"),
            "mode": "managed",
            "type": kind,
            "name": name,
            "provider_name": PROVIDER,
        } | ({} if index is None else {"index": index})
        shown.append(head | {"schema_version": 6, "values": planned, "sensitive_values": {}})
        change = {"actions": ["create"], "before": None, "after": planned, "after_unknown": unknown}
        own = {"module_address": f"module.{module}"} if module else {}
        changes.append(head | own | {"change": change | {"after_sensitive": {}}})
    calls = {f"cell{n}": _call(f"cell{n}", REGIONS[n % len(REGIONS)]) for n in range(modules + 1)}
    plan = {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "planned_values": {"root_module": {"resources": shown}},
        "resource_changes": changes,
        "configuration": {
            "provider_config": {"google": {"name": "google"}},
            "root_module": {
                "resources": [{"mode": "managed", "type": "google_compute_network", "name": "all"}],
                "module_calls": calls,
            },
        },
    }
    with path.open("w", encoding="utf-8") as file:
        json.dump(plan, file, separators=(",", ":"))


def run(reader: str, path: Path) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and peak GiB of one reader in its own process."""
    started = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-c", f"import sys; {READERS[reader]}", str(path)])
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"{reader} ended with status {status}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


def main() -> None:
    """Write the plan, run both readers in turns, print the medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--resources", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "plan.json")
        write_plan(path, asked.resources)
        size = path.stat().st_size / 1e6
        print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
        print(f"{asked.resources:,} resources, {size:,.0f} MB")
        figures: dict[str, list[tuple[float, float, float]]] = {name: [] for name in READERS}
        for _ in range(asked.repeat):
            for name, found in figures.items():
                found.append(run(name, path))
    for name, found in figures.items():
        wall, cpu, peak = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{name:12} wall {wall:6.2f} s   CPU {cpu:6.2f} s   peak {peak:5.2f} GiB")


if __name__ == "__main__":
    main()
