"""The metrics that are read, and how the series of one resource become one.

Kinds, units and labels: docs.cloud.google.com/monitoring/api/metrics_gcp_i_o (2026-04-14), the
tables of compute, router, serviceruntime and vpn beside it, and
docs.cloud.google.com/nat/docs/monitoring (2026-04-08). The kind and unit of a series itself go
before these: an alignment changes both.
"""

from enum import StrEnum
from typing import NamedTuple

from netplan_planner.model import MeasuredKind, Metric

FLOW_EGRESS = "networking.googleapis.com/vm_flow/egress_bytes_count"
FLOW_INGRESS = "networking.googleapis.com/vm_flow/ingress_bytes_count"
FLOW_RTT = "networking.googleapis.com/vm_flow/rtt"
FLOW_METRICS = frozenset({FLOW_EGRESS, FLOW_INGRESS, FLOW_RTT})

BYTES_PER_S = "By/s"
PACKETS_PER_S = "{packet}/s"
RATIO = "1"
_PERCENT = 0.01


class Join(StrEnum):
    """How series of one resource that differ in a label become one."""

    SUM = "sum"
    MOST = "most"


class Known(NamedTuple):
    """One metric. Labels other than `parts` are added up without being told."""

    metric: Metric
    kind: MeasuredKind
    unit: str
    """Of the summary; counters have a rate."""
    is_counter: bool = True
    join: Join = Join.SUM
    parts: tuple[str, ...] = ()
    """Labels by whose values there are series beside the sum."""
    apart: tuple[str, ...] = ()
    """Labels by whose values there are series and no sum: they are different things."""
    only: tuple[str, str] | None = None
    """A label and the value that a series must have."""
    factor: float = 1.0
    """What turns a value into the unit."""


def _counters(
    kind: MeasuredKind, unit: str, *metrics: Metric, parts: tuple[str, ...] = ()
) -> list[Known]:
    return [Known(metric, kind, unit, parts=parts) for metric in metrics]


def _gauge(
    metric: Metric,
    kind: MeasuredKind,
    unit: str,
    join: Join = Join.SUM,
    *,
    apart: tuple[str, ...] = (),
    only: tuple[str, str] | None = None,
    factor: float = 1.0,
) -> Known:
    return Known(
        metric, kind, unit, is_counter=False, join=join, apart=apart, only=only, factor=factor
    )


_M, _VM = Metric, MeasuredKind.MACHINE
_NAT, _VPN = MeasuredKind.NAT, MeasuredKind.VPN_TUNNEL
_VLAN, _LB, _QUOTA = (
    MeasuredKind.VLAN_ATTACHMENT,
    MeasuredKind.LOAD_BALANCER,
    MeasuredKind.QUOTA,
)

