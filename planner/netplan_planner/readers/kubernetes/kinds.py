"""The kinds of Kubernetes objects that are read, and where each stands in the Kubernetes API."""

from netplan_planner.readers.compute.kinds import Kind, kind
from netplan_planner.readers.kubernetes import calico, network, plugins, pods

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
                ("IPPool", calico.ip_pool),
                ("FelixConfiguration", calico.felix_configuration),
                ("Installation", calico.installation),
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
