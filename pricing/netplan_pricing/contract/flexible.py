"""What flexible commitments did in each hour of the usage table of the Cloud Billing export.

A flexible commitment is an amount of spend an hour, bought on the billing account, which covers
usage of many SKUs in all projects and regions; what of it an hour does not use is lost. The table
has it in one of two models (cloud.google.com/docs/cuds-multiprice and cuds-example-queries, read
2026-11-22):

- since 2025-07-15, for all accounts since 2026-01-21: covered usage stands under a consumption
  model at its lower price, the fee on SKUs of its own, with a credit for what usage took of it;
- before: the fee on SKUs "Commitment - dollar based v1: GCE for …", of which 100 units are a dollar
  of on-demand spend, and covered usage at the price on demand with a credit.

Which of several commitments covers first, and which SKU, is not published: an hour is taken as it
was billed.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from netplan_planner.errors import InputError
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
_RESOURCE_BASED = "one->>'type' = 'COMMITTED_USAGE_DISCOUNT'"
_SUSTAINED_USE = "one->>'type' = 'SUSTAINED_USAGE_DISCOUNT'"
_TERM = re.compile(r"\b([13])[ -]?year", re.IGNORECASE)
_ONE_LEVEL = Decimal("0.01")
"""Within which fees of hours are of the same commitments; rates of currencies move them."""
_SAME_USE = Decimal("0.05")
"""Within which covered usage is what the fee's credit says was used of it."""
_MONEY = "DECIMAL(38, 12)"
_MOST_USD = 10**9
"""More than any row of an hour can cost."""
_NONE = Decimal(0)
_NEEDED = (
    *("usage_start_time", "usage_end_time", "usage.amount_in_pricing_units", "currency"),
    *("sku.description", "cost"),
)


class _Hour(NamedTuple):
    """The sums of an hour of an account, in US dollars; spend is at prices on demand."""

    fee: Decimal
    former_left: Decimal
    """On-demand spend that is committed in the former model, and was not used."""
    covered: Decimal
    uncovered: Decimal
    """Usage on demand of SKUs that the commitments cover, or may."""
    paid: Decimal
    """What was paid for it, after sustained-use discounts."""


class _Bought(NamedTuple):
    """The sums of one commitment of the newer model in an hour."""

    unused: Decimal
    """Of its fee."""
    used: Decimal
    """Of its fee, by the credit for it: what covered usage cost."""
    covered_paid: Decimal
    covered: Decimal
    plans: frozenset[str]


class _Account(NamedTuple):
    """What the tables say of a billing account."""

    hours: dict[datetime, _Hour]
    bought: dict[str, dict[datetime, _Bought]]
    """By the id of the subscription."""
    has_long_rows: bool
    has_unpriced: bool


def flexible_commitments(
    paths: Iterable[Path],
    eligible: Collection[str] = (),
    ratios: Mapping[str, Decimal] | None = None,
) -> FlexibleCommitments | None:
    """Return what flexible commitments did in the time of usage tables; None: they show none.

    Args:
        paths: Files of the export; pricing tables tell nothing of what was bought.
        eligible: SKUs that flexible commitments are documented to cover, beside those seen.
        ratios: What a commitment leaves of the price on demand, by its term, where a bill does not
            show any usage that it covers.

    Raises:
        InputError: If a file cannot be read.
    """
    files = [ExportFile(path) for path in paths]
    try:
        tables = [file for file in files if file.kind is ExportKind.USAGE and _has_any(file)]
        for file in tables:
            file.require(_NEEDED)
        seen = {sku_id for file in tables for sku_id in _covered_skus(file)}
        accounts = _accounts(tables, seen | set(eligible))
        is_twice = any(count > 1 for count in _fee_rows(tables).values())
        unread = [text for file in tables if (text := _unreadable(file, seen | set(eligible)))]
    finally:
        for file in files:
            file.close()
    having = {
        name: one
        for name, one in accounts.items()
        if one.has_unpriced or any(hour.fee or hour.covered for hour in one.hours.values())
    }
    if not having:
        if tables:
            raise InputError(
                f"{tables[0].path}: its rows of flexible commitments have no usable times"
            )
        return None
    # Of several accounts none is known to be the machines'; the first stands for its figures.
    first = having[min(having)]
    found = _Found(first, dict(ratios or {}))
    doubts = [
        f"what flexible commitments cover: {unread[0]}" if unread else "",
        "which of the billing accounts of the export pays for the machines"
        if len(having) > 1
        else "",
        "whether the billing export counts hours twice: rows of the fee stand in it more than once"
        if is_twice
        else "",
        found.doubt,
    ]
    names = ", ".join(file.path.name for file in tables)
    return FlexibleCommitments(
        use=found.use(names, next(filter(None, doubts), "")),
        uncovered_usd_by_hour=found.uncovered,
        net_ratio=found.net_ratio,
        sku_ids=frozenset(seen | set(eligible)),
    )


