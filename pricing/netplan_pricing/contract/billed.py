"""What was billed, per SKU, from the usage table of the Cloud Billing export."""

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_pricing.contract.effective import PER_UNIT
from netplan_pricing.contract.export_files import ExportFile, ExportKind

_DECIMAL = "DECIMAL(38, 12)"


class BilledSku(msgspec.Struct, frozen=True, kw_only=True):
    """The usage and cost of one SKU over the time of an export."""

    sku_id: str
    description: str
    amount: Decimal | None
    """In netplan's units (GiB, hours); None where the unit is not understood."""
    unit: str
    """The pricing unit, as the export writes it."""
    cost_usd: Decimal
    """Before credits."""
    credits_usd: Decimal


class Billed(msgspec.Struct, frozen=True, kw_only=True):
    """What an export says was billed."""

    file: str
    start: datetime
    end: datetime
    skus: tuple[BilledSku, ...]
    """In order of their ids."""

    @property
    def hours(self) -> Decimal:
        """The time that the rows cover, first beginning to last end."""
        return Decimal(str((self.end - self.start).total_seconds())) / 3600


def billed(path: Path) -> Billed:
    """Return what a usage table says was billed, corrections and taxes left out.

    Raises:
        InputError: If the file is no usage table, is empty, or an amount has no conversion rate.
    """
    file = ExportFile(path)
    try:
        if file.kind is not ExportKind.USAGE:
            raise InputError(f"{path}: a pricing table; what was billed is in the usage table")
        file.require(("sku.id", "usage.amount_in_pricing_units", "cost", "currency"))
        file.require(("usage_start_time", "usage_end_time"))
        rows = file.rows(
            f"""
            SELECT {file.field("sku.id")} AS sku_id,
                   any_value({file.field("sku.description")}) AS description,
                   {file.field("usage.pricing_unit")} AS unit,
                   sum({file.field("usage.amount_in_pricing_units", _DECIMAL)}) AS amount,
                   sum({_in_usd(file, file.field("cost", _DECIMAL))}) AS cost,
                   coalesce(sum({_in_usd(file, _credits(file))}), 0) AS credits,
                   min({file.field("usage_start_time", "TIMESTAMP")}) AS begins,
                   max({file.field("usage_end_time", "TIMESTAMP")}) AS ends,
                   count(*) FILTER ({file.field("currency")} IS DISTINCT FROM 'USD'
                        AND coalesce({file.field("currency_conversion_rate", _DECIMAL)}, 0) <= 0)
            FROM export
            WHERE coalesce({file.field("cost_type")}, 'regular') = 'regular'
                  AND {file.field("sku.id")} IS NOT NULL
            GROUP BY 1, 3 ORDER BY 1, 3
            """
        )
    finally:
        file.close()
    times = [row[6:8] for row in rows if isinstance(row[6], datetime)]
    if not times:
        raise InputError(f"{path}: no usage in it")
    if any(row[8] for row in rows):
        raise InputError(f"{path}: amounts in another currency without a conversion rate")
    return Billed(
        file=path.name,
        start=min(begins for begins, _ in times if isinstance(begins, datetime)),
        end=max(ends for _, ends in times if isinstance(ends, datetime)),
        skus=tuple(_sku(row) for row in rows),
    )


def _in_usd(file: ExportFile, amount: str) -> str:
    """Return the SQL of an amount in US dollars."""
    rate = file.field("currency_conversion_rate", _DECIMAL)
    return (
        f"CASE WHEN {file.field('currency')} = 'USD' THEN {amount}"
        f" ELSE {amount} / nullif({rate}, 0) END"
    )


def _credits(file: ExportFile) -> str:
    """Return the SQL of a row's credits, which are negative, as records or as JSON text."""
    if not file.has("credits"):
        return "0"
    listed = f"""from_json(coalesce({file.field("credits", "JSON")}, '[]'::JSON), '["JSON"]')"""
    return (
        f"coalesce(list_sum(list_transform({listed},"
        f" lambda one: TRY_CAST(one->>'amount' AS {_DECIMAL}))), 0)"
    )


def _sku(row: tuple[object, ...]) -> BilledSku:
    sku_id, description, unit, amount, cost, given = row[:6]
    per_unit = PER_UNIT.get(str(unit))
    known = isinstance(amount, Decimal) and per_unit is not None
    return BilledSku(
        sku_id=str(sku_id),
        description=str(description or ""),
        amount=amount * per_unit if known else None,  # type: ignore[operator]
        unit=str(unit or ""),
        cost_usd=Decimal(str(cost or 0)),
        credits_usd=Decimal(str(given or 0)),
    )
