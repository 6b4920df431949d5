"""`netplan price machine --batch`: rows and order kept, unknown empty, every fault told."""

import csv
import gzip
import io
import json
import unicodedata
from pathlib import Path

import pytest

from support.commands.run import run_verbs

HEAD = "note,region,machine_type"


def run(folder: Path, text: str, *more: str) -> tuple[int, str, str]:
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
    status, said, error = run(tmp_path, "\n".join(lines) + "\n", "--format", "csv")
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


def test_json_holds_the_same(tmp_path: Path) -> None:
    status, said, _ = run(
        tmp_path, f"{HEAD}\na,us-central1,n2-standard-16\nb,x,y\n", "--format", "json"
    )
    assert status == 0
    found = json.loads(said)
    assert found["prices"][0]["on_demand_usd_per_hour"] == 0.776944
    assert found["prices"][1]["on_demand_usd_per_hour"] is None


def test_no_form_lets_a_cell_or_a_name_steer_a_terminal(tmp_path: Path) -> None:
    rows = f"{HEAD},a\u202eb\n\x1b[31mred\x9b\u202e,us-central1,\x7f,\u2066x\n"
    for form in ("json", "csv"):
        status, said, _ = run(tmp_path, rows, "--format", form)
        assert status == 0
        bad = [one for one in said if one != "\n" and unicodedata.category(one) in {"Cc", "Cf"}]
        assert bad == [], form
    status, said, _ = run(tmp_path, rows, "--format", "json")
    (row,) = json.loads(said)["prices"]
    # What a program reads is the text itself.
    assert (row["note"], row["a\u202eb"]) == ("\x1b[31mred\x9b\u202e", "\u2066x")


def test_a_table_may_be_packed_or_come_from_a_spreadsheet(tmp_path: Path) -> None:
    table = f"{HEAD}\n-5,us-central1,n2-standard-16\n"
    plain = run(tmp_path, table)
    for name, content in {
        "packed.csv.gz": gzip.compress(table.encode()),
        "windows.csv": table.replace(",", ";").replace("\n", "\r\n").encode("utf-16"),
        "mixed.csv": table.replace("\n", "\r\n", 1).encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
        done = run_verbs(arguments=["price", "machine", "--batch", str(tmp_path / name)])
        assert (done.returncode, done.stdout) == (0, plain[1]), name
    assert plain[1].splitlines()[1].startswith("-5,us-central1,n2-standard-16,0.776944,")


def test_an_empty_table_has_an_empty_answer(tmp_path: Path) -> None:
    status, said, _ = run(tmp_path, f"{HEAD}\n")
    assert status == 0
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("region,type\nx,y\n", 3, "no column machine_type"),
        ("region,type,machine\nx,y,z\n", 3, "no column machine_type (machine is the nearest)"),
        ("", 3, "machines.csv: the file is empty"),
        ("region,machine_type,Region\na,b,c\n", 3, "two columns are named 'region'"),
        (f"{HEAD}\na,b\n", 3, "machines.csv:2: more or fewer cells"),
        (f'{HEAD}\n"a,b,c\n', 3, "not CSV"),
        ("region,machine_type,as_of\na,b,c\n", 2, "it has a column as_of already"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(
    tmp_path: Path, text: str, status: int, said: str
) -> None:
    found, out, error = run(tmp_path, text)
    assert (found, out) == (status, "")
    assert said in error


def test_a_type_beside_a_table_is_refused(tmp_path: Path) -> None:
    status, _, error = run(tmp_path, f"{HEAD}\n", "--region", "us-central1")
    assert status == 2
    assert "--batch names types and regions" in error


def test_a_sku_is_shown_with_its_steps() -> None:
    done = run_verbs(arguments=["price", "sku", "d591-959f-0d6c", "--format", "json"])
    rows = json.loads(done.stdout)["prices"]
    assert [(row["from"], row["usd_per_unit"]) for row in rows] == [
        *((0, 0.25), (10_240, 0.15), (30_720, 0.075), (51_200, 0.05)),
    ]
    assert rows[0]["kind"] == "network_other:VPCFlowLogsGeneration"
    without = run_verbs(arguments=["price", "sku", "4B15-30EF-FEEB"])
    assert without.returncode == 3
    assert "names it without a price" in without.stderr
    unknown = run_verbs(arguments=["price", "sku", "0000"])
    assert unknown.returncode == 2
    assert "no SKU '0000'" in unknown.stderr
