"""What `netplan price` and `netplan prices` answer: prices and sums, snapshots, and the bill."""

from datetime import date, datetime
from decimal import Decimal

from netplan_planner.model.base import Value
from netplan_planner.model.path_class import PathClass


class CurrencyRate(Value, frozen=True, kw_only=True):
    """What a US dollar is in another currency."""

    code: str
    per_usd: Decimal
    as_of: str

    @property
    def note(self) -> str:
        """Where the rate is from, for people."""
        rate = f"{self.per_usd.normalize():f}"
        return f"1 USD = {rate} {self.code}, Cloud Billing Catalog API, {self.as_of}"

    @property
    def assumption(self) -> str:
        """What a report that shows it says of it."""
        return f"Amounts in {self.code} are converted: {self.note}; a $ is a US dollar."


# What the verbs on price snapshots answer: SKUs read, a snapshot built, compared, checked


class SkuMeaning(Value, frozen=True, kw_only=True):
    """What one SKU of a catalogue is the price of."""

    sku_id: str
    kind: str
    """Empty where nothing fits; `reason` then says why."""
    series: str
    component: str
    usage: str
    counts_in_plain_vm_price: bool
    reason: str


class SkuMap(Value, frozen=True, kw_only=True):
    """What each SKU of a catalogue is, in the order read."""

    skus: tuple[SkuMeaning, ...]
    priced_count: int
    """SKUs of kinds that netplan prices."""
    other_count: int
    unrecognised: tuple[str, ...]
    """Each SKU that is needed and not understood: id, description, reason and place."""
    unfinished: tuple[str, ...]
    """Files whose last page names a next one."""


class SnapshotSource(Value, frozen=True, kw_only=True):
    """One source of a table of a snapshot, its date, and how many rows came from it."""

    table: str
    rows: int
    as_of: str
    source: str


class RegionLack(Value, frozen=True, kw_only=True):
    """What a region has no price of."""

    region: str
    what: str


class UnusedSku(Value, frozen=True, kw_only=True):
    """A SKU that is needed and has no usable price."""

    sku_id: str
    description: str
    reason: str
    where: str


class RateChoice(Value, frozen=True, kw_only=True):
    """A rate that two SKUs are for, and which was taken."""

    series: str
    component: str
    usage: str
    region: str
    taken: str
    why: str
    others: tuple[str, ...]


class ListDifference(Value, frozen=True, kw_only=True):
    """A price that a list states and that is not the sum of its SKUs."""

    machine_type: str
    region: str
    usage: str
    listed_usd: Decimal
    summed_usd: Decimal
    is_offered: bool
    note: str


class ListComparison(Value, frozen=True, kw_only=True):
    """How many listed prices are sums of SKUs too, Spot aside, and which differ."""

    compared_count: int
    offered_count: int
    """Of these, pairs that the region offers."""
    differences: tuple[ListDifference, ...]


class ChangeCount(Value, frozen=True, kw_only=True):
    """How many prices of one area changed in one way."""

    area: str
    change: str
    count: int


class SinceBefore(Value, frozen=True, kw_only=True):
    """How much of the snapshot before appeared, vanished or moved by more than a fifth."""

    path: str
    as_of: date
    counts: tuple[ChangeCount, ...]


class SnapshotBuilt(Value, frozen=True, kw_only=True):
    """What a new snapshot is made of, and what was noticed while it was built."""

    path: str
    size_bytes: int
    sha256: str
    sku_count: int
    unread_count: int
    as_of: date
    network_as_of: date
    sources: tuple[SnapshotSource, ...]
    kept_types: str = ""
    """Why the machine types are those of the snapshot before; empty where they are new."""
    lacking: tuple[RegionLack, ...] = ()
    unread: tuple[UnusedSku, ...] = ()
    """Needed and not understood."""
    priceless: tuple[UnusedSku, ...] = ()
    """Needed and without a price in the catalogue."""
    choices: tuple[RateChoice, ...] = ()
    comparison: ListComparison
    before: SinceBefore | None = None
    """None where it was not compared."""
    is_default: bool = False
    """Whether every verb uses it where no other prices are named."""


class PriceMove(Value, frozen=True, kw_only=True):
    """One price in two snapshots; None where a snapshot has none."""

    area: str
    """`machine`, `rate`, `traffic` or `sku`."""
    change: str
    """`appeared`, `vanished` or `moved`."""
    where: str
    what: str
    """Machine type and usage, a rate's series and component and usage, traffic by its ends, or a
    SKU's id and description."""
    step: str
    """Where the step of a tiered price begins, empty for the first."""
    old_usd: Decimal | None
    new_usd: Decimal | None
    ratio: Decimal | None
    """By what share of the old price it moved; None where one of the two is missing."""


