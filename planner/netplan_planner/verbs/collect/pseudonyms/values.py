"""The values of a bundle with all names of their owner's replaced.

What is not said to stay is replaced: a field that comes later gives nothing away.
"""

import re
from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.clusters.databases import known_image
from netplan_planner.judging.suppressions import IGNORE_LABEL, UNTIL_LABEL
from netplan_planner.machines.groups import HA_ROLES
from netplan_planner.model.evidence import pod_traffic
from netplan_planner.model.evidence.measurement import NO_PROBE_LABEL
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.model.facts import TARGET_LABEL
from netplan_planner.model.project import kubernetes
from netplan_planner.readers import merge_inventories
from netplan_planner.readers.kubernetes.plugins import PLUGIN_NAMES, SETTING_NAMES
from netplan_planner.readers.time_series import series_order
from netplan_planner.verbs.collect.pseudonyms.names import FORMS, SERVICE, WORD, Names, stays
from netplan_rules.registry import AREAS, all_rules

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
        # Variables of Calico and Weave that `plugins` reads.
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


WITHHELD = "withheld: names are pseudonyms"
"""Stands for a text of which nobody can say what it quotes."""


SOURCE = "bundle"
"""Stands for where a resource was read: a path tells who collected."""


_WITHHELD = frozenset({"reason", "errors", "incomplete", "notes", "filter_expr", "excluded"})


_WITHHELD_OF = frozenset({("PodTraffic", "left_out")})


_LABELS = frozenset({"labels", "selector"})


_SETTINGS = frozenset(
    {IGNORE_LABEL, UNTIL_LABEL, NO_PROBE_LABEL, model.PIN_LABEL, model.ROLE_LABEL, TARGET_LABEL}
)
"""Keys of netplan's own labels."""


_TOLD_LABELS = frozenset({*model.SERVICE_LABELS, "goog-gke-node"})
"""Keys that say something to netplan; their values are names."""


_WORDS_OF_LABELS = frozenset({"", "true", "false", *HA_ROLES})


_NUMBER = re.compile(r"[0-9]{1,9}|[0-9]{4}-[0-9]{2}-[0-9]{2}")


_TELLING = {
    model.OwnerKind.INTERNET: re.compile(f"unknown|internet|{FORMS['area'].pattern}"),
    model.OwnerKind.GOOGLE_API: SERVICE,
}
"""Ends whose names are places and Google's services."""


_IN_BRACKETS = re.compile(r"^internet \((.*)\)$")


_OF_CLUSTERS = frozenset({kubernetes.__name__, pod_traffic.__name__})
"""Modules whose values name objects of Kubernetes."""


def pseudonymised_inventory(inventory: model.Inventory, names: Names) -> model.Inventory:
    """Return an inventory under other names, in the order of these."""
    return merge_inventories([_changed(inventory, names)])


def pseudonymised_traffic(traffic: model.TrafficMatrix, names: Names) -> model.TrafficMatrix:
    """Return a traffic matrix under other names, in the order of these."""
    made: model.TrafficMatrix = _changed(traffic, names)
    order = sorted(range(len(made.owners)), key=lambda at: made.owners[at].key)
    new = {old: at for at, old in enumerate(order)}
    edges = [replace(edge, src=new[edge.src], dst=new[edge.dst]) for edge in made.edges]
    vms = [replace(vm, owner=new[vm.owner]) for vm in made.vms]
    return replace(
        made,
        owners=tuple(made.owners[old] for old in order),
        edges=tuple(sorted(edges, key=lambda e: (e.src, e.dst, e.path_class, e.dst_address or ""))),
        vms=tuple(sorted(vms, key=lambda vm: vm.owner)),
        coverage=replace(made.coverage, examples=()),
    )


def pseudonymised_pods(traffic: PodTraffic, names: Names) -> PodTraffic:
    """Return traffic of pods under other names, the greatest first."""
    made: PodTraffic = _changed(traffic, names)
    order = sorted(made.flows, key=lambda flow: (-(flow.wire_bytes or 0), repr(flow)))
    return replace(made, flows=tuple(order))


def pseudonymised_metrics(metrics: model.Metrics, names: Names) -> model.Metrics:
    """Return metrics under other names, in the order of these."""
    made: model.Metrics = _changed(metrics, names)
    coverage = made.coverage
    return model.Metrics(
        series=tuple(sorted(made.series, key=series_order)),
        coverage=replace(coverage, projects=tuple(sorted(coverage.projects))),
    )


def _changed(value: Any, names: Names, kind: type = object, field: str = "") -> Any:
    if isinstance(value, model.Owner):
        return _owner(value, names)
    if isinstance(value, msgspec.Struct):
        kind = type(value)
        return replace(
            value,
            **{
                name: _changed(getattr(value, name), names, kind, name)
                for name in value.__struct_fields__
            },
        )
    if field in _LABELS and isinstance(value, tuple) and kind is not model.MetricSeries:
        return tuple(sorted(_label(key, text, names) for key, text in value))
    if isinstance(value, tuple | frozenset):
        return type(value)(_changed(one, names, kind, field) for one in value)
    if isinstance(value, str) and not isinstance(value, Enum):
        return _text(value, names, kind, field)
    return value


def _text(text: str, names: Names, kind: type, field: str) -> str:
    if stays(text, kind.__name__, field):
        return text
    if field in _WITHHELD or (kind.__name__, field) in _WITHHELD_OF:
        return WITHHELD
    if field == "source":
        return SOURCE
    if kind.__module__ not in _OF_CLUSTERS or text.startswith("projects/"):
        return names.text(text)
    if field in SETTINGS:
        return setting(text, names)
    if field == "images":
        return image(text, names)
    return names.address(text) or object_name(text, names)


def _label(key: str, value: str, names: Names) -> tuple[str, str]:
    is_word = value in _WORDS_OF_LABELS or (key in _SETTINGS and _is_setting(value))
    return (
        key if key in _SETTINGS or key in _TOLD_LABELS else names.name(key),
        value if is_word else names.name(value),
    )


def _is_setting(value: str) -> bool:
    """Return whether a value of netplan's own labels is a number, a date, or names of rules."""
    return _NUMBER.fullmatch(value) is not None or set(value.split("_")) <= _rule_names()


@cache
def _rule_names() -> frozenset[str]:
    rules = (check.rule for check in all_rules())
    return frozenset({*AREAS, *(name for rule in rules for name in (rule.id, *rule.aliases))})


def _owner(owner: model.Owner, names: Names) -> model.Owner:
    made = {
        name: _text(text, names, model.Owner, name)
        for name in ("project", "zone", "region", "network", "subnetwork", "link", "area")
        if (text := getattr(owner, name)) is not None
    }
    form = _TELLING.get(owner.kind)
    of_kind, _, place = owner.key.partition(":")
    is_public = form is not None and of_kind == owner.kind and form.fullmatch(place) is not None
    named = _IN_BRACKETS.sub(r"\1", owner.name)
    is_named = form is not None and form.fullmatch(named) is not None
    return replace(
        owner,
        key=owner.key if is_public else _key(owner.key, names),
        name=owner.name if is_named else names.text(owner.name),
        **made,
    )


def _key(key: str, names: Names) -> str:
    """Return an owner's key: a link, or a kind with what stands behind its colon."""
    kind, colon, rest = key.partition(":")
    if kind in _KINDS and colon:
        return f"{kind}:{names.text(rest)}"
    return names.text(key)


_KINDS: Sequence[str] = (
    *("unknown", "project", "hybrid", "nat", "load-balancer", "service-producer"),
    *("internet", "google-api"),
)


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
