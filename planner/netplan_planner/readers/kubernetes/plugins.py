"""Workloads, config maps and Calico's own objects: settings of network plugins and kube-proxy."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import msgspec

from netplan_planner.model import ResourceRef
from netplan_planner.model.project.kubernetes import ConfigMap, Labels, PluginObject, Workload
from netplan_planner.readers.compute.wire import Wire
from netplan_planner.readers.kubernetes.metadata import metadata_of, namespace_of
from netplan_planner.readers.kubernetes.wire import (
    WireConfigMap,
    WireObject,
    WirePluginContainer,
    WireTemplateSpec,
    WireVariable,
    WireWorkload,
    WireWorkloadSpec,
    WireWorkloadStatus,
)
from netplan_planner.readers.links import Problems

# What is kept stands in the lists below, so that no password or token of a workload is stored.


_KEYS_BY_MAP = {
    "kube-flannel-cfg": "net-conf.json cni-conf.json",
    "calico-config": "calico_backend veth_mtu cni_network_config",
    "canal-config": "canal_iface net-conf.json veth_mtu cni_network_config",
    "cilium-config": (
        "tunnel tunnel-protocol routing-mode enable-wireguard enable-ipsec mtu devices"
        " direct-routing-device kube-proxy-replacement datapath-mode auto-direct-node-routes"
        " enable-bpf-masquerade enable-host-legacy-routing enable-bandwidth-manager enable-bbr"
        " encryption-strict-mode enable-ipv4 enable-ipv6 ipam ipv4-native-routing-cidr"
    ),
    "antrea-config": "antrea-agent.conf",
    "kube-proxy": "config.conf",
    "kube-proxy-config": "config",
    "weave-net": "mtu",
    "multus-cni-config": "cni-conf.json",
    "multus-daemon-config": "daemon-config.json",
    "ovn-config": "mtu net_cidr",
    "kindnet": "mtu",
}
"""The data that is kept, by config map; antrea's has a hash behind its name."""
_HASHED_MAPS = ("antrea-config-",)

PLUGIN_NAMES = (
    "anetd",
    "antrea",
    "aws-node",
    "azure-cni",
    "calico",
    "canal",
    "cilium",
    "flannel",
    "ip-masq-agent",
    "kindnet",
    "kube-flannel",
    "kube-multus",
    "kube-ovn",
    "kube-proxy",
    "kube-router",
    "multus",
    "netd",
    "ovn",
    "ovnkube",
    "sriov",
    "weave",
)
"""What the names of workloads of network plugins and kube-proxy begin with."""

_VARIABLES = (
    "CALICO_",
    "CLUSTER_TYPE",
    "CNI_MTU",
    "FELIX_",
    "IP6_AUTODETECTION_METHOD",
    "IPALLOC_",
    "IP_AUTODETECTION_METHOD",
    "TUNNEL_TYPE",
    "WEAVE_",
)
_SECRET = ("PASSWORD", "SECRET", "TOKEN", "KEY")
SET = "set"
"""Stands for the value of a variable that is a secret: that Weave has a password turns encryption
on."""
_FLAGS = (
    "default-interface",
    "enable-overlay",
    "enable-tunnel",
    "encapsulation",
    "iface",
    "iface-can-reach",
    "iface-regex",
    "mtu",
    "network-type",
    "overlay-encap",
    "overlay-type",
    "proxy-mode",
    "tunnel-type",
)
SETTING_NAMES = (*_KEYS_BY_MAP, *_KEYS_BY_MAP.values(), *_VARIABLES, *_FLAGS)
"""The names of settings that are kept, or what they begin with."""
_LONGEST_VALUE = 65_536


def workload(wire: WireWorkload, ref: ResourceRef, problems: Problems) -> Workload:
    """Return one DaemonSet, Deployment or StatefulSet.

    Raises:
        Unusable: If it has no name.
    """
    metadata = metadata_of(wire)
    spec, status = wire.spec or WireWorkloadSpec(), wire.status or WireWorkloadStatus()
    template = (spec.template.spec if spec.template else None) or WireTemplateSpec()
    name, collection = metadata.name or "", ref.self_link.split("/")[-2]
    containers = template.containers or []
    is_plugin = name.startswith(PLUGIN_NAMES)
    setup = [*(template.init_containers or []), *containers] if is_plugin else []
    wanted = status.desired_number_scheduled if collection == "daemonsets" else spec.replicas
    return Workload(
        ref=ref,
        kind=KINDS[collection],
        namespace=namespace_of(metadata.namespace),
        name=name,
        replicas=wanted,
        ready_replicas=(
            status.number_ready if collection == "daemonsets" else status.ready_replicas
        ),
        images=tuple(container.image for container in containers if container.image),
        is_host_network=template.host_network is True,
        variables=tuple(sorted({v for c in setup for v in _variables(c.env or [])})),
        arguments=tuple(argument for container in setup for argument in _arguments(container)),
    )


