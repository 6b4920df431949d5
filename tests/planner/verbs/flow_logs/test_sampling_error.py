"""What sampling does to sums and percentiles, against records thinned many times."""

import json
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from netplan_planner.verbs.flow_logs import sampling_error
from support.listed import listed
from support.projects.shared_data import needs_shared, shared

DRAWS = 400
Floats = NDArray[np.float64]


def made(seed: int, *, minutes: int, per_minute: int, spread: float) -> tuple[Floats, Floats]:
    """Return the minutes of some records, and their bytes."""
    chance = np.random.default_rng(seed)
    load = chance.uniform(0.2, 1.8, minutes)
    count = np.maximum(1, chance.poisson(per_minute * load))
    minute = np.repeat(np.arange(minutes), count).astype(np.float64)
    return minute, chance.lognormal(10, spread, len(minute))


def by_block(minute: Floats, wire: Floats, length: int, minutes: int) -> Floats:
    block = (minute // length).astype(np.int64)
    return np.bincount(block, wire, minutes // length).astype(np.float64)


def blocks_of(minute: Floats, wire: Floats, minutes: int, length: int = 1) -> sampling_error.Blocks:
    sums = by_block(minute, wire, length, minutes)
    squares = by_block(minute, wire * wire, length, minutes)
    counts = by_block(minute, np.ones(len(wire)), length, minutes)
    busy = sums > 0
    most = np.zeros(minutes // length)
    np.maximum.at(most, (minute // length).astype(np.int64), wire)
    return sampling_error.Blocks(sums[busy], squares[busy], counts[busy], most[busy], length)


def thinned_p95(minute: Floats, wire: Floats, minutes: int, ratio: float, length: int) -> Floats:
    """Return the 95th percentile of each draw, its blocks spread evenly over their minutes."""
    chance = np.random.default_rng(99)
    rank = minutes - -(-95 * minutes // 100) + 1
    found = []
    for _ in range(DRAWS):
        kept = chance.random(len(wire)) < ratio
        sums = by_block(minute[kept], wire[kept] / ratio, length, minutes) / length
        found.append(np.sort(np.repeat(sums, length))[-rank])
    return np.array(found)


@listed("ratio", [0.05, 0.2, 0.5, 0.9])
@listed("spread", [0.0, 1.0, 2.0])
def test_a_sum_of_what_is_kept_strays_as_its_variance_says(ratio: float, spread: float) -> None:
    _, wire = made(1, minutes=60, per_minute=40, spread=spread)
    chance = np.random.default_rng(2)
    kept = chance.random((DRAWS, len(wire)), dtype=np.float32) < ratio
    sums = (kept @ wire) / ratio
    deviation = sampling_error.variance_of_sum(float((wire**2).sum()), ratio) ** 0.5
    assert sums.mean() == pytest.approx(wire.sum(), abs=4 * deviation / DRAWS**0.5)
    assert sums.std() == pytest.approx(deviation, rel=0.15)
    weight = sampling_error.move_of_record(float(wire.max()), ratio) / deviation
    within = np.abs(sums - wire.sum()) <= sampling_error.safe_multiplier(0.95, weight) * deviation
    # The draws are within three standard errors of the promise.
    assert within.mean() >= 0.95 - 0.033


@listed("length", [1, 5])
@listed(
    ("per_minute", "spread", "minutes"),
    [(3, 0.5, 480), (20, 1.0, 480), (200, 1.5, 240), (200, 0.3, 60), (1000, 1.0, 60)],
)
def test_the_ratio_found_keeps_the_percentile_as_often_as_promised(
    per_minute: int, spread: float, minutes: int, length: int
) -> None:
    minute, wire = made(3, minutes=minutes, per_minute=per_minute, spread=spread)
    truth = sampling_error.p95_of(blocks_of(minute, wire, minutes), minutes)
    blocks = blocks_of(minute, wire, minutes, length)
    for error in (0.1, 0.3):
        ratio = sampling_error.least_ratio(blocks, truth, error_ratio=error, confidence=0.9)
        if ratio is None:
            exact = thinned_p95(minute, wire, minutes, 1.0, length)[0]
            assert abs(exact / truth.bytes_per_minute - 1) > error
            continue
        p95 = thinned_p95(minute, wire, minutes, ratio, length)
        missed = np.abs(p95 / truth.bytes_per_minute - 1) > error
        # 0.1 is promised; the draws are within three standard errors of it.
        assert missed.mean() <= 0.1 + 0.045


@needs_shared
@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95])
def test_of_recorded_flows_every_sample_is_held(ratio: float, confidence: float) -> None:
    """Few and uneven records, of which each sample can be looked at, with its probability."""
    files = sorted(shared("data/recorded/vpc_flow_logs").glob("*.json"))
    payloads = [json.loads(file.read_text())["jsonPayload"] for file in files]
    wire = np.array([float(payload["bytes_sent"]) for payload in payloads])
    samples = np.array(list(product((False, True), repeat=len(wire))))
    chance = np.where(samples, ratio, 1 - ratio).prod(axis=1)
    deviation = sampling_error.variance_of_sum(float((wire**2).sum()), ratio) ** 0.5
    weight = sampling_error.move_of_record(float(wire.max()), ratio) / deviation
    error = np.abs(samples @ wire / ratio - wire.sum())
    held = chance[error <= sampling_error.safe_multiplier(confidence, weight) * deviation].sum()
    assert chance.sum() == pytest.approx(1)
    assert held >= confidence


def test_blocks_that_are_longer_than_a_peak_do_not_show_it() -> None:
    minute = np.arange(100, dtype=np.float64)
    wire = np.where(minute % 10 < 1, 1000.0, 10.0)
    truth = sampling_error.p95_of(blocks_of(minute, wire, 100), 100)
    assert (truth.bytes_per_minute, truth.rank) == (1000.0, 6)
    longer = blocks_of(minute, wire, 100, 5)
    assert sampling_error.least_ratio(longer, truth, error_ratio=0.2, confidence=0.9) is None
    assert sampling_error.least_ratio(longer, truth, error_ratio=0.9, confidence=0.9) is not None
