"""The hit that the two rules on chatty pairs share."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.throughput import predict
from netplan_rules.placement._moves import Move, PairTraffic, proposals
from netplan_rules.shared.flows import used_path
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import STEPS_BY, command, keep_the_old, money, volume

_FAR = (
    "Another region: data may have to stay where it is, clients may be farther away, reserved"
    " addresses and load balancers stay behind, a copy of the disks costs once what is sent"
    " between the regions, and quotas and firewall rules there have to be looked at."
)


def _steps(move: Move) -> str:
    """Return the command that writes the steps of a move."""
    where = f"--vm={move.machine.project}/{move.machine.zone}/{move.machine.name}"
    return command("netplan", "whatif", where, f"--zone={move.zone}", "--output=commands:move.sh")


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
            f"{volume(gib)} go between {pair.one.name} and {pair.other.name}, both directions"
            f" together; with all its other traffic, {move.machine.name} costs ",
            money(move.usd_per_month),
            f" a month less in {move.zone}",
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
        change=model.Change(
            kind=model.ChangeKind.ZONE, target=move.machine.ref.self_link, to=move.zone
        ),
        fix=model.Fix(
            label=f"move to {move.zone}",
            verify=model.Instruction(
                text=f"The machine in {move.zone} serves, and the next audit shows no bytes"
                f" between {pair.one.name} and {pair.other.name} across zones."
            ),
            clean_up=model.Instruction(
                text=f"Only then: delete the old {move.machine.name} and its disks, which cost as"
                " long as they exist."
            ),
            undo=keep_the_old(f"the old {move.machine.name}"),
            text=f"Move {move.machine.name} to {move.zone}: make a machine image, create the"
            f" machine there, switch over. {advice} {STEPS_BY} {_steps(move)},"
            " with the same inputs.",
            documents=(
                "https://cloud.google.com/compute/docs/instances/moving-instance-across-zones",
            ),
            caution=" ".join(
                text
                for text in (
                    move.gives_up,
                    "Both then fail together with that zone; keep them apart if that is why they"
                    " stand apart (label netplan-role=replica or netplan-pin says so).",
                    _FAR if move.machine.region != model.region_of(move.zone) else "",
                )
                if text
            ),
        ),
        doubts=doubts.reasons,
    )
