"""A table of paths: each row as if it stood alone, and unknown where it is unknown."""

from datetime import date
from typing import Any

import msgspec
import numpy as np
import pytest

from netplan_planner.model import PathClass, PathEnd, PathQuery
from netplan_planner.throughput import batch
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import LIMITS, NO_LIMIT
from netplan_planner.throughput.limits.bounds import stock_window_bytes
from support.paths.queries import DAY, Table, end, estimate

BLOCK = 16_384
"""Rows that are worked on at a time; a table is cut there and must not show it."""


def columns(count: int = 1, /, **given: float) -> batch.Columns:
    """Return rows of kind 0 that are alike; what is not given is unknown."""

    values: dict[str, Any] = {
        name: np.full(count, given.get(name, np.nan)) for name in batch.Columns._fields
    }
    values |= {f"{side}_rtt_ms": values["rtt_ms"] for side in ("low", "high")}
    values |= {name: np.zeros(count, dtype=bool) for name in ("is_both_ways", "is_sender_count")}
    return batch.Columns(
        **values | {"kind": np.zeros(count, dtype=np.intp), "late_rtts": np.zeros(count)}
    )


def answers(kind: PathQuery, rows: batch.Columns) -> batch.Predictions:
    return batch.predict_columns([kind], batch.kind_limits([kind]), rows, factors_at(0.9))


def kind(
    path_class: str = "inter-region-internal",
    src: PathEnd | None = None,
    dst: PathEnd | None = None,
    as_of: date | None = DAY,
) -> PathQuery:
    sender = src or end("n2-standard-32")
    return PathQuery(path_class=PathClass(path_class), src=sender, dst=dst or sender, as_of=as_of)


