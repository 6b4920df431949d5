"""What a SKU is the price of: `category` first, the description only for what that cannot say.

The words are those of the published mapping tables: `kind`, `series`, `component`, `usage`.
A SKU that has to have a kind and gets none is *unrecognised*: it is counted and listed, never
dropped, because the price of a machine would be short of it.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from netplan_pricing.catalogue.sku import NETWORKING, SERVICE_NAMES, Sku
from netplan_pricing.catalogue.wording import (
    Offer,
    Part,
    Sentence,
    read_machine_part,
    read_sentence,
)


class Scope(StrEnum):
    """Whether netplan needs a SKU."""

    PRICED = "priced"
    """A price that a report may rest on."""
    OTHER = "other"
    """Understood, and none of netplan's business."""
    UNRECOGNISED = "unrecognised"
    """Of a kind that matters, in words that no rule understands."""


class MappedSku(NamedTuple):
    """What a SKU is. `kind` is empty where nothing fits; `reason` then says why."""

    kind: str
    series: str
    component: str
    usage: str
    counts_in_plain_vm_price: bool
    reason: str
    scope: Scope


VM_COMPONENT = "vm_component"
VM_WHOLE = "vm_whole"
GPU = "gpu"
LOCAL_SSD = "local_ssd"
VM_STATE = "vm_state"
COMMITMENT = Offer.COMMITMENT.value
M2_UPGRADE_PREMIUM = Offer.M2_UPGRADE_PREMIUM.value
CUD_PREMIUM = Offer.CUD_PREMIUM.value
FLEXIBLE_CUD = "flexible_cud"
TIER1 = "tier1"
EXTERNAL_IP = "external_ip"
LOAD_BALANCING = "load_balancing"
CLOUD_NAT = "cloud_nat"
VPN_TUNNEL = "vpn_tunnel"
INTERCONNECT_PORT = "interconnect_port"
INTERCONNECT_ATTACHMENT = "interconnect_attachment"
NETWORK_OTHER = "network_other:"
PRIVATE_SERVICE_CONNECT = f"{NETWORK_OTHER}PrivateServiceConnect"
NCC_SPOKE = f"{NETWORK_OTHER}NCCSpoke"
FLOW_LOGS_GENERATION = f"{NETWORK_OTHER}VPCFlowLogsGeneration"

_IN_PLAIN_PRICE = frozenset({VM_COMPONENT, VM_WHOLE, GPU, LOCAL_SSD, M2_UPGRADE_PREMIUM})

_USAGES = {
    "OnDemand": "ondemand",
    "Preemptible": "spot",
    "Commit1Yr": "commit_1y",
    "Commit3Yr": "commit_3y",
    "CmtCudPremium": "cud_premium",
}
_YEARS = {"commit_1y": 1, "commit_3y": 3}
_SELDOM_COMMITTED = "commit_other"

