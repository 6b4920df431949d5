"""What `netplan flow-logs cost` and `plan` are asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import Ask
from netplan_planner.planning.project import Input, MetricsInput, OfProject
from netplan_planner.verbs.flow_logs.answer import LogGoal


class CostAsk(OfProject, frozen=True, kw_only=True):
    """Whose flow logs, or how many records there will be."""

    records: Annotated[
        Path | None,
        Ask(
            "Table (CSV, Parquet) of records before logs are on: place, records, and of how many"
            " hours; such as from the metric predicted_max_vpc_flow_logs_count.",
            metavar="FILE",
        ),
    ] = None
    has_metadata: Annotated[
        bool,
        Ask(
            "With --records and metrics: whether they will have metadata.",
            "--metadata/--no-metadata",
        ),
    ] = True
    given: Input = Input()
    metrics: MetricsInput = MetricsInput()


class PlanAsk(OfProject, frozen=True, kw_only=True):
    """What is promised of whose flow logs."""

    goal: LogGoal = LogGoal()
    given: Input = Input()
