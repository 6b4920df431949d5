"""What `netplan flow-logs cost` and `plan` are asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import Ask
from netplan_planner.planning.project import Input, MetricsInput, OfProject
from netplan_planner.verbs.flow_logs.answer import LogGoal

BEFORE = "Before flow logs are on"


class CostAsk(OfProject, frozen=True, kw_only=True):
    """Whose flow logs, or how many records there will be."""

    records: Annotated[
        Path | None,
        Ask(
            "Estimate from a table of expected records (docs/reference/verbs/flow-logs.md): "
            "place, records, and the hours they cover, such as from the metric "
            "predicted_max_vpc_flow_logs_count.",
            metavar="FILE",
            panel=BEFORE,
        ),
    ] = None
    has_metadata: Annotated[
        bool,
        Ask(
            "Whether the expected records have metadata, in --records and in metrics.",
            "--metadata/--no-metadata",
            panel=BEFORE,
        ),
    ] = True
    given: Input = Input()
    metrics: MetricsInput = MetricsInput()


class PlanAsk(OfProject, frozen=True, kw_only=True):
    """What is promised of whose flow logs."""

    goal: LogGoal = LogGoal()
    given: Input = Input()
