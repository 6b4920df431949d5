"""Networks that are only planned: what Google says when it makes them is not known to rules."""

import json
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.model import Facts, Gap
from netplan_rules.registry import find_rule
from support.rules.fixtures import facts_of

BAD = Path(__file__).parents[2] / "rules" / "fixtures" / "vpc-mtu-mismatch" / "bad.json"


def facts_with(tmp_path: Path, mtus: dict[str, int | None]) -> Facts:
    facts = facts_of(json.loads(BAD.read_bytes()), tmp_path)
    networks = tuple(
        replace(one, mtu_bytes=mtus.get(one.name, one.mtu_bytes))
        for one in facts.inventory.networks
    )
    return replace(facts, inventory=replace(facts.inventory, networks=networks))


def test_an_mtu_that_is_not_known_is_not_a_mismatch(tmp_path: Path) -> None:
    check = find_rule("vpc-mtu-mismatch")
    assert len(list(check(facts_with(tmp_path, {})))) == 1
    (gap,) = check(facts_with(tmp_path, {"default": None}))
    assert isinstance(gap, Gap)
    assert (gap.resource.name, gap.reason) == ("default", "its MTU is known once it is made")
