"""Groups of machines that talk mostly among themselves, and stand in several zones."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.units import counted
from netplan_rules.base import ratio_limit, rule_of, usd_floor
from netplan_rules.placement._communities import CommunityMove, Standing, community_moves
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import keep_the_old, money, volume
from netplan_rules.work import NEW_MACHINE

_NAMED = 5
"""Machines that a sentence names; the rest is counted."""

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.TRAFFIC, model.Need.PRICES}),
    work=NEW_MACHINE,
    thresholds=(
        usd_floor(50.0, "minimum saving of the joint move"),
        ratio_limit(
            "min_inner_ratio",
            0.5,
            "minimum share of the members' internal traffic that stays among them",
        ),
    ),
    summed=("volume",),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each community that is worth standing together."""
    for found in found_moves(facts, Standing(facts)):
        yield _hit(facts, found)


def found_moves(facts: model.Facts, standing: Standing) -> Iterator[CommunityMove]:
    """Yield what the rule proposes, and leave the machines where it puts them."""
    return community_moves(
        facts,
        standing,
        min_usd=Decimal(str(facts.threshold(RULE.id, "min_usd_per_month"))),
        min_inner_ratio=facts.threshold(RULE.id, "min_inner_ratio"),
    )


def _hit(facts: model.Facts, found: CommunityMove) -> model.Hit:
    doubts = doubts_of_edge(facts, found.greatest)
    doubts.add("they may be separate on purpose, to fail independently")
    gib = facts.gib_per_month(found.crossing_bytes)
    links = tuple(machine.ref.self_link for machine in found.moved)
    names = [machine.name for machine in found.moved]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    listed = ", ".join(names[:_NAMED]) + more
    zones = sorted({machine.zone for machine in found.members})
    stay = (
        f" {counted(found.fixed_count, 'other member')} in other zones cannot or need not move."
        if found.fixed_count
        else ""
    )
    return model.Hit(
        resources=tuple(machine.ref for machine in found.moved),
        subject=f"{counted(len(found.members), 'VM')} around {names[0]} ({', '.join(zones)})",
        message=model.worded(
            f"{counted(len(found.members), 'VM')} keep {found.inner_ratio:.0%} of their traffic"
            f" among themselves, {volume(gib)} of it between zones; with"
            f" {counted(len(names), 'of them', 'of them')} in {found.zone} it costs ",
            money(found.saving.usd_per_month),
            "/month less",
        ),
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(name="inner", value=found.inner_ratio, unit="ratio", source="flow logs"),
            model.Evidence(name="members", value=len(found.members), source="flow logs"),
        ),
        saving=found.saving,
        gib_per_month=gib,
        fix=RULE.fix(
            label=f"move {len(names)} to {found.zone}",
            text=f"Move {listed} to {found.zone}. For each, create a machine image, create the VM"
            f" there, switch over.{stay}",
            verify=f"The VMs in {found.zone} serve, and the next audit shows no traffic between"
            " zones among them.",
            clean_up="Only then delete the old VMs and their disks, which cost as long as they"
            " exist.",
            undo=keep_the_old("the old VMs"),
            documents=(
                "https://cloud.google.com/compute/docs/instances/moving-instance-across-zones",
            ),
            caution="All of them then fail together with that zone. If they are separate for that"
            " reason, keep them so (label netplan-role=replica or netplan-pin). The saving is"
            " for all moves together.",
        ),
        doubts=doubts.reasons,
        change=model.Change(
            kind=model.ChangeKind.ZONE, target=links[0], to=found.zone, members=links
        ),
    )
