"""Fixes that depend on each other: seed stories, subsets, money counted once."""

from datetime import date
from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.fix_sets import Option
from netplan_planner.judging.fix_sets import find_fix_sets as find
from support.rules.facts import facts_of, machine

HELD_BACK = 0.8


def find_fix_sets(facts: model.Facts, options: list[Option]) -> tuple[model.FixSet, ...]:
    return find(facts, options, HELD_BACK)


EXTERNAL = model.PathClass.SAME_ZONE_EXTERNAL


def link(name: str) -> model.SelfLink:
    return model.SelfLink(f"projects/p/zones/us-central1-a/instances/{name}")


def address(src: str, dst: str, usd: str = "100") -> Option:
    change = model.Change(
        kind=model.ChangeKind.INTERNAL_ADDRESS, target=link(src), destination=link(dst)
    )
    return Option(change=change, saving_usd_per_month=Decimal(usd), finding=f"address-{src}")


def resize(src: str, to: str, usd: str | None = "-40") -> Option:
    change = model.Change(kind=model.ChangeKind.MACHINE_TYPE, target=link(src), to=to)
    saving = None if usd is None else Decimal(usd)
    return Option(change=change, saving_usd_per_month=saving, finding=f"size-{src}")


def gecko(*names: str, machine_type: str = "n1-standard-1") -> model.Facts:
    machines = [machine(name, machine_type) for name in names]
    ring = zip(names, names[1:] + names[:1], strict=True)
    talk = tuple((src, dst, EXTERNAL, 1.5) for src, dst in ring)
    return facts_of(*machines, talk=talk, as_of=date(2017, 7, 27))


def towards(receiver: str) -> model.Facts:
    """A small machine that sends to one that may take more than it sends."""
    machines = machine("a", "n1-standard-1"), machine("b", receiver)
    return facts_of(*machines, talk=(("a", "b", EXTERNAL, 1.5),), as_of=date(2017, 7, 27))


def singles(fix_set: model.FixSet) -> dict[str, float | None]:
    return {step.name: step.estimate.gbps for step in fix_set.singles}


def test_the_story_of_2017_needs_both_fixes() -> None:
    options = [address("a", "b"), resize("a", "n1-standard-16")]
    (found,) = find_fix_sets(towards("n1-standard-16"), options)
    assert found.now.gbps == 1.6
    assert singles(found) == {"internal address": 2.0, "n1-standard-16": 1.6}
    assert found.joint.name == "internal address + n1-standard-16"
    assert found.joint.estimate.gbps == 16.0
    assert found.joint.saving_usd_per_month == Decimal(60)
    assert found.worth == (
        "do internal address and n1-standard-16 together; n1-standard-16 alone brings nothing"
    )
    assert found.findings == ("address-a", "size-a")


def test_what_is_enough_alone_or_lifts_nothing_is_no_set() -> None:
    facts = gecko("a", "b", machine_type="n1-standard-16")
    assert find_fix_sets(facts, [address("a", "b")]) == ()
    assert find_fix_sets(facts, [address("a", "b"), resize("a", "n1-highmem-16")]) == ()
    # Fixes that lift nothing are no set.
    facts = facts_of(
        *(machine(name, "n1-standard-1") for name in ("a", "b")),
        talk=(("a", "b", EXTERNAL, 1.9),),
        as_of=date(2026, 11, 20),
    )
    same_cap = replace(resize("a", "n1-highcpu-2").change, to="n1-standard-1")
    options = [address("a", "b"), replace(resize("a", "n1-standard-1"), change=same_cap)]
    assert find_fix_sets(facts, options) == ()
    # Without traffic there are no sets.
    assert find_fix_sets(facts_of(machine("a")), [address("a", "b")]) == ()


def test_a_machine_is_paid_once_and_has_one_type() -> None:
    names = ("a", "b", "c", "d")
    options = [address(s, d) for s, d in zip(names, names[1:] + names[:1], strict=True)]
    options += [resize(name, "n1-standard-16") for name in names]
    (found,) = find_fix_sets(gecko(*names), options)
    assert found.member_count == 4
    assert found.joint.saving_usd_per_month == Decimal(4 * 60)
    # Two pairs of one sender pay its new type once.
    facts = facts_of(
        *(machine(name, "n1-standard-1") for name in ("a", "b", "c")),
        talk=(("a", "b", EXTERNAL, 1.5), ("a", "c", EXTERNAL, 1.5)),
        as_of=date(2017, 7, 27),
    )
    options = [address("a", "b"), address("a", "c"), resize("a", "n1-standard-16")]
    (found,) = find_fix_sets(facts, options)
    assert found.member_count == 2
    assert found.joint.saving_usd_per_month == Decimal(2 * 100 - 40)
    # An unknown price makes the sum unknown not smaller.
    options = [address("a", "b"), resize("a", "n1-standard-16", usd=None)]
    (found,) = find_fix_sets(gecko("a", "b"), options)
    assert found.joint.saving_usd_per_month is None
    # Two types for one machine exclude each other.
    options = [
        address("a", "b"),
        resize("a", "n1-standard-4", usd="-10"),
        resize("a", "n1-standard-16", usd="-40"),
    ]
    (found,) = find_fix_sets(towards("n1-standard-16"), options)
    assert found.joint.name == "internal address + n1-standard-16"
    assert singles(found)["n1-standard-4"] == 1.6


