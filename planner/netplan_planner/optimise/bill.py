"""What machines cost a month, as line items."""

from decimal import Decimal
from typing import NamedTuple

import msgspec

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.units import HOURS_PER_MONTH

PRICE_DIGITS = 12
"""Of a mean price for an hour: a billionth of a cent, far below what any sum shows."""
COMMITTED = frozenset({model.Usage.CUD_1Y, model.Usage.CUD_3Y})
USAGE_NAMES = {
    model.Usage.ON_DEMAND: "on demand",
    model.Usage.SPOT: "Spot",
    model.Usage.CUD_1Y: "1-year commitment",
    model.Usage.CUD_3Y: "3-year commitment",
    model.Usage.SUSTAINED_USE: "sustained use",
}


class MachineBill(msgspec.Struct, frozen=True, kw_only=True):
    """The unit prices of one machine a month, before the number of machines is known."""

    machine: model.LineItem
    tier1: model.LineItem | None = None
    tier1_unknown: str = ""
    """Why the Tier_1 fee is not known; then neither is the sum."""
    gpus: model.LineItem | None = None
    """GPUs that are attached to it; those of its type are in the price of the machine."""
    gpus_unknown: str = ""
    """Why their price is not known; then neither is the sum."""
    local_ssds: model.LineItem | None = None
    """Local SSDs that are attached to it; those of its type are in the price of the machine."""
    local_ssds_unknown: str = ""
    """Why their price is not known; then neither is the sum."""

    @property
    def unknown(self) -> str:
        """Why the sum is not known, empty where it is."""
        why = (self.tier1_unknown, self.gpus_unknown, self.local_ssds_unknown)
        return "; ".join(filter(None, why))

    @property
    def usd_per_month(self) -> Decimal | None:
        """Of one machine; None when the Tier_1 fee or the price of its GPUs is not known."""
        return None if self.unknown else sum((i.usd_per_month for i in self._items), Decimal(0))

    @property
    def _items(self) -> tuple[model.LineItem, ...]:
        found = (self.machine, self.tier1, self.gpus, self.local_ssds)
        return tuple(item for item in found if item is not None)

    def lines(self, count: int) -> tuple[model.LineItem, ...]:
        """Return the lines for `count` machines; without what is not known."""
        return tuple(_times(item, count) for item in self._items)


def machine_bill(
    prices: model.PriceBook, need: model.MachineNeed, machine_type: str, tier1_gbps: float | None
) -> MachineBill:
    """Return what one machine of a type costs a month, for the need's region and usage.

    Args:
        prices: Where prices come from.
        need: Region, usage and share of the month.
        machine_type: A type with a price in the region.
        tier1_gbps: Its bandwidth with Tier_1, or None without.

    Raises:
        MissingDatum: If the machine has no price. A missing Tier_1 fee is not an error: the bill
            says why it is missing.
    """
    ratio = Decimal(str(need.month_ratio))
    hours = HOURS_PER_MONTH * ratio
    # A commitment is paid for every hour of its term, used or not.
    machine_hours = Decimal(HOURS_PER_MONTH) if need.usage in COMMITTED else hours
    price = machine_price(prices, need.region, machine_type, need.usage, need.month_ratio)
    name = f"{machine_type}, {_billed_as(prices, machine_type, need)}, {need.region}"
    machine = model.line_item(name, machine_hours, price)
    if tier1_gbps is None:
        return MachineBill(machine=machine)
    try:
        # Commitments do not cover the fee.
        fee = prices.tier1_fee(
            need.region, machine_type, tier1_gbps, is_spot=need.usage is model.Usage.SPOT
        )
    except MissingDatum as missing:
        return MachineBill(machine=machine, tier1_unknown=str(missing))
    name = f"{TIER_1} of {machine_type}, up to {tier1_gbps:g} Gbit/s"
    return MachineBill(machine=machine, tier1=model.line_item(name, hours, fee))


GPUS_ON_N1 = "gpu-on-n1"
"""The sustained-use schedule of attached GPUs, as the catalogue's table names it."""


GIB_PER_LOCAL_SSD = 375
"""Of one that is attached; those of 3 TiB come with their types
(docs.cloud.google.com/compute/docs/disks/local-ssd)."""


TIER_1, LOCAL_SSDS, GPUS = "Tier_1", "Local SSDs", "GPUs"


def part_of(item: model.LineItem) -> str:
    """Return what of a machine a line of its bill is for; empty: the machine itself."""
    if item.name.startswith(f"{TIER_1} of "):
        return TIER_1
    if " × Local SSD of " in item.name:
        return LOCAL_SSDS
    return GPUS if item.name.partition(" × ")[0].isdigit() else ""


class Attached(NamedTuple):
    """What is attached to a machine and billed beside its type."""

    gpu_type: str | None = None
    """Such as `nvidia-tesla-t4`; None: not known."""
    gpu_count: int = 0
    local_ssd_count: int = 0
    """0 also for types that bring theirs."""


NOTHING_ATTACHED = Attached()


