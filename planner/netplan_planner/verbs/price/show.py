"""Prices that were looked up: a table with SKUs and dates, the sum, and what is not known."""

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import NotRequired, TypedDict, cast

from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import cents, plain_number
from netplan_planner.verbs.price.answer import PriceAnswer

SCHEMA = "netplan.price/1"
SECONDARY = "secondary list"
NO_SKU = "not in this table"
_CENT = Decimal("0.01")
_NUMBERS = ("usd", "_per_hour", "_per_gib", "_per_unit")
_TITLES = {"gib": "GiB", "as_of": "date", "sku_id": "SKU"}
_SKU_OR = " or "
_CANDIDATES = 2
"""SKUs of which one is billed, in the table; the other forms hold all."""
_REPOSITORY = re.compile(r"(?<![\w./-])[A-Za-z][\w-]*/[\w.-]+")
"""`owner/name` of a price list that somebody else keeps; an address of Google's has a dot first."""
_LONG = 4000
"""Characters of a note: they hold lists of regions."""


class Unknown(TypedDict):
    """What has no price, and why."""

    what: str
    reason: str


class Record(TypedDict):
    """Prices of one question, a row each, and their sum where one makes sense."""

    price_age: NotRequired[str]
    """That prices are old, and the command for newer ones."""
    prices_sha256: str
    """Of the snapshot."""
    prices: tuple[dict[str, object], ...]
    """Fields depend on what is priced; the end of a name is its unit, null is not known."""
    hours: NotRequired[Decimal]
    """That `total_usd` is for."""
    total_usd: NotRequired[Decimal]
    """Where hours are given that are no month."""
    total_usd_per_month: NotRequired[Decimal]
    unknown: NotRequired[tuple[Unknown, ...]]


MORE_NUMBERS = r"^total_[a-z]{3}(_per_month)?$"
"""Names of fields that are there for a currency that was asked for."""


def record(answer: PriceAnswer) -> Record:
    """Return the rows with every field, and their sum."""
    fields: dict[str, object] = {"price_age": answer.price_age} if answer.price_age else {}
    fields |= {"prices_sha256": answer.prices_sha256, "prices": answer.rows}
    if answer.total_usd is not None:
        # Of a month, or of the hours that were asked for.
        span = "_per_month" if answer.hours is None else ""
        if answer.hours is not None:
            fields["hours"] = answer.hours
        fields[f"total_usd{span}"] = answer.total_usd
        if answer.currency is not None:
            total = answer.total_usd * answer.currency.per_usd
            fields[f"total_{answer.currency.code.lower()}{span}"] = total
    if answer.unknown:
        fields["unknown"] = tuple({"what": what, "reason": why} for what, why in answer.unknown)
    return cast(Record, fields)


def table(answer: PriceAnswer) -> DataTable:
    """Return the rows with every field but lists of parts, which are for JSON."""
    first = answer.rows[0] if answer.rows else {}
    columns = tuple(name for name, value in first.items() if not isinstance(value, list))
    rows = (tuple(row[name] for name in columns) for row in answer.rows)
    return DataTable(columns, rows)  # type: ignore[arg-type]  # no cell is a list


def blocks(answer: PriceAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield the age of the prices, the table, the sum, and where the prices come from."""
    yield doc.entry(say(answer.title, Role.STRONG))
    if answer.rows:
        yield _table(answer)
    for name, reason in answer.unknown:
        yield doc.field("unknown", say(f"{name}: {reason}", length=_LONG))
    if answer.total_usd is not None:
        yield doc.field("total", _total(answer, answer.total_usd))
    for label in ("parts", "source", "note"):
        for text in _by_text(answer, label):
            yield doc.field(label, say(text, length=_LONG))
    for label, text in answer.notes:
        yield doc.field(label, say(text, length=_LONG))


def asides(answer: PriceAnswer) -> Iterator[str]:
    """Yield what of a contract was not used."""
    for warning in answer.warnings:
        yield f"netplan: {warning}"


def _table(answer: PriceAnswer) -> doc.Table:
    titles = {**_TITLES, **dict(answer.titles)}
    columns = tuple(
        doc.Column(
            title=titles.get(name, name),
            is_number=_is_number(name),
            is_note=name == answer.columns[-1],
            stacked=f"{titles.get(name, name)} {{}}",
        )
        for name in answer.columns
    )
    rows = tuple(tuple(_cell(name, row) for name in answer.columns) for row in answer.rows)
    return doc.Table(columns=columns, rows=rows)


def _is_number(name: str) -> bool:
    return name in {"gib", "hours", "quantity"} or any(end in name for end in _NUMBERS)


def _total(answer: PriceAnswer, total_usd: Decimal) -> Line:
    other = ""
    if answer.currency is not None:
        other = f" = {money(total_usd * answer.currency.per_usd)} {answer.currency.code}"
    span = "per month" if answer.hours is None else f"for {plain_number(answer.hours)} h"
    if not answer.unknown:
        return line(fixed(f"{money(total_usd)} USD{other}"), f" {span}")
    missing = ", ".join(name for name, _ in answer.unknown)
    known = fixed(f"{money(total_usd)} USD{other}")
    return line("at least ", known, f" {span}; not included: ", say(missing, length=_LONG))


def _by_text(answer: PriceAnswer, label: str) -> Iterator[str]:
    """Yield each text of a field once, with the rows that have it unless all do."""
    by_text: dict[str, list[str]] = {}
    for row in answer.rows:
        if row.get(label):
            by_text.setdefault(str(row[label]), []).append(str(row[answer.columns[0]]))
    for text, names in by_text.items():
        yield text if len(names) == len(answer.rows) else f"{'; '.join(names)}: {text}"


def _cell(name: str, row: dict[str, object]) -> Line:
    value = row[name]
    if name == "sku_id":
        return line(say(_sku(row), length=_LONG))
    if isinstance(value, Decimal):
        # An amount of money is three letters, a rate says per what.
        is_sum = len(name) == 3 and name != "gib"
        return line(fixed(money(value) if is_sum else plain_number(value)))
    return line(say(str(value)))


def _sku(row: dict[str, object]) -> str:
    """Return the SKU, or the few of which one is billed, and whose list has the price."""
    shown = str(row["sku_id"] or "")
    candidates = str(row.get("sku_candidates") or "")
    if not shown and candidates:
        known = candidates.split(_SKU_OR)
        shown = f"one of {len(known)}" if len(known) > _CANDIDATES else candidates
    if is_secondary(str(row.get("source", ""))):
        return f"{shown} ({SECONDARY})" if shown else SECONDARY
    return shown or NO_SKU


def is_secondary(source: str) -> bool:
    """Return whether a price comes from a list that Google does not keep.

    >>> is_secondary("Cyclenerd/google-cloud-pricing-cost-calculator pricing.yml (fd66b26)")
    True
    >>> is_secondary("Cloud Billing Catalog API, 2026-04-30")
    False
    >>> is_secondary("cloud.google.com/vpc/pricing, 2026-04-30")
    False
    """
    return _REPOSITORY.search(source) is not None


def money(usd: Decimal) -> str:
    """Return a sum of money in cents, small ones with more digits.

    >>> money(Decimal("1234.567")), money(Decimal("0.0042")), money(Decimal(0))
    ('1,234.57', '0.004200', '0.00')
    """
    is_small = 0 < usd < _CENT
    return f"{usd.quantize(_CENT**3, ROUND_HALF_UP) if is_small else cents(usd):,f}"
