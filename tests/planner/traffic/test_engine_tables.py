"""Rows that Python hands to the engine arrive as they were."""

from pathlib import Path

import pytest

from netplan_planner.traffic import TrafficOptions
from netplan_planner.traffic.files import embedded as engine_module
from netplan_planner.traffic.files.embedded import EmbeddedEngine

LINES = [
    (1, "plain"),
    (2**63 - 1, 'quotes " \' and \\ and {"a": [1, null]}'),
    (-(2**63), "line\nend\r\n and \t and \x00 and \x1b[31m"),
    (0, ""),
    (None, None),
    (5, "null"),
    (6, "ü 漢 \U0001f4a9"),
]


@pytest.fixture
def engine(tmp_path: Path) -> EmbeddedEngine:
    return EmbeddedEngine(TrafficOptions(), tmp_path)


def _read_back(engine: EmbeddedEngine) -> list[tuple[object, ...]]:
    return list(engine.rows("SELECT line_number, line FROM numbered_line"))


def test_values_come_back_as_they_were(engine: EmbeddedEngine) -> None:
    engine.create("numbered_line")
    engine.insert("numbered_line", LINES)
    assert sorted(_read_back(engine), key=repr) == sorted(LINES, key=repr)


def test_numbers_of_a_table_without_texts(engine: EmbeddedEngine) -> None:
    rows = [(1, 2**40, -1, 0), (2, None, 2**31 - 1, -(2**31))]
    engine.create("earlier")
    engine.insert("earlier", rows)
    assert sorted(engine.rows("SELECT * FROM earlier")) == rows


def test_more_rows_than_are_written_at_once(
    engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "_INSERT_ROWS", 3)
    rows = [(number, f"line {number}") for number in range(10)]
    engine.create("numbered_line")
    engine.insert("numbered_line", iter(rows))
    assert sorted(_read_back(engine)) == rows


def test_no_rows_are_no_rows(engine: EmbeddedEngine) -> None:
    engine.create("numbered_line")
    engine.insert("numbered_line", [])
    assert _read_back(engine) == []


@pytest.mark.parametrize("row", [(1,), (1, "a", 2)])
def test_a_row_of_another_width_is_refused(engine: EmbeddedEngine, row: tuple[object, ...]) -> None:
    engine.create("numbered_line")
    with pytest.raises(ValueError, match="numbered_line"):
        engine.insert("numbered_line", [(1, "a"), row])


def test_a_text_of_many_megabytes(engine: EmbeddedEngine) -> None:
    long = "x" * ((16 << 20) + 1)
    engine.create("numbered_line")
    engine.insert("numbered_line", [(1, "a"), (2, long)])
    assert sorted(_read_back(engine)) == [(1, "a"), (2, long)]
