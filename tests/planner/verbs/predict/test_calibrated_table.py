"""A path alone and in a table gets the same figures with a calibration."""

from datetime import date
from pathlib import Path

import msgspec
import pytest

from netplan_planner.model import Calibration, PathClass, PathEnd, PathQuery, Zone
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.verbs.calibrate.answer import CalibrationReport
from netplan_planner.verbs.calibrate.run import calibrate_files
from netplan_planner.verbs.predict.table_file import predict_table
from support.calibrations.inputs import AWAY, ROWS, WALL, table
from support.calibrations.made import figures

TODAY = date(2026, 11, 21)


def answer(*paths: Path) -> CalibrationReport:
    return calibrate_files(paths, as_of=None, today=TODAY)


PLACED = PathEnd(machine_type="n2-standard-32", mtu_bytes=1460)
QUERIES = {
    "probed wall": (ROWS[0], ("us-central1-a", "us-central1-a")),
    "other wall": (
        WALL | {"src_location": "gcp:us-east1-b", "dst_location": "gcp:us-east1-b"},
        ("us-east1-b", "us-east1-b"),
    ),
    "probed window": (AWAY, ("us-central1-a", "us-east-1")),
    "other window": (
        AWAY | {"dst_location": "aws:eu-west-3", "streams": "3", "rtt_ms": "130"},
        ("us-central1-a", "eu-west-3"),
    ),
}


@pytest.fixture(scope="module")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> Calibration:
    """Return what the rows of the table teach."""
    return answer(table(tmp_path_factory.mktemp("made") / "t.csv")).calibration


class TestOnePathAndTable:
    @pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
    @pytest.mark.parametrize(("row", "places"), QUERIES.values(), ids=QUERIES)
    def test_they_give_the_same_figures(
        self,
        tmp_path: Path,
        calibration: Calibration,
        row: dict[str, str],
        places: tuple[str, str],
        level: float,
    ) -> None:
        day = date.fromisoformat(row["date"])
        src, dst = (msgspec.structs.replace(PLACED, zone=Zone(place)) for place in places)
        if row["path_class"] == "internet":
            dst = msgspec.structs.replace(dst, machine_type=None, cloud="aws", mtu_bytes=None)
        query = PathQuery(
            path_class=PathClass(row["path_class"]),
            src=src,
            dst=dst,
            streams=int(row["streams"]),
            rtt_ms=float(row["rtt_ms"]),
            duration_s=float(row["duration_s"]),
        )
        caps = CalibratedCaps(load_caps(day), calibration)
        value, low, high = figures(predict(query, caps, may_assume=True, level=level))
        with PathTable(table(tmp_path / "t.csv", [*ROWS, row])) as rows:
            found = predict_table(rows, as_of=day, level=level, calibration=calibration).predictions
        assert found.gbps[-1] == pytest.approx(value, rel=1e-12)
        assert found.low_gbps[-1] == pytest.approx(low, rel=1e-12)
        assert found.high_gbps[-1] == pytest.approx(high, rel=1e-12)
        plain = predict(query, load_caps(day), may_assume=True, level=level)
        assert figures(plain)[0] != pytest.approx(value, rel=1e-3)

    def test_a_row_is_alone_what_it_is(self, tmp_path: Path, calibration: Calibration) -> None:
        rows = [row for row, _ in QUERIES.values()]
        alone = []
        for number, row in enumerate(rows):
            with PathTable(table(tmp_path / f"{number}.csv", [row])) as one:
                found = predict_table(one, as_of=TODAY, level=0.9, calibration=calibration)
                alone.append(found.predictions.gbps[0])
        with PathTable(table(tmp_path / "all.csv", rows)) as every:
            found = predict_table(every, as_of=TODAY, level=0.9, calibration=calibration)
        assert found.predictions.gbps.tolist() == pytest.approx(alone, rel=1e-12)

    def test_an_unknown_row_stays_so(self, tmp_path: Path, calibration: Calibration) -> None:
        path = table(tmp_path / "t.csv", [WALL, WALL | {"machine_type": "zz9-plural-4"}])
        with PathTable(path) as rows:
            plain, found = (
                predict_table(rows, as_of=TODAY, level=0.9, calibration=one)
                for one in (None, calibration)
            )
        assert found.reason.code.tolist() == plain.reason.code.tolist()
        assert list(found.reason.texts) == list(plain.reason.texts)
        assert str(found.predictions.gbps[1]) == "nan"
