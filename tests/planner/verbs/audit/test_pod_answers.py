"""Pods that cost most, and what near endpoints would save, in the report of an audit."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_planner.model import Facts
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.terminal import render
from netplan_planner.units import gib_per_month
from netplan_planner.verbs.audit.run import report_on
from netplan_planner.verbs.audit.tables import near_savings, pod_pairs
from netplan_planner.world.request import InputRequest
from support.rules.facts import TODAY, machine
from support.rules.facts import facts_of as made_facts
from support.rules.fixtures import FIXTURES, facts_of

SERVICE = "service-without-topology"
INTER_ZONE_USD_PER_GIB = Decimal("0.01")


def facts_of_case(name: str, folder: Path) -> Facts:
    path = FIXTURES / SERVICE / f"{name}.json"
    return facts_of(json.loads(path.read_text("utf-8")), folder)


def test_pairs_and_balance_of_pods_are_told(tmp_path: Path) -> None:
    pairs = pod_pairs(facts_of_case("bad", tmp_path))
    # Three zones of clients, three of endpoints: six of nine pairs cross.
    assert len(pairs) == 6
    gib = gib_per_month(2 * 9_000_000_000, 3600)  # two pods of 0.02 Gbit/s for an hour
    for pair in pairs:
        assert pair.src_zone != pair.dst_zone
        assert pair.gib_per_month == pytest.approx(gib, rel=Decimal("1e-6"))
        assert pair.usd_per_month == pytest.approx(
            gib * INTER_ZONE_USD_PER_GIB, rel=Decimal("1e-6")
        )
    # What prefer close saves and costs.
    (saving,) = near_savings(facts_of_case("bad", tmp_path))
    assert saving.saved_gib_per_month == saving.crossing_gib_per_month
    assert saving.overload_times == 1
    assert saving.saving_usd_per_month == pytest.approx(
        (saving.saved_gib_per_month or 0) * INTER_ZONE_USD_PER_GIB, rel=Decimal("1e-6")
    )
    # Balance and reasons are told.
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (saving,) = near_savings(facts_of_case("good-overload", tmp_path / "a"))
    assert saving.overload_times == pytest.approx(7)
    assert saving.lone_zones == ("us-central1-a",)
    (saving,) = near_savings(facts_of_case("good-no-slices", tmp_path / "b"))
    assert saving.saving_usd_per_month is None
    assert saving.unknown == "EndpointSlices were not read"


def test_the_report_has_both_sections(tmp_path: Path) -> None:
    report = report_on(InputRequest(today=TODAY), facts_of_case("bad", tmp_path))
    text = render(report, RenderOptions(width=100))
    assert "Most expensive pods, per month (included in the traffic above)" in text
    assert "shop/web (us-central1-a)" in text
    assert "Services with trafficDistribution: PreferClose, per month" in text
    assert "same as now, in us-central1-a" in text
    assert "3 nodes" in text
    assert "9 pods" in text
    assert "1 endpoint slice" in text


def test_without_pods_there_is_neither() -> None:
    report = report_on(InputRequest(today=TODAY), made_facts(machine("a")))
    assert (report.pod_pairs, report.near_savings, report.plugin_changes) == ((), (), None)
    assert "pods" not in dict(report.coverage.resource_counts)
