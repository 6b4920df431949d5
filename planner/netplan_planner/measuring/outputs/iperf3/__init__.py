"""What iperf3 prints, of the client or of the server: JSON (`-J`, `--json-stream`), and text."""

from netplan_planner.measuring.outputs.base import TextFormat
from netplan_planner.measuring.outputs.iperf3 import text
from netplan_planner.measuring.outputs.iperf3.document import (
    is_iperf3,
    measurements_of,
    parse_iperf3,
)

__all__ = ["TEXTS", "is_iperf3", "measurements_of", "parse_iperf3"]

TEXTS = (TextFormat(text.is_iperf3_text, text.measurements_of),)
