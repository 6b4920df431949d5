"""`netplan model evaluate` as a user calls it: the formats, the picture, and what is refused."""

import json
from pathlib import Path

from support.commands.run import run_verbs
from support.paths.tables import PLAIN, written

ROWS = [
    PLAIN | {"value": value, "source": source}
    for value, source in (("6.9", "mine"), ("6.5", "mine"), ("3", "yours"), ("", "yours"))
]


def evaluate(file: Path, *arguments: str) -> tuple[int, str, str]:
    done = run_verbs(
        arguments=["model", "evaluate", str(file), "--as-of", "2026-11-22", *arguments]
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_one_run_writes_every_format_and_the_picture(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.csv", *ROWS)
    page, table, picture = (tmp_path / f"out.{end}" for end in ("html", "csv", "svg"))
    files = ("-o", f"html:{page}", "-o", f"csv:{table}", "--plot", str(picture))
    status, out, errors = evaluate(file, *files, "-o", "json")
    assert (status, errors) == (0, "")
    found = json.loads(out)
    assert found["schema"] == "netplan.evaluation/1"
    assert (found["row_count"], found["unused_count"]) == (4, 1)
    assert {one["group"] for one in found["by_source"]} == {"mine, sender gcp", "yours, sender gcp"}
    assert "<title>mine.csv · netplan</title>" in page.read_text("utf-8")
    assert table.read_text("utf-8").startswith("grouped_by,group,row_count,")
    assert "<svg" in picture.read_text("utf-8")


def test_text_is_what_is_written_without_a_word(tmp_path: Path) -> None:
    status, out, errors = evaluate(written(tmp_path / "mine.csv", *ROWS))
    assert (status, errors) == (0, "")
    assert out.startswith("mine.csv · 4 rows, 1 without a measured value\n\nBy source\n")
    assert "share inside the 90% interval" in out
    before = evaluate(tmp_path / "mine.csv", "--format", "text")
    assert before == (0, out, ""), "what the option was called before"


def test_a_refused_row_is_told_beside_the_answer(tmp_path: Path) -> None:
    rows = [*ROWS, PLAIN | {"value": "\x1b[31mfast", "source": "mine"}]
    status, out, errors = evaluate(written(tmp_path / "mine.csv", *rows), "--format", "json")
    assert status == 0
    assert "note: rows that are refused, among them row 5: value is" in errors
    assert "\x1b" not in out + errors
