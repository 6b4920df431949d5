"""From files of measurements to a calibration, and from it to predictions of paths and tables."""

from datetime import date
from pathlib import Path

import pytest

from netplan_planner.errors import InputError
from netplan_planner.verbs.calibrate.answer import CalibrationReport
from netplan_planner.verbs.calibrate.run import calibrate_files
from netplan_planner.world.calibration import calibration_text
from support.calibrations.inputs import DATE, ROWS, WALL, record, store, table
from support.paths.tables import as_parquet, written

TODAY = date(2026, 11, 21)


def answer(*paths: Path, as_of: date | None = None) -> CalibrationReport:
    return calibrate_files(paths, as_of=as_of, today=TODAY)


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
        for words in ("not TCP", "no path class", "nothing was carried", f"{path}:7"):
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
    def test_files_without_a_usable_figure_say_what_is_needed(
        self, tmp_path: Path, row: dict[str, str]
    ) -> None:
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
