"""Units in which a transfer's numbers are near one, whatever is moved.

Solvers keep absolute errors. A kilobyte and an exabyte are the same program in other units of time
and rate. What is paid for at least a minute does not shrink with the bytes, though: next to nothing
is planned as what the fastest limit lets through in a hundredth of a second.
"""

from typing import NamedTuple

import numpy as np

from netplan_planner.optimise.transfer.network import Network

_MOST_GBIT = 1e6
"""Up to which, and above `_LEAST_GBIT`, numbers are left as they are."""
_LEAST_GBIT = 1e-2
_LEAST_GBPS, _MOST_GBPS = 1e-2, 1e4
_LEAST_TRANSFER_S = 1e-2
_HANDY = 100.0


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
        ),
        unit_s,
    )
