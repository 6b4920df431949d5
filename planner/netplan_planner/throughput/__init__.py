"""What a path carries: the caps of its ends, the limits on the way, and the least of them."""

from netplan_planner.throughput.limits.caps import CapsTable, load_caps
from netplan_planner.throughput.limits.ends import (
    deciding_platform,
    edge_query,
    instance_cap,
    instance_end,
    machine_end,
    outside_gbps,
    sending_query,
    type_end,
)
from netplan_planner.throughput.limits.tables import stated_on
from netplan_planner.throughput.path import (
    apply_change,
    apply_to_receiver,
    predict,
    predict_all,
    single_flow,
)

__all__ = [
    "CapsTable",
    "apply_change",
    "apply_to_receiver",
    "deciding_platform",
    "edge_query",
    "instance_cap",
    "instance_end",
    "load_caps",
    "machine_end",
    "outside_gbps",
    "predict",
    "predict_all",
    "sending_query",
    "single_flow",
    "stated_on",
    "type_end",
]