KINDS = {"daemonsets": "DaemonSet", "deployments": "Deployment", "statefulsets": "StatefulSet"}


def _variables(variables: list[WireVariable]) -> Iterator[tuple[str, str]]:
    """Yield the variables that set up a plugin; of a secret only that it is set."""
    for variable in variables:
        name = variable.name or ""
        if not name.startswith(_VARIABLES):
            continue
        if any(word in name for word in _SECRET):
            yield name, SET
        elif variable.value is not None and len(variable.value) <= _LONGEST_VALUE:
            yield name, variable.value


def _arguments(container: WirePluginContainer) -> Iterator[str]:
    """Yield `--flag=value` of the flags that say something of the network.

    >>> list(_arguments(WirePluginContainer(args=["--ip-masq", "-iface", "eth1", "--mtu=1400"])))
    ['--iface=eth1', '--mtu=1400']
    """
    words = [*(container.command or []), *(container.args or [])]
    for word, following in pairwise([*words, ""]):
        flag, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and flag in _FLAGS:
            own = value if equals else following if not following.startswith("-") else ""
            yield f"--{flag}={own}"


def is_plugin_map(name: str) -> bool:
    """Return whether a config map is one of a network plugin or of kube-proxy."""
    return name in _KEYS_BY_MAP or name.startswith(_HASHED_MAPS)


def config_map(wire: WireConfigMap, ref: ResourceRef, problems: Problems) -> ConfigMap:
    """Return one config map of a network plugin, with the data that sets it up.

    Raises:
        Unusable: If it has no name.
    """
    metadata = metadata_of(wire)
    name = metadata.name or ""
    known = "antrea-config" if name.startswith(_HASHED_MAPS) else name
    return ConfigMap(
        ref=ref,
        namespace=namespace_of(metadata.namespace),
        name=name,
        data=_data(wire.data or {}, _KEYS_BY_MAP.get(known, "").split()),
    )


def _data(data: dict[str, str], keys: list[str]) -> Labels:
    return tuple(sorted((k, v) for k, v in data.items() if k in keys and len(v) <= _LONGEST_VALUE))


# Calico's own objects: pools of pod addresses, settings of its agent, what its operator makes
#
# Kept are the fields that say how packets travel, and no range of addresses. Fields and defaults
# are those of docs.tigera.io/calico/latest/reference (resources/ippool, resources/felixconfig,
# installation/api), read 2026-11-23.


GROUPS = frozenset({"crd.projectcalico.org", "operator.tigera.io", "projectcalico.org"})
PATHS = {
    "IPPool": "apis/projectcalico.org/v3/ippools",
    "FelixConfiguration": "apis/projectcalico.org/v3/felixconfigurations",
    "Installation": "apis/operator.tigera.io/v1/installations",
}
"""The API server of Calico has the objects of `crd.projectcalico.org/v1` under its own name."""


class WireIpPoolSpec(Wire):
    """`IPPoolSpec`."""

    cidr: str | None = None
    disabled: bool | None = None
    ipip_mode: str | None = None
    vxlan_mode: str | None = None
    allowed_uses: list[str] | None = None


class WireIpPool(WireObject):
    """`IPPool`."""

    spec: WireIpPoolSpec | None = None


class WireFelixSpec(Wire):
    """`FelixConfigurationSpec`."""

    wireguard_enabled: bool | None = None
    bpf_enabled: bool | None = None
    vxlan_mtu: int | None = msgspec.field(default=None, name="vxlanMTU")
    ipip_mtu: int | None = msgspec.field(default=None, name="ipipMTU")


class WireFelix(WireObject):
    """`FelixConfiguration`."""

    spec: WireFelixSpec | None = None


class WireAutodetection(Wire):
    """`NodeAddressAutodetection`."""

    first_found: bool | None = None
    kubernetes: str | None = None
    interface: str | None = None
    skip_interface: str | None = None


class WirePool(Wire):
    """`IPPool` inside an Installation."""

    cidr: str | None = None
    encapsulation: str | None = None


