"""The `price` verb as a user runs it: another snapshot, little memory, whole tables."""

import csv
import gzip
import io
import json
import unicodedata
from pathlib import Path
from subprocess import CompletedProcess

from netplan_pricing.container import FILE_NAME
from support.commands.run import run_anew, run_verbs
from support.prices.inputs import built


def run(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["price", *arguments], COLUMNS="200")


def test_another_snapshot_can_be_asked(tmp_path: Path) -> None:
    content = built(tmp_path / "inputs").content
    (tmp_path / FILE_NAME).write_bytes(content)
    arguments = ("machine", "n2-standard-4", "--region", "aa-one1", "--prices", str(tmp_path))
    assert "0.4 " in run(*arguments).stdout
    (tmp_path / FILE_NAME).write_bytes(content[:-1])
    cut = run(*arguments)
    assert (cut.returncode, cut.stdout) == (3, "")
    assert "cut or altered" in cut.stderr


def test_too_little_memory_is_one_line() -> None:
    limited = (
        "import sys, netplan_planner.cli.app\n"
        "frame = sys.modules['netplan_planner.cli.app']\n"
        "def fail(*_, **__): raise MemoryError\n"
        "frame.app = fail\n"
        "frame.run()"
    )
    ran = run_anew("-c", limited)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr == "netplan: not enough memory for this; nothing was changed\n"


HEAD = "note,region,machine_type"


def batched(folder: Path, text: str, *more: str) -> tuple[int, str, str]:
    table = folder / "machines.csv"
    table.write_text(text)
    done = run_verbs(arguments=["price", "machine", "--batch", str(table), *more])
    return done.returncode, done.stdout, done.stderr


def test_rows_and_order_are_kept_and_unknown_is_empty(tmp_path: Path) -> None:
    lines = [
        HEAD,
        "first,us-central1,n2-standard-16",
        "again,us-central1,n2-standard-16",
        '"with, comma",us-central1,e2-micro',
        "custom,us-central1,n2-custom-8-16384",
        "no place,nowhere,n2-standard-2",
        "no type,us-central1,=HYPERLINK(1)",
        "not there,africa-south1,a2-highgpu-1g",
        "no price,us-central1,m4n-megamem-56",
    ]
    status, said, error = batched(tmp_path, "\n".join(lines) + "\n", "--format", "csv")
    assert status == 0
    # Of what is the oldest in the table; the shipped snapshot is older than that by now.
    assert error.startswith("Prices of 2026-04-30, over 90 days old; Spot prices of 2026-04-30")
    rows = list(csv.DictReader(io.StringIO(said)))
    assert [row["note"] for row in rows][2] == "with, comma"
    assert len(rows) == 8
    first, again, micro, custom, nowhere, hostile, elsewhere, unpriced = rows
    assert list(first) == [
        *("note", "region", "machine_type", "on_demand_usd_per_hour", "spot_usd_per_hour"),
        *("cud_1y_usd_per_hour", "cud_3y_usd_per_hour", "sud_full_month_usd_per_hour"),
        *("as_of", "reason", "spot_as_of"),
    ]
    assert first["on_demand_usd_per_hour"] == again["on_demand_usd_per_hour"] == "0.776944"
    assert (first["cud_3y_usd_per_hour"], first["as_of"]) == ("0.349648", "2026-04-30")
    assert first["sud_full_month_usd_per_hour"] == "0.6215552"
    assert first["reason"] == ""
    assert micro["sud_full_month_usd_per_hour"] == ""
    assert custom["cud_1y_usd_per_hour"] == "0.2092396"
    for row in (nowhere, hostile, unpriced):
        assert row["on_demand_usd_per_hour"] == row["as_of"] == ""
        assert row["reason"]
    assert hostile["machine_type"] == "'=HYPERLINK(1)"
    assert elsewhere["reason"] == "priced but not offered in this region"
    assert unpriced["reason"] == "offered in this region but no price is known"


def test_no_form_lets_a_cell_or_a_name_steer_a_terminal(tmp_path: Path) -> None:
    rows = f"{HEAD},a\u202eb\n\x1b[31mred\x9b\u202e,us-central1,\x7f,\u2066x\n"
    for form in ("json", "csv"):
        status, said, _ = batched(tmp_path, rows, "--format", form)
        assert status == 0
        bad = [one for one in said if one != "\n" and unicodedata.category(one) in {"Cc", "Cf"}]
        assert bad == [], form
    status, said, _ = batched(tmp_path, rows, "--format", "json")
    (row,) = json.loads(said)["prices"]
    # What a program reads is the text itself.
    assert (row["note"], row["a\u202eb"]) == ("\x1b[31mred\x9b\u202e", "\u2066x")


def test_a_table_may_be_packed_or_come_from_a_spreadsheet(tmp_path: Path) -> None:
    table = f"{HEAD}\n-5,us-central1,n2-standard-16\n"
    plain = batched(tmp_path, table)
    for name, content in {
        "packed.csv.gz": gzip.compress(table.encode()),
        "windows.csv": table.replace(",", ";").replace("\n", "\r\n").encode("utf-16"),
        "mixed.csv": table.replace("\n", "\r\n", 1).encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
        done = run_verbs(arguments=["price", "machine", "--batch", str(tmp_path / name)])
        assert (done.returncode, done.stdout) == (0, plain[1]), name
    assert plain[1].splitlines()[1].startswith("-5,us-central1,n2-standard-16,0.776944,")
