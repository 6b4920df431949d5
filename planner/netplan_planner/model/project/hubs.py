"""Hubs of Network Connectivity Center and their spokes, and which VPC networks a hub joins.

Two VPC spokes exchange their subnetworks where both are active and the hub's topology joins them:
all of a mesh; of a star all but two of its edge group (docs.cloud.google.com/network-connectivity/
docs/network-connectivity-center/concepts/connectivity-topologies). What a spoke does not export
stays its own (concepts/spoke-filters-overview).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from types import MappingProxyType

from netplan_planner.model.base import Resource, SelfLink, last_part
from netplan_planner.model.project.networks import Route

MESH = "MESH"
"""The topology of a hub that states none."""
_MESH_GROUP, _CENTER, _EDGE = "default", "center", "edge"
_ACTIVE = "ACTIVE"
ALL_PRIVATE = "ALL_PRIVATE_IPV4_RANGES"
_ALL = {"ALL_IPV4_RANGES": 4, "ALL_IPV6_RANGES": 6}
"""Words of the API for all ranges of a version."""
WORDS = frozenset({ALL_PRIVATE, *_ALL})


class SpokeKind(StrEnum):
    """What a spoke links to its hub, in the words of the SKUs of spoke hours."""

    VPC = "VPC Network"
    PRODUCER = "producer VPC network"
    VPN = "VPN"
    INTERCONNECT = "Interconnect"
    APPLIANCE = "Router Appliance"
    OTHER = "other"

    @property
    def is_hybrid(self) -> bool:
        """Whether it brings the ranges of a site to its hub."""
        return self in {SpokeKind.VPN, SpokeKind.INTERCONNECT, SpokeKind.APPLIANCE}


class Hub(Resource, frozen=True, kw_only=True):
    """One hub of Network Connectivity Center."""

    topology: str = MESH
    """`MESH`, `STAR` or `HYBRID_INSPECTION`."""


class Spoke(Resource, frozen=True, kw_only=True):
    """One spoke of a hub."""

    hub: SelfLink
    kind: SpokeKind
    network: SelfLink | None = None
    """Of a VPC spoke."""
    linked: tuple[SelfLink, ...] = ()
    """Of a hybrid one its tunnels, VLAN attachments or router appliances, sorted."""
    group: str | None = None
    """`default` in a mesh, `center` or `edge` in a star; None: not stated."""
    state: str | None = None
    """`ACTIVE` where it takes part; None: not stated."""
    exported: tuple[str, ...] = (ALL_PRIVATE,)
    """Ranges, or the API's words for all of a kind."""
    not_exported: tuple[str, ...] = ()
    """Ranges that go before those that are exported."""

    @property
    def is_active(self) -> bool:
        """Whether it takes part; one that states no state is not known to."""
        return self.state == _ACTIVE

    def exports(self, block: str) -> bool:
        """Return whether other spokes get the route of a subnetwork's range, or of an address."""
        return _is_exported(block, self.exported, self.not_exported)


@lru_cache(4096)
def _is_exported(block: str, exported: tuple[str, ...], kept: tuple[str, ...]) -> bool:
    own = ip_network(block, strict=False)
    if any(_overlaps(text, own) for text in kept):
        return False
    return any(_covers(text, own) for text in exported)


def _covers(text: str, block: IPv4Network | IPv6Network) -> bool:
    if text == ALL_PRIVATE:
        return block.version == 4 and not block.is_global
    if text in _ALL:
        return block.version == _ALL[text]
    whole = ip_network(text, strict=False)
    return block[0] in whole and block[-1] in whole


def _overlaps(text: str, block: IPv4Network | IPv6Network) -> bool:
    return _covers(text, block) if text in WORDS else block.overlaps(ip_network(text, strict=False))


def _is_same_hub(one: SelfLink, other: SelfLink) -> bool:
    """Return whether two links name one hub; the project stands there by its id or number."""
    projects = [link.split("/")[1] for link in (one, other) if link.count("/")]
    is_numbered = any(project.isdigit() for project in projects)
    return one == other or (is_numbered and last_part(one) == last_part(other))


def _is_at(hubs: Iterable[SelfLink], hub: str) -> bool:
    return any(_is_same_hub(SelfLink(hub), one) for one in hubs)