_TRAFFIC = {
    "Intrazone": "intrazone",
    "Interzone": "interzone",
    "Interregion": "interregion",
    "PremiumInternet": "internet_premium",
    "StandardInternet": "internet_standard",
    "VPNInternet": "vpn_internet",
    "VPNInterregion": "vpn_interregion",
    "PeeringOrInterconnect": "peering_or_interconnect",
    "Google": "google_services",
}
_DIRECTIONS = {"Egress": "out", "Ingress": "in"}
_NETWORK_KINDS = {
    "AdvancedNetworking": TIER1,
    "IpAddress": EXTERNAL_IP,
    "CDNCacheFill": "cdn_cache_fill",
    "InterconnectAttachment": INTERCONNECT_ATTACHMENT,
    "InterconnectPort": INTERCONNECT_PORT,
    "VPNTunnel": VPN_TUNNEL,
    "Nat": CLOUD_NAT,
    "PdSnapshotEgress": "snapshot_transfer",
}
_PRICED_NETWORK = frozenset(
    {
        *(f"{kind}_{way}" for kind in _TRAFFIC.values() for way in _DIRECTIONS.values()),
        *(TIER1, EXTERNAL_IP, LOAD_BALANCING, CLOUD_NAT, VPN_TUNNEL),
        *(INTERCONNECT_ATTACHMENT, INTERCONNECT_PORT),
        *(PRIVATE_SERVICE_CONNECT, FLOW_LOGS_GENERATION, NCC_SPOKE),
    }
)
_OTHER_NETWORK_GROUPS = frozenset(
    {
        *("Armor", "AuthzPolicy", "CDNCacheEgress", "Cdn", "Cloud DNS", "Cloud Firewall"),
        *("CloudSWP", "Commit", "ConnectivityTests", "DNS", "DataTransfer", "EdgeCacheEgress"),
        *("EdgeCacheFlexibleShieldingRequests", "MediaCDN", "Network Analyzer"),
        *("PacketMirroring", "SSL", "SecurityPolicy", "Service Directory"),
        *("ServiceExtensionLbCallouts", "ServiceExtensionWasmPluginInvocations"),
        *("TopologyAndGoogleCloudPerformance", "TrafficDirector"),
    }
)
"""Groups of the catalogue of 2026-04-30 that are known not to be needed."""
_OF_NETWORK_PRICES = re.compile(
    r"^(?!.*\b(?:CDN|cache|media)\b).*(?:\b(?:egress|ingress|data transfer|nat|vpn|peering)\b"
    r"|\b(?:external|static) ip\b|\binter[- ]?(?:zone|region|connect)|\bload balanc|bandwidth)",
    re.IGNORECASE,
)
"""What is said of something that netplan may have to price, whatever its group is called."""
_TOTAL_BANDWIDTH = re.compile(r"\bup\s+to\s+(\d+)\s+Gbps\b", re.IGNORECASE)
_TIER1_PERFORMANCE = re.compile(r"\bTier[_ -]?1\b", re.IGNORECASE)

_WHOLE_BY_GROUP = {"F1Micro": "f1-micro", "G1Small": "g1-small"}
_PART_BY_GROUP = {"CPU": Part.CORE, "RAM": Part.RAM, "LocalSSD": Part.LOCAL_SSD}
_N1_GROUP = re.compile(r"N1(?:Standard|Highmem|Highcpu)")
_WHOLE_N1 = re.compile(r"(standard|highmem|highcpu) intel n1 (\d+) vcpu", re.IGNORECASE)
"""Until 2016 a predefined N1 machine was one SKU."""

_GPU_WORDS = {
    word.casefold(): word
    for word in (
        *("Nvidia", "AMD", "Intel", "Google", "Tesla", "Quadro", "RTX", "PRO", "Mega", "Plus"),
        *("Ultra", "Super", "gpu", "slice", "vGPU", "no", "lssd"),
    )
}
"""Words of the names of GPUs, beside those with a digit: `H100`, `80GB`, `1/8`."""

_OFFERS_OF_INTEREST = frozenset({Offer.COMMITMENT, Offer.M2_UPGRADE_PREMIUM, Offer.CUD_PREMIUM})
_WHY_OTHER = {
    Offer.SOLE_TENANCY: "sole-tenant nodes are not planned",
    Offer.SOLE_TENANCY_PREMIUM: "sole-tenant nodes are not planned",
    Offer.SOLE_TENANCY_OVERCOMMIT: "sole-tenant nodes are not planned",
    Offer.RESERVED_CAPACITY: "a reservation, not a running VM",
    Offer.DWS: "Dynamic Workload Scheduler, not an ordinary VM",
}
_SUSPENDED_RAM = re.compile(r"VM state: suspended RAM\b", re.IGNORECASE)
_WITHOUT_KIND = {
    "VmState": "of a stopped VM, or of preserved Local SSD data",
    "Management": "a service that manages VMs, not a VM",
}


def map_sku(sku: Sku) -> MappedSku:
    """Return what a SKU is the price of; never raises."""
    found = _mapped(sku)
    if found.scope is Scope.PRICED and not found.usage:
        reason = f"unknown usage type {sku.category.usage_type!r}"
        return _none("", reason, Scope.UNRECOGNISED)
    return found


def _mapped(sku: Sku) -> MappedSku:
    category = sku.category
    usage = _usage(category.usage_type)
    service = sku.service_id
    if service not in SERVICE_NAMES:
        name = category.service_display_name or service or "no service"
        return _none(usage, f"not Compute Engine or Networking: {name}", Scope.OTHER)
    family, group = category.resource_family, category.resource_group
    if family == "License":
        return _other("license", group, usage, "a licence")
    if service == NETWORKING or family == "Network":
        return _network(sku, usage)
    if family == "Storage" and group != "LocalSSD":
        return _other("storage_other", group, usage, "a disk, an image or a snapshot")
    if family in {"Compute", "Storage"}:
        return _compute(sku, usage)
    return _none(usage, f"unknown resource family {family!r}", Scope.UNRECOGNISED)