class TestEachRowAlone:
    def test_a_row_of_a_table_is_the_same_alone(self) -> None:
        table = Table(7, 120)
        whole = table.answers()
        for row in range(0, 120, 7):
            one = batch.Columns._make(column[row : row + 1] for column in table.columns)
            alone = batch.predict_columns(
                table.kinds, batch.kind_limits(table.kinds), one, factors_at(0.9)
            )
            assert (alone.gbps[0], alone.low_gbps[0]) == (whole.gbps[row], whole.low_gbps[row])
            assert alone.high_gbps[0] == whole.high_gbps[row]
            assert (alone.binding[0], alone.following[0]) == (
                whole.binding[row],
                whole.following[row],
            )

    def test_the_order_of_rows_and_kinds_does_not_matter(self) -> None:
        table = Table(8)
        backwards = batch.Columns._make(column[::-1] for column in table.columns)
        count = len(table.kinds)
        turned = batch.predict_columns(
            table.kinds[::-1],
            batch.kind_limits(table.kinds[::-1]),
            backwards._replace(kind=count - 1 - backwards.kind),
            factors_at(0.9),
        )
        np.testing.assert_array_equal(turned.gbps[::-1], table.answers().gbps)

    @pytest.mark.parametrize("count", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3])
    def test_rows_across_the_edge_of_a_block_are_alike(self, count: int) -> None:
        rows = columns(count, streams=8, rtt_ms=40.0)
        rows = rows._replace(transfer_bytes=np.full(count, np.nan))
        rows.transfer_bytes[BLOCK // 2] = 1e9
        found = answers(kind(), rows)
        plain = np.delete(found.gbps, BLOCK // 2)
        assert found.gbps.shape == found.low_gbps.shape == found.binding.shape == (count,)
        assert np.unique(plain).size == 1
        assert found.gbps[BLOCK // 2] < plain[0]

    def test_no_rows_give_no_answers(self) -> None:
        assert answers(kind(), columns(0)).gbps.shape == (0,)

    def test_a_single_path_is_a_table_of_one(self) -> None:
        rows = columns(streams=16, rtt_ms=80.0, duration_s=5.0, window_bytes=8e6)
        found = answers(kind("inter-region-external"), rows)
        query = msgspec.structs.replace(
            kind("inter-region-external"),
            streams=16,
            rtt_ms=80.0,
            duration_s=5.0,
            window_bytes=8_000_000,
        )
        single = estimate(query)
        assert single.gbps == pytest.approx(found.gbps[0], rel=1e-12)
        assert single.low_gbps == pytest.approx(found.low_gbps[0], rel=1e-12)
        assert single.high_gbps == pytest.approx(found.high_gbps[0], rel=1e-12)
        assert single.limits[0].name == LIMITS[found.binding[0]]


FOREIGN = PathEnd(machine_type="m5.8xlarge", cloud="aws")


class TestUnknown:
    @pytest.mark.parametrize(
        ("asked", "reason"),
        [
            (kind(src=end("n9-standard-1")), "the machine series 'n9' is unknown"),
            (kind(src=end(None)), "machine"),
            (kind("hybrid"), "no document states"),
            (kind("unknown"), "no document states"),
            (kind(as_of=None), "no date"),
        ],
    )
    def test_a_row_without_its_caps_has_a_reason_and_no_number(
        self, asked: PathQuery, reason: str
    ) -> None:
        rows = columns(streams=64, rtt_ms=30.0)
        found = answers(asked, rows)
        for column in (found.gbps, found.low_gbps, found.high_gbps):
            assert np.isnan(column[0])
        assert (found.binding[0], found.following[0]) == (NO_LIMIT, NO_LIMIT)
        codes, texts = batch.reasons(batch.kind_limits([asked]), rows, found)
        assert reason in texts[codes[0]]

    @pytest.mark.parametrize(
        "given",
        [
            {"streams": 1.0},
            {"streams": 64.0},
            {"streams": 1.0, "duration_s": 5.0},
            {"transfer_bytes": 1e9},
            {"duration_s": 5.0},
        ],
    )
    def test_without_a_round_trip_time_neither_windows_nor_a_start_are_known(
        self, given: dict[str, float]
    ) -> None:
        rows = columns(1, **given)
        found = answers(kind(), rows)
        assert np.isnan(found.gbps[0])
        codes, texts = batch.reasons(batch.kind_limits([kind()]), rows, found)
        assert texts[codes[0]] == batch.NO_RTT

    def test_in_steady_state_with_any_number_of_streams_the_caps_are_enough(self) -> None:
        found = answers(kind(), columns())
        assert found.gbps[0] == 32
        # One stream may be all there is, and one core with it.
        assert found.low_gbps[0] < 20

    def test_a_slow_stream_of_another_cloud_is_known(self) -> None:
        asked = kind("internet", FOREIGN, end("n2-standard-32"))
        found = answers(asked, columns(streams=1, rtt_ms=100.0))
        assert found.gbps[0] == pytest.approx(0.2424, rel=0.01)
        assert LIMITS[found.binding[0]] == "window-over-rtt"

    def test_a_known_row_has_no_reason(self) -> None:
        rows = columns(streams=64, rtt_ms=30.0)
        codes, _ = batch.reasons(batch.kind_limits([kind()]), rows, answers(kind(), rows))
        assert codes[0] == -1


class TestRanges:
    def test_what_is_not_said_only_widens(self) -> None:
        said = answers(kind(), columns(streams=1, rtt_ms=0.1, duration_s=60.0))
        unsaid = answers(kind(), columns(rtt_ms=0.1))
        assert unsaid.low_gbps[0] <= said.low_gbps[0]
        assert unsaid.high_gbps[0] >= said.high_gbps[0]

    def test_a_round_trip_time_with_a_range_gives_a_wider_interval(self) -> None:
        sure = columns(streams=1, rtt_ms=100.0)
        unsure = sure._replace(low_rtt_ms=np.array([80.0]), high_rtt_ms=np.array([130.0]))
        narrow, wide = answers(kind(), sure), answers(kind(), unsure)
        assert narrow.gbps[0] == wide.gbps[0]
        assert wide.low_gbps[0] < narrow.low_gbps[0]
        assert wide.high_gbps[0] > narrow.high_gbps[0]

    def test_a_given_window_is_surer_than_the_stock_one(self) -> None:
        stock = answers(kind(), columns(streams=1, rtt_ms=100.0))
        same = stock_window_bytes(0.0)
        given = answers(kind(), columns(streams=1, rtt_ms=100.0, window_bytes=same))
        assert given.gbps[0] == stock.gbps[0]
        assert stock.low_gbps[0] <= given.low_gbps[0]
        assert given.high_gbps[0] < stock.high_gbps[0]

    def test_a_receiver_elsewhere_is_less_sure_than_one_of_ours(self) -> None:
        own = answers(kind("inter-region-external"), columns(streams=1, rtt_ms=100.0))
        peer = kind("internet", dst=PathEnd(machine_type=None, cloud="azure"))
        foreign = answers(peer, columns(streams=1, rtt_ms=100.0))
        assert foreign.low_gbps[0] < own.low_gbps[0] / 2
