"""Everything that a rule may look at.

What a machine was seen to send and receive, by the better of two witnesses.
"""

from datetime import date
from decimal import Decimal
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from msgspec.structs import replace

from netplan_planner import units
from netplan_planner.model.base import SelfLink, Value
from netplan_planner.model.evidence.measurement import Measurement, MeasurementCoverage
from netplan_planner.model.evidence.metrics import Metric, Metrics, MetricSeries
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.model.evidence.traffic import (
    NO_TRAFFIC,
    Edge,
    Series,
    TrafficMatrix,
    VmTraffic,
)
from netplan_planner.model.limits import CapsBook
from netplan_planner.model.money.price_answers import Reconciliation
from netplan_planner.model.money.prices import PriceBook
from netplan_planner.model.path_class import Owner
from netplan_planner.model.plans.plan import MachineChooser
from netplan_planner.model.project.inventory import Inventory
from netplan_planner.model.project.resources import Instance, MachineShape, shape_of_custom
from netplan_planner.units import SECONDS_PER_HOUR


class MachineRates(Value, frozen=True, kw_only=True):
    """Rates of one machine, and who says so."""

    link: SelfLink
    egress: Series
    ingress: Series
    source: str
    """`flow logs`, or the metric."""
    observed_hours: float
    """Time behind the percentiles."""
    coarse_ratio: float = 0.0
    """Share of what it sends that is known by more than a minute, 0 to 1."""
    traffic: VmTraffic | None = None
    """What the traffic input says of the machine; None: nothing."""
    is_counted: bool = False
    """Counted on the machine, packet by packet, and no sample of flows."""


def observed_rates(
    link: SelfLink, traffic: TrafficMatrix | None, metrics: Metrics | None
) -> MachineRates | None:
    """Return what a machine was seen to send and receive; None: nothing tells of it.

    The counters of the machine's own interfaces go before flow logs, which are a sample: they count
    every packet with its headers. Where they are coarser than a minute and flow logs are not, the
    flow logs stay.
    """
    seen = traffic.vm_by_link.get(link) if traffic is not None else None
    sent = metrics.of(link, Metric.VM_SENT_BYTES) if metrics is not None else None
    received = metrics.of(link, Metric.VM_RECEIVED_BYTES) if metrics is not None else None
    if sent is not None and (seen is None or sent.is_by_minute or _is_of_metrics(traffic)):
        return _counted(link, sent, received, seen)
    if seen is None or traffic is None:
        return None
    return MachineRates(
        link=link,
        egress=seen.egress,
        ingress=seen.ingress,
        source=traffic.source.value,
        observed_hours=traffic.observed_seconds / SECONDS_PER_HOUR,
        coarse_ratio=seen.coarse_ratio,
        traffic=seen,
    )


def _is_of_metrics(traffic: TrafficMatrix | None) -> bool:
    return traffic is not None and traffic.is_of_metrics


def _counted(
    link: SelfLink, sent: MetricSeries, received: MetricSeries | None, seen: VmTraffic | None
) -> MachineRates:
    if received is not None:
        ingress = received.gbps()
    else:
        ingress = seen.ingress if seen is not None else NO_TRAFFIC
    return MachineRates(
        link=link,
        egress=sent.gbps(),
        ingress=ingress,
        source=f"Cloud Monitoring, {sent.metric.value.partition('/')[2]}",
        observed_hours=sent.observed_s / SECONDS_PER_HOUR,
        coarse_ratio=0.0 if sent.is_by_minute else 1.0,
        traffic=seen,
        is_counted=True,
    )


TARGET_LABEL = "netplan-target-mbps"
ROLE_LABEL = "netplan-role"
SERVICE_LABELS = (ROLE_LABEL, "service", "app")
"""Labels that say what a machine serves, the first that it has."""
PIN_LABEL = "netplan-pin"
LATENCY_LABEL = "netplan-latency"
"""`critical`: every round trip between two machines that both have it counts."""
LATENCY_CRITICAL = "critical"


class Target(Value, frozen=True, kw_only=True):
    """A wanted egress that a user declared, and where."""

    gbps: float
    source: str


class DeclaredLink(Value, frozen=True, kw_only=True):
    """What a user says that a host sends by its addresses of a range, and where."""

    range: str
    """`10.10.10.0/24`."""
    gbps: float
    source: str


