"""What `netplan predict` answers: a rate with its interval, and what one can plan with."""

import math
from datetime import date
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Value
from netplan_planner.model.limits import Estimate, PathQuery
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.path_class import PathClass


class ServiceCurve(Value, frozen=True, kw_only=True):
    """One curve: bytes per transaction, ceiling and exponent; JSON has no infinity, so None is."""

    bytes_per_transaction: float
    ceiling_tps: float | None
    """None where none shows."""
    overlap: float | None
    """None where transfer and work overlap in full, and the lesser of the two rates holds."""

    @property
    def most_tps(self) -> float:
        """The ceiling, infinite where none shows."""
        return math.inf if self.ceiling_tps is None else self.ceiling_tps

    @property
    def exponent(self) -> float:
        """That of the overlap, infinite where it is in full."""
        return math.inf if self.overlap is None else self.overlap


class Service(Value, frozen=True, kw_only=True):
    """A service that two measurements describe: the likely curve and those at the edges.

    Bytes and ceiling are not independent: every curve passes through both points, so intervals of
    answers come from the curves and not from these ranges.
    """

    bytes_per_transaction: float
    low_bytes_per_transaction: float
    high_bytes_per_transaction: float
    ceiling_tps: float
    low_ceiling_tps: float
    high_ceiling_tps: float | None
    """None where rounding leaves it open whether there is a ceiling at all."""
    likely: ServiceCurve
    edges: tuple[ServiceCurve, ...] = ()


class Binding(StrEnum):
    """What decides the rate of a service."""

    BANDWIDTH = "bandwidth"
    CEILING = "ceiling"
    LATENCY = "latency"


class Transactions(Value, frozen=True, kw_only=True):
    """The rate of a service at a bandwidth, with an interval."""

    tps: float
    low_tps: float
    high_tps: float
    binding: Binding
    """The least of the single limits."""
    bandwidth_ratio: float
    """How far the rate follows bandwidth: 0 not at all, 1 in proportion."""


class OneCore(Value, frozen=True, kw_only=True):
    """What is left where one core carries all flows."""

    gbps: float
    low_gbps: float
    high_gbps: float
    source: str


class TransferCost(Value, frozen=True, kw_only=True):
    """What a finite transfer costs by the prices of a snapshot; None where it is not known."""

    usd: Decimal | None
    high_usd: Decimal | None = None
    """Where the price depends on what is not known: `usd` is then the least."""
    gib: Decimal
    """With the headers of packets, which are billed too."""
    line_items: tuple[LineItem, ...] = ()
    prices_as_of: str = ""
    prices_sha256: str = ""
    """Of the snapshot."""
    why_unknown: str = ""


class Planning(Value, frozen=True, kw_only=True):
    """What goes beside the likely value; empty where it does not apply."""

    one_core: OneCore | None = None
    cap_gbps: float | None = None
    """The least documented limit of all flows together."""
    probe: str = ""
    """The measurement that decides between the two."""
    doubt: str = ""
    quota: str = ""
    """A quota that holds too and whose value nobody told."""
    cost: TransferCost | None = None


class Prediction(Value, frozen=True, kw_only=True):
    """A prediction with the path that it is of."""

    src: str
    dst: str
    query: PathQuery
    limits_as_of: date
    estimate: Estimate
    rtt_detail: str = ""
    """Where a round-trip time that was not given comes from."""
    rtt_doubt: str = ""
    """What of a given one is hard to believe; it is taken all the same."""
    service: Service | None = None
    transactions: Transactions | None = None
    """What a service does on that path."""
    planning: Planning = Planning()
    notes: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    """What of the input could not be read in full, a line each."""
    """What to know of what was asked."""

    @property
    def is_unknown(self) -> bool:
        """Whether there is no value; of a path to Google's APIs, no ceiling either."""
        has_ceiling = self.query.path_class is PathClass.GOOGLE_APIS and bool(self.estimate.limits)
        return self.estimate.gbps is None and not has_ceiling
