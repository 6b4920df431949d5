"""Bytes of files as inventory: encodings, foreign and damaged files, hostile names.

What files and folders hold, and how it is named, is in `data/inventories/files.toml`.
"""

import codecs
import gzip
import json
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.readers import merge_inventories, read_inventory
from support.listed import listed
from support.projects.compute_json import ROOT, ZONE, only, vm

CUT_GZIP = gzip.compress(b"[]" * 500, mtime=0)[:-9]


def write(path: Path, value: object) -> Path:
    """Write bytes as they are, all else as JSON."""
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def beside_a_machine(folder: Path, name: str, value: object) -> Inventory:
    """Return what is read of a folder with a machine and one more file, which is all unread."""
    beside = folder / "beside"
    beside.mkdir(exist_ok=True)
    for old in beside.iterdir():
        old.unlink()
    write(beside / "vm.json", [vm()])
    path = write(beside / name, value)
    inventory = read_inventory([beside])
    assert len(inventory.instances) == 1
    assert [unread.source for unread in inventory.unread] == [str(path)]
    return inventory


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "gzip"])
def test_byte_order_marks_and_gzip(tmp_path: Path, encoding: str) -> None:
    text = json.dumps([vm(labels={"name": "žluť"})], ensure_ascii=False)
    data = gzip.compress(text.encode()) if encoding == "gzip" else text.encode(encoding)
    mark = codecs.BOM_UTF16_BE if encoding == "utf-16-be" else b""
    found = read_inventory([write(tmp_path / "list.json", mark + data)])
    assert only(found).labels == (("name", "žluť"),)


@listed("encoding", ["utf-8", "utf-16", "utf-32"])
@listed("shift", range(4))
def test_a_long_text_may_be_cut_anywhere_when_it_is_looked_at(
    tmp_path: Path, encoding: str, shift: int
) -> None:
    text = json.dumps([vm(description="x" * shift + "😀" * 60_000)], ensure_ascii=False)
    assert only(read_inventory([write(tmp_path / "long.json", text.encode(encoding))]))


@listed(
    ("value", "reason"),
    [
        ({"error": {"code": 403}}, "an API error"),
        ({"error": {"code": 503}, "items": []}, "an API error"),
        ([{"error": {"code": 403}}], "an API error"),
        ({"kind": "Status", "apiVersion": "v1", "status": "Failure"}, "an API error"),
        ({"assets": 5}, "assets: not a list"),
        ({"vpcFlowLogsConfigs": {"a": 1}}, "vpcFlowLogsConfigs: not a list"),
    ],
)
def test_an_answer_that_is_none_is_no_file_to_pass_over(
    tmp_path: Path, value: object, reason: str
) -> None:
    (unread,) = beside_a_machine(tmp_path, "answer.json", value).unread
    assert not unread.is_needless
    assert reason in unread.reason
    path = write(tmp_path / "answer.json", value)
    with pytest.raises(InputError, match=reason):
        read_inventory([path])
    # Beside others in one file it is named, and the others are read.
    path.write_text("\n".join(json.dumps(one) for one in (vm(), value)))
    inventory = read_inventory([path])
    assert only(inventory)
    assert [unread.is_needless for unread in inventory.unread if reason in unread.reason] == [False]


