"""Planned sampling and intervals against records that are thinned by them many times."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.model import Facts
from netplan_planner.planning.flow_logs import Writer, writers
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_planner.verbs.flow_logs.answer import FlowLogBill, LogGoal
from netplan_planner.verbs.flow_logs.plan import plan_of
from netplan_planner.world.request import InputRequest
from support.flows.records import entry, lines
from support.known import known
from support.rules.fixtures import facts_of

DRAWS = 2000
MINUTES = 60
GOAL = LogGoal(
    dollar_error_ratio=0.05,
    p95_error_ratio=0.2,
    confidence=0.9,
    p95_from_gbps=0.01,
    keeps_metadata=True,
)
PLACES = {
    "a": ("us-central1-a", "10.0.0.2"),
    "d": ("us-central1-b", "10.0.0.3"),
    "e": ("us-central1-a", "10.0.0.4"),
    "b": ("us-east1-b", "10.1.0.2"),
    "c": ("europe-west1-b", "10.2.0.2"),
}
TALK = (("a", "b", 400), ("a", "d", 1500), ("a", "e", 2500), ("b", "c", 900), ("c", "a", 700))
"""Who sends to whom in how many flows; from a to e it stays in a zone and is free."""
LOGS: dict[str, Any] = {"enable": True, "flowSampling": 1.0, "metadata": "INCLUDE_ALL_METADATA"}


class Made(NamedTuple):
    """Records as they were written, a row each."""

    src: NDArray[np.str_]
    dst: NDArray[np.str_]
    flow: NDArray[np.int64]
    second: NDArray[np.int64]
    wire: NDArray[np.float64]


def case(interval: str = "INTERVAL_5_SEC", sampling: float = 1.0) -> dict[str, Any]:
    logs = {**LOGS, "aggregationInterval": interval, "flowSampling": sampling}
    regions = {
        "us-central1": "10.0.0.0/24",
        "us-east1": "10.1.0.0/24",
        "europe-west1": "10.2.0.0/24",
    }
    return {
        "machines": [
            {"name": name, "zone": zone, "type": "n2-standard-8", "internal": address}
            for name, (zone, address) in PLACES.items()
        ],
        "subnetworks": [
            {
                "name": "default",
                "region": region,
                "network": "default",
                "range": block,
                "logs": logs,
            }
            for region, block in regions.items()
        ],
    }


@cache
def made() -> Made:
    """Return flows of one to twelve records of five seconds each, at random times of an hour."""
    chance = np.random.default_rng(7)
    rows: list[tuple[str, str, int, int, float]] = []
    number = 0
    for sender, receiver, count in TALK:
        for _ in range(count):
            length = int(chance.integers(1, 13))
            first = int(chance.integers(0, MINUTES * 12 - length))
            sizes = chance.lognormal(13, 1.2, length)
            rows += [
                (sender, receiver, number, (first + position) * 5, float(np.floor(size)))
                for position, size in enumerate(sizes)
            ]
            number += 1
    src, dst, flow, second, wire = zip(*rows, strict=True)
    return Made(np.array(src), np.array(dst), np.array(flow), np.array(second), np.array(wire))


def only(records: Made, which: NDArray[np.bool_] | NDArray[np.intp]) -> Made:
    """Return some of the records."""
    return Made(
        records.src[which],
        records.dst[which],
        records.flow[which],
        records.second[which],
        records.wire[which],
    )


def write(path: Path, records: Made) -> None:
    path.write_text(
        lines(
            [
                entry(
                    PLACES[str(src)][1],
                    PLACES[str(dst)][1],
                    int(wire),
                    start=int(second),
                    end=int(second) + 4,
                    ports=(1024 + int(flow) % 60000, 443 + int(flow) // 60000),
                )
                for src, dst, flow, second, wire in zip(*records, strict=True)
            ]
        )
    )


def read(folder: Path, records: Made, **settings: Any) -> tuple[Facts, list[Writer]]:
    facts = facts_of(case(**settings), folder)
    write(folder / "flows.json", records)
    options = TrafficOptions(threads=1, log_volume_from_gbps=GOAL.p95_from_gbps)
    traffic = read_traffic([folder / "flows.json"], facts.inventory, options)
    facts = replace(facts, traffic=traffic)
    return facts, writers(facts.inventory, known(traffic.log_volume))


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Facts, FlowLogBill]:
    facts, found = read(tmp_path_factory.mktemp("flows"), made())
    return facts, plan_of(facts, found, InputRequest(today=date(2026, 11, 20)), GOAL)


def settings_by_sender(answer: FlowLogBill) -> dict[str, tuple[float, int]]:
    """Return the planned ratio and interval of each sender's subnetwork."""
    by_region = {
        row.name.partition("/")[0]: row.proposed.settings
        for row in answer.writers
        if row.proposed is not None
    }
    found = {}
    for name, (zone, _) in PLACES.items():
        one = by_region.get(zone.rpartition("-")[0])
        if one is not None:
            found[name] = (known(one.sampling_ratio), known(one.interval_s))
    return found


def merged(records: Made, interval_s: int) -> Made:
    """Return the records that a longer interval makes of the same flows."""
    block = records.second // interval_s
    keys, first, which = np.unique(
        records.flow * 10_000 + block, return_index=True, return_inverse=True
    )
    sums = np.bincount(which, records.wire, len(keys))
    at = only(records._replace(second=block * interval_s), first)
    return at._replace(wire=sums.astype(np.float64))


