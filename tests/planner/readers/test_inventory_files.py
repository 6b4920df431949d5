"""Files and folders as inventory: what is read, what is named as unread, what is an error."""

import codecs
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.readers import merge_inventories, read_inventory

Resource = dict[str, Any]
ZONE = "https://www.googleapis.com/compute/v1/projects/p/zones/us-east1-b"


def vm(name: str = "a", **fields: object) -> Resource:
    return {
        "kind": "compute#instance",
        "name": name,
        "zone": ZONE,
        "machineType": f"{ZONE}/machineTypes/n2-standard-8",
        "status": "RUNNING",
        "selfLink": f"{ZONE}/instances/{name}",
        **fields,
    }


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_folder_is_walked(tmp_path: Path) -> None:
    write(tmp_path / "one.json", [vm("a")])
    write(tmp_path / "deep" / "er" / "two.json", [vm("b")])
    write(tmp_path / ".git" / "three.json", [vm("c")])
    inventory = read_inventory([tmp_path])
    assert [instance.name for instance in inventory.instances] == ["a", "b"]
    assert [(unread.source, unread.reason) for unread in inventory.unread] == [
        (f"{tmp_path}/.git", "a hidden folder: not read")
    ]


def test_the_source_is_file_and_pointer(tmp_path: Path) -> None:
    path = write(tmp_path / "list.json", [vm("a"), vm("b")])
    inventory = read_inventory([path])
    assert [instance.ref.source for instance in inventory.instances] == [
        f"{path}:/0",
        f"{path}:/1",
    ]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "list.json", [vm(), {"kind": "compute#image"}])
    inventory = read_inventory([path, tmp_path, path])
    assert len(inventory.instances) == 1
    assert [unread.reason for unread in inventory.unread] == [
        "compute#image: 1 not needed by the audit"
    ]


def test_gzip_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "list.json.gz").write_bytes(gzip.compress(json.dumps([vm()]).encode()))
    assert len(read_inventory([tmp_path]).instances) == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be-bom", "utf-32"])
def test_byte_order_marks(tmp_path: Path, encoding: str) -> None:
    text = json.dumps([vm(labels={"name": "žluť"})], ensure_ascii=False)
    if encoding == "utf-16-be-bom":
        data = codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    else:
        data = text.encode(encoding)
    path = tmp_path / "list.json"
    path.write_bytes(data)
    assert read_inventory([path]).instances[0].labels == (("name", "žluť"),)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("shift", range(4))
def test_a_long_text_may_be_cut_anywhere_when_it_is_looked_at(
    tmp_path: Path, encoding: str, shift: int
) -> None:
    text = json.dumps([vm(description="x" * shift + "😀" * 60_000)], ensure_ascii=False)
    path = tmp_path / "long.json"
    path.write_bytes(text.encode(encoding))
    assert len(read_inventory([path]).instances) == 1


def test_one_resource_per_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.json"
    lines = [json.dumps(vm("a")), "", json.dumps(vm("b")), json.dumps(vm("c"))[:50]]
    path.write_text("\n".join(lines), encoding="utf-8")
    inventory = read_inventory([path])
    assert [instance.ref.source for instance in inventory.instances] == [f"{path}:1", f"{path}:3"]
    (unread,) = inventory.unread
    assert unread.source == str(path)
    assert unread.reason.startswith("line 4, column 51: damaged JSON")


