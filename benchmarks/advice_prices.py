"""Price tables beside the checkout, read by a program of its own: it imports nothing of netplan.

`NETPLAN_TEST_DATA` (default `../shared`) names the folder: `data/catalog` has machines, components
and traffic, `data/network` what gateways and forwarding rules cost.
"""

import csv
import gzip
import io
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from advice_state import Machine, region_of

WITH_LOCAL_SSD = frozenset({"n1", "n2", "n2d", "c2", "c2d"})
"""Series to whose machines Local SSD may be attached by the disk."""

Steps = tuple[tuple[float, float], ...]
Row = Mapping[str, str]


def series_of(machine_type: str) -> str:
    """Return the series of a machine type."""
    return machine_type.partition("-")[0]


def custom_shape(machine_type: str) -> tuple[str, float, float]:
    """Return the series, vCPUs and GiB of a custom type.

    >>> custom_shape("n2-custom-6-24576")
    ('n2', 6.0, 24.0)
    """
    series, _, vcpus, memory_mib = machine_type.split("-")
    return series, float(vcpus), float(memory_mib) / 1024


class Sku(NamedTuple):
    """A pool of volume: all that is sold by it fills its steps together."""

    name: str
    steps: Steps


def cost(quantity: float, steps: Steps) -> float:
    """Return what a quantity costs by steps of (first unit, price).

    >>> cost(15, ((0, 0.0), (5, 2.0), (10, 1.0)))
    15.0
    """
    ends = [start for start, _ in steps[1:]] + [float("inf")]
    return sum(
        price * max(0.0, min(quantity, end) - start)
        for (start, price), end in zip(steps, ends, strict=True)
    )


