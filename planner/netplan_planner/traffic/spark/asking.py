"""Opens a Spark server for a reader: its client is imported here, when it is asked for."""

import os
from collections.abc import Callable, Sequence
from pathlib import PurePath

from netplan_planner.errors import UsageError
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.spark import read
from netplan_planner.traffic.spark.place import SparkPlace, server_paths

INSTALL = "--engine spark needs Spark's client and sqlglot: pip install 'gce-netplan[spark]'"

Say = Callable[[str], None]


def read_traffic_on_spark(
    place: SparkPlace,
    paths: Sequence[PurePath],
    inventory: Inventory,
    options: TrafficOptions,
    say: Say,
) -> TrafficMatrix:
    """Return the traffic matrix of flow logs that a server reads; see `spark.read_logs`.

    Raises:
        UsageError: If a path is none of a server, the client is not installed, or the server does
            not answer.
        NetplanError: What the server refuses.
    """
    wanted = server_paths(paths)
    # Else its library writes lines of its own to standard error, about each failure.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        read_logs = read.read_logs
    except ImportError as exc:
        raise UsageError(INSTALL) from exc
    return read_logs(wanted, inventory, options, place=place, say=say)
