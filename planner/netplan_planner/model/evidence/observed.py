"""What a machine was seen to send and receive, by the better of two witnesses."""

from netplan_planner.model.base import SelfLink, Value
from netplan_planner.model.evidence.metrics import Metric, Metrics, MetricSeries
from netplan_planner.model.evidence.traffic import NO_TRAFFIC, Series, TrafficMatrix, VmTraffic
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
