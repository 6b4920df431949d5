"""Records of probes as rows to learn from: what held the figure, how long the way is, which day."""

from datetime import date
from pathlib import Path

import pytest

from netplan_planner.model import CountedBy, MeasuredEnd, Zone
from netplan_planner.verbs.calibrate.answer import CalibrationReport
from netplan_planner.verbs.calibrate.rows import rows_of_records
from netplan_planner.verbs.calibrate.run import calibrate_files
from support.calibrations.inputs import record, store
from support.calibrations.made import at_wall, moved, shared_factor

TODAY = date(2026, 11, 21)


def answer(*paths: Path) -> CalibrationReport:
    return calibrate_files(paths, as_of=None, today=TODAY)


def ends(sender: float, receiver: float) -> dict[str, MeasuredEnd]:
    """Return both ends with the shares of a CPU that the tool took."""
    return {
        name: MeasuredEnd(
            machine_type="n2-standard-32", zone=Zone("us-central1-a"), cpu_ratio=ratio
        )
        for name, ratio in (("src", sender), ("dst", receiver))
    }


class TestRecords:
    @pytest.mark.parametrize(
        ("version", "streams", "sender", "receiver", "is_busy"),
        [
            ("3.17", 1, 0.95, 0.2, True),
            ("3.17", 1, 0.2, 0.95, True),
            ("3.17", 1, 0.8, 0.8, False),
            ("3.17", 4, 0.95, 0.95, False),
            ("3.17", 4, 3.9, 1.0, True),
            ("3.12", 4, 0.95, 0.2, True),
            ("3.12", 4, 0.8, 0.2, False),
        ],
    )
    def test_a_busy_core_is_known_by_the_threads_of_the_tool(
        self, version: str, streams: int, sender: float, receiver: float, is_busy: bool
    ) -> None:
        one = record(0, 8.0, tool_version=version, streams=streams, **ends(sender, receiver))
        found, faults = rows_of_records([one], as_of=TODAY)
        assert faults == ()
        assert found.is_core_only.tolist() == [is_busy]

    def test_old_iperf3_puts_all_streams_on_one_core(self, tmp_path: Path) -> None:
        runs = [
            record(n, 12.0, tool_version="3.12", streams=16, **ends(0.98, 0.4)) for n in range(3)
        ]
        found = answer(store(tmp_path / "p.jsonl", runs)).calibration
        assert shared_factor(found, "single-flow-core").value_count == 1
        assert moved(at_wall(), found) == pytest.approx(1, abs=1e-9)

    @pytest.mark.parametrize(
        ("limit", "gbps", "is_held"),
        [(None, 4.0, False), (4.0, 3.99, True), (4.0, 3.9, True), (4.0, 3.0, False)],
    )
    def test_a_figure_at_the_rate_cap_of_its_run_is_only_at_least(
        self, limit: float | None, gbps: float, is_held: bool
    ) -> None:
        found, _ = rows_of_records([record(0, gbps, bitrate_limit_gbps=limit)], as_of=TODAY)
        assert found.is_at_least.tolist() == [is_held]

    def test_a_rate_cap_never_lowers_a_prediction(self, tmp_path: Path) -> None:
        runs = [record(n, 4.0, bitrate_limit_gbps=4.0) for n in range(8)]
        found = answer(store(tmp_path / "p.jsonl", runs))
        assert moved(at_wall(), found.calibration) >= 1 - 1e-12
        assert {lesson.told for lesson in found.lessons} == {()}

    def test_the_senders_count_and_both_ways_are_kept(self) -> None:
        one = record(0, 8.0, counted_by=CountedBy.SENDER, is_bidirectional=True)
        found, _ = rows_of_records([one], as_of=TODAY)
        assert found.columns.is_sender_count.tolist() == [True]
        assert found.columns.is_both_ways.tolist() == [True]

    @pytest.mark.parametrize(("version", "late"), [("3.9", 1), ("3.18", 0)])
    def test_an_old_tool_is_late(self, version: str, late: int) -> None:
        found, _ = rows_of_records([record(0, 8.0, tool_version=version)], as_of=TODAY)
        assert found.columns.late_rtts.tolist() == [late]

    @pytest.mark.parametrize(
        ("told", "rtt_ms"),
        [({"min_rtt_ms": 0.3, "rtt_ms": 9.0}, 0.3), ({"min_rtt_ms": 1e9, "rtt_ms": 9.0}, None)],
    )
    def test_the_idle_round_trip_goes_before_that_under_load(
        self, told: dict[str, float], rtt_ms: float | None
    ) -> None:
        found, _ = rows_of_records([record(0, 8.0, **told)], as_of=TODAY)
        (seen,) = found.columns.rtt_ms.tolist()
        assert seen == rtt_ms if rtt_ms else 0 < seen < 9.0

    def test_a_record_without_a_day_is_of_today(self) -> None:
        found, _ = rows_of_records([record(0, 8.0, started_at="")], as_of=TODAY)
        assert found.days.tolist() == [(TODAY - date(1970, 1, 1)).days]
