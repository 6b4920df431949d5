"""The kinds of Kubernetes objects that are read, and where each stands in the Kubernetes API."""

from netplan_planner.readers.compute.kinds import Kind
from netplan_planner.readers.kubernetes import calico, network, plugins, pods, wire

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
    **calico.PATHS,
}
"""Of today's versions: an object of an older one is the same object."""

CLUSTER_SCOPED = frozenset({"Namespace", "Node", *calico.PATHS})
_GROUPS = calico.GROUPS | {"", "apps", "discovery.k8s.io", "extensions"}
"""API groups whose kinds these are; others have kinds of the same names (Knative's Service)."""

BY_KIND = {
    kind.singular: kind
    for kind in (
        Kind(
            *("namespaces", "Namespace", "namespaces", wire.WireObject, network.namespace),
            frozenset(),
        ),
        Kind("nodes", "Node", "nodes", wire.WireNode, network.node, frozenset()),
        Kind("pods", "Pod", "pods", wire.WirePod, pods.pod, frozenset()),
        Kind("services", "Service", "services", wire.WireService, network.service, frozenset()),
        Kind(
            "endpointslices",
            "EndpointSlice",
            "endpoint_slices",
            wire.WireEndpointSlice,
            network.endpoint_slice,
            frozenset(),
        ),
        *(
            Kind(
                collection, singular, "workloads", wire.WireWorkload, plugins.workload, frozenset()
            )
            for collection, singular in plugins.KINDS.items()
        ),
        Kind(
            "configmaps",
            "ConfigMap",
            "config_maps",
            wire.WireConfigMap,
            plugins.config_map,
            frozenset(),
        ),
        Kind("ippools", "IPPool", "plugin_objects", calico.WireIpPool, calico.ip_pool, frozenset()),
        Kind(
            "felixconfigurations",
            "FelixConfiguration",
            "plugin_objects",
            calico.WireFelix,
            calico.felix_configuration,
            frozenset(),
        ),
        Kind(
            "installations",
            "Installation",
            "plugin_objects",
            calico.WireInstallation,
            calico.installation,
            frozenset(),
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
