"""What `netplan prices reconcile` answers: the traffic model against the bill, per SKU."""

from datetime import datetime
from decimal import Decimal

from netplan_planner.model.base import Value
from netplan_planner.model.path_class import PathClass


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
