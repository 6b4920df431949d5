"""What flexible commitments did in each hour of the usage table of the Cloud Billing export.

A flexible commitment is an amount of spend an hour, bought on the billing account, which covers
usage of many SKUs in all projects and regions; what of it an hour does not use is lost.

Which of several commitments covers first, and which SKU, is not published: an hour is taken as it
was billed.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_planner.model import FlexibleCommitments, FlexibleUse
from netplan_planner.units import HOURS_PER_MONTH
from netplan_pricing.contract.export_files import ExportFile, ExportKind
from netplan_pricing.contract.flexible_rows import (
    NEEDED,
    Account,
    Bought,
    accounts_of,
    covered_skus,
    fee_rows,
    has_any,
    unreadable,
)

_ONE_LEVEL = Decimal("0.01")
"""Within which fees of hours are of the same commitments; rates of currencies move them."""
_SAME_USE = Decimal("0.05")
"""Within which covered usage is what the fee's credit says was used of it."""
_NONE = Decimal(0)


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
    files: list[ExportFile] = []
    try:
        files.extend(map(ExportFile, paths))
        tables = [file for file in files if file.kind is ExportKind.USAGE and has_any(file)]
        for file in tables:
            file.require(NEEDED)
        seen = {sku_id for file in tables for sku_id in covered_skus(file)}
        accounts = accounts_of(tables, seen | set(eligible))
        is_twice = any(count > 1 for count in fee_rows(tables).values())
        unread = [text for file in tables if (text := unreadable(file, seen | set(eligible)))]
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
        "which of the billing accounts of the export pays for the VMs" if len(having) > 1 else "",
        "whether the billing export counts hours twice: rows of the fee are in it more than once"
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

    def __init__(self, account: Account, ratios: dict[str, Decimal]) -> None:
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
        self, hours: Mapping[datetime, Bought], ratios: Mapping[str, Decimal]
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
            return "what flexible commitments cover: no fee and usage can give these sums"
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
