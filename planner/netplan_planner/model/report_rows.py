"""The one result of an audit; every output format is a rendering of it.

The bill of a month of a project, by kind of what is paid.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Text, Value
from netplan_planner.model.finding import Confidence
from netplan_planner.model.limits import Estimate
from netplan_planner.model.money.prices import LineItem
from netplan_planner.model.path_class import PathClass


class MonthBill(Value, frozen=True, kw_only=True):
    """What a month costs, by kind; parts without a known price are in no sum."""

    machines_usd: Decimal
    """With Tier_1 fees, attached GPUs and Local SSDs; without other disks and licences."""
    machine_parts: tuple[tuple[str, Decimal], ...] = ()
    """Of that: `Tier_1`, `GPUs` and `Local SSDs`, where there are any."""
    addresses_usd: Decimal
    """Of machines, and reserved ones that nothing has; hours that are free once are not off."""
    addresses_note: str = ""
    """What is free of them."""
    addresses_free_usd: Decimal = Decimal(0)
    """What that takes off at most: other projects of the billing account may use those hours."""
    traffic_usd: Decimal | None
    """None: no traffic was given."""
    services_usd: Decimal
    """Gateways, tunnels, forwarding rules, flow logs, and the fees of GKE."""
    commitments_usd: Decimal | None
    """The fees of commitments less what they cover, which is in the machines; None: not known."""
    commitments_unknown: str = ""
    """Why it is not known."""
    unpriced_machine_count: int
    unlisted_nodes: int = 0
    """Nodes of Kubernetes whose machines are in no inventory: what they cost is in no sum."""
    unlisted_machines: int = 0
    """Other machines that the traffic names and no inventory has."""
    unlisted_groups: int = 0
    """Managed groups, node pools and clusters whose machines are in no inventory, nor seen."""
    unpriced_address_count: int = 0
    """Reserved ones that nothing has, without a known price."""
    unpriced_low_usd: Decimal
    """Of traffic and services without a known price: at least."""
    unpriced_high_usd: Decimal | None
    """At most; None: nothing bounds it."""
    unpriced_gib: Decimal
    low_usd_per_month: Decimal | None = None
    """The total at the least that a month can have of the traffic; None: the window leaves nothing
    open."""
    high_usd_per_month: Decimal | None = None
    """At the most."""

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of what is known."""
        known = self.machines_usd + self.addresses_usd + self.services_usd
        return known + (self.traffic_usd or Decimal(0)) + (self.commitments_usd or Decimal(0))

    @property
    def least_usd_per_month(self) -> Decimal:
        """The same with the least of what is known between bounds: the total to show."""
        return self.usd_per_month + self.unpriced_low_usd

    @property
    def is_whole(self) -> bool:
        """Whether all of it has a known price."""
        is_bounded = not self.unpriced_low_usd and self.unpriced_high_usd == 0
        unpriced = self.unpriced_machine_count + self.unpriced_address_count
        unpriced += self.unlisted_nodes + self.unlisted_machines + self.unlisted_groups
        return is_bounded and not unpriced and not self.commitments_unknown


SCHEMA = "netplan.report/1"


class Direction(StrEnum):
    """Which side of traffic is the project's own."""

    SENT = "sent"
    """By own machines: what they are billed for."""
    RECEIVED = "received"
    """By own machines or load balancers, from others: free, but for what Cloud NAT or a load
    balancer processes on the way."""
    ELSEWHERE = "elsewhere"
    """No end is in the inventory: who pays what is not known."""


class Unpriced(Value, frozen=True, kw_only=True):
    """What of a bill has no known price, why, and between which two sums it is."""

    name: str
    """Such as `internet, us-central1`."""
    quantity: Decimal
    unit: str
    """`GiB`, or what is counted: `gateway`."""
    reason: str
    lowest_usd_per_month: Decimal | None = None
    """Both None where nothing bounds it. Counted over the steps of every price that may apply."""
    highest_usd_per_month: Decimal | None = None
    what_tells: str = ""
    """What evidence would settle it."""


def unpriced_span(unpriced: Sequence[Unpriced]) -> tuple[Decimal, Decimal | None]:
    """Return between what the unpriced parts of a bill are; no upper end where one has none."""
    low = sum((one.lowest_usd_per_month or Decimal(0) for one in unpriced), Decimal(0))
    highs = [one.highest_usd_per_month for one in unpriced]
    known = [one for one in highs if one is not None]
    return low, sum(known, Decimal(0)) if len(known) == len(highs) else None


