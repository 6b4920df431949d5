"""Stored time series of Cloud Monitoring to `Metrics` and, where they tell of flows, to traffic."""

from netplan_planner.readers.time_series.flows import traffic_of
from netplan_planner.readers.time_series.gathering import Gathering, gather_files
from netplan_planner.readers.time_series.metrics import metrics_of, series_order

__all__ = ["Gathering", "gather_files", "metrics_of", "series_order", "traffic_of"]
