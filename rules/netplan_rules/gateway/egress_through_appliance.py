"""Zones whose way out leads through one appliance."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.throughput import instance_cap
from netplan_rules.base import ratio_limit, rule_of, usd_floor
from netplan_rules.capacity._resize import egress_estimate
from netplan_rules.gateway._hops import Use, uses, way_lines
from netplan_rules.shared.trust import doubts_of_edges, minutes_per_day
from netplan_rules.wording import gbps, money, vm_subject, volume
from netplan_rules.work import ROUTES

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS, model.Need.ROUTES}),
    work=ROUTES,
    thresholds=(
        usd_floor(20.0, "minimum saving of an appliance in each zone, after its own cost"),
        ratio_limit(
            "min_used_ratio",
            0.5,
            "share of the appliance's cap at the 95th percentile from which it slows the zones"
            " down",
        ),
    ),
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
    priced = (", which costs ", money(fee), "/month on the way to it")
    return model.Hit(
        resources=(appliance.ref,),
        subject=vm_subject(appliance),
        message=model.worded(
            f"VMs of {', '.join(zones)} send {volume(gib)} through {appliance.name}",
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
        edges=tuple(use.edge for use in used),
        used_ratio=ratio,
        limit_minutes_per_day=minutes_per_day(facts, rates.egress, rates.egress.p95_gbps, rates)
        if rates
        else None,
        gib_per_month=gib if ratio is None and not saving.items else None,
        fix=RULE.fix(
            label="one for each zone",
            text=f"Create a VM like {appliance.name} in"
            f" {', '.join(zone for zone in zones if zone != appliance.zone)}, tag the VMs of"
            " each zone, and give each tag a route to its zone's appliance. Or put several"
            " behind an internal load balancer and make it the next hop.",
            verify=f"The next audit shows no traffic of other zones through {appliance.name}.",
            undo="Delete the new routes. The old route, kept with a lower priority, takes over.",
            documents=RULE.references[:2],
            caution="Set up inspection, logging and address translation the same way on each"
            " appliance. Partners see the addresses of all of them.",
        ),
        doubts=doubts.reasons,
    )
