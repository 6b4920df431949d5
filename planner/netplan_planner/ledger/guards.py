"""What may not be changed after the changes made so far: asked of the change, not of a rule."""

from collections.abc import Container, Iterable

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.peerings import why_not_peered
from netplan_planner.ledger.state import GatewayKey, State, key_of
from netplan_planner.machines.groups import why_it_stays, why_type_stays
from netplan_planner.units import SECONDS_PER_HOUR, counted


def why_refused(state: State, change: model.Change) -> str:
    """Return why a change may not be made now, or nothing."""
    match change.kind:
        case model.ChangeKind.ZONE:
            return (
                why_impossible(state, change)
                or why_held(state, change)
                or (_not_to_be_peered(state, change) if change.destination else "")
            )
        case model.ChangeKind.NO_TIER_1:
            return _keeps_state(state, change)
        case model.ChangeKind.MACHINE_TYPE | model.ChangeKind.TIER_1 | model.ChangeKind.SPOT:
            return (
                _on_nodes(state, change)
                or _keeps_state(state, change)
                or _without_type(state, change)
            )
        case model.ChangeKind.INTERNAL_ADDRESS:
            return _not_to_be_peered(state, change)
        case model.ChangeKind.DELETE_GATEWAY:
            return _too_soon(state) or _needed_gateway(state, change)
        case model.ChangeKind.RELEASE_ADDRESS if state.machine(change.target) is not None:
            return _too_soon(state) or _needed_address(state, change)
        case _:
            return ""


def why_held(state: State, change: model.Change) -> str:
    """Return why no advice moves a machine, or nothing; who asks for the move may have it."""
    return (
        _tied(state, change)
        or _beside_copy(state, change)
        or _from_copies(state, change)
        or _near_endpoints(state, change)
    )


def why_made(state: State, change: model.Change) -> str:
    """Return why a change is made already, by another one perhaps; nothing where it is not."""
    if change.kind is model.ChangeKind.INTERNAL_ADDRESS:
        pairs = [state.pair(link, change.destination) for link in change.targets]
        is_made = bool(state.internal) and all(pair in state.internal for pair in pairs)
        return "another fix already gives the pair internal addresses" if is_made else ""
    if change.kind is model.ChangeKind.ZONE:
        if any(_differs(state, link, ("zone",)) for link in change.targets):
            return "another fix already moves the VM"
        is_chosen = any(_differs(state, link, ("machine_type",)) for link in change.targets)
        return _TYPE_OF_REGION if is_chosen and is_far(state, change) else ""
    if change.kind in _OF_TYPE:
        return _why_retyped(state, change)
    if change.kind is model.ChangeKind.MORE_FLOWS:
        ends = (*change.targets, change.destination or model.SelfLink(""))
        is_moved = any(_differs(state, link, ("zone",)) for link in ends)
        return "another fix moves one end: check one connection's rate after it" if is_moved else ""
    if change.kind is model.ChangeKind.NEAR_ENDPOINTS and change.target in state.near:
        return "another fix already makes the Service prefer near endpoints"
    if change.kind is model.ChangeKind.SPOT and any(
        _differs(state, link, ("machine_type", "is_spot")) for link in change.targets
    ):
        return "another fix already changes the VM: other types may be cheaper as Spot"
    return ""


_OF_TYPE = frozenset(
    {model.ChangeKind.MACHINE_TYPE, model.ChangeKind.TIER_1, model.ChangeKind.NO_TIER_1}
)


_OF_RETYPED = ("machine_type", "bandwidth_tier")


def _differs(state: State, link: model.SelfLink, fields: Iterable[str]) -> bool:
    now, was = state.machines.get(link), state.facts.inventory.instance_by_link.get(link)
    return now is not None and any(getattr(now, of) != getattr(was, of) for of in fields)


