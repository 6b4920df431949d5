"""Two networks of one's own that Cloud VPN joins although they could be peered."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger.peerings import hub_of_sites, legacy_networks, overlap_of
from netplan_planner.throughput import edge_query, predict
from netplan_planner.units import HOURS_PER_MONTH, counted
from netplan_rules.base import rule_of
from netplan_rules.gateway._tunnels import edges_by_tunnel, networks_of_gateways, owner_key
from netplan_rules.shared.peering import listing_peerings, peering, unpeering
from netplan_rules.shared.trust import doubts_of_edges
from netplan_rules.wording import command, volume
from netplan_rules.work import GATEWAY

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.VPN_TUNNELS}),
    work=GATEWAY,
)

_Pair = tuple[model.SelfLink, model.SelfLink]
_HYBRID_HOPS = frozenset({"vpn", "interconnect"})


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each pair of networks that tunnels join and a peering could."""
    networks = networks_of_gateways(facts)
    joined: dict[_Pair, list[model.VpnTunnel]] = defaultdict(list)
    for tunnel in facts.inventory.vpn_tunnels:
        if tunnel.peer_gateway is None or "/vpnGateways/" not in tunnel.peer_gateway:
            continue
        local = networks.get(tunnel.vpn_gateway or model.SelfLink(""))
        remote = networks.get(tunnel.peer_gateway)
        if local is None or remote is None:
            reason = "the other gateway, or the router of its tunnels, is not in the inventory"
            yield model.Gap(resource=tunnel.ref, reason=reason)
        elif local != remote:
            joined[min(local, remote), max(local, remote)].append(tunnel)
    carried = edges_by_tunnel(facts)
    for pair, tunnels in sorted(joined.items()):
        if facts.inventory.are_connected(*pair) or _cannot_peer(facts, pair):
            continue
        transit = _transit(facts, pair, tunnels, networks)
        if transit:
            yield model.Gap(resource=tunnels[0].ref, reason=transit)
        else:
            edges = [edge for tunnel in tunnels for edge in carried.get(owner_key(tunnel), ())]
            yield _hit(facts, pair, tunnels, edges)


def _cannot_peer(facts: model.Facts, pair: _Pair) -> bool:
    inventory = facts.inventory
    if inventory.spoke_pairs.are_spokes(*pair) or hub_of_sites(inventory, *pair):
        return True
    return bool(overlap_of(inventory, *pair) or legacy_networks(inventory, *pair))


def _transit(
    facts: model.Facts,
    pair: _Pair,
    tunnels: Sequence[model.VpnTunnel],
    networks: Mapping[model.SelfLink, model.SelfLink],
) -> str:
    """Return why the tunnel may carry what a peering would not, or nothing."""
    own = {tunnel.ref.self_link for tunnel in tunnels}
    for link in pair:
        others = [
            tunnel
            for tunnel in facts.inventory.vpn_tunnels
            if tunnel.ref.self_link not in own
            and networks.get(tunnel.vpn_gateway or model.SelfLink("")) == link
        ]
        network = facts.inventory.network_by_link.get(link)
        peered = network is not None and any(one.is_active for one in network.peerings)
        hops = [
            route
            for route in facts.inventory.routes
            if route.network == link
            and route.next_hop in _HYBRID_HOPS
            and route.next_hop_target not in own
        ]
        if others or peered or hops:
            what = "tunnels to other networks" if others or hops else "other peerings"
            return f"one of the two networks has {what}, whose traffic a peering does not pass on"
    return ""


def _hit(
    facts: model.Facts, pair: _Pair, tunnels: Sequence[model.VpnTunnel], edges: Sequence[model.Edge]
) -> model.Hit:
    local, remote = pair
    gib = facts.gib_per_month(sum(edge.wire_bytes for edge in edges)) if edges else None
    doubts = doubts_of_edges(facts, edges)
    now, fixed = _estimates(facts, tunnels, edges)
    number = counted(len(tunnels), "tunnel")
    carries = f", which carry {volume(gib)}" if gib is not None else ""
    return model.Hit(
        resources=tuple(tunnel.ref for tunnel in tunnels),
        subject=f"{model.last_part(local)} ↔ {model.last_part(remote)}",
        message=f"the networks {model.last_part(local)} and {model.last_part(remote)} are joined by"
        f" {number} of Cloud VPN{carries}; their ranges do not overlap, so they can be peered",
        evidence=(
            model.Evidence(name="tunnels", value=len(tunnels), source="inventory"),
            *(
                (
                    model.Evidence(
                        name="volume", value=float(gib), unit="GiB/month", source="flow logs"
                    ),
                )
                if gib is not None
                else ()
            ),
        ),
        limit=now.binding if now is not None else None,
        throughput_now=now,
        throughput_fixed=fixed,
        saving=_saving(facts, tunnels, edges),
        edges=tuple(edges),
        gib_per_month=gib,
        severity=model.Severity.INFO if not edges else None,
        fix=_fix(pair, tunnels),
        doubts=doubts.reasons,
    )


