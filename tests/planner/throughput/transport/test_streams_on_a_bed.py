"""One stream and sixteen over 20 to 300 ms of real delay, with stock buffers and greater ones.

Every rate is inside its interval. The likely value is a middle: a writer that waits for room in its
send buffer has between two thirds and all of it on the way, by how its bursts fall.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.paths.tables import answered, written
from support.testbed import bed as beds
from support.testbed import streams
from support.testbed.bed import Bed, bed_of
from support.testbed.quiet import undisturbed
from support.testbed.streams import GREATER, RTTS_MS, STOCK, Run

WHY_NOT = beds.missing()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]

RUNS = (
    *(Run(set_up, rtt_ms, 1) for set_up in (STOCK, GREATER) for rtt_ms in RTTS_MS),
    *(Run(set_up, 100, 16) for set_up in (STOCK, GREATER)),
)
NEAR = 0.2


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with bed_of(*streams.hosts()) as built:
        streams.with_queues(built)
        yield built


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_a_steady_rate_is_inside_its_interval(bed: Bed, tmp_path: Path, run: Run) -> None:
    seen = undisturbed(streams.steady_gbps, bed, run)
    found = answered(written(tmp_path / "paths.csv", streams.row_of(run))).predictions
    assert found.low_gbps[0] <= seen <= found.high_gbps[0]
    assert found.gbps[0] == pytest.approx(seen, rel=NEAR)
