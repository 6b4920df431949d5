"""Whether Tier_1 is the cheapest way to what a machine needs: alone, or as a node of a pool."""

from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.model.project.gke import NodePool
from netplan_rules.capacity._resize import need_of
from netplan_rules.money import bill_usd
from netplan_rules.wording import machines, money


class Tier1Choice(NamedTuple):
    """The machine's own type with Tier_1, and what others cost against it."""

    own: model.Candidate
    compared: model.Text


class _Cost(NamedTuple):
    """A candidate and what it would add to the bill, commitments counted."""

    usd: Decimal
    candidate: model.Candidate


def wanted_gbps(
    facts: model.Facts, instance: model.Instance, default: model.EgressCap, p95_ratio: float
) -> float | None:
    """Return the bandwidth that is needed above the default cap, or None.

    Args:
        facts: Targets and rates.
        instance: The machine.
        default: Its cap without Tier_1.
        p95_ratio: The share of the cap at which rates count as held back.
    """
    target = facts.target(instance)
    if target is not None and target.gbps > default.egress_gbps:
        return target.gbps
    rates = facts.rates_of(instance)
    if rates is None:
        return None
    near = p95_ratio * default.egress_gbps
    return (
        max(rates.egress.max_gbps, default.egress_gbps) if (rates.egress.p95_gbps >= near) else None
    )


def pool_of(facts: model.Facts, instance: model.Instance) -> NodePool | None:
    """Return the node pool of a machine, where both the node and the pool were read."""
    node = facts.inventory.node_by_instance.get(instance.ref.self_link)
    kubernetes = facts.inventory.kubernetes
    return kubernetes.pool_of(node) if node is not None and kubernetes is not None else None


def tier1_choice(
    facts: model.Facts, instance: model.Instance, wanted: float, ledger: model.CoverLedger
) -> Tier1Choice | model.Gap | None:
    """Return the type with Tier_1 if it is cheaper than a type without, a gap without its fee."""
    need = need_of(facts, instance, wanted, model.Destination.INTERNAL)
    if need is None:
        return None
    plan = facts.even.machines.choose(need)
    if isinstance(plan, model.Infeasible):
        return None
    own = [c for c in plan.ranked if c.is_tier1 and c.machine_type == instance.machine_type]
    known = [c for c in plan.ranked if c.usd_per_month is not None]
    if not own:
        return None
    if own[0].usd_per_month is None:
        reason = f"the Tier_1 fee is not known: {own[0].note}"
        return model.Gap(resource=instance.ref, reason=reason)
    # A machine that stays in its series keeps what commitments cover of it.
    costs = sorted(
        (_Cost(bill_usd(ledger, instance, c), c) for c in known), key=lambda cost: cost.usd
    )
    here = _Cost(bill_usd(ledger, instance, own[0]), own[0])
    other = [cost for cost in costs if not cost.candidate.is_tier1][:1]
    if other and here.usd >= other[0].usd:
        return None
    rivals = (*other, *(cost for cost in costs[:1] if cost.usd < here.usd))
    compared = model.worded(*(model.worded("; ", _compared(rival, here)) for rival in rivals))
    return Tier1Choice(own[0], compared)


def _compared(rival: _Cost, own: _Cost) -> model.Text:
    """Return what another machine costs against Tier_1 on this one."""
    more = rival.usd - own.usd
    if more < 0:
        return model.worded(
            f"{machines(rival.candidate)} would cost ", money(-more), " a month less than that"
        )
    return model.worded(
        f"{machines(rival.candidate)} without it costs ", money(more), " a month more"
    )
