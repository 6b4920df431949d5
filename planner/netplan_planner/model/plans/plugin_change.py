"""What a service does on a cluster, plugin by plugin, before and after pods use another link."""

from netplan_planner.model.base import Value
from netplan_planner.model.limits import Estimate
from netplan_planner.model.prediction import Transactions


class OnLink(Value, frozen=True, kw_only=True):
    """What a path carries over a link, and what a service then does."""

    link_gbps: float
    estimate: Estimate
    transactions: Transactions | None
    """None where the path's throughput is not known."""


class PluginChange(Value, frozen=True, kw_only=True):
    """One network plugin on both links."""

    plugin: str | None
    """None: the hosts themselves."""
    encapsulation: str
    told: str
    """What the story says of it."""
    source: str
    """What the prediction rests on."""
    before: OnLink
    after: OnLink


class PluginChanges(Value, frozen=True, kw_only=True):
    """A published service on hosts with two links, the hosts themselves first."""

    service: str
    limits: str
    """What the figures of the links are: not Google's."""
    rows: tuple[PluginChange, ...]