class WireCalicoNetwork(Wire):
    """`CalicoNetworkSpec`."""

    linux_dataplane: str | None = None
    mtu: int | None = None
    ip_pools: list[WirePool] | None = None
    autodetection: WireAutodetection | None = msgspec.field(
        default=None, name="nodeAddressAutodetectionV4"
    )


class WireCni(Wire):
    """`CNISpec`."""

    type: str | None = None


class WireInstallationSpec(Wire):
    """`InstallationSpec`."""

    cni: WireCni | None = None
    calico_network: WireCalicoNetwork | None = None


class WireInstallationStatus(Wire):
    """`InstallationStatus`; `computed` is the specification as the operator filled it in."""

    mtu: int | None = None
    computed: WireInstallationSpec | None = None


class WireInstallation(WireObject):
    """`Installation`."""

    spec: WireInstallationSpec | None = None
    status: WireInstallationStatus | None = None


def ip_pool(wire: WireIpPool, ref: ResourceRef, problems: Problems) -> PluginObject:
    """Return one pool of pod addresses.

    Raises:
        Unusable: If it has no name.
    """
    spec = wire.spec or WireIpPoolSpec()
    stated = {
        "family": _family(spec.cidr),
        "disabled": spec.disabled,
        "ipipMode": spec.ipip_mode,
        "vxlanMode": spec.vxlan_mode,
        "allowedUses": " ".join(spec.allowed_uses or ()),
    }
    return _plugin_object("IPPool", wire, ref, stated)


def felix_configuration(wire: WireFelix, ref: ResourceRef, problems: Problems) -> PluginObject:
    """Return settings of Calico's agent, of all nodes (`default`) or of one.

    Raises:
        Unusable: If they have no name.
    """
    spec = wire.spec or WireFelixSpec()
    stated = {
        "wireguardEnabled": spec.wireguard_enabled,
        "bpfEnabled": spec.bpf_enabled,
        "vxlanMTU": spec.vxlan_mtu,
        "ipipMTU": spec.ipip_mtu,
    }
    return _plugin_object("FelixConfiguration", wire, ref, stated)


def installation(wire: WireInstallation, ref: ResourceRef, problems: Problems) -> PluginObject:
    """Return what Calico's operator installs: as it filled it in, else as it was asked for.

    Raises:
        Unusable: If it has no name.
    """
    status = wire.status or WireInstallationStatus()
    specs = [spec for spec in (status.computed, wire.spec) if spec is not None]
    networks = [spec.calico_network for spec in specs if spec.calico_network is not None]
    found = next((n.autodetection for n in networks if n.autodetection is not None), None)
    pools = next((n.ip_pools for n in networks if n.ip_pools is not None), ())
    stated = {
        "cni.type": next((spec.cni.type for spec in specs if spec.cni and spec.cni.type), None),
        "linuxDataplane": next((n.linux_dataplane for n in networks if n.linux_dataplane), None),
        "mtu": status.mtu or next((n.mtu for n in networks if n.mtu), None),
        "encapsulation": _encapsulations(pools),
        "nodeAddressAutodetectionV4": _method(found),
    }
    return _plugin_object("Installation", wire, ref, stated)


def _encapsulations(pools: Iterable[WirePool]) -> str:
    """Return what the pools of IPv4 addresses state; `IPIP` is the default of each."""
    return " ".join(sorted({p.encapsulation or "IPIP" for p in pools if _family(p.cidr) == "IPv4"}))


def _family(cidr: str | None) -> str | None:
    """Return the family of a range.

    >>> _family("10.0.0.0/16"), _family("fd00::/64"), _family(None)
    ('IPv4', 'IPv6', None)
    """
    if not cidr:
        return None
    return "IPv6" if ":" in cidr else "IPv4"


def _method(found: WireAutodetection | None) -> str | None:
    """Return how nodes find their address, as the agent's IP_AUTODETECTION_METHOD spells it."""
    if found is None:
        return None
    if found.interface:
        return f"interface={found.interface}"
    if found.skip_interface:
        return f"skip-interface={found.skip_interface}"
    if found.kubernetes:
        return "kubernetes-internal-ip"
    return "first-found" if found.first_found else None


def _plugin_object(
    kind: str, wire: WireObject, ref: ResourceRef, stated: Mapping[str, str | int | bool | None]
) -> PluginObject:
    data: Labels = tuple(
        (key, str(value).lower() if isinstance(value, bool) else str(value))
        for key, value in sorted(stated.items())
        if value is not None and value != ""
    )
    return PluginObject(ref=ref, kind=kind, name=metadata_of(wire).name or "", data=data)
