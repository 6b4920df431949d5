"""Many rows of a table as one case, which goes through all of them and lists those that fail."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
SHOWN = 20
"""Rows of which a failure says all."""


def listed(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[Any] | None = None,
) -> Callable[[Test], Test]:
    """Return what makes one case of a test and its rows; takes what `parametrize` takes.

    Every row is looked at, whatever comes of the others, and those that fail are told by name.
    What a row needs apart from its values must do for all rows.
    """
    given = tuple(one.strip() for one in names.split(",")) if isinstance(names, str) else (*names,)
    all_rows = [*_rows(given, rows, ids, is_one=isinstance(names, str) and "," not in names)]

    def one_case(test: Test) -> Test:
        def case(*place: Any, **fixtures: Any) -> None:
            assert all_rows, "there is no row"
            failed: list[str] = []
            skipped: list[str] = []
            for name, values in all_rows:
                try:
                    test(*place, **fixtures, **dict(zip(given, values, strict=True)))
                except pytest.skip.Exception as exc:
                    skipped.append(f"{name}: {exc}")
                except (Exception, pytest.fail.Exception) as exc:
                    failed.append(f"[{name}] {type(exc).__name__}: {exc}")
            if failed:
                told = "\n".join(failed[:SHOWN])
                pytest.fail(f"{len(failed)} of {len(all_rows)} rows fail:\n{told}", pytrace=False)
            if len(skipped) == len(all_rows):
                pytest.skip(skipped[0])

        found = inspect.signature(test)
        others = [one for name, one in found.parameters.items() if name not in given]
        assert len(others) + len(given) == len(found.parameters), f"{test.__name__}: {given}"
        case.__dict__.update(test.__dict__)
        case.__signature__ = found.replace(parameters=others)  # type: ignore[attr-defined]
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(case, name, getattr(test, name))
        return case

    return one_case


def _rows(
    given: Sequence[str], rows: Iterable[Any], ids: Any, *, is_one: bool
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield each row with its name."""
    named = [*ids] if ids is not None and not callable(ids) else None
    for number, row in enumerate(rows):
        name = getattr(row, "id", None) if hasattr(row, "marks") else None
        if hasattr(row, "marks"):
            assert not row.marks, f"row {number} has a mark"
            values = tuple(row.values)
        else:
            values = (row,) if is_one else tuple(row)
        assert len(values) == len(given), f"row {number}: {values}"
        if named is not None:
            name = named[number]
        elif name is None:
            how = ids if callable(ids) else str
            name = "-".join(str(how(value))[:60] for value in values)
        yield str(name), values
