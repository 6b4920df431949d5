"""Machines that talk mostly among themselves, and where they would stand together at least cost.

Communities are found in the traffic between machines of one region, the greatest pairs of it: what
is left out is small, and a bounded graph keeps the time bounded. What is proposed comes after the
moves of single machines that the rules on chatty pairs propose, so that savings add up.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.state import Pair
from netplan_planner.machines.groups import ReplicaSets, replica_sets, why_it_stays
from netplan_planner.machines.stores import why_store
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_rules.placement._moves import proposals

_MOST_PAIRS = 10_000
"""Pairs of a region that make its graph: seconds at most."""
_CHATTY = (("inter-zone", "chatty-inter-zone-pair"), ("inter-region", "chatty-inter-region-pair"))
_LEAST_GAIN = Decimal(1)
"""Dollars a month that a member's move has to bring, or it stays where it is."""


class CommunityMove(model.Value, frozen=True, kw_only=True):
    """A community, and who of it is to move where."""

    members: tuple[model.Instance, ...]
    moved: tuple[model.Instance, ...]
    fixed_count: int
    """Members in other zones that may not move."""
    zone: model.Zone
    inner_ratio: float
    """Share of its members' traffic between own machines that stays in the community."""
    crossing_bytes: int
    """Between its members over zone lines, as it is."""
    greatest: model.Edge
    saving: model.Saving


class Standing:
    """Where machines stand after the moves that were proposed so far."""

    def __init__(self, facts: model.Facts) -> None:
        self.ledger = Ledger(facts)
        self.settled: set[model.SelfLink] = set()
        """Machines that moved, and those that they moved to."""
        self._facts = facts
        assert facts.traffic is not None
        for distance, rule in _CHATTY:
            floor = Decimal(str(facts.threshold(rule, "min_usd_per_month")))
            for found in proposals(facts, distance, floor):
                if isinstance(found, model.Gap):
                    continue
                _, move, _ = found
                if move.gives_up:
                    continue
                self.settled |= {move.machine.ref.self_link, move.peer.ref.self_link}
                self.ledger.make(move.change)

    def owner(self, machine: model.Instance) -> int:
        """Return the number of a machine that was seen to talk."""
        return self._facts.seen_traffic.vm_by_link[machine.ref.self_link].owner

    def zone(self, machine: model.Instance) -> str:
        """Return where a machine stands."""
        return (self.ledger.state.machine(machine.ref.self_link) or machine).zone


def community_moves(
    facts: model.Facts, standing: Standing, *, min_usd: Decimal, min_inner_ratio: float
) -> Iterator[CommunityMove]:
    """Yield the communities that are worth standing together, and count them as moved.

    Args:
        facts: The traffic and the machines.
        standing: Where machines stand; changed by each community that is yielded.
        min_usd: What standing together has to save a month.
        min_inner_ratio: Share of its members' traffic that makes a community one.
    """
    copies = replica_sets(facts)
    for members in _communities(facts):
        inner = _edges_within(facts, members)
        own = sum(edge.wire_bytes for edge in _own_edges(facts, members))
        if not own or sum(edge.wire_bytes for edge in inner) < min_inner_ratio * own:
            continue
        # No move inside a region saves more than what its members pay between zones.
        if standing.ledger.cost(_crossing(facts, standing, members)).usd_per_month < min_usd:
            continue
        for found in _moves_of(facts, standing, copies, members, inner, min_usd):
            standing.settled |= {machine.ref.self_link for machine in found.members}
            yield found


