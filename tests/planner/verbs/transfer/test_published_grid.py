"""The published grid of 29 January 2022: what ways around bring there.

Its runs of 5 s hold the whole slow start, so the rates are low for long paths; that is part of the
data. Prices are made: 2 cents inside a cloud, the list price of each cloud's internet traffic
elsewhere.
"""

import csv
from decimal import Decimal
from typing import Any

import pytest

from netplan_planner.verbs.transfer.answer import EdgePrice, GridEdge, TransferPlan
from netplan_planner.verbs.transfer.ask import TransferGoal, TransferNeed
from netplan_planner.verbs.transfer.hops import Tables
from netplan_planner.verbs.transfer.plan import plan_transfer
from support.known import known
from support.projects.shared_data import needs_shared, shared
from support.transfers import reckoned
from support.transfers.made import CAPS, PRICES

pytestmark = needs_shared
OUT_USD = {"gcp": "0.12", "aws": "0.09", "azure": "0.087"}
TB = 10**12


@pytest.fixture(scope="module")
def grid() -> dict[tuple[str, str], float]:
    path = shared("data/measurements/public_measurements.csv")
    best: dict[tuple[str, str], float] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            edge = row["src_location"], row["dst_location"]
            if row["source"] == "skyplane-grid-2022-01-29" and edge[0] != edge[1]:
                best[edge] = max(best.get(edge, 0.0), float(row["value"]))
    return best


def price(src: str, dst: str) -> Decimal:
    cloud = src.partition(":")[0]
    return Decimal("0.02" if cloud == dst.partition(":")[0] else OUT_USD[cloud])


def planned(
    grid: dict[tuple[str, str], float], source: str, *targets: str, **more: Any
) -> TransferPlan:
    tables = Tables(
        tuple(GridEdge(src=s, dst=d, gbps_per_vm=rate) for (s, d), rate in grid.items()),
        tuple(EdgePrice(src=s, dst=d, usd_per_gib=price(s, d)) for s, d in grid),
    )
    told: dict[str, Any] = {"volume_bytes": TB, "max_count": 1}
    need = TransferNeed(source=source, targets=targets, **(told | more))
    return plan_transfer(need, PRICES, CAPS, tables)


def test_ways_around_are_faster_in_a_budget(grid: dict[tuple[str, str], float]) -> None:
    ends = ("azure:canadacentral", "gcp:asia-northeast1-a")
    direct = known(planned(grid, *ends, relays=(), goal=TransferGoal.TIME).plan)
    assert direct.gbps == pytest.approx(grid[ends])
    budget = direct.usd_total * Decimal("1.25")
    found = planned(grid, *ends, goal=TransferGoal.TIME, budget_usd=budget)
    assert found.plan is not None
    assert found.plan.gbps > 1.8 * direct.gbps
    assert found.plan.usd_total <= budget
    assert reckoned.wrong(found.need, found.plan, grid) == ""
    prices = {edge: price(*edge) for edge in grid}
    own = reckoned.table_usd(found.need, found.plan, prices, None)
    assert abs(own - found.plan.usd_total) < Decimal("0.01")


@pytest.mark.parametrize(
    "ends",
    [
        ("gcp:us-central1-a", "aws:eu-west-1"),
        ("aws:us-east-1", "azure:japaneast"),
        ("azure:westeurope", "gcp:europe-west3-a"),
        ("gcp:southamerica-east1-a", "aws:ap-southeast-2"),
    ],
)
def test_never_dearer_than_the_direct_way_at_its_rate(
    grid: dict[tuple[str, str], float], ends: tuple[str, str]
) -> None:
    direct = known(planned(grid, *ends, relays=()).plan)
    plan = known(planned(grid, *ends, deadline_s=direct.duration_s * (1 + 1e-6)).plan)
    assert plan.usd_total <= direct.usd_total + Decimal("0.01")
    assert reckoned.wrong(planned(grid, *ends).need, plan, grid) == ""


def test_a_byte_for_three_places_crosses_once(grid: dict[tuple[str, str], float]) -> None:
    ends = ("gcp:us-central1-a", "aws:eu-west-1", "azure:eastus", "gcp:asia-east1-a")
    found = planned(grid, *ends)
    assert found.plan is not None
    assert found.plan.usd_total < known(found.direct).usd_total
    assert reckoned.wrong(found.need, found.plan, grid) == ""