class ServiceTotal(Value, frozen=True, kw_only=True):
    """What a network service costs a month beside the traffic that it carries."""

    service: str
    """`cloud-nat`, `cloud-vpn`, `vlan-attachments`, `hub-spokes`, `forwarding-rules`,
    `psc-endpoints`, `flow-logs`, `gke-clusters`, `gke-ambient-networking` or
    `sole-tenant-nodes`."""
    count: int
    """Of gateways, tunnels, spokes, rules, logging subnetworks, clusters, pods or nodes."""
    usd_per_month: Decimal | None
    """The sum of `line_items`; None where no part has a price."""
    line_items: tuple[LineItem, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()
    note: Text = ""


HUB_WORK = "Network Connectivity Center"
"""How the lines begin of what a hub charges for data transfer
(cloud.google.com/network-connectivity/pricing)."""


class ClassTotal(Value, frozen=True, kw_only=True):
    """All traffic of one path class; money None where no part has a price or none is modelled.

    Money is the sum of `line_items`, one per price and place; what has no price is in `unpriced`,
    so that the sum is a lower bound where there is any.
    """

    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    edge_count: int
    price_note: str = ""
    direction: Direction = Direction.SENT
    line_items: tuple[LineItem, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()

    @property
    def over_hubs(self) -> tuple[LineItem, ...]:
        """The lines of what hubs charge for data, each of what goes over one."""
        return tuple(item for item in self.line_items if item.name.startswith(HUB_WORK))


class ZonePair(Value, frozen=True, kw_only=True):
    """Traffic from one zone to another over internal or external addresses.

    Money is the sum of `line_items`; what has no price is in `unpriced`.
    """

    src_zone: str
    dst_zone: str
    path_class: PathClass
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    max_gbps: float
    """The fastest minute of any one pair of machines."""
    rtt_ms: float | None
    predicted: Estimate | None
    """Of the pair of machines with the most traffic, over as many connections as it takes."""
    pair: str
    """That pair: `sender → receiver`."""
    one_flow: Estimate | None = None
    """What the same pair gets over a single connection."""
    one_flow_both_ways: Estimate | None = None
    """The same in each direction, while a connection of the other direction sends too."""
    line_items: tuple[LineItem, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()


MAYBE_ADDRESS = "(unknown)"
"""Stands among the external addresses of a machine where a plan leaves open if it gets some."""


class MachineRow(Value, frozen=True, kw_only=True, gc=False):
    """What one machine may send and costs, by its configuration; None: not known."""

    project: str
    region: str
    zone: str
    name: str
    machine_type: str
    status: str
    is_stopped: bool
    """It costs nothing but disks and addresses."""
    is_suspended: bool
    """It pays for its memory, beside disks and addresses."""
    is_spot: bool
    is_tier1: bool
    egress_gbps: float | None
    """All it may send inside the VPC."""
    egress_source: str
    external_gbps: float | None
    """All it may send to addresses outside the VPC."""
    external_source: str
    cap_unknown: str
    """Why its caps are not known, or between which two values one lies."""
    nic_types: tuple[str, ...]
    """As the interfaces state them; empty where they state none, which is usual."""
    nic_types_possible: tuple[str, ...]
    """What its type can have; empty: not known."""
    mtu_bytes: int | None
    """Of the network of its first interface."""
    external_addresses: tuple[str, ...]
    """In parentheses where a planned machine gets one, or may get some."""
    machine_usd_per_month: Decimal | None
    """With its Tier_1 fee and attached GPUs; without disks and licences."""
    address_usd_per_month: Decimal | None
    """Of its external IPv4 addresses."""
    price_unknown: str
    egress_p95_gbps: float | None = None
    """95th percentile of the one-minute means of all that it sends; None: not seen."""
    egress_max_gbps: float | None = None
    """Its busiest minute."""
    external_p95_gbps: float | None = None
    """The same of what leaves the VPC."""
    external_max_gbps: float | None = None

    @property
    def is_off(self) -> bool:
        """Whether it is stopped or suspended."""
        return self.is_stopped or self.is_suspended

    @property
    def usd_per_month(self) -> Decimal | None:
        """What it costs with its external addresses; None: part of it is not known."""
        machine, addresses = self.machine_usd_per_month, self.address_usd_per_month
        return None if machine is None or addresses is None else machine + addresses


class NotEvaluated(Value, frozen=True, kw_only=True):
    """A rule, or some resources of one, that could not be judged; never shown as passed."""

    rule: str
    reason: str
    kind: str
    """`missing-evidence`, `gap` (some resources only), `crashed`, or `deselected`."""
    resource_count: int = 0
    examples: tuple[str, ...] = ()


class Note(Value, frozen=True, kw_only=True):
    """What a rule says of the tool's own data, without severity: it fails no run."""

    rule: str
    subject: str
    text: Text
    fix: str


class Suppressed(Value, frozen=True, kw_only=True):
    """A finding that the user chose not to see."""

    rule: str
    subject: str
    reason: str
    source: str
    """The file or label that says so."""
    expires: date | None
    saving_usd_per_month: Decimal | None
    fingerprint: str


class ExpiredSuppression(Value, frozen=True, kw_only=True):
    """A suppression whose date has passed: it suppresses nothing."""

    rule: str
    resource: str
    reason: str
    source: str
    expires: date


class Filtered(Value, frozen=True, kw_only=True):
    """A finding below `--severity` or `--min-saving`: counted, not shown."""

    rule: str
    subject: str
    severity: str
    confidence: Confidence = Confidence.HIGH
    saving_usd_per_month: Decimal | None
    why: str
    fingerprint: str
