"""Terraform plans and states: what is there after apply; single facts are in `data/inventories`."""

import codecs
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory, Part
from netplan_planner.readers import read_inventory
from support.listed import listed
from support.projects import one_project, terraform
from support.projects.plans import Json, change, configured, lost, machine, plan, read_plan, refers

NETWORK, SUBNETWORK = "google_compute_network", "google_compute_subnetwork"
INSTANCE = "google_compute_instance"
UNKNOWN_NIC = {"network_interface": [{"subnetwork": True, "network": True}]}


def reasons(inventory: Inventory) -> str:
    return "\n".join(one.reason for one in inventory.unread)


def sub(address: str, name: str) -> Json:
    values = {"name": name, "project": "p", "region": "us-central1", "ip_cidr_range": "10.0.0.0/24"}
    return change(address, values | {"log_config": []}, {"network": True, "self_link": True})


def modules() -> Json:
    """Two cells of a module, whose machines take a subnetwork through a variable and an output."""
    wired = {"network_interface": [{"subnetwork": refers("var.subnetwork")}]}
    cell = {
        "for_each_expression": {},
        "expressions": {"subnetwork": refers("module.net.subnetwork", "module.net")},
        "module": {"resources": [configured(INSTANCE, "vm", **wired)]},
    }
    output = {"expression": refers(f"{SUBNETWORK}.s.self_link", f"{SUBNETWORK}.s")}
    resources = [configured(SUBNETWORK, "s", network={"constant_value": "n"})]
    network = {"module": {"resources": resources, "outputs": {"subnetwork": output}}}
    machines = [
        change(
            f"module.cell[{json.dumps(key)}].{INSTANCE}.vm[{number}]",
            machine(f"{key[0]}-{number}", network_interface=[{}]),
            UNKNOWN_NIC,
        )
        for key in ("a.b", 'q/"')
        for number in range(2)
    ]
    calls = {"cell": cell, "net": network}
    return plan(sub(f"module.net.{SUBNETWORK}.s", "s"), *machines, calls=calls)


def test_references_lead_through_modules(tmp_path: Path) -> None:
    given = modules()
    given["resource_changes"][0]["change"]["after"]["network"] = "shared"
    found = {one.name: one for one in read_plan(tmp_path, given).instances}
    assert sorted(found) == ["a-0", "a-1", "q-0", "q-1"]
    for one in found.values():
        assert one.interfaces[0].subnetwork == "projects/p/regions/us-central1/subnetworks/s"
        assert one.interfaces[0].network == "projects/p/global/networks/shared"
    assert found["a-1"].ref.source.endswith(f'plan.json: module.cell["a.b"].{INSTANCE}.vm[1]')


WHOLE = f"{SUBNETWORK}.s"


@pytest.mark.parametrize(
    ("references", "subnetworks"),
    [
        ((f"{WHOLE}[1].id", f"{WHOLE}[1]", WHOLE), ["s1", "s1"]),
        ((WHOLE, "count.index"), ["s0", "s1"]),
        # Which of several is meant is not guessed.
        ((WHOLE,), [None, None]),
        ((WHOLE, "count.index"), [None, None, None]),
    ],
)
def test_one_of_several_is_meant_by_its_key(
    tmp_path: Path, references: tuple[str, ...], subnetworks: list[str | None]
) -> None:
    blocks = [{"subnetwork": refers(*references)}]
    machines = [machine(f"vm{at}", network_interface=[{}]) for at in range(len(subnetworks))]
    made = plan(
        *(sub(f"{WHOLE}[{at}]", f"s{at}") for at in range(2)),
        *(change(f"{INSTANCE}.vm[{at}]", vm, UNKNOWN_NIC) for at, vm in enumerate(machines)),
        resources=(
            configured(SUBNETWORK, "s", network={"constant_value": "n"}),
            configured(INSTANCE, "vm", network_interface=blocks),
        ),
    )
    inventory = read_plan(tmp_path, made)
    nics = [one.interfaces[0] if one.interfaces else None for one in inventory.instances]
    assert [nic and (nic.subnetwork or "").rpartition("/")[2] for nic in nics] == subnetworks
    is_lost = any(field == "network_interface[0].subnetwork" for field, _ in lost(inventory))
    assert is_lost == (None in subnetworks)


