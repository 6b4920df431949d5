"""What was billed, per SKU, from the usage table of the Cloud Billing export."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_pricing.contract.effective import PER_UNIT
from netplan_pricing.contract.export_files import ExportFile, ExportKind

_DECIMAL = "DECIMAL(38, 12)"
_SECONDS_PER_HOUR = 3600
_NAMED = 5
"""Projects that an error names."""


class BilledSku(msgspec.Struct, frozen=True, kw_only=True):
    """The usage and cost of one SKU over the time of an export, before credits."""

    sku_id: str
    description: str
    amount: Decimal | None
    """In netplan's units (GiB, hours); None where a row has none, or a unit is not understood."""
    unit: str
    """The pricing units, as the export writes them."""
    cost_usd: Decimal
    credits_usd: Decimal
    """Negative: what was taken off afterwards."""


class Billed(msgspec.Struct, frozen=True, kw_only=True):
    """What an export says was billed."""

    files: tuple[str, ...]
    start: datetime
    end: datetime
    hours: Decimal
    """That rows cover, gaps left out: a late row of an earlier month adds its own hours alone."""
    skus: tuple[BilledSku, ...]
    """Of the projects asked for, in order of their ids."""
    unusual_count: int = 0
    """Rows of taxes, adjustments and rounding, and rows without a SKU; of no project's usage."""
    unusual_usd: Decimal = Decimal(0)
    other_projects: tuple[str, ...] = ()
    """On the bill and not asked for."""
    repeated: tuple[tuple[str, int], ...] = ()
    """Files with rows that are equal to others of theirs in every field, and how many."""
    names_projects: bool = True
    """False where the export has no project.id, so that all of it is taken."""


def billed(paths: Sequence[Path], projects: Collection[str]) -> Billed:
    """Return what usage tables say was billed to projects, corrections and taxes left out.

    Raises:
        InputError: If a file is no usage table, none has usage of the projects, an amount in it
            is no number or has no conversion rate, or rows stand in two of the files.
    """
    repeated = _repeated(paths)
    rows: list[tuple[object, ...]] = []
    times: set[tuple[datetime, datetime]] = set()
    names_projects = True
    unusual = [Decimal(0), Decimal(0)]
    for path in paths:
        file = ExportFile(path)
        try:
            if file.kind is not ExportKind.USAGE:
                raise InputError(f"{path}: a pricing table; bills are in the usage table")
            file.require(("sku.id", "usage.amount_in_pricing_units", "cost", "currency"))
            file.require(("usage_start_time", "usage_end_time"))
            read = file.rows(_query(file))
            times |= _times(file)
            for place, number in enumerate(_unusual(file)):
                unusual[place] += number
            names_projects &= file.has("project.id")
        finally:
            file.close()
        _check(path, read)
        rows += read
    named = ", ".join(map(str, paths))
    if not times:
        raise InputError(f"{named}: the export has no usage")
    found = {str(row[0] or "") for row in rows}
    mine = [row for row in rows if not names_projects or row[0] in projects]
    if not mine:
        raise InputError(
            f"{named}: the export has no usage of {_some(projects)}, only of {_some(found)}"
        )
    by_sku: dict[str, list[tuple[object, ...]]] = {}
    for row in mine:
        by_sku.setdefault(str(row[1]), []).append(row)
    return Billed(
        files=tuple(path.name for path in paths),
        start=min(begins for begins, _ in times),
        end=max(ends for _, ends in times),
        hours=_hours(times),
        skus=tuple(_sku(sku_id, by_sku[sku_id]) for sku_id in sorted(by_sku)),
        unusual_count=int(unusual[0]),
        unusual_usd=unusual[1],
        other_projects=tuple(sorted(found - set(projects))) if names_projects else (),
        names_projects=names_projects,
        repeated=repeated,
    )


def _repeated(paths: Sequence[Path]) -> tuple[tuple[str, int], ...]:
    """Return the files that repeat rows; rows of one file in another are refused.

    A table has no key, so that equal rows of one file may be two uses. Two files that share rows
    are a copy, or exports whose times overlap: every sum would count those twice.
    """
    files: list[ExportFile] = []
    found = []
    try:
        for path in paths:
            file = ExportFile(path)
            files.append(file)
            count = file.repeated()
            if count:
                found.append((path.name, count))
            for other in files[:-1]:
                shared = file.shared_with(other)
                if shared:
                    raise InputError(
                        f"{path}: {shared:,} of its rows are also in {other.path} and would count"
                        " twice. Leave out one of the files, or export the table once for the"
                        " whole time"
                    )
    finally:
        for file in files:
            file.close()
    return tuple(found)


