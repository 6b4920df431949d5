"""The file format: what is written is read again, and nothing damaged is read at all."""

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import InputError
from netplan_planner.model import ListComparison
from netplan_pricing import container, open_snapshot
from netplan_pricing.building.assemble import Built
from netplan_pricing.building.from_files import write_snapshot
from netplan_pricing.schema import COLUMNS, CURRENCY_RATES, LISTED_PRICES

DAY = date(2026, 4, 30)
SHIPPED = container.EMBEDDED / container.FILE_NAME
Tables = dict[str, dict[str, list[str]]]


def encoded(tables: Tables) -> bytes:
    return container.encode_snapshot(
        tables,
        as_of=DAY,
        network_as_of=DAY,
        source="made",
        sources=[],
        sku_count=0,
        unread_count=0,
    )


def written(folder: Path, content: bytes) -> Path:
    path = folder / container.FILE_NAME
    path.write_bytes(content)
    return path


def built(content: bytes) -> Built:
    """Return a snapshot of which there is nothing to say."""
    return Built(
        content=content,
        unread=(),
        priceless=(),
        choices=(),
        comparison=ListComparison(compared_count=0, offered_count=0, differences=()),
        region_pair_count=0,
    )


columns = st.integers(0, 30).flatmap(
    lambda rows: st.dictionaries(
        st.text(min_size=1, max_size=8),
        st.lists(st.text(max_size=12), min_size=rows, max_size=rows),
        min_size=1,
        max_size=4,
    )
)


@given(tables=st.dictionaries(st.sampled_from(["one", "two", "three"]), columns, min_size=1))
def test_every_cell_comes_back(tmp_path_factory: pytest.TempPathFactory, tables: Tables) -> None:
    path = written(tmp_path_factory.mktemp("s"), encoded(tables))
    file = container.SnapshotFile(path)
    for name, table in tables.items():
        for column, texts in table.items():
            assert file.table(name)[column].texts() == texts


@pytest.mark.parametrize("distinct", [1, 256, 257, 65_536, 65_537])
def test_codes_of_every_width_come_back(tmp_path: Path, distinct: int) -> None:
    texts = [str(number) for number in range(distinct)]
    file = container.SnapshotFile(written(tmp_path, encoded({"t": {"c": texts}})))
    assert file.table("t")["c"].texts() == texts


_ENCODING = """
import hashlib, sys
from datetime import date
from netplan_pricing.container import encode_snapshot
texts = [str(number % 300) for number in range(2000)]
made = {"t": {"c": texts, "d": texts[::-1]}, "u": {"c": ["b", "a", "b"]}}
day = date(2026, 4, 30)
written = encode_snapshot(
    made, as_of=day, network_as_of=day, source="made", sources=[], sku_count=0, unread_count=0
)
print(hashlib.sha256(written).hexdigest())
"""


def test_equal_tables_give_equal_bytes_whatever_the_process() -> None:
    """Sets and dictionaries of texts have another order in each process."""
    found = {
        subprocess.run(
            [sys.executable, "-c", _ENCODING],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(found) == 1


def test_rows_of_a_value_are_a_range(tmp_path: Path) -> None:
    table = {"region": ["a", "a", "b", "c", "c"], "usd": ["1", "2", "3", "4", ""]}
    file = container.SnapshotFile(written(tmp_path, encoded({"t": table})))
    assert file.table("t").ranges("region") == {
        "a": range(2),
        "b": range(2, 3),
        "c": range(3, 5),
    }
    assert file.table("t")["usd"].decimal(4) is None
    # Encoding keeps prices as text.
    assert b"0.10" in container.encode_table({"usd": ["0.10", "0.1"]})


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.999, 0.9999999])
def test_a_cut_file_is_refused(tmp_path: Path, share: float) -> None:
    content = SHIPPED.read_bytes()
    path = written(tmp_path, content[: int(len(content) * share)])
    with pytest.raises(InputError, match=str(path)):
        container.SnapshotFile(path)


@given(place=st.integers(min_value=0), bit=st.integers(0, 7))
def test_one_flipped_bit_is_refused(
    tmp_path_factory: pytest.TempPathFactory, place: int, bit: int
) -> None:
    content = bytearray(SHIPPED.read_bytes())
    content[place % len(content)] ^= 1 << bit
    path = written(tmp_path_factory.mktemp("s"), bytes(content))
    with pytest.raises(InputError):
        container.SnapshotFile(path)