@pytest.mark.parametrize("pairs", [("ab", "ba"), ("ab",)])
def test_a_planned_peering_is_active_when_both_sides_are_there(
    tmp_path: Path, pairs: tuple[str, ...]
) -> None:
    kind = "google_compute_network_peering"
    unknown = {"network": True, "peer_network": True, "state": True}
    nets = [change(f"{NETWORK}.{n}", {"name": n, "project": "p"}, {"mtu": True}) for n in "ab"]
    networks = {name: refers(f"{NETWORK}.{name}.id", f"{NETWORK}.{name}") for name in "ab"}
    blocks = [
        configured(kind, pair, network=networks[pair[0]], peer_network=networks[pair[1]])
        for pair in pairs
    ]
    changes = [change(f"{kind}.{pair}", {"name": pair}, unknown) for pair in pairs]
    found = read_plan(tmp_path, plan(*nets, *changes, resources=tuple(blocks)))
    assert len(list(found.peered_networks())) == len(pairs) - 1
    why = "whether the peering is active is known after apply"
    assert any(why in reason for _, reason in lost(found)) == (len(pairs) == 1)


def state(**more: Any) -> Json:
    return terraform.state(terraform.held(one_project.resources())) | more


@listed("encoding", ["utf-16-le", "utf-16-be", "utf-8-sig", "utf-8"])
def test_every_encoding_reads_alike(tmp_path: Path, encoding: str) -> None:
    marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    path = tmp_path / "state.json"
    path.write_bytes(marks.get(encoding, b"") + json.dumps(state(), indent=1).encode(encoding))
    found = read_inventory([path])
    assert len(found.instances) == len(one_project.resources()["instances"])
    assert found.unread == ()


@listed("version", ["0.1", "0.2", "1.0", "1.1", "1.2", "1.9", None, "absent"])
@listed("indent", [None, 1])
def test_known_versions(tmp_path: Path, version: str | None, indent: int | None) -> None:
    """A newer minor version, and none, are noted."""
    unstated = "it has no format_version"
    said = {"1.9": "format 1.9 is newer than 1.2", None: unstated, "absent": unstated}
    made = state(format_version=version)
    if version == "absent":
        del made["format_version"]
    inventory = read_plan(tmp_path, json.dumps(made, indent=indent))
    assert inventory.instances
    assert said.get(version, "") in reasons(inventory)
    assert bool(inventory.unread) == (version in said)


@listed("version", ["2.0", "10.1", "x", 7, [], {"a": 1}])
@listed("indent", [None, 1])
def test_a_newer_major_version_is_refused(
    tmp_path: Path, version: object, indent: int | None
) -> None:
    with pytest.raises(InputError, match=r"plan\.json: Terraform's (JSON format|format_version)"):
        read_plan(tmp_path, json.dumps(state(format_version=version), indent=indent))


SHOW = "terraform show -json"
CUT = r"plan\.json: line \d+, column \d+: damaged JSON"
OLD = {"version": 3, "terraform_version": "0.11.14", "serial": 1, "modules": []}


