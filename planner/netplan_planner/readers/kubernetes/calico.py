"""Calico's own objects: pools of pod addresses, settings of its agent, what its operator makes.

Kept are the fields that say how packets travel, and no range of addresses. Fields and defaults are
those of docs.tigera.io/calico/latest/reference (resources/ippool, resources/felixconfig,
installation/api), read 2026-11-23.
"""

from collections.abc import Iterable, Mapping

import msgspec

from netplan_planner.model import ResourceRef
from netplan_planner.model.project.kubernetes import Labels, PluginObject
from netplan_planner.readers.compute.wire import Wire
from netplan_planner.readers.kubernetes.metadata import metadata_of
from netplan_planner.readers.kubernetes.wire import WireObject
from netplan_planner.readers.links import Problems

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