def _moves_of(
    facts: model.Facts,
    standing: Standing,
    copies: ReplicaSets,
    owners: Sequence[int],
    inner: Sequence[model.Edge],
    min_usd: Decimal,
) -> list[CommunityMove]:
    """Return the moves of a community, one for each zone that gains members, and make them.

    Each is asked again after the one before it until none pays, and a machine that two of them
    would move goes straight to where it ends: carried out, the rule has no more to ask of it.
    The rule's floor is of all of them together, as they are of one community.
    """
    ledger = standing.ledger
    rounds: list[CommunityMove] = []
    made = []
    # A zone gains members once; more rounds would only pass the same machines around.
    while found := _best(facts, standing, copies, owners, inner, min_usd):
        if any(found.zone == one.zone for one in rounds):
            break
        rounds.append(found)
        made += [ledger.move(machine, found.zone) for machine in found.moved]
    ends = {machine.ref.self_link: one.zone for one in rounds for machine in one.moved}
    for undo in reversed(made):
        ledger.go_back(undo)
    moves, made = [], []
    for one in rounds:
        moved = tuple(
            machine
            for machine in one.members
            if ends.get(machine.ref.self_link) == one.zone != standing.zone(machine)
        )
        saving = _saving(standing, moved, one.zone)
        if not moved or saving.unknown or saving.usd_per_month < LEAST_SAVING_USD:
            continue
        made += [ledger.move(machine, one.zone) for machine in moved]
        moves.append(replace(one, moved=moved, saving=saving))
    if sum(one.saving.usd_per_month for one in moves) >= min_usd:
        return moves
    for undo in reversed(made):
        ledger.go_back(undo)
    return []


def _communities(facts: model.Facts) -> list[tuple[int, ...]]:
    """Return the communities of owners, those with most traffic first.

    Machines are numbered by their names: their links name the zone, and a machine that has moved
    must not change who belongs together.
    """
    import networkx  # docs/adr/0015: as much again as all rules together

    owners = facts.seen_traffic.owners
    named = sorted(
        range(len(owners)),
        key=lambda one: (owners[one].name, owners[one].project or "", owners[one].key),
    )
    number = {owner: place for place, owner in enumerate(named)}
    by_region: dict[str, dict[Pair, int]] = defaultdict(lambda: defaultdict(int))
    for edge in facts.seen_traffic.edges:
        if edge.path_class.distance in {"same-zone", "inter-zone"} and edge.src != edge.dst:
            a, b = sorted((number[edge.src], number[edge.dst]))
            by_region[facts.src(edge).region or ""][a, b] += edge.wire_bytes
    found: list[tuple[int, tuple[int, ...]]] = []
    for _, pairs in sorted(by_region.items()):
        greatest = sorted(pairs.items(), key=lambda one: (-one[1], one[0]))[:_MOST_PAIRS]
        graph = networkx.Graph()
        graph.add_weighted_edges_from((a, b, byte_count) for (a, b), byte_count in greatest)
        for members in networkx.community.louvain_communities(graph, seed=0):
            inner = graph.subgraph(members).size(weight="weight")
            found.append((int(inner), tuple(sorted(members))))
    greatest_first = sorted(found, key=lambda one: (-one[0], one[1]))
    return [tuple(named[one] for one in members) for _, members in greatest_first]


def _best(
    facts: model.Facts,
    standing: Standing,
    copies: ReplicaSets,
    owners: Sequence[int],
    inner: Sequence[model.Edge],
    min_usd: Decimal,
) -> CommunityMove | None:
    """Return the move of a community into the zone that saves most; None where nothing pays.

    Of those that save enough, one that moves fewest stores of data.
    """
    known = (facts.instance(facts.seen_traffic.owners[owner]) for owner in owners)
    members = tuple(machine for machine in known if machine is not None)
    zones = sorted({standing.zone(machine) for machine in members})
    crossing = [edge for edge in inner if edge.path_class.distance == "inter-zone"]
    if len(zones) == 1 or not crossing:
        return None
    proposed = (
        (zone, _moved_to(facts, standing, copies, members, model.Zone(zone))) for zone in zones
    )
    plans = [
        (zone, moved, saving)
        for zone, moved in proposed
        if moved
        for saving in (_saving(standing, moved, model.Zone(zone)),)
        if not saving.unknown and saving.usd_per_month >= min_usd
    ]
    if not plans:
        return None
    stores = {one.ref.self_link for one in members if why_store(facts, one)}
    zone, moved, saving = max(
        plans,
        key=lambda one: (
            -len(stores.intersection(machine.ref.self_link for machine in one[1])),
            one[2].usd_per_month,
            one[0],
        ),
    )
    own = sum(edge.wire_bytes for edge in _own_edges(facts, owners))
    elsewhere = sum(1 for machine in members if standing.zone(machine) != zone)
    return CommunityMove(
        members=members,
        moved=moved,
        fixed_count=elsewhere - len(moved),
        zone=model.Zone(zone),
        inner_ratio=sum(edge.wire_bytes for edge in inner) / own if own else 0.0,
        crossing_bytes=sum(edge.wire_bytes for edge in crossing),
        greatest=max(crossing, key=lambda edge: edge.wire_bytes),
        saving=saving,
    )


