"""One stream, four and sixteen over real delay, with stock buffers and greater ones.

A writer that waits for room in its send buffer has between two thirds and all of it on the way, by
how its bursts fall. What streams have on the way adds up until it fills the link: behind a queue
they lose nothing to each other. Rates and values are inside these bounds, rates in their intervals,
but for the time that the bed did not have the machine.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.paths.tables import answered, written
from support.testbed import bed as beds
from support.testbed import streams
from support.testbed.bed import Bed, bed_of
from support.testbed.quiet import MOST_LOST_RATIO, undisturbed
from support.testbed.streams import GREATER, RTTS_MS, STOCK, Run

WHY_NOT = beds.missing()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

RUNS = (
    *(Run(set_up, rtt_ms, 1) for set_up in (STOCK, GREATER) for rtt_ms in RTTS_MS),
    *(Run(STOCK, rtt_ms, 4) for rtt_ms in (200, 300)),
    *(Run(set_up, 100, 16) for set_up in (STOCK, GREATER)),
)
LEFT = 1 - MOST_LOST_RATIO
"""Of a rate, at least, where others had the processors for as long as is let pass."""


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with bed_of(*streams.hosts()) as built:
        streams.with_queues(built)
        yield built


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_a_steady_rate_is_inside_its_interval(bed: Bed, tmp_path: Path, run: Run) -> None:
    seen = undisturbed(streams.steady_gbps, bed, run)
    least, most = streams.bounds_gbps(run)
    assert LEFT * least <= seen <= 1.01 * most
    found = answered(written(tmp_path / "paths.csv", streams.row_of(run))).predictions
    assert LEFT * found.low_gbps[0] <= seen <= found.high_gbps[0]
    assert least <= found.gbps[0] * (1 + 1e-9) <= most * 1.01
