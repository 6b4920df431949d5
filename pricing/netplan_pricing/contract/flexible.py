"""What flexible commitments did in each hour of the usage table of the Cloud Billing export.

A flexible commitment is an amount of spend an hour, bought on the billing account, which covers
usage of many SKUs in all projects and regions; what of it an hour does not use is lost. The table
has it in one of two models (cloud.google.com/docs/cuds-multiprice and cuds-example-queries, read
2026-11-22):

- since 2025-07-15, for all accounts since 2026-01-21: covered usage stands under a consumption
  model at its lower price, the fee on SKUs of its own, with a credit for what usage took of it;
- before: the fee on SKUs "Commitment - dollar based v1: GCE for …", of which 100 units are a dollar
  of on-demand spend, and covered usage at the price on demand with a credit.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from netplan_planner.model import FlexibleCommitments, FlexibleUse
from netplan_planner.units import HOURS_PER_MONTH
from netplan_pricing.contract.export_files import ExportFile, ExportKind

_PLANS = {"D97B-0795-975B": "1 year", "70D7-D1AB-12A4": "3 years"}
"""Consumption models of flexible commitments (cloud.google.com/docs/cuds-migration)."""
_FEES = ("5515-81A8-03A2", "B22F-51BE-D599")
"""SKUs of their fee, by the same page; a unit is a dollar of discounted spend."""
_FORMER_FEE = "Commitment - dollar based v1: GCE"
_FORMER_UNITS_PER_USD = 100
_FORMER_CREDIT = (
    "one->>'type' = 'COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE'"
    " AND coalesce(one->>'full_name', one->>'name', '') LIKE '%GCE Commitments%'"
)
_OFFSET = "one->>'type' = 'FEE_UTILIZATION_OFFSET'"
_OTHER_COVER = "one->>'type' IN ('COMMITTED_USAGE_DISCOUNT', 'SUSTAINED_USAGE_DISCOUNT')"
"""What resource-based commitments cover is not theirs; the other is off the price by itself."""
_MONEY = "DECIMAL(38, 12)"


class _Span(NamedTuple):
    """The sums of one span of time, in US dollars."""

    began: datetime
    ended: datetime
    account: str
    fee: Decimal
    unused: Decimal
    """Of the fee, in the newer model."""
    former: Decimal
    """On-demand spend that is committed in the former model, and not used."""
    covered_paid: Decimal
    covered: Decimal
    """The same usage at prices on demand, both models together."""
    uncovered: Decimal
    """Usage on demand of SKUs that the commitments cover elsewhere or at other times."""
    is_priced: bool
    """Whether the price on demand of all covered usage is known."""


def flexible_commitments(paths: Iterable[Path]) -> FlexibleCommitments | None:
    """Return what flexible commitments did in the time of usage tables; None: they show none.

    Args:
        paths: Files of the export; pricing tables tell nothing of what was bought.

    Raises:
        InputError: If a file cannot be read.
    """
    files = [ExportFile(path) for path in paths]
    try:
        tables = [file for file in files if file.kind is ExportKind.USAGE and file.has("cost")]
        eligible = {sku_id for file in tables for sku_id in _covered_skus(file)}
        spans = [span for file in tables for span in _spans(file, eligible)]
        plans = sorted({plan for file in tables for plan in _plans(file)})
    finally:
        for file in files:
            file.close()
    if not any(span.fee or span.covered for span in spans):
        return None
    names = ", ".join(file.path.name for file in tables)
    return _joined(spans, tuple(plans), names, frozenset(eligible))


def _is_new(file: ExportFile) -> str:
    return f"coalesce({file.field('consumption_model.id')}, '') IN {tuple(_PLANS)}"


def _is_usual(file: ExportFile) -> str:
    times = (file.field(f"usage_{end}_time", "TIMESTAMP") for end in ("start", "end"))
    told = " AND ".join(f"{time} IS NOT NULL" for time in times)
    return (
        f"coalesce({file.field('cost_type')}, 'regular') = 'regular'"
        f" AND {file.field('sku.id')} IS NOT NULL AND {told}"
    )


def _covered_skus(file: ExportFile) -> Iterable[str]:
    """Return the SKUs of usage that flexible commitments cover somewhere in a file."""
    rows = file.rows(
        f"SELECT DISTINCT {file.field('sku.id')} FROM export WHERE {_is_usual(file)}"
        f" AND ({_is_new(file)} OR {file.credits(_FORMER_CREDIT)} <> 0)"
    )
    return [str(sku_id) for (sku_id,) in rows]


def _plans(file: ExportFile) -> Iterable[str]:
    """Return the terms of what was bought, as far as a file tells them."""
    rows = file.rows(
        f"SELECT DISTINCT {file.field('consumption_model.id')}, {file.field('sku.description')}"
        f" FROM export WHERE {_is_usual(file)}"
        f" AND ({_is_new(file)} OR {_is_former_fee(file)})"
    )
    for model, description in rows:
        if model in _PLANS:
            yield _PLANS[str(model)]
        elif str(description).startswith(_FORMER_FEE):
            yield str(description).rpartition(" for ")[2]


def _is_former_fee(file: ExportFile) -> str:
    return f"coalesce({file.field('sku.description')}, '') LIKE '{_FORMER_FEE}%'"


def _spans(file: ExportFile, eligible: set[str]) -> Iterable[_Span]:
    """Yield the sums of each span of time of a file."""
    sku_id, cost = file.field("sku.id"), file.field("cost", _MONEY)
    amount = file.field("usage.amount_in_pricing_units", _MONEY)
    on_demand = (
        f"coalesce({file.field('cost_at_effective_price_default', _MONEY)},"
        f" {amount} * {file.field('price.effective_price_default', _MONEY)})"
    )
    skus = ", ".join(f"'{one}'" for one in sorted(eligible) if one.replace("-", "").isalnum())
    rows = file.rows(
        f"""
        WITH told AS (
            SELECT {file.field("usage_start_time", "TIMESTAMP")} AS began,
                   {file.field("usage_end_time", "TIMESTAMP")} AS ended,
                   coalesce({file.field("billing_account_id")}, '') AS account,
                   {sku_id} IN {_FEES} AS is_fee, {_is_former_fee(file)} AS is_former_fee,
                   {_is_new(file)} AS is_covered, {sku_id} IN ({skus or "NULL"}) AS is_eligible,
                   {file.in_usd(cost)} AS cost, {file.in_usd(on_demand)} AS on_demand,
                   coalesce({amount}, 0) / {_FORMER_UNITS_PER_USD} AS committed,
                   {file.in_usd(file.credits(_OFFSET))} AS offset_usd,
                   {file.in_usd(file.credits(_FORMER_CREDIT))} AS former,
                   {file.in_usd(file.credits(_OTHER_COVER))} AS others
            FROM export WHERE {_is_usual(file)})
        SELECT began, ended, account,
               coalesce(sum(cost) FILTER (is_fee OR is_former_fee), 0),
               coalesce(sum(cost + offset_usd) FILTER (is_fee), 0),
               coalesce(sum(committed) FILTER (is_former_fee), 0)
                   + coalesce(sum(former) FILTER (NOT is_fee), 0),
               coalesce(sum(cost) FILTER (is_covered), 0),
               coalesce(sum(on_demand) FILTER (is_covered), 0)
                   - coalesce(sum(former) FILTER (NOT is_fee), 0),
               coalesce(sum(cost + others + former)
                   FILTER (is_eligible AND NOT is_covered AND NOT is_fee AND NOT is_former_fee), 0),
               count(*) FILTER (is_covered AND on_demand IS NULL) = 0
        FROM told GROUP BY ALL ORDER BY ALL
        """
    )
    for began, ended, account, *sums, is_priced in rows:
        assert isinstance(began, datetime)
        assert isinstance(ended, datetime)
        fee, unused, former, paid, covered, uncovered = (Decimal(str(one)) for one in sums)
        yield _Span(
            began=began,
            ended=ended,
            account=str(account),
            fee=fee,
            unused=unused,
            former=former,
            covered_paid=paid,
            covered=covered,
            uncovered=uncovered,
            is_priced=bool(is_priced),
        )


def _joined(
    spans: Sequence[_Span],
    plans: tuple[str, ...],
    names: str,
    sku_ids: frozenset[str],
) -> FlexibleCommitments:
    """Return the hours of spans, and why they may not say what a change brings."""
    began, ended = min(one.began for one in spans), max(one.ended for one in spans)
    hours: dict[datetime, Decimal] = {}
    paid = sum((one.covered_paid for one in spans), Decimal(0))
    new_covered = sum((one.covered for one in spans if one.covered_paid), Decimal(0))
    ratio = paid / new_covered if paid and new_covered else None
    lost = Decimal(0)
    for one in spans:
        unused = one.unused / ratio if ratio else Decimal(0)
        lost += unused + one.former
        hours[one.began] = hours.get(one.began, Decimal(0)) + one.uncovered - unused - one.former
    seconds = sum((last - first).total_seconds() for first, last in {s[:2] for s in spans})
    per_month = HOURS_PER_MONTH * 3600 / Decimal(str(seconds)) if seconds else Decimal(0)

    def monthly(amounts: Iterable[Decimal]) -> Decimal:
        return sum(amounts, Decimal(0)) * per_month

    use = FlexibleUse(
        plans=plans,
        source=f"billing export {names}",
        start=began,
        end=ended,
        usd_per_month=monthly(one.fee for one in spans),
        covered_usd_per_month=monthly(one.covered for one in spans),
        unused_usd_per_month=lost * per_month,
        uncovered_usd_per_month=monthly(one.uncovered for one in spans),
    )
    return FlexibleCommitments(
        use=use,
        uncovered_usd_by_hour=tuple(hours[hour] for hour in sorted(hours)),
        sku_ids=sku_ids,
        doubt=_doubt(spans, ratio),
    )


def _doubt(spans: Sequence[_Span], ratio: Decimal | None) -> str:
    if len({one.account for one in spans}) > 1:
        return "which of the billing accounts of the export pays for the machines"
    if any(one.ended - one.began > timedelta(hours=1) for one in spans):
        return (
            "what flexible commitments cover by the hour, as Google counts it: rows of the billing"
            " export span more than an hour"
        )
    if not all(one.is_priced for one in spans):
        return "what the usage that flexible commitments cover costs on demand"
    if ratio is None and any(one.unused for one in spans):
        return "how much usage the unused part of the flexible commitments would cover"
    return ""