class PriceChanges(Value, frozen=True, kw_only=True):
    """How two snapshots differ."""

    changes: tuple[PriceMove, ...]
    counts: tuple[ChangeCount, ...]
    """Of the changes, by area and kind of change."""


class CheckOutcome(Value, frozen=True, kw_only=True):
    """One check of a snapshot."""

    name: str
    meaning: str
    """What holds where nothing fails."""
    count: int
    """Prices that it looked at."""
    fault_count: int
    is_shown: bool
    """Whether there was anything to compare with."""


class PriceFault(Value, frozen=True, kw_only=True):
    """Something that fails a check."""

    check: str
    where: str
    what: str


class UnpricedType(Value, frozen=True, kw_only=True):
    """A machine type that a region offers and that has no price there."""

    region: str
    machine_type: str
    reason: str


class PriceCheck(Value, frozen=True, kw_only=True):
    """What was checked of a snapshot, and what fails."""

    checks: tuple[CheckOutcome, ...]
    faults: tuple[PriceFault, ...]
    outdated: tuple[str, ...]
    """Prices that are older than a known change."""
    lacking: tuple[RegionLack, ...]
    unpriced: tuple[UnpricedType, ...]


# What `netplan prices reconcile` answers: the traffic model against the bill, per SKU


class ModelledPart(Value, frozen=True, kw_only=True):
    """What of a SKU's volume goes over one path class."""

    path_class: PathClass
    gib: Decimal


class SkuBalance(Value, frozen=True, kw_only=True):
    """One SKU in the model and on the bill, over the time of the bill."""

    sku_id: str
    description: str
    modelled_gib: Decimal
    """0 where nothing in the flow records goes this way."""
    billed_gib: Decimal | None
    """0 where it is not on the bill, None where that is not known."""
    modelled_usd: Decimal
    billed_usd: Decimal
    parts: tuple[ModelledPart, ...]
    """Of the model, the greatest first."""
    note: str = ""

    @property
    def residual_gib(self) -> Decimal | None:
        """Billed less modelled; None where what was billed is not known."""
        return None if self.billed_gib is None else self.billed_gib - self.modelled_gib

    @property
    def residual_usd(self) -> Decimal:
        """Billed less modelled."""
        return self.billed_usd - self.modelled_usd

    @property
    def residual_ratio(self) -> Decimal | None:
        """Of what was billed; None where nothing was, or nothing known."""
        if self.residual_gib is None or not self.billed_gib:
            return None
        return self.residual_gib / self.billed_gib


class Unmodelled(Value, frozen=True, kw_only=True):
    """Traffic that was seen and cannot be priced."""

    path_class: PathClass
    gib: Decimal
    reason: str


class OtherSku(Value, frozen=True, kw_only=True):
    """A SKU of the bill that is not for traffic."""

    sku_id: str
    description: str
    billed_usd: Decimal


class ComparedBill(Value, frozen=True, kw_only=True):
    """What a bill and a model of it are compared over, and what of it stays outside."""

    price_age: str = ""
    """That prices are old, and the command for newer ones."""
    prices_sha256: str = ""
    """Of the snapshot."""
    warnings: tuple[str, ...]
    """What makes the figures less than a comparison, the first thing to read."""
    incomplete: tuple[str, ...] = ()
    """What of the given evidence could not be read in full, a line each."""
    billing_exports: tuple[str, ...]
    """Files of the bill."""
    billed_from: datetime
    billed_to: datetime
    billed_hours: Decimal
    """That rows of the bill cover, gaps left out."""
    projects: tuple[str, ...]
    """Whose machines the model is of, and whose rows of the bill are compared."""
    other_projects: tuple[str, ...]
    """On the bill and not asked for."""
    modelled_hours: Decimal
    """What the flow records cover; the model is scaled from it to the hours of the bill."""
    modelled_window: str
    """When the flow records are of, in words; empty for steady rates."""
    unmodelled: tuple[Unmodelled, ...]
    other_usd: Decimal
    """Billed for anything but traffic, which the model does not look at."""
    credits_usd: Decimal
    """Taken off the traffic afterwards, negative; not in what was billed."""
    not_usage_rows: int
    """Rows of taxes, adjustments and rounding, and rows without a SKU; of no project's usage."""
    not_usage_usd: Decimal


class Reconciliation(ComparedBill, frozen=True, kw_only=True):
    """The whole comparison."""

    names_projects: bool
    """False where the export has no project.id, so that all of it is taken."""
    balances: tuple[SkuBalance, ...]
    """Traffic SKUs, the greatest residual in dollars first."""
    modelled_usd: Decimal
    """Of all balances."""
    billed_usd: Decimal
    """Of all balances."""
    other: tuple[OtherSku, ...]