@listed(
    ("name", "text", "said"),
    [
        (
            "terraform.tfstate",
            json.dumps(OLD),
            r"version 3 is not supported \(version 4 is\). Run `terr",
        ),
        ("main.tf", 'resource "google_compute_instance" "vm" {\n}\n', SHOW),
        ("main.tf", "# network\nterraform {\n}\n", SHOW),
        ("plan.txt", "Terraform used the selected providers\n\nTerraform will perform\n", SHOW),
        *(
            ("plan.json", json.dumps(modules(), indent=1)[:end], CUT)
            for end in (500, 2000, 4000, -3)
        ),
    ],
)
def test_what_is_no_plan_says_what_to_run_or_where(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        read_plan(tmp_path, text, name)


def test_a_plan_that_terraform_saved_says_what_to_run(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tfplan", b"\x08\x03" * 100)
        archive.writestr("tfstate", b"{}")
    path = tmp_path / "tfplan"
    path.write_bytes(packed.getvalue())
    with pytest.raises(InputError, match=r"run `terraform show -json PLANFILE > plan\.json`"):
        read_inventory([path])


@listed(
    "wrong",
    [
        {"resource_changes": {}},
        {"resource_changes": [5, None, {"address": 1}, {"address": "a", "type": "b", "name": "c"}]},
        {"resource_changes": [change(f"{INSTANCE}.vm", machine("vm")) | {"index": [1]}]},
        {"resource_changes": None, "planned_values": [1]},
        {"resource_changes": None, "planned_values": {"root_module": {"resources": [7]}}},
        {"configuration": [], "variables": 3},
        {"configuration": {"root_module": {"resources": [1], "module_calls": {"a": 2}}}},
        {"configuration": {"provider_config": {"google": {"expressions": 1}}, "root_module": 4}},
    ],
)
def test_wrong_types_are_noted_not_fatal(tmp_path: Path, wrong: Json) -> None:
    inventory = read_plan(tmp_path, plan(change(f"{INSTANCE}.vm", machine("vm"))) | wrong)
    assert inventory.instances or lost(inventory)


WRONG_VALUES = [7, "text", [1], [None], {"a": []}, [{"a": 1}], True, -1.5]
FIELDS = [*machine("vm"), "labels", "tags", "scheduling", "boot_disk", "metadata", "self_link"]


@listed("field", FIELDS)
@listed("value", WRONG_VALUES)
def test_a_field_of_a_wrong_type_is_that_fields_loss(
    tmp_path: Path, field: str, value: object
) -> None:
    made = plan(change(f"{INSTANCE}.vm", machine("vm") | {field: value}))
    inventory = read_plan(tmp_path, made)
    assert len(inventory.instances) <= 1
    assert inventory.instances or lost(inventory)


CLUSTER_FIELDS = (
    *("node_config", "node_pool", "autoscaling", "network_config", "node_locations"),
    *("labels", "cluster", "max_pods_per_node", "initial_node_count"),
)


@listed("field", CLUSTER_FIELDS)
@listed("value", WRONG_VALUES)
def test_a_field_of_a_wrong_type_of_a_cluster(tmp_path: Path, field: str, value: object) -> None:
    placed = {"name": "shop", "project": "p", "location": "us-central1-a", "cluster": "shop"}
    kinds = ("google_container_cluster", "google_container_node_pool")
    changes = [change(f"{kind}.shop", {**placed, field: value}) for kind in kinds]
    made = read_plan(tmp_path, plan(*changes)).kubernetes
    assert made is not None
    assert made.clusters


LATER = refers("random_integer.r.result", "random_integer.r")


@listed(
    ("block", "unknown", "after", "asked", "part"),
    [
        # Of a dynamic block the configuration says nothing.
        ("scratch_disk", True, None, None, Part.LOCAL_SSDS),
        ("advanced_machine_features", True, None, None, Part.CPU_FEATURES),
        ("network_performance_config", True, None, None, Part.TIER),
        ("network_performance_config", "total_egress_bandwidth_tier", {}, {}, Part.TIER),
        ("guest_accelerator", "count", {"type": "nvidia-l4"}, {}, Part.GPUS),
        ("guest_accelerator", True, None, LATER, Part.GPUS),
        ("scheduling", "provisioning_model", {}, {}, Part.SCHEDULING),
        ("scheduling", "node_affinities", {}, {}, Part.SCHEDULING),
        ("reservation_affinity", "type", {}, {}, Part.RESERVATION),
    ],
)
def test_a_part_that_is_asked_for_and_not_known(
    tmp_path: Path, block: str, unknown: Any, after: Json | None, asked: Any, part: Part
) -> None:
    if isinstance(unknown, str):
        unknown, after, asked = [{unknown: True}], [after], [{unknown: LATER}]  # type: ignore[assignment]
    own = configured(INSTANCE, "vm", **({} if asked is None else {block: asked}))
    changed = change(f"{INSTANCE}.vm", machine("vm") | {block: after}, {block: unknown})
    inventory = read_plan(tmp_path, plan(changed, resources=(own,)))
    (vm,) = inventory.instances
    assert vm.unknown_parts == (part,)
    assert vm.why_unknown == f"known after apply: {part}"
    assert [(field or "").partition("[")[0] for field, _ in lost(inventory)] == [block]


HOSTILE = ["../../etc", "\x1b[31mred", "a\nb", "'; DROP", "ü" * 300, "a/b", "(1 of 1)", "<b>"]


@listed("name", HOSTILE)
def test_hostile_names_are_read_or_refused_one_by_one(tmp_path: Path, name: str) -> None:
    hostile = change(f"{INSTANCE}.vm[{json.dumps(name)}]", machine(name))
    inventory = read_plan(tmp_path, plan(hostile, change(f"{INSTANCE}.good", machine("good"))))
    assert "good" in [one.name for one in inventory.instances]
    assert len(inventory.instances) + len(lost(inventory)) == 2


def test_nothing_secret_of_a_plan_is_kept(tmp_path: Path) -> None:
    hidden = "hunter2-very-secret"
    planned = machine(
        "vm",
        metadata={"password": hidden, "ssh-keys": hidden},
        metadata_startup_script=hidden,
        boot_disk=[{"disk_encryption_key_raw": hidden}],
    )
    disk = {"name": "d", "project": "p", "zone": "us-east1-b", "type": "pd-ssd"}
    secret = disk | {"disk_encryption_key": [{"raw_key": hidden}]}
    changes = (change(f"{INSTANCE}.vm", planned), change("google_compute_disk.d", secret))
    inventory = read_plan(tmp_path, plan(*changes))
    assert (len(inventory.instances), len(inventory.disks)) == (1, 2)
    assert hidden not in repr(inventory)


ABOUT = {"mode": "managed", "type": NETWORK, "name": "n"}
PLACED = {**ABOUT, "address": f"{NETWORK}.n"}
ROOT = "https://www.googleapis.com/compute/v1/projects/p/global/networks/"
WAS, IS = ({"name": name, "self_link": ROOT + name} for name in ("old", "new"))
DEPOSED: dict[str, Json] = {
    "state": {
        "format_version": "1.0",
        "values": {
            "root_module": {
                "resources": [
                    {**PLACED, "values": WAS, "deposed_key": "a1"},
                    {**PLACED, "values": IS},
                ]
            }
        },
    },
    "state file": {
        "version": 4,
        "terraform_version": "1.9.0",
        "serial": 1,
        "resources": [
            {**ABOUT, "instances": [{"deposed": "a1", "attributes": WAS}, {"attributes": IS}]}
        ],
    },
    "plan": {
        "format_version": "1.0",
        "resource_changes": [
            {**PLACED, "deposed": "a1", "change": {"actions": ["delete"], "before": WAS}},
            {**PLACED, "change": {"actions": ["no-op"], "before": IS, "after": IS}},
        ],
    },
}


@listed("form", DEPOSED)
def test_what_terraform_is_still_to_destroy_does_not_take_the_place_of_what_replaced_it(
    tmp_path: Path, form: str
) -> None:
    """A deposed object has the address of what stands there now."""
    inventory = read_plan(tmp_path, DEPOSED[form])
    assert [network.name for network in inventory.networks] == ["new"]
    assert "deposed objects" in reasons(inventory)
