"""What a path carries: the caps of its ends, the limits on the way, and the least of them."""

from netplan_planner.throughput.caps import CapsTable, load_caps
from netplan_planner.throughput.path import (
    apply_change,
    edge_query,
    instance_end,
    predict,
    single_flow,
)

__all__ = [
    "CapsTable",
    "apply_change",
    "edge_query",
    "instance_end",
    "load_caps",
    "predict",
    "single_flow",
]
