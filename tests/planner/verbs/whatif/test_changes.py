"""Changes of facts: nothing, there and back, in any order, and what cannot be."""

from datetime import date
from decimal import Decimal
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError
from netplan_planner.ledger.resources import address_lines
from netplan_planner.model import BandwidthTier, Facts, Inventory, Severity, total_usd, usage_of
from netplan_planner.throughput import load_caps
from netplan_planner.verbs.whatif.answer import WhatifChange
from netplan_planner.verbs.whatif.order import MOST_RANKED, Outcome, order_changes
from netplan_planner.verbs.whatif.run import answer
from netplan_planner.verbs.whatif.scenario import Aimed
from netplan_planner.world.request import InputRequest
from support.known import known
from support.listed import listed
from support.whatif.projects import TODAY, after, change, facts_of

NAMES = ("transcoder-1", "transcoder-2", "transcoder-5", "transcoder-6")


def with_machine(facts: Facts, name: str, **changes: object) -> Facts:
    inventory: Inventory = facts.inventory
    instances = tuple(
        replace(one, **changes) if one.name == name else one for one in inventory.instances
    )
    return replace(facts, inventory=replace(inventory, instances=instances))


def test_the_order_and_repetition_of_changes_change_nothing() -> None:
    facts = facts_of("gecko")
    assert after(facts).facts is facts
    # The order of changes changes nothing.
    first = after(facts, *CHANGES)
    for order in list(permutations(CHANGES))[::97]:
        assert after(facts, *order) == first
    # The same said twice is made once.
    once = after(facts, CHANGES[3])
    assert after(facts, CHANGES[3], CHANGES[3]) == once


THERE_AND_BACK = (
    ("gecko", ("transcoder-1", "machine-type", "n1-standard-8"), "n1-standard-1"),
    ("gecko", ("transcoder-*", "nic", "virtio"), None),
    ("gecko", ("*", "mtu", "1500"), "1460"),
    ("gecko", ("*", "growth", "2"), "0.5"),
    ("gecko", ("transcoder-5", "growth", "4"), "0.25"),
    ("interzone", ("us-central1-c", "zone", "us-central1-f"), "us-central1-c"),
)


@pytest.mark.parametrize(("demo", "there", "back"), THERE_AND_BACK)
def test_there_and_back_is_same(demo: str, there: tuple[str, str, str], back: str | None) -> None:
    facts = facts_of(demo)
    changed = after(facts, change(*there)).facts
    assert changed != facts
    if back is None:
        return
    again = after(changed, change(there[0], there[1], back)).facts
    assert again.inventory == facts.inventory
    assert facts.traffic is not None
    assert again.traffic is not None
    assert [e.wire_bytes for e in again.traffic.edges] == [
        e.wire_bytes for e in facts.traffic.edges
    ]
    assert [e.path_class for e in again.traffic.edges] == [
        e.path_class for e in facts.traffic.edges
    ]
    assert again.traffic.owners == facts.traffic.owners
    for new, old in zip(again.traffic.vms, facts.traffic.vms, strict=True):
        for name in ("egress", "egress_outside_vpc", "ingress"):
            series, was = getattr(new, name), getattr(old, name)
            assert series.byte_count == was.byte_count
            assert series.p95_gbps == pytest.approx(was.p95_gbps)
            assert series.top_gbps == pytest.approx(was.top_gbps)


def test_external_addresses_and_back_to_internal_ones() -> None:
    facts = facts_of("gecko")
    inside = after(facts, change("*", "address", "internal")).facts
    assert inside.traffic is not None
    assert not any(edge.path_class.is_external_address for edge in inside.traffic.edges)
    assert all(vm.egress_outside_vpc.byte_count == 0 for vm in inside.traffic.vms)
    outside = after(inside, change("transcoder-*", "address", "external")).facts
    again = after(outside, change("*", "address", "internal")).facts
    assert again == inside


CHANGES = (
    change("transcoder-1", "machine-type", "n1-standard-8"),
    change("transcoder-*", "address", "internal"),
    change("transcoder-1", "zone", "us-central1-b"),
    change("*", "growth", "1.5"),
    change("*", "mtu", "1500"),
    change("transcoder-5", "network-tier", "standard"),
)


def test_a_move_changes_every_pair_of_the_machine() -> None:
    facts = facts_of("interzone")
    changed = known(after(facts, change("us-central1-c", "zone", "us-central1-b")).facts.traffic)
    owners = changed.owners
    moved = next(number for number, one in enumerate(owners) if one.name == "us-central1-c")
    assert owners[moved].zone == "us-central1-b"
    for old, new in zip(known(facts.traffic).edges, changed.edges, strict=True):
        if moved not in {new.src, new.dst}:
            assert new is old
            continue
        assert new.rtt_ms is None
        is_same = owners[new.src].zone == owners[new.dst].zone
        assert new.path_class == ("same-zone-internal" if is_same else "inter-zone-internal")


