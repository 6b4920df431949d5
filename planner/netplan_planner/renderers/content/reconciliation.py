"""The traffic model against the bill: a row a SKU, and what neither of the two can compare."""

from collections.abc import Iterator
from decimal import Decimal

from msgspec.structs import asdict

from netplan_planner import model
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.document import Block, Column, Line, Para, Table, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import cents

SCHEMA = "netplan.reconciliation/1"
_RATIO_DIGITS = 6
_LONG = 4000


class BalanceRow(model.Value, frozen=True, kw_only=True):
    """One SKU in the model and on the bill; what was billed and is not known is null."""

    sku_id: str
    description: str
    modelled_gib: Decimal
    billed_gib: Decimal | None
    residual_gib: Decimal | None
    residual_ratio: Decimal | None
    modelled_usd: Decimal
    billed_usd: Decimal
    residual_usd: Decimal
    path_classes: tuple[model.ModelledPart, ...]
    """Of the model, the greatest first."""
    note: str


class Record(model.ComparedBill, frozen=True, kw_only=True):
    """The traffic model against the bill."""

    skus: tuple[BalanceRow, ...]
    """The greatest residual in dollars first."""
    other_skus: tuple[model.OtherSku, ...]


COLUMNS = BalanceRow.__struct_fields__


def record(answer: model.Reconciliation) -> Record:
    """Return the balances with the fields of the table, and what was left out of them."""
    skus = tuple(map(_fields, answer.balances))
    return model.taken(Record, answer, skus=skus, other_skus=answer.other)


def table(answer: model.Reconciliation) -> DataTable:
    """Return a row a SKU."""
    return DataTable(COLUMNS, map(_cells, answer.balances))


def beside_table(answer: model.Reconciliation) -> Iterator[str]:
    """Yield what makes the figures less than a comparison."""
    for warning in answer.warnings:
        yield f"netplan: {warning}"
    if answer.price_age:
        yield answer.price_age


def _cells(one: model.SkuBalance) -> tuple[Cell, ...]:
    parts = "; ".join(f"{part.path_class.value} {part.gib:.3f}" for part in one.parts)
    fields: dict[str, Cell] = asdict(_fields(one)) | {"path_classes": parts}
    # Volumes have the few digits that flow records know; money is exact.
    return tuple(
        float(cell) if isinstance(cell, Decimal) and not name.endswith("_usd") else cell
        for name, cell in fields.items()
    )


def _fields(one: model.SkuBalance) -> BalanceRow:
    ratio = one.residual_ratio
    rounded = None if ratio is None else round(ratio, _RATIO_DIGITS)
    return model.taken(BalanceRow, one, residual_ratio=rounded, path_classes=one.parts)


def blocks(answer: model.Reconciliation, options: RenderOptions) -> Iterator[Block]:
    """Yield the warnings, what is compared, the balances, and what is in none of them."""
    for warning in answer.warnings:
        yield _para(warning)
    window = f", {answer.modelled_window}," if answer.modelled_window else ""
    yield _para(
        f"{', '.join(answer.billing_exports)}: {answer.billed_from:%Y-%m-%d %H:%M} to"
        f" {answer.billed_to:%Y-%m-%d %H:%M}, {answer.billed_hours:,.0f} h; flow records of"
        f" {answer.modelled_hours:,.1f} h{window} scaled to it"
    )
    yield _balances(answer)
    for one in answer.unmodelled:
        yield _para(f"not priced: {one.path_class.value} {one.gib:,.0f} GiB: {one.reason}")
    yield _para(f"not traffic: {len(answer.other):,} SKUs of the bill, {_usd(answer.other_usd)}")
    if answer.not_usage_rows:
        yield _para(
            f"not usage of a SKU (taxes, adjustments): {answer.not_usage_rows:,} rows,"
            f" {_usd(answer.not_usage_usd)}"
        )
    if answer.credits_usd:
        yield _para(f"credits, not subtracted: {_usd(answer.credits_usd)}")
    if not answer.names_projects:
        yield _para("the export names no projects, so all of it is compared")
    if answer.other_projects:
        names = ", ".join(name or "no project" for name in answer.other_projects)
        yield _para(f"not compared: usage of {names}")
    yield from phrases.blocks(answer.incomplete, options)


def _para(text: str) -> Para:
    return Para(line=line(say(text, length=_LONG)))


def _balances(answer: model.Reconciliation) -> Table:
    columns = (
        Column(title="SKU"),
        Column(title="modelled GiB", is_number=True, stacked="modelled {} GiB"),
        Column(title="billed GiB", is_number=True, stacked="billed {} GiB"),
        Column(title="residual", is_number=True, stacked="residual {}"),
        Column(title="modelled USD", is_number=True, stacked="modelled {} USD"),
        Column(title="billed USD", is_number=True, stacked="billed {} USD"),
        Column(title="residual USD", is_number=True, stacked="residual {} USD"),
        Column(title="includes", is_note=True),
    )
    residual = answer.billed_usd - answer.modelled_usd
    sums = (answer.modelled_usd, answer.billed_usd, residual)
    empty: Line = ()
    total = (line("total traffic"), empty, empty, empty, *map(_amount, sums), empty)
    return Table(columns=columns, rows=(*map(_row, answer.balances), total))


def _row(one: model.SkuBalance) -> tuple[Line, ...]:
    ratio = one.residual_ratio
    return (
        line(say(one.sku_id)),
        _gib(one.modelled_gib),
        _gib(one.billed_gib),
        line(fixed("" if ratio is None else f"{ratio:+.1%}")),
        *map(_amount, (one.modelled_usd, one.billed_usd, one.residual_usd)),
        line(say(_of_what(one), length=_LONG)),
    )


def _of_what(one: model.SkuBalance) -> str:
    """Return a SKU's description, and where more than one path or a note explains it, those."""
    parts = ", ".join(f"{part.path_class.value} {part.gib:,.0f} GiB" for part in one.parts)
    is_plain = len(one.parts) <= 1 and not one.note
    return "; ".join(filter(None, (one.description, *(() if is_plain else (parts, one.note)))))


def _gib(value: Decimal | None) -> Line:
    return line(fixed("unknown" if value is None else f"{value:,.1f}"))


def _amount(value: Decimal) -> Line:
    return line(fixed(f"{cents(value):,f}"))


def _usd(value: Decimal) -> str:
    return f"{cents(value):,f} USD"
