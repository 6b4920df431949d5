"""Which metrics of a project are asked for, and how each is aligned."""

from typing import NamedTuple

from netplan_planner.model import INTER_REGION_QUOTA, INTERNET_QUOTA, Inventory, Metric
from netplan_planner.readers.time_series.known import FLOW_EGRESS, FLOW_INGRESS, FLOW_RTT, KNOWN

_LABEL = "metric.label."
FLOW_LABELS = (
    "resource.label.project_id",
    "resource.label.zone",
    "resource.label.instance_id",
    *(
        f"{_LABEL}{name}"
        for name in (
            "remote_location_type",
            "remote_project_id",
            "remote_network",
            "remote_zone",
            "remote_continent",
            "remote_country",
        )
    ),
)
"""What is kept of the series of flows; the rest (protocol, NIC, subnetworks) is added up there."""
_QUOTA_METRICS = (INTERNET_QUOTA, INTER_REGION_QUOTA)


class Asked(NamedTuple):
    """One metric of a project, and how it is aligned."""

    metric: str
    aligner: str
    series_count: int
    """How many there may be, for the alignment."""
    filter: str = ""
    labels: tuple[str, ...] = ()
    """Series that agree in these are added up; none: all stay."""


def lists_of(inventory: Inventory, project: str, with_flows: bool) -> list[Asked]:
    """Return what is asked for, the counters of machines first."""
    machines = [i for i in inventory.instances if i.project == project]
    count = max(len(machines), 1)
    asked = [
        _of(metric, 2 * count)
        for metric in (
            Metric.VM_SENT_BYTES,
            Metric.VM_RECEIVED_BYTES,
            Metric.VM_SENT_PACKETS,
            Metric.VM_RECEIVED_PACKETS,
        )
    ]
    asked += [
        _of(Metric.VM_CPU, count),
        _of(Metric.VM_MEMORY, count, 'metric.label.state = "used"'),
        _of(Metric.VM_DISK_WRITE_BYTES, 2 * count),
    ]
    if any(machine.series == "e2" for machine in machines):
        asked.append(_of(Metric.VM_BALLOON_USED, count))
    nats = sum(len(r.nats) for r in inventory.routers if r.project == project)
    if nats:
        asked += [
            _of(metric, 4 * nats)
            for metric in Metric
            if ".googleapis.com/nat/" in metric and metric.startswith("router.")
        ]
        asked += [
            _of(metric, 3 * count)
            for metric in Metric
            if metric.startswith("compute.googleapis.com/nat/")
        ]
    tunnels = sum(tunnel.project == project for tunnel in inventory.vpn_tunnels)
    if tunnels:
        asked += [_of(metric, tunnels) for metric in Metric if metric.startswith("vpn.")]
    fronts = sum(rule.project == project for rule in inventory.forwarding_rules)
    if fronts:
        # By front; countries, back ends and protocols would be a series each.
        by_front = ("resource.label.project_id", "resource.label.region")
        asked += [
            _of(metric, fronts)._replace(labels=(*by_front, "resource.label.forwarding_rule_name"))
            for metric in Metric
            if metric.startswith("loadbalancing.")
        ]
    asked += [_of(metric, 8) for metric in Metric if metric.startswith("interconnect.")]
    quotas = " OR ".join(f'metric.label.quota_metric = "{name}"' for name in _QUOTA_METRICS)
    asked += [_of(metric, 100, f"({quotas})") for metric in (Metric.QUOTA_LIMIT, Metric.QUOTA_RATE)]
    asked += [_of(metric, 100) for metric in (Metric.INTER_REGION_LIMIT, Metric.INTER_REGION_USAGE)]
    if with_flows:
        peers = 10 * count
        asked += [
            Asked(metric, "ALIGN_DELTA", peers, labels=FLOW_LABELS)
            for metric in (FLOW_EGRESS, FLOW_INGRESS)
        ]
        asked.append(Asked(FLOW_RTT, "ALIGN_PERCENTILE_50", peers))
    return asked


def predicted_logs() -> Asked:
    """Return what tells of flow logs before they are on, by subnetwork."""
    asked = _of(Metric.PREDICTED_LOGS, 100)
    names = ("project_id", "location", "subnetwork_name", "subnetwork_id")
    return asked._replace(labels=tuple(f"resource.label.{name}" for name in names))


def _of(metric: Metric, series_count: int, filter_text: str = "") -> Asked:
    known = KNOWN[metric.value]
    if known.is_counter:
        aligner = "ALIGN_DELTA"
    elif metric is Metric.NAT_ALLOCATION_FAILED:
        # Of truth values the share of the period.
        aligner = "ALIGN_FRACTION_TRUE"
    elif known.kind.value == "quota":
        aligner = "ALIGN_MAX"
    else:
        aligner = "ALIGN_MEAN"
    return Asked(metric.value, aligner, series_count, filter_text)
