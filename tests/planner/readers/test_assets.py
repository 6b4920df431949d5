"""Cloud Asset Inventory: every kind, histories, relationships, and the table in BigQuery."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from netplan_planner.readers.compute.kinds import KINDS
from support.listed import listed
from support.projects.asset_table import write_assets, write_assets_by_type
from support.projects.one_project import FOLDER
from support.projects.shared_data import needs_shared, shared

ZONE = "projects/p/zones/us-east1-b"
GROUP = f"{ZONE}/instanceGroups/g"
Json = dict[str, Any]


def vm(name: str = "a", machine_type: str = "e2-small") -> Json:
    return {
        "name": f"//compute.googleapis.com/{ZONE}/instances/{name}",
        "assetType": "compute.googleapis.com/Instance",
        "ancestors": ["projects/1", "folders/2", "organizations/3"],
        "resource": {
            "version": "v1",
            "data": {
                "name": name,
                "selfLink": f"https://www.googleapis.com/compute/v1/{ZONE}/instances/{name}",
                "machineType": f"{ZONE}/machineTypes/{machine_type}",
                "zone": ZONE,
                "status": "RUNNING",
            },
        },
    }


def group() -> Json:
    link = f"https://www.googleapis.com/compute/v1/{GROUP}"
    return {
        "name": f"//compute.googleapis.com/{GROUP}",
        "assetType": "compute.googleapis.com/InstanceGroup",
        "resource": {"data": {"name": "g", "selfLink": link, "zone": ZONE, "size": 2}},
    }


def read(folder: Path, *documents: object) -> Inventory:
    path = folder / "assets.json"
    path.write_text("".join(json.dumps(one) + "\n" for one in documents))
    return read_inventory([path])


@listed("kind", [k for k in KINDS if k.convert], ids=lambda k: k.collection)
def test_every_kind_of_the_model_is_read_from_assets(tmp_path: Path, kind: Any) -> None:
    title = kind.singular[:1].upper() + kind.singular[1:]
    place = "us-east1-b" if kind.collection in {"instances", "disks", "nodeGroups"} else "us-east1"
    scope = "zones" if place.endswith("-b") else "regions"
    link = f"projects/p/{scope}/{place}/{kind.collection}/x"
    if kind.collection in {"networks", "routes"}:
        link = f"projects/p/global/{kind.collection}/x"
    network = "projects/p/global/networks/n"
    data = {
        "name": "x",
        "selfLink": f"https://www.googleapis.com/compute/v1/{link}",
        "machineType": f"{ZONE}/machineTypes/e2-small",
        "network": network,
        "ipCidrRange": "10.0.0.0/24",
        "destRange": "0.0.0.0/0",
        "type": f"{ZONE}/diskTypes/pd-ssd",
    }
    asset = {
        "name": f"//compute.googleapis.com/{link}",
        "assetType": f"compute.googleapis.com/{title}",
        "resource": {"data": data},
    }
    inventory = read(tmp_path, asset)
    assert [one.ref.self_link for one in getattr(inventory, kind.field)] == [link]


def test_the_table_in_bigquery_reads_as_the_export_does(tmp_path: Path) -> None:
    lines = (FOLDER / "cloud-asset" / "assets.json").read_text().splitlines()
    assets = [json.loads(line) for line in lines]
    (tmp_path / "table").mkdir()
    table = read_inventory([write_assets(tmp_path / "table" / "a[1].parquet", assets)])
    export = read_inventory([FOLDER / "cloud-asset"])
    for field in ("instances", "networks", "subnetworks", "instance_groups", "commitments"):
        links = [one.ref.self_link for one in getattr(export, field)]
        assert [one.ref.self_link for one in getattr(table, field)] == links
    assert table.instances[0].ref.source.startswith(f"{tmp_path}/table/a[1].parquet:")
    assert {u.reason for u in table.unread} == {u.reason for u in export.unread}


def test_a_partitioned_table_is_read_as_of_its_last_snapshot(tmp_path: Path) -> None:
    times = ["2026-11-01T00:00:00", "2026-11-02T00:00:00"]
    path = write_assets(tmp_path / "a.parquet", [vm("a", "e2-micro"), vm("a")], readTime=times)
    inventory = read_inventory([path])
    assert [i.machine_type for i in inventory.instances] == ["e2-small"]
    assert inventory.instances[0].ref.source == f"{path}:2:/resource/data"
    assert inventory.unread == ()


def test_a_table_of_relationships_and_bad_rows(tmp_path: Path) -> None:
    related = [
        None,
        {"asset": f"//compute.googleapis.com/{GROUP}", "asset_type": "g",
         "relationship_type": "INSTANCE_TO_INSTANCEGROUP"},
        None,
        None,
    ]  # fmt: skip
    assets = [group(), {**vm("a"), "resource": {"data": {}}}, vm("b"), vm("c")]
    path = write_assets(tmp_path / "a.parquet", assets, related_asset=related)
    table = pq.read_table(path)
    resources = table.column("resource").to_pylist()
    resources[2] |= {"data": "{"}
    names = [*table.column("name").to_pylist()[:3], None]
    table = table.set_column(2, "resource", pa.array(resources)).set_column(0, "name", [names])
    pq.write_table(table, path)
    inventory = read_inventory([path])
    assert [g.members for g in inventory.instance_groups] == [(f"{ZONE}/instances/a",)]
    assert sorted((u.source, u.reason[:12]) for u in inventory.unread) == [
        (f"{path}:3:/resource/data", "damaged JSON"),
        (f"{path}:4", "a row withou"),
    ]


def test_another_table_is_foreign_and_a_damaged_one_an_error(tmp_path: Path) -> None:
    (tmp_path / "vm.json").write_text(json.dumps(vm()))
    pq.write_table(pa.table({"name": ["a"], "bytes": [1]}), tmp_path / "other.parquet")
    (unread,) = read_inventory([tmp_path]).unread
    assert "a Parquet file, but not a table of assets" in unread.reason
    assert "`--traffic`" in unread.reason
    whole = write_assets(tmp_path / "cut.parquet", [vm()]).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="a damaged Parquet file"):
        read_inventory([tmp_path / "cut.parquet"])


def test_tables_by_type_of_asset_read_as_the_export_does(tmp_path: Path) -> None:
    lines = (FOLDER / "cloud-asset" / "assets.json").read_text().splitlines()
    assets = [json.loads(line) for line in lines]
    resources = [one for one in assets if "resource" in one]
    (tmp_path / "export").mkdir()
    (tmp_path / "tables").mkdir()
    export = read(tmp_path / "export", *resources)
    written = write_assets_by_type(tmp_path / "tables", resources)
    assert "export_compute_googleapis_com_Instance.parquet" in {path.name for path in written}
    tables = read_inventory([tmp_path / "tables"])
    assert without_sources(tables) == without_sources(export)
    sources = [one.ref.source.rpartition("/tables/")[2] for one in tables.instances]
    assert "export_compute_googleapis_com_Instance.parquet:1:/resource/data" in sources
    assert {u.reason for u in tables.unread} == {u.reason for u in export.unread}


def without_sources(inventory: Inventory) -> Any:
    """Return the values of an inventory, without where each stands."""

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: bare(part) for name, part in value.items() if name != "source"}
        return [bare(one) for one in value] if isinstance(value, list | tuple) else value

    kinds = {kind.field for kind in KINDS if kind.convert}
    return {name: bare(msgspec.to_builtins(getattr(inventory, name))) for name in kinds}


def test_empty_columns_are_fields_that_a_resource_lacks(tmp_path: Path) -> None:
    on, off = vm("a"), vm("b")
    on["resource"]["data"] |= {"labels": [{"key": "team", "value": "x"}], "canIpForward": True}
    on["resource"]["data"]["scheduling"] = {"preemptible": True}
    path = write_assets_by_type(tmp_path, [on, off])[0]
    first, second = read_inventory([path]).instances
    assert first.labels == (("team", "x"),)
    assert second.labels == ()
    alone = read(tmp_path, off).instances[0]
    assert msgspec.structs.replace(second, ref=alone.ref) == alone


@needs_shared
def test_every_recorded_export_is_read() -> None:
    folder = shared("data/recorded/cai")
    inventory = read_inventory([folder])
    counts = {p.project: dict(p.counts) for p in inventory.projects}
    assert sum(count.get("instances", 0) for count in counts.values()) == len(inventory.instances)
    assert len(inventory.instances) >= 10
    damaged = [u for u in inventory.unread if "damaged" in u.reason]
    assert all("gke_container_optimized_os" in u.source for u in damaged)
