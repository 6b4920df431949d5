"""What the objects of one network plugin say of a cluster's network."""

from collections.abc import Sequence

from netplan_planner.clusters.settings import Setting
from netplan_planner.model import Value
from netplan_planner.model.project.kubernetes import Node

NONE = "none"
Nodes = Sequence[Node]


class Plugin(Value, frozen=True, kw_only=True):
    """What one plugin's objects say; as in `ClusterNetwork`."""

    plugin: Setting
    dataplane: Setting | None = None
    encapsulation: Setting | None = None
    is_cross_subnet_only: bool | None = None
    encryption: Setting | None = None
    mtu: Setting | None = None
    interface: Setting | None = None
    kube_proxy_mode: Setting | None = None
