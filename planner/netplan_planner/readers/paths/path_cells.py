"""What the cells of a table of paths say: classes, clouds, machine types, dates, tiers.

The spelling is that of published measurements: a remark may stand behind a machine type, `gcp>aws`
names the sender's cloud first, a class may carry `-pod` or name a provider.
"""

import re
from datetime import date

from netplan_planner.errors import MissingDatum
from netplan_planner.model import STOCK, CapsBook, PathClass, PathEnd, PodNetwork, SetUp
from netplan_planner.throughput.limits.ends import described_end
from netplan_planner.throughput.limits.pods.tables import encapsulation_of, encapsulations

_SPOKEN_TYPE = re.compile(r"\b([a-z]\d{1,2}[a-z]{0,2})\b.*?\b(\d+) vcpu")
_CLASSES = {
    "pod-to-pod": PathClass.SAME_ZONE_INTERNAL_POD,
    "pod-to-service": PathClass.SAME_ZONE_INTERNAL_POD,
    "host-to-host": PathClass.SAME_ZONE_INTERNAL,
    "internet-cross-cloud": PathClass.INTERNET,
    "internet-cross-cloud-pod": PathClass.INTERNET,
    "same-zone-external-pod": PathClass.SAME_ZONE_EXTERNAL,
    "inter-zone-external-pod": PathClass.INTER_ZONE_EXTERNAL,
    "inter-region-external-pod": PathClass.INTER_REGION_EXTERNAL,
    **{
        f"{place}-pod{kind}": PathClass(f"{place}-internal-pod")
        for place in ("same-zone", "inter-zone", "inter-region")
        for kind in ("-overlay", "-service", "")
    },
}
"""Spellings of measurements beside our own."""
_YES = frozenset({"1", "true", "yes", "tier_1", "tier1", "tier-1"})
_NO_CLOUD = "gcp"
_CIPHERS = (("wireguard", "wireguard"), ("ipsec", "ipsec"), ("aes", "ipsec"))
"""Words for what encrypts; kernels do AES for plugins by IPsec's transformations."""


def path_class_of(text: str) -> PathClass | None:
    """Return the path class that a cell names, None for an empty or unknown one.

    >>> path_class_of("internet-cross-cloud").value, path_class_of("router-forwarding")
    ('internet', None)
    """
    found = _CLASSES.get(text)
    if found is not None:
        return found
    try:
        return PathClass(text)
    except ValueError:
        return None


def clouds_of(text: str, src_location: str, dst_location: str) -> tuple[str, str]:
    """Return the sender's and the receiver's cloud: as the cell says, else by the places.

    >>> clouds_of("gcp>aws", "", ""), clouds_of("", "gcp:us-east1-b", "azure:westus")
    (('gcp', 'aws'), ('gcp', 'azure'))
    """
    if text:
        sender, _, receiver = text.partition(">")
        return sender.strip(), (receiver or sender).strip()
    clouds = [
        one.partition(":")[0] if ":" in one else _NO_CLOUD for one in (src_location, dst_location)
    ]
    return clouds[0], clouds[1]


def day_of(text: str) -> date | None:
    """Return the day that a cell names; the middle of a month or year that it names only.

    >>> day_of("2022-01-24"), day_of("2020"), day_of("soon")
    (datetime.date(2022, 1, 24), datetime.date(2020, 7, 1), None)
    """
    parts = re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T /].*)?", text)
    if parts is None:
        return None
    year, month, day = parts.groups()
    try:
        return date(int(year), int(month or 7), int(day or (15 if month else 1)))
    except ValueError:
        return None


def machine_type_of(text: str, caps: CapsBook) -> str | None:
    """Return the machine type of a cell with or without a remark; None for an empty one.

    "GKE node (n2d, 4 vCPU)" gives the series' standard type of that size where there is one.
    """
    if not text:
        return None
    first = text.split()[0].lower()
    if caps.variants(first) or " " not in text:
        return first
    spoken = _SPOKEN_TYPE.search(text.lower())
    if spoken:
        standard = f"{spoken[1]}-standard-{spoken[2]}"
        if caps.variants(standard):
            return standard
    return text


def is_yes(text: str) -> bool:
    """Return whether a cell says yes.

    >>> is_yes("TIER_1"), is_yes("")
    (True, False)
    """
    return text.lower() in _YES


def path_end(
    *,
    machine_type: str,
    vcpus: float | None,
    location: str,
    cloud: str,
    tier1: str,
    mtu_bytes: int | None,
    caps: CapsBook,
    cpu_platform: str = "",
    nic_count: int = 1,
    set_up: SetUp = STOCK,
) -> PathEnd:
    """Return one end of a path from its cells."""
    return described_end(
        machine_type_of(machine_type, caps),
        place=location.rpartition(":")[2],
        cloud=cloud,
        is_tier1=is_yes(tier1),
        cpu_platform=cpu_platform or None,
        vcpus=int(vcpus) if vcpus and vcpus >= 1 else None,
        mtu_bytes=mtu_bytes,
        nic_count=nic_count,
        set_up=set_up,
    )


def pod_network_of(
    *, plugin: str, encapsulation: str, encryption: str, note: str, is_bare_metal: bool
) -> PodNetwork:
    """Return the network of a cluster from its cells: what they say, else the plugin's default.

    >>> found = pod_network_of(
    ...     plugin="cilium", encapsulation="", encryption="wireguard", note="", is_bare_metal=False
    ... )
    >>> found.encapsulation, found.encryption
    ('vxlan', 'wireguard')
    """
    known = encapsulations()
    words = [word for word in re.split(r"[^a-z]+", encapsulation.lower()) if word in known]
    said = f"{encryption} {encapsulation} {note}".lower()
    cipher = next((name for word, name in _CIPHERS if word in said), "")
    overlay = words[0] if words else ""
    if not overlay:
        try:
            default = encapsulation_of(plugin)
        except MissingDatum:
            overlay = note.lower() if note.lower() in known else ""
        else:
            overlay, cipher = default.encapsulation, cipher or default.encryption
    is_assumed = not (overlay or cipher or encapsulation or encryption)
    return PodNetwork(
        encapsulation=overlay or "none",
        encryption=cipher or "none",
        is_bare_metal=is_bare_metal,
        is_assumed=is_assumed,
    )
