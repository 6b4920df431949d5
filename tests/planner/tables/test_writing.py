"""One writer: answers as rows, and tables that are written again, follow the same rules."""

import csv
import io
from decimal import Decimal
from pathlib import Path

import numpy as np

from netplan_planner.tables.columns import Column
from netplan_planner.tables.extended import AddedColumn, CodedTexts, write_extended
from netplan_planner.tables.reading import Table
from netplan_planner.tables.writing import csv_cell, csv_text
from support.listed import listed

TEXTS = (
    *("plain", "with, comma", 'a "quote"', "ümlaut 東京 ✓", " padded ", "", "007", "-5", "+1e3"),
    *("=1+1", "-cmd()", "@x", "＝1", " =1", "\t=1", "a\nb", "a\x1b[31m", "\x7f", "\x9b31m"),
    *("\u202eabc", "\u2066x", "a\x00b", "a\u00a0b", "a\u3000b", "\ufeffx", "\t5", "-inf"),
)


@listed(
    ("value", "cell"),
    [
        (None, ""),
        (float("nan"), ""),
        (True, "true"),
        (False, "false"),
        (1_234_567, "1234567"),
        (32.0, "32"),
        (0.0, "0"),
        (1_800_000.0, "1800000"),
        (float("inf"), "inf"),
        (0.123456789, "0.123457"),
        (1234.5678, "1234.57"),
        (Decimal("1234567.890123456789"), "1234567.890123456789"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0.00"), "0"),
        (Decimal("730.0"), "730"),
        (Decimal("-0"), "0"),
    ],
)
def test_a_value_has_one_way_to_be_written(value: object, cell: str) -> None:
    assert csv_cell(value) == cell


def test_lines_end_by_a_line_feed_and_quotes_stand_where_they_must() -> None:
    said = csv_text(("a", "=b"), [("x", 'say "x"'), (1.5, None)])
    assert said == 'a,\'=b\nx,"say ""x"""\n1.5,\n'


def test_a_table_written_again_follows_the_rules_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([("text", "\x1b=x"), *((text, f"{at}") for at, text in enumerate(TEXTS))])
    with Table(path, [Column(name="text", meaning="any")]) as table_read:
        codes = np.arange(len(TEXTS))
        more: dict[str, AddedColumn] = {"rate": codes / 4, "said": CodedTexts(TEXTS, codes)}
        write_extended(table_read, more, tmp_path / "again.csv")
    again = list(csv.reader(io.StringIO((tmp_path / "again.csv").read_text("utf-8"), newline="")))
    assert again[0] == [csv_cell(name) for name in ("text", "\x1b=x", "rate", "said")]
    for at, (text, row) in enumerate(zip(TEXTS, again[1:], strict=True)):
        assert row[:2] == [csv_cell(text), f"{at}"]
        assert float(row[2]) == at / 4
        assert row[3] == csv_cell(text)
        assert all(one.isprintable() for one in row)
