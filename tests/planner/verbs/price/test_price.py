"""The `price` verb as a user runs it: another snapshot, little memory, whole tables."""

import gzip
import json
import unicodedata
from datetime import date
from pathlib import Path
from subprocess import CompletedProcess

from netplan_planner.planning.inputs import PriceSource
from netplan_planner.verbs.price.completing import age_of_rows
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
    assert "incomplete or changed" in cut.stderr


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


def test_a_price_that_no_refresh_renews_asks_for_none() -> None:
    source = PriceSource(today=date(2026, 11, 29))
    documented: dict[str, object] = {"as_of": "2025-10-22", "sku_id": None, "sku_candidates": ""}
    listed: dict[str, object] = {"as_of": "2026-11-01", "sku_id": "A259-FE21-4125"}
    assert age_of_rows([documented, listed], source) == ""
    old: dict[str, object] = listed | {"as_of": "2026-04-30"}
    assert age_of_rows([documented, old], source).startswith("Prices of 2026-04-30 are over 90")
    either: dict[str, object] = {"as_of": "2026-04-30", "sku_id": None, "sku_candidates": "A or B"}
    assert age_of_rows([either], source)
