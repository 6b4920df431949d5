"""Internal load balancers that send clients to back ends of other zones."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.paths.gateways import balancer_kind
from netplan_planner.paths.machines import is_gke_node
from netplan_rules.base import rule_of, usd_floor
from netplan_rules.shared.trust import Doubts, doubts_of_edges
from netplan_rules.wording import command, volume
from netplan_rules.work import BACKEND_SERVICE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.FORWARDING_RULES, model.Need.FLOW_RECORDS, model.Need.PRICES}),
    work=BACKEND_SERVICE,
    thresholds=(usd_floor(20.0, "minimum cost of one load balancer's inter-zone traffic"),),
    summed=("volume",),
)

_PASSTHROUGH = "Regional Internal Passthrough Network Load Balancer"


class _Exchange(model.Value, frozen=True, kw_only=True):
    """Traffic between a client and a back end, in one of the directions."""

    edge: model.Edge
    client: model.Instance
    server: model.Instance

    @property
    def crosses(self) -> bool:
        return self.client.zone != self.server.zone


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each internal passthrough load balancer whose traffic crosses zones for no reason."""
    if facts.traffic is None:
        return
    fronts = facts.inventory.forwarding_rules_by_ip
    found: dict[model.SelfLink, list[model.Edge]] = defaultdict(list)
    for edge in facts.traffic.edges:
        if edge.path_class is not model.PathClass.LOAD_BALANCER:
            continue
        src, dst = facts.instance(facts.src(edge)), facts.instance(facts.dst(edge))
        rules = fronts.get(edge.dst_address or "", ())
        if src is None or dst is None or src.region != dst.region:
            continue
        for rule in rules:
            if balancer_kind(rule) == _PASSTHROUGH and rule.network == dst.primary_network:
                found[rule.ref.self_link].append(edge)
                break
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    for link, edges in sorted(found.items()):
        front = facts.inventory.forwarding_rule_by_link[link]
        exchanges = _exchanges(facts, front, edges)
        if exchanges is None:
            reason = "the records do not show which VMs are its backends"
            yield model.Gap(resource=front.ref, reason=reason)
            continue
        yield from _judged(facts, front, exchanges, floor)


def _exchanges(
    facts: model.Facts, front: model.ForwardingRule, edges: Sequence[model.Edge]
) -> tuple[_Exchange, ...] | None:
    """Return the traffic with its clients told from its back ends; None where that is not known."""
    servers: set[int] = set()
    clients: set[int] = set()
    for edge in edges:
        is_request = _is_request(front, edge)
        if is_request is not None:
            servers.add(edge.dst if is_request else edge.src)
            clients.add(edge.src if is_request else edge.dst)
    # Small edges name no port: who talks with a client there is a back end.
    for edge in edges:
        if not {edge.src, edge.dst} & servers:
            servers |= {edge.src, edge.dst} - clients
    found = []
    for edge in edges:
        src, dst = facts.instance(facts.src(edge)), facts.instance(facts.dst(edge))
        if (edge.src in servers) == (edge.dst in servers) or src is None or dst is None:
            return None
        to_server = edge.dst in servers
        client, server = (src, dst) if to_server else (dst, src)
        found.append(_Exchange(edge=edge, client=client, server=server))
    return tuple(found)


def _is_request(front: model.ForwardingRule, edge: model.Edge) -> bool | None:
    """Return whether an edge leads to the service, by its greatest flow's port; None: not known."""
    port = edge.top_flow.dst_port if edge.top_flow is not None else None
    if port is None:
        return None
    if front.port_range in (None, "all"):
        return port < model.FIRST_EPHEMERAL_PORT
    for part in (front.port_range or "").split(","):
        low, _, high = part.partition("-")
        if low.isdigit() and int(low) <= port <= int(high or low):
            return True
    return False