def _why_retyped(state: State, change: model.Change) -> str:
    """Return why a machine takes no other type any more, or Tier_1, or nothing."""
    of = ("machine_type",) if change.kind is model.ChangeKind.MACHINE_TYPE else _OF_RETYPED
    if any(_differs(state, link, of) for link in change.targets):
        return "another fix already changes the type"
    is_type = change.kind is model.ChangeKind.MACHINE_TYPE
    if is_type and any(_differs(state, link, ("is_spot",)) for link in change.targets):
        return "another fix makes it a Spot VM, for which another type may be cheapest"
    if is_type and any(_differs(state, link, ("region",)) for link in change.targets):
        return MOVED_FAR
    if is_type and any(_is_raised(state, link) for link in change.targets):
        return "another fix gives it Tier_1, which another type would remove"
    return ""


def _is_raised(state: State, link: model.SelfLink) -> bool:
    now = state.machines.get(link)
    has_it = now is not None and now.bandwidth_tier is model.BandwidthTier.TIER_1
    return has_it and _differs(state, link, ("bandwidth_tier",))


def is_far(state: State, change: model.Change) -> bool:
    """Return whether a move takes a machine to another region, where types have other prices."""
    to = model.region_of(model.Zone(change.to or ""))
    machines = (state.machine(link) for link in change.targets)
    return change.kind is model.ChangeKind.ZONE and any(
        one and one.region != to for one in machines
    )


MOVED_FAR = "another fix moves it to a region where another type may be cheapest"
_TYPE_OF_REGION = "another fix changes its type to the cheapest in its region"


def _tied(state: State, change: model.Change) -> str:
    """Return what keeps one of the machines in its zone."""
    inventory = state.facts.inventory
    machines = (inventory.instance_by_link.get(link) for link in change.targets)
    found = (why_it_stays(state.facts, machine) for machine in machines if machine is not None)
    return next((f"it cannot move: {why}" for why in found if why), "")


def _beside_copy(state: State, change: model.Change) -> str:
    """Return which copy of its service a machine would stand beside."""
    zone = model.Zone(change.to or "")
    stand = dict(state.machines)
    for link in change.targets:
        machine = state.machine(link)
        if machine is None:
            continue
        if why := state.copies.joined_by_move(machine, zone, stand):
            return why
        stand[link] = replace(machine, zone=zone)
    return ""


def _from_copies(state: State, change: model.Change) -> str:
    """Return which copy a machine would leave in another region: one it talks to, or all alike."""
    traffic = state.facts.traffic
    for link in change.targets:
        machine, owner = state.machine(link), state.owners.get(link)
        region = model.region_of(model.Zone(change.to or ""))
        if machine is None or owner is None or traffic is None or machine.region == region:
            continue
        sent, got = traffic.edges_by_src.get(owner, ()), traffic.edges_by_dst.get(owner, ())
        peers = {edge.dst for edge in sent} | {edge.src for edge in got}
        left = [one for one in state.copies.of(machine) if one.ref.self_link not in change.targets]
        copies = [(read, state.machine(read.ref.self_link) or read) for read in left]
        for read, copy in copies:
            if state.owners.get(read.ref.self_link) in peers and copy.region != region:
                return f"it talks to its copy {copy.name}, which stays in {copy.region}"
        # A name alone decides little: a server of many may go to those that it serves.
        whys = {copy: state.copies.alike_beside_name(machine, copy) for _, copy in copies}
        alike = {copy: why for copy, why in whys.items() if why}
        if alike and all(copy.region == machine.region for copy in alike):
            first, why = next(iter(alike.items()))
            return f"all its copies stay in {machine.region}, such as {first.name} ({why})"
    return ""


def _near_endpoints(state: State, change: model.Change) -> str:
    """Return that clients stay in their zones for endpoints on a machine, or nothing."""
    found = (
        one
        for one in state.near
        for link, _ in state.shares.ends.get(one, ())
        if link in change.targets
    )
    name = next((model.last_part(one) for one in found), "")
    return f"earlier fixes make the Service {name} prefer near endpoints" if name else ""


