"""The bill of a made project by a program of its own: it imports nothing of netplan.

Prices are read from the tables beside the checkout (`NETPLAN_TEST_DATA`, default `../shared`):
`data/catalog` and `data/network`. All of a project's traffic of one SKU fills that SKU's volume
steps together. What has no price there is left out by name.
"""

import csv
import gzip
import io
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from advice_state import INTERNET, STANDARD, Commitment, Flow, Machine, Project, region_of

HOURS = 730
GIB_PER_LOCAL_SSD = 375
NAT_VMS = 32
"""Up to so many machines a gateway is paid by the machine (cloud.google.com/nat/pricing)."""
RULES_TOGETHER = 5
AREA_OF = {
    "usa": "Americas",
    "bra": "South America",
    "deu": "Western Europe",
    "gbr": "Western Europe",
    "zaf": "Africa",
    "ind": "India",
    "jpn": "Apac(Excluding Korea and Indonesia)",
    "sgp": "Apac(Excluding Korea and Indonesia)",
    "aus": "Australia",
}
"""The area by which the catalogue sells what goes to a country; only such as have one."""
WITH_LOCAL_SSD = frozenset({"n1", "n2", "n2d", "c2", "c2d"})
"""Series to whose machines Local SSD may be attached by the disk."""

Steps = tuple[tuple[float, float], ...]
Row = Mapping[str, str]


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


def _rows(path: Path) -> Iterator[Row]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return csv.DictReader(io.StringIO(text))


class Prices:
    """The tables, by what they are asked for."""

    def __init__(self, folder: Path) -> None:
        self._catalog, self._network = folder / "catalog", folder / "network"
        self.machine = {
            (row["region"], row["machine_type"]): row
            for row in _rows(self._catalog / "prices.csv.gz")
        }
        self.component = {
            (row["series"], row["region"], row["component"], row["usage"]): float(
                row["usd_per_unit"]
            )
            for row in _rows(self._catalog / "component_prices.csv.gz")
        }
        self.shape = {
            row["machine_type"]: row for row in _rows(self._catalog / "machine_types.csv")
        }
        self.tier1 = {
            row["region"]: row for row in _rows(self._catalog / "tier1_network_prices.csv")
        }
        self._steps: dict[tuple[str, str, str], dict[float, float]] = defaultdict(dict)
        self._sold: dict[tuple[str, str, str], tuple[str, str, str]] = {}
        for row in _rows(self._catalog / "network_prices.csv.gz"):
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
            for row in _rows(self._network / "traffic_prices.csv")
            if row["price_usd"] and row["source_location"] in ("any", "global")
        }

    @cached_property
    def offers(self) -> frozenset[tuple[str, str]]:
        """Machine types with the zones that have them."""
        return frozenset(
            (row["machine_type"], row["zone"])
            for row in _rows(self._catalog / "machine_type_zones.csv.gz")
        )

    @cached_property
    def offers_by_region(self) -> frozenset[tuple[str, str]]:
        """Machine types with the regions that have them."""
        return frozenset(
            (row["machine_type"], row["region"])
            for row in _rows(self._catalog / "machine_type_regions.csv.gz")
            if not row["deprecation"]
        )

    @cached_property
    def tier1_gbps(self) -> Mapping[str, str]:
        """What Tier_1 raises the cap of a machine type to."""
        return {
            row["machine_type"]: row["tier1_egress_gbps"]
            for row in _rows(self._network / "vm_egress_caps.csv")
        }

    def is_offered(self, machine_type: str, zone: str) -> bool:
        """Return whether a zone has a machine type; by region where no table knows its zones."""
        if any(known == machine_type for known, _ in self.offers):
            return (machine_type, zone) in self.offers
        return (machine_type, region_of(zone)) in self.offers_by_region

    def machine_hour(self, machine: Machine) -> float | None:
        """Return what an hour of a machine costs that runs all month, without its Local SSD."""
        row = self.machine.get((machine.region, machine.machine_type))
        if row is None:
            return None
        used = "spot_usd_hour" if machine.is_spot else "sud_full_month_usd_hour"
        text = row[used] or ("" if machine.is_spot else row["on_demand_usd_hour"])
        return float(text) if text else None


