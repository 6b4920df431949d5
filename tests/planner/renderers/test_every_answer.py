"""What verbs write as data: JSON by its schema, CSV in one dialect with units in its header."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

import pytest

from netplan_planner.renderers.content import modules_by_kind
from support.commands.answers import SOURCES, Written, written
from support.commands.cases import schema

MONEY = ("usd", "per_run", "per_month", "per_hour", "per_gib", "per_unit")
UNITS = (
    *MONEY,
    *("gbps", "gib", "hours", "hours_per_account", "s", "ms", "bytes", "pps", "tps", "vcpus"),
    # What has no unit says so by what it is.
    *("percent", "ratio", "count", "rank", "number", "level", "probability", "information"),
    *("runs", "streams", "seconds"),
)
WITH_UNIT_BESIDE = ("quantity", "from", "default")
"""Of which each row has another unit, in its column `unit`."""
OF_ANY_KIND = ("value",)
"""Of settings, each of which has its own unit in its name."""
FORMULA = tuple("=+-@＝＋－＠")
CASES = [
    pytest.param(source, id=f"{kind}-{number}")
    for kind, sources in SOURCES.items()
    for number, source in enumerate(sources, 1)
]


@pytest.fixture(scope="module", params=CASES)
def answer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written(request.param, tmp_path_factory.mktemp("answer"))


def test_every_kind_of_answer_is_looked_at() -> None:
    assert set(SOURCES) == set(modules_by_kind()), "its test has COMMANDS_BY_ANSWER"


def test_its_json_follows_the_published_schema(answer: Written) -> None:
    schema(answer.document["schema"]).validate(answer.document)


def test_columns_of_numbers_end_in_their_unit(answer: Written) -> None:
    assert answer.rows
    for name in answer.rows[0].keys() - set(OF_ANY_KIND):
        cells = [row[name] for row in answer.rows if row[name]]
        numbers = [cell for cell in cells if number(cell) is not None]
        is_told_beside = name in WITH_UNIT_BESIDE and "unit" in answer.rows[0]
        if has_unit(name, UNITS) or is_told_beside:
            assert numbers == cells, name
        else:
            assert not numbers, f"{name}: {numbers[0]} has no unit in the header"


def test_numbers_have_no_more_digits_than_anybody_knows(answer: Written) -> None:
    for name, cell in cells(answer):
        value = number(cell)
        if value is None:
            continue
        assert "e" not in cell.lower(), name
        if not has_unit(name, MONEY) and value != value.to_integral_value():
            assert len(value.normalize().as_tuple().digits) <= 6, f"{name}: {cell}"


def test_it_does_nothing_to_a_terminal_or_a_spreadsheet(answer: Written) -> None:
    assert answer.csv.endswith("\n")
    assert answer.csv.replace("\n", "").isprintable()
    assert answer.csv.count("\n") == len(answer.rows) + 1, "a cell holds a line end"
    for name, cell in cells(answer):
        assert number(cell) is not None or not cell.lstrip().startswith(FORMULA), name


def cells(answer: Written) -> Iterator[tuple[str, str]]:
    """Yield every cell with the name of its column."""
    for row in answer.rows:
        assert None not in row.values()
        yield from row.items()


def has_unit(name: str, units: tuple[str, ...]) -> bool:
    """Return whether a column's name is a unit, or ends in one."""
    return name in units or name.endswith(tuple(f"_{unit}" for unit in units))


def number(cell: str) -> Decimal | None:
    """Return what a cell is as a number; None: it is a text."""
    try:
        return Decimal(cell)
    except InvalidOperation:
        return None
