"""The picture of machines before and after changes: no label is crossed by a cap."""

from msgspec.structs import replace

from netplan_planner.verbs.whatif.answer import WhatifField
from netplan_planner.verbs.whatif.ask import changes_of
from netplan_planner.verbs.whatif.pictures import LEFT, before_after
from netplan_planner.verbs.whatif.run import whatif_of
from netplan_planner.world.request import InputRequest
from support.whatif.projects import TODAY


def test_figures_stand_right_of_bars_and_caps() -> None:
    changes = changes_of((), ((WhatifField.GROWTH, "2", "--growth"),), None, TODAY)
    answer = whatif_of(InputRequest(today=TODAY, demo="gecko"), changes)
    rates = [one.after.gbps or 0.0 for one in answer.machines]
    # The cap of each lies between its rate and the greatest, where its label would begin.
    machines = tuple(
        replace(one, after=replace(one.after, egress_gbps=rate + 0.1 * (max(rates) - rate)))
        for one, rate in zip(answer.machines, rates, strict=True)
    )
    found = before_after(replace(answer, machines=machines))
    assert found is not None
    beyond = [row for row in found.rows if row.cap and row.cap > LEFT + max(row.before, row.after)]
    assert beyond
    for row in found.rows:
        assert row.label > max(LEFT + row.before, LEFT + row.after, row.cap or 0)
