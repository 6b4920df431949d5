"""The bill of a made project by a program of its own: it imports nothing of netplan.

Prices are those of `advice_prices.py`. All traffic of a project that one SKU sells fills the volume
steps of that SKU together. What has no price there is left out by name.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from advice_prices import Prices, Sku, cost, series_of
from advice_state import INTERNET, STANDARD, Flow, Machine, Project, region_of

HOURS = 730
GIB_PER_LOCAL_SSD = 375
NAT_VMS = 32
"""Up to so many machines a gateway is paid by the machine (cloud.google.com/nat/pricing)."""
RULES_TOGETHER = 5
HUB_USD_PER_GIB = 0.02
"""For what a VPC spoke sends through its hub, beside the price of the traffic
(cloud.google.com/network-connectivity/pricing, Advanced Data Networking)."""
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
    if machine.is_suspended:
        sums.left_out.add("memory of suspended machines")
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


def _commitments(sums: _Sums, prices: Prices, project: Project) -> None:
    used: dict[tuple[str, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for machine in project.machines.values():
        # No table has what the committed part of custom types costs: no made project has both.
        if machine.is_running and not machine.is_spot and "-custom-" not in machine.machine_type:
            vcpus, memory_gib = prices.size(machine.machine_type)
            of = used[machine.region, series_of(machine.machine_type)]
            of["core"] += vcpus
            of["ram"] += memory_gib
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
            rebate = covered * on_demand * prices.sustained(one.series, one.region)
            sums.usd["commitments"] += (amount * committed - rebate) * HOURS


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
    if not flow.over_external and hub_between(project, src, dst):
        sums.usd["hub data"] += gib * HUB_USD_PER_GIB
    if src.region != dst.region:
        sku, what = prices.sku("interregion_out", src.region, dst.region), "between regions"
    elif src.zone == dst.zone and not flow.over_external:
        return
    else:
        sku, what = prices.sku("interzone_out", "global"), "between zones"
    sums.sell("traffic", sku, gib, f"{what}: {src.region} to {dst.region}")


def hub_between(project: Project, src: Machine, dst: Machine) -> str:
    """Return the hub over which two machines reach each other, or nothing."""
    if project.are_peered(src.network, dst.network):
        return ""
    return project.hub_of(src.network, dst.network)


def _to_internet(sums: _Sums, prices: Prices, src: Machine, flow: Flow) -> None:
    _, country = flow.place
    if src.external_ip and src.tier == STANDARD:
        sku = prices.sku("internet_standard_out", src.region, "Internet")
    else:
        sku = prices.sku("internet_premium_out", src.region, AREA_OF.get(country, ""))
    sums.sell("traffic", sku, flow.gib_per_month, f"from {src.region} to {country}")
