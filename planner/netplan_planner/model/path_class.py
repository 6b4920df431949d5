"""Which way bytes take, who owns an end of it, and how sure that is."""

from enum import StrEnum

from netplan_planner.model.base import ProjectId, Region, SelfLink, Value, Zone, region_of


class PathClass(StrEnum):
    """The way a flow takes; every flow has exactly one (docs/reference/glossary.md)."""

    SAME_ZONE_INTERNAL = "same-zone-internal"
    SAME_ZONE_EXTERNAL = "same-zone-external"
    INTER_ZONE_INTERNAL = "inter-zone-internal"
    INTER_ZONE_EXTERNAL = "inter-zone-external"
    INTER_REGION_INTERNAL = "inter-region-internal"
    INTER_REGION_EXTERNAL = "inter-region-external"
    INTERNET = "internet"
    GOOGLE_APIS = "google-apis"
    LOAD_BALANCER = "load-balancer"
    NAT = "nat"
    HYBRID = "hybrid"
    SAME_NODE_POD = "same-node-pod"
    SAME_ZONE_INTERNAL_POD = "same-zone-internal-pod"
    INTER_ZONE_INTERNAL_POD = "inter-zone-internal-pod"
    INTER_REGION_INTERNAL_POD = "inter-region-internal-pod"
    UNKNOWN = "unknown"
    """Bytes without an owner: shown, never priced, never counted as internal or internet."""

    @property
    def is_between_own_vms(self) -> bool:
        """Whether both ends are machines that netplan knows."""
        return self.distance is not None or self is PathClass.SAME_NODE_POD

    @property
    def is_external_address(self) -> bool:
        """Whether the packet was addressed to an external address of one of our machines."""
        return self in _EXTERNAL

    @property
    def distance(self) -> str | None:
        """`same-zone`, `inter-zone` or `inter-region` between own machines, else None."""
        return _DISTANCE[self]

    @property
    def over_internal_address(self) -> "PathClass":
        """The class of the same two machines over internal addresses."""
        return (
            PathClass(self.value.removesuffix("-external") + "-internal")
            if (self.is_external_address)
            else self
        )

    def between(self, src_zone: Zone, dst_zone: Zone) -> "PathClass":
        """Return the class of the same traffic between machines of two zones.

        How it is addressed stays. Only for classes between own machines.

        >>> PathClass.INTER_REGION_EXTERNAL.between(Zone("us-east1-b"), Zone("us-east1-c")).value
        'inter-zone-external'
        """
        if self.distance is None:
            raise ValueError(f"{self.value} is not a path between two of your VMs")
        same_region = region_of(src_zone) == region_of(dst_zone)
        now = "same-zone" if src_zone == dst_zone else "inter-zone"
        return PathClass(
            (now if same_region else "inter-region") + self.removeprefix(self.distance)
        )

    @property
    def is_pod(self) -> bool:
        """Whether pods of a cluster talk over its own network."""
        return self.value.endswith("-pod")

    @property
    def leaves_vpc(self) -> bool:
        """Whether the documented cap for flows to addresses outside the VPC applies."""
        return self.is_external_address or self in {PathClass.INTERNET, PathClass.NAT}


# Asked of every edge, so looked up and not worked out.
_DISTANCE = {
    path_class: next(
        (d for d in ("same-zone", "inter-zone", "inter-region") if path_class.startswith(d)), None
    )
    for path_class in PathClass
}
_EXTERNAL = frozenset(c for c in PathClass if c.endswith("-external"))


class OwnerKind(StrEnum):
    """What an address belongs to."""

    VM = "vm"
    LOAD_BALANCER = "load-balancer"
    NAT = "nat"
    GOOGLE_API = "google-api"
    HYBRID = "hybrid"
    OTHER_PROJECT = "other-project"
    PLACE = "place"
    """Machines of one's own in a zone and network that the input does not tell apart."""
    INTERNET = "internet"
    UNKNOWN = "unknown"


class Certainty(StrEnum):
    """How sure it is that the owner held the address at the time of the flow."""

    RECORDED = "recorded"
    """The flow record itself names the machine."""
    HELD = "held"
    """Internal, static, or held without a break since before the flow."""
    ASSUMED = "assumed"
    """An ephemeral address whose holder may have changed since."""

    @property
    def rank(self) -> int:
        """0 for the surest; the greatest rank of several is the one that counts."""
        return _CERTAINTY_RANK[self]


_CERTAINTY_RANK = {certainty: rank for rank, certainty in enumerate(Certainty)}


class Owner(Value, frozen=True, kw_only=True):
    """One end of a flow after its address has been looked up.

    `key` is unique and stable: a self link, `internet:<area>`, `google-api:<service>`,
    `project:<id>/<network>` or `unknown:<address>`.
    """

    kind: OwnerKind
    key: str
    name: str
    project: ProjectId | None = None
    zone: Zone | None = None
    region: Region | None = None
    network: SelfLink | None = None
    subnetwork: SelfLink | None = None
    link: SelfLink | None = None
    """The instance, forwarding rule, router or address; None for what is not ours."""
    area: str | None = None
    """Continent (and country, where the record says) of an internet peer; None when unknown."""