def _usage(usage_type: str) -> str:
    found = _USAGES.get(usage_type)
    if found is not None:
        return found
    return _SELDOM_COMMITTED if usage_type.startswith("Commit") else ""


def _none(usage: str, reason: str, scope: Scope) -> MappedSku:
    return MappedSku("", "", "", usage, False, reason, scope)


def _other(kind: str, component: str, usage: str, reason: str) -> MappedSku:
    return MappedSku(kind, "", component, usage, False, reason, Scope.OTHER)


def _network(sku: Sku, usage: str) -> MappedSku:
    group = sku.category.resource_group
    kind = _network_kind(group)
    component = ""
    if kind == TIER1:
        size = _TOTAL_BANDWIDTH.search(sku.description)
        if size:
            component = f"total_bandwidth_up_to_{size[1]}_gbps"
        elif _TIER1_PERFORMANCE.search(sku.description):
            component = "tier1_performance"
        else:
            return _none(usage, "a networking fee in unknown words", Scope.UNRECOGNISED)
    if not group:
        return _none(usage, "a network price without a resource group", Scope.UNRECOGNISED)
    if kind in _PRICED_NETWORK:
        return MappedSku(kind, "", component, usage, False, "", Scope.PRICED)
    is_known = kind in _NETWORK_KINDS.values() or group in _OTHER_NETWORK_GROUPS
    if not is_known and _OF_NETWORK_PRICES.search(sku.description):
        reason = f"unknown resource group {group!r} of network prices"
        return MappedSku(kind, "", component, usage, False, reason, Scope.UNRECOGNISED)
    return _other(kind, component, usage, "a network service outside netplan's plans")


def _network_kind(group: str) -> str:
    for ending, way in _DIRECTIONS.items():
        traffic = _TRAFFIC.get(group.removesuffix(ending)) if group.endswith(ending) else None
        if traffic is not None:
            return f"{traffic}_{way}"
    if group.endswith("LoadBalancing"):
        return LOAD_BALANCING
    return _NETWORK_KINDS.get(group, f"{NETWORK_OTHER}{group}")


def _compute(sku: Sku, usage: str) -> MappedSku:
    group = sku.category.resource_group
    if group == "TPU":
        return _other("tpu", "", usage, "a TPU")
    if group == "PdSnapshotEgress":
        return _other(_NETWORK_KINDS[group], "", usage, "traffic of disk snapshots")
    if group.endswith("LoadBalancing"):
        return MappedSku(LOAD_BALANCING, "", "", usage, False, "", Scope.PRICED)
    if group == "Flexible":
        return MappedSku(FLEXIBLE_CUD, "", "", usage, False, "", Scope.PRICED)
    if group == "VmState" and _SUSPENDED_RAM.match(sku.description):
        return MappedSku(VM_STATE, "", "suspended_ram", usage, False, "", Scope.PRICED)
    if group in _WITHOUT_KIND:
        return _none(usage, _WITHOUT_KIND[group], Scope.OTHER)
    if group == "GPU":
        return _gpu(sku, usage)
    if group in _WHOLE_BY_GROUP:
        return _whole(sku, _WHOLE_BY_GROUP[group], usage)
    if group in _PART_BY_GROUP or _N1_GROUP.fullmatch(group):
        return _part(sku, usage)
    return _none(usage, f"unknown resource group {group!r} of VM prices", Scope.UNRECOGNISED)


def _offered(kind: str, offer: Offer | None, series: str, component: str, usage: str) -> MappedSku:
    """Return a part of a machine, under the kind of the offer where there is one."""
    kind = offer.value if offer else kind
    if offer is not None and offer not in _OFFERS_OF_INTEREST:
        return MappedSku(kind, series, component, usage, False, _WHY_OTHER[offer], Scope.OTHER)
    counts = kind in _IN_PLAIN_PRICE
    return MappedSku(kind, series, component, usage, counts, "", Scope.PRICED)


