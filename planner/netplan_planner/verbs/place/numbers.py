"""What is asked as the numbers of `optimise.placement`, and what their dollars leave out."""

from collections import defaultdict
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.model import Zone, region_of
from netplan_planner.throughput.round_trips.rtt import rtt_for_pairs
from netplan_planner.verbs.place.asked import Asked, Floats, Indices
from netplan_planner.verbs.place.bill import Prices
from netplan_planner.verbs.place.solve.problem import (
    Group,
    Layer,
    PlacementProblem,
    RttLimit,
    sparse_rows,
)


class Numbers(NamedTuple):
    """The problem, and what goes with it."""

    problem: PlacementProblem
    group_names: tuple[str, ...]
    rtt_ms: Floats
    """Between zones; NaN where not known."""
    step_usd: Decimal
    """What steps of prices can take off at most: free or cheaper first GiB."""
    is_between_regions: bool
    """Whether machines may leave their region, and there is another one."""


def numbers_of(
    asked: Asked, prices: Prices, *, growth_ratio: float | None, between_regions: bool
) -> Numbers:
    """Return the problem.

    Args:
        asked: What is to be placed.
        prices: Of its traffic.
        growth_ratio: By how much zones without a stated capacity may grow; None: by all.
        between_regions: Whether machines may leave their region.
    """
    at_zone = {zone: at for at, zone in enumerate(asked.zones)}
    today = np.array([at_zone[one.zone] for one in asked.machines], dtype=np.intp)
    regions = np.array([region_of(Zone(zone)) for zone in asked.zones])
    usd = prices.table()
    machine_usd = prices.machines.table()
    between_regions = between_regions and len(np.unique(regions)) > 1
    allowed = _allowed(asked, today, regions, between_regions=between_regions)
    if between_regions:
        _keep_to_known(asked, today, allowed, usd, machine_usd)
    # What is not known stands still, and so on both sides of a capacity.
    vcpus = np.array([one.vcpus or 0.0 for one in asked.machines])
    capacity = _capacity(asked, vcpus, today, growth_ratio)
    layers = _between(asked, usd) if between_regions else _inside(asked, usd, today, regions)
    groups, names = _groups(asked, today, regions, between_regions=between_regions)
    rtt = _rtt(asked)
    limits = tuple(RttLimit(one.one, one.other, ~(rtt <= one.most_ms)) for one in asked.limits)
    problem = PlacementProblem(
        vcpus=vcpus,
        capacity=capacity,
        allowed=allowed,
        # Inside a region machines cost the same everywhere.
        unary_usd=np.where(allowed, machine_usd, 0.0)
        if between_regions
        else np.zeros(allowed.shape),
        layers=layers,
        groups=groups,
        rtt_limits=limits,
        today=today,
    )
    steps = _step_usd(asked, prices) if between_regions else Decimal(0)
    return Numbers(problem, names, rtt, steps, between_regions)


def _allowed(
    asked: Asked, today: Indices, regions: NDArray[np.str_], *, between_regions: bool
) -> NDArray[np.bool_]:
    count = len(asked.zones)
    allowed = np.zeros((len(asked.machines), count), dtype=bool)
    for at, machine in enumerate(asked.machines):
        if not machine.pinned:
            allowed[at] = True if between_regions else regions == regions[today[at]]
            if machine.offered is not None:
                allowed[at] &= np.array([zone in machine.offered for zone in asked.zones])
        allowed[at, today[at]] |= bool(machine.pinned) or machine.offered is not None
    return allowed


def _keep_to_known(
    asked: Asked,
    today: Indices,
    allowed: NDArray[np.bool_],
    usd: Floats,
    machine_usd: Floats,
) -> None:
    """Let no machine go where a price is not known: nothing would be cheaper."""
    known = np.logical_not(np.isnan(usd).any(axis=0))
    known &= known.T
    used = np.ones(len(known), dtype=bool)
    while not known[np.ix_(used, used)].all():
        unknown = np.where(used, (~known)[:, used].sum(axis=1), -1)
        used[int(unknown.argmax())] = False
    stays = ~used[today]
    # What is exchanged with a machine that stays without a price would change its own one.
    edges = asked.edges
    beside = np.zeros(len(today), dtype=bool)
    beside[edges.src[stays[edges.dst]]] = True
    beside[edges.dst[stays[edges.src]]] = True
    here = allowed[np.arange(len(today)), today].copy()
    allowed &= used & np.isfinite(machine_usd)
    allowed[stays | beside] = False
    allowed[np.arange(len(today)), today] = here | stays | beside


