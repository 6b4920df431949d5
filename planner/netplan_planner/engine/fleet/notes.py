"""What to know of a fleet's plan beside its figures."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Amount, Facts, FleetNeed, PriceBook, Text, worded
from netplan_planner.optimise.fleet.machine import Candidate
from netplan_planner.optimise.fleet.market import Market
from netplan_planner.optimise.fleet.plan import Planned
from netplan_planner.optimise.offers import ARM
from netplan_planner.units import counted
from netplan_rules.managed import is_managed


def notes_of_inventory(facts: Facts | None, planned: Planned) -> Iterator[Text]:
    """Yield what machines of an inventory may do that commitments do not follow."""
    if facts is None:
        return
    if planned.bill.commitments:
        managed = sum(
            is_managed(facts, facts.inventory.instance_by_link[link])
            for need in planned.needs
            for link in need.machines
        )
        yield (
            "machines are counted in every hour of the month: commit to less where some are stopped"
            " at times"
            + (
                f", and for the {counted(managed, 'machine')} of managed groups and GKE, whose"
                " number an autoscaler may change"
                if managed
                else ""
            )
        )
    if any(
        c.machine.machine_type != n.machine_type
        for n, c in zip(planned.needs, planned.chosen, strict=True)
    ):
        yield (
            "reservations that machines use without naming them are not read: once their type"
            " changes, these stay paid and empty"
        )


def notes_of_plan(planned: Planned, market: Market, prices: PriceBook) -> Iterator[Text]:
    """Yield what to know of the plan as a whole."""
    arm = [c for c in planned.chosen if c.machine.shape.architecture == ARM]
    new = [
        n for n, c in zip(planned.needs, planned.chosen, strict=True) if _is_new_arm(n, c, prices)
    ]
    if new:
        yield (
            f"{counted(len(new), 'group')} of {counted(len(arm), 'group')} on Arm were not on Arm"
            " before: they need Arm images (--architecture x86 keeps off it)"
        )
    unknown = {
        c.machine.machine_type
        for c in planned.chosen
        if prices.zones(c.machine.machine_type) is None
    }
    if unknown:
        yield (
            f"which zones offer {', '.join(sorted(unknown)[:5])}"
            f"{' and more' if len(unknown) > 5 else ''} is not known: the region does"
        )
    if market.doubts:
        first = sorted(market.doubts)[0]
        yield f"some types are counted without commitments: it is not known {first}"
    if any(one.kind == "flexible" for one in planned.bill.commitments):
        yield (
            "flexible commitments are counted for the series of which this snapshot knows that they"
            " are covered"
        )
    moves = sum(
        (c.move_usd * n.count for n, c in zip(planned.needs, planned.chosen, strict=True)),
        Decimal(0),
    )
    if moves:
        yield worded(
            Amount(usd=moves),
            " a month of it is the price of moves that was given, billed by nobody",
        )


def _is_new_arm(need: FleetNeed, candidate: Candidate, prices: PriceBook) -> bool:
    if candidate.machine.shape.architecture != ARM:
        return False
    old = prices.shape(need.machine_type) if need.machine_type else None
    return old is None or old.architecture != ARM
