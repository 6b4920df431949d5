"""What machines cost: one type in every way of paying for it."""

from decimal import Decimal

from netplan_planner.choices import Paid
from netplan_planner.errors import MissingDatum, UnknownName, UsageError
from netplan_planner.model import Price, Usage
from netplan_planner.optimise.bill import machine_price
from netplan_planner.planning.price_source import PriceSource
from netplan_planner.units import plain_number
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_planner.verbs.price.ask import MONTH_H, MachineAsk
from netplan_planner.verbs.price.completing import by_the_hour, completed
from netplan_pricing import SnapshotPriceBook

_YEARS = {Paid.FLEX_1Y: 1, Paid.FLEX_3Y: 3}


def machine_prices(asked: MachineAsk, source: PriceSource) -> PriceAnswer:
    """Return what a machine costs per hour and for some hours.

    Raises:
        MissingDatum: If no way of paying for it has a price.
        UnknownName: If the type or the region is not known.
        UsageError: If one of the two is missing.
    """
    if asked.machine_type is None or asked.region is None:
        raise UsageError("give a machine type and --region, or a table with --batch FILE")
    machine_type, region = asked.machine_type, asked.region
    book = source.book()
    rows: list[dict[str, object]] = []
    unknown: list[tuple[str, str]] = []
    for paid in asked.usage.each:
        try:
            price = _price(book, machine_type, region, paid, asked.hours)
        except UnknownName:
            raise
        except MissingDatum as error:
            unknown.append((paid.value, str(error)))
            continue
        # A commitment is paid whether the machine runs or not.
        is_committed = paid.value.startswith(("cud", "flex"))
        hours = max(asked.hours, MONTH_H) if is_committed else asked.hours
        head = {"machine_type": machine_type, "region": region, "usage": paid.value}
        rows.append({**head, **by_the_hour(price, hours)})
    shape = book.shape(machine_type)
    size = f": {shape.vcpus} vCPUs, {shape.memory_gib:g} GiB" if shape else ""
    lengths = {length for row in rows if isinstance(length := row["hours"], Decimal)}
    # The sums are headed with their hours; in a column where the rows differ in them.
    several = ("hours",) if len(lengths) > 1 else ()
    head_of_sum = "these hours" if several else f"{plain_number(*(lengths or {asked.hours}))} h"
    answer = PriceAnswer(
        title=f"{machine_type} in {region}{size}",
        columns=("usage", *several, "usd_per_hour", "usd", "as_of", "sku_id"),
        rows=tuple(rows),
        titles=(("usd_per_hour", "USD per hour"), ("usd", f"USD for {head_of_sum}")),
        unknown=tuple(unknown),
    )
    return completed(answer, book, source)


def _price(
    book: SnapshotPriceBook, machine_type: str, region: str, paid: Paid, hours: Decimal
) -> Price:
    if paid in _YEARS:
        return book.flexible_commitment(region, machine_type, _YEARS[paid])
    # More than a month's hours are whole months.
    month_ratio = min(float(hours / MONTH_H), 1.0)
    if paid is Paid.SUSTAINED_USE and month_ratio < 1:
        return machine_price(book, region, machine_type, Usage.SUSTAINED_USE, month_ratio)
    return book.machine(region, machine_type, Usage(paid.value))