def test_documents_one_after_another(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    text = "\n".join(json.dumps([vm(name)], indent=2) for name in "abc")
    path.write_text(text, encoding="utf-8")
    assert [instance.name for instance in read_inventory([path]).instances] == ["a", "b", "c"]


def test_what_follows_a_document_is_named(tmp_path: Path) -> None:
    path = tmp_path / "extra.json"
    path.write_text(json.dumps([vm()], indent=2) + "\n]\n", encoding="utf-8")
    inventory = read_inventory([path])
    assert len(inventory.instances) == 1
    assert "line" in inventory.unread[0].reason


def asset(name: str, data: Resource, asset_type: str = "Instance") -> Resource:
    return {
        "name": f"//compute.googleapis.com/projects/p/zones/us-east1-b/instances/{name}",
        "asset_type": f"compute.googleapis.com/{asset_type}",
        "resource": {"data": data},
    }


def test_an_asset_without_self_link_is_known_by_its_name(tmp_path: Path) -> None:
    data = {"machineType": "projects/p/zones/us-east1-b/machineTypes/e2-small", "zone": "b"}
    inventory = read_inventory([write(tmp_path / "assets.json", [asset("a", data)])])
    (instance,) = inventory.instances
    assert instance.ref.self_link == "projects/p/zones/us-east1-b/instances/a"
    assert instance.machine_type == "e2-small"
    assert instance.ref.source.endswith("assets.json:/0/resource/data")


def test_old_exports_name_repeated_fields_in_the_singular(tmp_path: Path) -> None:
    data = vm(
        disk=[{"type": "SCRATCH"}, {"license": ["l"], "guestOsFeature": [{"type": "GVNIC"}]}],
        networkInterface=[
            {
                "network": "projects/p/global/networks/n",
                "accessConfig": [{"natIP": "203.0.113.5", "name": "external"}],
            }
        ],
        tags={"tag": ["web"], "fingerprint": "x"},
    )
    (instance,) = read_inventory([write(tmp_path / "a.json", [asset("a", data)])]).instances
    assert instance.local_ssd_count == 1
    assert instance.guest_os_features == {"GVNIC"}
    assert instance.licenses == ("l",)
    assert instance.interfaces[0].external_ipv4 == "203.0.113.5"
    assert instance.tags == ("web",)


def test_assets_that_are_not_needed_or_empty_are_named(tmp_path: Path) -> None:
    export = [
        asset("a", vm()),
        asset("d", {}, "Image"),
        {"name": "//container.googleapis.com/x", "assetType": "container.googleapis.com/Cluster"},
        {"name": "//compute.googleapis.com/y", "assetType": "compute.googleapis.com/Network"},
        "text",
    ]
    inventory = read_inventory([write(tmp_path / "a.json", export)])
    assert sorted(unread.reason for unread in inventory.unread) == [
        "an asset without resource data",
        "compute#image: 1 not needed by the audit",
        "container.googleapis.com/Cluster: 1 not needed by the audit",
        "not an asset",
    ]


def test_global_and_regional_asset_types(tmp_path: Path) -> None:
    address = {
        "name": "//compute.googleapis.com/projects/p/global/addresses/a",
        "assetType": "compute.googleapis.com/GlobalAddress",
        "resource": {"data": {"address": "203.0.113.1"}},
    }
    inventory = read_inventory([write(tmp_path / "a.json", {"assets": [address]})])
    assert inventory.addresses[0].region is None


def exchange(method: str, url: str, status: str, body: object) -> str:
    text = json.dumps(body, indent=2)
    return f"{method} {url}\nAccept: x\n\n{status}\nServer: y\n\n{text}\n\n---\n\n"


def test_a_log_of_exchanges_gives_the_last_state(tmp_path: Path) -> None:
    url = f"{ZONE}/instances/a"
    text = (
        exchange("GET", url, "404 Not Found", {"error": {"code": 404}})
        + f"POST {ZONE}/instances\n\n"
        + json.dumps(vm(status="REQUESTED"))
        + "\n\n200 OK\n\n"
        + json.dumps({"kind": "compute#operation", "selfLink": f"{ZONE}/operations/o"})
        + "\n\n---\n\n"
        + exchange("GET", url, "200 OK", vm(status="PROVISIONING"))
        + exchange("GET", url, "200 OK", vm(status="RUNNING"))
        + exchange("GET", "https://iam.googleapis.com/v1/x", "200 OK", {"email": "x"})
        + "GET https://x\n\n200 OK\n\n{broken\n"
    )
    path = tmp_path / "exchange_http.log"
    path.write_text(text, encoding="utf-8")
    inventory = read_inventory([path])
    assert [instance.status for instance in inventory.instances] == ["RUNNING"]
    line = int(inventory.instances[0].ref.source.rpartition(":")[2])
    assert text.splitlines()[line - 1] == "{"
    reasons = [unread.reason for unread in inventory.unread]
    assert "1 earlier states of resources that the log shows again later" in reasons
    (older,) = [unread for unread in inventory.unread if "earlier states" in unread.reason]
    assert older.is_needless
    assert "answers of other services: 1 not needed by the audit" in reasons
    assert any("damaged JSON" in reason for reason in reasons)


def test_a_named_file_that_the_audit_does_not_need_makes_nothing_incomplete(
    tmp_path: Path,
) -> None:
    machines = write(tmp_path / "list.json", [vm()])
    rules = write(tmp_path / "rules.json", {"firewalls": [], "firewallPolicys": []})
    insights = write(tmp_path / "insights.json", {"insights": []})
    unread = read_inventory([machines, rules, insights]).unread
    assert {Path(one.source).name: one.is_needless for one in unread} == {
        "rules.json": True,
        "insights.json": False,
    }


FOREIGN = [
    ("apply.json", {"@level": "info", "@message": "Plan: 1 to add"}, "terraform show -json"),
    ("nodes.json", {"apiVersion": "v1", "kind": "List", "items": []}, "a Kubernetes List without"),
    ("flow.json", {"logName": "x", "jsonPayload": {}}, "`--traffic`"),
    ("gke.json", {"validNodeVersions": []}, "GKE versions"),
    ("points.json", {"timeSeries": []}, "Cloud Monitoring"),
    ("bill.json", {"billingAccounts": []}, "Cloud Billing"),
    ("iperf.json", {"start": {}, "intervals": [], "end": {}}, "iperf3"),
    ("members.json", [{"instance": f"{ZONE}/instances/a", "status": "RUNNING"}], "members"),
    ("empty.json", [], "an empty list"),
    ("number.json", 5, "no object"),
    ("other.json", {"\x1b[31mred": 1, "b": 2}, "no Compute resource"),
]


NO_ANSWERS = [
    ({"error": {"code": 403}}, "an error answer of an API"),
    ({"error": {"code": 503}, "items": []}, "an error answer of an API"),
    ([{"error": {"code": 403}}], "an error answer of an API"),
    ({"kind": "Status", "apiVersion": "v1", "status": "Failure"}, "an error answer of an API"),
    ({"assets": 5}, "assets: not a list"),
    ({"vpcFlowLogsConfigs": {"a": 1}}, "vpcFlowLogsConfigs: not a list"),
]


@pytest.mark.parametrize(("value", "reason"), NO_ANSWERS)
def test_an_answer_that_is_none_is_no_file_to_pass_over(
    tmp_path: Path, value: object, reason: str
) -> None:
    write(tmp_path / "vm.json", [vm()])
    path = write(tmp_path / "answer.json", value)
    inventory = read_inventory([tmp_path])
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert (unread.source, unread.is_needless) == (str(path), False)
    assert reason in unread.reason
    with pytest.raises(InputError, match=reason):
        read_inventory([path])
    # Beside others in one file it is named, and the others are read.
    path.write_text("\n".join(json.dumps(one) for one in (vm(), value)))
    inventory = read_inventory([path])
    assert len(inventory.instances) == 1
    assert [unread.is_needless for unread in inventory.unread if reason in unread.reason] == [False]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"warning": "x"}, "incomplete: a warning that is not an object"),
        ({"unreachables": "zones/a"}, "incomplete: zones/a could not be reached"),
        ({"items": 5}, "neither a list nor an object"),
        ({"items": {"zones/a": {"instances": 5}}}, "not a list"),
        ({"items": {"zones/a": {"warning": 5}}}, "incomplete: a warning that is not an object"),
    ],
)
def test_members_of_another_type_are_incomplete(
    tmp_path: Path, more: dict[str, object], said: str
) -> None:
    path = write(tmp_path / "list.json", {"kind": "compute#instanceAggregatedList", **more})
    (unread,) = read_inventory([path]).unread
    assert (unread.reason, unread.is_needless) == (said, False)


