"""Machines to which several other zones send most of what they send across zone lines."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.machines.groups import replica_sets
from netplan_planner.units import counted
from netplan_rules.base import Threshold, ratio_limit, rule_of, usd_floor
from netplan_rules.placement._communities import Standing
from netplan_rules.placement.community_split_across_zones import found_moves
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import money, volume

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.TRAFFIC, model.Need.PRICES}),
    work=model.Work(
        effort="Create a replica or a cache in each zone, and let clients use the nearest one.",
        restart="No running VM. Applications restart if they read addresses only at start.",
        undo="Let the clients use the first VM again, then delete the replicas.",
        window="None: the old VM keeps serving until the new ones are in use.",
    ),
    thresholds=(
        Threshold(
            name="min_zones",
            default=2.0,
            unit="zones",
            about="minimum number of zones that send most of their inter-zone traffic to the VM",
            least=1.0,
        ),
        ratio_limit(
            "min_zone_ratio", 0.5, "minimum share of a zone's inter-zone traffic to the VM"
        ),
        usd_floor(50.0, "minimum saving of the replicas, after their own cost"),
    ),
    summed=("volume",),
)


class _Sink(model.Value, frozen=True, kw_only=True):
    """A machine, and what zones send to it across zone lines."""

    machine: model.Instance
    edges: tuple[model.Edge, ...]
    zones: tuple[model.Zone, ...]


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each machine that several zones mostly send to, where replicas pay."""
    if facts.traffic is None:
        return
    standing = Standing(facts)
    for _ in found_moves(facts, standing):
        pass  # They are counted as made.
    copies = replica_sets(facts)
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    for sink in _sinks(facts, standing):
        cost = standing.ledger.cost(sink.edges)
        if cost.usd_per_month < floor:
            continue
        twin = next(
            (
                other
                for other in facts.inventory.instances
                if other.zone in sink.zones and copies.why_copies(sink.machine, other)
            ),
            None,
        )
        if twin is not None:
            reason = f"{twin.name}, a copy of it, is in a zone that sends to it"
            yield model.Gap(resource=sink.machine.ref, reason=reason)
            continue
        replicas = _replicas(facts, sink)
        if isinstance(replicas, str):
            yield model.Gap(resource=sink.machine.ref, reason=replicas)
            continue
        saving = model.Saving(items=(*cost.lines, *(model.negated(line) for line in replicas)))
        if saving.usd_per_month >= floor:
            yield _hit(facts, sink, saving)


def _sinks(facts: model.Facts, standing: Standing) -> Iterator[_Sink]:
    """Yield the machines that enough zones mostly send to, by link."""
    by_zone: dict[str, int] = defaultdict(int)
    to_machine: dict[int, dict[str, list[model.Edge]]] = defaultdict(lambda: defaultdict(list))
    for edge in facts.seen_traffic.edges:
        if standing.ledger.traffic.priced(edge).path_class.distance != "inter-zone":
            continue
        zone = standing.ledger.zone(edge.src)
        if zone is not None and facts.instance(facts.src(edge)) is not None:
            by_zone[zone] += edge.wire_bytes
            to_machine[edge.dst][zone].append(edge)
    share = facts.threshold(RULE.id, "min_zone_ratio")
    for owner, zones in sorted(to_machine.items()):
        machine = facts.instance(facts.seen_traffic.owners[owner])
        most = sorted(
            zone
            for zone, edges in zones.items()
            if sum(edge.wire_bytes for edge in edges) >= share * by_zone[zone]
        )
        if machine is not None and len(most) >= facts.threshold(RULE.id, "min_zones"):
            edges = tuple(edge for zone in most for edge in zones[zone])
            yield _Sink(machine=machine, edges=edges, zones=tuple(map(model.Zone, most)))


def _replicas(facts: model.Facts, sink: _Sink) -> tuple[model.LineItem, ...] | str:
    """Return the price of a machine like it in each sending zone, or why it is not known."""
    lines: list[model.LineItem] = []
    usage = model.usage_of(sink.machine)
    try:
        for zone in sink.zones:
            lines += facts.machines.cost_today(replace(sink.machine, zone=zone), usage)
    except MissingDatum as error:
        return str(error)
    return tuple(lines)


def _hit(facts: model.Facts, sink: _Sink, saving: model.Saving) -> model.Hit:
    greatest = max(sink.edges, key=lambda edge: edge.wire_bytes)
    doubts = doubts_of_edge(facts, greatest)
    doubts.add("it is unknown whether a copy can answer and what synchronization costs")
    gib = sum((facts.gib_per_month(edge.wire_bytes) for edge in sink.edges), Decimal(0))
    machine = sink.machine
    return model.Hit(
        resources=(machine.ref,),
        subject=f"{', '.join(sink.zones)} → {machine.name} ({machine.zone})",
        message=model.worded(
            f"{counted(len(sink.zones), 'other zone')} send most of their inter-zone traffic to"
            f" {machine.name}, {volume(gib)}; a VM like it in each of them costs ",
            money(saving.usd_per_month),
            "/month less than that traffic",
        ),
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(name="zones", value=len(sink.zones), source="flow logs"),
        ),
        saving=saving,
        edges=sink.edges,
        gib_per_month=gib,
        fix=RULE.fix(
            label="a replica in each zone",
            text=f"Put a replica or a cache of {machine.name} into {', '.join(sink.zones)}, and"
            " let the clients of each zone use it. A smaller VM may be enough.",
            verify=f"The next audit shows little traffic from these zones to {machine.name}: only"
            " replication.",
            undo=f"Let the clients use {machine.name} again, then delete the replicas.",
            caution="Replicas serve reads. Writes go to one place and from there to all others,"
            " which is also billed between zones.",
        ),
        doubts=doubts.reasons,
    )
