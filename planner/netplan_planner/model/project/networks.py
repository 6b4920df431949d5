"""Networks of a project, what stands between them and the world, and how ends are set up."""

from datetime import datetime

from netplan_planner.model.base import ProjectId, Region, Resource, ResourceRef, SelfLink, Value

DEFAULT_MTU_BYTES = 1460
"""MTU of a VPC network that states none (cloud.google.com/vpc/docs/mtu, read 2026-04-02)."""


class FlowLogConfig(Value, frozen=True, kw_only=True):
    """`logConfig` of a subnetwork; a ratio is 0 to 1, None when not stated."""

    enabled: bool
    sampling_ratio: float | None = None
    aggregation_interval: str | None = None
    metadata: str | None = None
    filter_expr: str | None = None


class Subnetwork(Value, frozen=True, kw_only=True):
    """One subnetwork and its ranges."""

    ref: ResourceRef
    project: ProjectId
    region: Region
    name: str
    network: SelfLink
    ipv4_range: str | None = None
    secondary_ranges: tuple[str, ...] = ()
    ipv6_range: str | None = None
    purpose: str | None = None
    private_google_access: bool | None = None
    stack_type: str | None = None
    flow_logs: FlowLogConfig | None = None
    """None when the input says nothing of flow logs, which is not the same as off."""


class FlowLogsConfiguration(Value, frozen=True, kw_only=True):
    """A configuration of flow logs of the Network Management API, apart from subnetworks' own.

    Each one that covers a flow writes records of its own. Where none of the targets is set it
    covers an organisation.
    """

    ref: ResourceRef
    project: ProjectId
    """Empty for one of an organisation."""
    name: str
    logs: FlowLogConfig
    network: SelfLink | None = None
    subnetwork: SelfLink | None = None
    gateway: SelfLink | None = None
    """A VPN tunnel or VLAN attachment."""

    def covers(self, subnetwork: Subnetwork) -> bool:
        """Return whether machines of a subnetwork are logged by it while it is enabled."""
        if self.gateway is not None:
            return False
        if self.subnetwork is not None:
            return self.subnetwork == subnetwork.ref.self_link
        return self.network is None or self.network == subnetwork.network


class Peering(Value, frozen=True, kw_only=True):
    """One side of a VPC peering."""

    name: str
    network: SelfLink
    is_active: bool


class Network(Resource, frozen=True, kw_only=True):
    """One VPC network."""

    mtu_bytes: int | None = DEFAULT_MTU_BYTES
    """None: it is not made yet, and Google says when it makes it."""
    peerings: tuple[Peering, ...] = ()
    routing_mode: str | None = None
    is_auto_mode: bool | None = None
    """Whether Google makes its subnetworks, all within 10.128.0.0/9; None: not stated."""
    legacy_ipv4_range: str | None = None
    """Of a legacy network, which has no subnetworks and cannot be peered; None: a VPC network."""


class Address(Resource, frozen=True, kw_only=True):
    """A reserved (static) address or range."""

    address: str
    is_external: bool
    region: Region | None = None
    """None for a global address."""
    status: str | None = None
    """`IN_USE`, `RESERVED`, `RESERVING`, or None."""
    users: tuple[SelfLink, ...] = ()
    network_tier: str | None = None
    purpose: str | None = None
    prefix_length: int | None = None
    network: SelfLink | None = None
    """Of an internal range that is reserved in one network."""
    created: datetime | None = None
    labels: tuple[tuple[str, str], ...] = ()


class ProjectSettings(Resource, frozen=True, kw_only=True):
    """What Compute Engine holds of a project itself."""

    default_network_tier: str | None = None
    """Of external addresses that name none: `PREMIUM` or `STANDARD`; None: not stated."""