@listed(
    ("more", "said"),
    [
        ({"warning": "x"}, "incomplete: a warning that is not an object"),
        ({"unreachables": "zones/a"}, "incomplete: zones/a unreachable"),
        ({"items": 5}, "not a list or an object"),
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


RECORDS = json.dumps({"logName": "x", "jsonPayload": {"bytes_sent": "1"}}).encode()
NODES: dict[str, object] = {"apiVersion": "v1", "kind": "List", "items": []}
NO_RESOURCES = "no Compute resources"


@listed(
    ("name", "value", "reason", "error"),
    [
        ("apply.json", {"@level": "info", "@message": "x"}, "terraform show -json", NO_RESOURCES),
        ("nodes.json", NODES, "a Kubernetes List without", NO_RESOURCES),
        ("flow.json", {"logName": "x", "jsonPayload": {}}, "`--traffic`", NO_RESOURCES),
        # Gigabytes of them are not read.
        ("flows.json", RECORDS + b"\n" + b"not even JSON\n" * 100_000, "`--traffic`", ""),
        ("gke.json", {"validNodeVersions": []}, "GKE versions", NO_RESOURCES),
        ("points.json", {"timeSeries": []}, "Cloud Monitoring", NO_RESOURCES),
        ("bill.json", {"billingAccounts": []}, "Cloud Billing", NO_RESOURCES),
        ("iperf.json", {"start": {}, "intervals": [], "end": {}}, "iperf3", NO_RESOURCES),
        ("members.json", [{"instance": "a", "status": "RUNNING"}], "members", NO_RESOURCES),
        ("no list.json", [], "an empty list", NO_RESOURCES),
        ("number.json", 5, "not JSON", NO_RESOURCES),
        ("other.json", {"\x1b[31mred": 1, "b": 2}, "not a Compute resource", NO_RESOURCES),
        ("flows.parquet", b"PAR1\x00\x00", "a Parquet file", ""),
        ("notes.txt", b"ping statistics\n", "text, not JSON", ""),
        ("list.yaml", b"---\nname: a\n", "--format=json", ""),
        ("page.xml", b"<html></html>", "XML", ""),
        ("picture.png", b"\x89PNG\x00\x01", "binary data", ""),
        ("latin.json", b'[{"name": "caf\xe9"}]', "not text", ""),
        ("deep.json", b"[" * 200_000, "nested too deeply", ""),
        ("blank.json", b" \n\n", "empty", ""),
        ("cut.json", b'[{"kind": "compute#instance", ', "damaged JSON", ""),
        ("empty.json", b"", "empty", "empty"),
        ("nil.json", b'{"a": nil}', "damaged JSON", "line 1, column 7"),
        ("half.json", b'[\n {"kind": "x",\n  "name"', "damaged JSON", "line 3, column 9"),
        ("mark.json", b"\xff\xfe\x00", "not text", "not text"),
        ("cut.json.gz", CUT_GZIP, "damaged gzip", "damaged gzip"),
    ],
)
def test_foreign_and_damaged_files_are_named(
    tmp_path: Path, name: str, value: object, reason: str, error: str
) -> None:
    """In a folder; where one is named, it is an error, beside a good one if it is damaged."""
    (unread,) = beside_a_machine(tmp_path, name, value).unread
    assert reason in unread.reason
    if not error:
        return
    path = write(tmp_path / name, value)
    named = [path] if error == NO_RESOURCES else [write(tmp_path / "vm", [vm()]), path]
    with pytest.raises(InputError) as caught:
        read_inventory(named)
    assert error in str(caught.value)
    if error != NO_RESOURCES:
        assert str(path) in str(caught.value)
        assert "create the file again, or leave it out" in str(caught.value)


CONTROLS, ORDER = "\x1b[2J\x1b]0;owned\x07", "\u202egnp.exe"


@listed(
    "name", [CONTROLS, "[bold red]markup[/]", "=cmd|'!A0", "x" * 10_000, ORDER, "line\nbreak", ""]
)
def test_hostile_names_are_data(tmp_path: Path, name: str) -> None:
    status = name or "RUNNING"
    resource = vm(name=name, labels={name: name}, status=status, description=name, tags={name: []})
    instance = only(read_inventory([write(tmp_path / "a.json", [resource])]))
    assert instance.name == (name or "a")
    assert instance.label(name) == name


def test_a_file_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path) -> None:
    try:
        write(Path(str(tmp_path) + "/\udcff.json"), [vm()])
    except OSError:
        pytest.skip("this file system refuses such names")
    source = only(read_inventory([tmp_path])).ref.source
    assert source.encode("utf-8").endswith(b"\\xff.json:/0")


@listed("digits", ["9" * 400, "1e999", "-1", "1.5", '"8"', "true", "[]"])
def test_numbers_that_are_none_do_no_harm(tmp_path: Path, digits: str) -> None:
    text = f'{{"kind": "compute#network", "selfLink": "{ROOT}/global/networks/n", "mtu": {digits}}}'
    inventory = read_inventory([write(tmp_path / "network.json", text.encode())])
    assert inventory.networks[0].mtu_bytes == 1460
    (unread,) = inventory.unread
    assert (unread.field, unread.resource) == ("mtu", "projects/p/global/networks/n")


def test_deep_nesting_in_a_field_that_nobody_reads(tmp_path: Path) -> None:
    deep = json.dumps(vm())[:-1] + ', "other": ' + "[" * 400 + "]" * 400 + "}"
    assert only(read_inventory([write(tmp_path / "deep.json", deep.encode())]))


def test_inventories_merge_in_any_order(tmp_path: Path) -> None:
    a, b, c = (vm(name=name, selfLink=f"{ZONE}/instances/{name}") for name in "abc")
    one = read_inventory([write(tmp_path / "1.json", [a, b])])
    two = read_inventory([write(tmp_path / "2.json", [b, c])])
    merged = merge_inventories([one, two])
    assert merged == merge_inventories([two, one])
    assert [instance.name for instance in merged.instances] == ["a", "b", "c"]
    assert dict(merged.projects[0].counts) == {"instances": 3}
