"""What moving one machine would do to the price of all its traffic, and whether it may move."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    PIN_LABEL,
    ROLE_LABEL,
    CoverLedger,
    Edge,
    Facts,
    Instance,
    LineItem,
    MachineChange,
    Owner,
    PathClass,
    Value,
)
from netplan_rules.managed import is_managed
from netplan_rules.money import Saving, after_commitments, negated
from netplan_rules.trust import Doubts, doubts_of_edge

HA_ROLES = frozenset({"standby", "quorum", "replica"})
"""Values of the label netplan-role that say: this machine stands elsewhere on purpose."""


class Talk(Value, frozen=True, kw_only=True):
    """Two machines and all traffic between them, both directions."""

    one: Instance
    other: Instance
    edges: tuple[Edge, ...]

    @property
    def wire_bytes(self) -> int:
        """Bytes of both directions, with headers."""
        return sum(edge.wire_bytes for edge in self.edges)


class Move(Value, frozen=True, kw_only=True):
    """A proposed move and what it saves, all traffic of the machine considered."""

    machine: Instance
    peer: Instance
    saving: Saving
    usd_per_month: Decimal


def talks(facts: Facts, distance: str, min_usd: Decimal) -> list[Talk]:
    """Return the pairs of own machines at that distance, most traffic first, then by link.

    Pairs whose traffic costs less than `min_usd` a month are left out.
    """
    if facts.traffic is None:
        return []
    found: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in facts.traffic.edges:
        if edge.path_class.distance == distance:
            found[min(edge.src, edge.dst), max(edge.src, edge.dst)].append(edge)
    rates = _Rates(facts)
    pairs = []
    for (one, other), edges in found.items():
        if rates.usd_per_month(edges) < min_usd:
            continue
        ends = [facts.instance(facts.traffic.owners[end]) for end in (one, other)]
        known = [machine for machine in ends if machine is not None]
        if len(known) == len(ends):
            first, second = sorted(known, key=lambda m: (m.name, m.ref.self_link))
            pairs.append(Talk(one=first, other=second, edges=tuple(edges)))
    return sorted(pairs, key=lambda t: (-t.wire_bytes, t.one.ref.self_link, t.other.ref.self_link))


def may_move(facts: Facts, instance: Instance) -> bool:
    """Return whether a machine may be proposed for a move.

    Managed groups place their members themselves; a pinned machine and one with a role of high
    availability stand where they stand on purpose.
    """
    return (
        not is_managed(facts, instance)
        and instance.label(PIN_LABEL) is None
        and instance.label(ROLE_LABEL) not in HA_ROLES
    )


def are_replicas(facts: Facts, one: Instance, other: Instance) -> bool:
    """Return whether two machines look like members of one replicated service.

    The same group, the same declared high-availability role, or names that differ only in a
    number at the end (`zk-1`, `zk-2`): merging them would end their redundancy.
    """
    groups = facts.inventory.group_by_member
    group = groups.get(one.ref.self_link)
    if group is not None and group == groups.get(other.ref.self_link):
        return True
    role = one.label(ROLE_LABEL)
    if role in HA_ROLES and role == other.label(ROLE_LABEL):
        return True
    stems = {re.sub(r"[-_]?\d+$", "", instance.name) for instance in (one, other)}
    return len(stems) == 1 and one.name != other.name


def proposals(facts: Facts, distance: str, min_usd: Decimal) -> Iterator[tuple[Talk, Move, Doubts]]:
    """Yield moves worth at least `min_usd` a month, at most one for each machine.

    Greedy from the greatest pair on: once a machine has been proposed, pairs with it are left
    alone, because their gain rests on where it stands.
    """
    moved: set[str] = set()
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    # The pair itself must be worth it; only then is all traffic of the two looked at.
    for talk in talks(facts, distance, min_usd):
        links = {talk.one.ref.self_link, talk.other.ref.self_link}
        if links & moved:
            continue
        if are_replicas(facts, talk.one, talk.other):
            continue
        moves = [
            move
            for machine, peer in ((talk.one, talk.other), (talk.other, talk.one))
            if may_move(facts, machine)
            for move in (_move(facts, machine, peer, ledger),)
            if move is not None and move.usd_per_month >= min_usd
        ]
        if moves:
            best = max(moves, key=lambda m: (m.usd_per_month, m.machine.ref.self_link))
            moved.add(best.machine.ref.self_link)
            ledger.take(_change(best.machine, best.peer))
            yield talk, best, _doubts(facts, talk)


class _Rates:
    """The first paid step of each lane's price, asked for once; 0 where it is unknown."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._usd_per_gib: dict[tuple[PathClass, str | None, str | None], Decimal] = {}

    def usd_per_month(self, edges: Iterable[Edge]) -> Decimal:
        """Return what traffic costs, without free and cheaper steps."""
        facts = self._facts
        usd = Decimal(0)
        for edge in edges:
            lane = edge.path_class, facts.src(edge).region, facts.dst(edge).region
            rate = self._usd_per_gib.get(lane)
            if rate is None:
                rate = self._usd_per_gib[lane] = self._first_paid(*lane)
            if rate:
                usd += facts.gib_per_month(edge.wire_bytes) * rate
        return usd

    def _first_paid(self, path_class: PathClass, src: str | None, dst: str | None) -> Decimal:
        try:
            steps = self._facts.prices.traffic(path_class, src_region=src or "", dst_region=dst)
        except MissingDatum:
            # traffic-price-unknown reports it; a pair without a price is never proposed for money
            return Decimal(0)
        return next((step.price.usd for step in steps if step.price.usd), Decimal(0))