class Facts(Value, frozen=True, kw_only=True, dict=True):
    """The only input of every core stage: same facts, same report, byte for byte."""

    inventory: Inventory
    traffic: TrafficMatrix | None
    """None when no traffic was given, which is not the same as no traffic seen."""
    pod_traffic: PodTraffic | None = None
    """The same traffic by workload and Service; None when no input names pods of a cluster."""
    prices: PriceBook
    caps: CapsBook
    machines: MachineChooser
    today: date
    """For ages of addresses and snapshots; the core has no clock."""
    thresholds: tuple[tuple[str, str, float], ...] = ()
    """(rule, name, value), every threshold of every rule, defaults included."""
    targets: tuple[tuple[SelfLink, Target], ...] = ()
    """Declared targets from files; those of labels are found on the instances."""
    links: tuple[DeclaredLink, ...] = ()
    """Links of hosts that are not Google's, as declared: what their interfaces can send."""
    measurements: tuple[Measurement, ...] | None = None
    """None when none were given, which is not the same as a store without any."""
    measurement_coverage: MeasurementCoverage | None = None
    """What was read of them; None as they are."""
    metrics: Metrics | None = None
    """None when Cloud Monitoring was neither asked nor given."""
    reconciliation: Reconciliation | None = None
    """The traffic against the bill; None when there is no bill to compare with, or no traffic."""
    why_not_reconciled: str = ""
    """Why a bill that was given cannot be compared; empty where none was, or where it was."""

    @cached_property
    def even(self) -> "Facts":
        """The same by prices that can be compared; itself where all of them can."""
        prices = self.prices.even
        if prices is self.prices:
            return self
        return replace(self, prices=prices, machines=self.machines.even)

    @cached_property
    def memo(self) -> dict[type, object]:
        """What stages have worked out of these facts, by what it is, to be asked for once."""
        return {}

    @cached_property
    def _threshold_by_name(self) -> dict[tuple[str, str], float]:
        return {(rule, name): value for rule, name, value in self.thresholds}

    def threshold(self, rule: str, name: str) -> float:
        """Return a rule's threshold.

        Raises:
            KeyError: If the rule does not declare it; a mistake in the rule.
        """
        return self._threshold_by_name[rule, name]

    @cached_property
    def _target_by_link(self) -> dict[SelfLink, Target]:
        return dict(self.targets)

    def target(self, instance: Instance) -> Target | None:
        """Return the wanted egress of a machine: from a file, else from its label."""
        declared = self._target_by_link.get(instance.ref.self_link)
        if declared is not None:
            return declared
        label = instance.label(TARGET_LABEL)
        if label is None or not _is_rate(label):
            return None
        gbps = int(label) / units.MEGABITS_PER_GIGABIT
        return Target(gbps=gbps, source=f"label {TARGET_LABEL}={label}")

    def why_no_target(self, instance: Instance) -> str:
        """Return what is wrong with a declared target, or nothing when none is declared."""
        label = instance.label(TARGET_LABEL)
        if label is None or _is_rate(label) or self.target(instance) is not None:
            return ""
        return f"label {TARGET_LABEL}={label!r} must be a whole number of Mbit/s above 0"

    @cached_property
    def _link_ranges(self) -> tuple[tuple[IPv4Network | IPv6Network, DeclaredLink], ...]:
        ranges = [(ip_network(link.range), link) for link in self.links]
        return tuple(sorted(ranges, key=lambda one: -one[0].prefixlen))

    def link_of(self, address: str) -> DeclaredLink | None:
        """Return the declared link of an address, of several the one of the narrowest range."""
        try:
            wanted = ip_address(address)
        except ValueError:
            return None
        return next((link for network, link in self._link_ranges if wanted in network), None)

    def shape(self, machine_type: str) -> MachineShape | None:
        """Return a type's shape: as the input states it, else the catalogue, else its name."""
        return (
            self.inventory.shape_by_type.get(machine_type)
            or self.prices.shape(machine_type)
            or shape_of_custom(machine_type)
        )

    def gib_per_month(self, byte_count: int) -> Decimal:
        """Return the monthly GiB of bytes seen in the window, if it is a usual one.

        Raises:
            ValueError: If there is no traffic.
        """
        if self.traffic is None:
            raise ValueError("a monthly volume needs traffic")
        return units.gib_per_month(byte_count, self.traffic.month_seconds)

    @property
    def seen_traffic(self) -> TrafficMatrix:
        """The traffic, for those that are asked only where there is some."""
        assert self.traffic is not None
        return self.traffic

    def src(self, edge: Edge) -> Owner:
        """Return the sender of an edge."""
        assert self.traffic is not None
        return self.traffic.owners[edge.src]

    def dst(self, edge: Edge) -> Owner:
        """Return the receiver of an edge."""
        assert self.traffic is not None
        return self.traffic.owners[edge.dst]

    @cached_property
    def machine_rates(self) -> tuple[MachineRates, ...]:
        """What each machine was seen to send, where that is known over a window, by self link."""
        has_window = self.traffic is not None and not self.traffic.is_steady
        found = (self.rates_of(instance) for instance in self.inventory.instances)
        kept = (rates for rates in found if rates and (rates.is_counted or has_window))
        return tuple(sorted(kept, key=lambda rates: rates.link))

    def rates_of(self, instance: Instance) -> MachineRates | None:
        """Return what a machine was seen to send and receive; None: nothing tells of it.

        The one place where it is decided what tells of it.
        """
        return observed_rates(instance.ref.self_link, self.traffic, self.metrics)

    def instance(self, owner: Owner) -> Instance | None:
        """Return the machine behind an owner, or None."""
        return self.inventory.instance_by_link.get(owner.link) if owner.link else None


def _is_rate(label: str) -> bool:
    """Return whether a label is a whole number of Mbit/s; labels have 63 characters at most."""
    return label.isascii() and label.isdigit() and int(label) > 0
