"""What rows of a table get that do not tell their number of streams: named cases, a text a row."""

import numpy as np
from numpy.typing import NDArray

from netplan_planner.planning.table_kinds import TableKinds
from netplan_planner.renderers.figures import rate_interval
from netplan_planner.tables.extended import CodedTexts
from netplan_planner.throughput.batch import Columns, predict_columns
from netplan_planner.throughput.calibration.factors.calibrated import Probed
from netplan_planner.throughput.cases import STREAM_COUNTS, settled
from netplan_planner.throughput.goodput.intervals import Factors
from netplan_planner.units import counted


def stream_cases(
    found: TableKinds, rows: NDArray[np.intp], factors: Factors, probed: Probed | None
) -> CodedTexts:
    """Return the cases of some rows as texts: "1 stream: 0.17 Gbit/s [0.16 to 0.18]; 8 …".

    Args:
        found: The table.
        rows: Those that do not tell their number of streams.
        factors: Of the interval's level.
        probed: What probes taught of the whole table.
    """
    some = Columns._make(column[rows] for column in found.columns)
    limits = [settled(one) for one in found.limits]
    own = probed.rows(rows) if probed is not None else None
    texts = [""] * len(rows)
    for count in STREAM_COUNTS:
        columns = some._replace(streams=np.full(len(rows), float(count)))
        answers = predict_columns(found.kinds, limits, columns, factors, own)
        ends = zip(answers.gbps, answers.low_gbps, answers.high_gbps, strict=True)
        for at, (gbps, low, high) in enumerate(ends):
            if not np.isnan(gbps):
                told = rate_interval(float(gbps), float(low), float(high))
                texts[at] += f"{'; ' if texts[at] else ''}{counted(count, 'stream')}: {told}"
    code = np.full(len(found.columns.streams), -1)
    code[rows] = np.where(np.array(texts) == "", -1, np.arange(len(rows)))
    return CodedTexts(texts, code)
