"""Files of time series: wrappings read alike, damage is named, recorded answers go through."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.model import Inventory, MeasuredKind, Metric, Metrics
from netplan_planner.readers import read_inventory
from netplan_planner.readers.time_series import gather_files, metrics_of
from support.metrics.series import machine, page, time_series
from support.projects import one_project
from support.projects.shared_data import SHARED, needs_shared, shared

NO_INVENTORY = Inventory(instances=())
FIRST = time_series(Metric.VM_SENT_BYTES.value, [60, 120], resource=machine("1", "z-a"))
SECOND = time_series(Metric.VM_SENT_BYTES.value, [600], resource=machine("2", "z-a"))
OTHER = time_series("compute.googleapis.com/instance/uptime", [60], resource=machine("1", "z-a"))

WRAPPINGS: dict[str, str] = {
    "a page": json.dumps(page(FIRST, SECOND)),
    "pages in an array": json.dumps([page(FIRST), page(SECOND)]),
    "series in an array": json.dumps([FIRST, SECOND]),
    "lines of series": f"{json.dumps(FIRST)}\n{json.dumps(SECOND)}\n",
    "lines of pages": f"{json.dumps(page(FIRST))}\n{json.dumps(page(SECOND))}\n",
}


def read(*paths: Path) -> Metrics:
    return metrics_of(gather_files(paths), NO_INVENTORY)


@pytest.mark.parametrize("text", WRAPPINGS.values(), ids=WRAPPINGS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gzip"])
def test_every_wrapping_reads_to_the_same(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "series.json"
    packed = encoding == "gzip"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode(encoding))
    found = read(path)
    assert [(one.resource.name, one.max) for one in found.series] == [("1", 2.0), ("2", 10.0)]
    assert found.coverage.unread == ()
    assert (found.coverage.files, found.coverage.point_count) == (1, 3)


def test_a_folder_is_walked_and_each_file_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(page(FIRST)))
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.json").write_text(json.dumps(page(SECOND)))
    (tmp_path / "notes.txt").write_text("[1, 2]")
    found = read(tmp_path, tmp_path / "a.json")
    assert (found.coverage.files, len(found.series)) == (2, 2)
    (unread,) = found.coverage.unread
    assert unread.is_needless


def test_a_metric_that_nobody_uses_is_no_loss(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(page(FIRST, OTHER)))
    found = read(path)
    (unread,) = found.coverage.unread
    assert (unread.resource, unread.is_needless) == (OTHER["metric"]["type"], True)
    assert unread.source == f"{path}:/timeSeries/1"


def test_a_list_that_goes_on_is_told_unless_its_end_is_there(tmp_path: Path) -> None:
    first, last = tmp_path / "1.json", tmp_path / "2.json"
    first.write_text(json.dumps(page(FIRST, token="more")))
    last.write_text(json.dumps(page(SECOND)))
    assert "nextPageToken" in read(first).coverage.unread[0].reason
    assert read(first, last).coverage.unread == ()


def test_one_damaged_series_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(page({**FIRST, "points": 5}, SECOND)))
    found = read(path)
    assert [one.resource.name for one in found.series] == ["2"]
    assert found.coverage.unread[0].source == f"{path}:/timeSeries/0"
    assert not found.coverage.unread[0].is_needless


def test_errors_that_the_api_reports_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    errors: dict[str, Any] = {"executionErrors": [{"code": 4, "message": "deadline"}]}
    path.write_text(json.dumps(page(FIRST) | errors | {"unreachable": ["us-west9"]}))
    reasons = {unread.reason for unread in read(path).coverage.unread}
    assert reasons == {"incomplete: deadline", "incomplete: us-west9 unreachable"}


@pytest.mark.parametrize("key", ["timeSeries", "timeSeriesData", "executionErrors", "unreachable"])
def test_what_should_be_a_list_and_is_none_is_told(tmp_path: Path, key: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({key: "x"}))
    found = gather_files([path])
    assert [(one.reason, one.is_needless) for one in found.unread] == [
        (f"incomplete: {key} is not a list", False)
    ]


def test_an_error_answer_among_files_is_no_file_to_pass_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(page(FIRST)))
    path = tmp_path / "error.json"
    path.write_text('{"error": {"code": 403}}')
    found = gather_files([tmp_path])
    assert [(one.source, one.is_needless) for one in found.unread] == [(str(path), False)]
    with pytest.raises(InputError, match="an API error"):
        gather_files([path])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"{", "damaged JSON"),
        (b'{"items": []}', "no Cloud Monitoring time series"),
        (b"\x1f\x8b\x08\x00broken", "damaged gzip"),
        (b"\xff\x00\xfe", "not text"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_named_file_that_holds_none_is_an_error(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said) as error:
        read(path)
    assert str(path) in str(error.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        read(tmp_path / "none.json")


def test_an_empty_answer_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    assert read(path).series == ()


def test_series_find_their_resource_in_the_inventory(tmp_path: Path) -> None:
    inventory = read_inventory([one_project.FOLDER / "api"])
    number = "4100000000000000001"
    place = {"project_id": "one-project", "region": "us-central1"}
    series = [
        time_series(Metric.VM_SENT_BYTES.value, [60], resource=machine(number, "us-central1-a")),
        time_series(
            Metric.VM_CPU.value,
            [0.5],
            resource=machine("0", "us-central1-b"),
            labels={"instance_name": "dual-1"},
            kind="GAUGE",
            value_type="DOUBLE",
        ),
        time_series(
            Metric.NAT_SENT_BYTES.value,
            [60],
            resource={**place, "gateway_name": "out-nat", "router_id": "7"},
            resource_type="nat_gateway",
        ),
        time_series(
            Metric.VPN_SENT_BYTES.value,
            [60],
            resource={**place, "gateway_id": "8"},
            resource_type="vpn_gateway",
            labels={"tunnel_name": "ha-tunnel", "gateway_name": "g"},
        ),
        time_series(
            Metric.LB_L3_INTERNAL_EGRESS.value,
            [60],
            resource={**place, "forwarding_rule_name": "inner"},
            resource_type="internal_tcp_lb_rule",
        ),
        time_series(Metric.VM_SENT_BYTES.value, [60], resource=machine("99", "us-central1-a")),
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(page(*series)))
    found = metrics_of(gather_files([path]), inventory)
    links = {(one.resource.kind, one.resource.name): one.resource.link for one in found.series}
    ends = {key: (link or "").rpartition("/")[2] for key, link in links.items()}
    assert ends == {
        (MeasuredKind.MACHINE, "mover-1"): "mover-1",
        (MeasuredKind.MACHINE, "dual-1"): "dual-1",
        (MeasuredKind.MACHINE, "99"): "",
        (MeasuredKind.NAT, "out-nat"): "out",
        (MeasuredKind.VPN_TUNNEL, "ha-tunnel"): "ha-tunnel",
        (MeasuredKind.LOAD_BALANCER, "inner"): "inner",
    }
    router = links[MeasuredKind.NAT, "out-nat"]
    assert router is not None
    nat = found.of_nat(router, "out-nat", Metric.NAT_SENT_BYTES)
    assert nat is not None
    assert nat.total == 60.0
    assert found.coverage.machine_count == 2


RECORDED = sorted(shared("data/recorded/monitoring").glob("*.json")) if SHARED else []
SERIES = {
    "gcpdiag__nat1__monitoring-query-nat-allocation-failed.json": 1.0,
    "gcpdiag__nat1__monitoring-query.json": 1.0,
    "gcpdiag__vpc2__monitoring-query-nat-allocation-failed.json": 0.0,
}
"""The recorded answers that tell of something that is read here: whether a NAT ever failed."""


@needs_shared
def test_all_recorded_answers_are_there() -> None:
    assert len(RECORDED) == 13


@needs_shared
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_answer_is_read_or_said_why_not(path: Path) -> None:
    found = read(path)
    if path.name in SERIES:
        (series,) = found.series
        assert (series.metric, series.max) == (Metric.NAT_ALLOCATION_FAILED, SERIES[path.name])
        assert found.coverage.unread == ()
    else:
        # Their queries named columns of their own, or kept no label that says whose they are.
        assert found.series == ()
        assert found.coverage.unread
        assert all(
            unread.reason.startswith("a column of a query") for unread in found.coverage.unread
        )
        # Always in one order, in which the first of several stands for all of them.
        order = [(one.reason, one.resource) for one in found.coverage.unread]
        assert order == sorted(order)