def usd_of(facts: Facts, records: Made) -> NDArray[np.float64]:
    """Return the dollars a month that a byte of each record means, by pair."""
    found = {}
    for edge in known(facts.traffic).edges:
        src, dst = facts.src(edge), facts.dst(edge)
        month = facts.gib_per_month(edge.wire_bytes)
        bill = facts.prices.traffic_line_items(
            "t", edge.path_class, month, src_region=known(src.region), dst_region=dst.region
        )
        usd = float(sum(line.usd_per_month for line in bill))
        found[src.name, dst.name] = usd / edge.wire_bytes
    return np.array([found[str(s), str(d)] for s, d in zip(records.src, records.dst, strict=True)])


def test_the_dollars_are_as_exact_as_promised(planned: tuple[Facts, FlowLogBill]) -> None:
    facts, answer = planned
    whole = made()
    true_usd = float((usd_of(facts, whole) * whole.wire).sum())
    assert float(answer.traffic_usd_per_month or 0) == pytest.approx(true_usd, rel=1e-6)
    chance = np.random.default_rng(1)
    estimate = np.zeros(DRAWS)
    for sender, (ratio, interval_s) in settings_by_sender(answer).items():
        own = merged(only(whole, whole.src == sender), interval_s)
        if not len(own.wire):
            continue
        usd = usd_of(facts, own) * own.wire
        kept = chance.random((DRAWS, len(usd)), dtype=np.float32) < ratio
        estimate += kept @ usd / ratio
    missed = np.abs(estimate / true_usd - 1) > GOAL.dollar_error_ratio
    # 0.1 is promised, and what the bound leaves unused is little.
    assert 0.03 <= missed.mean() <= 0.1 + 0.02
    assert 0.045 <= known(answer.dollar_error_ratio) <= 0.05
    assert known(answer.planned_usd_per_month) < known(answer.usd_per_month)


def test_each_percentile_is_as_exact_as_promised(planned: tuple[Facts, FlowLogBill]) -> None:
    _, answer = planned
    whole = made()
    chance = np.random.default_rng(2)
    looked_at = 0
    for sender, (ratio, interval_s) in settings_by_sender(answer).items():
        own = only(whole, whole.src == sender)
        if not len(own.wire):
            continue
        looked_at += 1
        truth = p95(np.bincount(own.second // 60, own.wire, MINUTES), 1)
        joined = merged(own, interval_s)
        length = max(1, interval_s // 60)
        block = joined.second // (60 * length)
        found = []
        for _ in range(500):
            kept = chance.random(len(block)) < ratio
            sums = np.bincount(block[kept], joined.wire[kept] / ratio, MINUTES // length)
            found.append(p95(sums, length))
        missed = np.abs(np.array(found) / truth - 1) > GOAL.p95_error_ratio
        assert missed.mean() <= 0.1 + 0.04
    assert looked_at == 3


def p95(sums: NDArray[Any], length: int) -> float:
    rank = MINUTES - -(-95 * MINUTES // 100) + 1
    return float(np.sort(np.repeat(sums / length, length))[-rank])


def test_how_many_records_an_interval_makes_is_counted(planned: tuple[Facts, FlowLogBill]) -> None:
    facts, _ = planned
    assert facts.traffic is not None
    for interval in (5, 30, 60, 300, 600, 900):
        expected = len(merged(made(), interval).wire)
        found = sum(
            one.record_count
            for source in known(facts.traffic.log_volume)
            for one in source.intervals
            if one.interval_s == interval
        )
        assert found == expected


def test_half_the_records_tell_the_same(planned: tuple[Facts, FlowLogBill], tmp_path: Path) -> None:
    """What was thinned already is scaled up by what the setting says."""
    whole = made()
    kept = np.random.default_rng(3).random(len(whole.wire)) < 0.5
    half = only(whole, kept)
    facts, found = read(tmp_path, half._replace(wire=np.floor(half.wire * 2)), sampling=0.5)
    again = plan_of(facts, found, InputRequest(today=date(2026, 11, 20)), GOAL)
    _, answer = planned
    ratios, expected = settings_by_sender(again), settings_by_sender(answer)
    for sender, (ratio, interval_s) in expected.items():
        found_ratio, found_interval_s = ratios[sender]
        assert found_ratio == pytest.approx(ratio, rel=0.25)
        assert found_interval_s == interval_s
    # How many records a longer interval makes is known as a bound only.
    assert 0.9 <= known(again.planned_usd_per_month) / known(answer.planned_usd_per_month) <= 2
    assert any("the stated number is the maximum" in note for note in again.notes)


def test_only_longer_intervals_are_proposed(tmp_path: Path) -> None:
    facts, found = read(tmp_path, merged(made(), 60), interval="INTERVAL_1_MIN")
    answer = plan_of(facts, found, InputRequest(today=date(2026, 11, 20)), GOAL)
    assert all(interval >= 60 for _, interval in settings_by_sender(answer).values())


def test_without_a_stated_ratio_nothing_is_proposed(planned: tuple[Facts, FlowLogBill]) -> None:
    facts, _ = planned
    bare = replace(facts.inventory, subnetworks=())
    unknown = replace(facts, inventory=bare)
    assert facts.traffic is not None
    found = writers(bare, known(facts.traffic.log_volume))
    answer = plan_of(unknown, found, InputRequest(today=date(2026, 11, 20)), GOAL)
    assert all(row.proposed is None for row in answer.writers)
    assert all("settings are not in the inventory" in row.why_not for row in answer.writers)
    assert answer.planned_usd_per_month == answer.usd_per_month
