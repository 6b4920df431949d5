"""What the options of Spark may say, and what is refused before anything is read."""

import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

import netplan_planner.traffic.spark
from netplan_planner.errors import UsageError
from netplan_planner.model import Inventory
from netplan_planner.traffic import TrafficOptions
from netplan_planner.traffic.aggregates import MANIFEST, writing
from netplan_planner.traffic.spark import submitted
from netplan_planner.traffic.spark.place import (
    FlowEngine,
    SparkPlace,
    place_of,
    server_paths,
)
from netplan_planner.world.remote_traffic import read_traffic_on_spark
from support.commands.run import run_verbs


def test_a_client_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(netplan_planner.traffic.spark, "read", raising=False)
    monkeypatch.delitem(sys.modules, "netplan_planner.traffic.spark.read", raising=False)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    place = SparkPlace(remote="sc://host", work="gs://bucket/tmp")
    with pytest.raises(UsageError, match=r"pip install 'gce-netplan\[spark\]'"):
        read_traffic_on_spark(
            place, [Path("gs://bucket/logs")], Inventory(), TrafficOptions(), lambda _: None
        )


def test_addresses_keep_what_a_path_loses() -> None:
    paths = [
        Path("gs://bucket/logs"),
        Path("gs://bucket/logs/2026"),
        Path("gs://bucket/logs"),
        Path("gs://bucket/logs2"),
        Path("file:///var/logs/"),
        Path("s3a://bucket/*/part-*.parquet"),
    ]
    assert server_paths(paths) == [
        "gs://bucket/logs",
        "gs://bucket/logs2",
        "file:///var/logs",
        "s3a://bucket/*/part-*.parquet",
    ], "each once, and none that lies in another"


@pytest.mark.parametrize(
    "remote",
    ["sc://host", "sc://host:15002", "sc://10.0.0.1:443/;use_ssl=true;token=a:b/c", "sc://h/"],
)
def test_servers_as_the_client_takes_them(remote: str) -> None:
    place = place_of(FlowEngine.SPARK, remote, "file:/tmp/work/")
    assert place == SparkPlace(remote=remote, work="file:///tmp/work")
    assert "token" not in place.shown


def test_settings_show_the_server_and_no_token() -> None:
    secret = "sc://host:443/;use_ssl=true;token=hidden-Zq8v"
    done = run_verbs(arguments=["config", "show"], NETPLAN_AUDIT_SPARK_REMOTE=secret)
    assert done.returncode == 0
    (line,) = [one for one in done.stdout.splitlines() if one.startswith("audit.spark-remote")]
    assert line.split(maxsplit=1)[1].startswith("sc://host:443/; (set, not shown)")
    assert "hidden" not in done.stdout + done.stderr


def test_a_job_of_spark_submit_needs_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "38211")
    place = place_of(FlowEngine.SPARK, None, "gs://bucket/tmp")
    assert place == SparkPlace(remote=None, work="gs://bucket/tmp")
    assert place.shown == "the job's own Spark"
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT")
    with pytest.raises(UsageError, match="--spark-remote"):
        place_of(FlowEngine.SPARK, None, "gs://bucket/tmp")


@pytest.mark.parametrize(("folders", "is_kept"), [([], False), (["edges.parquet"], True)])
def test_a_job_replaces_no_folder_that_holds_folders(folders: list[str], is_kept: bool) -> None:
    names = [MANIFEST, "edges.parquet"]

    def entry(name: str) -> SimpleNamespace:
        path = SimpleNamespace(getName=lambda: name)
        return SimpleNamespace(getPath=lambda: path, isDirectory=lambda: name in folders)

    system = SimpleNamespace(
        exists=lambda _: True,
        listStatus=lambda _: [entry(name) for name in names],
        getFileStatus=lambda _: SimpleNamespace(isFile=lambda: False),
    )
    with pytest.raises(UsageError, match="did not write") if is_kept else nullcontext():
        assert submitted._is_there(system, "sums", "gs://bucket/sums", writing.is_own)
