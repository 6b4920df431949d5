"""From measurements to a calibration: what each teaches, and what nothing can be learnt from."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import CountedBy, MeasuredEnd, Zone
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.verbs.calibrate.answer import CalibrationReport
from netplan_planner.verbs.calibrate.rows import rows_of_records
from netplan_planner.verbs.calibrate.run import calibrate_files
from netplan_planner.verbs.model.run import evaluated
from netplan_planner.world.calibration import calibration_text
from support.calibrations.inputs import DATE, ROWS, WALL, record, store, table
from support.calibrations.made import at_wall, moved, shared_factor
from support.paths.tables import as_parquet, written

TODAY = date(2026, 11, 21)


def answer(*paths: Path, as_of: date | None = None, today: date = TODAY) -> CalibrationReport:
    return calibrate_files(paths, as_of=as_of, today=today)


class TestFiles:
    def test_a_store_and_a_table_of_the_same_figures_teach_the_same(self, tmp_path: Path) -> None:
        records = store(
            tmp_path / "probes.jsonl",
            [record(number, gbps, omit_s=None) for number, gbps in enumerate((24.0, 25.0, 23.0))],
        )
        rows = [
            WALL | {"value": value, "dst_location": f"gcp:us-central1-{zone}"}
            for value, zone in (("24", "a"), ("25", "b"), ("23", "c"))
        ]
        # A table has the cap's default platform; the store's records have none either.
        one, other = answer(records), answer(table(tmp_path / "t.csv", rows))
        assert one.calibration.latents == other.calibration.latents
        assert one.calibration.pairs == other.calibration.pairs

    def test_csv_and_parquet_are_one(self, tmp_path: Path) -> None:
        path = table(tmp_path / "t.csv")
        assert calibration_text(answer(path).calibration) == calibration_text(
            answer(as_parquet(path)).calibration
        )

    def test_parts_in_any_order_are_the_whole(self, tmp_path: Path) -> None:
        whole = table(tmp_path / "whole.csv")
        some, others = table(tmp_path / "a.csv", ROWS[4:]), table(tmp_path / "b.csv", ROWS[:4])
        texts = {
            calibration_text(answer(*paths).calibration)
            for paths in ((whole,), (some, others), (others, some))
        }
        assert len(texts) == 1

    def test_each_run_counts_once_from_the_newest_day_on(self, tmp_path: Path) -> None:
        records = store(tmp_path / "probes.jsonl", [record(n, 20.0) for n in range(3)])
        found = answer(table(tmp_path / "t.csv"), records)
        assert found.record_count == len(ROWS) + 3
        assert found.calibration.measurement_count == len(ROWS) + 3
        # A run that two stores hold counts once.
        one = store(tmp_path / "a.jsonl", [record(n, 20.0) for n in range(3)])
        other = store(tmp_path / "b.jsonl", [record(n, 20.0) for n in range(2, 5)])
        assert answer(one, other).calibration.measurement_count == 5
        # Ages count from the newest measurement unless said.
        path = table(tmp_path / "t.csv", [*ROWS, WALL | {"date": "2026-08-01"}])
        assert answer(path).calibration.as_of == date.fromisoformat(DATE)
        assert answer(path, as_of=date(2026, 12, 24)).calibration.as_of == date(2026, 12, 24)

    def test_what_could_not_be_used_is_counted_and_named(self, tmp_path: Path) -> None:
        path = store(
            tmp_path / "probes.jsonl",
            [
                *(record(n, 20.0) for n in range(3)),
                record(7, 1.0, protocol="udp"),
                record(8, 1.0, path_class=None),
                record(9, 0.0),
            ],
        )
        with path.open("a") as file:
            file.write("no record\n")
        found = answer(path)
        assert found.calibration.measurement_count == 3
        assert found.record_count == 7
        said = "\n".join(found.faults)
        for words in ("not TCP", "no path class", "nothing was transferred", f"{path}:7"):
            assert words in said

    def test_many_pairs_have_a_score_and_one_has_none(self, tmp_path: Path) -> None:
        assert answer(table(tmp_path / "t.csv", [WALL, WALL])).left_out == ()
        # Many pairs have.
        groups = [one.group for one in answer(table(tmp_path / "t.csv")).left_out]
        assert groups == ["", "internet to aws", "same-zone-internal to own machines"]


class TestRefused:
    @pytest.mark.parametrize(
        "row",
        [
            WALL | {"value": ""},
            WALL | {"value": "0"},
            WALL | {"value": "-3"},
            WALL | {"machine_type": "", "dst_machine_type": ""},
            WALL | {"path_class": "somewhere"},
        ],
    )
    def test_files_without_a_figure_say_so(self, tmp_path: Path, row: dict[str, str]) -> None:
        path = table(tmp_path / "t.csv", [row])
        with pytest.raises(InputError) as caught:
            answer(path)
        said = str(caught.value)
        assert str(path) in said
        assert caught.value.exit_status == 3

    def test_what_teaches_nothing_is_refused_with_its_reason(self, tmp_path: Path) -> None:
        path = store(tmp_path / "p.jsonl", [record(0, 5.0, protocol="udp")])
        with pytest.raises(InputError, match="udp, not TCP"):
            answer(path)
        # A table without figures is refused.
        row = {name: cell for name, cell in WALL.items() if name != "value"}
        with pytest.raises(InputError, match="no column value or gbps"):
            answer(written(tmp_path / "t.csv", row))
        # Hostile names are shown inert.
        path = table(tmp_path / "\x1b[31m.csv", [WALL | {"value": "0"}])
        with pytest.raises(InputError) as caught:
            answer(path)
        assert str(caught.value).isprintable()

    @pytest.mark.parametrize("name", ["none.jsonl", "."])
    def test_what_is_no_file_is_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(InputError, match=str(tmp_path)):
            answer(tmp_path / name)


class TestReasons:
    @pytest.mark.parametrize(
        ("cells", "why"),
        [
            ({"value": "0"}, "no value above 0"),
            ({"value": "nan"}, "no value above 0"),
            ({"value": "40"}, "above the documented cap"),
            ({"value": "1e300"}, "above the documented cap"),
            ({"machine_type": "zz9-plural-4"}, "zz9-plural-4"),
            ({"path_class": ""}, "no path class"),
            ({"date": "2027-01-01"}, "dated after today"),
        ],
    )
    def test_a_figure_that_teaches_nothing_is_counted(
        self, tmp_path: Path, cells: dict[str, str], why: str
    ) -> None:
        good = WALL | {"value": "24"}
        found = answer(table(tmp_path / "t.csv", [good, good | cells, good | cells]))
        assert (found.record_count, found.calibration.measurement_count) == (3, 1)
        (fault,) = found.faults
        assert fault.startswith("2 figures: ")
        assert why in fault

    def test_where_none_is_left_the_reasons_are_in_the_error(self, tmp_path: Path) -> None:
        path = table(tmp_path / "t.csv", [WALL | {"value": "40"}])
        with pytest.raises(InputError, match="1 figure: above the documented cap"):
            answer(path)

    def test_a_store_s_unknown_machine_is_counted(self, tmp_path: Path) -> None:
        records = [record(0, 20.0), record(1, 20.0)]
        odd = record(2, 20.0, src={"machine_type": "zz9-plural-4", "zone": "us-central1-a"})
        found = answer(store(tmp_path / "p.jsonl", [*records, odd]))
        assert found.calibration.measurement_count == 2
        assert any("zz9-plural-4" in fault for fault in found.faults)


class TestDates:
    def test_without_a_date_it_is_the_newest_s_or_asked_for(self, tmp_path: Path) -> None:
        rows = [WALL | {"value": "24"}, WALL | {"value": "20", "date": ""}]
        path = table(tmp_path / "t.csv", rows)
        texts = {
            calibration_text(answer(path, today=day).calibration)
            for day in (TODAY, date(2026, 12, 24))
        }
        assert len(texts) == 1
        assert {lesson.day.isoformat() for lesson in answer(path).lessons} == {WALL["date"]}
        # Where none has one it is asked for.
        path = table(tmp_path / "t.csv", [WALL | {"value": "24", "date": ""}])
        with pytest.raises(UsageError, match="--as-of"):
            answer(path)
        assert answer(path, as_of=TODAY).calibration.as_of == TODAY

    def test_however_far_the_day_is_every_figure_is_finite(self, tmp_path: Path) -> None:
        path = table(tmp_path / "t.csv", [WALL | {"value": "24"}])
        found = answer(path, as_of=date(9999, 1, 1)).calibration
        ratios = [*(one.ratio for one in found.latents), *(one.ratio for one in found.pairs)]
        assert np.isfinite(ratios).all()
        assert ratios == pytest.approx([1.0] * len(ratios), abs=0.01)


class TestUnits:
    @pytest.mark.parametrize(
        ("unit", "value"), [("Gbps", "24"), ("Mbit/s", "24000"), ("bits/sec", "24e9"), ("", "24")]
    )
    def test_rates_of_any_unit_are_one(self, tmp_path: Path, unit: str, value: str) -> None:
        plain = answer(table(tmp_path / "plain.csv", [WALL | {"value": "24"}]))
        found = answer(table(tmp_path / "t.csv", [WALL | {"value": value, "unit": unit}]))
        assert found.calibration == plain.calibration

    def test_what_is_no_rate_is_not_scored(self, tmp_path: Path) -> None:
        rows = [WALL | {"value": "24", "unit": unit} for unit in ("Gbps", "ms", "tps", "x")]
        path = table(tmp_path / "t.csv", rows)
        with PathTable(path) as read:
            assert np.isnan(read.values_gbps()).tolist() == [False, True, True, True]
        found, _ = evaluated(path, as_of=TODAY, level=0.9)
        assert found.unused_count == 3


def test_a_file_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv")
    assert answer(path, path).calibration == answer(path).calibration


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
    def test_the_idle_round_trip_counts(self, told: dict[str, float], rtt_ms: float | None) -> None:
        found, _ = rows_of_records([record(0, 8.0, **told)], as_of=TODAY)
        (seen,) = found.columns.rtt_ms.tolist()
        assert seen == rtt_ms if rtt_ms else 0 < seen < 9.0

    def test_a_record_without_a_day_is_of_today(self) -> None:
        found, _ = rows_of_records([record(0, 8.0, started_at="")], as_of=TODAY)
        assert found.days.tolist() == [(TODAY - date(1970, 1, 1)).days]
