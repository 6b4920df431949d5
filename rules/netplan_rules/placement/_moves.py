"""What moving one machine would do to the price of all its traffic, and whether it may move."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger import Ledger, ledger_of
from netplan_planner.ledger.guards import way_out_there, why_impossible
from netplan_planner.machines.groups import replica_sets, why_it_stays
from netplan_planner.machines.stores import why_store
from netplan_planner.throughput import predict
from netplan_rules.shared.flows import used_path
from netplan_rules.shared.trust import Doubts, doubts_of_edge
from netplan_rules.wording import STEPS_BY, command, far, keep_the_old, money, volume


class PairTraffic(model.Value, frozen=True, kw_only=True):
    """Two machines and all traffic between them, both directions."""

    one: model.Instance
    other: model.Instance
    edges: tuple[model.Edge, ...]

    @property
    def wire_bytes(self) -> int:
        """Bytes of both directions, with headers."""
        return sum(edge.wire_bytes for edge in self.edges)


class Move(model.Value, frozen=True, kw_only=True):
    """A proposed move and what it saves, all traffic of the machine considered."""

    machine: model.Instance
    peer: model.Instance
    zone: model.Zone
    """Of the peer, as it stands after the moves before this one."""
    saving: model.Saving
    usd_per_month: Decimal
    gives_up: str = ""
    """Which copy of the same service it would then stand beside."""
    unpriced: tuple[str, ...] = ()
    """Why parts of its other traffic have no price; they are in no line."""
    is_with_address: bool = False
    """The pair uses internal addresses from then on: either step alone saves too little."""

    @property
    def change(self) -> model.Change:
        """What is made."""
        return _change(self.machine, self.peer, self.zone, is_with_address=self.is_with_address)


def pairs_with_traffic(facts: model.Facts, distance: str, min_usd: Decimal) -> list[PairTraffic]:
    """Return the pairs of own machines at that distance, most traffic first, then by link.

    Pairs whose traffic costs less than `min_usd` a month are left out.
    """
    if facts.traffic is None:
        return []
    found: dict[tuple[int, int], list[model.Edge]] = defaultdict(list)
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
            pairs.append(PairTraffic(one=first, other=second, edges=tuple(edges)))
    return sorted(pairs, key=lambda t: (-t.wire_bytes, t.one.ref.self_link, t.other.ref.self_link))


def proposals(
    facts: model.Facts, distance: str, min_usd: Decimal
) -> Iterator[tuple[PairTraffic, Move, Doubts] | model.Gap]:
    """Yield moves worth at least `min_usd` a month, at most one for each machine.

    Greedy from the greatest pair on, each on the traffic as it is after the moves before it, so
    that what they save adds up. Pairs that stand apart on purpose are gaps.
    """
    if facts.traffic is None:
        return
    ledger = Ledger(facts)
    copies = replica_sets(facts)
    settled: set[str] = set()
    for pair in pairs_with_traffic(facts, distance, min_usd):
        if why := copies.why_copies(pair.one, pair.other):
            reason = f"a copy of its peer ({why}) is separate on purpose"
            yield model.Gap(resource=pair.one.ref, reason=reason)
            continue
        ends = [
            (machine, peer)
            for machine, peer in ((pair.one, pair.other), (pair.other, pair.one))
            if machine.ref.self_link not in settled and not why_it_stays(facts, machine)
        ]
        alone = (_move(ledger, machine, peer) for machine, peer in ends)
        moves = [one for one in alone if one is not None and one.usd_per_month >= min_usd]
        if not moves and _outside(facts, pair) is not None:
            joint = (_with_address(ledger, machine, peer, min_usd) for machine, peer in ends)
            moves = [one for one in joint if one is not None]
        if not moves:
            yield from _not_possible(ledger, ends, min_usd)
            continue
        stand = ledger.state.machines
        joined = [(copies.joined_by_move(m.machine, m.zone, stand), m) for m in moves]
        gives_up, best = max(joined, key=lambda one: (not one[0], *_preferred(facts, one[1])))
        best = replace(best, gives_up=f"Reduces redundancy: {gives_up}." if gives_up else "")
        # A machine that others move to stays: their gain rests on where it stands.
        settled.update((best.machine.ref.self_link, best.peer.ref.self_link))
        if not best.gives_up:
            ledger.make(best.change)
        yield pair, best, _doubts(facts, pair, best)


def _not_possible(
    ledger: Ledger, ends: Iterable[tuple[model.Instance, model.Instance]], min_usd: Decimal
) -> Iterator[model.Gap]:
    """Yield why a machine would be cut off, or cannot run, where a move would save enough."""
    for machine, peer in ends:
        zone = (ledger.state.machine(peer.ref.self_link) or peer).zone
        change = _change(machine, peer, zone, is_with_address=False)
        usd = ledger.value(change).usd
        if usd is not None and usd >= min_usd and (why := why_impossible(ledger.state, change)):
            yield model.Gap(resource=machine.ref, reason=f"it is not moved to {zone}: {why}")


def _preferred(facts: model.Facts, move: Move) -> tuple[bool, Decimal, str]:
    """Order the moves of two ends: a client goes to its store, then what saves most."""
    is_store = bool(why_store(facts, move.machine))
    return not is_store, move.usd_per_month, move.machine.ref.self_link


class _Rates:
    """The first paid step of each priced path's price, asked for once; 0 where it is unknown."""

    def __init__(self, facts: model.Facts) -> None:
        self._facts = facts
        self._usd_per_gib: dict[tuple[model.PathClass, str | None, str | None], Decimal] = {}

    def usd_per_month(self, edges: Iterable[model.Edge]) -> Decimal:
        """Return what traffic costs, without free and cheaper steps."""
        facts = self._facts
        usd = Decimal(0)
        for edge in edges:
            priced = edge.path_class, facts.src(edge).region, facts.dst(edge).region
            rate = self._usd_per_gib.get(priced)
            if rate is None:
                rate = self._usd_per_gib[priced] = self._first_paid(*priced)
            if rate:
                usd += facts.gib_per_month(edge.wire_bytes) * rate
        return usd

    def _first_paid(self, path_class: model.PathClass, src: str | None, dst: str | None) -> Decimal:
        try:
            steps = self._facts.prices.traffic(path_class, src_region=src or "", dst_region=dst)
        except MissingDatum:
            # traffic-price-unknown reports it; a pair without a price is never proposed for money
            return Decimal(0)
        return next((step.price.usd for step in steps if step.price.usd), Decimal(0))


