"""The commitments of a project as a fleet counts them: they are paid whatever is done."""

from netplan_planner.model import CommitmentScope, Facts
from netplan_planner.optimise.commitment_changes import covers_of
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.optimise.commitments import Uses
from netplan_planner.planning.fleet.market import Existing


def existing_of(
    facts: Facts, scope: CommitmentScope
) -> tuple[tuple[Existing, ...], bool, tuple[str, ...]]:
    """Return the commitments in force, whether projects share them, and what is not known of them.

    Where that they are shared is not known, each serves its own project: no plan then rests on
    sharing that may not be.
    """
    # Of two ways of sharing the first is the narrower one.
    cover = covers_of(facts.inventory, Uses(facts.prices), facts.today, scope)[0]
    fees = {
        use.resource.self_link: use.parts
        for use in commitment_uses(facts.inventory, facts.prices, facts.today, scope)
        if use.state == "active"
    }
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
    return tuple(found), is_shared, tuple(notes)
