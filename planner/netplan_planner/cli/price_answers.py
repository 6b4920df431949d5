"""The answer of a look-up as text, JSON or CSV.

Numbers keep all their digits in JSON and CSV; only the text form rounds, and only sums of money.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from netplan_planner.cli import price_layout
from netplan_planner.cli.app import state
from netplan_planner.errors import MissingDatum
from netplan_planner.inert import inert_line
from netplan_planner.tables.writing import csv_text
from netplan_planner.units import cents

if TYPE_CHECKING:
    from netplan_planner.cli.price_source import Currency

SCHEMA = "netplan.price/1"
NO_SKU = "none in this table"
_CENT = Decimal("0.01")
_RIGHT = ("usd", "_per_hour", "_per_gib", "_per_unit")
SKU_OR = " or "
"""Between the ids of SKUs of which one is billed."""
_CANDIDATES = 2
"""Of these in the table; the other forms hold all."""
_TITLES = {
    "usd_per_hour": "USD per hour",
    "usd_per_gib": "USD per GiB",
    "usd_per_unit": "USD per unit",
    "gib": "GiB",
    "as_of": "date",
    "sku_id": "SKU",
}


class Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@dataclass
class Answer:
    """What one command says, before it is text, JSON or CSV."""

    title: str
    columns: tuple[str, ...]
    """Of the table of the text form; the other forms write every field."""
    sum_title: str
    """What the column `usd` is called in that table."""
    rows: list[dict[str, object]] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    """What has no price, and why."""
    total_usd: Decimal | None = None
    span: str = "a month"
    """What the total is for."""
    currency: "Currency | None" = None
    """Amounts are shown in it as well."""
    titles: dict[str, str] = field(default_factory=dict)
    """Of columns that the verbs do not know by name."""
    age: str = ""
    """That prices are old: the first line; found from the rows' dates."""
    notes: list[str] = field(default_factory=list)
    """Lines below the table, of the text form alone."""


def render(answer: Answer, form: Form) -> str:
    """Return the answer in the wanted form.

    Raises:
        MissingDatum: If nothing that was asked for has a price.
    """
    if answer.unknown and not answer.rows:
        # All usages fail for one reason (an unknown type) or each for its own.
        raise MissingDatum("\n".join(dict.fromkeys(reason for _, reason in answer.unknown)))
    if answer.currency is not None:
        _convert(answer, answer.currency)
    answer.age = _age(answer)
    if answer.age and form is Form.CSV:
        # A table has no place for it.
        typer.echo(answer.age, err=True)
    writer = {Form.TEXT: _text, Form.JSON: _json, Form.CSV: _csv}[form]
    return writer(answer)


def _age(answer: Answer) -> str:
    """Return what there is to say about the age of the prices that are shown."""
    from netplan_planner.model.price_age import age_of

    days: dict[bool, list[date]] = {True: [], False: []}
    for row in answer.rows:
        if row.get("as_of"):
            days[row.get("usage") == "spot"].append(date.fromisoformat(str(row["as_of"])))
    return inert_line(
        age_of(
            min(days[False], default=None),
            min(days[True], default=None),
            date.today(),
            state.price_folder,
        )
    )


_AMOUNTS = ("usd_per_hour", "usd_per_gib", "usd_per_unit", "usd")


def _convert(answer: Answer, currency: "Currency") -> None:
    """Add to each amount what it is in another currency; the dollars stay beside it."""
    code = currency.code.lower()
    columns: list[str] = []
    for name in answer.columns:
        columns.append(name)
        if name in _AMOUNTS:
            other = name.replace("usd", code)
            columns.append(other)
            shown = answer.sum_title if name == "usd" else _TITLES.get(name, name)
            answer.titles[other] = shown.replace("USD", currency.code)
    answer.columns = tuple(columns)
    for row in answer.rows:
        for name in _AMOUNTS:
            value = row.get(name)
            if isinstance(value, Decimal):
                row[name.replace("usd", code)] = value * currency.per_usd
        row["currency"] = currency.code
        row["units_per_usd"] = currency.per_usd
        row["currency_as_of"] = currency.as_of
    answer.notes.append(f"rate     {currency.note}")


