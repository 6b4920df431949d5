"""Calico: by its agent's variables, its own objects, and what its operator makes."""

from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner.clusters.settings import (
    NONE,
    Nodes,
    Objects,
    Plugin,
    Setting,
    default,
    entry,
    first,
    is_on,
    named,
    stated_mtu,
    variable,
)
from netplan_planner.model.project.kubernetes import PluginObject, Workload

_MODES = {"always": True, "crosssubnet": False, "never": None}
"""Whether packets inside a subnet are encapsulated too; None: none is."""
_ENCAPSULATIONS = {
    "ipip": ("ipip", False),
    "ipipcrosssubnet": ("ipip", True),
    "vxlan": ("vxlan", False),
    "vxlancrosssubnet": ("vxlan", True),
    "none": (NONE, None),
}
"""Of an Installation's pools."""
_FELIX = "docs.tigera.io reference/resources/felixconfig, read 2026-11-23"


class _Encapsulation(NamedTuple):
    setting: Setting
    is_cross_subnet_only: bool | None = None


def calico(objects: Objects, nodes: Nodes) -> Plugin | None:
    """Return Calico's network; None where it is not there, or enforces policies only."""
    agent, config = objects.workload("calico-node"), objects.config_map("calico-config")
    installed = next(iter(objects.of_kind("Installation")), None)
    felix = next((o for o in objects.of_kind("FelixConfiguration") if o.name == "default"), None)
    backend = variable(agent, "CALICO_NETWORKING_BACKEND")
    cni = entry(installed, "cni.type")
    if (backend is not None and backend.value == NONE) or (cni and cni.value != "Calico"):
        return None
    if agent is not None:
        plugin = named(agent, "calico")
    elif installed is not None and cni is not None:
        plugin = Setting(value="calico", source=cni.source)
    else:
        return None
    pools = objects.of_kind("IPPool")
    if pools:
        found = _of_pools(pools)
    else:
        variables = _of_variables(agent, entry(config, "calico_backend"))
        found = _of_installation(installed) or variables
    return Plugin(
        plugin=plugin,
        dataplane=_dataplane(agent, felix, installed),
        encapsulation=found.setting if found is not None else None,
        is_cross_subnet_only=found.is_cross_subnet_only if found is not None else None,
        encryption=_encryption(agent, felix),
        mtu=first(
            stated_mtu(setting)
            for setting in (
                entry(config, "veth_mtu"),
                variable(agent, "FELIX_VXLANMTU", "FELIX_IPINIPMTU"),
                variable(agent, "CNI_MTU"),
                entry(felix, "vxlanMTU", "ipipMTU"),
                entry(installed, "mtu"),
            )
        ),
        interface=(
            variable(agent, "IP_AUTODETECTION_METHOD")
            or entry(installed, "nodeAddressAutodetectionV4")
        ),
    )


def _of_pools(pools: list[PluginObject]) -> _Encapsulation | None:
    """Return what the pools of pods' IPv4 addresses have in common; None where they differ.

    They hold once they are there; variables of the agent only make the first one.
    """
    modes = [entry(pool, key) for pool in pools for key in ("ipipMode", "vxlanMode")]
    if any(mode is not None and mode.value.casefold() not in _MODES for mode in modes):
        return None
    found = [made for pool in pools for made in _of_pool(pool)]
    kinds = {(one.setting.value, one.is_cross_subnet_only) for one in found}
    return found[0] if len(kinds) == 1 else None


def _of_pool(pool: PluginObject) -> Iterator[_Encapsulation]:
    stated = dict(pool.data)
    uses = stated.get("allowedUses", "Workload").split()
    if stated.get("family") != "IPv4" or stated.get("disabled") == "true":
        return
    if "Workload" not in uses:
        return
    for key, value in (("vxlanMode", "vxlan"), ("ipipMode", "ipip")):
        mode = entry(pool, key)
        is_always = _MODES.get(mode.value.casefold()) if mode is not None else None
        if mode is not None and is_always is not None:
            yield _Encapsulation(Setting(value=value, source=mode.source), not is_always)
            return
    mode = entry(pool, "ipipMode", "vxlanMode")
    why = "both modes are Never by default (docs.tigera.io reference/resources/ippool)"
    yield _Encapsulation(
        Setting(value=NONE, source=mode.source) if mode is not None else default(NONE, pool, why)
    )


def _of_installation(installed: PluginObject | None) -> _Encapsulation | None:
    stated = entry(installed, "encapsulation")
    known = _ENCAPSULATIONS.get(stated.value.casefold()) if stated is not None else None
    if stated is None or known is None:
        return None
    return _Encapsulation(Setting(value=known[0], source=stated.source), known[1])


def _of_variables(agent: Workload | None, backend: Setting | None) -> _Encapsulation | None:
    ipip = variable(agent, "CALICO_IPV4POOL_IPIP")
    vxlan = variable(agent, "CALICO_IPV4POOL_VXLAN")
    for setting, value in ((vxlan, "vxlan"), (ipip, "ipip")):
        is_always = _MODES.get(setting.value.casefold()) if setting is not None else None
        if setting is not None and is_always is not None:
            return _Encapsulation(Setting(value=value, source=setting.source), not is_always)
    # VXLAN is off unless it is stated (docs.tigera.io reference/configure-calico-node).
    if ipip is not None:
        return _Encapsulation(Setting(value=NONE, source=ipip.source))
    if backend is not None and backend.value == "vxlan":
        return _Encapsulation(Setting(value="vxlan", source=backend.source))
    return None


def _dataplane(
    agent: Workload | None, felix: PluginObject | None, installed: PluginObject | None
) -> Setting | None:
    """Return eBPF where something says so; a variable goes before what the cluster holds."""
    ebpf = variable(agent, "FELIX_BPFENABLED") or entry(felix, "bpfEnabled")
    if ebpf is not None:
        return Setting(value="eBPF", source=ebpf.source) if is_on(ebpf) else None
    stated = entry(installed, "linuxDataplane")
    if stated is not None and stated.value == "BPF":
        return Setting(value="eBPF", source=stated.source)
    return None


def _encryption(agent: Workload | None, felix: PluginObject | None) -> Setting | None:
    stated = variable(agent, "FELIX_WIREGUARDENABLED") or entry(felix, "wireguardEnabled")
    if stated is not None:
        return Setting(value="wireguard" if is_on(stated) else NONE, source=stated.source)
    if felix is not None:
        return default(NONE, felix, f"WireGuard is off by default ({_FELIX})")
    return None
