"""Zones whose way out leads through one appliance."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
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
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS, model.Need.ROUTES}),
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
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each appliance that several zones of its region send through."""
    if facts.traffic is None:
        return
    found: dict[model.SelfLink, list[Use]] = defaultdict(list)
    for appliance, use in uses(facts):
        if use.client.region == appliance.region:
            found[appliance.ref.self_link].append(use)
    for link, used in sorted(found.items()):
        if len({use.client.zone for use in used}) > 1:
            yield from _judged(facts, facts.inventory.instance_by_link[link], used)


def _judged(
    facts: model.Facts, appliance: model.Instance, used: Sequence[Use]
) -> Iterator[model.Hit]:
    saving, fee = _saving(facts, appliance, used)
    ratio = _used_ratio(facts, appliance)
    pays = saving.usd_per_month >= Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    is_near = ratio is not None and ratio >= facts.threshold(RULE.id, "min_used_ratio")
    if pays or is_near:
        yield _hit(facts, appliance, used, saving if pays else model.Saving(), fee, ratio)


def _saving(
    facts: model.Facts, appliance: model.Instance, used: Sequence[Use]
) -> tuple[model.Saving, Decimal]:
    """Return what an appliance in each zone saves, and what the way to the one costs today."""
    zones = {use.client.zone for use in used} - {appliance.zone}
    name = "traffic to the appliance, inter-zone"
    try:
        ways = [
            line
            for use in used
            for line in way_lines(facts, name, use.edge.wire_bytes, use.client, appliance)
        ]
        machine = facts.machines.cost_today(appliance, model.usage_of(appliance))
    except MissingDatum as error:
        return model.Saving(unknown=str(error)), Decimal(0)
    more = [model.negated(item) for _ in zones for item in machine]
    return model.Saving(items=(*ways, *more)), model.total_usd(ways)


def _used_ratio(facts: model.Facts, appliance: model.Instance) -> float | None:
    rates = facts.rates_of(appliance)
    cap = instance_cap(appliance, facts.caps)
    if rates is None or cap is None:
        return None
    return rates.egress.p95_gbps / cap.egress_gbps


def _hit(
    facts: model.Facts,
    appliance: model.Instance,
    used: Sequence[Use],
    saving: model.Saving,
    fee: Decimal,
    ratio: float | None,
) -> model.Hit:
    zones = sorted({use.client.zone for use in used})
    gib = facts.gib_per_month(sum(use.edge.wire_bytes for use in used))
    doubts = doubts_of_edges(facts, (use.edge for use in used))
    now = egress_estimate(facts, appliance, None, model.PathClass.INTERNET)
    rates = facts.rates_of(appliance)
    sends = f"; it sends {gbps(rates.egress.p95_gbps)} at the 95th percentile" if rates else ""
    priced = (", which costs ", money(fee), " a month on the way to it")
    return model.Hit(
        resources=(appliance.ref,),
        subject=vm_subject(appliance),
        message=model.worded(
            f"machines of {', '.join(zones)} send {volume(gib)} through {appliance.name}",
            *(priced if fee else ()),
            sends,
        ),
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(name="zones", value=len(zones), source="inventory"),
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
