"""Figures that nothing can be learnt from are counted with their reason, whatever the day is."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from netplan_planner.errors import InputError, UsageError
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.verbs.calibrate.answer import CalibrationReport
from netplan_planner.verbs.calibrate.run import calibrate_files
from netplan_planner.verbs.model.run import evaluated
from netplan_planner.world.calibration import calibration_text
from support.calibrations.inputs import WALL, record, store, table

TODAY = date(2026, 11, 21)


def answer(*paths: Path, as_of: date | None = None, today: date = TODAY) -> CalibrationReport:
    return calibrate_files(paths, as_of=as_of, today=today)


class TestReasons:
    @pytest.mark.parametrize(
        ("cells", "why"),
        [
            ({"value": "0"}, "no figure above 0"),
            ({"value": "nan"}, "no figure above 0"),
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
