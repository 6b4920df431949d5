"""Names replaced word by word, so that `web-1` and `web-2` stay copies of one thing."""

import base64
import hmac
import re
from hashlib import sha256

from netplan_planner.engine.pseudonyms.addresses import Addresses
from netplan_rules.placement._replicas import name_stem

_WORD = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"(?P<word>\D*?)(?P<number>[0-9]{1,3})?")
_PUBLIC = frozenset({"default", "gke"})
"""The network that every project begins with, and what GKE's nodes are called."""
_LENGTH = 10
"""Letters of a word: of 100,000 words two are replaced by one once in 200,000 bundles."""
_PLACES = frozenset({"zones", "regions", "locations"})
_OF_GOOGLE = frozenset({"machineTypes", "acceleratorTypes", "diskTypes"})
"""Collections whose names are Google's."""
_PUBLIC_PROJECTS = "-cloud"
"""End of the ids of projects with Google's public images (`windows-cloud`), whose licences tell
what a machine runs (cloud.google.com/compute/docs/images/os-details, 2026-04)."""


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

    def name(self, text: str) -> str:
        """Return a name with its words replaced; numbers and words that tell copies apart stay."""
        return _WORD.sub(lambda match: self._word(match[0]), text)

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
        if parts[0] == "projects" and len(parts) > 1 and parts[1].endswith(_PUBLIC_PROJECTS):
            return text
        made = list(parts)
        at = 0
        while at < len(parts):
            word = parts[at]
            is_named = word in _COLLECTIONS and at + 1 < len(parts)
            if is_named:
                is_public = word in _PLACES or word in _OF_GOOGLE
                made[at + 1] = parts[at + 1] if is_public else self.name(parts[at + 1])
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
        *("folders", "hubs", "spokes", "nats"),
    }
)
"""Words of self links, behind each of which a name stands."""