Ranges = Mapping[SelfLink, Sequence[tuple[int, int, str]]]
"""IPv4 ranges of the subnetworks of networks: first and last address, and the text."""
_NO_RANGES: Ranges = MappingProxyType({})


class SpokePairs:
    """Which networks hubs join: by their VPC spokes; of those that were not read, by routes."""

    def __init__(
        self,
        hubs: Iterable[Hub],
        spokes: Iterable[Spoke],
        routes: Iterable[Route],
        ranges: Ranges = _NO_RANGES,
        *,
        is_whole: bool = True,
    ) -> None:
        """Keep what each network is; one that has several spokes is the active one.

        Args:
            hubs: Those that were read.
            spokes: Those that were read.
            routes: Of which those to a hub tell of spokes that were not, and those to what a
                hybrid spoke links of the ranges that it brings.
            ranges: Of the subnetworks that were read.
            is_whole: False: there is a spoke that was not understood, of whichever network.
        """
        self._is_whole = is_whole
        self._hubs = {hub.ref.self_link: hub for hub in hubs}
        self._spokes = {
            spoke.network: spoke
            for spoke in sorted(spokes, key=lambda spoke: spoke.is_active)
            if spoke.kind is SpokeKind.VPC and spoke.network is not None
        }
        self._hybrid = [spoke for spoke in spokes if spoke.kind.is_hybrid]
        self._routes, self._ranges = list(routes), ranges
        self._brought: dict[SelfLink, tuple[tuple[str, str], ...]] = {}
        self._told: dict[tuple[SelfLink, SelfLink], str] = {}
        self._routed: dict[SelfLink, set[str]] = {}
        for route in self._routes:
            if route.next_hop == "hub" and route.next_hop_target:
                self._routed.setdefault(route.network, set()).add(route.next_hop_target)
        self.is_empty = not (self._spokes or self._routed)

    def are_spokes(self, one: SelfLink, other: SelfLink) -> bool:
        """Return whether both are VPC spokes, or may be, of which Google peers no two.

        One that a hub gives routes is a spoke, whether it was read or not; where one was not
        understood any network may be it. docs.cloud.google.com/network-connectivity/docs/
        network-connectivity-center/concepts/vpc-spokes-overview
        """
        return one != other and (
            all(map(self._may_be_spoke, (one, other))) or bool(self._told_hub(one, other))
        )

    def _told_hub(self, one: SelfLink, other: SelfLink) -> str:
        """Return the hub by which a route of one network alone leads to another, or nothing.

        The routes of the other, in a project that was not read, are not known.
        """
        key = min(one, other), max(one, other)
        if key not in self._told:
            found = (self._leading(*pair) for pair in (key, key[::-1]))
            self._told[key] = next(filter(None, found), "")
        return self._told[key]

    def _leading(self, one: SelfLink, other: SelfLink) -> str:
        if one not in self._routed or other in self._routed or other in self._spokes:
            return ""
        ranges = self._ranges.get(other, ())
        for route in self._routes:
            if route.network != one or route.next_hop != "hub" or ":" in route.dest_range:
                continue
            block = ip_network(route.dest_range, strict=False)
            if block.prefixlen and any(
                int(block[0]) <= low and high <= int(block[-1]) for low, high, _ in ranges
            ):
                return route.next_hop_target or ""
        return ""

    def _may_be_spoke(self, network: SelfLink) -> bool:
        return network in self._spokes or network in self._routed or not self._is_whole

    def seen(self, one: SelfLink, other: SelfLink) -> str:
        """Return the hub that traffic between two networks passes that was seen, by name.

        It passes the hub of both, whatever is stated of groups, states and filters.
        """
        spokes = self._spokes.get(one), self._spokes.get(other)
        if spokes[0] is not None and spokes[1] is not None and one != other:
            is_one = _is_same_hub(spokes[0].hub, spokes[1].hub)
            return last_part(spokes[0].hub) if is_one else ""
        return self.hub(one, other) or last_part(self._told_hub(one, other))

    def hub(self, one: SelfLink, other: SelfLink) -> str:
        """Return the hub that joins two networks, by name, or nothing."""
        if one in self._spokes and other in self._spokes and one != other:
            return "" if self.why_apart(one, other) else self.own_hub(one)
        shared = self._routed.get(one, set()) & self._routed.get(other, set())
        return last_part(min(shared)) if shared else ""

    def own_hub(self, network: SelfLink) -> str:
        """Return the hub of which a network is an active VPC spoke, by name, or nothing."""
        spoke = self._spokes.get(network)
        return last_part(spoke.hub) if spoke is not None and spoke.is_active else ""

    def why_apart(self, one: SelfLink, other: SelfLink) -> str:
        """Return why no hub joins two networks that are VPC spokes, or nothing.

        A hub that was not read is known by the names of its groups.
        """
        if one not in self._spokes or other not in self._spokes:
            if told := last_part(self._told_hub(one, other)):
                side = last_part(one if one in self._routed else other)
                return f"only {side} has a known route over the hub {told}"
            joined = self._routed.get(one, set()) & self._routed.get(other, set())
            return "" if joined else "some spokes of their hub were not read or not understood"
        spokes = self._spokes[one], self._spokes[other]
        if not _is_same_hub(spokes[0].hub, spokes[1].hub):
            names = " and ".join(last_part(spoke.hub) for spoke in spokes)
            return f"they are spokes of two hubs, {names}"
        name, hub = last_part(spokes[0].hub), self._hubs.get(spokes[0].hub)
        idle = next((spoke for spoke in spokes if not spoke.is_active), None)
        if idle is not None:
            state = f"is {idle.state}" if idle.state else "may be inactive"
            return f"the spoke {idle.name} of the hub {name} {state}"
        groups = {spoke.group for spoke in spokes}
        is_mesh = hub.topology == MESH if hub is not None else groups == {_MESH_GROUP}
        if is_mesh or _CENTER in groups:
            return ""
        if groups == {_EDGE}:
            return f"both are in the edge group of the hub {name}, which has a star topology"
        return f"whether the hub {name} connects their groups is unknown"

    def _hubs_of(self, network: SelfLink) -> set[SelfLink]:
        """Return the hubs that a network is at, whatever is stated of its spoke's state."""
        spoke = self._spokes.get(network)
        routed = map(SelfLink, self._routed.get(network, ()))
        return {*routed, *((spoke.hub,) if spoke is not None else ())}

    def brought(self, network: SelfLink) -> tuple[tuple[str, str], ...]:
        """Return the IPv4 ranges that hubs bring to a network, and from where, in words.

        Those that the spokes of other networks export, those of routes to its hubs, of whichever
        network, and those of routes to what a hybrid spoke links.
        """
        if network not in self._brought:
            found = dict.fromkeys(self._bringing(network, self._hubs_of(network)))
            self._brought[network] = tuple(one for one in found if ":" not in one[0])
        return self._brought[network]

    def _bringing(self, network: SelfLink, hubs: set[SelfLink]) -> Iterator[tuple[str, str]]:
        if not hubs:
            return
        for other, spoke in self._spokes.items():
            if other != network and _is_at(hubs, spoke.hub):
                for _, _, text in self._ranges.get(other, ()):
                    if spoke.exports(text):
                        yield text, f"of {last_part(other)}, over the hub {last_part(spoke.hub)}"
        for route in self._routes:
            if route.next_hop == "hub" and _is_at(hubs, route.next_hop_target or ""):
                yield route.dest_range, f"over the hub {last_part(route.next_hop_target or '')}"
        for spoke in self._hybrid:
            for route in self._routes_to(spoke) if _is_at(hubs, spoke.hub) else ():
                yield route.dest_range, f"of the spoke {spoke.name}, over its hub"

    def untold(self, network: SelfLink) -> str:
        """Return a hybrid spoke at a hub of a network whose ranges are not known, by name."""
        hubs = self._hubs_of(network)
        found = (one for one in self._hybrid if _is_at(hubs, one.hub))
        return next((one.name for one in found if not any(self._routes_to(one))), "")

    def _routes_to(self, spoke: Spoke) -> Iterator[Route]:
        return (route for route in self._routes if route.next_hop_target in spoke.linked)

    def keeps(self, network: SelfLink, block: str) -> bool:
        """Return whether the spoke of a network does not tell the others of a range of it."""
        spoke = self._spokes.get(network)
        return spoke is not None and not spoke.exports(block)
