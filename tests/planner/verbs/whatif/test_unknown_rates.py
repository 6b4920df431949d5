"""A rate that nobody knows is nowhere shown, ordered or summed as 0: in no figure, in no format.

In 2017, the day of the sample, nothing was documented of what n2-standard-8 carries.
"""

import csv
import json
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netplan_planner.verbs.whatif.answer import WhatifAnswer, WhatifField
from netplan_planner.verbs.whatif.ask import changes_of
from netplan_planner.verbs.whatif.differences import _rank
from netplan_planner.verbs.whatif.order import Outcome, gain_of
from netplan_planner.verbs.whatif.pictures import before_after
from netplan_planner.verbs.whatif.run import answer
from netplan_planner.world.request import InputRequest
from support.commands.in_process import netplan
from support.examples import examples
from support.whatif.projects import TODAY, change, facts_of

NAMES = tuple(f"transcoder-{number}" for number in range(1, 9))
UNKNOWN = "n2-standard-8"
NOUGHT = re.compile(r"(?<![\d.,])0 (?:→|[GMk]?bit/s)|→ 0(?![\d.,])")


@given(
    unknown=st.sets(st.sampled_from(NAMES), min_size=1),
    greater=st.sets(st.sampled_from(NAMES)),
    growth=st.sampled_from([None, "20"]),
    is_all_out=st.booleans(),
)
@settings(max_examples=examples(0.3), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_unknown_rates_are_in_no_figure(
    unknown: set[str], greater: set[str], growth: str | None, is_all_out: bool
) -> None:
    facts = facts_of("gecko")
    changes = [change(name, "machine-type", UNKNOWN) for name in sorted(unknown)[:3]]
    changes += [
        change(name, "machine-type", "n1-standard-8") for name in sorted(greater - unknown)[:2]
    ]
    changes += (
        changes_of((), ((WhatifField.GROWTH, growth, "--growth"),), None, TODAY) if growth else []
    )
    found = answer(InputRequest(today=TODAY, demo="gecko"), facts, changes, is_all_out=is_all_out)
    lost = {one.vms for one in changes if one.to == UNKNOWN}
    flows = {name: flows_of(name) for name in lost}
    # What each step gains is not known where the rate of a flow is known on one side only.
    for step in found.steps:
        for gain in (step.alone, step.marginal):
            is_lost = step.change.vms in lost and step.change.to == UNKNOWN
            assert (gain.gains_gbps is None) is is_lost
            assert gain.unknown_flow_count == (flows[step.change.vms] if is_lost else 0)
    assert found.after.unknown_flow_count == sum(flows.values())
    assert found.after.unknown_limit_count == len(lost)
    for pair in found.machines:
        assert (pair.after.gbps is None) is (pair.name in lost)
        assert pair.after.unknown_flow_count == flows.get(pair.name, 0)
    ordered = [one for one in found.machines if one.is_changed]
    assert ordered == sorted(ordered, key=_rank)
    drawn = before_after(found)
    assert (drawn is None) or (f"{len(lost):,} with an unknown rate" in drawn.left_out)
    # All of them come to a limit when all flows are; else perhaps none does.
    assert found.limits or not is_all_out
    assert_limits(found, lost)


def flows_of(name: str) -> int:
    """Return how many flows a machine of the sample sends."""
    traffic = facts_of("gecko").traffic
    assert traffic is not None
    return sum(traffic.owners[edge.src].name == name for edge in traffic.edges)


def assert_limits(found: WhatifAnswer, lost: set[str]) -> None:
    """Of a limit on which no flow has a rate any more, and of no other, nothing is known after."""
    for one in found.limits:
        is_lost = one.machine in lost and one.capacity_after_gbps is None
        after = (one.flows_after, one.bound_after, one.share_after_gbps)
        assert [each is None for each in after] == [is_lost] * 3


def test_no_format_shows_an_unknown_rate_as_nought(tmp_path: Path) -> None:
    kinds = ("text", "json", "csv", "md", "html")
    words = [f"--output={kind}:{tmp_path / kind}" for kind in kinds]
    vms = ("transcoder-1", "transcoder-5")
    chosen = [word for name in vms for word in ("--vm", name)]
    # Growth alone makes transcoder-1 meet its limit, which is unknown of the new type.
    done = netplan(
        *("whatif", "--demo", "gecko", *chosen, "--machine-type", UNKNOWN, "--growth", "20"), *words
    )
    assert done.status in (0, 1)
    said = {kind: (tmp_path / kind).read_text("utf-8") for kind in kinds}
    for kind in ("text", "md", "html"):
        assert not NOUGHT.search(said[kind]), kind
        flat = " ".join(re.sub(r"<[^>]*>|[|*]", " ", said[kind]).split())
        assert "unknown" in flat
        assert "effect on 3 flows unknown" in flat
        assert "findings 4 at least" in flat
    document = json.loads(said["json"])
    lost = [one for one in document["steps"] if one["change"]["to"] == UNKNOWN]
    assert [one["marginal"]["gains_gbps"] for one in lost] == [None, None]
    rows = list(csv.DictReader(said["csv"].splitlines()))
    assert {row["name"]: row["after_gbps"] for row in rows if row["name"] in vms} == dict.fromkeys(
        vms, ""
    )


@pytest.mark.parametrize("after", [[1.0, np.nan], [np.nan, np.nan]])
def test_the_gain_of_flows_that_become_unknown_is_unknown(after: list[float]) -> None:
    def outcome(gbps: list[float]) -> Outcome:
        return Outcome(
            usd=Decimal(1),
            unpriced=frozenset(),
            total_gbps=float(np.nansum(gbps)),
            gbps=np.array(gbps),
            src=np.array([0, 1]),
            used_ratio=np.array([0.95, 0.95]),
        )

    found = gain_of(outcome([1.0, 2.0]), outcome(after))
    assert found.gains_gbps is None
    assert found.unknown_flow_count == sum(np.isnan(after))
    known = gain_of(outcome([1.0, np.nan]), outcome([3.0, np.nan]))
    assert (known.gains_gbps, known.unknown_flow_count) == (2.0, 0)


def test_a_limit_without_a_known_rate_holds_back_an_unknown_number() -> None:
    changes = [change("transcoder-1", "machine-type", UNKNOWN)]
    read = InputRequest(today=TODAY, demo="gecko")
    found = answer(read, facts_of("gecko"), changes, is_all_out=True)
    (one,) = (one for one in found.limits if one.machine == "transcoder-1")
    assert (one.flows_before, one.bound_before) == (3, 3)
    assert_limits(found, {"transcoder-1"})
    done = netplan(
        *("whatif", "--demo", "gecko", "--vm", "transcoder-1", "--machine-type", UNKNOWN),
        *("--all-out", "--explain"),
    )
    assert "then an unknown number of flows" in " ".join(done.out.split())
