"""The answers of the verbs on price snapshots and of `netplan rules`, whole, as text and JSON."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.judging.judged import rule_page
from netplan_planner.planning.reconciling import reconcile
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import render
from netplan_planner.verbs.prices import snapshots
from netplan_planner.verbs.prices.ask import BuildAsk
from netplan_planner.world.request import InputRequest
from netplan_pricing.container import FILE_NAME
from support.prices.billing_export import usage, write_flat_csv
from support.prices.inputs import (
    LISTS,
    MACHINE_FILES,
    PRICE_FILES,
    TABLES,
    built,
    write_inputs,
)

DAY = date(2026, 11, 22)
BETWEEN_ZONES = "DE9E-AFBC-A15A"


def snapshot(folder: Path, changed: dict[str, str | None] | None = None) -> Path:
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(built(folder / "in", changed).content)
    return folder


def mapped(folder: Path) -> object:
    return snapshots.map_skus([write_inputs(folder / "in") / "skus.json"])


def made(folder: Path) -> object:
    inputs = write_inputs(folder / "in")
    request = BuildAsk(
        skus=[inputs / "skus.json"],
        machine_types=[inputs / name for name in MACHINE_FILES],
        price_tables=tuple(inputs / name for name in PRICE_FILES),
        out=folder,
        accepts_changes=True,
    )
    return replace(snapshots.build_snapshot(request, DAY), path="prices/prices.snapshot")


def changes(folder: Path) -> object:
    fewer = "".join(row for row in TABLES[LISTS].splitlines(True) if ",c4n-standard-4," not in row)
    return snapshots.price_changes(
        snapshot(folder / "old"), snapshot(folder / "new", {LISTS: fewer}), 0.0
    )


def check(folder: Path) -> object:
    one = snapshot(folder / "one")
    return snapshots.check_prices(one, one, DAY)


def balance(folder: Path) -> object:
    rows = [
        usage(BETWEEN_ZONES, "Network Inter Zone Data Transfer Out", 245_000, 2450.0),
        usage("1111-1111-1111", "Core", 10, 17.0),
        usage("3333-3333-3333", "Tax", 0, 12.0, cost_type="tax"),
    ]
    bill = write_flat_csv(folder / "bill.csv", rows)
    return reconcile(InputRequest(today=DAY, demo="gecko"), [bill])


def page(folder: Path) -> object:
    return rule_page("vpc-mtu-mismatch")


@pytest.mark.parametrize("make", [mapped, made, changes, check, balance, page])
def test_the_whole_answer(
    make: Callable[[Path], object], tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    answer = make(tmp_path)
    for form, ending in (("text", "txt"), ("json", "json")):
        text = render(answer, form, RenderOptions(width=100))
        golden(f"answer-{make.__name__}.{ending}", text.replace(str(tmp_path), "FOLDER"))
