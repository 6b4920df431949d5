"""What aggregates give back is what the records give, to the last digit of the last example."""

import tempfile
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.errors import InputError
from netplan_planner.model import Owner, OwnerKind, Reporter
from netplan_planner.model.evidence.pod_traffic import PodEnd, PodFlow, PodSource, PodTraffic
from netplan_planner.traffic import TrafficOptions, read_pod_traffic, read_traffic
from netplan_planner.traffic.aggregates.tables import TABLES
from support.examples import examples
from support.flows import aggregated
from support.flows.cases import LOGGING, as_entry, project, records
from support.flows.kinds import BAD
from support.flows.oracle import Record
from support.flows.records import lines
from support.nightly import every


@settings(
    max_examples=examples(0.4), derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    found=st.lists(records(), min_size=1, max_size=20),
    logging=st.sampled_from(sorted(LOGGING)),
    reporter=st.sampled_from(list(Reporter)),
    bad=st.lists(st.sampled_from(sorted(BAD)), max_size=len(BAD), unique=True),
)
def test_random_records(
    found: list[Record], logging: str, reporter: Reporter, bad: list[str]
) -> None:
    inventory = project(*LOGGING[logging])
    options = replace(aggregated.OPTIONS, reporter=reporter)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "flows.jsonl"
        path.write_text(
            lines([*map(as_entry, found), *(BAD[one] for one in bad)]), encoding="utf-8"
        )
        try:
            matrix = read_traffic([path], inventory, options)
        except InputError:
            # Packets that were all dropped, say: there is nothing to sum.
            return
        sums = aggregated.written(folder, matrix, inventory=inventory, options=options)
        assert read_traffic([sums], inventory, options) == matrix


def test_every_table_has_rows_here(tmp_path: Path) -> None:
    pods = _pods()
    sums = aggregated.written(tmp_path, aggregated.matrix_of(tmp_path), pods=pods)
    assert {path.stem for path in sums.glob("*.parquet")} == set(TABLES)
    for path in sums.glob("*.parquet"):
        # Any reader of Parquet reads them, by the names of the model.
        found = duckdb.sql(f"SELECT * FROM read_parquet('{path}')")
        assert found is not None
        assert tuple(found.columns) == TABLES[path.stem].__struct_fields__
        assert found.fetchall()
    assert read_traffic([sums], aggregated.known(), aggregated.OPTIONS).coverage.examples
    assert read_pod_traffic([sums], aggregated.known(), aggregated.OPTIONS) == pods


def _pods() -> PodTraffic:
    ends = PodEnd(workload="shop/web", zone=None), PodEnd(workload="shop/db", cluster="c")
    flow = PodFlow(src=ends[0], dst=ends[1], payload_bytes=7, record_count=1)
    return PodTraffic(
        flows=(flow, replace(flow, payload_bytes=None, is_same_node=True)),
        sources=(PodSource.FLOW_LOGS,),
        window_seconds=60,
        left_out=(("an end that is not a Pod", 3),),
    )


def test_no_pods_are_none_and_not_an_empty_list(tmp_path: Path) -> None:
    sums = aggregated.written(tmp_path, aggregated.matrix_of(tmp_path))
    assert read_pod_traffic([sums], aggregated.known()) is None


def test_only_what_is_asked_for_comes_back(tmp_path: Path) -> None:
    sums = aggregated.written(tmp_path, aggregated.matrix_of(tmp_path))
    plain = aggregated.matrix_of(tmp_path, TrafficOptions())
    assert plain.hours is None
    assert plain.log_volume is None
    assert read_traffic([sums], aggregated.known(), TrafficOptions()) == plain


def test_names_may_hold_anything(tmp_path: Path) -> None:
    matrix = aggregated.matrix_of(tmp_path)
    strange = 'a\x1b[31m"\\,\n\x00\u202eé\U0001f600'
    owners = (*matrix.owners, Owner(kind=OwnerKind.UNKNOWN, key=strange, name=strange, area=""))
    matrix = replace(matrix, owners=owners)
    sums = aggregated.written(tmp_path, matrix)
    assert read_traffic([sums], aggregated.known(), aggregated.OPTIONS) == matrix


@pytest.mark.parametrize("name", every(3, ["a'b", "x*[y]?", "a=b", "\x1b[31m", "été"]))
def test_the_folder_may_have_any_name(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    matrix = aggregated.matrix_of(folder)
    sums = aggregated.written(folder, matrix)
    assert read_traffic([sums], aggregated.known(), aggregated.OPTIONS) == matrix
    link = tmp_path / "link"
    link.symlink_to(sums, target_is_directory=True)
    assert read_traffic([link], aggregated.known(), aggregated.OPTIONS) == matrix


def test_the_same_sums_have_the_same_bytes(tmp_path: Path) -> None:
    matrix = aggregated.matrix_of(tmp_path)
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
        aggregated.written(folder, matrix)
    names = sorted(path.name for path in (first / "sums").iterdir())
    assert names == sorted(path.name for path in (second / "sums").iterdir())
    for name in names:
        assert (first / "sums" / name).read_bytes() == (second / "sums" / name).read_bytes()
