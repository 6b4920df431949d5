"""The door to Google's APIs: one transport for GET requests, and the readers that stand on it.

`requests` and Google's auth library are imported when something is asked for, not before.
"""

from netplan_planner.google.compute import read_projects
from netplan_planner.google.metrics_window import MetricsWindow, window_until
from netplan_planner.google.monitoring import gather_live
from netplan_planner.google.options import ApiOptions

__all__ = ["ApiOptions", "MetricsWindow", "gather_live", "read_projects", "window_until"]