@pytest.mark.parametrize(("name", "value", "reason"), FOREIGN)
def test_other_kinds_of_files_are_named(
    tmp_path: Path, name: str, value: object, reason: str
) -> None:
    write(tmp_path / "vm.json", [vm()])
    path = write(tmp_path / name, value)
    inventory = read_inventory([tmp_path])
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert unread.source == str(path)
    assert reason in unread.reason or "not JSON" in unread.reason
    if not isinstance(value, int):
        assert reason in unread.reason
    with pytest.raises(InputError, match="no Compute resources"):
        read_inventory([path])


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("flows.parquet", b"PAR1\x00\x00", "a Parquet file"),
        ("notes.txt", b"ping statistics\n", "text, not JSON"),
        ("list.yaml", b"---\nname: a\n", "--format=json"),
        ("page.xml", b"<html></html>", "XML"),
        ("picture.png", b"\x89PNG\x00\x01", "binary data"),
        ("cut.json", b'[{"kind": "compute#instance", ', "damaged JSON"),
        ("empty.json", b"", "empty"),
        ("blank.json", b" \n\n", "empty"),
        ("latin.json", b'[{"name": "caf\xe9"}]', "not text"),
        ("cut.json.gz", gzip.compress(b"[]" * 500, mtime=0)[:-9], "damaged gzip"),
        ("deep.json", b"[" * 200_000, "nested too deeply"),
    ],
)
def test_damaged_and_foreign_bytes_in_a_folder_are_named(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    write(tmp_path / "vm.json", [vm()])
    (tmp_path / name).write_bytes(data)
    inventory = read_inventory([tmp_path])
    assert len(inventory.instances) == 1
    (unread,) = inventory.unread
    assert unread.source == str(tmp_path / name)
    assert reason in unread.reason


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "empty"),
        (b'[\n {"kind": "compute#instance",\n  "name"', "line 3, column 9"),
        (b'{"a": nil}', "line 1, column 7"),
        (b"\xff\xfe\x00", "not text"),
        (gzip.compress(b"[]" * 500, mtime=0)[:-9], "damaged gzip"),
    ],
)
def test_a_named_file_that_is_damaged_is_an_error(tmp_path: Path, data: bytes, text: str) -> None:
    good, bad = write(tmp_path / "vm.json", [vm()]), tmp_path / "bad.json"
    bad.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_inventory([good, bad])
    assert str(bad) in str(caught.value)
    assert text in str(caught.value)
    assert "make the file again" in str(caught.value)