@given(st.decimals(min_value="0.01", max_value="50", places=2), st.sampled_from(NAMES))
def test_growth_is_of_what_a_machine_sends(factor: object, name: str) -> None:
    facts = facts_of("gecko")
    changed = after(facts, change(name, "growth", str(factor))).facts
    for old, new in zip(known(facts.traffic).edges, known(changed.traffic).edges, strict=True):
        is_own = facts.src(old).name == name
        by_others = facts.dst(old).name == name and facts.src(old).kind != "vm"
        if is_own or by_others:
            assert abs(new.wire_bytes - old.wire_bytes * float(str(factor))) <= 1 + 1e-9 * (
                old.wire_bytes
            )
        else:
            assert new is old


REFUSED = (
    (("transcodr-1", "growth", "2"), "transcoder-1"),
    (("label:tier", "growth", "2"), "label:KEY=VALUE"),
    (("group:none", "growth", "2"), "no VM"),
    (("transcoder-1", "machine-type", "n1-standrd-8"), "n1-standard-8"),
    (("transcoder-1", "zone", "us-centrall1-a"), "us-central1"),
    (("transcoder-1", "zone", "us-central1-z"), "us-central1-f"),
    (("transcoder-1", "zone", "europe-west1-b"), "no subnetwork"),
    (("transcoder-1", "tier1", "true"), "does not support it"),
    (("transcoder-1", "tier1", "maybe"), "true or false"),
    (("transcoder-1", "mtu", "9000"), "8896"),
    (("transcoder-1", "mtu", "12.5"), "8896"),
    (("transcoder-1", "nic", "idpf"), "gvnic or virtio"),
    (("transcoder-1", "address", "both"), "internal or external"),
    (("transcoder-1", "network-tier", "gold"), "premium or standard"),
    (("transcoder-1", "plugin", "calicoo"), "calico"),
    (("transcoder-1", "growth", "0"), "from 0.001 to 1000"),
    (("transcoder-1", "growth", "-2"), "from 0.001 to 1000"),
    (("transcoder-1", "growth", "nan"), "from 0.001 to 1000"),
    (("transcoder-1", "growth", "much"), "from 0.001 to 1000"),
)

NO_MACHINES = ("transcodr-1", "label:tier", "group:none")
"""What is refused as names of machines, whatever should change."""


