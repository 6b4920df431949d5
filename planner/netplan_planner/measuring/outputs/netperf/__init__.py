"""What netperf prints of its stream tests."""

from netplan_planner.measuring.outputs.base import TextFormat
from netplan_planner.measuring.outputs.netperf.stream_tests import is_netperf, measurements_of

TEXTS = (TextFormat(is_netperf, measurements_of),)
