"""Flow logs from Cloud Logging: page by page into a folder, as the files that a sink writes."""

from netplan_planner.google.logs.options import CLOUD_LOGGING, LogOptions
from netplan_planner.google.logs.read import LogsRead, read_flow_logs

__all__ = ["CLOUD_LOGGING", "LogOptions", "LogsRead", "read_flow_logs"]