_USUAL = "coalesce({}, 'regular') = 'regular'"


def _times(file: ExportFile) -> set[tuple[datetime, datetime]]:
    """Return the spans of time that rows are of."""
    begins, ends = (
        file.field(name, "TIMESTAMP") for name in ("usage_start_time", "usage_end_time")
    )
    usual = _USUAL.format(file.field("cost_type"))
    found = file.rows(f"SELECT DISTINCT {begins}, {ends} FROM export WHERE {usual}")
    return {
        (first, last)
        for first, last in found
        if isinstance(first, datetime) and isinstance(last, datetime) and last > first
    }


def _unusual(file: ExportFile) -> tuple[Decimal, Decimal]:
    """Return how many rows are no usage of a SKU, and what they cost."""
    usual = _USUAL.format(file.field("cost_type"))
    cost = file.in_usd(file.field("cost", _DECIMAL))
    ((count, usd),) = file.rows(
        f"SELECT count(*), coalesce(sum({cost}), 0) FROM export"
        f" WHERE NOT ({usual}) OR {file.field('sku.id')} IS NULL"
    )
    return Decimal(str(count)), Decimal(str(usd))


def _hours(times: Iterable[tuple[datetime, datetime]]) -> Decimal:
    """Return the hours that spans cover together."""
    seconds, reached = 0.0, datetime.min
    for begins, ends in sorted(times):
        if ends > reached:
            seconds += (ends - max(begins, reached)).total_seconds()
            reached = ends
    return Decimal(str(seconds)) / _SECONDS_PER_HOUR


def _query(file: ExportFile) -> str:
    """Return the sums by project, SKU and pricing unit, and how many rows cannot be summed."""
    amount = file.field("usage.amount_in_pricing_units", _DECIMAL)
    text = file.field("usage.amount_in_pricing_units")
    cost = file.field("cost", _DECIMAL)
    broken = f"{cost} IS NULL OR ({amount} IS NULL AND coalesce({text}, '') <> '')"
    return f"""
        SELECT {file.field("project.id")} AS project_id, {file.field("sku.id")} AS sku_id,
               any_value({file.field("sku.description")}) AS description,
               {file.field("usage.pricing_unit")} AS unit,
               CASE WHEN count({amount}) = count(*) THEN sum({amount}) END AS amount,
               sum({file.in_usd(cost)}) AS cost,
               coalesce(sum({file.in_usd(file.credits())}), 0) AS credits,
               count(*) FILTER ({file.field("currency")} IS DISTINCT FROM 'USD'
                    AND coalesce({file.field("currency_conversion_rate", _DECIMAL)}, 0) <= 0),
               count(*) FILTER ({broken})
        FROM export
        WHERE {_USUAL.format(file.field("cost_type"))} AND {file.field("sku.id")} IS NOT NULL
        GROUP BY 1, 2, 4 ORDER BY 1, 2, 4
        """


def _check(path: Path, rows: list[tuple[object, ...]]) -> None:
    for place, what in ((7, "in a currency without a conversion rate"), (8, "not a number")):
        count = sum(int(str(row[place])) for row in rows)
        if count:
            raise InputError(f"{path}: the usage or cost of {count:,} rows is {what}")


def _some(names: Collection[str]) -> str:
    """Return the first names of many."""
    first = sorted(names)[:_NAMED]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return (", ".join(first) or "no project") + more


def _sku(sku_id: str, rows: list[tuple[object, ...]]) -> BilledSku:
    """Return one SKU of rows that differ in project and pricing unit."""
    amount: Decimal | None = Decimal(0)
    for row in rows:
        per_unit = PER_UNIT.get(str(row[3]))
        known = amount is not None and per_unit is not None and row[4] is not None
        amount = amount + Decimal(str(row[4])) * per_unit if known else None  # type: ignore[operator]
    return BilledSku(
        sku_id=sku_id,
        description=str(rows[0][2] or ""),
        amount=amount,
        unit=", ".join(sorted({str(row[3] or "") for row in rows})),
        cost_usd=sum((Decimal(str(row[5])) for row in rows), Decimal(0)),
        credits_usd=sum((Decimal(str(row[6])) for row in rows), Decimal(0)),
    )
