"""Kubernetes objects as JSON values: a `List`, a list of one kind, or a single object.

`kubectl get … --output=json` prints a `List` of objects that each say what they are; the API and
support bundles have `PodList` and the like, whose items may leave it out.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.model.project.kubernetes import COMPUTE_ENGINE
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import Kind, kind
from netplan_planner.readers.compute.lenient import convert_leniently
from netplan_planner.readers.kubernetes import network, plugins, pods
from netplan_planner.readers.kubernetes.metadata import object_link
from netplan_planner.readers.kubernetes.plugins import is_plugin_map
from netplan_planner.readers.kubernetes.wire import WireMetadata
from netplan_planner.readers.links import Problems, Unusable

# The kinds of Kubernetes objects that are read, and where each stands in the Kubernetes API


PATHS = {
    "Namespace": "api/v1/namespaces",
    "Node": "api/v1/nodes",
    "Pod": "api/v1/pods",
    "Service": "api/v1/services",
    "ConfigMap": "api/v1/configmaps",
    "EndpointSlice": "apis/discovery.k8s.io/v1/endpointslices",
    "DaemonSet": "apis/apps/v1/daemonsets",
    "Deployment": "apis/apps/v1/deployments",
    "StatefulSet": "apis/apps/v1/statefulsets",
    **plugins.PATHS,
}
"""Of today's versions: an object of an older one is the same object."""

CLUSTER_SCOPED = frozenset({"Namespace", "Node", *plugins.PATHS})
_GROUPS = plugins.GROUPS | {"", "apps", "discovery.k8s.io", "extensions"}
"""API groups whose kinds these are; others have kinds of the same names (Knative's Service)."""

BY_KIND = {
    one.singular: one
    for one in (
        kind("namespaces", network.namespace, singular="Namespace"),
        kind("nodes", network.node, singular="Node"),
        kind("pods", pods.pod, singular="Pod"),
        kind("services", network.service, singular="Service"),
        kind(
            "endpointslices",
            network.endpoint_slice,
            singular="EndpointSlice",
            field="endpoint_slices",
        ),
        *(
            kind(collection, plugins.workload, singular=singular, field="workloads")
            for collection, singular in plugins.KINDS.items()
        ),
        kind("configmaps", plugins.config_map, singular="ConfigMap", field="config_maps"),
        *(
            kind(f"{singular.lower()}s", convert, singular=singular, field="plugin_objects")
            for singular, convert in (
                ("IPPool", plugins.ip_pool),
                ("FelixConfiguration", plugins.felix_configuration),
                ("Installation", plugins.installation),
            )
        ),
    )
}


def kind_of(api_version: str, name: str) -> Kind | None:
    """Return the kind of an object, None for one that is not read.

    >>> kind_of("v1", "Pod").collection, kind_of("serving.knative.dev/v1", "Service")
    ('pods', None)
    """
    group = api_version.rpartition("/")[0]
    return BY_KIND.get(name) if group in _GROUPS else None


# Kubernetes objects as JSON values: a `List`, a list of one kind, or a single object


name = "kubernetes"

LIST = "List"
_LONGEST_LABEL = 100
_DEEPEST_LIST = 16


class Said(NamedTuple):
    """What an object or a list says that it is."""

    api_version: str
    kind: str

    @property
    def of_items(self) -> "Said":
        """What the items of a list are that do not say it."""
        return Said(self.api_version, self.kind.removesuffix(LIST))


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take the Kubernetes objects of a JSON document; return whether it holds any."""
    said = said_by(value)
    if said is None or not isinstance(value, dict):
        return False
    items = value.get("items")
    if not is_list(said):
        take(value, said, origin.at(""), origin, into)
        return True
    if items is not None and not isinstance(items, list):
        into.note(origin.at("/items"), "not a list")
    _take_list(value, said, origin.prefix, origin, into, 0)
    return True


def _take_list(
    value: dict[str, Any], said: Said, source: str, origin: Origin, into: Collector, depth: int
) -> None:
    """Take the items of a list, and of lists within it: several answers may be put into one."""
    begin_list(said, into)
    items = value.get("items")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        own = said_by(item) or said.of_items
        take(item, own, f"{source}/items/{index}", origin, into, depth)
    if depth and _goes_on(value.get("metadata")):
        into.note(source, "the list continues (continue), but the rest is missing")
    end_list(said, items, value.get("metadata"), origin, into)


def _goes_on(metadata: object) -> bool:
    return bool(isinstance(metadata, Mapping) and metadata.get("continue"))


def said_by(value: object) -> Said | None:
    """Return what an object says that it is; None for one that is none of Kubernetes'."""
    if not isinstance(value, dict):
        return None
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str) or not kind:
        return None
    return Said(api_version, kind)


