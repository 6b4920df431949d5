"""The network plugins that are told apart, each by what it leaves in a cluster.

A function a plugin: None where it is not there. Order matters: GKE Dataplane V2 has a config map of
Cilium, Canal one of flannel, and Calico enforces policies beside other plugins.
"""

from collections.abc import Callable

from netplan_planner.clusters.calico import calico
from netplan_planner.clusters.settings import (
    NONE,
    Nodes,
    Objects,
    Plugin,
    Setting,
    argument,
    default,
    entry,
    first,
    in_json,
    in_yaml,
    is_on,
    mapped,
    named,
    stated_mtu,
    variable,
)
from netplan_planner.model.project.kubernetes import ConfigMap, Workload

_FLANNEL_BACKENDS = {
    "vxlan": "vxlan",
    "host-gw": NONE,
    "udp": "udp",
    "ipip": "ipip",
    "wireguard": "wireguard",
    "ipsec": "ipsec",
    "alloc": NONE,
}
"""flannel's Documentation/backends.md, read 2026-11-23."""
_ENCRYPTED = ("wireguard", "ipsec")
_FLANNEL_BACKEND = "flannel.alpha.coreos.com/backend-type"

_ROUTING = "docs.cilium.io network/concepts/routing, read 2026-11-23"
_ANTREA = "antrea.io docs/network-requirements and build/yamls/antrea.yml, read 2026-11-23"
_KUBE_ROUTER = "kube-router.io docs/user-guide, read 2026-11-23"
_WEAVE = "weave.works docs/net/latest/concepts/fastdp-how-it-works, read 2026-11-23"
_PROXY = "kubernetes.io/docs/reference/networking/virtual-ips, read 2026-11-23"