def test_a_receiver_counts_with_what_is_done_to_it() -> None:
    options = [
        address("a", "b"),
        resize("a", "n1-standard-4", usd="-10"),
        resize("a", "n1-standard-16", usd="-40"),
    ]
    (found,) = find_fix_sets(towards("n1-standard-1"), options)
    assert found.joint.name == "internal address + n1-standard-4"
    assert found.joint.estimate.binding is not None
    assert found.joint.estimate.binding.name == "receiver-cores"
    assert 2.0 < (found.joint.estimate.gbps or 0) < 8.0
    # What the same finding does to the receiver counts.
    there = replace(resize("b", "n1-standard-16"), finding="size-a")
    options = [address("a", "b"), resize("a", "n1-standard-16"), there]
    (found,) = find_fix_sets(towards("n1-standard-1"), options)
    assert found.joint.estimate.gbps == 16.0
    elsewhere = replace(there, finding="another")
    (found,) = find_fix_sets(towards("n1-standard-1"), [*options[:2], elsewhere])
    assert (found.joint.estimate.gbps or 16.0) < 8.0


def test_a_type_is_its_tier_its_platform_and_its_price() -> None:
    larger = resize("a", "n1-standard-16")
    both = replace(
        resize("a", "n2-standard-32"),
        change=model.Change(kind=model.ChangeKind.TIER_1, target=link("a"), to="n2-standard-32"),
    )
    machines = machine("a", "n1-standard-2"), machine("b", "n2-standard-32")
    facts = facts_of(*machines, talk=(("a", "b", EXTERNAL, 6.9),))
    (found,) = find_fix_sets(facts, [address("a", "b"), larger, both])
    assert found.joint.name == "internal address + n2-standard-32 with Tier_1"
    assert found.joint.estimate.gbps == 50.0
    # Equal gain takes the cheaper type.
    options = [
        address("a", "b"),
        resize("a", "n1-standard-8", usd="-20"),
        resize("a", "n1-standard-16", usd="-40"),
    ]
    (found,) = find_fix_sets(gecko("a", "b"), options)
    assert found.joint.name == "internal address + n1-standard-8"
    # A newer platform of the same type is a change.
    haswell = {"cpu_platform": "Intel Haswell"}
    old = [replace(machine(name, "n1-standard-16"), **haswell) for name in ("a", "b")]
    facts = facts_of(*old, talk=(("a", "b", EXTERNAL, 6.0),))
    newer = resize("a", "n1-standard-16", usd="0")
    newer = replace(newer, change=replace(newer.change, cpu_platform="Intel Skylake"))
    (found,) = find_fix_sets(facts, [address("a", "b"), newer])
    assert found.now.gbps == 7
    assert singles(found) == {
        "internal address": 16.0,
        "n1-standard-16, Intel Skylake or later": 7.0,
    }
    assert found.joint.estimate.gbps == 32
    # A new type is taken without tier1.
    sender = replace(machine("a", "n2-standard-32"), bandwidth_tier=model.BandwidthTier.TIER_1)
    facts = facts_of(sender, machine("b"), talk=(("a", "b", EXTERNAL, 6.0),))
    # The address alone brings 50: a type without Tier_1 can only take from that.
    assert find_fix_sets(facts, [address("a", "b"), resize("a", "n2-standard-48")]) == ()


@pytest.mark.parametrize("options", [[], [resize("a", "n1-standard-16")]])
def test_without_an_address_to_change_there_is_nothing_to_join(options: list[Option]) -> None:
    assert find_fix_sets(gecko("a", "b"), options) == ()


def of_two(gbps: float) -> model.Facts:
    return facts_of(
        *(machine(name, "n1-standard-1") for name in ("a", "b")),
        talk=(("a", "b", EXTERNAL, gbps),),
        as_of=date(2017, 7, 27),
    )


@pytest.mark.parametrize(("gbps", "count"), [(0.01, 0), (1.2, 0), (1.3, 1), (1.6, 1)])
def test_only_a_path_that_waits_for_its_limit_has_a_set(gbps: float, count: int) -> None:
    facts = of_two(gbps)
    options = [address("a", "b", "5000"), resize("a", "n1-standard-16")]
    assert len(find_fix_sets(facts, options)) == count


def test_a_declared_target_makes_a_quiet_path_wait() -> None:
    facts = facts_of(
        machine("a", "n1-standard-1", labels=(("netplan-target-mbps", "8000"),)),
        machine("b", "n1-standard-16"),
        talk=(("a", "b", EXTERNAL, 0.01),),
        as_of=date(2017, 7, 27),
    )
    (found,) = find_fix_sets(facts, [address("a", "b"), resize("a", "n1-standard-16")])
    assert found.used_ratio == pytest.approx(8 / 1.6)
