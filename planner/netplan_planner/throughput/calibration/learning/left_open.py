"""What probes of other paths leave open of a path: how far paths of its class differ."""

import math

from netplan_planner.model import Calibration, CapsBook, PathQuery
from netplan_planner.throughput.batch import terms_of
from netplan_planner.throughput.calibration.factors.calibrated import Corrector
from netplan_planner.throughput.calibration.factors.factor_paths import (
    answers,
    run_scatter,
    slopes,
)
from netplan_planner.throughput.goodput.intervals import probed_tails
from netplan_planner.throughput.limits.path_limits import static_limits
from netplan_planner.throughput.single_row import single_row


def width_others_leave(query: PathQuery, caps: CapsBook, *, level: float = 0.9) -> float:
    """Return the log width that an interval keeps however many probes of other paths tell of it.

    Paths of one class differ by more than their limits. 0 where nothing can be predicted.
    """
    found = static_limits(query, caps, may_assume=True)
    row, _ = single_row(query)
    corrector = Corrector(
        Calibration(as_of=caps.as_of, measurement_count=0, probe_count=0, fingerprint="")
    )
    probed = corrector.probed([query], [found], corrector.of_pairs([None]))
    paths, values = probed.paths(terms_of([query], [found], row), row.kind)
    now = answers(paths, values)
    if found.unknown or math.isnan(now.log_gbps[0]):
        return 0.0
    scatter = float(run_scatter(paths, slopes(paths, values, now))[0])
    return sum(probed_tails(level)) * scatter
