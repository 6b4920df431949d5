"""Metrics of a rule fixture in short form, as the time series that the product's reader reads.

metrics     a list, each with `metric` (a name of `Metric`, or a type), what it is of (`machine`,
            `nat` and `region`, `tunnel` or `attachment` and `region`, or `resource` and
            `resource_type`), `values` that come again and again for `days` (1) in steps of `step_s`
            (60), and `labels`. null is a gap. Counters take bytes or packets a second.
            With `flow` ("egress" or "ingress") instead of `metric`: a series of vm_flow, with
            `where` (CLOUD, EXTERNAL, ON_PREM, GOOGLE_INTERNAL), `zone`, `project`, `network`.
"""

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

from netplan_planner.model import Inventory, MeasuredKind, Metric, Metrics, TrafficMatrix
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.time_series import Gathering, metrics_of, traffic_of
from netplan_planner.readers.time_series.known import KNOWN
from support.metrics.series import flow, page, time_series

Json = dict[str, Any]
_TYPES = {
    MeasuredKind.NAT: "nat_gateway",
    MeasuredKind.VPN_TUNNEL: "vpn_gateway",
    MeasuredKind.VLAN_ATTACHMENT: "interconnect_attachment",
    MeasuredKind.QUOTA: "consumer_quota",
}


def gathered(inventory: Inventory, cases: Sequence[Json]) -> Gathering:
    gathering = Gathering()
    gathering.take(page(*(_series(inventory, case) for case in cases)), Origin("made", "made:"))
    return gathering


def metrics_and_traffic(
    inventory: Inventory, cases: Sequence[Json]
) -> tuple[Metrics, TrafficMatrix | None]:
    gathering = gathered(inventory, cases)
    return metrics_of(gathering, inventory), traffic_of(gathering, inventory)


def _series(inventory: Inventory, case: Json) -> Json:
    step_s = int(case.get("step_s", 60))
    count = round(case.get("days", 1) * 86_400 / step_s)
    values = list(islice(cycle(case["values"]), count))
    if "flow" in case:
        named = ("where", "zone", "project", "network")
        more = {key: case[key] for key in named if key in case}
        byte_counts = [None if value is None else value * step_s for value in values]
        return flow(
            case["flow"],
            byte_counts,
            resource=_machine(inventory, case["machine"]),
            step_s=step_s,
            **{"project": "p", **more, **case.get("labels", {})},
        )
    metric = Metric.__members__.get(case["metric"]) or Metric(case["metric"])
    known = KNOWN[metric.value]
    resource, labels = _resource(inventory, case, known.kind)
    if known.is_counter:
        values = [None if value is None else value * step_s for value in values]
    return time_series(
        metric.value,
        values,
        resource=resource,
        resource_type=case.get("resource_type", _TYPES.get(known.kind, "gce_instance")),
        labels={**labels, **case.get("labels", {})},
        kind="DELTA" if known.is_counter else "GAUGE",
        value_type="INT64" if known.is_counter else "DOUBLE",
        step_s=step_s,
    )


def _machine(inventory: Inventory, name: str) -> dict[str, str]:
    (instance,) = [one for one in inventory.instances if one.name == name]
    number = instance.instance_id or instance.name
    return {"project_id": instance.project, "zone": instance.zone, "instance_id": number}


def _resource(
    inventory: Inventory, case: Json, kind: MeasuredKind
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the labels of the resource, and those of the metric that name it."""
    place = {"project_id": "p", "region": case.get("region", "us-central1")}
    match kind:
        case MeasuredKind.MACHINE:
            labels = {"state": "used"} if case["metric"] == "VM_MEMORY" else {}
            return _machine(inventory, case["machine"]), labels
        case MeasuredKind.NAT:
            return {**place, "gateway_name": case["nat"], "router_id": "1"}, {}
        case MeasuredKind.VPN_TUNNEL:
            return {**place, "gateway_id": "1"}, {"tunnel_name": case["tunnel"]}
        case MeasuredKind.VLAN_ATTACHMENT:
            return {**place, "attachment": case["attachment"]}, {}
        case _:
            return {**place, **case.get("resource", {})}, {}
