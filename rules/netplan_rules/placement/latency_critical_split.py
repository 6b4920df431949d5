"""Machines between which every round trip counts, in different zones."""

from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger.state import Pair
from netplan_planner.ledger.traffic import pair_of
from netplan_planner.machines.groups import replica_sets
from netplan_planner.throughput import predict
from netplan_planner.throughput.round_trips.of_path import path_round_trip
from netplan_rules.base import rule_of
from netplan_rules.placement._moves import Move, best_move
from netplan_rules.shared.flows import used_path
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import keep_the_old
from netplan_rules.work import NEW_MACHINE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.TRAFFIC}),
    work=NEW_MACHINE,
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each critical pair that stands apart."""
    if facts.traffic is None:
        return
    copies = replica_sets(facts)
    for (first, second), edges in sorted(_critical_pairs(facts).items()):
        one, other = (facts.instance(facts.traffic.owners[end]) for end in (first, second))
        assert one is not None
        assert other is not None
        if why := copies.why_copies(one, other):
            reason = f"a copy of its peer ({why}) is separate on purpose"
            yield model.Gap(resource=one.ref, reason=reason)
            continue
        move = best_move(facts, one, other)
        if move is None:
            reason = "no VM of a critical pair can move, or the price of the move is unknown"
            yield model.Gap(resource=one.ref, reason=reason)
        else:
            yield _hit(facts, one, other, edges, move)


def _critical_pairs(facts: model.Facts) -> dict[Pair, list[model.Edge]]:
    found: dict[Pair, list[model.Edge]] = defaultdict(list)
    for edge in facts.traffic.edges if facts.traffic is not None else ():
        if edge.path_class.distance not in {"inter-zone", "inter-region"}:
            continue
        ends = facts.instance(facts.src(edge)), facts.instance(facts.dst(edge))
        if all(
            end is not None and end.label(model.LATENCY_LABEL) == model.LATENCY_CRITICAL
            for end in ends
        ):
            found[pair_of(edge)].append(edge)
    return found


def _together(facts: model.Facts, edge: model.Edge, zone: model.Zone) -> model.Estimate:
    """Return what the pair gets once both ends stand in a zone."""
    query = used_path(facts, edge)
    place = {"zone": zone, "region": model.region_of(zone)}
    return predict(
        replace(
            query,
            path_class=edge.path_class.between(zone, zone),
            src=replace(query.src, **place),
            dst=replace(query.dst, **place),
            rtt_ms=None,
        ),
        facts.caps,
    )


def _hit(
    facts: model.Facts,
    one: model.Instance,
    other: model.Instance,
    edges: list[model.Edge],
    move: Move,
) -> model.Hit:
    greatest = max(edges, key=lambda edge: edge.wire_bytes)
    seen = [edge.rtt_ms for edge in edges if edge.rtt_ms is not None]
    then = path_round_trip(move.zone, move.zone).rtt_ms
    doubts = doubts_of_edge(facts, greatest)
    if not seen:
        doubts.add("no record of the pair has a round-trip time")
    now = f"round-trip time {min(seen):.3g} ms" if seen else "round-trip time unknown"
    after = f", about {then:.2g} ms within a zone" if then is not None else ""
    return model.Hit(
        resources=(move.machine.ref, move.peer.ref),
        subject=f"{one.name} ↔ {other.name} ({one.zone}, {other.zone})",
        message=f"{one.name} and {other.name} have the label"
        f" {model.LATENCY_LABEL}={model.LATENCY_CRITICAL} and are in {one.zone} and"
        f" {other.zone}: {now}{after}",
        evidence=(
            *(
                (model.Evidence(name="rtt", value=min(seen), unit="ms", source="flow logs"),)
                if seen
                else ()
            ),
            *(
                (
                    model.Evidence(
                        name="rtt_in_zone", value=then, unit="ms", source="measured table"
                    ),
                )
                if then is not None
                else ()
            ),
        ),
        throughput_now=predict(used_path(facts, greatest), facts.caps),
        throughput_fixed=_together(facts, greatest, move.zone),
        # A small saving is not what is at stake; what the move costs is.
        saving=move.saving if move.usd_per_month < 0 else model.Saving(),
        change=model.Change(
            kind=model.ChangeKind.ZONE, target=move.machine.ref.self_link, to=move.zone
        ),
        fix=RULE.fix(
            label=f"move to {move.zone}",
            text=f"Move {move.machine.name} to {move.zone}: create a machine image, create the VM"
            " there, switch over. A compact placement policy brings both even closer.",
            verify="The next flow logs show an intra-zone round-trip time between the two.",
            clean_up=f"Only then delete the old {move.machine.name} and its disks, which cost as"
            " long as they exist.",
            undo=keep_the_old(f"the old {move.machine.name}"),
            caution="Both then fail together with that zone.",
        ),
        doubts=doubts.reasons,
    )
