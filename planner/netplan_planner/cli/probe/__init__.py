"""`netplan probe`: what to measure and what it costs; with `--yes`, the measurement itself."""

from typing import Any

import typer
from typer.core import TyperGroup

from netplan_planner.cli.app import app
from netplan_planner.cli.probe import import_, plan_and_run
from netplan_planner.cli.probe.options import REACH
from netplan_planner.verbs import panels


class _ProbeGroup(TyperGroup):
    """The sub-verbs; options without one are those of `run`, which asks for `--yes` anyhow."""

    def __init__(self, **attributes: Any) -> None:
        """Make the group; `plan` runs nothing, and does not show what only a run needs."""
        super().__init__(**attributes)
        params: list[Any] = [*self.commands["plan"].params]
        for one in params:
            # Taken all the same, so that another word makes a run of the same line.
            one.hidden = one.hidden or one.rich_help_panel == REACH or one.name == "yes"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_option = bool(args) and args[0].startswith("-")
        own = {"--help", *ctx.help_option_names}
        return super().parse_args(ctx, ["run", *args] if is_option and args[0] not in own else args)


probe_app = typer.Typer(
    cls=_ProbeGroup,
    help="What is worth measuring with iperf3, and what did it show?",
    no_args_is_help=True,
)
app.add_typer(probe_app, name="probe", rich_help_panel=panels.MEASURE)

for name, verb, help_ in (
    (
        "plan",
        plan_and_run.plan_or_run,
        "Show which paths are worth measuring, and what that costs. Runs nothing.",
    ),
    (
        "run",
        plan_and_run.plan_or_run,
        "Show the plan; with --yes, run it and keep the measurements.",
    ),
    ("import", import_.import_outputs, None),
):
    probe_app.command(name, help=help_)(verb)
