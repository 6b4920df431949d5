"""Names of pods in traffic: their workload, zone and Service, by what was read of a cluster."""

from collections.abc import Iterable

from netplan_planner.model import Inventory, Zone
from netplan_planner.model.evidence.pod_traffic import PodEnd
from netplan_planner.model.project.kubernetes import Kubernetes, Pod


class PodNames:
    """Looks up pods by name, workload or address; without a cluster's objects names stay names."""

    def __init__(self, inventory: Inventory) -> None:
        self._kubernetes = inventory.kubernetes or Kubernetes()
        self._service_by_pod: dict[str, str | None] = {}
        for service, endpoints in self._kubernetes.endpoints_by_service.items():
            for endpoint in endpoints:
                if endpoint.pod is not None:
                    # A pod behind several Services: which of them was used is not known.
                    known = self._service_by_pod.setdefault(endpoint.pod, service)
                    if known != service:
                        self._service_by_pod[endpoint.pod] = None

    def end_of(
        self,
        name: str,
        *,
        workload: str | None = None,
        zone: str | None = None,
        cluster: str | None = None,
    ) -> PodEnd:
        """Return the end that a pod's `namespace/name` is, with what the record says besides."""
        pod = self._kubernetes.pod_by_name.get(name)
        known = self._kubernetes.zone_of(pod) if pod is not None else None
        return PodEnd(
            workload=workload or (pod.full_workload if pod is not None else name),
            zone=Zone(zone) if zone else known,
            cluster=cluster,
        )

    def found(self, text: str, zone: str | None = None) -> tuple[PodEnd, tuple[Pod, ...]] | None:
        """Return the end that a text of a table means, and the pods behind it.

        A pod or workload as `namespace/name`, or a pod's address; None for anything else.
        """
        kubernetes = self._kubernetes
        pod = kubernetes.pod_by_name.get(text) or kubernetes.pod_by_ip.get(text)
        pods = (pod,) if pod is not None else kubernetes.pods_by_workload.get(text, ())
        if not pods and text.count("/") != 1:
            return None
        workload = pods[0].full_workload if pods else text
        return PodEnd(workload=workload, zone=Zone(zone) if zone else self._zone(pods)), pods

    def _zone(self, pods: Iterable[Pod]) -> Zone | None:
        zones = {self._kubernetes.zone_of(pod) for pod in pods}
        return zones.pop() if len(zones) == 1 else None

    def is_same_node(self, src: str, dst: str) -> bool | None:
        """Return whether two pods (`namespace/name`) are on one node; None: not known of both."""
        nodes = [
            pod.node if (pod := self._kubernetes.pod_by_name.get(name)) is not None else None
            for name in (src, dst)
        ]
        return None if None in nodes else nodes[0] == nodes[1]

    def service_of(self, pods: Iterable[str]) -> str | None:
        """Return the one Service that all these pods (`namespace/name`) are endpoints of."""
        services = {self._service_by_pod.get(pod) for pod in pods}
        return services.pop() if len(services) == 1 else None

    def is_endpoint(self, pods: Iterable[str], service: str) -> bool:
        """Return whether pods are endpoints of a Service."""
        endpoints = self._kubernetes.endpoints_by_service.get(service, ())
        return bool({endpoint.pod for endpoint in endpoints} & set(pods))