_ALL = [
    # `loadbalanced`: through an address of a passthrough load balancer.
    *_counters(_VM, BYTES_PER_S, _M.VM_SENT_BYTES, _M.VM_RECEIVED_BYTES, parts=("loadbalanced",)),
    *_counters(
        _VM, PACKETS_PER_S, _M.VM_SENT_PACKETS, _M.VM_RECEIVED_PACKETS, parts=("loadbalanced",)
    ),
    _gauge(_M.VM_CPU, _VM, RATIO, Join.MOST),
    # The other states (buffered, cached, free, slab) are no need.
    _gauge(_M.VM_MEMORY, _VM, RATIO, Join.MOST, only=("state", "used"), factor=_PERCENT),
    _gauge(_M.VM_BALLOON_USED, _VM, "By", Join.MOST),
    *_counters(_VM, BYTES_PER_S, _M.VM_DISK_WRITE_BYTES),
    _gauge(_M.VM_NAT_ALLOCATED_PORTS, _VM, "{port}"),
    _gauge(_M.VM_NAT_PORT_USAGE, _VM, "{port}", Join.MOST),
    *_counters(_VM, PACKETS_PER_S, _M.VM_NAT_DROPPED_SENT, parts=("reason",)),
    *_counters(_VM, BYTES_PER_S, _M.VM_NAT_SENT_BYTES, _M.VM_NAT_RECEIVED_BYTES),
    _gauge(_M.NAT_ALLOCATED_PORTS, _NAT, "{port}"),
    _gauge(_M.NAT_PORT_USAGE, _NAT, "{port}", Join.MOST),
    *_counters(_NAT, PACKETS_PER_S, _M.NAT_DROPPED_SENT, parts=("reason",)),
    *_counters(_NAT, PACKETS_PER_S, _M.NAT_DROPPED_RECEIVED),
    _gauge(_M.NAT_ALLOCATION_FAILED, _NAT, RATIO, Join.MOST),
    *_counters(_NAT, BYTES_PER_S, _M.NAT_SENT_BYTES, _M.NAT_RECEIVED_BYTES),
    *_counters(_VPN, BYTES_PER_S, _M.VPN_SENT_BYTES, _M.VPN_RECEIVED_BYTES),
    *_counters(
        _VPN,
        PACKETS_PER_S,
        _M.VPN_SENT_PACKETS,
        _M.VPN_RECEIVED_PACKETS,
        _M.VPN_DROPPED_SENT,
        _M.VPN_DROPPED_RECEIVED,
    ),
    _gauge(_M.ATTACHMENT_CAPACITY, _VLAN, BYTES_PER_S, Join.MOST),
    *_counters(_VLAN, BYTES_PER_S, _M.ATTACHMENT_SENT_BYTES, _M.ATTACHMENT_RECEIVED_BYTES),
    *_counters(
        _VLAN,
        PACKETS_PER_S,
        _M.ATTACHMENT_DROPPED_SENT,
        _M.ATTACHMENT_DROPPED_RECEIVED,
        parts=("drop_reason",),
    ),
    *_counters(
        _LB, BYTES_PER_S, *(metric for metric in Metric if metric.startswith("loadbalancing."))
    ),
    *_counters(MeasuredKind.SUBNETWORK, "1/s", _M.PREDICTED_LOGS),
    _gauge(_M.QUOTA_LIMIT, _QUOTA, RATIO, Join.MOST, apart=("limit_name",)),
    # Counts of a unit that the quota itself has (bits, requests, …).
    *_counters(_QUOTA, "1/s", _M.QUOTA_RATE),
    _gauge(_M.QUOTA_USAGE, _QUOTA, RATIO, Join.MOST),
    _gauge(_M.INTER_REGION_LIMIT, _QUOTA, RATIO, Join.MOST, apart=("limit_name",)),
    _gauge(_M.INTER_REGION_USAGE, _QUOTA, RATIO, Join.MOST, apart=("limit_name",)),
]

KNOWN: dict[str, Known] = {known.metric.value: known for known in _ALL}


def is_read(metric_type: str) -> bool:
    """Return whether a metric is of any use here."""
    return metric_type in KNOWN or metric_type in FLOW_METRICS


def known_as(column: str, keys: frozenset[str]) -> tuple[str | None, str]:
    """Return the metric type behind a column of a query; None, and why, where it cannot be told.

    A query names its columns after the last part of the metric (`value.nat_allocation_failed`,
    `value_dropped_sent_packets_count_aggregate`); the labels tell whose it is.

    Args:
        column: The column's key.
        keys: The keys of the labels that each series has, such as `resource.gateway_name`.
    """
    name = column.removeprefix("value").lstrip("._")
    for suffix in ("_aggregate", "_mean", "_max", "_sum", "_min"):
        name = name.removesuffix(suffix)
    named = [known for known in _ALL if known.metric.rpartition("/")[2] == name]
    if not named:
        return None, "a metric that is not supported"
    kinds = {kind for kind, told in _TOLD_BY.items() if told & keys}
    found = [known.metric.value for known in named if known.kind in kinds]
    if len(found) != 1:
        return None, "its labels do not identify the resource"
    return found[0], ""


_TOLD_BY = {
    MeasuredKind.MACHINE: frozenset({"resource.instance_id", "metric.instance_name"}),
    MeasuredKind.NAT: frozenset({"resource.gateway_name", "resource.router_id"}),
    MeasuredKind.VPN_TUNNEL: frozenset({"metric.tunnel_name"}),
    MeasuredKind.VLAN_ATTACHMENT: frozenset({"resource.attachment"}),
    MeasuredKind.LOAD_BALANCER: frozenset({"resource.forwarding_rule_name"}),
    MeasuredKind.QUOTA: frozenset({"metric.quota_metric"}),
    MeasuredKind.SUBNETWORK: frozenset({"resource.subnetwork_name", "resource.subnetwork_id"}),
}