def _gke(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("anetd")
    pooled = next((node for node in nodes if node.node_pool is not None), None)
    if agent is None and (pooled is None or objects.workload(*_OTHERS) is not None):
        return None
    if agent is not None:
        plugin = named(agent, "gke")
    else:
        assert pooled is not None
        plugin = Setting(value="gke", source=f"{pooled.ref.source}: label of a GKE node pool")
    config = objects.config_map("cilium-config") if agent is not None else None
    return Plugin(
        plugin=plugin,
        dataplane=named(agent, "GKE Dataplane V2") if agent is not None else None,
        encapsulation=Setting(value=NONE, source=plugin.source),
        encryption=_cilium_encryption(objects) if config is not None else None,
        kube_proxy_mode=named(agent, NONE) if agent is not None else None,
    )


_OTHERS = ("antrea-agent", "canal", "cilium", "flannel", "kube-flannel", "kube-router", "weave-net")
"""DaemonSets of plugins that replace GKE's own; Calico's is there for network policies too."""


def _cilium(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent, config = objects.workload("cilium"), objects.config_map("cilium-config")
    if objects.workload("anetd") is not None:
        return None
    routing = entry(config, "routing-mode")
    tunnel = entry(config, "tunnel-protocol", "tunnel")
    if routing is not None and routing.value == "native":
        encapsulation: Setting | None = Setting(value=NONE, source=routing.source)
    elif tunnel is not None:
        encapsulation = mapped(tunnel, {"vxlan": "vxlan", "geneve": "geneve", "disabled": NONE})
    elif config is not None:
        encapsulation = default("vxlan", config, _ROUTING)
    else:
        encapsulation = None
    replacement = entry(config, "kube-proxy-replacement")
    replaced = replacement is not None and replacement.value in {"true", "strict"}
    plugin = _known_by("cilium", agent, config)
    if plugin is None:
        return None
    return Plugin(
        plugin=plugin,
        dataplane=Setting(value="eBPF", source=plugin.source),
        encapsulation=encapsulation,
        encryption=_cilium_encryption(objects),
        mtu=stated_mtu(entry(config, "mtu")),
        interface=entry(config, "direct-routing-device", "devices"),
        kube_proxy_mode=mapped(replacement, {"true": NONE, "strict": NONE}) if replaced else None,
    )


def _known_by(name: str, agent: Workload | None, config: ConfigMap | None) -> Setting | None:
    """Return a plugin by its DaemonSet, else by its config map, which can be all that was read."""
    if agent is not None:
        return named(agent, name)
    if config is not None:
        return Setting(value=name, source=f"{config.ref.source}: config map {config.name}")
    return None


def _cilium_encryption(objects: Objects) -> Setting | None:
    config = objects.config_map("cilium-config")
    wireguard, ipsec = entry(config, "enable-wireguard"), entry(config, "enable-ipsec")
    if wireguard is not None and is_on(wireguard):
        return Setting(value="wireguard", source=wireguard.source)
    if ipsec is not None and is_on(ipsec):
        return Setting(value="ipsec", source=ipsec.source)
    stated = wireguard or ipsec
    if stated is not None:
        return Setting(value=NONE, source=stated.source)
    return default(NONE, config, "encryption is off by default") if config is not None else None


def _canal(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("canal")
    if agent is None:
        return None
    config = objects.config_map("canal-config")
    return _with_backend(
        named(agent, "canal"),
        in_json(entry(config, "net-conf.json"), "Backend", "Type"),
        mtu=stated_mtu(entry(config, "veth_mtu")),
        interface=entry(config, "canal_iface"),
    )


def _flannel(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent, config = (
        objects.workload("kube-flannel", "flannel"),
        objects.config_map("kube-flannel-cfg"),
    )
    annotated = next((n for n in nodes if _FLANNEL_BACKEND in dict(n.annotations)), None)
    noted = (
        Setting(
            value=dict(annotated.annotations)[_FLANNEL_BACKEND],
            source=f"{annotated.ref.source}: annotation {_FLANNEL_BACKEND}",
        )
        if annotated is not None
        else None
    )
    own = entry(config, "net-conf.json")
    plugin = _known_by("flannel", agent, config)
    if plugin is None and noted is not None:
        plugin = Setting(value="flannel", source=noted.source)
    if plugin is None or objects.workload("canal") is not None:
        return None
    return _with_backend(
        plugin,
        in_json(own, "Backend", "Type") or noted,
        mtu=stated_mtu(in_json(own, "Backend", "MTU")),
        interface=argument(agent, "iface", "iface-regex", "iface-can-reach"),
    )


def _with_backend(
    plugin: Setting, backend: Setting | None, *, mtu: Setting | None, interface: Setting | None
) -> Plugin:
    """Return flannel as its backend makes it."""
    encapsulation = mapped(backend, _FLANNEL_BACKENDS)
    encryption = None
    if encapsulation is not None:
        value = encapsulation.value if encapsulation.value in _ENCRYPTED else NONE
        encryption = Setting(value=value, source=encapsulation.source)
    return Plugin(
        plugin=plugin,
        encapsulation=encapsulation,
        encryption=encryption,
        mtu=mtu,
        interface=interface,
    )


def _weave(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("weave-net")
    if agent is None:
        return None
    slow, password = variable(agent, "WEAVE_NO_FASTDP"), variable(agent, "WEAVE_PASSWORD")
    return Plugin(
        plugin=named(agent, "weave"),
        encapsulation=(
            Setting(value="udp", source=slow.source)
            if slow is not None
            else default("vxlan", agent, _WEAVE)
        ),
        encryption=(
            Setting(value="ipsec", source=password.source)
            if password is not None
            else default(NONE, agent, _WEAVE)
        ),
        mtu=stated_mtu(variable(agent, "WEAVE_MTU")),
    )


def _kube_router(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("kube-router")
    if agent is None:
        return None
    overlay, kind = argument(agent, "enable-overlay"), argument(agent, "overlay-type")
    encapsulation = (
        Setting(value=NONE, source=overlay.source)
        if overlay is not None and overlay.value.casefold() == "false"
        else mapped(argument(agent, "overlay-encap"), {"ipip": "ipip", "fou": "udp"})
        or default("ipip", agent, _KUBE_ROUTER)
    )
    has_overlay = encapsulation.value != NONE
    return Plugin(
        plugin=named(agent, "kube-router"),
        encapsulation=encapsulation,
        is_cross_subnet_only=(kind is None or kind.value != "full") if has_overlay else None,
        mtu=stated_mtu(
            in_json(entry(objects.config_map("kube-router-cfg"), "cni-conf.json"), "mtu")
        ),
    )


def _antrea(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("antrea-agent")
    text = entry(objects.config_map("antrea-config"), "antrea-agent.conf")
    if agent is None:
        return None
    mode, kind = in_yaml(text, "trafficEncapMode"), in_yaml(text, "tunnelType")
    bare = {"noencap", "networkpolicyonly"}
    encapsulation = None
    if mode is not None and mode.value.casefold() in bare:
        encapsulation = Setting(value=NONE, source=mode.source)
    elif kind is not None:
        encapsulation = mapped(kind, {"geneve": "geneve", "vxlan": "vxlan", "gre": "gre"})
    elif text is not None:
        encapsulation = default("geneve", text, _ANTREA)
    encryption = mapped(
        in_yaml(text, "trafficEncryptionMode"),
        {"none": NONE, "ipsec": "ipsec", "wireguard": "wireguard"},
    )
    return Plugin(
        plugin=named(agent, "antrea"),
        encapsulation=encapsulation,
        is_cross_subnet_only=mode is not None and mode.value.casefold() == "hybrid"
        if encapsulation is not None and encapsulation.value != NONE
        else None,
        encryption=encryption or (default(NONE, text, _ANTREA) if text is not None else None),
        mtu=stated_mtu(in_yaml(text, "defaultMTU")),
        interface=in_yaml(text, "transportInterface"),
    )


def _ovn(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("ovnkube-node")
    if agent is None:
        return None
    return Plugin(
        plugin=named(agent, "ovn-kubernetes"),
        mtu=stated_mtu(entry(objects.config_map("ovn-config"), "mtu")),
    )


def _kube_ovn(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("kube-ovn-cni")
    if agent is None:
        return None
    kinds = {"geneve": "geneve", "vxlan": "vxlan", "vlan": NONE}
    return Plugin(
        plugin=named(agent, "kube-ovn"),
        encapsulation=mapped(argument(agent, "network-type"), kinds),
        mtu=stated_mtu(argument(agent, "mtu")),
        interface=argument(agent, "iface"),
    )


def _kindnet(objects: Objects, nodes: Nodes) -> Plugin | None:
    agent = objects.workload("kindnet")
    if agent is None:
        return None
    plugin = named(agent, "kindnet")
    return Plugin(plugin=plugin, encapsulation=Setting(value=NONE, source=plugin.source))


def kube_proxy(objects: Objects) -> Setting | None:
    """Return the mode of kube-proxy, None where neither it nor its settings were read."""
    modes = {"iptables": "iptables", "ipvs": "ipvs", "nftables": "nftables"}
    agent = objects.workload("kube-proxy")
    text = first(
        entry(objects.config_map(name), key)
        for name, key in (("kube-proxy", "config.conf"), ("kube-proxy-config", "config"))
    )
    stated = mapped(argument(agent, "proxy-mode") or in_yaml(text, "mode"), modes)
    if stated is not None or text is None:
        return stated
    return default("iptables", text, _PROXY)


PLUGINS: tuple[Callable[[Objects, Nodes], Plugin | None], ...] = (
    _gke,
    _cilium,
    _canal,
    _flannel,
    calico,
    _weave,
    _kube_router,
    _antrea,
    _ovn,
    _kube_ovn,
    _kindnet,
)
