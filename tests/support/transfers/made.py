"""Made transfers: small networks from a seed, for the oracle and for the planner."""

import random
from datetime import date
from decimal import Decimal
from typing import Any

from netplan_planner.machines.disks import disk_of
from netplan_planner.throughput import load_caps
from netplan_planner.verbs.transfer.answer import EdgePrice, GridEdge, TransferPlan
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.hops import Tables
from netplan_planner.verbs.transfer.plan import plan_transfer
from netplan_pricing import open_prices
from support.transfers.linear import Case

PRICES = open_prices()
CAPS = load_caps(date(2026, 11, 21))
BYTES_PER_GIB = 2**30
UNBOUND: dict[str, Any] = {"disk": disk_of("--disk", "none"), "vcpu_gbps": 1000.0}
"""Machines of which the network alone bounds what they move."""


def case_of(seed: int, *, targets: int = 1, is_priced: bool = True) -> Case:
    """Return a small network with a transfer, the same for a seed."""
    dice = random.Random(f"{seed} {targets} {is_priced}")
    places = tuple("abcd"[: dice.choice((3, 4))])
    edges = [
        (src, dst)
        for src in places
        for dst in places
        if src != dst and dst != "a" and (src == "a" or dice.random() < 0.8)
    ]
    return Case(
        places=places,
        gbps={edge: round(dice.uniform(0.5, 8), 2) for edge in edges},
        usd_per_gib={edge: round(dice.uniform(0.001, 0.12), 3) for edge in edges},
        source="a",
        targets=places[-targets:],
        gib=10_000.0,
        most=2,
        usd_per_hour=round(dice.uniform(0.5, 6), 2) if is_priced else None,
        deadline_s=dice.choice((None, 12_000.0, 30_000.0)),
    )


def mesh_of(count: int, *, targets: int) -> Case:
    """Return a network of so many places, all joined with all, at no price of machines."""
    dice = random.Random(f"mesh {count} {targets}")
    places = tuple("abcdefghijkl"[:count])
    edges = [(src, dst) for src in places for dst in places if src != dst and dst != "a"]
    return Case(
        places=places,
        gbps={edge: round(dice.uniform(1, 8), 2) for edge in edges},
        usd_per_gib={edge: round(dice.uniform(0.01, 0.12), 3) for edge in edges},
        source="a",
        targets=places[-targets:],
        gib=10_000.0,
        most=1,
        usd_per_hour=None,
    )


def need_of(case: Case, **more: Any) -> TransferNeed:
    """Return a case as the planner is asked."""
    usd = case.usd_per_hour
    told: dict[str, Any] = {
        "source": case.source,
        "targets": case.targets,
        "volume_bytes": round(case.gib * BYTES_PER_GIB),
        "deadline_s": case.deadline_s,
        "max_count": case.most,
        "machine_usd_per_hour": None if usd is None else Decimal(str(usd)),
    }
    return TransferNeed(**(told | more))


def tables_of(case: Case) -> Tables:
    """Return a case's rates and prices as tables."""
    return Tables(
        tuple(GridEdge(src=s, dst=d, gbps_per_vm=rate) for (s, d), rate in case.gbps.items()),
        tuple(
            EdgePrice(src=s, dst=d, usd_per_gib=Decimal(str(usd)))
            for (s, d), usd in case.usd_per_gib.items()
        ),
    )


def planned(case: Case, **more: Any) -> TransferPlan:
    """Return the planner's answer to a case."""
    return plan_transfer(need_of(case, **more), PRICES, CAPS, tables_of(case))