def test_a_named_file_of_another_kind_beside_an_inventory_is_unread(tmp_path: Path) -> None:
    good = write(tmp_path / "vm.json", [vm()])
    nodes = write(tmp_path / "nodes.json", {"apiVersion": "v1", "kind": "List"})
    inventory = read_inventory([good, nodes])
    assert [unread.source for unread in inventory.unread] == [str(nodes)]


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone: cannot be read: No such file"):
        read_inventory([tmp_path / "gone"])


def test_a_folder_without_inventory_is_an_error_that_counts_what_is_there(tmp_path: Path) -> None:
    write(tmp_path / "inventory" / "vm.json", [vm()])
    for number in range(3):
        write(tmp_path / "series" / f"{number}.json", {"timeSeries": []})
    with pytest.raises(InputError) as caught:
        read_inventory([tmp_path / "inventory", tmp_path / "series"])
    assert "3 × Cloud Monitoring series" in str(caught.value)
    assert "--format=json" in str(caught.value)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is empty"):
        read_inventory([tmp_path])


def test_resources_that_nobody_needs_are_no_inventory(tmp_path: Path) -> None:
    image = {"kind": "compute#image", "selfLink": f"{ZONE}/images/d"}
    path = write(tmp_path / "images.json", [image])
    for named in (path, tmp_path):
        with pytest.raises(InputError, match="only resources that the audit does not need"):
            read_inventory([named])


