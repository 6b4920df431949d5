"""The best transfer in any units, and in less time than is paid for at least."""

from netplan_planner.optimise.transfer import program
from netplan_planner.optimise.transfer.network import Network
from netplan_planner.optimise.transfer.program import Aim, Span
from netplan_planner.optimise.transfer.scale import scaled
from netplan_planner.optimise.transfer.solving import Searched, Solution, longest_s, searched

_LONGER = 1.05
"""Than what comes before the steady state alone: some time is left for the bytes."""


def search(
    network: Network,
    *,
    is_time: bool = False,
    deadline_s: float | None = None,
    budget_usd: float | None = None,
    has_front: bool = True,
) -> Searched:
    """Return the best plan within the bounds, and what there is whatever the deadline.

    Args:
        network: Places, edges, machines.
        is_time: Whether time is to be least, else cost.
        deadline_s: Until the last byte, start-up included.
        budget_usd: Most that it may cost.
        has_front: Whether the candidates of the front are wanted, too.
    """
    own, unit_s = scaled(network)
    found = searched(
        own,
        is_time=is_time,
        deadline_s=None if deadline_s is None else deadline_s / unit_s,
        budget_usd=budget_usd,
        has_front=has_front,
    )
    quick = _within_the_least(own, unit_s, is_time=is_time, deadline_s=deadline_s)
    if quick is not None:
        other = searched(
            quick,
            is_time=is_time,
            deadline_s=None if deadline_s is None else deadline_s / unit_s,
            budget_usd=budget_usd,
            has_front=False,
        )
        found = _joined(found, other)

    def timed(one: Solution | None) -> Solution | None:
        return one and one._replace(transfer_s=one.transfer_s * unit_s)

    return found._replace(
        best=timed(found.best),
        front=tuple(one._replace(transfer_s=one.transfer_s * unit_s) for one in found.front),
        fastest=timed(found.fastest),
        cheapest=timed(found.cheapest),
    )


def _within_the_least(
    network: Network, unit_s: float, *, is_time: bool, deadline_s: float | None
) -> Network | None:
    """Return the network of plans that end before the least time that is paid; None: of no use.

    To the program a machine is up as long as it is paid. Where that is a minute whatever it does, a
    machine-second of a shorter time costs so much more.
    """
    least_s = network.least_s
    low_s = least_s if deadline_s is None else deadline_s / unit_s
    if not network.is_priced or not (is_time or low_s < least_s):
        return None
    if is_time:
        free = network._replace(least_s=0.0)
        fast = program.relaxed(free, Span(free.overhead_s, longest_s(free)), Aim(is_time=True))
        if fast is None or fast.up_s > low_s:
            return None
        low_s = max(fast.up_s, network.overhead_s * _LONGER)
    if not network.overhead_s < low_s < least_s:
        return None
    return network._replace(least_s=low_s, option_usd=network.option_usd * (least_s / low_s))


def _joined(found: Searched, quick: Searched) -> Searched:
    """Return what two searches found; what is proven is the first one's, for as long or longer."""
    every = (*found.front, *quick.front, *(one for one in (quick.best, found.best) if one))
    return found._replace(
        best=quick.best or found.best,
        front=every,
        fastest=min(every, key=lambda one: one.transfer_s, default=None),
    )
