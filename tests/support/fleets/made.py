"""Fleets that are made for tests."""

import csv
import io
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from netplan_planner.verbs.fleet.answer import FleetAnswer
from netplan_planner.verbs.fleet.ask import FleetChoices
from netplan_planner.verbs.fleet.run import fleet_of
from netplan_planner.world.request import InputRequest

AS_OF = date(2026, 11, 1)
Row = dict[str, object]


def table_of(rows: Sequence[Row]) -> str:
    """Return rows as CSV."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def row(name: str = "web", **more: object) -> Row:
    """Return a row with what is required."""
    found: dict[str, object] = {
        "name": name,
        "zone": "us-central1-a",
        "count": 2,
        "gbps": 3,
        "vcpus": 4,
        "memory_gib": 8,
    }
    return found | more


def planned(
    folder: Path, rows: Sequence[Row], *, discounts: Sequence[str] = (), **more: object
) -> FleetAnswer:
    """Return the plan of rows; `more` are fields of the request."""
    path = folder / "needs.csv"
    path.write_text(table_of(rows), "utf-8")
    read = InputRequest(today=AS_OF, as_of=AS_OF, discounts=tuple(discounts))
    return fleet_of(FleetChoices(**more), read, path)  # type: ignore[arg-type]


def usd(answer: FleetAnswer) -> Decimal:
    """Return what a plan costs."""
    assert answer.usd_per_month is not None, answer.infeasible
    return answer.usd_per_month