def test_another_schema_version_is_named(tmp_path: Path) -> None:
    content = SHIPPED.read_bytes().replace(b"netplan.prices/2\n", b"netplan.prices/7\n", 1)
    with pytest.raises(InputError, match=r"schema version '7'.*reads version 2"):
        open_snapshot(written(tmp_path, content).parent)


@pytest.mark.parametrize("content", [b"", b"\n", b"\x1b[31mred\n", b"a,b\n1,2\n", b"\x00" * 4096])
def test_what_is_no_snapshot_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"prices\.snapshot.*cannot be read.*prices refresh"):
        open_snapshot(tmp_path)
    with pytest.raises(InputError, match="not a price snapshot"):
        open_snapshot(written(tmp_path, content).parent)


def test_what_is_missing_in_a_snapshot_is_named(tmp_path: Path) -> None:
    names = [name for name in COLUMNS[LISTED_PRICES] if name != "spot"]
    table: dict[str, list[str]] = {name: [] for name in names}
    for tables, said in (
        ({LISTED_PRICES: table}, "lacks spot"),
        ({"other": {"c": ["1"]}}, "no table 'listed_prices'"),
    ):
        with pytest.raises(InputError, match=said):
            container.SnapshotFile(written(tmp_path, encoded(tables))).table(LISTED_PRICES)


def test_a_code_without_a_value_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(columns: dict[str, Sequence[str]]) -> bytes:
        return msgspec.msgpack.encode([("c", ["only"], 1, b"\x01")])

    monkeypatch.setattr("netplan_pricing.container.encode_table", damaged)
    path = written(tmp_path, encoded({"t": {"c": ["only"]}}))
    with pytest.raises(InputError, match="does not match its table"):
        container.SnapshotFile(path).table("t")


def test_a_later_table_may_have_more_columns(tmp_path: Path) -> None:
    table = {name: [""] for name in COLUMNS[LISTED_PRICES]}
    table |= {"as_of": ["2026-07-30"], "description": ["x"]}
    file = container.SnapshotFile(written(tmp_path, encoded({LISTED_PRICES: table})))
    assert file.table(LISTED_PRICES)["description"][0] == "x"


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        *(("on_demand", "free"), ("on_demand", "NaN"), ("spot", "1e5"), ("cud_1y", "9" * 99)),
        *(("as_of", ""), ("as_of", "2026-02-30")),
    ],
)
def test_a_cell_of_another_kind_is_refused_with_its_table(
    tmp_path: Path, column: str, cell: str
) -> None:
    table = {name: [""] for name in COLUMNS[LISTED_PRICES]} | {"as_of": ["2026-07-30"]}
    file = container.SnapshotFile(
        written(tmp_path, encoded({LISTED_PRICES: table | {column: [cell]}}))
    )
    with pytest.raises(InputError, match=f"table 'listed_prices' is damaged: {column}: '"):
        file.table(LISTED_PRICES)


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, new = written(tmp_path, b"old"), SHIPPED.read_bytes()

    def no_space(self: Path, target: Path) -> Path:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", no_space)
        with pytest.raises(InputError, match="cannot be written: no space left"):
            write_snapshot(built(new), tmp_path)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == [container.FILE_NAME]
    write_snapshot(built(new), tmp_path)
    assert path.read_bytes() == new
    # A folder that cannot be made is named.
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file/prices: cannot be created: Not a directory"):
        write_snapshot(built(b""), tmp_path / "file" / "prices")


def test_the_shipped_snapshot_says_what_it_is() -> None:
    info = open_snapshot().info
    assert (info.schema, info.as_of) == ("netplan.prices/2", date(2026, 4, 30))
    assert info.network_as_of == date(2026, 4, 30)
    assert info.row_count == sum(note.rows for note in open_snapshot().file.header.sources)
    assert len(info.sha256) == 64
    assert SHIPPED.stat().st_size < 5_000_000


def test_every_shipped_table_holds_together() -> None:
    file = open_snapshot().file
    assert {table.name for table in file.header.tables} == set(COLUMNS)
    for table in file.header.tables:
        rows = file.table(table.name).row_count
        # Rates of currencies come from a refresh that asks for them.
        assert rows == table.rows > (-1 if table.name == CURRENCY_RATES else 0)


def test_every_column_of_numbers_is_looked_at_as_one() -> None:
    """A column that code takes for numbers, and that is not declared as such, is found by them."""
    file = open_snapshot().file
    for table in file.header.tables:
        for name, column in file.table(table.name).columns.items():
            values = [value for value in column.values if value]
            if values and all(map(container.is_amount, values)) and not set(values) <= {"0", "1"}:
                assert container.cell_fault(table.name, name, ["none"]), (table.name, name)
