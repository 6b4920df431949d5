"""Settings of network plugins in the objects of a cluster, each with the place it was read at.

What the objects of one network plugin say of a cluster's network.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.model import Value
from netplan_planner.model.project.kubernetes import (
    ConfigMap,
    Kubernetes,
    Node,
    PluginObject,
    Workload,
)

LARGEST_MTU_BYTES = 65_535
"""Of an IP packet (RFC 791)."""


class Setting(Value, frozen=True, kw_only=True):
    """One thing that is known of a cluster's network."""

    value: str
    source: str
    """File, place in it, and the field or variable."""
    is_default: bool = False
    """Not stated where it would stand: what the documentation says holds then."""


class Objects:
    """Workloads and config maps of a cluster by name, and what they state."""

    def __init__(self, kubernetes: Kubernetes) -> None:
        self.workloads = kubernetes.workloads or ()
        self._maps = {one.name: one for one in kubernetes.config_maps or ()}
        self._own = kubernetes.plugin_objects or ()

    def workload(self, *prefixes: str) -> Workload | None:
        """Return the DaemonSet whose name begins so, else another workload; the first by link."""
        found = [one for one in self.workloads if one.name.startswith(prefixes)]
        daemons = [one for one in found if one.kind == "DaemonSet"]
        return next(iter([*daemons, *found]), None)

    def of_kind(self, kind: str) -> list[PluginObject]:
        """Return the objects of a plugin's own kind, by link."""
        return [one for one in self._own if one.kind == kind]

    def config_map(self, name: str) -> ConfigMap | None:
        """Return a config map by its name, or by what stands before a hash in it."""
        if name in self._maps:
            return self._maps[name]
        hashed = sorted(own for own in self._maps if own.startswith(f"{name}-"))
        return self._maps[hashed[0]] if hashed else None


def named(workload: Workload, value: str) -> Setting:
    """Return what follows from a workload's being there."""
    return Setting(value=value, source=f"{workload.ref.source}: {workload.kind} {workload.name}")


def variable(workload: Workload | None, *names: str) -> Setting | None:
    """Return the first of these environment variables that a workload sets."""
    stated = dict(workload.variables) if workload is not None else {}
    for name in names:
        if workload is not None and stated.get(name):
            return Setting(value=stated[name], source=f"{workload.ref.source}: env {name}")
    return None


def argument(workload: Workload | None, *flags: str) -> Setting | None:
    """Return the value of the first argument of a workload that has one of these flags."""
    for text in workload.arguments if workload is not None else ():
        flag, _, value = text.removeprefix("--").partition("=")
        if flag in flags and workload is not None:
            return Setting(value=value, source=f"{workload.ref.source}: argument --{flag}")
    return None


def entry(config: ConfigMap | PluginObject | None, *keys: str) -> Setting | None:
    """Return the first of these entries that a config map or object has and that is not empty."""
    stated = dict(config.data) if config is not None else {}
    for key in keys:
        if config is not None and stated.get(key, "").strip():
            return Setting(
                value=stated[key].strip(), source=f"{config.ref.source}: {config.name} {key}"
            )
    return None


def in_json(setting: Setting | None, *path: str) -> Setting | None:
    """Return a scalar inside a setting that is JSON text; None if it is none, or has none there."""
    if setting is None:
        return None
    try:
        value = decode_json(setting.value)
    except msgspec.DecodeError:
        return None
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    return Setting(value=str(value), source=f"{setting.source} {'.'.join(path)}")


def in_yaml(setting: Setting | None, key: str) -> Setting | None:
    r"""Return a scalar of a text of `key: value` lines, at the left margin and not commented out.

    >>> text = Setting(value='#mode: a\nmode: "ipvs"  # fast', source="f")
    >>> in_yaml(text, "mode").value
    'ipvs'
    """
    if setting is None:
        return None
    found = re.search(rf"^{re.escape(key)}:[ \t]*([^#\n]*)", setting.value, re.MULTILINE)
    value = found[1].strip().strip("\"'") if found is not None else ""
    return Setting(value=value, source=f"{setting.source} {key}") if value else None


def default(value: str, beside: Setting | ConfigMap | PluginObject | Workload, why: str) -> Setting:
    """Return what holds where nothing is stated, beside what was read and with its source."""
    place = beside.source if isinstance(beside, Setting) else beside.ref.source
    return Setting(value=value, source=f"{place}: not stated; {why}", is_default=True)


def mapped(setting: Setting | None, values: dict[str, str]) -> Setting | None:
    """Return a setting in our words, None for a value that is not known."""
    if setting is None:
        return None
    value = values.get(setting.value.casefold())
    return msgspec.structs.replace(setting, value=value) if value is not None else None


def stated_mtu(setting: Setting | None) -> Setting | None:
    """Return an MTU that is stated; 0 and an empty text mean that the plugin finds it out."""
    if setting is None or not (setting.value.isascii() and setting.value.isdigit()):
        return None
    return setting if 0 < int(setting.value[:10]) <= LARGEST_MTU_BYTES else None


def is_on(setting: Setting | None) -> bool:
    """Return whether a switch is stated and on."""
    return setting is not None and setting.value.casefold() in {"true", "1", "yes", "enabled"}


def first(settings: Iterable[Setting | None]) -> Setting | None:
    """Return the first setting that is known."""
    return next((setting for setting in settings if setting is not None), None)


NONE = "none"
Nodes = Sequence[Node]


class PluginSettings(Value, frozen=True, kw_only=True):
    """What objects of a cluster say of its network plugin; None: they do not."""

    dataplane: Setting | None = None
    """`GKE Dataplane V2`, `eBPF`, or `kube-proxy` beside the plugin's own."""
    encapsulation: Setting | None = None
    """`none`, `vxlan`, `geneve`, `ipip`, `udp`, …, as `netplan predict --encapsulation`."""
    is_cross_subnet_only: bool | None = None
    """Packets inside a subnet are not encapsulated; None where there is no encapsulation."""
    encryption: Setting | None = None
    """`none`, `wireguard` or `ipsec`."""
    mtu: Setting | None = None
    """Of pods, in bytes; None also where the plugin finds it out itself."""
    interface: Setting | None = None
    """By which nodes reach each other's pods, as it was written: a name, a pattern, a method."""
    kube_proxy_mode: Setting | None = None
    """`iptables`, `ipvs`, `nftables`; `none` where a plugin does its work."""


class Plugin(PluginSettings, frozen=True, kw_only=True):
    """What one plugin's objects say; as in `ClusterNetwork`."""

    plugin: Setting