@listed(("words", "said"), REFUSED)
def test_what_cannot_be_is_refused_with_what_to_do(words: tuple[str, str, str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        after(facts_of("gecko"), change(*words))
    source = "vm" if words[0] in NO_MACHINES else words[1]
    assert str(refused.value).startswith(f"--{source}: ")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("transcoder-1", "machine-type", "n1-standard-8"), ("*", "machine-type", "n1-standard-4")),
        (("transcoder-1", "growth", "2"), ("transcoder-*", "growth", "3")),
        (("transcoder-1", "growth", "2"), ("transcoder-*", "growth", "2")),
        (("transcoder-1", "mtu", "1500"), ("transcoder-2", "mtu", "8896")),
        (("transcoder-1", "nic", "gvnic"), ("transcoder-1", "nic", "virtio")),
    ],
)
def test_contradictions_are_refused(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    for pair in ((one, other), (other, one)):
        with pytest.raises(UsageError):
            after(facts_of("gecko"), *(change(*words) for words in pair))


def test_a_change_of_a_file_is_an_input_that_is_wrong() -> None:
    row = WhatifChange(
        vms="none", field=CHANGES[0].field, to="e2-small", source="f.csv, row 2", is_of_file=True
    )
    with pytest.raises(InputError, match="row 2"):
        after(facts_of("gecko"), row)


def tier1_ready() -> Facts:
    facts = replace(facts_of("gecko"), caps=load_caps(TODAY))
    return with_machine(facts, "transcoder-1", machine_type="n2-standard-48", cpu_platform=None)


def test_tier_1_needs_its_interface_and_a_smaller_type_goes_without() -> None:
    facts = tier1_ready()
    link = next(one for one in facts.inventory.instances if one.name == "transcoder-1")
    nics = tuple(replace(nic, nic_type="VIRTIO_NET") for nic in link.interfaces)
    facts = with_machine(facts, "transcoder-1", interfaces=nics)
    tier1 = change("transcoder-1", "tier1", "true")
    with pytest.raises(UsageError, match="--nic gvnic"):
        after(facts, tier1)
    found = after(facts, tier1, change("transcoder-1", "nic", "gvnic")).facts
    one = found.inventory.instance_by_link[link.ref.self_link]
    assert one.bandwidth_tier is BandwidthTier.TIER_1
    # A smaller type needs tier 1 off with it.
    facts = with_machine(tier1_ready(), "transcoder-1", bandwidth_tier=BandwidthTier.TIER_1)
    smaller = change("transcoder-1", "machine-type", "n2-standard-8")
    with pytest.raises(UsageError, match="--no-tier1"):
        after(facts, smaller)
    after(facts, smaller, change("transcoder-1", "tier1", "false"))


def test_what_a_machine_cannot_become_is_refused() -> None:
    facts = with_machine(tier1_ready(), "transcoder-1", gpu_count=1)
    with pytest.raises(
        UsageError, match="cannot become e2-standard-8: only N1 supports attached GPUs"
    ):
        after(facts, change("transcoder-1", "machine-type", "e2-standard-8"))
    # A reservation holds its machine in its zone.
    facts = with_machine(facts_of("gecko"), "transcoder-1", reservation="mine")
    with pytest.raises(UsageError, match="reservation mine"):
        after(facts, change("transcoder-1", "zone", "us-central1-b"))


def test_a_series_with_gvnic_alone_takes_no_virtio() -> None:
    facts = tier1_ready()
    words = change("transcoder-1", "machine-type", "c3-standard-22")
    with pytest.raises(UsageError, match="change it with --nic"):
        after(facts, words, change("transcoder-1", "nic", "virtio"))
    after(facts, words, change("transcoder-1", "nic", "gvnic"))
    # What has to be looked at is said once.
    notes = after(tier1_ready(), change("transcoder-*", "machine-type", "c3-standard-22")).notes
    assert len(notes) == len(set(notes))
    assert any("Check before c3-standard-22" in note for note in notes)


def test_a_day_of_growth_is_kept() -> None:
    grown = change("*", "growth", "2", date(2027, 1, 1))
    assert grown.by == date(2027, 1, 1)
    assert "all VMs" in grown.label


OFF = (
    # What the steps make again runs; what is resumed and stopped for its type is paid no more.
    ("SUSPENDED", ("zone", "us-central1-f"), "RUNNING"),
    ("SUSPENDED", ("nic", "virtio"), "RUNNING"),
    ("SUSPENDED", ("machine-type", "n1-standard-8"), "TERMINATED"),
    ("TERMINATED", ("machine-type", "n1-standard-8"), "TERMINATED"),
    ("TERMINATED", ("zone", "us-central1-f"), "RUNNING"),
    ("SUSPENDED", ("growth", "2"), "SUSPENDED"),
)


@pytest.mark.parametrize(("status", "value", "then"), OFF)
def test_vm_that_is_off_costs_what_the_steps_make_of_it(
    status: str, value: tuple[str, str], then: str
) -> None:
    name = "transcoder-1"
    facts = with_machine(facts_of("gecko"), name, status=status)
    wanted = change(name, *value)
    found = answer(InputRequest(today=TODAY, demo="gecko"), facts, (wanted,))
    row = next(one for one in found.machines if one.name == name)
    made = after(facts, wanted).facts.inventory.instances
    now = next(one for one in made if one.name == name)
    assert now.status == then
    usd = total_usd(facts.machines.cost_today(now, usage_of(now)))
    assert (usd == 0) is (then == "TERMINATED")
    assert row.after.machine_usd_per_month == usd + total_usd(address_lines(facts, now))
    is_told = any(name in note and "off today" in note for note in found.notes)
    assert is_told is (then == "RUNNING")


@pytest.mark.parametrize(("count", "most"), [(MOST_RANKED, 300), (100, 300)])
def test_many_changes_are_in_order_without_asking_for_every_pair(count: int, most: int) -> None:
    none = np.empty(0)
    asked: set[frozenset[int]] = set()

    def evaluate(chosen: frozenset[int]) -> Outcome:
        asked.add(chosen)
        usd = Decimal(100_000 - 10 * sum(chosen))
        return Outcome(usd, frozenset(), None, none, none.astype(np.intp), none)

    aims = [Aimed(change(f"vm-{at}", "machine-type", "e2-standard-2"), ()) for at in range(count)]
    steps = list(order_changes(aims, evaluate, lambda usd, used: Severity.LOW, 0.5))
    assert [one.number for one in steps] == list(reversed(range(count)))
    assert [known(one.marginal.saves_usd_per_month) for one in steps] == [
        Decimal(10 * one.number) for one in steps
    ]
    assert len(asked) <= most
