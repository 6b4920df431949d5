"""Names of places and machine types, and what is wrong with one that is none."""

from netplan_planner.errors import UsageError, near, no_region
from netplan_planner.model import CapsBook, PriceBook, Ties, region_of, series_of


def check_region(option: str, region: str, prices: PriceBook, also: str = "") -> None:
    """Refuse a region that offers no machine type; `also` says what may be given instead.

    Raises:
        UsageError: If none of this name is known.
    """
    known = prices.regions()
    if region not in known:
        raise UsageError(f"{option}: {no_region(region, known)}{also}")


class Known:
    """Zones and machine types that there are, for whoever reads what somebody wrote."""

    def __init__(self, prices: PriceBook, caps: CapsBook) -> None:
        self._prices = prices
        self._caps = caps
        self._zones: dict[str, frozenset[str]] = {}

    def check_zone(self, zone: str) -> str:
        """Return what is wrong with a zone; empty where nothing is."""
        regions, region = self._prices.regions(), region_of(zone)
        if not region:
            return "it is not a zone, such as us-central1-a"
        if region not in regions:
            return no_region(region, regions)
        zones = self._zones_of(region)
        if zones and zone not in zones:
            return f"{region} has no such zone; it has {', '.join(sorted(zones))}"
        return ""

    def _zones_of(self, region: str) -> frozenset[str]:
        """Return the zones of a region, none where they are not known."""
        found = self._zones.get(region)
        if found is None:
            listed = (self._prices.zones(s.machine_type) for s in self._prices.offered(region))
            every = {zone for zones in listed if zones is not None for zone in zones}
            found = frozenset(zone for zone in every if region_of(zone) == region)
            self._zones[region] = found
        return found

    def check_type(self, name: str) -> str:
        """Return what is wrong with a machine type; empty where nothing is."""
        if self._prices.shape(name) is not None:
            return ""
        known = {
            one.machine_type for r in self._prices.regions() for one in self._prices.offered(r)
        }
        return f"no machine type of this name is known{near(name, sorted(known))}"

    def architecture(self, machine_type: str) -> str | None:
        """Return the architecture of a type."""
        shape = self._prices.shape(machine_type)
        return None if shape is None else shape.architecture

    def ties(self, machine_type: str) -> Ties | None:
        """Return what a type brings that another one would have to bring too; None: nothing.

        Of a machine of which only the type is known: GPUs and Local SSDs that are part of it.
        """
        shape = self._prices.shape(machine_type)
        if shape is None or not (shape.gpu_count or shape.bundled_local_ssd_gib):
            return None
        return Ties(
            series=series_of(machine_type),
            built_in_gpu_count=shape.gpu_count,
            built_in_local_ssd_gib=shape.bundled_local_ssd_gib,
        )

    def check_platform(self, machine_type: str, platform: str) -> str:
        """Return what is wrong with the CPU platform of a type whose cap depends on it."""
        why = self._caps.unknown_reason(machine_type, cpu_platform=platform)
        return why if self._caps.variants(machine_type) else ""

    def has_tier1(self, machine_type: str) -> bool:
        """Return whether Tier_1 is offered for a type."""
        return any(cap.is_tier1 for cap in self._caps.variants(machine_type))
