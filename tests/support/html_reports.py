"""Reports for the pages: with all pictures, in several zones and projects, with a made table."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import (
    Evidence,
    Member,
    PathClass,
    Report,
    ResourceRef,
    SelfLink,
    ZonePair,
)
from support import reports
from support.report_findings import NOW, PROJECT, ZONE, line

ZONES = ("us-central1-a", "us-central1-b", "europe-west1-b", "asia-east1-c")


def pictured_report() -> Report:
    """Return the gecko report with traffic between four zones and machines near their caps."""
    full = reports.gecko_report()
    cap = full.findings[1]
    members = tuple(near_cap(f"vm-{n}", n) for n in range(1, 6))
    pairs = tuple(pair(i, j) for i in range(len(ZONES)) for j in range(len(ZONES)) if i + j < 6)
    found = (full.findings[0], replace(cap, members=members), *full.findings[2:])
    return replace(full, findings=found, zone_pairs=pairs)


def near_cap(name: str, number: int) -> Member:
    """Return a place of a finding with the rates of one machine."""
    link = SelfLink(f"projects/{PROJECT}/zones/{ZONE}/instances/{name}")
    way = "outside_" if number % 2 else ""
    return Member(
        resources=(ResourceRef(self_link=link),),
        subject=name,
        message=f"{name} sends as much as it may",
        evidence=(
            rate(f"{way}p95", number * 0.4),
            rate(f"{way}max", number * 0.45),
            rate("cap", 2.0),
        ),
        saving_usd_per_month=Decimal(number),
    )


def rate(name: str, gbps: float) -> Evidence:
    """Return a rate in Gbit/s."""
    return Evidence(name=name, value=gbps, unit="Gbit/s", source="flow logs")


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
        predicted=NOW,
        pair=f"vm-{src} → vm-{dst}",
        line_items=(line("between zones", str(gib), "GiB", "0.01", sku="0000-AAAA-0001"),),
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