def _doubts(facts: model.Facts, pair: PairTraffic, move: Move) -> Doubts:
    doubts = doubts_of_edge(facts, max(pair.edges, key=lambda edge: edge.wire_bytes))
    if move.gives_up:
        doubts.add("it would share a zone with a copy of its service")
        doubts.add("it is unknown whether copies may share a zone")
    for why in move.unpriced:
        doubts.add(f"its traffic with others is not counted: {why}")
    return doubts


def best_move(facts: model.Facts, one: model.Instance, other: model.Instance) -> Move | None:
    """Return the better move of one of two machines to the other, whatever it costs or saves.

    None where neither may move, or where a price that decides it is not known.
    """
    ledger = ledger_of(facts)
    moves = [
        move
        for machine, peer in ((one, other), (other, one))
        if not why_it_stays(facts, machine)
        for move in (_move(ledger, machine, peer),)
        if move is not None
    ]
    return max(moves, key=lambda move: _preferred(facts, move), default=None)


def _change(
    machine: model.Instance, peer: model.Instance, zone: model.Zone, *, is_with_address: bool
) -> model.Change:
    return model.Change(
        kind=model.ChangeKind.ZONE,
        target=machine.ref.self_link,
        to=zone,
        destination=peer.ref.self_link if is_with_address else None,
    )


def _outside(facts: model.Facts, pair: PairTraffic) -> model.Edge | None:
    """Return the greatest edge of a pair that uses an external address without need, if any."""
    if facts.inventory.reachable_interface(pair.one, pair.other) is None:
        return None
    edges = (edge for edge in pair.edges if edge.path_class.is_external_address)
    ipv4 = (edge for edge in edges if ":" not in (edge.dst_address or ""))
    return max(ipv4, key=lambda edge: edge.wire_bytes, default=None)


def _with_address(
    ledger: Ledger, machine: model.Instance, peer: model.Instance, min_usd: Decimal
) -> Move | None:
    """Return a move with the internal address, where it saves enough beyond that address alone."""
    joint = _move(ledger, machine, peer, is_with_address=True)
    address = model.Change(
        kind=model.ChangeKind.INTERNAL_ADDRESS,
        target=machine.ref.self_link,
        destination=peer.ref.self_link,
    )
    alone_usd = ledger.value(address).usd
    if joint is None or alone_usd is None:
        return None
    return joint if joint.usd_per_month - max(Decimal(0), alone_usd) >= min_usd else None