def data_folder() -> Path | None:
    """Return where the price tables are, or nothing where they are absent."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("NETPLAN_TEST_DATA", beside)) / "data"
    return folder if (folder / "catalog").is_dir() else None


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a table, packed or not."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return csv.DictReader(io.StringIO(text))


class Prices:
    """The tables, by what they are asked for."""

    def __init__(self, folder: Path) -> None:
        self._catalog, self._network = folder / "catalog", folder / "network"
        self.machine = {
            (row["region"], row["machine_type"]): row
            for row in read_rows(self._catalog / "prices.csv.gz")
        }
        self.component = {
            (row["series"], row["region"], row["component"], row["usage"]): float(
                row["usd_per_unit"]
            )
            for row in read_rows(self._catalog / "component_prices.csv.gz")
        }
        self.shape = {
            row["machine_type"]: row for row in read_rows(self._catalog / "machine_types.csv")
        }
        self.tier1 = {
            row["region"]: row for row in read_rows(self._catalog / "tier1_network_prices.csv")
        }
        self._steps: dict[tuple[str, str, str], dict[float, float]] = defaultdict(dict)
        self._sold: dict[tuple[str, str, str], tuple[str, str, str]] = {}
        for row in read_rows(self._catalog / "network_prices.csv.gz"):
            self._read(row)

    def _read(self, row: Row) -> None:
        if not row["usd_per_unit"]:
            return
        kind, source, to = row["kind"], row["source_place_or_item"], row["destination_place"]
        sku = (kind, source, to)
        self._steps[sku][float(row["tier_start"])] = float(row["usd_per_unit"])
        for region in row["source_regions"].split("|"):
            for end in row["destination_regions"].split("|"):
                self._sold[kind, region, end or to] = sku

    def sku(self, kind: str, region: str, end: str = "") -> Sku | None:
        """Return what traffic or addresses are sold by; None where there is no price."""
        sku = self._sold.get((kind, region, end))
        if sku is None:
            return None
        return Sku(" ".join(filter(None, sku)), tuple(sorted(self._steps[sku].items())))

    def external_address(self, *, is_spot: bool) -> Sku:
        """Return what the hours of an external address of a running machine are sold by."""
        item = f"External IP Charge on a {'Spot Preemptible' if is_spot else 'Standard'} VM"
        return Sku(item, tuple(sorted(self._steps["external_ip", item, ""].items())))

    def unused_address(self, region: str) -> Sku | None:
        """Return what the hours of an address that nothing running has are sold by."""
        found = self._sold.get(("external_ip", region, ""))
        return None if found is None else Sku(found[1], tuple(sorted(self._steps[found].items())))

    @cached_property
    def fees(self) -> Mapping[tuple[str, str], float]:
        """Prices of gateways and rules, by class and by what the table says of the step."""
        return {
            (row["class"], row["usage_tier"]): float(row["price_usd"])
            for row in read_rows(self._network / "traffic_prices.csv")
            if row["price_usd"] and row["source_location"] in ("any", "global")
        }

    @cached_property
    def offers(self) -> frozenset[tuple[str, str]]:
        """Machine types with the zones that have them."""
        return frozenset(
            (row["machine_type"], row["zone"])
            for row in read_rows(self._catalog / "machine_type_zones.csv.gz")
        )

    @cached_property
    def offers_by_region(self) -> frozenset[tuple[str, str]]:
        """Machine types with the regions that have them."""
        return frozenset(
            (row["machine_type"], row["region"])
            for row in read_rows(self._catalog / "machine_type_regions.csv.gz")
            if not row["deprecation"]
        )

    @cached_property
    def tier1_gbps(self) -> Mapping[str, str]:
        """What Tier_1 raises the cap of a machine type to."""
        return {
            row["machine_type"]: row["tier1_egress_gbps"]
            for row in read_rows(self._network / "vm_egress_caps.csv")
        }

    def is_offered(self, machine_type: str, zone: str) -> bool:
        """Return whether a zone has a machine type; by region where no table knows its zones."""
        if "-custom-" in machine_type:
            machine_type = f"{series_of(machine_type)}-standard-4"
        if any(known == machine_type for known, _ in self.offers):
            return (machine_type, zone) in self.offers
        return (machine_type, region_of(zone)) in self.offers_by_region

    def is_sold(self, machine_type: str, region: str) -> bool:
        """Return whether a region has a machine type and its price."""
        if "-custom-" in machine_type:
            part = (series_of(machine_type), region, "custom_core", "on_demand")
            return part in self.component
        row = self.machine.get((region, machine_type))
        return row is not None and row["available_in_region"] == "1"

    def machine_hour(self, machine: Machine) -> float | None:
        """Return what an hour of a machine costs that runs all month, without its Local SSD."""
        if "-custom-" in machine.machine_type:
            return self._custom_hour(machine)
        row = self.machine.get((machine.region, machine.machine_type))
        if row is None:
            return None
        used = "spot_usd_hour" if machine.is_spot else "sud_full_month_usd_hour"
        text = row[used] or ("" if machine.is_spot else row["on_demand_usd_hour"])
        return float(text) if text else None

    def _custom_hour(self, machine: Machine) -> float | None:
        """Return an hour of a custom type, without memory beyond what its vCPUs may have."""
        series, vcpus, memory_gib = custom_shape(machine.machine_type)
        usage = "spot" if machine.is_spot else "on_demand"
        core, ram = (
            self.component.get((series, machine.region, f"custom_{part}", usage))
            for part in ("core", "ram")
        )
        if core is None or ram is None:
            return None
        left = 1.0 if machine.is_spot else self.sustained(series, machine.region)
        return (vcpus * core + memory_gib * ram) * left

    def sustained(self, series: str, region: str) -> float:
        """Return what is left of a series' price on demand after a whole month."""
        for (where, name), row in self.machine.items():
            if where == region and series_of(name) == series:
                whole = row["sud_full_month_usd_hour"]
                return float(whole) / float(row["on_demand_usd_hour"]) if whole else 1.0
        return 1.0

    def size(self, machine_type: str) -> tuple[float, float]:
        """Return the billed vCPUs and GiB of a machine type."""
        if "-custom-" in machine_type:
            return custom_shape(machine_type)[1:]
        shape = self.shape.get(machine_type)
        if shape is None:
            return 0.0, 0.0
        return float(shape["billed_vcpus"] or 0), float(shape["memory_gib"] or 0)