def _judged(
    facts: model.Facts, front: model.ForwardingRule, exchanges: Sequence[_Exchange], floor: Decimal
) -> Iterator[model.Hit | model.Gap]:
    zones = {one.server.zone for one in exchanges}
    helped = [one for one in exchanges if one.crosses and one.client.zone in zones]
    try:
        items = [line for one in helped for line in _lines(facts, one)]
    except MissingDatum as error:
        yield model.Gap(resource=front.ref, reason=str(error))
        return
    if model.total_usd(items) >= floor:
        yield _hit(facts, front, exchanges, helped, items)


def _lines(facts: model.Facts, one: _Exchange) -> tuple[model.LineItem, ...]:
    return facts.prices.traffic_line_items(
        "load-balanced traffic between zones",
        model.PathClass.INTER_ZONE_INTERNAL,
        facts.gib_per_month(one.edge.wire_bytes),
        src_region=one.client.region,
        dst_region=one.server.region,
    )


def _hit(
    facts: model.Facts,
    front: model.ForwardingRule,
    exchanges: Sequence[_Exchange],
    helped: Sequence[_Exchange],
    items: Sequence[model.LineItem],
) -> model.Hit:
    whole = sum(one.edge.wire_bytes for one in exchanges)
    crossing = sum(one.edge.wire_bytes for one in helped)
    gib = facts.gib_per_month(crossing)
    doubts = Doubts()
    doubts.add("whether each zone has enough backends for all its clients is unknown")
    doubts.add(*doubts_of_edges(facts, (one.edge for one in helped)).reasons)
    zones = {one.server.zone for one in exchanges}
    without = sorted({one.client.zone for one in exchanges} - zones)
    lacking = f"; {', '.join(without)} has clients and no backend" if without else ""
    return model.Hit(
        resources=(front.ref,),
        subject=f"{front.name} ({front.region})",
        message=f"{volume(gib)} of {front.name} ({front.ip_address}), {crossing / whole:.0%} of its"
        f" traffic, crosses zones although the client's zone has backends{lacking}",
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(name="crossing", value=round(crossing / whole, 4), unit="ratio"),
            model.Evidence(name="backend_zones", value=len(zones), source="flow logs"),
        ),
        saving=model.Saving(items=tuple(items)),
        edges=tuple(one.edge for one in helped),
        gib_per_month=gib,
        fix=_fix(front, exchanges),
        doubts=doubts.reasons,
    )


def _fix(front: model.ForwardingRule, exchanges: Sequence[_Exchange]) -> model.Fix:
    servers = [one.server for one in exchanges]
    of_gke = any(is_gke_node(server) for server in servers)
    service = front.backend_service
    is_own = service is not None and not of_gke
    spill = _update(front, "ZONAL_AFFINITY_SPILL_CROSS_ZONE", "0.5")
    off = _update(front, "ZONAL_AFFINITY_DISABLED")
    name = model.last_part(service) if service is not None else f"behind {front.name}"
    owner = (
        " GKE manages this backend service: set it on the Service, or the controller reverts it."
        if of_gke
        else ""
    )
    return RULE.fix(
        label="zonal affinity",
        text=f"Switch zonal affinity on in the backend service {name}. Set spillover to other"
        f" zones if fewer than half of a zone's backends are healthy.{owner}",
        commands=(spill,) if is_own else (),
        verify="New connections stay in the zone, no backend is overloaded, and the next audit"
        " shows less traffic across zones. Open connections do not move.",
        undo=model.Instruction(text="Switch it off again.", commands=(off,) if is_own else ()),
        documents=RULE.references[:1],
        caution="A zone with many clients needs enough backends. Zonal affinity is incompatible"
        " with backend subsetting, packet mirroring collectors and Network Security Integration.",
    )


def _update(front: model.ForwardingRule, spillover: str, ratio: str | None = None) -> str:
    service = model.last_part(front.backend_service or "")
    return command(
        *("gcloud", "beta", "compute", "backend-services", "update", service),
        f"--zonal-affinity-spillover={spillover}",
        *((f"--zonal-affinity-spillover-ratio={ratio}",) if ratio is not None else ()),
        f"--region={front.region}",
        f"--project={front.project}",
    )
