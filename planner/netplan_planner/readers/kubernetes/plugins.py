"""Workloads and config maps: of network plugins and kube-proxy their settings, of others none.

What is kept stands in the lists below, so that no password or token of a workload is stored.
"""

from collections.abc import Iterator
from itertools import pairwise

from netplan_planner.model import ResourceRef
from netplan_planner.model.project.kubernetes import ConfigMap, Labels, Workload
from netplan_planner.readers.kubernetes.metadata import metadata_of, namespace_of
from netplan_planner.readers.kubernetes.wire import (
    WireConfigMap,
    WirePluginContainer,
    WireTemplateSpec,
    WireVariable,
    WireWorkload,
    WireWorkloadSpec,
    WireWorkloadStatus,
)
from netplan_planner.readers.links import Problems

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