def _offer(offer: Offer | None, usage: str) -> Offer | None:
    """Return the offer, from the category where the description does not say it."""
    if offer is None and usage.startswith("commit_"):
        return Offer.COMMITMENT
    if usage == CUD_PREMIUM:
        return Offer.CUD_PREMIUM
    return offer


def _doubt(sentence: Sentence, usage: str) -> str:
    """Return why a description cannot be what its category says, or nothing."""
    is_committed = usage.startswith("commit_")
    if not sentence.is_clear:
        return "unknown words after the place"
    if is_committed and sentence.is_spot:
        return "its description says Spot, but its usage type is a commitment"
    if sentence.years is not None and not is_committed:
        return f"its description says {sentence.years} years, its usage type no commitment"
    if sentence.years is not None and usage in _YEARS and sentence.years != _YEARS[usage]:
        return f"its description says {sentence.years} years, its usage type {_YEARS[usage]}"
    if sentence.offer is Offer.COMMITMENT and not is_committed:
        return "its description says commitment, but its usage type is not"
    return ""


def _gpu(sku: Sku, usage: str) -> MappedSku:
    sentence = read_sentence(sku.description)
    name = _gpu_name(re.sub(r"\s+GPUs?$", "", sentence.rest, flags=re.IGNORECASE))
    if not name:
        return _none(usage, "a GPU price in unknown words", Scope.UNRECOGNISED)
    doubt = _doubt(sentence, usage)
    if doubt:
        return _none(usage, doubt, Scope.UNRECOGNISED)
    usage = "spot" if sentence.is_spot else usage
    return _offered(GPU, _offer(sentence.offer, usage), "", name, usage)


def _gpu_name(text: str) -> str:
    """Return the name of a GPU in its usual letters; nothing where a word is of no such name.

    >>> _gpu_name("NVIDIA tesla t4"), _gpu_name("Nvidia L4 attached to Flex Start VMs")
    ('Nvidia Tesla T4', '')
    """
    words = []
    for word in text.split():
        bare = word.strip("()").casefold()
        known = _GPU_WORDS.get(bare)
        if known is None and not any(char.isdigit() for char in bare):
            return ""
        words.append(word.upper() if known is None else word.casefold().replace(bare, known))
    return " ".join(words)


def _whole(sku: Sku, machine_type: str, usage: str) -> MappedSku:
    sentence = read_sentence(sku.description)
    doubt = _doubt(sentence, usage)
    if doubt:
        return _none(usage, doubt, Scope.UNRECOGNISED)
    usage = "spot" if sentence.is_spot else usage
    return _offered(VM_WHOLE, _offer(sentence.offer, usage), machine_type, "vm", usage)


def _part(sku: Sku, usage: str) -> MappedSku:
    group = sku.category.resource_group
    whole = _WHOLE_N1.fullmatch(read_sentence(sku.description).rest)
    if whole:
        return _whole(sku, f"n1-{whole[1].lower()}-{whole[2]}", usage)
    said = read_machine_part(sku.description)
    part = _PART_BY_GROUP.get(group) or (said.part if said else None)
    if said is None or part is None:
        return _none(usage, "a VM part in unknown words", Scope.UNRECOGNISED)
    doubt = _doubt(read_sentence(sku.description), usage)
    if doubt:
        return _none(usage, doubt, Scope.UNRECOGNISED)
    if said.part is not None and said.part is not part:
        reason = f"its description says {said.part.value}, its resource group {group}"
        return _none(usage, reason, Scope.UNRECOGNISED)
    usage = "spot" if said.is_spot else usage
    offer = _offer(said.offer, usage)
    if part is Part.LOCAL_SSD:
        return _offered(LOCAL_SSD, offer, said.series, part.value, usage)
    is_n1 = said.is_custom or offer is not None or _N1_GROUP.fullmatch(group)
    series = said.series or ("n1" if is_n1 else "")
    if not series:
        return _none(usage, "a VM part without a machine series", Scope.UNRECOGNISED)
    if offer is Offer.M2_UPGRADE_PREMIUM:
        series = "m2"
    prefix = "custom_extended_" if said.is_extended else "custom_" if said.is_custom else ""
    return _offered(VM_COMPONENT, offer, series, prefix + part.value, usage)
