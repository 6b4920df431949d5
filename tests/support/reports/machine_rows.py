"""Rows of the table of machines, for reports."""

from decimal import Decimal

from netplan_planner.model import MachineRow

TYPES = ("n2-standard-8", "e2-standard-4", "c3-standard-22")
REGIONS = ("us-central1", "europe-west1", "asia-east1", "us-east4")


def machine_row(number: int) -> MachineRow:
    """Return a machine; number 7 has no price."""
    region = REGIONS[number % len(REGIONS)]
    return MachineRow(
        project="p",
        region=region,
        zone=f"{region}-b",
        name=f"vm-{number:05}",
        machine_type=TYPES[number % len(TYPES)],
        status="RUNNING",
        is_stopped=False,
        is_suspended=False,
        is_spot=False,
        is_tier1=number % 50 == 0,
        egress_gbps=16.0,
        egress_source="docs, 2026-04-15",
        external_gbps=7.0,
        external_source="docs",
        cap_unknown="",
        nic_types=(),
        nic_types_possible=("GVNIC",),
        mtu_bytes=1460,
        external_addresses=("34.0.0.1",) if number % 2 else (),
        machine_usd_per_month=None if number == 7 else Decimal(100),
        address_usd_per_month=Decimal(0),
        price_unknown="no price" if number == 7 else "",
    )