def _edges_within(facts: model.Facts, owners: Iterable[int]) -> list[model.Edge]:
    inside = frozenset(owners)
    return [
        edge
        for owner in sorted(inside)
        for edge in facts.seen_traffic.edges_by_src.get(owner, ())
        if edge.dst in inside
    ]


def _crossing(
    facts: model.Facts, standing: Standing, owners: Iterable[int]
) -> tuple[model.Edge, ...]:
    """Return what some owners exchange with own machines of other zones of the region now."""
    return tuple(
        edge
        for edge in _own_edges(facts, owners)
        if standing.ledger.traffic.priced(edge).path_class.distance == "inter-zone"
    )


def _own_edges(facts: model.Facts, owners: Iterable[int]) -> tuple[model.Edge, ...]:
    """Return all that some owners exchange with own machines, each edge once."""
    inside = frozenset(owners)
    return tuple(
        edge
        for owner in sorted(inside)
        for edge in (
            *facts.seen_traffic.edges_by_src.get(owner, ()),
            *(e for e in facts.seen_traffic.edges_by_dst.get(owner, ()) if e.src not in inside),
        )
        if edge.path_class.distance is not None
    )


def _moved_to(
    facts: model.Facts,
    standing: Standing,
    copies: ReplicaSets,
    members: Sequence[model.Instance],
    zone: model.Zone,
) -> tuple[model.Instance, ...]:
    """Return who moves into a zone: whom nothing holds, and whose move brings something."""
    moved: list[model.Instance] = []
    stand = dict(standing.ledger.state.machines)
    for machine in members:
        is_held = machine.ref.self_link in standing.settled or why_it_stays(facts, machine)
        if standing.zone(machine) == zone or is_held:
            continue
        if not copies.joined_by_move(machine, zone, stand):
            moved.append(machine)
            stand[machine.ref.self_link] = replace(machine, zone=zone)
    return _who_gains(facts, standing, moved, zone)


def _who_gains(
    facts: model.Facts, standing: Standing, moved: Sequence[model.Instance], zone: model.Zone
) -> tuple[model.Instance, ...]:
    """Return those whose move brings something while the others move as well."""
    ledger = standing.ledger
    stood = {machine.ref.self_link: model.Zone(standing.zone(machine)) for machine in moved}
    made = [ledger.move(machine, zone) for machine in moved]
    kept = []
    for machine in moved:
        edges = _own_edges(facts, (standing.owner(machine),))
        there = ledger.cost(edges).usd_per_month
        back = ledger.move(machine, stood[machine.ref.self_link])
        if ledger.cost(edges).usd_per_month - there >= _LEAST_GAIN:
            ledger.go_back(back)
            kept.append(machine)
        else:
            made.append(back)
    for one in reversed(made):
        ledger.go_back(one)
    return tuple(kept)


def _saving(standing: Standing, moved: Sequence[model.Instance], zone: model.Zone) -> model.Saving:
    """Return what all traffic of some machines costs here less what it costs in a zone."""
    changes = (
        model.Change(kind=model.ChangeKind.ZONE, target=machine.ref.self_link, to=zone)
        for machine in moved
    )
    return standing.ledger.value(*changes).saving
