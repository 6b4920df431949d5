"""Cases of which `make test` runs some, and `make nightly` all."""

from collections.abc import Iterable
from typing import Any

import pytest

NIGHTLY = pytest.mark.nightly


def _param(value: Any, is_quick: bool) -> Any:
    """Return a case as pytest takes it, with the mark where it is left for the night."""
    marks = () if is_quick else (NIGHTLY,)
    if isinstance(value, tuple) and hasattr(value, "values"):
        return pytest.param(*value.values, id=getattr(value, "id", None), marks=marks)
    given = value if isinstance(value, tuple) else (value,)
    return pytest.param(*given, marks=marks)


def every(number: int, values: Iterable[Any]) -> list[Any]:
    """Return all cases; but each of that number, the first among them, waits for the night."""
    return [_param(value, at % number == 0) for at, value in enumerate(values)]


def crossed(first: Iterable[Any], second: Iterable[Any]) -> list[Any]:
    """Return all pairs of two lists; by day those in which each value of both stands at least once.

    A value is a tuple of arguments, one argument, or a `pytest.param`.
    """
    ones, others = [*first], [*second]
    most = max(len(ones), len(others))
    by_day = {(at % len(ones), at % len(others)) for at in range(most)}
    return [
        _joined(one, other, (at, at_other) in by_day)
        for at, one in enumerate(ones)
        for at_other, other in enumerate(others)
    ]


def _joined(one: Any, other: Any, is_quick: bool) -> Any:
    given: list[Any] = []
    names: list[str] = []
    for part in (one, other):
        values = part.values if hasattr(part, "values") and not isinstance(part, dict) else part
        given += values if isinstance(values, tuple) else (values,)
        name = getattr(part, "id", None)
        names += [
            name
            if isinstance(name, str)
            else "-".join(map(str, values))
            if isinstance(values, tuple)
            else str(values)
        ]
    return pytest.param(*given, id="-".join(names)[:80], marks=() if is_quick else (NIGHTLY,))
