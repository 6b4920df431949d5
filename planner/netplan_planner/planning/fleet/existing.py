"""The commitments of a project as a fleet counts them: they are paid whatever is done."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.model import Commitment, CommitmentScope, Facts
from netplan_planner.optimise.commitment_changes import covers_of
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.optimise.commitment_types import is_pending
from netplan_planner.optimise.commitments import Uses
from netplan_planner.planning.fleet.market import Existing


class Bought(NamedTuple):
    """The commitments that a project has."""

    existing: tuple[Existing, ...]
    is_shared: bool
    """Whether projects share them."""
    notes: tuple[str, ...]
    """What is not known of them."""
    is_known: bool
    """Whether all is known that decides what others would save."""


def existing_of(facts: Facts, scope: CommitmentScope) -> Bought:
    """Return the commitments that are bought, those that begin within days among them.

    Where that they are shared is not known, each serves its own project: no plan then rests on
    sharing that may not be.
    """
    inventory = replace(facts.inventory, commitments=tuple(_as_bought(facts)))
    # Of two ways of sharing the first is the narrower one.
    covers = covers_of(inventory, Uses(facts.prices), facts.today, scope)
    cover = covers[0]
    uses = commitment_uses(inventory, facts.prices, facts.today, scope)
    in_force = [use for use in uses if use.state == "active"]
    fees = {use.resource.self_link: use.parts for use in in_force}
    is_known = len(covers) == 1 or not cover.pools
    is_known &= not any("not known" in use.note for use in in_force)
    found, notes = [], []
    for (project, region, series), pool in sorted(cover.pools.items()):
        lines, unknown = [], []
        for commitment in pool.commitments:
            parts = fees.get(commitment.ref.self_link, ())
            lines += [part.line_item for part in parts if part.line_item is not None]
            if any(part.line_item is None for part in parts):
                unknown.append(commitment.name)
        units = tuple((resource, amount) for resource, amount in pool.committed.items())
        found.append(Existing(project, region, series, units, tuple(lines)))
        is_known &= not unknown and not pool.doubts
        if unknown:
            notes.append(
                f"the fee of commitment {', '.join(unknown)} is not known; it is in no sum, and"
                " paid whatever is done"
            )
        notes += [f"not known of {pool.names}: {doubt}" for doubt in sorted(pool.doubts)]
    if facts.prices.flexible is not None:
        notes.append(
            "flexible commitments that the bill shows are counted neither today nor in the plan:"
            " what they cover beside these machines is not known"
        )
    is_shared = scope in {CommitmentScope.PROJECTS_READ, CommitmentScope.BILLING_ACCOUNT}
    return Bought(tuple(found), is_shared, tuple(notes), is_known)


def _as_bought(facts: Facts) -> Iterator[Commitment]:
    """Yield commitments as if those were active that begin soon: nobody buys them again."""
    for one in facts.inventory.commitments:
        yield replace(one, status="ACTIVE") if is_pending(one) else one