def test_no_paths_are_an_error() -> None:
    with pytest.raises(InputError, match="no files were given"):
        read_inventory([])


def test_an_empty_list_of_machines_is_an_inventory(tmp_path: Path) -> None:
    path = write(tmp_path / "page.json", {"kind": "compute#instanceList"})
    assert read_inventory([path]).instances == ()


HOSTILE = [
    "\x1b[2J\x1b]0;owned\x07",
    "[bold red]markup[/]",
    "=cmd|' /C calc'!A0",
    "x" * 10_000,
    "\u202egnp.exe",
    "line\nbreak",
    "",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_data(tmp_path: Path, name: str) -> None:
    resource = vm(
        name=name, labels={name: name}, status=name or "RUNNING", description=name, tags={name: []}
    )
    resource["selfLink"] = f"{ZONE}/instances/a"
    (instance,) = read_inventory([write(tmp_path / "a.json", [resource])]).instances
    assert instance.name == (name or "a")
    assert instance.label(name) == name


def test_half_characters_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([vm(labels={"a": "x\ud800y"})]), encoding="utf-8")
    (instance,) = read_inventory([path]).instances
    assert instance.labels == (("a", "x?y"),)


def test_a_file_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    path = Path(str(folder) + "/\udcff.json")
    try:
        path.write_text(json.dumps([vm()]), encoding="utf-8")
    except OSError:
        pytest.skip("this file system refuses such names")
    source = read_inventory([folder]).instances[0].ref.source
    assert source.encode("utf-8").endswith(b"\\xff.json:/0")


@pytest.mark.parametrize("digits", ["9" * 400, "1e999", "-1", "1.5", '"8"', "true", "[]"])
def test_numbers_that_are_none_do_no_harm(tmp_path: Path, digits: str) -> None:
    link = "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"
    path = tmp_path / "network.json"
    path.write_text(f'{{"kind": "compute#network", "selfLink": "{link}", "mtu": {digits}}}')
    inventory = read_inventory([path])
    assert inventory.networks[0].mtu_bytes == 1460
    (unread,) = inventory.unread
    assert (unread.field, unread.resource) == ("mtu", "projects/p/global/networks/n")


def test_deep_nesting_in_a_field_that_nobody_reads(tmp_path: Path) -> None:
    deep = json.dumps(vm())[:-1] + ', "other": ' + "[" * 400 + "]" * 400 + "}"
    path = tmp_path / "deep.json"
    path.write_text(deep, encoding="utf-8")
    assert len(read_inventory([path]).instances) == 1


def test_gigabytes_of_flow_logs_beside_an_inventory_are_not_read(tmp_path: Path) -> None:
    write(tmp_path / "vm.json", [vm()])
    record = json.dumps({"logName": "x", "jsonPayload": {"bytes_sent": "1"}})
    path = tmp_path / "flows.json"
    path.write_text(record + "\n" + "not even JSON\n" * 100_000, encoding="utf-8")
    (unread,) = read_inventory([tmp_path]).unread
    assert "--traffic" in unread.reason


def test_inventories_merge_in_any_order(tmp_path: Path) -> None:
    one = read_inventory([write(tmp_path / "1.json", [vm("a"), vm("b")])])
    two = read_inventory([write(tmp_path / "2.json", [vm("b"), vm("c")])])
    merged = merge_inventories([one, two])
    assert merged == merge_inventories([two, one])
    assert [instance.name for instance in merged.instances] == ["a", "b", "c"]
    assert dict(merged.projects[0].counts) == {"instances": 3}
