"""Which rows of the usage table of the Cloud Billing export tell of flexible commitments.

The table has them in one of two models (cloud.google.com/docs/cuds-multiprice and
cuds-example-queries, read 2026-11-22):

- since 2025-07-15, for all accounts since 2026-01-21: covered usage stands under a consumption
  model at its lower price, the fee on SKUs of its own, with a credit for what usage took of it;
- before: the fee on SKUs "Commitment - dollar based v1: GCE for …", of which 100 units are a dollar
  of on-demand spend, and covered usage at the price on demand with a credit.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from netplan_pricing.contract.export_files import ExportFile

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
_RESOURCE_BASED = "one->>'type' = 'COMMITTED_USAGE_DISCOUNT'"
_SUSTAINED_USE = "one->>'type' = 'SUSTAINED_USAGE_DISCOUNT'"
_TERM = re.compile(r"\b([13])[ -]?year", re.IGNORECASE)
_MONEY = "DECIMAL(38, 12)"
_MOST_USD = 10**9
"""More than any row of an hour can cost."""

NEEDED = (
    *("usage_start_time", "usage_end_time", "usage.amount_in_pricing_units", "currency"),
    *("sku.description", "cost"),
)
"""Fields without which nothing is told."""


class HourUse(NamedTuple):
    """The sums of an hour of an account, in US dollars; spend is at prices on demand."""

    fee: Decimal
    former_left: Decimal
    """On-demand spend that is committed in the former model, and was not used."""
    covered: Decimal
    uncovered: Decimal
    """Usage on demand of SKUs that the commitments cover, or may."""
    paid: Decimal
    """What was paid for it, after sustained-use discounts."""


class Bought(NamedTuple):
    """The sums of one commitment of the newer model in an hour."""

    unused: Decimal
    """Of its fee."""
    used: Decimal
    """Of its fee, by the credit for it: what covered usage cost."""
    covered_paid: Decimal
    covered: Decimal
    plans: frozenset[str]


class Account(NamedTuple):
    """What the tables say of a billing account."""

    hours: dict[datetime, HourUse]
    bought: dict[str, dict[datetime, Bought]]
    """By the id of the subscription."""
    has_long_rows: bool
    has_unpriced: bool


_HOUR_SUMS = len(HourUse._fields)


def has_any(file: ExportFile) -> bool:
    """Return whether a table shows a fee, or usage that a flexible commitment covers."""
    is_covered = f"{_is_new(file)} OR {file.credits(_FORMER_CREDIT)} <> 0"
    which = f"{_is_regular(file)} AND ({_is_fee(file)} OR {is_covered})"
    return bool(file.rows(f"SELECT 1 FROM export WHERE {which} LIMIT 1"))


def _is_new(file: ExportFile) -> str:
    return f"coalesce({file.field('consumption_model.id')}, '') IN {tuple(_PLANS)}"


def _is_former_fee(file: ExportFile) -> str:
    return f"coalesce({file.field('sku.description')}, '') LIKE '{_FORMER_FEE}%'"


def _is_fee(file: ExportFile) -> str:
    return f"({file.field('sku.id')} IN {_FEES} OR {_is_former_fee(file)})"


def _is_usual(file: ExportFile) -> str:
    return f"{_is_regular(file)} AND {_is_dated(file)}"


def _is_regular(file: ExportFile) -> str:
    return (
        f"coalesce({file.field('cost_type')}, 'regular') = 'regular'"
        f" AND {file.field('sku.id')} IS NOT NULL"
    )


def _is_dated(file: ExportFile) -> str:
    times = (file.field(f"usage_{end}_time", "TIMESTAMP") for end in ("start", "end"))
    between = "BETWEEN TIMESTAMP '2000-01-01' AND TIMESTAMP '2200-01-01'"
    return " AND ".join(f"coalesce({time} {between}, false)" for time in times)


def unreadable(file: ExportFile, eligible: set[str]) -> str:
    """Return what cannot be read of the rows that matter; empty where all can."""
    if not file.has("credits"):
        return "the billing export has no credits column"
    matters = (
        f"({_is_fee(file)} OR {_is_new(file)} OR {file.field('sku.id')} IN {_listed(eligible)})"
    )
    cost = file.field("cost", _MONEY)
    credits = file.field("credits", "JSON")
    is_read = (
        f"{_is_dated(file)} AND coalesce(abs({file.in_usd(cost)}) < {_MOST_USD}, false)"
        f" AND ({file.field('credits')} IS NULL OR (coalesce(json_type({credits}) = 'ARRAY', false)"
        f" AND NOT {file.has_unread_credits()}))"
    )
    ((count,),) = file.rows(
        f"SELECT count(*) FROM export WHERE {_is_regular(file)} AND {matters} AND NOT ({is_read})"
    )
    if not count:
        return ""
    return f"time, cost or credits of {count:,} rows of the billing export cannot be read"


def _listed(sku_ids: set[str]) -> str:
    """Return ids as an SQL list."""
    quoted = ("'" + one.replace("'", "''") + "'" for one in sorted(sku_ids))
    return f"({', '.join(quoted) or 'NULL'})"


def covered_skus(file: ExportFile) -> Iterable[str]:
    """Return the SKUs of usage that flexible commitments cover somewhere in a file."""
    rows = file.rows(
        f"SELECT DISTINCT {file.field('sku.id')} FROM export WHERE {_is_usual(file)}"
        f" AND ({_is_new(file)} OR {file.credits(_FORMER_CREDIT)} <> 0)"
    )
    return [str(sku_id) for (sku_id,) in rows]


def fee_rows(tables: Sequence[ExportFile]) -> Counter[tuple[object, ...]]:
    """Return how often each row of a fee stands in the tables, less how often it is taken back."""
    names = ("billing_account_id", "project.id", "service.id", "sku.id", "subscription.instance_id")
    found: Counter[tuple[object, ...]] = Counter()
    for file in tables:
        cost = file.field("cost", _MONEY)
        fields = [file.field(name) for name in names]
        fields += [file.field("usage_start_time", "TIMESTAMP"), f"abs({cost})"]
        fields.append(f"{file.field('labels', 'JSON')}::VARCHAR")
        for *row, times in file.rows(
            f"SELECT {', '.join(fields)}, sum(sign({cost})) FROM export"
            f" WHERE {_is_usual(file)} AND {_is_fee(file)} GROUP BY ALL"
        ):
            found[tuple(row)] += int(float(str(times or 0)))
    return found


def accounts_of(tables: Sequence[ExportFile], eligible: set[str]) -> dict[str, Account]:
    """Return the sums of the accounts of all tables.

    Args:
        tables: Usage tables.
        eligible: SKUs that commitments cover, or may.
    """
    hours: dict[str, dict[datetime, HourUse]] = defaultdict(dict)
    bought: dict[str, dict[str, dict[datetime, Bought]]] = defaultdict(lambda: defaultdict(dict))
    long_rows: set[str] = set()
    unpriced: set[str] = set()
    for file in tables:
        for found in file.rows(_sums(file, eligible)):
            account, hour, name, is_of_account, is_long, is_unpriced, *rest = found
            assert isinstance(account, str)
            assert isinstance(hour, datetime)
            if is_of_account:
                sums = HourUse(*(Decimal(str(one)) for one in rest[:_HOUR_SUMS]))
                known = hours[account].get(hour)
                hours[account][hour] = sums if known is None else _added(known, sums)
                long_rows.update([account] if is_long else ())
                unpriced.update([account] if is_unpriced else ())
            else:
                one, before = _bought(rest[_HOUR_SUMS:]), bought[account][str(name)].get(hour)
                bought[account][str(name)][hour] = one if before is None else _joined(before, one)
    return {
        account: Account(found, bought[account], account in long_rows, account in unpriced)
        for account, found in hours.items()
    }


def _added(one: HourUse, other: HourUse) -> HourUse:
    return HourUse(*(a + b for a, b in zip(one, other, strict=True)))


def _joined(one: Bought, other: Bought) -> Bought:
    return Bought(
        one.unused + other.unused,
        one.used + other.used,
        one.covered_paid + other.covered_paid,
        one.covered + other.covered,
        one.plans | other.plans,
    )


def _told(file: ExportFile, eligible: set[str]) -> str:
    """Return the SQL of the rows that matter, each for what it is."""
    sku_id, cost = file.field("sku.id"), file.field("cost", _MONEY)
    amount = file.field("usage.amount_in_pricing_units", _MONEY)
    on_demand = (
        f"coalesce({file.field('cost_at_effective_price_default', _MONEY)},"
        f" {amount} * {file.field('price.effective_price_default', _MONEY)})"
    )
    began, ended = (file.field(f"usage_{end}_time", "TIMESTAMP") for end in ("start", "end"))
    return f"""
        told AS (
            SELECT date_trunc('hour', {began}) AS hour,
                   {ended} - {began} > INTERVAL 1 HOUR AS is_long,
                   coalesce({file.field("billing_account_id")}, '') AS account,
                   coalesce({file.field("subscription.instance_id")}, '') AS bought,
                   coalesce({file.field("sku.description")}, '') AS description,
                   {file.field("consumption_model.id")} AS model,
                   {sku_id} IN {_FEES} AS is_fee, {_is_former_fee(file)} AS is_former_fee,
                   {_is_new(file)} AS is_covered, {sku_id} IN {_listed(eligible)} AS is_eligible,
                   {file.in_usd(cost)} AS cost, {file.in_usd(on_demand)} AS on_demand,
                   coalesce({amount}, 0) AS amount,
                   {file.in_usd(file.credits(_OFFSET))} AS offset_usd,
                   {file.in_usd(file.credits(_FORMER_CREDIT))} AS former,
                   {file.in_usd(file.credits(_RESOURCE_BASED))} AS resource_based,
                   {file.in_usd(file.credits(_SUSTAINED_USE))} AS sustained_use
            FROM export WHERE {_is_usual(file)}),
        mattering AS (
            SELECT *, is_eligible AND amount <> 0
                   AND NOT (is_covered OR is_fee OR is_former_fee) AS is_on_demand
            FROM told WHERE is_fee OR is_former_fee OR is_covered OR former <> 0 OR is_eligible)
        """


def _sums(file: ExportFile, eligible: set[str]) -> str:
    """Return the query of the sums by account and hour, and by commitment in it, in one pass.

    A row has the account, the hour, the commitment, whether it is of the whole account, whether
    rows are too long or lack a price, then the sums of `HourUse` and those of `Bought`.
    """
    return f"""
        WITH {_told(file, eligible)}
        SELECT account, hour, bought, grouping(bought) = 1,
               bool_or(is_long), count(*) FILTER (is_covered AND on_demand IS NULL) > 0,
               coalesce(sum(cost) FILTER (is_fee OR is_former_fee), 0),
               coalesce(sum(amount / {_FORMER_UNITS_PER_USD}) FILTER (is_former_fee), 0)
                   + coalesce(sum(former) FILTER (NOT is_fee), 0),
               coalesce(sum(on_demand) FILTER (is_covered), 0)
                   - coalesce(sum(former) FILTER (NOT is_fee), 0),
               coalesce(sum(cost + resource_based + former) FILTER (is_on_demand), 0),
               coalesce(sum(cost + resource_based + former + sustained_use)
                   FILTER (is_on_demand), 0),
               coalesce(sum(cost + offset_usd) FILTER (is_fee), 0),
               coalesce(-sum(offset_usd) FILTER (is_fee), 0),
               coalesce(sum(cost) FILTER (is_covered), 0),
               coalesce(sum(on_demand) FILTER (is_covered), 0),
               list(DISTINCT description) FILTER (is_fee OR is_former_fee),
               list(DISTINCT model) FILTER (is_covered)
        FROM mattering
        GROUP BY GROUPING SETS ((account, hour), (account, hour, bought))
        HAVING grouping(bought) = 1 OR bool_or(is_fee OR is_former_fee OR is_covered)
        ORDER BY account, hour, bought
        """


def _bought(cells: Sequence[object]) -> Bought:
    *sums, descriptions, models = cells
    unused, used, paid, covered = (Decimal(str(one)) for one in sums)
    plans = {_PLANS[model] for model in _texts(models)} | set(map(_plan, _texts(descriptions)))
    return Bought(unused, used, paid, covered, frozenset(filter(None, plans)))


def _texts(values: object) -> list[str]:
    return [str(one) for one in values] if isinstance(values, list) else []


def _plan(description: str) -> str:
    """Return the term that the name of a fee tells; empty where it tells none."""
    found = _TERM.search(description)
    if found is None:
        return ""
    return "1 year" if found[1] == "1" else "3 years"