class _Found:
    """The hours of an account in which the commitments were those of its last hour."""

    def __init__(self, account: _Account, ratios: dict[str, Decimal]) -> None:
        self._account = account
        fees = {hour: one.fee for hour, one in account.hours.items() if one.fee}
        level = fees[max(fees)] if fees else _NONE
        self._kept = sorted(
            hour
            for hour, one in account.hours.items()
            if not fees or abs(one.fee - level) <= abs(level) * _ONE_LEVEL
        )
        self._has_fee = bool(fees)
        self._ratios = {
            name: ratio
            for name, hours in account.bought.items()
            if (ratio := self._ratio(hours, ratios)) is not None
        }
        self._left = {hour: self._left_in(hour) for hour in self._kept}

    def _ratio(
        self, hours: Mapping[datetime, _Bought], ratios: Mapping[str, Decimal]
    ) -> Decimal | None:
        """Return what a commitment leaves of the price on demand: as billed, else as listed."""
        paid = sum((one.covered_paid for one in hours.values()), _NONE)
        covered = sum((one.covered for one in hours.values()), _NONE)
        if paid > 0 and covered > 0:
            return paid / covered
        plans = frozenset[str]().union(*(one.plans for one in hours.values()))
        return ratios.get(next(iter(plans))) if len(plans) == 1 else None

    def _left_in(self, hour: datetime) -> Decimal:
        """Return the on-demand spend that the commitments would have covered besides."""
        left = self._account.hours[hour].former_left
        for name, hours in self._account.bought.items():
            if hour in hours and name in self._ratios:
                left += hours[hour].unused / self._ratios[name]
        return left

    @property
    def uncovered(self) -> tuple[Decimal, ...]:
        """What is not covered in each hour, less what would have been covered besides."""
        hours = self._account.hours
        return tuple(hours[hour].uncovered - self._left[hour] for hour in self._kept)

    @property
    def net_ratio(self) -> Decimal | None:
        """What of the price on demand was paid for what is not covered."""
        gross, paid = self._sum("uncovered"), self._sum("paid")
        return paid / gross if gross > 0 and paid > 0 else None

    def use(self, names: str, doubt: str) -> FlexibleUse:
        """Return the sums for a month."""
        per_month = HOURS_PER_MONTH / Decimal(len(self._kept))
        every = [one for hours in self._account.bought.values() for one in hours.values()]
        return FlexibleUse(
            plans=tuple(sorted(frozenset[str]().union(*(one.plans for one in every)))),
            source=f"billing export {names}",
            start=self._kept[0],
            end=self._kept[-1] + timedelta(hours=1),
            hour_count=len(self._kept),
            other_hour_count=len(self._account.hours) - len(self._kept),
            usd_per_month=self._sum("fee") * per_month,
            covered_usd_per_month=self._sum("covered") * per_month,
            unused_usd_per_month=sum(self._left.values(), _NONE) * per_month,
            uncovered_usd_per_month=self._sum("uncovered") * per_month,
            doubt=doubt,
        )

    def _sum(self, field: str) -> Decimal:
        found = (getattr(self._account.hours[hour], field) for hour in self._kept)
        return sum(found, _NONE)

    @property
    def doubt(self) -> str:
        """Why it does not follow what a change brings."""
        if self._account.has_long_rows:
            return (
                "what flexible commitments cover by the hour, as Google counts it: rows of the"
                " billing export span more than an hour"
            )
        if not self._has_fee:
            return "what flexible commitments leave unused: their fee is not in the billing export"
        sums = (self._sum("fee"), self._sum("covered"), sum(self._left.values(), _NONE))
        every = [one for by in self._account.bought.values() for one in by.values()]
        unused = sum(one.unused for one in every)
        fee = sum(one.fee for one in self._account.hours.values())
        if any(amount < 0 for amount in sums) or unused > fee:
            return "what flexible commitments cover: no fee and use of it can give these sums"
        used = sum((one.used for one in every), _NONE)
        paid = sum((one.covered_paid for one in every), _NONE)
        if abs(used - paid) > _SAME_USE * max(used, paid):
            return (
                "what all projects use of the flexible commitments: the billing export holds other"
                " covered usage than their fee was used for"
            )
        if self._account.has_unpriced:
            return "what the usage that flexible commitments cover costs on demand"
        unknown = set(self._account.bought) - set(self._ratios)
        if any(one.unused for name in unknown for one in self._account.bought[name].values()):
            return "how much usage the unused part of the flexible commitments would cover"
        return ""


def _has_any(file: ExportFile) -> bool:
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


def _unreadable(file: ExportFile, eligible: set[str]) -> str:
    """Return what cannot be read of the rows that matter; empty where all can."""
    if not file.has("credits"):
        return "the billing export has no column of credits"
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


