"""Names replaced word by word, so that `web-1` and `web-2` stay copies of one thing.

Addresses replaced so that whatever lay in one range still does.

Each bit is turned or not by what a key makes of the bits before it (Xu, Fan, Ammar and Moon,
"Prefix-preserving IP address anonymization", 2002): two addresses share as many leading bits after
it as before. Bits that lead to a block with a meaning are never turned, so that the block is mapped
onto itself: what was private stays private, and nothing else becomes so.
"""

import base64
import hmac
import re
from collections.abc import Callable
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from string import ascii_lowercase, digits

from netplan_planner.machines.groups import is_drawn, tells_copies_apart
from netplan_planner.model import Inventory
from netplan_planner.model.evidence.log_volume import OWN_SETTING
from netplan_planner.model.project.hubs import WORDS
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.readers.compute.kinds import BY_COLLECTION
from netplan_planner.traffic.files.faults import REASONS, SKEWED
from netplan_pricing.internet_areas import CONTINENTS

# Words of Google's and of Kubernetes', which stay: by field, and only in the form they have
#
# A field alone does not decide: what stands in it and has not the form of such a word is replaced.


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
        *(
            "status",
            "network_tier",
            "default_network_tier",
            "nic_type",
            "stack_type",
            "guest_os_features",
            "image_type",
        ),
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


# Names replaced word by word, so that `web-1` and `web-2` stay copies of one thing


