"""Node pools that are only planned: whether they have Tier_1 may be known after apply."""

import json
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.model import Facts, Gap
from netplan_rules.registry import find_rule
from support.rules.fixtures import facts_of

BAD = Path(__file__).parents[2] / "rules" / "fixtures" / "node-pool-tier1-missing" / "bad.json"


def without_tiers(facts: Facts) -> Facts:
    kubernetes = facts.inventory.kubernetes
    assert kubernetes is not None
    pools = tuple(replace(one, bandwidth_tier=None) for one in kubernetes.node_pools or ())
    own = replace(kubernetes, node_pools=pools)
    return replace(facts, inventory=replace(facts.inventory, kubernetes=own))


def test_a_tier_that_is_not_known_is_not_missing(tmp_path: Path) -> None:
    check = find_rule("node-pool-tier1-missing")
    facts = facts_of(json.loads(BAD.read_bytes()), tmp_path)
    assert len(list(check(facts))) == 1
    (gap,) = check(without_tiers(facts))
    assert isinstance(gap, Gap)
    assert (gap.resource.name, gap.reason) == ("pool", "whether it has Tier_1 is known after apply")
