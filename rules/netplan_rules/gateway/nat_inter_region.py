"""Machines whose way to the internet leads through an appliance in another region."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.units import HOURS_PER_MONTH
from netplan_rules.base import rule_of, usd_floor
from netplan_rules.gateway._hops import Use, uses, way_lines
from netplan_rules.shared.trust import doubts_of_edges
from netplan_rules.wording import money, volume
from netplan_rules.work import ROUTES

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset(
        {model.Need.INVENTORY, model.Need.FLOW_RECORDS, model.Need.ROUTES, model.Need.PRICES}
    ),
    work=ROUTES,
    thresholds=(usd_floor(20.0, "minimum saving of a gateway in the region, after its own cost"),),
    summed=("volume",),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each region whose machines leave through an appliance of another."""
    if facts.traffic is None:
        return
    found: dict[tuple[model.SelfLink, model.Region], list[Use]] = defaultdict(list)
    for appliance, use in uses(facts):
        if use.client.region != appliance.region:
            found[appliance.ref.self_link, use.client.region].append(use)
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    for (link, region), used in sorted(found.items()):
        appliance = facts.inventory.instance_by_link[link]
        try:
            ways, more = _lines(facts, appliance, region, used)
        except MissingDatum as error:
            yield model.Gap(resource=appliance.ref, reason=str(error))
            continue
        if model.total_usd((*ways, *more)) >= floor:
            yield _hit(facts, appliance, region, used, ways, more)


def _lines(
    facts: model.Facts, appliance: model.Instance, region: model.Region, used: Sequence[Use]
) -> tuple[list[model.LineItem], list[model.LineItem]]:
    """Return what the way costs, and what a machine like the appliance would cost in the region.

    Raises:
        MissingDatum: If one has no price.
    """
    name = "traffic to the appliance, inter-region"
    ways = [
        line
        for use in used
        for line in way_lines(facts, name, use.edge.wire_bytes, use.client, appliance)
    ]
    price = facts.prices.machine(region, appliance.machine_type, model.usage_of(appliance))
    machine = model.line_item(
        f"{appliance.machine_type} in {region}", Decimal(HOURS_PER_MONTH), price
    )
    return ways, [model.negated(machine)]


def _hit(
    facts: model.Facts,
    appliance: model.Instance,
    region: model.Region,
    used: Sequence[Use],
    ways: Sequence[model.LineItem],
    more: Sequence[model.LineItem],
) -> model.Hit:
    gib = facts.gib_per_month(sum(use.edge.wire_bytes for use in used))
    doubts = doubts_of_edges(facts, (use.edge for use in used))
    return model.Hit(
        resources=(appliance.ref, *(use.client.ref for use in used)),
        subject=f"{region} → {appliance.name} ({appliance.zone})",
        message=model.worded(
            f"VMs of {region} send {volume(gib)} through {appliance.name} in {appliance.region};"
            " the traffic to it costs ",
            money(model.total_usd(ways)),
            "/month",
        ),
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="senders", value=len({use.client.ref.self_link for use in used}), source=""
            ),
        ),
        saving=model.Saving(items=(*ways, *more)),
        edges=tuple(use.edge for use in used),
        gib_per_month=gib,
        fix=RULE.fix(
            label=f"a gateway in {region}",
            text=f"Create a VM like {appliance.name} in {region}, tag the VMs there, and give that"
            " tag a default route to it. If nothing is inspected on the way, use Cloud NAT"
            " instead, with a default route to the internet gateway.",
            verify=f"The next audit shows no traffic of {region} through {appliance.name}.",
            undo="Delete the new route. The old route, kept with a lower priority, takes over.",
            caution="Partners see another address. Set up inspection and logging the same way.",
        ),
        doubts=doubts.reasons,
    )