_BLOCKS = (
    # RFC 1918, with what auto-mode networks take of it (cloud.google.com/vpc/docs/subnets).
    *("10.0.0.0/8", "10.128.0.0/9", "172.16.0.0/12", "192.168.0.0/16"),
    # RFC 6890 and 1112: shared, loopback, link-local, documentation, benchmarks, multicast.
    *("0.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24"),
    *(
        "192.0.2.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    ),
    # Private Google Access and health checks (cloud.google.com/vpc/docs/access-apis-internal and
    # cloud.google.com/load-balancing/docs/health-check-concepts, 2026-04).
    *("199.36.153.4/30", "199.36.153.8/30", "35.191.0.0/16", "130.211.0.0/22"),
    # RFC 4193 and 4291, and where Compute Engine has its own (cloud.google.com/vpc/docs/subnets).
    *("fc00::/7", "fd20::/20", "fe80::/10", "ff00::/8", "2600:1900::/28", "2001:db8::/32"),
)
Address = IPv4Address | IPv6Address
WORD = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(
    r"(?<![\w.:])(?:[0-9a-fA-F]*(?::[0-9a-fA-F]*){2,7}(?![\w.:]))(?:/\d{1,3})?"
    r"|(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)(?:/\d{1,2}(?!\d))?|(?<!\d)\d{1,3}(?:-\d{1,3}){3}(?!\d)"
)
"""An address or range inside a text; with dashes too, as other clouds name machines."""
_NUMBERED = re.compile(r"(?P<word>\D*?)(?P<number>[0-9]{1,3})?")
_PUBLIC = frozenset({"default", "gke"})
"""The network that every project begins with, and what GKE's nodes are called."""
_LENGTH = 10
"""Letters of a word: of 100,000 words two are replaced by one once in 200,000 bundles."""
_OF_GOOGLE = {
    **dict.fromkeys(("zones", "regions", "locations"), PLACE),
    "machineTypes": TYPE,
    **dict.fromkeys(("acceleratorTypes", "diskTypes"), HARDWARE),
}
"""Collections whose names are Google's, and the form these have."""
_PUBLIC_PROJECTS = frozenset(
    {
        *("almalinux-cloud", "centos-cloud", "cos-cloud", "debian-cloud", "fedora-cloud"),
        *("fedora-coreos-cloud", "opensuse-cloud", "oracle-linux-cloud", "rhel-cloud"),
        *("rhel-sap-cloud", "rocky-linux-cloud", "suse-byos-cloud", "suse-cloud"),
        *("suse-sap-cloud", "ubuntu-os-cloud", "ubuntu-os-pro-cloud", "windows-cloud"),
        "windows-sql-cloud",
    }
)
"""Ids of projects with Google's public images, whose licences tell what a machine runs
(cloud.google.com/compute/docs/images/os-details, 2026-04)."""
_COLLECTIONS = frozenset(
    {
        *("projects", "zones", "regions", "locations", "instances", "subnetworks", "networks"),
        *("addresses", "forwardingRules", "routers", "routes", "vpnTunnels", "vpnGateways"),
        *("targetVpnGateways", "externalVpnGateways", "instanceGroups", "instanceGroupManagers"),
        *("instanceTemplates", "commitments", "disks", "resourcePolicies", "machineTypes"),
        *("nodeGroups", "nodeTemplates"),
        *("acceleratorTypes", "diskTypes", "licenses", "backendServices", "targetPools"),
        *("targetInstances", "targetHttpProxies", "targetHttpsProxies", "targetGrpcProxies"),
        *("targetTcpProxies", "targetSslProxies", "serviceAttachments"),
        *("interconnectAttachments", "reservations", "vpcFlowLogsConfigs", "organizations"),
        *("recommenders", "recommendations"),
        *("folders", "hubs", "spokes", "nats", "clusters", "nodePools"),
    }
)
"""Words of self links, behind each of which a name stands."""


class Addresses:
    """Replaces addresses by a key."""

    def __init__(self, key: bytes) -> None:
        """Keep the key, in memory only."""
        self._key = key
        self._kept = {
            (network.version, length, _leading(network.network_address, length))
            for block in _BLOCKS
            for network in (ip_network(block),)
            for length in range(network.prefixlen)
        }
        self._turned: dict[tuple[int, int, int], int] = {}

    def text(self, text: str) -> str | None:
        """Return an address or range replaced; None: the text is neither."""
        address, slash, length = text.partition("/")
        try:
            found = ip_address(address)
            bits = int(length) if slash else found.max_prefixlen
        except ValueError:
            return None
        if not 0 <= bits <= found.max_prefixlen:
            return None
        return f"{self._replaced(found, bits)}{slash}{length}"

    def _replaced(self, address: Address, bits: int) -> Address:
        """Return an address with its leading bits replaced; those behind them become 0."""
        value = 0
        for length in range(bits):
            bit = _leading(address, length + 1) & 1
            value = value << 1 | bit ^ self._turn(address, length)
        return type(address)(value << address.max_prefixlen - bits)

    def _turn(self, address: Address, length: int) -> int:
        """Return 1 where the bit behind some leading bits is turned."""
        place = address.version, length, _leading(address, length)
        if place in self._kept:
            return 0
        if place not in self._turned:
            told = ",".join(map(str, place)).encode()
            self._turned[place] = hmac.digest(self._key, told, sha256)[0] & 1
        return self._turned[place]


def _leading(address: Address, length: int) -> int:
    return int(address) >> address.max_prefixlen - length


class Names:
    """Replaces names, links and addresses by a key."""

    def __init__(self, key: bytes) -> None:
        """Keep the key, in memory only."""
        self._key = key
        self._addresses = Addresses(key)
        self._known: dict[str, str] = {}
        self._ends: set[str] = set()

    def text(self, text: str) -> str:
        """Return a name, link, address or range with everything of the project's own replaced."""
        found = self._addresses.text(text)
        if found is not None:
            return found
        return self._link(text) if "/" in text else self.name(text)

    def address(self, text: str) -> str | None:
        """Return an address or range replaced; None: the text is neither."""
        return self._addresses.text(text)

    def name(self, text: str) -> str:
        """Return a name with its words replaced; numbers and words that tell copies apart stay."""
        return self.around(text, self._words)

    def around(self, text: str, replaced: Callable[[str], str]) -> str:
        """Return a text with each address in it replaced, and by a function what is around them."""
        pieces = []
        at = 0
        for found in _ADDRESS.finditer(text):
            dashes = "-" in found[0]
            address = self._addresses.text(found[0].replace("-", "."))
            if address is not None:
                made = address.replace(".", "-") if dashes else address
                pieces += [replaced(text[at : found.start()]), made]
                at = found.end()
        return "".join([*pieces, replaced(text[at:])])

    def _words(self, text: str) -> str:
        return WORD.sub(lambda match: self._word(match[0]), text)

    def _word(self, word: str) -> str:
        if word in _PUBLIC or tells_copies_apart(word):
            return word
        if is_drawn(word):
            return self._end(word)
        parts = _NUMBERED.fullmatch(word)
        head, number = (parts["word"], parts["number"] or "") if parts else (word, "")
        if not head:
            return number if number else word
        if head not in self._known:
            made = hmac.digest(self._key, head.encode("utf-8", "replace"), sha256)
            self._known[head] = "x" + base64.b32encode(made).decode().lower()[: _LENGTH - 1]
        return f"{self._known[head]}{number}"

    def _end(self, word: str) -> str:
        """Return another end that a group could have drawn, so that copies still look like such."""
        turn = 0
        while word not in self._known:
            made = hmac.digest(self._key, f"{turn} {word}".encode(), sha256)
            kinds = (ascii_lowercase, digits) * len(word)
            end = "".join(kind[one % len(kind)] for kind, one in zip(kinds, made, strict=False))
            end, turn = end[: len(word)], turn + 1
            if end not in self._ends:
                self._ends.add(end)
                self._known[word] = end
        return self._known[word]

    def _link(self, text: str) -> str:
        parts = text.split("/")
        if parts[0] == "projects" and parts[1] in _PUBLIC_PROJECTS:
            return text
        made = list(parts)
        at = 0
        while at < len(parts):
            word = parts[at]
            is_named = word in _COLLECTIONS and at + 1 < len(parts)
            if is_named:
                form, own = _OF_GOOGLE.get(word), parts[at + 1]
                is_public = form is not None and form.fullmatch(own)
                made[at + 1] = own if is_public else self.name(own)
                at += 2
                continue
            made[at] = word if word == "global" else self.name(word)
            at += 1
        return "/".join(made)