def _on_nodes(state: State, change: model.Change) -> str:
    """Return that a machine runs on sole-tenant nodes, whose type decides which others fit."""
    machines = map(state.machine, change.targets)
    found = any(one is not None and one.is_sole_tenant for one in machines)
    return "it runs on sole-tenant nodes, which are billed instead of the VM" if found else ""


def _keeps_state(state: State, change: model.Change) -> str:
    """Return that a machine is of a group which keeps state, or nothing."""
    machines = (state.machine(link) for link in change.targets)
    found = (why_type_stays(state.facts, one) for one in machines if one is not None)
    return next(filter(None, found), "")


def _without_type(state: State, change: model.Change) -> str:
    """Return in which zone a machine stands by now that has not the type, or nothing."""
    zones = state.facts.prices.zones(change.to) if change.to else None
    if zones is None:
        return ""
    machines = (state.machine(link) for link in change.targets)
    without = (one.zone for one in machines if one is not None and one.zone not in zones)
    return next((f"{zone} does not offer {change.to}" for zone in without), "")


def why_impossible(state: State, change: model.Change) -> str:
    """Return why a machine cannot run in a zone, or would be cut off there, or nothing."""
    zone = model.Zone(change.to or "")
    for link in change.targets:
        machine = state.machine(link)
        if machine is None:
            continue
        zones = state.facts.prices.zones(machine.machine_type)
        if zones is not None and zone not in zones:
            return f"{zone} does not offer {machine.machine_type}"
        if machine.region == model.region_of(zone):
            continue
        why = _without_subnetwork(state, machine, zone) or _cut_off(state, link, machine, zone)
        if why:
            return why
    return ""


def _without_subnetwork(state: State, machine: model.Instance, zone: model.Zone) -> str:
    """Return which network of a machine has no subnetwork in a region, or nothing."""
    inventory, region = state.facts.inventory, model.region_of(zone)
    for link in {nic.network for nic in machine.interfaces}:
        network = inventory.network_by_link.get(link)
        regions = {one.region for one in inventory.subnetworks if one.network == link}
        is_open = network is None or network.is_auto_mode or not regions
        if not is_open and region not in regions:
            return f"{model.last_part(link)} has no subnetwork in {region}"
    return ""


def way_out_there(state: State, machine: model.Instance, zone: model.Zone) -> str:
    """Return by which Cloud NAT gateway a machine leaves in another region, or nothing."""
    region = model.region_of(zone)
    found = (state.gateway_there(nic.network, region) for nic in machine.interfaces)
    nat = next(filter(None, found), None) if state.gateways(machine.ref.self_link) else None
    if nat is None or region == machine.region:
        return ""
    return (
        f"In {region} it reaches the internet through the Cloud NAT gateway {nat.name}: partners"
        " see the addresses of that one."
    )


def _cut_off(state: State, link: model.SelfLink, machine: model.Instance, zone: model.Zone) -> str:
    """Return what a machine without an external address would lose in a region, or nothing."""
    region = model.region_of(zone)
    networks = {nic.network for nic in machine.interfaces}
    if any(state.gateway_there(network, region) for network in networks):
        return ""
    if state.gateways(link):
        return f"its network has no Cloud NAT gateway in {region} for its internet traffic"
    if any(nic.may_be_external for nic in machine.interfaces) or not has_google_access(
        state, machine
    ):
        return ""
    there = _has_access_in(state, networks, region)
    return "" if there else f"its network has no Private Google Access in {region}"


def _has_access_in(state: State, networks: Container[model.SelfLink], region: str) -> bool:
    return any(
        subnetwork.private_google_access
        for subnetwork in state.facts.inventory.subnetworks
        if subnetwork.network in networks and subnetwork.region == region
    )


def has_google_access(state: State, machine: model.Instance) -> bool:
    """Return whether a subnetwork of a machine lets it reach Google APIs without an address.

    Of one that stands in another region by now: whether one there does.
    """
    was = state.facts.inventory.instance_by_link.get(machine.ref.self_link)
    if was is not None and was.region != machine.region:
        networks = {nic.network for nic in machine.interfaces}
        return _has_access_in(state, networks, machine.region)
    subnetworks = state.facts.inventory.subnetwork_by_link
    found = (subnetworks.get(nic.subnetwork) for nic in machine.interfaces if nic.subnetwork)
    return any(one is not None and one.private_google_access for one in found)


