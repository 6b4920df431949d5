"""Node pools for which Tier_1 is the cheapest way to the bandwidth that their nodes need."""

from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.model.project.gke import NodePool
from netplan_planner.throughput import instance_cap
from netplan_planner.units import counted
from netplan_rules.base import Threshold, rule_of
from netplan_rules.capacity._resize import (
    Tier1Choice,
    doubts_of_caps,
    egress_estimate,
    pool_of,
    tier1_choice,
    wanted_gbps,
    wanted_minutes,
)
from netplan_rules.money import machine_saving
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import gbps, rate_evidence
from netplan_rules.work import NODE_POOL

RULE = rule_of(
    __name__,
    aliases=("tier1-missing-on-node-pool",),
    severity=model.Severity.MEDIUM,
    needs=frozenset(
        {model.Need.INVENTORY, model.Need.NODES, model.Need.NODE_POOLS, model.Need.PRICES}
    ),
    work=NODE_POOL,
    thresholds=(
        Threshold(
            name="p95_ratio",
            default=0.9,
            unit="ratio",
            about="minimum share of the default cap at a node's observed 95th percentile",
        ),
    ),
)


class _Busy(NamedTuple):
    """A node that needs more than its default cap."""

    instance: model.Instance
    cap: model.EgressCap
    wanted_gbps: float


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each pool of which a node needs more than its cap and gets it cheapest by Tier_1."""
    ledger = facts.machines.ledger(facts.inventory, facts.today)
    for pool, nodes in _nodes_by_pool(facts):
        busy = [found for node in nodes if (found := _busy(facts, node)) is not None]
        if not busy:
            continue
        if pool.bandwidth_tier is None:
            yield model.Gap(resource=pool.ref, reason="whether it has Tier_1 is known after apply")
            continue
        first = max(busy, key=lambda one: (one.wanted_gbps, one.instance.name))
        choice = tier1_choice(facts, first.instance, first.wanted_gbps, ledger)
        if isinstance(choice, model.Gap):
            yield choice
        elif choice is not None:
            yield _hit(facts, pool, nodes, first, len(busy), choice)


def _nodes_by_pool(facts: model.Facts) -> list[tuple[NodePool, list[model.Instance]]]:
    """Return the pools without Tier_1, or of which it is not known, and their nodes."""
    found: dict[str, tuple[NodePool, list[model.Instance]]] = {}
    for instance in facts.inventory.instance_by_node.values():
        pool = pool_of(facts, instance)
        if pool is not None and pool.bandwidth_tier is not model.BandwidthTier.TIER_1:
            found.setdefault(pool.ref.self_link, (pool, []))[1].append(instance)
    return [found[link] for link in sorted(found)]


def _busy(facts: model.Facts, instance: model.Instance) -> _Busy | None:
    cap = instance_cap(instance, facts.caps)
    if cap is None or instance.bandwidth_tier is model.BandwidthTier.TIER_1:
        return None  # The egress-cap rules report unknown caps.
    wanted = wanted_gbps(facts, instance, cap, facts.threshold(RULE.id, "p95_ratio"))
    return _Busy(instance, cap, wanted) if wanted is not None else None


def _saving(facts: model.Facts, nodes: list[model.Instance], choice: Tier1Choice) -> model.Saving:
    """Return what the fee of all nodes changes, unknown where that of one is."""
    parts = [machine_saving(facts, node, choice.own) for node in nodes]
    unknown = next((part for part in parts if part.unknown), None)
    if unknown is not None:
        return unknown
    before = [part for part in parts if part.basis is model.SavingBasis.BEFORE_COMMITMENTS]
    basis = (before or parts)[0]
    items = tuple(item for part in parts for item in part.items)
    return model.Saving(items=items, basis=basis.basis, note=basis.note)


def _hit(
    facts: model.Facts,
    pool: NodePool,
    nodes: list[model.Instance],
    first: _Busy,
    busy_count: int,
    choice: Tier1Choice,
) -> model.Hit:
    own, cluster = choice.own, model.last_part(pool.cluster)
    doubts = doubts_of_caps(facts, Doubts(), first.cap, own)
    is_virtio = pool.has_gvnic is False
    return model.Hit(
        resources=(pool.ref, *(node.ref for node in nodes)),
        subject=f"{cluster}/{pool.name} ({pool.machine_type})",
        message=model.worded(
            f"{counted(busy_count, 'node')} of {len(nodes)} in pool {pool.name} need more than"
            f" their default cap of {gbps(first.cap.egress_gbps)}, {first.instance.name}"
            f" {gbps(first.wanted_gbps)}; with Tier_1 it is {gbps(own.cap_gbps)}",
            choice.compared,
        ),
        evidence=(
            rate_evidence("needed", first.wanted_gbps, "declared target or flow logs"),
            rate_evidence("cap", first.cap.egress_gbps, first.cap.source),
            rate_evidence("tier1_cap", own.cap_gbps, own.limit.source),
            model.Evidence(name="nodes", value=len(nodes), unit="nodes", source="inventory"),
            model.Evidence(
                name="type", value=pool.machine_type or "", source=pool.ref.source or ""
            ),
        ),
        limit=own.limit,
        throughput_now=egress_estimate(facts, first.instance, None),
        throughput_fixed=egress_estimate(facts, first.instance, own),
        saving=_saving(facts, nodes, choice),
        used_ratio=first.wanted_gbps / first.cap.egress_gbps,
        limit_minutes_per_day=wanted_minutes(facts, first.instance, first.cap),
        fix=RULE.fix(
            label="a pool with Tier_1",
            text=f"Create a pool like {pool.name} in {cluster} with"
            " --network-performance-configs=total-egress-bandwidth-tier=TIER_1"
            + (" and gVNIC" if is_virtio else "")
            + ", let the pods move there, then delete the old pool.",
            verify="The metric compute.googleapis.com/instance/network/sent_bytes_count of a new"
            f" node can exceed {gbps(first.cap.egress_gbps)} under load.",
            undo="Keep the old pool, cordoned, until the new one is proven.",
            caution="Pods restart as they move. The fee applies to every node of the pool, grows"
            " with the pool and has no commitment discount.",
        ),
        doubts=doubts.reasons,
    )
