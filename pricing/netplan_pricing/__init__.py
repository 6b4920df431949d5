"""List prices of Compute Engine and its network, from a dated snapshot; unknown is never 0."""

from netplan_pricing.book import SnapshotPriceBook
from netplan_pricing.machines.machine_prices import ListedMachine
from netplan_pricing.opening import open_prices, open_snapshot, refreshed_folder

__all__ = ["ListedMachine", "SnapshotPriceBook", "open_prices", "open_snapshot", "refreshed_folder"]
