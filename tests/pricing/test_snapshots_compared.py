"""`prices diff` and `prices verify`: what moved between snapshots, and what may not be in one."""

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netplan_pricing import open_snapshot, schema
from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.comparing import Area, Change, compare
from netplan_pricing.container import FILE_NAME, encode_snapshot
from netplan_pricing.verifying import Check, verify
from support.commands.run import run_verbs
from support.prices.inputs import LISTS, OFFERS, TABLES, TODAY, built, made_skus

NONE = Decimal(0)
Rows = dict[str, list[str]]


def snapshot(folder: Path, changed: dict[str, str] | None = None, **more: Any) -> Path:
    content = built(folder / "inputs", changed, **more).content
    (folder / FILE_NAME).write_bytes(content)
    return folder


def spoilt(folder: Path, table: str, change: Callable[[Rows], None]) -> SnapshotPriceBook:
    """Return a made snapshot with one table changed behind the builder's back."""
    file = open_snapshot(snapshot(folder)).file
    tables = {
        place.name: {
            name: file.table(place.name)[name].texts() for name in schema.COLUMNS[place.name]
        }
        for place in file.header.tables
    }
    change(tables[table])
    header = file.header
    content = encode_snapshot(
        tables,
        as_of=header.as_of,
        network_as_of=header.network_as_of,
        source=header.source,
        sources=header.sources,
        sku_count=header.sku_count,
        unread_count=header.unread_count,
    )
    (folder / FILE_NAME).write_bytes(content)
    return open_snapshot(folder)


def run(*arguments: str) -> tuple[int, str]:
    done = run_verbs(arguments=["prices", *arguments])
    return done.returncode, done.stdout


def with_price(sku_id: str, usd: str) -> list[dict[str, Any]]:
    """Return the made SKUs with the first rate of one changed."""
    found = made_skus()
    for one in found:
        if one["skuId"] == sku_id:
            rate = one["pricingInfo"][0]["pricingExpression"]["tieredRates"][0]["unitPrice"]
            units, _, nanos = usd.partition(".")
            rate.update(units=units, nanos=int(nanos.ljust(9, "0")))
            return found
    raise AssertionError(sku_id)


def test_a_snapshot_does_not_differ_from_itself(tmp_path: Path) -> None:
    folder = str(snapshot(tmp_path))
    assert run("diff", folder, folder) == (0, "no price differs\n")
    assert run("diff", folder, folder, "--format", "csv")[1].splitlines() == [
        "area,change,where,what,step,old_usd,new_usd,moved_percent"
    ]


def test_a_rate_that_moves_moves_its_machines_and_its_sku(tmp_path: Path) -> None:
    old = open_snapshot(snapshot(tmp_path / "old"))
    new = open_snapshot(snapshot(tmp_path / "new", skus=with_price("E20-CPU-ONDEMAND", "0.066")))
    found = list(compare(old, new, least_ratio=NONE))
    moved = {(one.area, one.where, one.what): (one.old_usd, one.new_usd) for one in found}
    assert {one.change for one in found} == {Change.MOVED}
    assert moved == {
        (Area.RATE, "aa-one1", "e2 core on_demand"): (Decimal("0.06"), Decimal("0.066")),
        (Area.MACHINE, "aa-one1", "e2-micro on-demand"): (Decimal("0.025"), Decimal("0.0265")),
        (Area.SKU, "aa-one1", "E20-CPU-ONDEMAND E2 Instance Core running in Ay"): (
            *(Decimal("0.06"), Decimal("0.066")),
        ),
    }
    # The core's rate moves by 10 %, machines by the core's share of it: 6 %.
    small = list(compare(old, new, least_ratio=Decimal("0.06")))
    assert [one.area for one in small] == [Area.RATE, Area.SKU]
    assert {one.ratio for one in small} == {Decimal("0.1")}
    assert list(compare(old, new, least_ratio=Decimal("0.1"))) == []


