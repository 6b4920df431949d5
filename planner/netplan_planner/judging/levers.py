"""The lever beside the fixes: what committing to what runs would save, now and after the plan.

The machines keep their types; types and commitments together are what `netplan fleet` plans, by
the same program. What is said of machines as they are is its figure "without moves": with both
terms as it buys them by itself, with one year alone under `--years 1`.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal

from netplan_planner.ledger import Ledger
from netplan_planner.model import Change, CommitmentLever, CommitmentScope, Facts, OrderedFix
from netplan_planner.planning.fleet.standing import committed

ONE_YEAR = (1,)
"""The term that binds for the least time."""


def commitment_lever(
    facts: Facts,
    changes: Iterable[Change],
    scope: CommitmentScope,
    years: tuple[int, ...] = ONE_YEAR,
) -> CommitmentLever | None:
    """Return what commitments would save of all machines that run; None: nothing.

    Args:
        facts: The machines, and the commitments that there are.
        changes: What the fixes change, in their order: after them other machines run.
        scope: Whether projects share commitments.
        years: The terms that may be bought.
    """
    now = committed(facts, facts.inventory.instances, scope, years)
    if now is None or now.saved_usd <= 0:
        return None
    ledger = Ledger(facts)
    for change in changes:
        ledger.make(change)
    machines = (ledger.state.machine(one.ref.self_link) for one in facts.inventory.instances)
    left = [one for one in machines if one is not None]
    after = committed(facts, left, scope, years) if ledger.state.machines else now
    return CommitmentLever(
        years=max(years),
        usd_per_month=now.saved_usd,
        most_usd_per_month=now.most_usd,
        paid_usd_per_month=now.paid_usd,
        after_plan_usd_per_month=after.saved_usd if after is not None else Decimal(0),
        commitments=after.commitments if after is not None else (),
        machine_count=now.covered_count,
        managed_machine_count=now.managed_count,
        unpriced_machine_count=now.unpriced_count,
    )


def changes_of(plan: Iterable[OrderedFix]) -> Iterator[Change]:
    """Yield what an order of fixes changes, one change after the other."""
    for fix in plan:
        yield from (one.change for one in fix.changes if one.change is not None)