def attached_of(ties: model.Ties | None, shape: model.MachineShape) -> Attached:
    """Return what a machine with such ties has attached as one of a shape."""
    if ties is None:
        return NOTHING_ATTACHED
    brings_ssds = bool(shape.bundled_local_ssd_gib or ties.built_in_local_ssd_gib)
    ssds = 0 if brings_ssds else ties.local_ssd_count
    return Attached(ties.gpu_type, ties.attached_gpu_count, ssds)


def with_attached(
    bill: MachineBill, prices: model.PriceBook, need: model.MachineNeed, attached: Attached
) -> MachineBill:
    """Return a machine's bill with what is attached to it.

    Args:
        bill: Of the machine without it.
        prices: Where prices come from.
        need: Region, usage and share of the month.
        attached: Nothing: the bill stays as it is.
    """
    return _with_ssds(_with_gpus(bill, prices, need, attached), prices, need, attached)


def _with_gpus(
    bill: MachineBill, prices: model.PriceBook, need: model.MachineNeed, attached: Attached
) -> MachineBill:
    gpu_type, count = attached.gpu_type, attached.gpu_count
    if not count:
        return bill
    if gpu_type is None:
        why = f"the price of {count} attached GPUs is unknown: their type is unknown"
        return msgspec.structs.replace(bill, gpus_unknown=why)
    try:
        price = gpu_price(prices, need, gpu_type)
    except MissingDatum as missing:
        return msgspec.structs.replace(bill, gpus_unknown=str(missing))
    name = f"{count} × {gpu_type}, {USAGE_NAMES[need.usage]}, {need.region}"
    return msgspec.structs.replace(bill, gpus=model.line_item(name, _hours(need) * count, price))


def _with_ssds(
    bill: MachineBill, prices: model.PriceBook, need: model.MachineNeed, attached: Attached
) -> MachineBill:
    count = attached.local_ssd_count
    if not count:
        return bill
    # A machine's sustained-use discount does not count for its disks.
    usage = model.Usage.ON_DEMAND if need.usage is model.Usage.SUSTAINED_USE else need.usage
    try:
        price = prices.local_ssd(need.region, usage)
    except MissingDatum as missing:
        return msgspec.structs.replace(bill, local_ssds_unknown=str(missing))
    months = _hours(need) / HOURS_PER_MONTH
    name = f"{count} × Local SSD of {GIB_PER_LOCAL_SSD} GiB, {USAGE_NAMES[usage]}, {need.region}"
    line = model.line_item(name, months * GIB_PER_LOCAL_SSD * count, price)
    return msgspec.structs.replace(bill, local_ssds=line)


def _hours(need: model.MachineNeed) -> Decimal:
    """Return the hours of a month that are paid; what is committed to is paid for all of them."""
    if need.usage in COMMITTED:
        return Decimal(HOURS_PER_MONTH)
    return HOURS_PER_MONTH * Decimal(str(need.month_ratio))


def gpu_price(prices: model.PriceBook, need: model.MachineNeed, gpu_type: str) -> model.Price:
    """Return the mean price of one attached GPU for an hour.

    Raises:
        MissingDatum: If there is none for this way of paying.
    """
    if need.usage is not model.Usage.SUSTAINED_USE:
        return prices.gpu(need.region, gpu_type, need.usage)
    base = prices.gpu(need.region, gpu_type, model.Usage.ON_DEMAND)
    multiplier = prices.sustained_use_ratio(GPUS_ON_N1, need.month_ratio)
    return msgspec.structs.replace(
        model.discounted(base, multiplier, PRICE_DIGITS),
        description=f"{base.description}, times {multiplier} for sustained use",
    )


def _billed_as(prices: model.PriceBook, machine_type: str, need: model.MachineNeed) -> str:
    """Return the words for a way of paying; a discount that is none is not named."""
    usage = need.usage
    if (
        usage is model.Usage.SUSTAINED_USE
        and prices.sustained_use_ratio(machine_type, need.month_ratio) == 1
    ):
        usage = model.Usage.ON_DEMAND
    return USAGE_NAMES[usage]


def machine_price(
    prices: model.PriceBook,
    region: str,
    machine_type: str,
    usage: model.Usage,
    month_ratio: float = 1.0,
) -> model.Price:
    """Return a machine's mean price for an hour, when it runs for a share of the month.

    Raises:
        MissingDatum: If the machine has no such price.
    """
    if usage is not model.Usage.SUSTAINED_USE:
        return prices.machine(region, machine_type, usage)
    if month_ratio == 1.0:
        try:
            return prices.machine(region, machine_type, model.Usage.SUSTAINED_USE)
        except MissingDatum:
            # Series without sustained-use discounts have no such price; their multiplier is 1.
            pass
    base = prices.machine(region, machine_type, model.Usage.ON_DEMAND)
    multiplier = prices.sustained_use_ratio(machine_type, month_ratio)
    return msgspec.structs.replace(
        model.discounted(base, multiplier, PRICE_DIGITS),
        description=f"{base.description}, times {multiplier} for sustained use",
    )


def _times(item: model.LineItem, count: int) -> model.LineItem:
    if count == 1:
        return item
    return msgspec.structs.replace(
        item,
        name=f"{count} × {item.name}",
        quantity=item.quantity * count,
        usd_per_month=item.usd_per_month * count,
    )
