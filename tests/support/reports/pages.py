"""Reports for the pages: with all pictures, in several zones and projects, with a made table."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import MachineRow, PathClass, ResourceRef, SelfLink, ZonePair
from netplan_planner.verbs.audit.answer import DearPair, Report
from support.reports import made as reports
from support.reports.machine_rows import machine_row

ZONES = ("us-central1-a", "us-central1-b", "europe-west1-b", "asia-east1-c")


def pictured_report() -> Report:
    """Return the gecko report with traffic between four zones and machines near their caps."""
    full = reports.gecko_report()
    rows = tuple(near_cap(machine_row(n), n) for n in range(1, 6))
    zone_pairs = tuple(
        pair(i, j) for i in range(len(ZONES)) for j in range(len(ZONES)) if i + j < 6
    )
    dear = tuple(dear_pair(number) for number in range(6, 0, -1))
    return replace(full, machines=rows, zone_pairs=zone_pairs, dear_pairs=dear)


def near_cap(row: MachineRow, number: int) -> MachineRow:
    """Return a machine that sends the more of its 2 Gbit/s the greater its number."""
    p95, peak = number * 0.4, number * 0.45
    seen = replace(row, name=f"vm-{number}", egress_gbps=2.0, external_gbps=2.0)
    if number % 2:
        return replace(seen, external_p95_gbps=p95, external_max_gbps=peak)
    return replace(seen, egress_p95_gbps=p95, egress_max_gbps=peak)


def dear_pair(number: int) -> DearPair:
    """Return a pair that costs the more the greater its number; odd ones send to the internet."""
    is_outside = bool(number % 2)
    return DearPair(
        src=f"vm-{(number + 1) // 2}",
        dst="internet" if is_outside else f"db-{number}",
        src_place=ZONES[0],
        dst_place="" if is_outside else ZONES[1],
        path_class=PathClass.INTERNET if is_outside else PathClass.INTER_ZONE_INTERNAL,
        gib_per_month=Decimal(10 * number),
        usd_per_month=Decimal(number),
        max_gbps=0.1 * number,
    )


def pair(src: int, dst: int) -> ZonePair:
    """Return traffic between two of the zones; the more the greater their numbers."""
    gib = 10 ** (src + dst)
    return ZonePair(
        src_zone=ZONES[src],
        dst_zone=ZONES[dst],
        path_class=PathClass.INTER_ZONE_INTERNAL,
        gib_per_month=Decimal(gib),
        usd_per_month=Decimal(gib) / 100 if src else None,
        max_gbps=0.4 * (src + dst),
        rtt_ms=0.5 * (1 + src + dst) if dst else None,
        predicted=reports.NOW,
        pair=f"vm-{src} → vm-{dst}",
        line_items=(reports.line("between zones", str(gib), "GiB", "0.01", sku="0000-AAAA-0001"),),
    )


def placed_report() -> Report:
    """Return four findings, one in another zone, one in another project."""
    full = reports.gecko_report()
    first, second, third, fourth = full.findings
    east = placed("projects/gecko-demo/zones/us-east1-b/instances/far")
    other = placed("projects/other-project/zones/us-central1-a/instances/theirs")
    found = (
        first,
        replace(second, resources=(east,), members=()),
        replace(third, resources=(other,), members=()),
        fourth,
    )
    return replace(full, findings=found)


def placed(link: str) -> ResourceRef:
    """Return a resource at a place."""
    return ResourceRef(self_link=SelfLink(link))