def test_what_appears_and_what_vanishes_is_listed_in_every_form(tmp_path: Path) -> None:
    fewer = [one for one in made_skus() if one["skuId"] != "STD-1"]
    rows = TABLES[LISTS].splitlines(keepends=True)
    changed = {LISTS: "".join(row for row in rows if ",c4n-standard-4," not in row)}
    old, new = snapshot(tmp_path / "old"), snapshot(tmp_path / "new", changed, skus=fewer)
    arguments = ("diff", str(old), str(new), "--percent", "5")
    status, text = run(*arguments)
    assert status == 0
    assert "vanished  aa-one1  c4n-standard-4 on-demand: 0.9 → none" in text.splitlines()
    rows_of = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv")[1])))
    assert {(row["area"], row["change"]) for row in rows_of} == {
        ("machine", "vanished"), ("sku", "vanished"), ("traffic", "vanished"),
    }  # fmt: skip
    answer = json.loads(run(*arguments, "--format", "json")[1])
    assert len(answer["changes"]) == len(rows_of)
    back = json.loads(run("diff", str(new), str(old), "--format", "json")[1])["changes"]
    assert {one["change"] for one in back} == {"appeared"}
    assert len(back) == len(rows_of)


def test_a_made_snapshot_holds_and_lists_what_it_does_not_price(tmp_path: Path) -> None:
    extra = TABLES[OFFERS] + "c4n-standard-4,bb-two2,\n"
    folder = str(snapshot(tmp_path, {OFFERS: extra}))
    status, text = run("verify", "--against", folder, "--prices", folder)
    assert status == 0
    assert "FAIL" not in text
    assert "1 offered pairs of region and type have no price: c4n 1" in text
    answer = json.loads(
        run("verify", "--against", folder, "--prices", folder, "--format", "json")[1]
    )
    assert answer["faults"] == []
    assert set(answer["checks"]) == {check.name.lower() for check in Check}
    assert all(count > 0 for count in answer["checks"].values())
    (unpriced,) = answer["unpriced"]
    assert (unpriced["region"], unpriced["machine_type"]) == ("bb-two2", "c4n-standard-4")
    assert unpriced["reason"]


def setting(column: str, value: str, **where: str) -> Callable[[Rows], None]:
    """Return a change of one cell, of the first row that has what `where` says."""

    def change(rows: Rows) -> None:
        for row in range(len(rows[column])):
            if all(rows[name][row] == wanted for name, wanted in where.items()):
                rows[column][row] = value
                return
        raise AssertionError(where)

    return change


CORE = {"series": "n2", "component": "core", "usage": "on_demand", "region": "aa-one1"}


@pytest.mark.parametrize(
    ("table", "change", "check"),
    [
        (schema.COMPONENT_PRICES, setting("usd", "0", **CORE), Check.ABOVE_ZERO),
        (schema.COMPONENT_PRICES, setting("usd", "-0.06", **CORE), Check.ABOVE_ZERO),
        (schema.COMPONENT_PRICES, setting("usd", "0.001", **CORE), Check.NOT_ABOVE_ON_DEMAND),
        (
            schema.LISTED_PRICES,
            setting("spot", "0.91", machine_type="c4n-standard-4"),
            Check.NOT_ABOVE_ON_DEMAND,
        ),
        (schema.COMPONENT_PRICES, setting("sku_id", "NONE-SUCH", **CORE), Check.SKU_IDS),
        (schema.NETWORK_PRICES, setting("usd", "-0.01", sku_id="NET0-0001"), Check.TRAFFIC),
        (schema.NETWORK_PRICES, setting("usd", "0", sku_id="NET0-0001"), Check.TRAFFIC),
        (schema.NETWORK_PRICES, setting("usd", "", sku_id="REG-0-1"), Check.BOTH_WAYS),
        (schema.NETWORK_PRICES, setting("usd", "", sku_id="NET0-0001"), Check.PRESENT),
        (
            schema.NETWORK_PRICES,
            setting("kind", "peering_or_interconnect_out", sku_id="NET0-0003"),
            Check.PRESENT,
        ),
        (
            schema.SERVICE_PRICES,
            setting("service", "cloud_nap", service="cloud_nat_data"),
            Check.PRESENT,
        ),
    ],
)
def test_what_cannot_be_is_a_fault(
    tmp_path: Path, table: str, change: Callable[[Rows], None], check: Check
) -> None:
    verdict = verify(spoilt(tmp_path, table, change), TODAY)
    assert check in {fault.check for fault in verdict.faults}, verdict.faults
    status, text = run("verify", "--against", str(tmp_path), "--prices", str(tmp_path))
    assert status == 1
    (line,) = (line for line in text.splitlines() if line.endswith(check.value))
    assert " FAIL " in line


def test_the_shipped_snapshot_holds() -> None:
    book = open_snapshot()
    verdict = verify(book, TODAY, book)
    assert verdict.faults == ()
    assert all(count > 0 for count in verdict.counts.values())
    assert all(one.reason for one in verdict.unpriced)
