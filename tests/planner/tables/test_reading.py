"""One reader for user tables: every form of a file gives the same rows, every fault its place."""

import gzip
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from netplan_planner.errors import InputError
from netplan_planner.tables.columns import Column, ColumnKind
from netplan_planner.tables.reading import Table, TableView

COLUMNS = (
    Column(name="name", meaning="whose", other_names=("vm", "machine"), is_required=True),
    Column(name="gib", meaning="sent", unit="GiB", kind=ColumnKind.NUMBER, least=0),
)
PLAIN = 'name,gib\n"web, old",1.5\ndb,\n'


@pytest.fixture(autouse=True)
def _copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let copies go to a folder of the test, of which nothing may be left."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


def stored(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with Table(path, COLUMNS) as table:
        return list(table.head(table.row_count))


def zstd(text: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(text.encode())
    return bytes(sink.getvalue().to_pybytes())


class TestForms:
    @pytest.mark.parametrize(
        "content",
        [
            PLAIN,
            b"\xef\xbb\xbf" + PLAIN.encode(),
            PLAIN.encode("utf-16"),
            gzip.compress(PLAIN.encode()),
            gzip.compress(PLAIN.encode("utf-16")),
            zstd(PLAIN),
            PLAIN.replace("\n", "\r\n"),
            PLAIN.replace("\n", "\r"),
            PLAIN.replace("\n", "\r\n", 1),
            "\n\n" + PLAIN,
            PLAIN.replace("\ndb", "\n\ndb") + "\n",
            'name;gib\n"web, old";1.5\ndb;\n',
            'name\tgib\n"web, old"\t1.5\ndb\t\n',
            "name|gib\nweb, old|1.5\ndb|\n",
        ],
    )
    def test_every_form_gives_the_same_rows(self, tmp_path: Path, content: bytes | str) -> None:
        expected = [{"name": "web, old", "gib": "1.5"}, {"name": "db", "gib": ""}]
        assert rows(stored(tmp_path, content)) == expected

    def test_a_stream_is_read_like_a_file(self, tmp_path: Path) -> None:
        for content in (PLAIN.encode(), gzip.compress(PLAIN.encode())):
            with Table(Path("-"), COLUMNS, stream=io.BytesIO(content)) as table:
                assert [row["name"] for row in table.head(2)] == ["web, old", "db"]

    def test_what_stands_in_quotes_is_no_delimiter(self, tmp_path: Path) -> None:
        (row,) = rows(stored(tmp_path, 'name,"a;b;c;d"\nweb,x\n'))
        assert row == {"name": "web", "a;b;c;d": "x"}

    @pytest.mark.parametrize("name", ["t[1].csv", "t?.csv", "*.csv"])
    def test_a_files_name_is_no_pattern(self, tmp_path: Path, name: str) -> None:
        stored(tmp_path, "name\nother\n", "t1.csv")
        assert rows(stored(tmp_path, "name\nweb\n", name)) == [{"name": "web"}]

    def test_nor_is_its_folders_name_a_column(self, tmp_path: Path) -> None:
        folder = tmp_path / "gib=7"
        folder.mkdir()
        pq.write_table(pa.table({"name": ["web"]}), folder / "t.parquet")
        assert (
            rows(folder / "t.parquet") == rows(stored(folder, "name\nweb\n")) == [{"name": "web"}]
        )


class TestColumns:
    @pytest.mark.parametrize("name", ["name", "NAME", "vm", "Machine"])
    def test_a_column_goes_by_any_of_its_names(self, tmp_path: Path, name: str) -> None:
        with Table(stored(tmp_path, f"x,{name}\n1, web \n"), COLUMNS) as table:
            assert table.texts("name")[0] == ["web"]
            assert table.own_name("name") == name
            assert table.unread_columns == ["x"]

    def test_the_first_of_its_names_counts_where_both_are_there(self, tmp_path: Path) -> None:
        with Table(stored(tmp_path, "vm,name\nsecond,first\n"), COLUMNS) as table:
            assert table.texts("name")[0] == ["first"]

    def test_one_that_lacks_is_named_with_the_nearest(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            Table(stored(tmp_path, "machin,gib\nweb,1\n"), COLUMNS)
        assert str(caught.value) == (
            f"{tmp_path}/t.csv: no column name or vm or machine (nearest: machin);"
            " it has machin, gib"
        )


class TestFaults:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("", "t.csv: the file is empty"),
            ("\n \n", "t.csv: the file is empty"),
            ("name,gib\nweb\n", "t.csv:2: wrong number of cells: the row has 1"),
            ('name,gib\n"a\nb",1\nx,1,2\n', "t.csv:4: wrong number of cells"),
            ('name,gib\na,1\n"b,2\n', "t.csv:3: not CSV: a quote is opened and never closed"),
            ("name,Name\n", "t.csv: two columns are named 'name'"),
            (b"name,gib\nweb,1\n\xff,2\n", "t.csv:3: not UTF-8"),
            (b"PAR1 is how Parquet begins", "t.csv: cannot be read as Parquet: "),
            (gzip.compress(PLAIN.encode())[:-9], "t.csv: cannot be read as gzip: "),
            (zstd(PLAIN * 999)[:-9], "t.csv: cannot be read as zstd: the file is incomplete"),
            (PLAIN.encode("utf-16")[:-1], "t.csv: cannot be read as UTF-16: "),
            ("\x1b[31m,gib\n1,2\n", r"it has \x1b[31m, gib"),
        ],
    )
    def test_a_fault_is_told_with_its_place(
        self, tmp_path: Path, content: bytes | str, said: str
    ) -> None:
        with pytest.raises(InputError) as caught:
            Table(stored(tmp_path, content), COLUMNS)
        assert said in str(caught.value)
        assert "\x1b" not in str(caught.value)

    @pytest.mark.parametrize("form", ["csv", "utf-16", "parquet"])
    def test_a_cell_is_told_with_row_column_and_value(self, tmp_path: Path, form: str) -> None:
        text = "name,gib\na,1\nb,many\nc,-1\n"
        path = stored(tmp_path, text.encode("utf-16") if form == "utf-16" else text)
        if form == "parquet":
            path = tmp_path / "t.parquet"
            pq.write_table(pa.table({"name": ["a", "b", "c"], "gib": ["1", "many", "-1"]}), path)
        with Table(path, COLUMNS) as table:
            assert table.checked_numbers()["gib"][0] == 1
            assert table.refused.named == (
                "row 2: gib is 'many', not a finite number; leave the cell empty if it is unknown",
                "row 3: gib is '-1', not 0 or more",
            )


class TestView:
    def test_a_row_that_is_no_csv_is_found_when_it_is_asked_for(self, tmp_path: Path) -> None:
        view = TableView(stored(tmp_path, "name,gib\n" + "a,1\n" * 5000 + "b,1,2\n"), "given")
        with view, pytest.raises(InputError, match=r"t\.csv:5002: wrong number of cells"):
            view.rows("select sum(gib::double) from given")

    def test_line_ends_may_change_within_a_file(self, tmp_path: Path) -> None:
        with TableView(stored(tmp_path, "name,gib\r\na,1\nb,2\r\n"), "given") as view:
            assert view.rows("select sum(gib::double) from given") == [(3,)]
            assert view.types == {"name": "VARCHAR", "gib": "VARCHAR"}
