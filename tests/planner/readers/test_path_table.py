"""A table of paths: what is read, what is refused, and what is written back."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netplan_planner.errors import InputError, UsageError
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.tables.extended import CodedTexts
from support.listed import listed
from support.paths.tables import PLAIN, answered, as_parquet, read, reasons, written

NUMBERS = (
    *("streams", "rtt_ms", "duration_s", "omit_s", "bytes", "window_bytes", "send_buffer_bytes"),
    *("mtu", "vcpus"),
)


def numbers(path: Path, name: str) -> list[float]:
    with PathTable(path) as table:
        return list(table.rows().numbers[name])


def rewritten(path: Path, target: Path) -> list[dict[str, str]]:
    """Return a table as it is written out, with one column added."""
    with PathTable(path) as table:
        table.rows()
        table.write({"added": np.arange(table.row_count, dtype=float)}, target)
    return read(target.read_text(encoding="utf-8"))


class TestReading:
    def test_the_distinct_kinds_and_the_number_of_each_row(self, tmp_path: Path) -> None:
        other = PLAIN | {"machine_type": "n2-standard-8"}
        path = written(tmp_path / "t.csv", PLAIN, other, PLAIN, other | {"streams": "1"})
        with PathTable(path) as table:
            rows = table.rows()
        assert len(rows.kinds) == 2
        assert rows.kind[0] == rows.kind[2] != rows.kind[1] == rows.kind[3]
        assert rows.numbers["streams"].tolist() == [64, 64, 64, 1]
        assert rows.numbers["rtt_ms"].tolist() == [80] * 4

    def test_absent_columns_and_empty_cells_are_unknown(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {"streams": ""})
        with PathTable(path) as table:
            rows = table.rows()
        for name in ("streams", "duration_s", "bytes", "window_bytes"):
            assert np.isnan(rows.numbers[name]).all()

    @listed("word", ["", "na", "N/A", "nan", "NULL", "none", "-", "?", "  "])
    def test_words_for_none(self, tmp_path: Path, word: str) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {"duration_s": word})
        assert np.isnan(numbers(path, "duration_s")).all()

    def test_rows_keep_their_order_in_large_tables(self, tmp_path: Path) -> None:
        count = 50_000
        rows = [PLAIN | {"streams": str(1 + at)} for at in range(count)]
        path = written(tmp_path / "t.csv", *rows)
        expected = list(range(1, count + 1))
        assert numbers(path, "streams") == expected
        assert numbers(as_parquet(path), "streams") == expected

    @listed(
        ("note", "window"),
        [("cpu 8; rmem 64MiB", 2**25), ("rmem 1GiB", 2**29), ("rmem", None), ("", None)],
    )
    def test_a_note_may_tell_the_receivers_buffer(
        self, tmp_path: Path, note: str, window: float | None
    ) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {"note": note})
        (found,) = numbers(path, "window_of_note")
        assert found == window if window is not None else np.isnan(found)

    @listed(
        ("metric", "expected"),
        [
            ("tcp_throughput_sender", True),
            ("tcp_throughput", True),
            ("tcp_goodput_received", False),
            ("", False),
        ],
    )
    def test_the_metric_says_whose_count_it_is(
        self, tmp_path: Path, metric: str, expected: bool
    ) -> None:
        with PathTable(written(tmp_path / "t.csv", PLAIN | {"metric": metric})) as table:
            assert table.rows().is_sender_count.tolist() == [expected]

    def test_parquet_types_do_not_matter(self, tmp_path: Path) -> None:
        typed = tmp_path / "typed.parquet"
        table = pa.table(
            {
                "machine_type": pa.array(["n2-standard-8", None]).dictionary_encode(),
                "path_class": ["same-zone-internal"] * 2,
                "streams": pa.array([4, None], pa.int16()),
                "rtt_ms": pa.array([0.5, float("nan")], pa.float32()),
                "date": pa.array([19_000, None], pa.date32()),
            }
        )
        pq.write_table(table, typed)
        with PathTable(typed) as found:
            rows = found.rows()
        np.testing.assert_array_equal(rows.numbers["streams"], [4, np.nan])
        np.testing.assert_array_equal(rows.numbers["rtt_ms"], [0.5, np.nan])
        assert rows.kinds[rows.kind[0]] != rows.kinds[rows.kind[1]]

    def test_a_column_named_like_a_row_number_is_only_a_column(self, tmp_path: Path) -> None:
        rows = [PLAIN | {"rowid": "2", "note": "first"}, PLAIN | {"rowid": "1", "note": "second"}]
        path = written(tmp_path / "t.csv", *rows)
        with PathTable(path) as table:
            assert [row["note"] for row in table.head(2)] == ["first", "second"]
        assert [row["note"] for row in rewritten(path, tmp_path / "out.csv")] == ["first", "second"]


class TestRefused:
    @listed(
        ("name", "good", "cell"),
        [
            *((name, "1000", cell) for name in NUMBERS for cell in ("abc", "-5")),
            *(("streams", "1000", cell) for cell in ("5ms", "1,5", "0x10", "true", "inf", "1e400")),
            *((name, "1000", "inf") for name in ("rtt_ms", "duration_s", "bytes")),
            # Half of what is counted.
            *(("streams", "2e1", "20.5"), ("mtu", "1460", "1460.5"), ("nics", "2", "2.5")),
        ],
    )
    def test_a_cell_that_is_none_names_row_and_column(
        self, tmp_path: Path, name: str, good: str, cell: str
    ) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {name: good}, PLAIN | {name: cell})
        found = answered(path)
        assert np.isnan(found.predictions.gbps[1])
        assert reasons(found)[1].startswith(f"refused: {name} is not")
        assert not reasons(found)[0].startswith("refused")
        with PathTable(path) as table:
            table.rows()
            assert table.refused.count == 1
            assert table.refused.named[0].startswith(f"row 2: {name} is '")

    def test_the_rows_around_it_are_answered_as_without_it(self, tmp_path: Path) -> None:
        good = [PLAIN | {"streams": str(count)} for count in (1, 8)]
        alone = answered(written(tmp_path / "a.csv", *good))
        path = written(tmp_path / "t.csv", good[0], PLAIN | {"streams": "1.5"}, good[1])
        found = answered(path)
        assert found.predictions.gbps[[0, 2]] == pytest.approx(alone.predictions.gbps)
        assert reasons(found) == ["", "refused: streams is not a whole number", ""]

    def test_many_are_counted_and_the_first_named(self, tmp_path: Path) -> None:
        bad = [PLAIN | {"streams": f"x{at}"} for at in range(40)]
        with PathTable(written(tmp_path / "t.csv", PLAIN, *bad)) as table:
            table.rows()
            assert table.refused.count == 40
            assert table.refused.named[0].startswith("row 2: streams is 'x0', not a finite number")
            assert len(table.refused.named) == 5

    def test_an_mtu_above_what_a_vpc_carries_has_no_answer(self, tmp_path: Path) -> None:
        rows = [PLAIN | {"mtu": "8896"}, PLAIN | {"mtu": "9000"}]
        found = answered(written(tmp_path / "t.csv", *rows))
        assert not np.isnan(found.predictions.gbps[0])
        assert "above the VPC maximum" in reasons(found)[1]

    def test_tier1_that_is_not_offered_is_said(self, tmp_path: Path) -> None:
        rows = [
            PLAIN | {"machine_type": name, "tier1": "true"}
            for name in ("e2-standard-8", "n2-standard-32")
        ]
        found = answered(written(tmp_path / "t.csv", *rows))
        assert reasons(found) == [
            "Tier_1 is not available for e2-standard-8: predicted without it",
            "",
        ]

    @listed(
        ("name", "cell"),
        [
            *((name, "0") for name in ("streams", "duration_s", "bytes", "window_bytes")),
            *(("streams", "0.5"), ("streams", "1e-320"), ("mtu", "20")),
        ],
    )
    def test_so_does_a_number_of_which_nothing_can_come(
        self, tmp_path: Path, name: str, cell: str
    ) -> None:
        """No time, less than one stream, a packet that has no room for payload."""
        path = written(tmp_path / "t.csv", PLAIN | {name: cell})
        with pytest.raises(InputError, match=f"row 1: {name}"):
            answered(path)

    def test_a_hostile_cell_is_shown_harmless(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {"streams": "\x1b[31m\u202e7"})
        with PathTable(path) as table, pytest.raises(InputError) as caught:
            table.rows()
        assert "\x1b" not in str(caught.value)
        assert "\u202e" not in str(caught.value)

    @listed("at", [0, 1, 2000])
    def test_a_row_with_too_few_cells_is_not_passed_over(self, tmp_path: Path, at: int) -> None:
        lines = ["machine_type,path_class,streams", *["n2-standard-8,internet,1"] * 3000]
        lines.insert(1 + at, "n2-standard-8,internet")
        path = tmp_path / "t.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"t\.csv"):
            PathTable(path)

    def test_a_folder_and_nothing_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="directory"):
            PathTable(tmp_path)
        with pytest.raises(InputError, match="No such file"):
            PathTable(tmp_path / "none.csv")

    @listed("name", ["added", "Added"])
    def test_a_column_that_is_there_already(self, tmp_path: Path, name: str) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {name: "x"})
        with (
            PathTable(path) as table,
            pytest.raises(UsageError, match=f"it already has a column {name}"),
        ):
            table.write({"added": np.zeros(1)}, tmp_path / "out.csv")


HARMLESS = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z", "Mn", "Me")) | st.just(" "),
    max_size=12,
).filter(
    lambda text: (
        not text.lstrip()[:1].startswith(tuple("=+@-＝＋－＠"))
        and not any(unicodedata.bidirectional(one) in {"BN"} for one in text)
    )
)


class TestWriting:
    def test_rows_order_and_own_columns_stay(self, tmp_path: Path) -> None:
        rows = [
            PLAIN | {"note": "plain", "x": " padded "},
            PLAIN | {"note": 'a "quoted", cell', "x": "-5"},
            PLAIN | {"note": "ümlaut, 東京 ✓", "x": "+1e3"},
            PLAIN | {"note": "'single'", "x": "007"},
            PLAIN | {"note": "", "x": "NULL"},
        ]
        found = rewritten(written(tmp_path / "t.csv", *rows), tmp_path / "out.csv")
        own = [{k: v for k, v in row.items() if k != "added"} for row in found]
        assert own == rows
        assert [float(row["added"]) for row in found] == [0, 1, 2, 3, 4]

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(HARMLESS, min_size=1, max_size=6))
    def test_no_harmless_text_is_changed(self, tmp_path: Path, texts: list[str]) -> None:
        rows = [PLAIN | {"note": text} for text in texts]
        found = rewritten(written(tmp_path / "t.csv", *rows), tmp_path / "out.csv")
        assert [row["note"] for row in found] == texts

    @listed(
        "cell",
        ["=1+1", "+cmd()", "@SUM(1)", "-2+3", " =1", "\t=1", "＝1", '=HYPERLINK("http://x")'],
    )
    def test_a_formula_becomes_a_text(self, tmp_path: Path, cell: str) -> None:
        (row,) = rewritten(written(tmp_path / "t.csv", PLAIN | {"note": cell}), tmp_path / "o.csv")
        # A tab in front is shown as an escape, which no spreadsheet takes for a blank.
        assert row["note"].startswith(("'", "\\t"))

    @listed("cell", ["\x1b[31m", "a\x00b", "\u202eabc", "a\nb", "\x9b31m", "\u2066x\u2069"])
    @listed("name", ["note", "path_class", "machine_type", "a header"])
    def test_what_steers_a_terminal_or_the_writing_is_replaced(
        self, tmp_path: Path, cell: str, name: str
    ) -> None:
        source = written(tmp_path / "t.csv", PLAIN | {"note": ""} | {name: cell})
        rewritten(source, tmp_path / "out.csv")
        assert_inert(tmp_path / "out.csv")

    @listed("header", ["=cmd()", "a\x1b[31mb", "a\u202eb", "+x", "@y"])
    def test_so_are_the_names_of_columns(self, tmp_path: Path, header: str) -> None:
        rewritten(written(tmp_path / "t.csv", PLAIN | {header: "x"}), tmp_path / "out.csv")
        assert_inert(tmp_path / "out.csv")
        assert header not in (tmp_path / "out.csv").read_text(encoding="utf-8").split(",")

    def test_names_with_quotes_and_spaces_stay(self, tmp_path: Path) -> None:
        rows = [PLAIN | {'a "b"; c': "x", "select": "y", "x'y": "z"}]
        found = rewritten(written(tmp_path / "t.csv", *rows), tmp_path / "out.csv")
        assert list(found[0]) == [*rows[0], "added"]

    def test_added_texts_are_as_harmless_as_the_own(self, tmp_path: Path) -> None:
        texts = ["\x1b[31m", "=1+1", 'it\'s, a "text"', "plain"]
        path = written(tmp_path / "t.csv", *[PLAIN] * 5)
        with PathTable(path) as table:
            table.rows()
            code = np.array([0, 1, 2, 3, -1])
            table.write({"said": CodedTexts(texts, code)}, tmp_path / "out.csv")
        assert_inert(tmp_path / "out.csv")
        found = [row["said"] for row in read((tmp_path / "out.csv").read_text(encoding="utf-8"))]
        assert found[1] == "'=1+1"
        assert found[2:] == ['it\'s, a "text"', "plain", ""]

    def test_unknown_numbers_are_empty_cells(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.csv", *[PLAIN] * 3)
        with PathTable(path) as table:
            table.write({"x": np.array([1.5, np.nan, 0.0])}, tmp_path / "out.csv")
        text = (tmp_path / "out.csv").read_text(encoding="utf-8")
        assert [row["x"] for row in read(text)] == ["1.5", "", "0.0"]

    def test_parquet_writes_what_csv_writes(self, tmp_path: Path) -> None:
        rows: Sequence[dict[str, str]] = [PLAIN, PLAIN | {"streams": "", "machine_type": "=x"}]
        path = written(tmp_path / "t.csv", *rows)
        assert rewritten(as_parquet(path), tmp_path / "p.csv") == rewritten(
            path, tmp_path / "c.csv"
        )


def assert_inert(path: Path) -> None:
    """Assert that a file holds nothing that a terminal or a text direction obeys."""
    text = path.read_bytes().decode()
    bad = [one for one in text if one != "\n" and unicodedata.category(one) in {"Cc", "Cf"}]
    assert bad == []
    assert "\n" not in {cell for row in read(text) for cell in (*row, *row.values())}