class ForwardingRule(Resource, frozen=True, kw_only=True):
    """A load balancer's front: an address and where it leads."""

    ip_address: str | None
    scheme: str | None
    """`EXTERNAL`, `EXTERNAL_MANAGED`, `INTERNAL`, …; None for Private Service Connect."""
    region: Region | None = None
    network: SelfLink | None = None
    subnetwork: SelfLink | None = None
    target: SelfLink | None = None
    backend_service: SelfLink | None = None
    network_tier: str | None = None
    port_range: str | None = None
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def is_external(self) -> bool:
        """Whether its address is reachable from the internet."""
        return self.scheme is not None and self.scheme.startswith("EXTERNAL")

    @property
    def is_external_passthrough(self) -> bool:
        """Whether packets from outside reach its back ends as they are, and are answered directly.

        Proxies of the scheme `EXTERNAL` have a target that names a proxy; behind a passthrough
        load balancer stand a backend service, a target pool or (protocol forwarding) an instance
        (docs.cloud.google.com/load-balancing/docs/forwarding-rule-concepts).
        """
        if self.scheme != "EXTERNAL":
            return False
        target = self.target or ""
        return not target if self.backend_service else any(p in target for p in _PASSTHROUGH)


_PASSTHROUGH = ("/targetPools/", "/targetInstances/")


class NatGateway(Value, frozen=True, kw_only=True):
    """One NAT configuration of a router; `addresses` are links or literal addresses."""

    name: str
    router: SelfLink
    network: SelfLink
    region: Region
    is_auto_allocated: bool | None = None
    addresses: tuple[str, ...] = ()
    """All that it holds and that are paid: of its pool, of its rules, and those it drains."""
    outside_pool: tuple[str, ...] = ()
    """Those of them that are of its rules, or drained."""
    source_ranges: str | None = None
    subnetworks: tuple[SelfLink, ...] = ()
    min_ports_per_vm: int | None = None
    """None: not stated, so the default of its way of allocation holds."""
    max_ports_per_vm: int | None = None
    """Of dynamic allocation alone."""
    is_dynamic: bool | None = None
    """Whether machines get more ports as they need them; None: not stated."""
    is_endpoint_independent: bool | None = None
    """Whether a machine's address and port keep theirs to every destination; None: not stated."""
    is_private: bool = False
    """Private NAT, between networks: nothing reaches the internet through it."""


class Router(Resource, frozen=True, kw_only=True):
    """One Cloud Router."""

    region: Region
    network: SelfLink
    nats: tuple[NatGateway, ...] = ()


class Route(Resource, frozen=True, kw_only=True):
    """One route.

    `next_hop` is `gateway`, `instance`, `ip`, `vpn`, `ilb`, `peering`, `network`, `hub`,
    `interconnect` or `unknown`.
    """

    network: SelfLink
    dest_range: str
    next_hop: str
    next_hop_target: str | None = None
    priority: int | None = None
    tags: tuple[str, ...] = ()


class VpnTunnel(Resource, frozen=True, kw_only=True):
    """One Cloud VPN tunnel."""

    region: Region | None
    peer_ip: str | None = None
    peer_gateway: SelfLink | None = None
    vpn_gateway: SelfLink | None = None
    router: SelfLink | None = None
    status: str | None = None


class VlanAttachment(Resource, frozen=True, kw_only=True):
    """One VLAN attachment of Cloud Interconnect."""

    region: Region | None
    kind: str | None = None
    """`DEDICATED`, `PARTNER`, `PARTNER_PROVIDER`, …: who sets its capacity."""
    bandwidth: str | None = None
    """Its capacity as the API spells it: `BPS_10G`; None where the input states none."""
    router: SelfLink | None = None
    is_enabled: bool | None = None
    """False: it carries no packets; None: not stated."""
    mtu_bytes: int | None = None
    state: str | None = None
    """`ACTIVE`, `DEFUNCT`, …; None: not stated, as of one that is planned."""


class SetUp(Value, frozen=True, kw_only=True):
    """What somebody set on the machine at an end, which no machine type tells.

    Paths whose ends are set up alike share what probes teach of windows and of starts.
    """

    image: str = ""
    """What tells it from others: the names of its licences, or any name; empty: not known."""
    congestion_control: str = ""
    """As the kernel names it; empty: not known, CUBIC as Linux has it."""
    receive_buffer_bytes: int | None = None
    """The greatest of one connection, as the system counts it: net.ipv4.tcp_rmem's last value."""
    send_buffer_bytes: int | None = None
    """The same of what it sends: net.ipv4.tcp_wmem's last value."""


STOCK = SetUp()
"""Nobody told: buffers and congestion control as Linux has them."""