def _text(answer: Answer) -> str:
    cells = [[_cell(name, row) for name in answer.columns] for row in answer.rows]
    first = answer.columns[0]
    known = {**_TITLES, **answer.titles, "usd": answer.sum_title}
    titles = [known.get(name, name) for name in answer.columns]
    lines = [answer.age, ""] if answer.age else []
    lines += [inert_line(answer.title), "", *_table(answer.columns, titles, cells), ""]
    lines += [
        f"unknown  {inert_line(name)}: {inert_line(reason)}" for name, reason in answer.unknown
    ]
    if answer.total_usd is not None:
        other = ""
        if answer.currency is not None:
            converted = answer.total_usd * answer.currency.per_usd
            other = f" = {money(converted)} {answer.currency.code}"
        lines.append(f"total    {money(answer.total_usd)} USD{other} {answer.span}")
    for label in ("parts", "source", "note"):
        by_text: dict[str, list[str]] = {}
        for row in answer.rows:
            if row.get(label):
                by_text.setdefault(str(row[label]), []).append(str(row[first]))
        for text, names in by_text.items():
            whose = "" if len(names) == len(answer.rows) else f"{'; '.join(names)}: "
            lines.append(f"{label:<8} {inert_line(whose + text)}")
    lines += [inert_line(note) for note in answer.notes]
    width = price_layout.terminal_width()
    return "\n".join(row for line in lines for row in price_layout.wrapped(line, width))


def _table(columns: Sequence[str], titles: list[str], cells: list[list[str]]) -> list[str]:
    """Return aligned lines; numbers stand to the right."""
    to_right = {
        n
        for n, name in enumerate(columns)
        if name == "gib" or any(amount in name for amount in _RIGHT)
    }
    return price_layout.table(titles, cells, to_right, price_layout.terminal_width())


def _cell(name: str, row: dict[str, object]) -> str:
    shown = _shown(name, row[name], str(row.get("sku_candidates", "")))
    if name != "sku_id":
        return shown
    return price_layout.said_of_sku(shown, str(row.get("source", "")), NO_SKU)


def _shown(name: str, value: object, candidates: str = "") -> str:
    if name == "sku_id" and not value:
        known = candidates.split(SKU_OR)
        many = f"one of {len(known)}" if len(known) > _CANDIDATES else candidates
        return inert_line(many) or NO_SKU
    if isinstance(value, Decimal):
        # An amount of money is three letters, a rate says per what.
        return money(value) if len(name) == 3 and name != "gib" else plain(value)
    return inert_line(str(value))


def plain(number: Decimal) -> str:
    """Return a number without needless zeros: 0.16833420 as 0.1683342, 500.0 as 500.

    >>> plain(Decimal("500.0")), plain(Decimal("0.16833420"))
    ('500', '0.1683342')
    """
    return f"{number.normalize():,f}"


def money(usd: Decimal) -> str:
    """Return a sum of money in cents, small ones with more digits.

    >>> money(Decimal("1234.567")), money(Decimal("0.0042")), money(Decimal(0))
    ('1,234.57', '0.004200', '0.00')
    """
    is_small = 0 < usd < _CENT
    return f"{usd.quantize(_CENT**3, ROUND_HALF_UP) if is_small else cents(usd):,f}"


def _json(answer: Answer) -> str:
    listed: dict[str, object] = {"schema": SCHEMA}
    if answer.age:
        listed["price_age"] = answer.age
    listed["prices"] = answer.rows
    if answer.total_usd is not None:
        listed["total_usd_per_month"] = answer.total_usd
    if answer.currency is not None and answer.total_usd is not None:
        code = answer.currency.code.lower()
        listed[f"total_{code}_per_month"] = answer.total_usd * answer.currency.per_usd
    if answer.unknown:
        listed["unknown"] = [{"what": what, "reason": why} for what, why in answer.unknown]
    from msgspec.json import Encoder
    from msgspec.json import format as indent

    # Decimals as JSON numbers with all their digits; msgspec never goes through a float.
    return indent(Encoder(decimal_format="number").encode(listed), indent=2).decode()


def _csv(answer: Answer) -> str:
    if not answer.rows:
        return ""
    # Lists of parts are for JSON.
    columns = [name for name, value in answer.rows[0].items() if not isinstance(value, list)]
    rows = ([row[name] for name in columns] for row in answer.rows)
    return csv_text(columns, rows).rstrip("\n")
