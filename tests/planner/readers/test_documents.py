"""JSON values in a file, one after another."""

import pytest

from netplan_planner.readers import documents


def test_of_very_many_values_each_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    class Counting:
        def search(self, text: str, start: int, end: int) -> None:
            looked_at.append(end - start)

    monkeypatch.setattr(documents, "_HALF_CHARACTER", Counting())
    found, damaged = documents.documents_of(b"0" * 10_000)
    assert (len(found), damaged) == (10_000, [])
    assert sum(looked_at) <= 20_000