def _move(
    ledger: Ledger, machine: model.Instance, peer: model.Instance, *, is_with_address: bool = False
) -> Move | None:
    """Return a move of one machine to its peer; None where it would stand where it is already."""
    now = ledger.state.machine(peer.ref.self_link) or peer
    change = _change(machine, peer, now.zone, is_with_address=is_with_address)
    here = ledger.state.machine(machine.ref.self_link) or machine
    if here.zone == now.zone or why_impossible(ledger.state, change):
        return None
    worth = ledger.value(change)
    if worth.saving.unknown:
        return None
    return Move(
        machine=machine,
        peer=peer,
        zone=now.zone,
        saving=worth.saving,
        usd_per_month=worth.saving.usd_per_month,
        unpriced=worth.unpriced,
        is_with_address=is_with_address,
    )


# The hit that the two rules on chatty pairs share


def _steps(move: Move) -> str:
    """Return the command that writes the steps of a move."""
    where = f"--vm={move.machine.project}/{move.machine.zone}/{move.machine.name}"
    return command("netplan", "whatif", where, f"--zone={move.zone}", "--output=commands:move.sh")


def _then_address(facts: model.Facts, pair: PairTraffic, move: Move) -> str:
    """Return the second step of a move that only pays with the internal address."""
    edge = _outside(facts, pair) if move.is_with_address else None
    if edge is None:
        return ""
    ends = (pair.one, pair.other)
    sender, receiver = ends if facts.instance(facts.src(edge)) is pair.one else ends[::-1]
    return (
        f" Then, in the configuration of {sender.name}, connect to the internal address of"
        f" {receiver.name} instead of {edge.dst_address}. Traffic within a zone is free only over"
        " internal addresses, so the saving needs both steps. A firewall rule must allow the"
        " internal source address."
    )


def chatty_hits(
    facts: model.Facts, distance: str, rule: str, advice: str
) -> Iterator[model.Hit | model.Gap]:
    """Yield each move that saves at least the rule's `min_usd_per_month`."""
    floor = Decimal(str(facts.threshold(rule, "min_usd_per_month")))
    for found in proposals(facts, distance, floor):
        if isinstance(found, model.Gap):
            yield found
        else:
            yield _hit(facts, *found, advice)


def _hit(
    facts: model.Facts, pair: PairTraffic, move: Move, doubts: Doubts, advice: str
) -> model.Hit:
    gib = facts.gib_per_month(pair.wire_bytes)
    greatest = max(pair.edges, key=lambda edge: edge.wire_bytes)
    rtt = [edge.rtt_ms for edge in pair.edges if edge.rtt_ms is not None]
    return model.Hit(
        resources=(move.machine.ref, move.peer.ref),
        subject=f"{pair.one.name} ↔ {pair.other.name} ({pair.one.zone}, {pair.other.zone})",
        message=model.worded(
            f"{volume(gib)} flow between {pair.one.name} and {pair.other.name}, both directions"
            f" together; with all its other traffic, {move.machine.name} costs ",
            money(move.usd_per_month),
            f"/month less in {move.zone}",
        ),
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="observed_max",
                value=max(edge.series.max_gbps for edge in pair.edges),
                unit="Gbit/s",
                source="flow logs",
            ),
            *(
                (model.Evidence(name="rtt", value=min(rtt), unit="ms", source="flow logs"),)
                if rtt
                else ()
            ),
        ),
        throughput_now=predict(used_path(facts, greatest), facts.caps),
        saving=move.saving,
        gib_per_month=gib,
        change=move.change,
        fix=model.Fix(
            label=f"move to {move.zone}{', internal address' if move.is_with_address else ''}",
            verify=model.Instruction(
                text=f"The VM in {move.zone} serves, and the next audit shows no traffic between"
                f" {pair.one.name} and {pair.other.name} across zones."
            ),
            clean_up=model.Instruction(
                text=f"Only then delete the old {move.machine.name} and its disks, which cost as"
                " long as they exist."
            ),
            undo=keep_the_old(f"the old {move.machine.name}"),
            text=f"Move {move.machine.name} to {move.zone}: create a machine image, create the VM"
            f" there, switch over. {advice}{_then_address(facts, pair, move)} {STEPS_BY}"
            f" {_steps(move)}, with the same inputs.",
            documents=(
                "https://cloud.google.com/compute/docs/instances/moving-instance-across-zones",
            ),
            caution=" ".join(
                text
                for text in (
                    move.gives_up,
                    "Both then fail together with that zone. If they are separate for that"
                    " reason, keep them so (label netplan-role=replica or netplan-pin).",
                    far(move.machine, move.zone),
                    way_out_there(ledger_of(facts).state, move.machine, move.zone),
                )
                if text
            ),
        ),
        doubts=doubts.reasons,
    )
