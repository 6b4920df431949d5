"""The answer of `netplan predict` for several plugins; of one path it is a `Prediction`."""

from netplan_planner.model import Prediction, Value


class ByPlugin(Value, frozen=True, kw_only=True):
    """A path with one network plugin of a cluster; without one: the hosts themselves."""

    plugin: str | None
    other_link_gbps: float | None
    """Of another link that the plugin uses."""
    prediction: Prediction


class PluginTable(Value, frozen=True, kw_only=True):
    """One path with several plugins, the hosts themselves first."""

    rows: tuple[ByPlugin, ...]
