"""A small price book for tests: made-up round prices, a handful of types, two regions.

Real in its behaviour (a missing price raises), not in its numbers. The vCPUs and memory of the
types are the real ones, so that the real caps table fits them.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum

MADE_ON = date(2026, 1, 1)
USD_PER_VCPU = {
    "a2": "0.30",
    "c2": "0.06",
    "c4a": "0.045",
    "c4n": "0.09",
    "e2": "0.03",
    "m4n": "0.20",
    "n1": "0.05",
    "n2": "0.05",
    "t2a": "0.04",
    "z4d": "0.10",
}
DISCOUNTS = {
    model.Usage.ON_DEMAND: "1",
    model.Usage.SPOT: "0.3",
    model.Usage.CUD_1Y: "0.7",
    model.Usage.CUD_3Y: "0.5",
}
SUSTAINED_USE = {"n1": Decimal("0.7"), "n2": Decimal("0.8"), "c2": Decimal("0.8")}
NO_COMMITMENT = {"t2a"}
TIER1_FEES = {50.0: "0.45", 75.0: "0.70", 100.0: "0.90"}


def make_shape(
    machine_type: str, vcpus: int, memory_gib: float, **more: object
) -> model.MachineShape:
    """Return a shape; `more` are fields of `MachineShape`."""
    fields = {"architecture": "X86_64", **more}
    return model.MachineShape(
        machine_type=machine_type,
        vcpus=vcpus,
        memory_gib=memory_gib,
        is_shared_core=bool(fields.get("is_shared_core", False)),
        architecture=str(fields["architecture"]),
        gpu_count=int(str(fields.get("gpu_count", 0))),
        deprecation=str(fields["deprecation"]) if "deprecation" in fields else None,
    )


SHAPES = tuple(
    sorted(
        (
            make_shape("f1-micro", 1, 0.6, is_shared_core=True),
            make_shape("e2-medium", 2, 4, is_shared_core=True),
            make_shape("n1-standard-1", 1, 3.75),
            make_shape("n1-standard-2", 2, 7.5),
            make_shape("n1-standard-4", 4, 15),
            make_shape("n1-standard-8", 8, 30),
            make_shape("n1-standard-16", 16, 60),
            make_shape("e2-standard-8", 8, 32),
            make_shape("e2-standard-32", 32, 128),
            make_shape("n2-standard-2", 2, 8),
            make_shape("n2-standard-4", 4, 16),
            make_shape("n2-standard-8", 8, 32),
            make_shape("n2-standard-16", 16, 64),
            make_shape("n2-standard-32", 32, 128),
            make_shape("n2-highmem-80", 80, 640),
            make_shape("c2-standard-60", 60, 240),
            make_shape("t2a-standard-16", 16, 64, architecture="ARM64"),
            make_shape("c4a-standard-72", 72, 288, architecture="ARM64"),
            make_shape("c4n-standard-8", 8, 32),
            make_shape("a2-highgpu-1g", 12, 85, gpu_count=1),
            make_shape("m2-ultramemx-96", 96, 1000, deprecation="OBSOLETE"),
            make_shape("m4n-hypermem-16", 16, 248),
            make_shape("z4d-highmem-8-highlssd", 8, 64),
        ),
        key=lambda shape: shape.machine_type,
    )
)
ONLY_EAST = {"c2-standard-60"}
UNPRICED = {"m4n-hypermem-16"}
UNPUBLISHED_TIER1 = {"c4a"}


class SmallPriceBook:
    """Implements `PriceBook` for the types above; `east` costs a tenth more."""

    flexible: model.FlexibleCommitments | None = None

    def __init__(self, usd_per_vcpu: Mapping[str, str] | None = None) -> None:
        self._rates = {**USD_PER_VCPU, **(usd_per_vcpu or {})}
        self._shapes = {shape.machine_type: shape for shape in SHAPES}

    @property
    def info(self) -> model.SnapshotInfo:
        return model.SnapshotInfo(
            schema="made-up/1",
            as_of=MADE_ON,
            network_as_of=MADE_ON,
            source="made up for tests",
            row_count=len(SHAPES),
            sha256="0" * 64,
        )

    def machine(
        self, region: str, machine_type: str, usage: model.Usage = model.Usage.ON_DEMAND
    ) -> model.Price:
        shape = self.shape(machine_type)
        if shape is None or region not in self.regions() or machine_type in UNPRICED:
            raise MissingDatum(f"no price for {machine_type} in {region}")
        if machine_type in ONLY_EAST and region != "made-east1":
            raise MissingDatum(f"{machine_type} is priced but not offered in {region}")
        series = "n1" if machine_type[:2] in {"f1", "cu"} else machine_type.partition("-")[0]
        if series in NO_COMMITMENT and usage in {model.Usage.CUD_1Y, model.Usage.CUD_3Y}:
            raise MissingDatum(f"no commitment for {machine_type}")
        factor = Decimal(DISCOUNTS.get(usage, "1"))
        if usage is model.Usage.SUSTAINED_USE:
            if series not in SUSTAINED_USE:
                raise MissingDatum(f"no sustained-use price for {machine_type}")
            factor = SUSTAINED_USE[series]
        place = Decimal("1.1") if region == "made-east1" else Decimal(1)
        usd = Decimal(self._rates[series]) * shape.vcpus * factor * place
        return self._price(usd, "hour", f"{machine_type} {usage.value}")

    def tier1_fee(
        self, region: str, machine_type: str, gbps: float, *, is_spot: bool = False
    ) -> model.Price:
        if machine_type.partition("-")[0] in UNPUBLISHED_TIER1 or gbps not in TIER1_FEES:
            raise MissingDatum(f"the Tier_1 fee of {machine_type} is not published")
        usd = Decimal(TIER1_FEES[gbps]) * (Decimal("0.25") if is_spot else 1)
        return self._price(usd, "hour", f"Tier_1 up to {gbps:g} Gbit/s")

    def gpu(
        self, region: str, gpu_type: str, usage: model.Usage = model.Usage.ON_DEMAND
    ) -> model.Price:
        raise MissingDatum("the small price book has no GPUs")

    def local_ssd(self, region: str, usage: model.Usage = model.Usage.ON_DEMAND) -> model.Price:
        raise MissingDatum("the small price book has no Local SSDs")

    def sole_tenant_node(
        self, region: str, node_type: str, usage: model.Usage = model.Usage.SUSTAINED_USE
    ) -> model.Price:
        raise MissingDatum("the small price book has no sole-tenant nodes")

    def suspended_memory(self, region: str) -> model.Price:
        raise MissingDatum("the small price book has no suspended machines")

    def traffic(
        self,
        path_class: model.PathClass,
        *,
        src_region: str,
        dst_region: str | None = None,
        area: str | None = None,
        network_tier: str = "PREMIUM",
    ) -> tuple[model.PriceTier, ...]:
        raise MissingDatum("the small price book has no traffic")

    def traffic_line_items(
        self,
        name: str,
        path_class: model.PathClass,
        gib_per_month: Decimal,
        *,
        src_region: str,
        dst_region: str | None = None,
        area: str | None = None,
        network_tier: str = "PREMIUM",
    ) -> tuple[model.LineItem, ...]:
        raise MissingDatum("the small price book has no traffic")

    def nat_data(self, region: str) -> model.Price:
        raise MissingDatum("the small price book has no traffic")

    def vpn_traffic(
        self, *, src_region: str, dst_region: str | None = None, area: str | None = None
    ) -> tuple[model.PriceTier, ...]:
        raise MissingDatum("the small price book has no traffic")

    def service_price(
        self, service: str, region: str | None = None, condition: str | None = None
    ) -> tuple[model.PriceTier, ...]:
        raise MissingDatum("the small price book has no services")

    def possible_prices(
        self,
        path_class: model.PathClass,
        *,
        src_region: str,
        dst_region: str | None = None,
        area: str | None = None,
        network_tier: str = "PREMIUM",
    ) -> tuple[tuple[model.PriceTier, ...], ...]:
        return ()

    def external_address_tiers(
        self, use: model.AddressUse, region: str
    ) -> tuple[model.PriceTier, ...]:
        raise MissingDatum("the small price book has no addresses")

    def external_address(self, use: model.AddressUse, region: str) -> model.Price:
        raise MissingDatum("the small price book has no addresses")

    def shape(self, machine_type: str) -> model.MachineShape | None:
        return self._shapes.get(machine_type) or model.shape_of_custom(machine_type)

    def offered(self, region: str) -> Sequence[model.MachineShape]:
        return tuple(s for s in SHAPES if self.is_offered(region, s.machine_type))

    def is_offered(self, region: str, machine_type: str) -> bool:
        known = region in self.regions() and machine_type in self._shapes
        return known and (machine_type not in ONLY_EAST or region == "made-east1")

    def zones(self, machine_type: str) -> tuple[str, ...] | None:
        return None

    def flexible_commitment(self, region: str, machine_type: str, years: int) -> model.Price:
        raise MissingDatum("the small price book has no flexible commitments")

    @property
    def even(self) -> "SmallPriceBook":
        return self

    def is_mixed(self, sku_ids: Iterable[str]) -> bool:
        return False

    def regions(self) -> Sequence[str]:
        return ("made-east1", "made-west1")

    def sustained_use_ratio(self, machine_type: str, month_ratio: float) -> Decimal:
        series = machine_type.partition("-")[0]
        full = SUSTAINED_USE.get(series, Decimal(1))
        return 1 - (1 - full) * Decimal(str(month_ratio))

    def _price(self, usd: Decimal, unit: str, description: str) -> model.Price:
        return model.Price(
            usd=usd, unit=unit, description=description, as_of=MADE_ON, source="made up for tests"
        )
