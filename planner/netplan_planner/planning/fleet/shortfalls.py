"""Why no type carries what a group needs: the smallest shortfall, and what has to change."""

import numpy as np
from numpy.typing import NDArray

from netplan_planner.optimise.offers import Pool
from netplan_planner.planning.fleet.need import FleetNeed, FleetShortfall


def why_none(
    need: FleetNeed,
    pool: Pool,
    is_offered: NDArray[np.bool_],
    headroom_ratio: float,
    series: tuple[str, ...],
) -> FleetShortfall:
    """Return what binds for a group that no offered type carries.

    Args:
        need: The group.
        pool: The offers of its region under the filters.
        is_offered: Which of them its zone has.
        headroom_ratio: Share of the cap that stays free.
        series: The only ones that are allowed; empty: any.
    """
    only = f" of series {', '.join(series)}" if series else ""
    if not is_offered.any():
        return FleetShortfall(
            name=need.name,
            binding="not-offered",
            shortfall=f"zone {need.zone} offers no machine type{only} with a price and a cap",
            change=f"name another zone{' or other series (--series)' if series else ''}",
        )
    fitting = is_offered.copy()
    if need.architecture is not None:
        own = np.array([o.shape.architecture == need.architecture for o in pool.offers])
        if not (own & fitting).any():
            return FleetShortfall(
                name=need.name,
                binding="architecture",
                shortfall=f"zone {need.zone} offers no {need.architecture} type{only}",
                change="allow another architecture, series (--series) or zone",
            )
        fitting &= own
    return _amount(need, pool, fitting, headroom_ratio, only)


def _amount(
    need: FleetNeed, pool: Pool, fitting: NDArray[np.bool_], headroom_ratio: float, only: str
) -> FleetShortfall:
    wanted = need.gbps + need.outside_gbps
    offers = [pool.offers[i] for i in np.flatnonzero(fitting)]
    amounts = (
        ("bandwidth", wanted, "Gbit/s", [o.usable_gbps for o in offers]),
        (
            "bandwidth to outside addresses",
            need.outside_gbps,
            "Gbit/s",
            [o.usable_outside_gbps or 0.0 for o in offers],
        ),
        ("vcpus", float(need.vcpus), "vCPUs", [float(o.shape.vcpus) for o in offers]),
        ("memory", need.memory_gib, "GiB", [o.shape.memory_gib for o in offers]),
    )
    for binding, amount, unit, each in amounts:
        best = max(range(len(each)), key=each.__getitem__)
        if each[best] * (1 + 1e-9) >= amount:
            continue
        name = _name(offers[best].shape.machine_type, is_tier1=offers[best].cap.is_tier1)
        short = amount - each[best]
        kept = f" after {headroom_ratio:.0%} headroom" if binding.startswith("bandwidth") else ""
        change = f"lower the need by {short:.6g} {unit} a machine, or spread it over more machines"
        if binding == "bandwidth" and headroom_ratio:
            change += ", or keep less headroom (--headroom)"
        return FleetShortfall(
            name=need.name,
            binding=binding,
            shortfall=f"{short:.6g} {unit} short: the most that a type{only} in {need.zone} has is"
            f" {each[best]:.6g} of {amount:.6g} {unit}{kept} ({name})",
            change=change,
        )
    if need.ties is not None:
        return FleetShortfall(
            name=need.name,
            binding="ties",
            shortfall="the types that carry it cannot take its disks, GPUs, placement policy or"
            " reservation, or have no known price",
            change="free it of what ties it, or leave it as it is",
        )
    closest = min(
        range(len(offers)), key=lambda at: max(w / max(e[at], 1e-9) for _, w, _, e in amounts)
    )
    offer = offers[closest]
    lacking = [
        f"{each[closest]:.6g} of {amount:.6g} {unit} ({binding})"
        for binding, amount, unit, each in amounts
        if each[closest] * (1 + 1e-9) < amount
    ]
    name = _name(offer.shape.machine_type, is_tier1=offer.cap.is_tier1)
    said = " and ".join(lacking) or "everything but a known price"
    return FleetShortfall(
        name=need.name,
        binding="combination",
        shortfall=f"no type{only} in {need.zone} has all of it at once; {name} comes closest"
        f" with {said}",
        change="lower one of these, or spread the work over more machines",
    )


def _name(machine_type: str, *, is_tier1: bool) -> str:
    return f"{machine_type} with Tier_1" if is_tier1 else machine_type
