"""An inventory and a traffic matrix with all names of their owner's replaced.

What is not said to stay is replaced: a field that comes later gives nothing away.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

import msgspec
from msgspec.structs import replace

from netplan_planner.engine.pseudonyms.names import Names
from netplan_planner.model import (
    ROLE_LABEL,
    Inventory,
    Owner,
    OwnerKind,
    SelfLink,
    TrafficMatrix,
)
from netplan_planner.readers import merge_inventories
from netplan_rules.placement._replicas import HA_ROLES

WITHHELD = "withheld: names are pseudonyms"
"""Stands for a text of which nobody can say what it quotes."""
SOURCE = "bundle"
"""Stands for where a resource was read: a path tells who collected."""
_KEPT = frozenset(
    {
        *("zone", "region", "location", "machine_type", "status", "network_tier", "nic_type"),
        *("stack_type", "cpu_platform", "min_cpu_platform", "gpu_type", "guest_os_features"),
        *("disk_type", "aggregation_interval", "metadata", "purpose", "routing_mode", "scheme"),
        *("port_range", "source_ranges", "next_hop", "plan", "category", "commitment_type"),
        *("others", "area", "counts", "excluded"),
    }
)
"""Fields of words and places of Google's."""
_KEPT_OF = frozenset({("NetworkInterface", "name"), ("Drops", "reason")})
_KEPT_VALUES = ("MachineShape",)
_WITHHELD = frozenset({"reason", "errors", "incomplete", "notes", "filter_expr"})
_PUBLIC_LABELS = ("netplan-", "goog-", "service", "app")
"""Beginnings of label keys that say something to netplan; their values are names."""
_WORDS_OF_LABELS = frozenset({"", "true", "false", *HA_ROLES})
_TELLING = frozenset({OwnerKind.INTERNET, OwnerKind.GOOGLE_API})
"""Ends whose names are places and Google's services."""


def pseudonymised_inventory(inventory: Inventory, names: Names) -> Inventory:
    """Return an inventory under other names, in the order of these."""
    return merge_inventories([_changed(inventory, names)])


def pseudonymised_traffic(traffic: TrafficMatrix, names: Names) -> TrafficMatrix:
    """Return a traffic matrix under other names, in the order of these."""
    made: TrafficMatrix = _changed(traffic, names)
    order = sorted(range(len(made.owners)), key=lambda at: made.owners[at].key)
    new = {old: at for at, old in enumerate(order)}
    edges = [replace(edge, src=new[edge.src], dst=new[edge.dst]) for edge in made.edges]
    vms = [replace(vm, owner=new[vm.owner]) for vm in made.vms]
    return replace(
        made,
        owners=tuple(made.owners[old] for old in order),
        edges=tuple(sorted(edges, key=lambda e: (e.src, e.dst, e.path_class, e.dst_address or ""))),
        vms=tuple(sorted(vms, key=lambda vm: vm.owner)),
        coverage=replace(made.coverage, examples=()),
    )


def _changed(value: Any, names: Names, kind: str = "", field: str = "") -> Any:
    if isinstance(value, Owner):
        return _owner(value, names)
    if isinstance(value, msgspec.Struct):
        kind = type(value).__name__
        if kind in _KEPT_VALUES:
            return value
        return replace(
            value,
            **{
                name: _changed(getattr(value, name), names, kind, name)
                for name in value.__struct_fields__
            },
        )
    if field == "labels":
        return tuple(sorted(_label(key, text, names) for key, text in value))
    if isinstance(value, tuple | frozenset):
        return type(value)(_changed(one, names, kind, field) for one in value)
    if isinstance(value, str) and not isinstance(value, Enum):
        return _text(value, names, kind, field)
    return value


def _text(text: str, names: Names, kind: str, field: str) -> str:
    if field in _KEPT or (kind, field) in _KEPT_OF:
        return text
    if field in _WITHHELD:
        return WITHHELD
    return SOURCE if field == "source" else names.text(text)


def _label(key: str, value: str, names: Names) -> tuple[str, str]:
    is_public = key.startswith(_PUBLIC_LABELS[:2]) or key in _PUBLIC_LABELS
    is_setting = key.startswith("netplan-") and key != ROLE_LABEL
    is_word = value in _WORDS_OF_LABELS
    return (
        key if is_public else names.name(key),
        value if is_setting or is_word else names.name(value),
    )


def _owner(owner: Owner, names: Names) -> Owner:
    return replace(
        owner,
        key=owner.key if owner.kind in _TELLING else _key(owner.key, names),
        name=owner.name if owner.kind in _TELLING else names.text(owner.name),
        **{
            name: link if (link := getattr(owner, name)) is None else SelfLink(names.text(link))
            for name in ("project", "network", "subnetwork", "link")
        },
    )


def _key(key: str, names: Names) -> str:
    """Return an owner's key: a link, or a kind with what stands behind its colon."""
    kind, colon, rest = key.partition(":")
    if kind in _KINDS and colon:
        return f"{kind}:{names.text(rest)}"
    return names.text(key)


_KINDS: Sequence[str] = ("unknown", "project", "hybrid", "nat", "load-balancer", "service-producer")
