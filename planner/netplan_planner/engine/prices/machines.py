"""What machines cost: one type in every way of paying for it."""

from decimal import Decimal

from netplan_planner.choices import Paid
from netplan_planner.engine.prices.source import PriceSource, by_the_hour, completed
from netplan_planner.errors import MissingDatum, UnknownName
from netplan_planner.model import Price, PriceAnswer, Usage, Value
from netplan_planner.optimise.bill import machine_price
from netplan_planner.units import HOURS_PER_MONTH, plain_number
from netplan_pricing import SnapshotPriceBook

MONTH_H = Decimal(HOURS_PER_MONTH)


_YEARS = {Paid.FLEX_1Y: 1, Paid.FLEX_3Y: 3}


class MachineQuestion(Value, frozen=True, kw_only=True):
    """A machine type, where, how it is paid for, and for how long."""

    machine_type: str
    region: str
    paid: Paid
    hours: Decimal = MONTH_H


def machine_prices(asked: MachineQuestion, source: PriceSource) -> PriceAnswer:
    """Return what a machine costs per hour and for some hours.

    Raises:
        MissingDatum: If no way of paying for it has a price.
        UnknownName: If the type or the region is not known.
    """
    book = source.book()
    rows: list[dict[str, object]] = []
    unknown: list[tuple[str, str]] = []
    for paid in asked.paid.each:
        try:
            price = _price(book, asked, paid)
        except UnknownName:
            raise
        except MissingDatum as error:
            unknown.append((paid.value, str(error)))
            continue
        # A commitment is paid whether the machine runs or not.
        is_committed = paid.value.startswith(("cud", "flex"))
        hours = max(asked.hours, MONTH_H) if is_committed else asked.hours
        head = {"machine_type": asked.machine_type, "region": asked.region, "usage": paid.value}
        rows.append({**head, **by_the_hour(price, hours)})
    shape = book.shape(asked.machine_type)
    size = f": {shape.vcpus} vCPUs, {shape.memory_gib:g} GiB" if shape else ""
    lengths = {length for row in rows if isinstance(length := row["hours"], Decimal)}
    # The sums are headed with their hours; in a column where the rows differ in them.
    several = ("hours",) if len(lengths) > 1 else ()
    head_of_sum = "these hours" if several else f"{plain_number(*(lengths or {asked.hours}))} h"
    answer = PriceAnswer(
        title=f"{asked.machine_type} in {asked.region}{size}",
        columns=("usage", *several, "usd_per_hour", "usd", "as_of", "sku_id"),
        rows=tuple(rows),
        titles=(("usd_per_hour", "USD per hour"), ("usd", f"USD for {head_of_sum}")),
        unknown=tuple(unknown),
    )
    return completed(answer, book, source)


def _price(book: SnapshotPriceBook, asked: MachineQuestion, paid: Paid) -> Price:
    if paid in _YEARS:
        return book.flexible_commitment(asked.region, asked.machine_type, _YEARS[paid])
    # More than a month's hours are whole months.
    month_ratio = min(float(asked.hours / MONTH_H), 1.0)
    if paid is Paid.SUSTAINED_USE and month_ratio < 1:
        return machine_price(
            book, asked.region, asked.machine_type, Usage.SUSTAINED_USE, month_ratio
        )
    return book.machine(asked.region, asked.machine_type, Usage(paid.value))
