"""Names replaced word by word, so that `web-1` and `web-2` stay copies of one thing."""

import base64
import hmac
import re
from collections.abc import Callable
from hashlib import sha256

from netplan_planner.verbs.collect.pseudonyms.addresses import Addresses
from netplan_planner.verbs.collect.pseudonyms.public import HARDWARE, PLACE, TYPE
from netplan_rules.placement._replicas import name_stem

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


class Names:
    """Replaces names, links and addresses by a key."""

    def __init__(self, key: bytes) -> None:
        """Keep the key, in memory only."""
        self._key = key
        self._addresses = Addresses(key)
        self._known: dict[str, str] = {}

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
        if word in _PUBLIC or name_stem(f"x-{word}") == "x":
            return word
        parts = _NUMBERED.fullmatch(word)
        head, number = (parts["word"], parts["number"] or "") if parts else (word, "")
        if not head:
            return number if number else word
        if head not in self._known:
            made = hmac.digest(self._key, head.encode("utf-8", "replace"), sha256)
            self._known[head] = "x" + base64.b32encode(made).decode().lower()[: _LENGTH - 1]
        return f"{self._known[head]}{number}"

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


_COLLECTIONS = frozenset(
    {
        *("projects", "zones", "regions", "locations", "instances", "subnetworks", "networks"),
        *("addresses", "forwardingRules", "routers", "routes", "vpnTunnels", "vpnGateways"),
        *("targetVpnGateways", "externalVpnGateways", "instanceGroups", "instanceGroupManagers"),
        *("instanceTemplates", "commitments", "disks", "resourcePolicies", "machineTypes"),
        *("acceleratorTypes", "diskTypes", "licenses", "backendServices", "targetPools"),
        *("targetInstances", "targetHttpProxies", "targetHttpsProxies", "targetGrpcProxies"),
        *("targetTcpProxies", "targetSslProxies", "serviceAttachments"),
        *("interconnectAttachments", "reservations", "vpcFlowLogsConfigs", "organizations"),
        *("recommenders", "recommendations"),
        *("folders", "hubs", "spokes", "nats", "clusters", "nodePools"),
    }
)
"""Words of self links, behind each of which a name stands."""
