"""Words of Google's and of Kubernetes', which stay: by field, and only in the form they have.

A field alone does not decide: what stands in it and has not the form of such a word is replaced.
"""

import re

from netplan_planner.model import Inventory
from netplan_planner.model.evidence.log_volume import OWN_SETTING
from netplan_planner.model.project.hubs import WORDS
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.readers.compute.kinds import BY_COLLECTION
from netplan_planner.traffic.files.faults import REASONS, SKEWED
from netplan_pricing.internet_areas import CONTINENTS


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _one_of(*words: str) -> re.Pattern[str]:
    return _form("|".join(map(re.escape, words)))


ZONE = _form(r"[a-z]+-[a-z]+\d{1,2}-(?:[a-z]|ai\d{1,2}[a-z])")
PLACE = _form(rf"global|[a-z]+-[a-z]+\d{{1,2}}|{ZONE.pattern}")
"""A zone, a region or `global`."""
TYPE = _form(
    r"(?:custom|[a-z]{1,3}\d{1,2}[a-z]{0,3}|ct\d[a-z]{1,3})(?:-[a-z0-9]+){1,4}|(?:f1|g1)-[a-z]+"
)
"""Machine types (docs.cloud.google.com/compute/docs/machine-resource, 2026-04)."""
HARDWARE = _form(r"(?:nvidia|ct\d[a-z]*|pd|hyperdisk|local|scratch)(?:-[a-z0-9]+)+|SCRATCH")
"""Types of GPUs and disks."""
_PLATFORM = _form(r"(?:Intel|AMD|Ampere|Google|NVIDIA)(?: [A-Z][A-Za-z0-9]*| \([A-Za-z ]+\))*")
_CONSTANT = _form(r"[A-Z][A-Z0-9_]*")
"""A value of an enumeration of Google's APIs."""
_VERSION = _form(r"v?\d+(?:\.\d+){1,2}(?:-gke\.\d+)?")
_AREA = _form(rf"(?:{'|'.join(CONTINENTS)})?/?(?:[a-z]{{3}})?")
"""A continent, a country by its three letters (ISO 3166-1), or both, as flow logs spell them."""
SERVICE = _form(
    r"unknown|Google APIs|(?:[a-z]+\.)?googleapis\.com|[A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)*"
)
_UNIT = _form(r"1|By|1/s|By/s|\{(?:packet|port)\}(?:/s)?|[a-z]{1,2}")
_QUOTA = _form(r"(?:compute|serviceruntime)\.googleapis\.com/[a-z_]+")

FORMS = {
    "zone": ZONE,
    "zones": ZONE,
    "hint_zones": ZONE,
    "region": PLACE,
    "location": PLACE,
    "machine_type": TYPE,
    "node_type": TYPE,
    "gpu_type": HARDWARE,
    "disk_type": HARDWARE,
    "cpu_platform": _PLATFORM,
    "min_cpu_platform": _PLATFORM,
    "architecture": _form("X86_64|ARM64"),
    "area": _AREA,
    "excluded": _one_of(SKEWED, *sorted({name for name, _ in REASONS.values()})),
    "counts": _one_of(*BY_COLLECTION, *Inventory.__struct_fields__, *Kubernetes.__struct_fields__),
    "next_hop": _one_of(
        *("gateway", "instance", "ip", "vpn", "ilb", "peering", "network", "hub"),
        *("interconnect", "unknown"),
    ),
    "port_range": _form(r"[0-9-]+"),
    "target_port": _form(r"[0-9]+"),
    "configuration": _one_of(OWN_SETTING),
    "counted": _one_of(OWN_SETTING),
    "left_out": _one_of(OWN_SETTING),
    "unit": _UNIT,
    "cloud": _one_of("gce", "aws", "azure", "kind", "k3s", "openstack", "vsphere"),
    "version": _VERSION,
    "kubelet_version": _VERSION,
    "kernel_version": _VERSION,
    "phase": _one_of("Pending", "Running", "Succeeded", "Failed", "Unknown"),
    "workload_kind": _one_of(
        *("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Node"),
    ),
    "type": _one_of("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
    "address_type": _one_of("IPv4", "IPv6", "FQDN"),
    "traffic_distribution": _one_of("PreferClose", "PreferSameZone", "PreferSameNode"),
    "topology_mode": _one_of("Auto", "auto", "Disabled", "disabled"),
    "internal_traffic_policy": _one_of("Cluster", "Local"),
    "external_traffic_policy": _one_of("Cluster", "Local"),
    "session_affinity": _one_of("None", "ClientIP"),
    "policy_types": _one_of("Ingress", "Egress"),
}
FORMS |= dict.fromkeys(
    (
        *("status", "network_tier", "nic_type", "stack_type", "guest_os_features", "image_type"),
        *("aggregation_interval", "metadata", "purpose", "routing_mode", "scheme"),
        *("source_ranges", "plan", "category", "commitment_type", "others", "deprecation"),
        *("datapath_provider", "in_transit_encryption", "protocol"),
    ),
    _CONSTANT,
)
"""By the name of a field; what has none of these names is replaced."""
FORMS_OF = {
    ("Hub", "topology"): _CONSTANT,
    ("Spoke", "state"): _CONSTANT,
    ("Spoke", "group"): _one_of("default", "center", "edge"),
    ("Spoke", "exported"): _one_of(*WORDS),
    ("NetworkInterface", "name"): _form(r"nic[0-9]{1,2}"),
    ("Drops", "reason"): _form(rf"(?:{_CONSTANT.pattern})?"),
    ("MetricSeries", "labels"): _form(rf"reason|drop_reason|loadbalanced|{_CONSTANT.pattern}"),
    ("MeasuredResource", "name"): _QUOTA,
    ("Workload", "kind"): FORMS["workload_kind"],
    ("PluginObject", "kind"): _one_of("IPPool", "FelixConfiguration", "Installation"),
}
"""By type and field, before those of the field alone."""


def stays(text: str, kind: str, field: str) -> bool:
    """Return whether a text of a field is a word of Google's or Kubernetes'.

    >>> stays("us-central1-a", "Instance", "zone"), stays("our-rack", "Node", "zone")
    (True, False)
    """
    form = FORMS_OF.get((kind, field)) or FORMS.get(field)
    return form is not None and form.fullmatch(text) is not None
