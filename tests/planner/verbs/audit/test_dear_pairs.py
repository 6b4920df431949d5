"""The dearest pairs against the bill of all traffic, which is worked out by class."""

from decimal import Decimal

import pytest

from netplan_planner.model import Direction, Facts
from netplan_planner.planning.traffic_bill import traffic_by_class
from netplan_planner.verbs.audit.tables import dear_pairs
from netplan_planner.world.demos import load_demo
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest
from support.rules.facts import TODAY, facts_of


def demo_facts(name: str) -> Facts:
    return read_facts(InputRequest(today=TODAY, demo=name), load_demo(name), lambda _: None)


@pytest.mark.parametrize("name", ["gecko", "interzone"])
def test_all_pairs_together_cost_what_the_classes_do(name: str) -> None:
    facts = demo_facts(name)
    found = dear_pairs(facts, most=10**6)
    sent = [one for one in traffic_by_class(facts) if one.direction is Direction.SENT]
    total = sum((one.usd_per_month or Decimal(0) for one in sent), Decimal(0))
    assert total > 0
    assert float(sum(pair.usd_per_month for pair in found)) == pytest.approx(float(total))
    gib = {one.path_class: one.gib_per_month for one in sent}
    for path_class in {pair.path_class for pair in found}:
        of_class = sum(pair.gib_per_month for pair in found if pair.path_class is path_class)
        assert float(of_class) <= float(gib[path_class]) * (1 + 1e-9)


def test_the_dearest_stand_first_and_without_traffic_there_are_none() -> None:
    found = dear_pairs(demo_facts("gecko"), most=3)
    assert len(found) == 3
    usd = [pair.usd_per_month for pair in found]
    assert usd == sorted(usd, reverse=True)
    assert all(pair.src_place == "us-central1-a" for pair in found)
    # Without traffic there are none.
    assert dear_pairs(facts_of()) == ()