def _doubts(facts: Facts, talk: Talk) -> Doubts:
    return doubts_of_edge(facts, max(talk.edges, key=lambda edge: edge.wire_bytes))


def _change(machine: Instance, peer: Instance) -> MachineChange:
    return MachineChange(instance=machine, machine_type=machine.machine_type, region=peer.region)


def _move(facts: Facts, machine: Instance, peer: Instance, ledger: CoverLedger) -> Move | None:
    saving = move_saving(facts, machine, peer)
    if saving.unknown:
        return None
    # A commitment stays in its region.
    saving = after_commitments(facts, saving, _change(machine, peer), ledger)
    return Move(
        machine=machine,
        peer=peer,
        saving=saving,
        usd_per_month=saving.usd_per_month,
    )


def move_saving(facts: Facts, machine: Instance, peer: Instance) -> Saving:
    """Return what all traffic with own machines costs from here less what it costs from there."""
    assert facts.traffic is not None
    seen = facts.traffic.vm_by_link.get(machine.ref.self_link)
    if seen is None:
        return Saving(unknown="no traffic")
    owner = seen.owner
    before: dict[tuple[PathClass, str, str], int] = defaultdict(int)
    after: dict[tuple[PathClass, str, str], int] = defaultdict(int)
    sent = facts.traffic.edges_by_src.get(owner, ())
    received = facts.traffic.edges_by_dst.get(owner, ())
    for edge in (*sent, *received):
        other = facts.traffic.owners[edge.dst if edge.src == owner else edge.src]
        if edge.path_class.distance is None or other.zone is None or other.region is None:
            continue
        here, there = (machine.region, other.region), (peer.region, other.region)
        if edge.src != owner:
            here, there = (here[1], here[0]), (there[1], there[0])
        before[edge.path_class, *here] += edge.wire_bytes
        after[_class_after(edge.path_class, peer, other), *there] += edge.wire_bytes
    try:
        return Saving(items=_lines(facts, before, 1) + _lines(facts, after, -1))
    except MissingDatum as error:
        return Saving(unknown=str(error))


def _class_after(now: PathClass, place: Instance, other: Owner) -> PathClass:
    """Return the class of traffic after a move, which does not change how it is addressed."""
    is_external = now.is_external_address
    if place.zone == other.zone:
        return PathClass.SAME_ZONE_EXTERNAL if is_external else PathClass.SAME_ZONE_INTERNAL
    if place.region == other.region:
        return PathClass.INTER_ZONE_EXTERNAL if is_external else PathClass.INTER_ZONE_INTERNAL
    return PathClass.INTER_REGION_EXTERNAL if is_external else PathClass.INTER_REGION_INTERNAL


def _lines(
    facts: Facts, volumes: dict[tuple[PathClass, str, str], int], sign: int
) -> tuple[LineItem, ...]:
    items = [
        item
        for (path_class, src, dst), byte_count in sorted(volumes.items())
        for item in facts.prices.traffic_line_items(
            f"traffic {path_class.value} {src} → {dst}",
            path_class,
            facts.gib_per_month(byte_count),
            src_region=src,
            dst_region=dst,
        )
        if item.usd_per_month
    ]
    return tuple(items if sign > 0 else [negated(item) for item in items])