def is_list(said: Said) -> bool:
    """Return whether an object says that it is a list."""
    return said.kind.endswith(LIST)


def begin_list(said: Said, into: Collector) -> None:
    """Note that a kind was listed, so that a list without items says that there are none."""
    kind = kind_of(*said.of_items)
    if kind is not None:
        into.listed.add(kind.field)


def end_list(said: Said, items: object, metadata: object, origin: Origin, into: Collector) -> None:
    """Note a list that goes on, as pages of the API do, and one that does not say what is none."""
    if said.kind == LIST and not items:
        reason = "a Kubernetes List without items, so its kind is unknown"
        into.note(origin.file, reason, is_needless=True)
        return
    into.page(f"{origin.prefix} items", origin.file, is_last=not _goes_on(metadata))


def take(
    value: object, said: Said, source: str, origin: Origin, into: Collector, depth: int = 0
) -> None:
    """Take one object, whatever the types of its fields, or the objects of a list."""
    kind = kind_of(*said)
    if kind is None and isinstance(value, dict) and is_list(said) and "items" in value:
        if depth < _DEEPEST_LIST:
            _take_list(value, said, source, origin, into, depth + 1)
        else:
            into.note(source, "lists are nested too deeply: the inner ones are not read")
        return
    if kind is None:
        skip(said, origin, into)
        return
    into.listed.add(kind.field)
    problems: Problems = []
    try:
        link = object_link(
            PATHS[kind.singular],
            convert_leniently(_part(value, "metadata"), WireMetadata, problems),
            is_namespaced=kind.singular not in CLUSTER_SCOPED,
        )
    except Unusable as exc:
        into.note(source, f"{kind.singular}: {exc}")
        return
    if kind.field == "config_maps" and not is_plugin_map(link.rpartition("/")[2]):
        into.skip(origin.file, "config maps unrelated to networking")
        return
    into.add_raw(kind, value, link, source)
    note_clouds(into, origin, len(into.found["nodes"]) - 1 if kind.field == "nodes" else None)


def take_wire(raw: msgspec.Raw, kind: Kind, source: str, into: Collector) -> bool:
    """Take one object of a known kind by its types; return False if some field has another."""
    try:
        wire: Any = decode_json(raw, kind.wire)
    except msgspec.DecodeError:
        return False
    metadata = wire.metadata
    if metadata is None or not metadata.name:
        return False
    if kind.field == "config_maps" and not is_plugin_map(metadata.name):
        return False
    link = object_link(
        PATHS[kind.singular], metadata, is_namespaced=kind.singular not in CLUSTER_SCOPED
    )
    into.add_as(kind, wire, link, source)
    return True


def skip(said: Said, origin: Origin, into: Collector) -> None:
    """Count an object of a kind that is not read."""
    into.skip(origin.file, f"Kubernetes {said.kind} ({said.api_version})"[:_LONGEST_LABEL])


def note_clouds(into: Collector, origin: Origin, first: int | None) -> None:
    """Note the nodes from number `first` on that are no machines of Compute Engine."""
    if first is None:
        return
    clouds = Counter(
        node.cloud
        for node in into.found["nodes"][first:]
        if node.cloud not in {None, COMPUTE_ENGINE}
    )
    for cloud, count in clouds.items():
        into.skip(origin.file, f"nodes of {cloud[:_LONGEST_LABEL]}, not on Compute Engine", count)


def _part(value: object, field: str) -> object:
    found = value.get(field) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise Unusable(f"no {field}")
    if not isinstance(found.get("name"), str) or not found["name"]:
        raise Unusable(f"no {field}.name")
    return found
