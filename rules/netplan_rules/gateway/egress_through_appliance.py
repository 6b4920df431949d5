"""Zones whose way out leads through one appliance."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Evidence,
    Facts,
    Hit,
    Instance,
    Need,
    PathClass,
    Saving,
    SelfLink,
    Severity,
    negated,
    total_usd,
    usage_of,
    worded,
)
from netplan_planner.throughput import instance_cap
from netplan_rules.base import Rule, ratio_limit, usd_floor
from netplan_rules.capacity._resize import egress_estimate
from netplan_rules.gateway._hops import Use, uses, way_lines
from netplan_rules.shared.trust import doubts_of_edges
from netplan_rules.wording import gbps, money, vm_subject, volume
from netplan_rules.work import ROUTES

RULE = Rule(
    id="egress-through-appliance",
    title="Several zones leave through one appliance",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.INVENTORY, Need.FLOW_RECORDS, Need.ROUTES}),
    rationale="A route whose next hop is one machine sends everything through that machine: its cap"
    " is the cap of all, its zone is the zone on which all depend, and what comes from other zones"
    " is billed on the way to it.",
    remediation="An appliance in each zone, with a route for the machines of each zone (network"
    " tags), or several behind an internal load balancer as next hop.",
    guards="Fires only where the machines of two zones or more send through it and either another"
    " appliance in each zone would cost less than the way to it, or the appliance stands near its"
    " cap. Routes to a load balancer, several routes of one priority, and machines of other regions"
    " (nat-inter-region) are left alone.",
    references=(
        "https://cloud.google.com/vpc/docs/routes",
        "https://cloud.google.com/load-balancing/docs/internal/ilb-next-hop-overview",
        "https://cloud.google.com/compute/docs/network-bandwidth",
    ),
    work=ROUTES,
    thresholds=(
        usd_floor(20.0, "what an appliance in each zone must save, its own price taken off"),
        ratio_limit(
            "min_used_ratio",
            0.5,
            "share of its cap that the appliance sends at the 95th percentile from which it"
            " holds the zones back",
        ),
    ),
    group_message="{count} appliances carry {volume:,.0f} GiB a month of several zones each",
    summed=("volume",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit]:
    """Yield each appliance that several zones of its region send through."""
    if facts.traffic is None:
        return
    found: dict[SelfLink, list[Use]] = defaultdict(list)
    for appliance, use in uses(facts):
        if use.client.region == appliance.region:
            found[appliance.ref.self_link].append(use)
    for link, used in sorted(found.items()):
        if len({use.client.zone for use in used}) > 1:
            yield from _judged(facts, facts.inventory.instance_by_link[link], used)


def _judged(facts: Facts, appliance: Instance, used: Sequence[Use]) -> Iterator[Hit]:
    saving, fee = _saving(facts, appliance, used)
    ratio = _used_ratio(facts, appliance)
    pays = saving.usd_per_month >= Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    is_near = ratio is not None and ratio >= facts.threshold(RULE.id, "min_used_ratio")
    if pays or is_near:
        yield _hit(facts, appliance, used, saving if pays else Saving(), fee, ratio)


def _saving(facts: Facts, appliance: Instance, used: Sequence[Use]) -> tuple[Saving, Decimal]:
    """Return what an appliance in each zone saves, and what the way to the one costs today."""
    zones = {use.client.zone for use in used} - {appliance.zone}
    name = "traffic to the appliance, inter-zone"
    try:
        ways = [
            line
            for use in used
            for line in way_lines(facts, name, use.edge.wire_bytes, use.client, appliance)
        ]
        machine = facts.machines.cost_today(appliance, usage_of(appliance))
    except MissingDatum as error:
        return Saving(unknown=str(error)), Decimal(0)
    more = [negated(item) for _ in zones for item in machine]
    return Saving(items=(*ways, *more)), total_usd(ways)


def _used_ratio(facts: Facts, appliance: Instance) -> float | None:
    rates = facts.rates_of(appliance)
    cap = instance_cap(appliance, facts.caps)
    if rates is None or cap is None:
        return None
    return rates.egress.p95_gbps / cap.egress_gbps


def _hit(
    facts: Facts,
    appliance: Instance,
    used: Sequence[Use],
    saving: Saving,
    fee: Decimal,
    ratio: float | None,
) -> Hit:
    zones = sorted({use.client.zone for use in used})
    gib = facts.gib_per_month(sum(use.edge.wire_bytes for use in used))
    doubts = doubts_of_edges(facts, (use.edge for use in used))
    now = egress_estimate(facts, appliance, None, PathClass.INTERNET)
    rates = facts.rates_of(appliance)
    sends = f"; it sends {gbps(rates.egress.p95_gbps)} at the 95th percentile" if rates else ""
    priced = (", which costs ", money(fee), " a month on the way to it")
    return Hit(
        resources=(appliance.ref,),
        subject=vm_subject(appliance),
        message=worded(
            f"machines of {', '.join(zones)} send {volume(gib)} through {appliance.name}",
            *(priced if fee else ()),
            sends,
        ),
        evidence=(
            Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            Evidence(name="zones", value=len(zones), source="inventory"),
        ),
        limit=now.binding,
        throughput_now=now if now.gbps is not None else None,
        saving=saving,
        used_ratio=ratio,
        gib_per_month=gib if ratio is None and not saving.items else None,
        fix=RULE.fix(
            label="one for each zone",
            text=f"Make a machine like {appliance.name} in"
            f" {', '.join(zone for zone in zones if zone != appliance.zone)}, tag the machines of"
            " each zone, and give each tag a route to the appliance of its zone; or put several"
            " behind an internal load balancer and make that the next hop.",
            verify=f"The next audit shows no bytes of other zones through {appliance.name}.",
            undo="Delete the new routes: the old one, kept with a lower priority, takes over.",
            documents=RULE.references[:2],
            caution="What the appliance inspects, logs or translates has to be set up alike on"
            " each; partners see the addresses of all of them.",
        ),
        doubts=doubts.reasons,
    )
