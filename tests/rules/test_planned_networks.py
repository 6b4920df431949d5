"""What is only planned: what Google says when it makes it is not known to rules, and no fault."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.model import Gap, Inventory
from netplan_rules.registry import find_rule
from support.rules.fixtures import FIXTURES, facts_of


def without_mtu(inventory: Inventory) -> Inventory:
    networks = (
        replace(one, mtu_bytes=None) if one.name == "default" else one for one in inventory.networks
    )
    return replace(inventory, networks=tuple(networks))


def without_tiers(inventory: Inventory) -> Inventory:
    assert inventory.kubernetes is not None
    pools = inventory.kubernetes.node_pools or ()
    unknown = tuple(replace(one, bandwidth_tier=None) for one in pools)
    return replace(inventory, kubernetes=replace(inventory.kubernetes, node_pools=unknown))


@pytest.mark.parametrize(
    ("rule", "unknown", "name", "reason"),
    [
        ("vpc-mtu-mismatch", without_mtu, "default", "its MTU is unknown until it is created"),
        (
            *("node-pool-tier1-missing", without_tiers, "pool"),
            "whether it has Tier_1 is known after apply",
        ),
    ],
)
def test_what_is_not_known_yet_is_no_fault(
    rule: str, unknown: Callable[[Inventory], Inventory], name: str, reason: str, tmp_path: Path
) -> None:
    facts = facts_of(json.loads((FIXTURES / rule / "bad.json").read_bytes()), tmp_path)
    check = find_rule(rule)
    assert len(list(check(facts))) == 1
    (gap,) = check(replace(facts, inventory=unknown(facts.inventory)))
    assert isinstance(gap, Gap)
    assert (gap.resource.name, gap.reason) == (name, reason)
