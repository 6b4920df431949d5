"""Texts of Kubernetes objects under other names: images, and settings of network plugins.

Of a setting every word stays that plugins know, and no other: its form, JSON or YAML or a flag,
stays what it is, so that what is read of it later is the same.
"""

import re

from netplan_planner.clusters.databases import known_image
from netplan_planner.readers.kubernetes.plugins import PLUGIN_NAMES, SETTING_NAMES
from netplan_planner.verbs.collect.pseudonyms.names import WORD, Names

SETTINGS = frozenset({"annotations", "bandwidth", "variables", "arguments", "data"})
"""Fields of Kubernetes objects that hold settings."""
_WORDS = frozenset(
    word.casefold()
    for text in (
        *SETTING_NAMES,
        *PLUGIN_NAMES,
        # Domains and names of annotations (kubernetes.io/docs/reference/labels-annotations-taints
        # and docs of flannel, Calico and Cilium, 2026-11-23).
        "flannel.alpha.coreos.com/backend-type flannel.alpha.coreos.com/backend-data",
        "flannel.alpha.coreos.com/public-ip projectcalico.org/IPv4Address cilium.io k8s.io",
        "kubernetes.io/ingress-bandwidth kubernetes.io/egress-bandwidth service.kubernetes.io",
        "topology-mode topology-aware-hints cloud.google.com/neg networking.gke.io gke",
        "load-balancer-type internal external metallb.universe.tf",
        # Variables of Calico and Weave that `clusters.plugins` reads.
        "IPV4POOL_IPIP IPV4POOL_VXLAN NETWORKING_BACKEND WIREGUARDENABLED BPFENABLED VXLANMTU",
        "IPINIPMTU NO_FASTDP PASSWORD set",
        # Keys and values inside of settings.
        "Network Backend Type MTU Port VNI DirectRouting cniVersion name plugins type mtu delegate",
        "vxlan geneve gre ipip ipsec wireguard udp fou host gw alloc none native tunnel disabled",
        "enabled true false yes no always never crosssubnet cross subnet full bird felix strict",
        "probe partial kube proxy mode iptables ipvs nftables userspace kind apiVersion",
        "trafficEncapMode encap noEncap hybrid networkPolicyOnly tunnelType",
        "trafficEncryptionMode defaultMTU transportInterface auto set can reach interface first",
        # Fields and words of Calico's own objects (`readers.kubernetes.calico`).
        "family ipipMode vxlanMode allowedUses workload loadbalancer wireguardEnabled bpfEnabled",
        "ipipMTU cni.type linuxDataplane vpp encapsulation nodeAddressAutodetectionV4 skip",
        "ipipcrosssubnet vxlancrosssubnet amazonvpc azurevnet internal ip",
        "found bpf ebpf direct device devices config conf json agent node v1 IPv4 IPv6 kubernetes",
    )
    for word in WORD.findall(text)
)
_KNOWN = re.compile(r"\d{1,5}[KMG]?|(?:eth|ens|eno|bond|wlan)\d{1,3}|enp\d{1,2}s\d{1,2}")
"""Numbers such as an MTU, and what Linux calls interfaces."""
_SYSTEM = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
"""Namespaces that every cluster has."""


def object_name(text: str, names: Names) -> str:
    """Return a name of a cluster's object, or `namespace/name`; those of plugins begin the same."""
    return "/".join(_name(part, names) for part in text.split("/"))


def _name(text: str, names: Names) -> str:
    if text in _SYSTEM:
        return text
    head = max((n for n in PLUGIN_NAMES if f"{text}-".startswith(f"{n}-")), key=len, default="")
    if not head:
        return names.text(text)
    # Behind it stand parts that plugins themselves have (`calico-node`), or somebody's own words.
    return head + setting(text[len(head) :], names)


def setting(text: str, names: Names) -> str:
    """Return a setting, argument or text of settings with all but known words replaced."""
    return names.around(text, lambda around: _words(around, names))


def _words(text: str, names: Names) -> str:
    return WORD.sub(
        lambda found: (
            found[0]
            if found[0].casefold() in _WORDS or _KNOWN.fullmatch(found[0])
            else names.name(found[0])
        ),
        text,
    )


def image(text: str, names: Names) -> str:
    """Return an image: of a database that is known its public name, else without a public word."""
    return known_image(text) or names.text(text)