def _estimates(
    facts: model.Facts, tunnels: Sequence[model.VpnTunnel], edges: Sequence[model.Edge]
) -> tuple[model.Estimate | None, model.Estimate | None]:
    """Return what the pair with the most traffic gets through the tunnels, and peered."""
    sent = [edge for edge in edges if facts.instance(facts.src(edge)) is not None]
    if not sent:
        return None, None
    greatest = max(sent, key=lambda edge: edge.wire_bytes)
    src = facts.src(greatest)
    sides = len({tunnel.vpn_gateway for tunnel in tunnels}) or 1
    query = replace(edge_query(facts, greatest), vpn_tunnels=max(1, len(tunnels) // sides))
    regions = {tunnel.region for tunnel in tunnels} - {src.region}
    inside = (
        model.PathClass.INTER_REGION_INTERNAL if regions else model.PathClass.INTER_ZONE_INTERNAL
    )
    now = predict(query, facts.caps)
    fixed = predict(replace(query, path_class=inside, vpn_tunnels=None), facts.caps)
    if now.gbps is None or fixed.gbps is None:
        return None, None
    return now, fixed


def _saving(
    facts: model.Facts, tunnels: Sequence[model.VpnTunnel], edges: Sequence[model.Edge]
) -> model.Saving:
    """Return the hours of the tunnels, and what their traffic costs more than inside."""
    if not edges:
        return model.Saving(
            unknown="the traffic of the tunnels is unknown: no flow record names them"
        )
    items: list[model.LineItem] = []
    regions = {tunnel.ref.self_link: tunnel.region for tunnel in tunnels}
    try:
        for region in regions.values():
            if region is None:
                return model.Saving(unknown="the region of a tunnel is unknown")
            tiers = facts.prices.service_price("vpn_tunnel", region)
            items += model.bill("hours of VPN tunnels", Decimal(HOURS_PER_MONTH), tiers)
        if len(set(regions.values())) > 1:
            items += _traffic_lines(facts, tunnels, edges)
    except MissingDatum as error:
        return model.Saving(unknown=str(error))
    return model.Saving(items=tuple(items))


def _traffic_lines(
    facts: model.Facts, tunnels: Sequence[model.VpnTunnel], edges: Sequence[model.Edge]
) -> Iterator[model.LineItem]:
    """Yield what is sent through tunnels between regions less what it costs peered."""
    regions = sorted({tunnel.region for tunnel in tunnels if tunnel.region is not None})
    for edge in edges:
        src = facts.src(edge)
        match [region for region in regions if region != src.region]:
            case [to] if src.region is not None and facts.instance(src) is not None:
                yield from _difference(facts, facts.gib_per_month(edge.wire_bytes), src.region, to)


def _difference(
    facts: model.Facts, gib: Decimal, src_region: model.Region, dst_region: model.Region
) -> Iterator[model.LineItem]:
    tiers = facts.prices.vpn_traffic(src_region=src_region, dst_region=dst_region)
    yield from model.bill("traffic through VPN", gib, tiers)
    inside = facts.prices.traffic_line_items(
        "traffic between the regions",
        model.PathClass.INTER_REGION_INTERNAL,
        gib,
        src_region=src_region,
        dst_region=dst_region,
    )
    yield from (model.negated(line) for line in inside)


def _fix(pair: _Pair, tunnels: Sequence[model.VpnTunnel]) -> model.Fix:
    local, remote = pair
    return RULE.fix(
        label=f"peer {model.last_part(local)} and {model.last_part(remote)}",
        text="Peer the two networks (both sides). Subnetwork routes of a peering take precedence"
        " over BGP routes, so the traffic moves automatically.",
        commands=peering(local, remote),
        verify=model.Instruction(
            text="Both peerings are ACTIVE, VMs reach each other, and the tunnels carry no"
            " traffic.",
            commands=(listing_peerings(local),),
        ),
        clean_up=model.Instruction(
            text="Only then delete the tunnels, which are billed as long as they exist. Delete"
            " their gateways and routers if nothing else uses them.",
            commands=tuple(
                command(
                    *("gcloud", "compute", "vpn-tunnels", "delete", tunnel.name),
                    f"--region={tunnel.region}",
                    f"--project={tunnel.project}",
                )
                for tunnel in tunnels
            ),
        ),
        undo=model.Instruction(
            text="Delete the peerings while the tunnels still exist. The tunnels take over.",
            commands=unpeering(local, remote),
        ),
        documents=RULE.references[:1],
        caution="Peering adds routes, not firewall rules: rules with the VPN's ranges must allow"
        " the peer's. It encrypts with Google's keys; keep the tunnels if a policy"
        " requires IPsec. Custom routes pass only if both sides export and import them.",
    )
