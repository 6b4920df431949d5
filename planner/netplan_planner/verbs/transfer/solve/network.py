"""A transfer as numbers: places, edges, machine options, and what bounds what crosses them.

Arrays cross modules here. A flow is a share of the bytes, 0 to 1; a byte that is copied at a place
crosses each edge once. Machines are counted in their options; an option belongs to one place.

Solvers keep absolute errors: `scaled` gives the units in which the numbers are near one. A kilobyte
and an exabyte are the same program in other units of time and rate. What is paid for at least a
minute does not shrink with the bytes, though: next to nothing is planned as what the fastest limit
lets through in a hundredth of a second.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.optimise.highs import Floats, Places

_LEAST_RATE = 1e-12
_LEAST_SHARE = 1e-5
"""A lesser share of the bytes is the noise of a solver, or not worth a machine."""
_MOST_GBIT = 1e6
"""Up to which, and above `_LEAST_GBIT`, numbers are left as they are."""
_LEAST_GBIT = 1e-2
_LEAST_GBPS, _MOST_GBPS = 1e-2, 1e4
_LEAST_TRANSFER_S = 1e-2
_HANDY = 100.0


class Limits(NamedTuple):
    """What machines of a place let through on some of its edges together: a row each."""

    names: tuple[str, ...]
    """Of the limit, in the words of `Limit.name`."""
    place: Places
    """Rows: whose machines they are."""
    edge_row: Places
    edge: Places
    """Cells: an edge that the row adds up."""
    option_row: Places
    option: Places
    """Cells: machines that carry it."""
    gbps: Floats
    """Cells: what one of them lets through."""
    always: Floats
    """Rows: the share of the bytes that it has to let through whatever the ways, as a disk's."""


class Quotas(NamedTuple):
    """What a project may send from a place: a row each."""

    names: tuple[str, ...]
    place: Places
    gbps: Floats
    edge_row: Places
    edge: Places


class Network(NamedTuple):
    """What is to be decided: a share of the bytes for each edge, machines of one option a place."""

    places: tuple[str, ...]
    src: Places
    dst: Places
    usd: Floats
    """Edges: dollars if all bytes cross it."""
    option_place: Places
    option_usd: Floats
    """Options: dollars a second of one machine; 0 where `is_priced` is not set."""
    is_priced: bool
    limits: Limits
    quotas: Quotas
    source: int
    targets: tuple[int, ...]
    gbit: float
    most: int
    """Machines in each place."""
    overhead_s: float
    """Machines are up so much longer than bytes flow."""
    least_s: float
    """For which a machine is paid at least."""
    same_s: float = 0.0
    """So much more time makes no difference."""

    @property
    def edges(self) -> int:
        """How many there are."""
        return len(self.src)

    @property
    def options(self) -> int:
        """How many there are."""
        return len(self.option_place)


def kept(network: Network, places: NDArray[np.bool_], edges: NDArray[np.bool_]) -> Network:
    """Return a network with some of its edges and of its places' machines.

    Places keep their numbers; edges and options are counted anew.
    """
    edges = edges & places[network.src] & places[network.dst]
    options = places[network.option_place]
    edge_at, option_at = np.cumsum(edges) - 1, np.cumsum(options) - 1
    old = network.limits
    own_edge, own_option = edges[old.edge], options[old.option]
    rows = rows_of(old, edges)
    row_at = np.cumsum(rows) - 1
    own_option &= rows[old.option_row]
    limits = Limits(
        names=tuple(name for name, is_kept in zip(old.names, rows, strict=True) if is_kept),
        place=old.place[rows],
        edge_row=row_at[old.edge_row[own_edge]],
        edge=edge_at[old.edge[own_edge]],
        option_row=row_at[old.option_row[own_option]],
        option=option_at[old.option[own_option]],
        gbps=old.gbps[own_option],
        always=old.always[rows],
    )
    quotas = network.quotas
    own = edges[quotas.edge]
    return network._replace(
        src=network.src[edges],
        dst=network.dst[edges],
        usd=network.usd[edges],
        option_place=network.option_place[options],
        option_usd=network.option_usd[options],
        limits=limits,
        quotas=quotas._replace(edge_row=quotas.edge_row[own], edge=edge_at[quotas.edge[own]]),
    )