class Bill(NamedTuple):
    """A month: dollars by kind, and what was left out because it has no price."""

    usd: Mapping[str, float]
    left_out: frozenset[str]

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self.usd.values())


class _Sums:
    """Adds lines up, and volumes by SKU."""

    def __init__(self) -> None:
        self.usd: defaultdict[str, float] = defaultdict(float)
        self.volume: defaultdict[tuple[str, Sku], float] = defaultdict(float)
        self.left_out = {"flow logs", "disks", "data of load balancers"}

    def add(self, kind: str, usd: float | None, what: str) -> None:
        """Add dollars, or note what has no price."""
        if usd is None:
            self.left_out.add(what)
        else:
            self.usd[kind] += usd

    def sell(self, kind: str, sku: Sku | None, quantity: float, what: str) -> None:
        """Add a quantity of a SKU, or note what has no price."""
        if sku is None:
            self.left_out.add(what)
        else:
            self.volume[kind, sku] += quantity

    def bill(self) -> Bill:
        """Return the month."""
        for (kind, sku), quantity in self.volume.items():
            self.usd[kind] += cost(quantity, sku.steps)
        return Bill(dict(self.usd), frozenset(self.left_out))


def bill(project: Project, prices: Prices) -> Bill:
    """Return what a month of a project costs."""
    sums = _Sums()
    for machine in project.machines.values():
        _machine(sums, prices, machine)
    _commitments(sums, prices, project)
    _reservations(sums, prices, project)
    _addresses(sums, prices, project)
    _gateways(sums, prices, project)
    for flow in project.flows:
        _traffic(sums, prices, project, flow)
    return sums.bill()


def _machine(sums: _Sums, prices: Prices, machine: Machine) -> None:
    if not machine.is_running:
        return
    kind, region = machine.machine_type, machine.region
    hour = prices.machine_hour(machine)
    sums.add("machines", None if hour is None else hour * HOURS, f"{kind} in {region}")
    if machine.local_ssds:
        usage = "spot" if machine.is_spot else "on_demand"
        rate = prices.component.get(("pd-local", region, "local_ssd", usage))
        usd = None if rate is None else rate * GIB_PER_LOCAL_SSD * machine.local_ssds
        sums.add("Local SSD", usd, f"Local SSD in {region}")
    if machine.is_tier1:
        gbps = prices.tier1_gbps.get(kind, "")
        paid = "spot" if machine.is_spot else "ondemand"
        fee = prices.tier1.get(region, {}).get(
            f"{paid}_total_bandwidth_up_to_{gbps}_gbps_usd_hour", ""
        )
        sums.add("Tier_1", float(fee) * HOURS if fee else None, f"Tier_1 of {kind} in {region}")


def series_of(machine_type: str) -> str:
    """Return the series of a machine type."""
    return machine_type.partition("-")[0]


