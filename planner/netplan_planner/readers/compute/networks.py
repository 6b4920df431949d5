"""Networks, addresses, load balancers, gateways and routes of the Compute API as model values."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.readers import links
from netplan_planner.readers.compute import network_wire
from netplan_planner.readers.compute.wire import WireResource

Labels = tuple[tuple[str, str], ...]
_Tiered = TypeVar("_Tiered", model.Instance, model.Address, model.ForwardingRule)


def _labels(labels: dict[str, str]) -> Labels:
    return tuple(sorted(labels.items()))


def _region_needed(link: model.SelfLink, stated: str | None) -> model.Region:
    return model.Region(links.needed(links.region_at(link, stated), "region"))


def network(
    wire: network_wire.WireNetwork, ref: model.ResourceRef, problems: links.Problems
) -> model.Network:
    """Return one VPC network; no `mtu` means 1460, as documented."""
    project, _, _, name = links.place_of(ref.self_link)
    peerings = []
    for index, peering in enumerate(wire.peerings):
        if peering.network:
            peerings.append(
                model.Peering(
                    name=peering.name or "",
                    network=links.network_link(peering.network, project),
                    is_active=peering.state == "ACTIVE",
                )
            )
        else:
            problems.append((f"peerings[{index}]", "no network"))
    return model.Network(
        ref=ref,
        project=project,
        name=wire.name or name,
        mtu_bytes=model.DEFAULT_MTU_BYTES if wire.mtu is None else wire.mtu,
        peerings=tuple(sorted(peerings, key=lambda p: (p.network, p.name, p.is_active))),
        routing_mode=wire.routing_config.routing_mode if wire.routing_config else None,
        legacy_ipv4_range=wire.legacy_range,
        is_auto_mode=wire.auto_create_subnetworks,
    )


def subnetwork(
    wire: network_wire.WireSubnetwork, ref: model.ResourceRef, problems: links.Problems
) -> model.Subnetwork:
    """Return one subnetwork.

    Raises:
        Unusable: If it has no region or network.
    """
    project, _, _, name = links.place_of(ref.self_link)
    return model.Subnetwork(
        ref=ref,
        project=project,
        region=_region_needed(ref.self_link, wire.region),
        name=wire.name or name,
        network=links.network_link(links.needed(wire.network, "network"), project),
        ipv4_range=wire.ip_cidr_range,
        secondary_ranges=tuple(
            r.ip_cidr_range for r in wire.secondary_ip_ranges if r.ip_cidr_range
        ),
        ipv6_range=wire.external_ipv6_prefix or wire.internal_ipv6_prefix,
        purpose=wire.purpose,
        private_google_access=wire.private_ip_google_access,
        stack_type=wire.stack_type,
        flow_logs=_flow_logs(wire),
    )


def _flow_logs(wire: network_wire.WireSubnetwork) -> model.FlowLogConfig | None:
    """Return `logConfig.enable`, else the older `enableFlowLogs`; neither stated is not off."""
    config = wire.log_config
    stated = wire.enable_flow_logs if config is None or config.enable is None else config.enable
    if stated is None:
        return None
    if config is None:
        return model.FlowLogConfig(enabled=stated)
    return model.FlowLogConfig(
        enabled=stated,
        sampling_ratio=config.flow_sampling,
        aggregation_interval=config.aggregation_interval,
        metadata=config.metadata,
        filter_expr=config.filter_expr,
    )


DEFAULT_SAMPLING_RATIO, DEFAULT_INTERVAL = 1.0, "INTERVAL_5_SEC"
"""What a configuration has that does not state them (docs.cloud.google.com/network-intelligence-
center/docs/reference/networkmanagement/rest/v1/projects.locations.vpcFlowLogsConfigs)."""


def flow_logs_configuration(
    wire: network_wire.WireFlowLogsConfiguration, ref: model.ResourceRef, problems: links.Problems
) -> model.FlowLogsConfiguration:
    """Return a configuration of flow logs; one that states no `state` is enabled, as documented."""
    parts = ref.self_link.split("/")
    project = model.ProjectId(parts[1] if parts[0] == "projects" else "")
    return model.FlowLogsConfiguration(
        ref=ref,
        project=project,
        name=parts[-1],
        logs=model.FlowLogConfig(
            enabled=wire.state != "DISABLED",
            sampling_ratio=DEFAULT_SAMPLING_RATIO
            if wire.flow_sampling is None
            else wire.flow_sampling,
            aggregation_interval=wire.aggregation_interval or DEFAULT_INTERVAL,
            metadata=wire.metadata,
            filter_expr=wire.filter_expr,
        ),
        network=links.resolve_optional(wire.network, project),
        subnetwork=links.resolve_optional(wire.subnet, project),
        gateway=links.resolve_optional(wire.vpn_tunnel or wire.interconnect_attachment, project),
    )


def address(
    wire: network_wire.WireAddress, ref: model.ResourceRef, problems: links.Problems
) -> model.Address:
    """Return one reserved address; its literal is empty while it is being reserved."""
    project, _, _, name = links.place_of(ref.self_link)
    return model.Address(
        ref=ref,
        project=project,
        name=wire.name or name,
        address=wire.address or "",
        # Documented: no addressType means EXTERNAL.
        is_external=wire.address_type != "INTERNAL",
        region=links.region_at(ref.self_link, wire.region),
        status=wire.status,
        users=tuple(sorted(links.resolve(user, project) for user in wire.users)),
        network_tier=wire.network_tier,
        purpose=wire.purpose,
        prefix_length=wire.prefix_length,
        network=links.network_link(wire.network, project) if wire.network else None,
        created=wire.creation_timestamp,
        labels=_labels(wire.labels),
    )


def forwarding_rule(
    wire: network_wire.WireForwardingRule, ref: model.ResourceRef, problems: links.Problems
) -> model.ForwardingRule:
    """Return one load balancer front."""
    project, _, _, name = links.place_of(ref.self_link)
    region = links.region_at(ref.self_link, wire.region)
    return model.ForwardingRule(
        ref=ref,
        project=project,
        name=wire.name or name,
        # A link to an address resource too: `with_addresses` puts its literal there.
        ip_address=links.resolve(wire.ip_address, project) if wire.ip_address else None,
        scheme=wire.load_balancing_scheme or None,
        region=region,
        network=links.network_link(wire.network, project) if wire.network else None,
        subnetwork=links.subnetwork_link(wire.subnetwork, project, region or "")
        if wire.subnetwork
        else None,
        target=links.resolve_optional(wire.target, project),
        backend_service=links.resolve_optional(wire.backend_service, project),
        network_tier=wire.network_tier,
        port_range=wire.port_range or ",".join(wire.ports) or ("all" if wire.all_ports else None),
        labels=_labels(wire.labels),
    )


class WireProject(WireResource):
    """`Project`, as Compute Engine holds it."""

    default_network_tier: str | None = None


def project_settings(
    wire: WireProject, ref: model.ResourceRef, problems: links.Problems
) -> model.ProjectSettings:
    """Return what a project sets for all that it has; its link is `projects/ID`."""
    return model.ProjectSettings(
        ref=ref,
        project=model.ProjectId(links.bare_name(ref.self_link)),
        name=links.bare_name(ref.self_link),
        default_network_tier=wire.default_network_tier,
    )


TIERED = ("instances", "addresses", "forwarding_rules")
"""Fields of an inventory whose values have external addresses."""


def with_addresses(fields: Mapping[str, tuple[Any, ...]]) -> tuple[model.ForwardingRule, ...]:
    """Return the forwarding rules with the address itself where they name its resource."""
    literals = {one.ref.self_link: one.address for one in fields["addresses"]}
    return tuple(
        replace(one, ip_address=literals[one.ip_address]) if one.ip_address in literals else one
        for one in fields["forwarding_rules"]
    )


def with_default_tiers(fields: Mapping[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    """Give external addresses that name no network tier their project's default, where it is known.

    Global ones are always Premium Tier, and state it or not.
    """
    tiers = {one.project: one.default_network_tier for one in fields["project_settings"]}
    return {of: tuple(_with_tier(x, tiers.get(x.project)) for x in fields[of]) for of in TIERED}


def names_no_tier(one: _Tiered) -> bool:
    """Return whether something has an external address that names no network tier."""
    if isinstance(one, model.Instance):
        return any(nic.may_be_external and not nic.network_tier for nic in one.interfaces)
    return one.is_external and one.region is not None and not one.network_tier


def _with_tier(one: _Tiered, tier: str | None) -> _Tiered:
    if tier is None or not names_no_tier(one):
        return one
    if not isinstance(one, model.Instance):
        return replace(one, network_tier=tier)
    nics = (
        replace(nic, network_tier=tier) if nic.may_be_external and not nic.network_tier else nic
        for nic in one.interfaces
    )
    return replace(one, interfaces=tuple(nics))


def router(
    wire: network_wire.WireRouter, ref: model.ResourceRef, problems: links.Problems
) -> model.Router:
    """Return one Cloud Router with its NAT configurations.

    Raises:
        Unusable: If it has no region or network.
    """
    project, _, _, name = links.place_of(ref.self_link)
    region = _region_needed(ref.self_link, wire.region)
    home = links.network_link(links.needed(wire.network, "network"), project)
    return model.Router(
        ref=ref,
        project=project,
        name=wire.name or name,
        region=region,
        network=home,
        nats=tuple(
            _nat(nat, index, ref.self_link, home, project, region)
            for index, nat in enumerate(wire.nats)
        ),
    )


def _nat(
    nat: network_wire.WireNat,
    index: int,
    router: model.SelfLink,
    network: model.SelfLink,
    project: model.ProjectId,
    region: model.Region,
) -> model.NatGateway:
    option = nat.nat_ip_allocate_option
    pool = {links.resolve(text, project): None for text in nat.nat_ips}
    held = {links.resolve(text, project): None for text in _outside_pool(nat)}
    return model.NatGateway(
        name=nat.name or f"nat{index}",
        router=router,
        network=network,
        region=region,
        is_auto_allocated=None if option is None else option == "AUTO_ONLY",
        addresses=tuple(pool | held),
        outside_pool=tuple(address for address in held if address not in pool),
        source_ranges=nat.source_subnetwork_ip_ranges_to_nat,
        subnetworks=tuple(
            links.subnetwork_link(part.name, project, region)
            for part in nat.subnetworks
            if part.name
        ),
        min_ports_per_vm=nat.min_ports_per_vm,
        max_ports_per_vm=nat.max_ports_per_vm,
        is_dynamic=nat.enable_dynamic_port_allocation,
        is_endpoint_independent=nat.enable_endpoint_independent_mapping,
        is_private=nat.type == "PRIVATE",
    )


def _outside_pool(nat: network_wire.WireNat) -> Iterator[str]:
    """Yield the addresses that a gateway drains, and those of its rules."""
    yield from nat.drain_nat_ips
    for rule in nat.rules:
        if rule.action is not None:
            yield from rule.action.source_nat_active_ips
            yield from rule.action.source_nat_drain_ips


def route(
    wire: network_wire.WireRoute, ref: model.ResourceRef, problems: links.Problems
) -> model.Route:
    """Return one route; a next hop of a kind that is not known here is `unknown`.

    Raises:
        Unusable: If it has no network or destination.
    """
    project, _, _, name = links.place_of(ref.self_link)
    hop, target = _next_hop(wire)
    if hop == "unknown":
        problems.append(("nextHop", "no next hop of a supported kind"))
    is_link = target is not None and hop not in {"ip", "peering"}
    return model.Route(
        ref=ref,
        project=project,
        name=wire.name or name,
        network=links.network_link(links.needed(wire.network, "network"), project),
        dest_range=links.needed(wire.dest_range, "destRange"),
        next_hop=hop,
        next_hop_target=links.resolve(target, project) if target and is_link else target,
        priority=wire.priority,
        tags=tuple(wire.tags),
    )


def _next_hop(wire: network_wire.WireRoute) -> tuple[str, str | None]:
    hops = (
        ("gateway", wire.next_hop_gateway),
        ("instance", wire.next_hop_instance),
        ("ip", wire.next_hop_ip),
        ("vpn", wire.next_hop_vpn_tunnel),
        ("ilb", wire.next_hop_ilb),
        ("peering", wire.next_hop_peering),
        ("network", wire.next_hop_network),
        ("hub", wire.next_hop_hub),
        ("interconnect", wire.next_hop_interconnect_attachment),
    )
    return next(((hop, target) for hop, target in hops if target), ("unknown", None))


def vpn_tunnel(
    wire: network_wire.WireVpnTunnel, ref: model.ResourceRef, problems: links.Problems
) -> model.VpnTunnel:
    """Return one VPN tunnel; `vpn_gateway` is the HA gateway or the classic target gateway."""
    project, _, _, name = links.place_of(ref.self_link)
    region = links.region_at(ref.self_link, wire.region)
    return model.VpnTunnel(
        ref=ref,
        project=project,
        name=wire.name or name,
        region=model.Region(links.bare_name(region)) if region else None,
        peer_ip=wire.peer_ip,
        peer_gateway=links.resolve_optional(
            wire.peer_external_gateway or wire.peer_gcp_gateway, project
        ),
        vpn_gateway=links.resolve_optional(wire.vpn_gateway or wire.target_vpn_gateway, project),
        router=links.resolve_optional(wire.router, project),
        status=wire.status,
    )
