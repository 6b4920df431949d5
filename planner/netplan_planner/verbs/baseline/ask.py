"""What `netplan baseline` is asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import INPUT, KEPT, OUTPUT, Ask, Day
from netplan_planner.judging.baseline import BASELINE_FILE
from netplan_planner.planning.configured import RulesPath
from netplan_planner.planning.inputs import DATE_FORMATS
from netplan_planner.planning.project import Input, OfMachines, StrictReading, Today


class BaselineAsk(OfMachines, frozen=True, kw_only=True):
    """Whose findings are accepted, why, and until when."""

    given: Input = Input()
    report: Annotated[
        Path | None,
        Ask(
            "Accept the findings of a report that --output json:FILE wrote, and read nothing else.",
            metavar="FILE",
            panel=INPUT,
        ),
    ] = None
    out: Annotated[
        Path,
        Ask(
            "File of accepted findings. Those that it has keep their date, reason and end.",
            "--out",
            metavar="FILE",
            panel=OUTPUT,
        ),
        KEPT,
    ] = Path(BASELINE_FILE)
    reason: Annotated[str, Ask("Why the findings are accepted.", metavar="TEXT", panel=OUTPUT)] = (
        "accepted as it is"
    )
    expires: Annotated[
        Day | None,
        Ask(
            "Last day on which they are accepted (default: no end).",
            metavar="DAY",
            formats=DATE_FORMATS[:1],
            panel=OUTPUT,
        ),
    ] = None
    today: Today = None
    rules_path: RulesPath = ()
    is_strict: StrictReading = False
