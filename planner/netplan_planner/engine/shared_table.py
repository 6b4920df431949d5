"""A table of flows that run at the same time: what each gets of the limits that they share.

Machines are told apart by the columns `src` and `dst`. Every flow is bounded by its own prediction;
the egress of a machine, its egress to the outside and a receiver's ingress are shared max-min
fairly, with streams as weights (`throughput.sharing`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.engine.predict_table import TableAnswer, rounded
from netplan_planner.errors import UsageError
from netplan_planner.readers.path_table import PathTable
from netplan_planner.tables.extended import CodedTexts
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.receivers import RECEIVER_CORES
from netplan_planner.throughput.limits.shared_by import OF_RECEIVER, OF_SENDER
from netplan_planner.throughput.sharing.rates import OWN_BOUND, fair_rates

OWN = "own-path"
"""The flow gets what its own prediction allows."""


class SharedRates(NamedTuple):
    """What each row gets while all run; NaN and -1 where its own prediction is not known."""

    gbps: NDArray[np.float64]
    limit: CodedTexts
    unknown_count: int
    """Rows without a prediction: they take their share in truth, but not here."""


def share_table(table: PathTable, answer: TableAnswer) -> SharedRates:
    """Return the max-min fair rates of all rows at once.

    Raises:
        UsageError: If the table does not name the machines.
    """
    lacking = [name for name in ("src", "dst") if not table.has(name)]
    if lacking:
        raise UsageError(
            f"{table.shown}: --together needs the columns src and dst, the names of the machines;"
            f" there is no {' and no '.join(lacking)}"
        )
    own = answer.predictions.gbps
    known = ~np.isnan(own)
    limits = answer.predictions.found.means.limits_gbps[known]
    links, capacity, names = _links(table, limits, known)
    streams = table.numbers("streams")[known]
    rates = fair_rates(
        capacity_gbps=capacity,
        links=links,
        bound_gbps=own[known],
        weight=np.where(np.isnan(streams), 1.0, streams),
    )
    gbps = np.full_like(own, np.nan)
    gbps[known] = rates.gbps
    texts = (*OF_SENDER, *OF_RECEIVER, OWN)
    code = np.full(len(own), -1)
    is_own = rates.binding_link == OWN_BOUND
    code[known] = np.where(is_own, texts.index(OWN), names[rates.binding_link])
    return SharedRates(rounded(gbps), CodedTexts(texts, code), int((~known).sum()))


def _links(
    table: PathTable, limits: NDArray[np.float64], known: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
    """Return the links of each row, the capacity of each link, and the code of its name.

    A machine has one link for each of the limits, of the least capacity that any row gives it.
    """
    columns: list[NDArray[np.intp]] = []
    capacities: list[NDArray[np.float64]] = []
    names: list[NDArray[np.intp]] = []
    start = 0
    for side, limit_names in (("src", OF_SENDER), ("dst", OF_RECEIVER)):
        machines, which = table.texts(side)
        for name in limit_names:
            capacity = np.full(len(machines), np.inf)
            values = limits[:, LIMITS.index(name)]
            np.minimum.at(capacity, which[known], np.where(np.isnan(values), np.inf, values))
            # What arrives at a receiver's vCPUs counts, also from a sender too small to fill them.
            felt = capacity[which[known]] if name == RECEIVER_CORES else values
            columns.append(np.where(np.isinf(felt) | np.isnan(felt), -1, start + which[known]))
            capacities.append(capacity)
            names.append(np.full(len(machines), len(names)))
            start += len(machines)
    return np.column_stack(columns), np.concatenate(capacities), np.concatenate(names)