def _capacity(asked: Asked, vcpus: Floats, today: Indices, growth_ratio: float | None) -> Floats:
    if growth_ratio is None:
        return asked.capacity
    stand = np.bincount(today, weights=vcpus, minlength=len(asked.zones))
    # Whole vCPUs, so that no rounding decides.
    grown = np.floor(stand * (1.0 + growth_ratio) + 1e-6)
    return np.where(np.isfinite(asked.capacity), asked.capacity, grown)


def _inside(
    asked: Asked, usd: Floats, today: Indices, regions: NDArray[np.str_]
) -> tuple[Layer, ...]:
    """Return traffic that a move can make cheaper: between machines of one region.

    It costs the same between any two zones of it; in dollars, beyond what it costs inside a zone.
    """
    edges, count = asked.edges, len(asked.zones)
    src, dst = today[edges.src], today[edges.dst]
    more = np.zeros((len(asked.kinds), count))
    for zone in range(count):
        others = (regions == regions[zone]) & (np.arange(count) != zone)
        if others.any():
            more[:, zone] = usd[:, zone, others][:, 0] - usd[:, zone, zone]
    paid = edges.gib_per_month * more[edges.kind, src]
    kept = (regions[src] == regions[dst]) & (paid > 0)
    one, other, paid = edges.src[kept], edges.dst[kept], paid[kept]
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    rows = sparse_rows(np.concatenate([paid, paid]), ends, len(asked.machines))
    return (Layer(rows, 1.0 - np.eye(count)),)


def _between(asked: Asked, usd: Floats) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    edges, count = asked.edges, len(asked.machines)
    for kind in range(len(asked.kinds)):
        # A price that is not known places nothing.
        known = np.nan_to_num(usd[kind], nan=0.0)
        kept = edges.kind == kind
        gib, src, dst = edges.gib_per_month[kept], edges.src[kept], edges.dst[kept]
        layers.append(Layer(sparse_rows(gib, (src, dst), count), known))
        layers.append(Layer(sparse_rows(gib, (dst, src), count), known.T))
    return tuple(layers)


def _groups(
    asked: Asked, today: Indices, regions: NDArray[np.str_], *, between_regions: bool
) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    members: dict[str, list[int]] = defaultdict(list)
    for at, machine in enumerate(asked.machines):
        if machine.group:
            members[machine.group].append(at)
    found, names = [], []
    for name, of_group in sorted(members.items()):
        if len(of_group) < 2:
            continue
        if between_regions:
            most = min(len(of_group), len(asked.zones))
        else:
            homes = regions[today[of_group]]
            most = sum(
                min(int((homes == home).sum()), int((regions == home).sum()))
                for home in np.unique(homes)
            )
        least = min(most, asked.least_zones.get(name, most))
        found.append(Group(np.array(of_group, dtype=np.intp), least))
        names.append(name)
    return tuple(found), tuple(names)


def _rtt(asked: Asked) -> Floats:
    count = len(asked.zones)
    if not asked.limits:
        return np.zeros((count, count))
    src = [zone for zone in asked.zones for _ in asked.zones]
    dst = [zone for _ in asked.zones for zone in asked.zones]
    return np.asarray(rtt_for_pairs(src, dst).rtt_ms, dtype=float).reshape(count, count)


def _step_usd(asked: Asked, prices: Prices) -> Decimal:
    """Return by how much bills can be below all GiB at the last step's price."""
    seen = {}
    for kind in asked.kinds:
        for src in asked.zones:
            for dst in asked.zones:
                for part in prices.parts(prices.path(kind, src, dst)):
                    if len(part.tiers) > 1:
                        seen[part.tiers] = part.tiers
    total = Decimal(0)
    for tiers in seen:
        least, paid = Decimal(0), Decimal(0)
        for tier, following in pairwise(tiers):
            paid += (following.start - tier.start) * tier.price.usd
            least = max(least, following.start * tiers[-1].price.usd - paid)
        total += least
    return total
