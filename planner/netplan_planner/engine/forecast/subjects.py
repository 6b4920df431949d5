"""What is forecast: senders, which have caps, and paths, which have prices."""

from typing import NamedTuple

from netplan_planner.model import Instance, PriceTier
from netplan_planner.model.forecast import Scope
from netplan_planner.model.rate_bins import RateBins


class Sender(NamedTuple):
    """The series of a machine under one of its caps."""

    name: str
    scope: Scope
    bins: RateBins
    source: str
    cap_gbps: float | None = None
    machine_type: str | None = None
    is_tier1: bool = False
    zone: str = ""
    instance: Instance | None = None
    """Of an inventory."""
    busy_factor: float = 1.0
    """From the 95th percentile of bins to that of minutes, as the window has them."""
    peak_factor: float = 1.0
    """The same of the greatest ones."""


class PathSeries(NamedTuple):
    """The series of what is sent from one place to another."""

    name: str
    path_class: str
    src: str
    dst: str
    bins: RateBins
    source: str
    prices: tuple[tuple[PriceTier, ...], ...] = ()
    """Steps of each price that a GiB pays."""
    unpriced: str = ""
    """Why no price is known; then there are none."""


class Subjects(NamedTuple):
    """All that is forecast, and what is not."""

    senders: tuple[Sender, ...]
    paths: tuple[PathSeries, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