def _not_to_be_peered(state: State, change: model.Change) -> str:
    """Return why two networks cannot be peered beside the peerings that are there by then."""
    for link in change.targets:
        nets = state.apart(link, change.destination or model.SelfLink(""))
        if nets is None or nets in state.peered:
            continue
        local, remote = sorted(nets)
        if why := why_not_peered(state.facts.inventory, local, remote, state.peers):
            return why
    return ""


def is_final(change: model.Change | None) -> bool:
    """Return whether nothing brings back what a change takes away: such come last."""
    return change is not None and change.kind in _FINAL


_FINAL = frozenset({model.ChangeKind.RELEASE_ADDRESS, model.ChangeKind.DELETE_GATEWAY})
EVIDENCE_H = 14 * 24
"""Hours of traffic from which what nobody used may be taken away: two of every weekly job."""


def _too_soon(state: State) -> str:
    """Return whether the traffic is of too short a time to say that nobody uses something."""
    traffic = state.facts.traffic
    hours = traffic.observed_seconds / SECONDS_PER_HOUR if traffic is not None else 0.0
    if hours >= EVIDENCE_H:
        return ""
    return (
        f"it cannot be undone, and {hours:,.0f} h of traffic do not prove that it is unused: wait"
        f" for {EVIDENCE_H} h"
    )


def _needed_gateway(state: State, change: model.Change) -> str:
    key = change.target, change.to or ""
    needed = 0
    for link in state.machines:
        before = _gateways_of(state, state.facts.inventory.instance_by_link[link])
        needed += key in state.gateways(link) and key not in before
    if needed:
        return f"{counted(needed, 'VM')} will use it after the earlier fixes"
    users = [one for one in state.facts.inventory.instances if key in _gateways_of(state, one)]
    undo = state.apply(change)
    found = (_without_google(state, one.ref.self_link) for one in users)
    why = next(filter(None, found), "")
    state.go_back(undo)
    return why


def _gateways_of(state: State, machine: model.Instance) -> set[GatewayKey]:
    """Return the gateways that a machine was read to use."""
    found = (state.facts.inventory.nat_of(machine, nic) for nic in machine.interfaces)
    return {key_of(nat) for nat in found if nat is not None}


def _needed_address(state: State, change: model.Change) -> str:
    """Return what machines could no longer reach without their addresses, or nothing."""
    undo = state.apply(change)
    found = (_unreached(state, link) for link in change.targets)
    why = next(filter(None, found), "")
    state.go_back(undo)
    return why


def _unreached(state: State, link: model.SelfLink) -> str:
    """Return what a machine no longer reaches that has lost its address, or nothing."""
    machine = state.machine(link)
    if machine is None or any(nic.may_be_external for nic in machine.interfaces):
        return ""
    if not _gateways_of(state, machine).isdisjoint(state.gone):
        return "another fix deletes the Cloud NAT gateway that it then needs"
    return _without_google(state, link)


def _without_google(state: State, link: model.SelfLink) -> str:
    """Return that a machine calls Google APIs and has no way to them now, or nothing.

    A gateway is a way: it switches Private Google Access on for the subnetworks that it serves
    (cloud.google.com/nat/docs/nat-product-interactions).
    """
    machine = state.machine(link)
    if machine is None or any(nic.may_be_external for nic in machine.interfaces):
        return ""
    if state.gateways(link) or has_google_access(state, machine):
        return ""
    owner, traffic = state.owners.get(link), state.facts.traffic
    sent = traffic.edges_by_src.get(owner, ()) if traffic is not None and owner is not None else ()
    if any(edge.path_class is model.PathClass.GOOGLE_APIS for edge in sent):
        return (
            f"{machine.name} calls Google APIs: switch Private Google Access on in its subnetwork"
            " first"
        )
    return ""
