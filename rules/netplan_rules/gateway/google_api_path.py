"""Traffic to Google APIs that an appliance carries although it need not."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_rules.base import reaches_floor, rule_of, volume_floor
from netplan_rules.gateway._hops import Hops, way_lines
from netplan_rules.gateway._served import served_interfaces
from netplan_rules.shared.trust import doubts_of_edges
from netplan_rules.wording import command, volume
from netplan_rules.work import ROUTES

PRIVATE_RANGE = "199.36.153.8/30"
"""Of private.googleapis.com (docs.cloud.google.com/vpc/docs/configure-private-google-access)."""
_DIRECT = frozenset({PRIVATE_RANGE, "199.36.153.4/30"})

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS, model.Need.ROUTES}),
    work=ROUTES,
    thresholds=(volume_floor(10.0),),
    summed=("volume",),
)


class _Call(model.Value, frozen=True, kw_only=True):
    """Traffic of one machine with Google APIs, in one direction."""

    client: model.Instance
    edge: model.Edge


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each subnetwork whose calls of Google APIs an appliance carries."""
    if facts.traffic is None:
        return
    hops = Hops(facts)
    found: dict[tuple[model.SelfLink, model.SelfLink], list[_Call]] = defaultdict(list)
    for edge in facts.traffic.edges:
        if edge.path_class is not model.PathClass.GOOGLE_APIS:
            continue
        client = facts.instance(facts.src(edge)) or facts.instance(facts.dst(edge))
        if client is None or any(served_interfaces(facts, client)):
            continue
        appliance = hops.default(client)
        place = client.interfaces[0].subnetwork
        if appliance is not None and place is not None:
            call = _Call(client=client, edge=edge)
            found[place, appliance.ref.self_link].append(call)
    for (link, hop), calls in sorted(found.items()):
        subnetwork = facts.inventory.subnetwork_by_link.get(link)
        if not reaches_floor(facts, RULE.id, sum(call.edge.wire_bytes for call in calls)):
            continue
        if subnetwork is None or subnetwork.private_google_access is None:
            reason = "the input does not say whether Private Google Access is on"
            yield model.Gap(resource=calls[0].client.ref, reason=reason)
        elif not (subnetwork.private_google_access and _has_route(facts, subnetwork)):
            yield _hit(facts, subnetwork, facts.inventory.instance_by_link[hop], calls)


def _has_route(facts: model.Facts, subnetwork: model.Subnetwork) -> bool:
    """Return whether a range of Google APIs leads straight to the internet gateway."""
    return any(
        route.network == subnetwork.network
        and route.next_hop == "gateway"
        and route.dest_range in _DIRECT
        for route in facts.inventory.routes
    )


def _hit(
    facts: model.Facts,
    subnetwork: model.Subnetwork,
    appliance: model.Instance,
    calls: Sequence[_Call],
) -> model.Hit:
    gib = facts.gib_per_month(sum(call.edge.wire_bytes for call in calls))
    doubts = doubts_of_edges(facts, (call.edge for call in calls))
    return model.Hit(
        resources=(subnetwork.ref, appliance.ref),
        subject=f"{subnetwork.name} ({subnetwork.region}) → {appliance.name}",
        message=f"{volume(gib)} to and from Google APIs go through {appliance.name}, the next hop"
        f" of the default route of {subnetwork.name}",
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="private_google_access",
                value="on" if subnetwork.private_google_access else "off",
                source="inventory",
            ),
        ),
        saving=_saving(facts, appliance, calls),
        edges=tuple(call.edge for call in calls),
        gib_per_month=gib,
        fix=_fix(facts, subnetwork),
        doubts=doubts.reasons,
    )


def _saving(facts: model.Facts, appliance: model.Instance, calls: Sequence[_Call]) -> model.Saving:
    """Return what the way to the appliance and back costs, where it is billed at all."""
    items: list[model.LineItem] = []
    try:
        for call in calls:
            is_sent = facts.instance(facts.src(call.edge)) is not None
            ends = (call.client, appliance) if is_sent else (appliance, call.client)
            items += way_lines(
                facts, "Google APIs through the appliance", call.edge.wire_bytes, *ends
            )
    except MissingDatum as error:
        return model.Saving(unknown=str(error))
    return model.Saving(items=tuple(items))


def _fix(facts: model.Facts, subnetwork: model.Subnetwork) -> model.Fix:
    project = f"--project={subnetwork.project}"
    update = ("gcloud", "compute", "networks", "subnets", "update", subnetwork.name)
    place = (f"--region={subnetwork.region}", project)
    has_route, is_on = _has_route(facts, subnetwork), bool(subnetwork.private_google_access)
    name = "google-apis-direct"
    network = subnetwork.network.rpartition("/")[2]
    route = command(
        *("gcloud", "compute", "routes", "create", name, f"--network={network}"),
        f"--destination-range={PRIVATE_RANGE}",
        *("--next-hop-gateway=default-internet-gateway", project),
    )
    switch = command(*update, "--enable-private-ip-google-access", *place)
    back = command("gcloud", "compute", "routes", "delete", name, project)
    return RULE.fix(
        label="Private Google Access",
        text=f"Switch Private Google Access on for {subnetwork.name}. Route {PRIVATE_RANGE} to the"
        " internet gateway, and resolve googleapis.com to private.googleapis.com (a private"
        " DNS zone).",
        commands=(*(() if is_on else (switch,)), *(() if has_route else (route,))),
        verify=f"On a VM there, storage.googleapis.com resolves into {PRIVATE_RANGE} and answers."
        " The appliance no longer carries the calls.",
        undo=model.Instruction(
            text="Remove the DNS zone and the route. Private Google Access can stay on.",
            commands=() if has_route else (back,),
        ),
        documents=RULE.references[:1],
        caution="A proxy that inspects or limits these calls no longer sees them. VPC Service"
        " Controls need restricted.googleapis.com (199.36.153.4/30) instead.",
    )
