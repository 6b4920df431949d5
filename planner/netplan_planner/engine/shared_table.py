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
from netplan_planner.throughput.sharing.links import NAMES, Ends, shared_links
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
    src, dst = (_ends(table, side, known) for side in ("src", "dst"))
    links = shared_links(src, dst, limits)
    streams = table.numbers("streams")[known]
    rates = fair_rates(
        capacity_gbps=links.capacity_gbps,
        links=links.of_flow,
        bound_gbps=own[known],
        weight=np.where(np.isnan(streams), 1.0, streams),
    )
    gbps = np.full_like(own, np.nan)
    gbps[known] = rates.gbps
    texts = (*NAMES, OWN)
    code = np.full(len(own), -1)
    is_own = rates.binding_link == OWN_BOUND
    code[known] = np.where(is_own, texts.index(OWN), links.name[rates.binding_link])
    return SharedRates(rounded(gbps), CodedTexts(texts, code), int((~known).sum()))


def _ends(table: PathTable, side: str, known: NDArray[np.bool_]) -> Ends:
    machines, which = table.texts(side)
    return Ends(which[known], len(machines))