def _commitments(sums: _Sums, prices: Prices, project: Project) -> None:
    used: dict[tuple[str, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for machine in project.machines.values():
        shape = prices.shape.get(machine.machine_type)
        if machine.is_running and not machine.is_spot and shape is not None:
            of = used[machine.region, series_of(machine.machine_type)]
            of["core"] += float(shape["billed_vcpus"] or 0)
            of["ram"] += float(shape["memory_gib"] or 0)
    for one in project.commitments:
        for part, amount in (("core", one.vcpus), ("ram", one.memory_gib)):
            found = [
                prices.component.get((one.series, one.region, part, usage))
                for usage in ("cud_1y", "on_demand")
            ]
            committed, on_demand = found
            if committed is None or on_demand is None:
                sums.add("commitments", None, f"commitment of {one.series} in {one.region}")
                continue
            covered = min(float(amount), used[one.region, one.series][part])
            used[one.region, one.series][part] -= covered
            rebate = covered * on_demand * _sustained(prices, one)
            sums.usd["commitments"] += (amount * committed - rebate) * HOURS


def _sustained(prices: Prices, commitment: Commitment) -> float:
    """Return what is left of the price on demand after a whole month."""
    for (region, name), row in prices.machine.items():
        if region == commitment.region and series_of(name) == commitment.series:
            whole = row["sud_full_month_usd_hour"]
            return float(whole) / float(row["on_demand_usd_hour"]) if whole else 1.0
    return 1.0


def _reservations(sums: _Sums, prices: Prices, project: Project) -> None:
    for one in project.reservations:
        taken = sum(
            machine.reservation == one.name
            and machine.is_running
            and (machine.zone, machine.machine_type) == (one.zone, one.machine_type)
            for machine in project.machines.values()
        )
        row = prices.machine.get((region_of(one.zone), one.machine_type))
        rest = max(0, one.count - taken)
        usd = None if row is None else float(row["on_demand_usd_hour"]) * HOURS * rest
        sums.add("reservations", usd, f"reservation of {one.machine_type}")


def _addresses(sums: _Sums, prices: Prices, project: Project) -> None:
    running = {
        one.external_ip for one in project.machines.values() if one.is_running and one.external_ip
    }
    for machine in project.machines.values():
        if machine.external_ip in running:
            sku = prices.external_address(is_spot=machine.is_spot)
            sums.sell("addresses", sku, HOURS, "external addresses")
    for address in project.addresses.values():
        held = address.ip in running or bool(
            project.holder_of(address) and project.holder_of(address) not in project.machines
        )
        if not held:
            unused = prices.unused_address(address.region)
            sums.sell("addresses", unused, HOURS, f"unused addresses in {address.region}")


def _gateways(sums: _Sums, prices: Prices, project: Project) -> None:
    users = Counter(
        gateway.name
        for machine in project.machines.values()
        if machine.is_running and (gateway := project.gateway_of(machine)) is not None
    )
    by_machine = prices.fees["cloud_nat_gateway", "per VM using the gateway, up to 32 VMs"]
    by_gateway = prices.fees["cloud_nat_gateway", "gateway with more than 32 VMs"]
    for one in project.gateways.values():
        count = users[one.name]
        hour = by_gateway if count > NAT_VMS else by_machine * count
        sums.usd["gateways"] += (
            hour + len(one.addresses) * prices.fees["cloud_nat_ip", "per NAT address"]
        ) * HOURS
        if one.is_auto:
            sums.left_out.add("addresses that Google picks for a gateway")
    rules = len(project.fronts)
    if rules:
        first = prices.fees["lb_forwarding_rule", "first 5 rules together"]
        more = prices.fees["lb_forwarding_rule", "each further rule"]
        further = max(0, rules - RULES_TOGETHER)
        sums.usd["forwarding rules"] += (first + more * further) * HOURS


def _traffic(sums: _Sums, prices: Prices, project: Project, flow: Flow) -> None:
    gib, src, dst = (
        flow.gib_per_month,
        project.machines.get(flow.src),
        project.machines.get(flow.dst),
    )
    if flow.service:
        return
    machine = src or dst
    if machine is None:
        return
    is_outside = INTERNET in (flow.src, flow.dst)
    client = src if flow.is_opened_by_src else dst
    processed_by = machine if is_outside else client if flow.over_external else None
    if processed_by is not None and project.gateway_of(processed_by) is not None:
        sums.usd["NAT data"] += gib * prices.fees["cloud_nat_data", ""]
    if src is None:
        return
    if is_outside:
        _to_internet(sums, prices, src, flow)
        return
    if dst is None:
        return
    if src.region != dst.region:
        sku, what = prices.sku("interregion_out", src.region, dst.region), "between regions"
    elif src.zone == dst.zone and not flow.over_external:
        return
    else:
        sku, what = prices.sku("interzone_out", "global"), "between zones"
    sums.sell("traffic", sku, gib, f"{what}: {src.region} to {dst.region}")


def _to_internet(sums: _Sums, prices: Prices, src: Machine, flow: Flow) -> None:
    _, country = flow.place
    if src.external_ip and src.tier == STANDARD:
        sku = prices.sku("internet_standard_out", src.region, "Internet")
    else:
        sku = prices.sku("internet_premium_out", src.region, AREA_OF.get(country, ""))
    sums.sell("traffic", sku, flow.gib_per_month, f"from {src.region} to {country}")