def _covered_skus(file: ExportFile) -> Iterable[str]:
    """Return the SKUs of usage that flexible commitments cover somewhere in a file."""
    rows = file.rows(
        f"SELECT DISTINCT {file.field('sku.id')} FROM export WHERE {_is_usual(file)}"
        f" AND ({_is_new(file)} OR {file.credits(_FORMER_CREDIT)} <> 0)"
    )
    return [str(sku_id) for (sku_id,) in rows]


def _fee_rows(tables: Sequence[ExportFile]) -> Counter[tuple[object, ...]]:
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


def _accounts(tables: Sequence[ExportFile], eligible: set[str]) -> dict[str, _Account]:
    """Return the sums of the accounts of all tables."""
    hours: dict[str, dict[datetime, _Hour]] = defaultdict(dict)
    bought: dict[str, dict[str, dict[datetime, _Bought]]] = defaultdict(lambda: defaultdict(dict))
    long_rows: set[str] = set()
    unpriced: set[str] = set()
    for file in tables:
        for account, hour, sums, is_long, is_unpriced in _hours(file, eligible):
            known = hours[account].get(hour)
            hours[account][hour] = sums if known is None else _added(known, sums)
            long_rows.update([account] if is_long else ())
            unpriced.update([account] if is_unpriced else ())
        for account, name, hour, one in _of_bought(file):
            before = bought[account][name].get(hour)
            bought[account][name][hour] = one if before is None else _joined(before, one)
    return {
        account: _Account(found, bought[account], account in long_rows, account in unpriced)
        for account, found in hours.items()
    }


def _added(one: _Hour, other: _Hour) -> _Hour:
    return _Hour(*(a + b for a, b in zip(one, other, strict=True)))


def _joined(one: _Bought, other: _Bought) -> _Bought:
    return _Bought(
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


def _hours(
    file: ExportFile, eligible: set[str]
) -> Iterator[tuple[str, datetime, _Hour, bool, bool]]:
    """Yield the sums of each account and hour, and whether rows are too long or lack a price."""
    rows = file.rows(
        f"""
        WITH {_told(file, eligible)}
        SELECT account, hour,
               coalesce(sum(cost) FILTER (is_fee OR is_former_fee), 0),
               coalesce(sum(amount / {_FORMER_UNITS_PER_USD}) FILTER (is_former_fee), 0)
                   + coalesce(sum(former) FILTER (NOT is_fee), 0),
               coalesce(sum(on_demand) FILTER (is_covered), 0)
                   - coalesce(sum(former) FILTER (NOT is_fee), 0),
               coalesce(sum(cost + resource_based + former) FILTER (is_on_demand), 0),
               coalesce(sum(cost + resource_based + former + sustained_use)
                   FILTER (is_on_demand), 0),
               bool_or(is_long), count(*) FILTER (is_covered AND on_demand IS NULL) > 0
        FROM mattering GROUP BY ALL ORDER BY ALL
        """
    )
    for account, hour, *sums, is_long, is_unpriced in rows:
        assert isinstance(hour, datetime)
        told = _Hour(*(Decimal(str(one)) for one in sums))
        yield str(account), hour, told, bool(is_long), bool(is_unpriced)


def _of_bought(file: ExportFile) -> Iterator[tuple[str, str, datetime, _Bought]]:
    """Yield the sums of each commitment of the newer model, by account and hour."""
    rows = file.rows(
        f"""
        WITH {_told(file, set())}
        SELECT account, bought, hour, coalesce(sum(cost + offset_usd) FILTER (is_fee), 0),
               coalesce(-sum(offset_usd) FILTER (is_fee), 0),
               coalesce(sum(cost) FILTER (is_covered), 0),
               coalesce(sum(on_demand) FILTER (is_covered), 0),
               list(DISTINCT description) FILTER (is_fee OR is_former_fee),
               list(DISTINCT model) FILTER (is_covered)
        FROM mattering WHERE is_fee OR is_former_fee OR is_covered GROUP BY 1, 2, 3 ORDER BY ALL
        """
    )
    for account, name, hour, *sums, descriptions, models in rows:
        assert isinstance(hour, datetime)
        unused, used, paid, covered = (Decimal(str(one)) for one in sums)
        plans = {_PLANS[model] for model in _texts(models)} | set(map(_plan, _texts(descriptions)))
        told = _Bought(unused, used, paid, covered, frozenset(filter(None, plans)))
        yield str(account), str(name), hour, told


def _texts(values: object) -> list[str]:
    return [str(one) for one in values] if isinstance(values, list) else []


def _plan(description: str) -> str:
    """Return the term that the name of a fee tells; empty where it tells none."""
    found = _TERM.search(description)
    if found is None:
        return ""
    return "1 year" if found[1] == "1" else "3 years"