def rows_of(limits: Limits, edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which limits hold for any of some edges, or always."""
    rows = limits.always > 0
    rows[limits.edge_row[edges[limits.edge]]] = True
    return rows


def up_s(network: Network, transfer: float) -> float:
    """Return how long machines are up, and paid, for so long a transfer."""
    return max(network.overhead_s + transfer, network.least_s)


def carried(network: Network, counts: Floats) -> Floats:
    """Return what each limit lets through with so many machines of each option, in Gbit/s."""
    limits = network.limits
    found = np.zeros(len(limits.names))
    np.add.at(found, limits.option_row, limits.gbps * counts[limits.option])
    return found


def crossing(network: Network, shares: Floats) -> tuple[Floats, Floats]:
    """Return what share of the bytes each limit and each quota has to let through."""
    limits, quotas = network.limits, network.quotas
    found, of_quotas = limits.always.copy(), np.zeros(len(quotas.names))
    np.add.at(found, limits.edge_row, shares[limits.edge])
    np.add.at(of_quotas, quotas.edge_row, shares[quotas.edge])
    return found, of_quotas


def row_s(network: Network, counts: Floats, shares: Floats) -> Floats:
    """Return the time that each limit takes to let through what crosses it."""
    used, _ = crossing(network, shares)
    found: Floats = network.gbit * used / np.maximum(carried(network, counts), _LEAST_RATE)
    return found


def quota_s(network: Network, shares: Floats) -> Floats:
    """Return the time that each quota takes."""
    _, of_quotas = crossing(network, shares)
    found: Floats = network.gbit * of_quotas / network.quotas.gbps
    return found


def transfer_s(network: Network, counts: Floats, shares: Floats) -> float:
    """Return the least time in which so many machines move the bytes by such shares."""
    return max(
        float(np.max(row_s(network, counts, shares), initial=0.0)),
        float(np.max(quota_s(network, shares), initial=0.0)),
    )


def used_in_full(network: Network, counts: Floats, shares: Floats) -> Sequence[tuple[str, int]]:
    """Return the limits and quotas that decide the time, by name and place."""
    seconds = transfer_s(network, counts, shares) * (1 - 1e-6)
    limits, quotas = network.limits, network.quotas
    found = [
        (limits.names[row], int(limits.place[row]))
        for row in np.flatnonzero(row_s(network, counts, shares) >= seconds)
    ]
    found += [
        (quotas.names[row], int(quotas.place[row]))
        for row in np.flatnonzero(quota_s(network, shares) >= seconds)
    ]
    held = np.zeros(len(network.places))
    np.add.at(held, network.option_place, counts)
    own = set(quotas.names)

    def rank(one: tuple[str, int]) -> tuple[bool, bool]:
        # More machines lift a limit of fewer than there may be; what receives follows what sends.
        name, place = one
        return name not in own and held[place] < network.most, name.endswith("ingress")

    return sorted(dict.fromkeys(found), key=rank)


def fewest(network: Network, shares: Floats, seconds: float, counts: Floats) -> Floats:
    """Return the fewest machines of the options in use that keep a time, no more than `counts`."""
    limits = network.limits
    used, _ = crossing(network, shares)
    needed = np.zeros(network.options)
    chosen = counts[limits.option] > 0
    rows, options = limits.option_row[chosen], limits.option[chosen]
    least = network.gbit * used[rows] / limits.gbps[chosen] / max(seconds, _LEAST_RATE)
    np.maximum.at(needed, options, np.ceil(np.round(least, 9)))
    return np.minimum(needed, counts)


class Scaled(NamedTuple):
    """A network in handy units."""

    network: Network
    unit_s: float
    """Seconds in one of its units of time."""


def scaled(network: Network) -> Scaled:
    """Return the same network in units in which its numbers are neither tiny nor huge."""
    limits, quotas = network.limits, network.quotas
    most = float(np.max(limits.gbps, initial=0.0)) or 1.0
    rate = 1.0 if _LEAST_GBPS <= most <= _MOST_GBPS else most / _HANDY
    gbit = network.gbit / rate
    fixed_s = network.overhead_s + network.least_s
    if fixed_s:
        gbit = max(gbit, most / rate * _LEAST_TRANSFER_S)
    is_handy = gbit <= _MOST_GBIT and (gbit >= _LEAST_GBIT or fixed_s > 0)
    unit_s = 1.0 if is_handy else gbit / _HANDY
    return Scaled(
        network._replace(
            gbit=gbit / unit_s,
            limits=limits._replace(gbps=limits.gbps / rate),
            quotas=quotas._replace(gbps=quotas.gbps / rate),
            option_usd=network.option_usd * unit_s,
            overhead_s=network.overhead_s / unit_s,
            least_s=network.least_s / unit_s,
            same_s=network.same_s / unit_s,
        ),
        unit_s,
    )


class Route(NamedTuple):
    """A way of a share of the bytes."""

    share: float
    edges: tuple[int, ...]


def shares_of(network: Network, routes: Sequence[Route]) -> Floats:
    """Return what share of the bytes crosses each edge."""
    found = np.zeros(network.edges)
    for route in routes:
        found[list(route.edges)] += route.share
    return found


def all_of(routes: Sequence[Route]) -> tuple[Route, ...]:
    """Return routes that carry all bytes together, without those of next to none."""
    kept = [route for route in routes if route.share >= _LEAST_SHARE]
    total = sum(route.share for route in kept)
    ordered = sorted(kept, key=lambda route: (-round(route.share, 9), route.edges))
    return tuple(Route(route.share / total, route.edges) for route in ordered)
