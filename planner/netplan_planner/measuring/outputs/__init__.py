"""What iperf3, iperf 2 and netperf print, read into measurements."""

from netplan_planner.measuring.outputs.files import read_outputs, read_text
from netplan_planner.measuring.outputs.iperf3 import parse_iperf3
from netplan_planner.measuring.outputs.processes import add_rates, merge_streams

__all__ = [
    "add_rates",
    "merge_streams",
    "parse_iperf3",
    "read_outputs",
    "read_text",
]
