"""`netplan probe`: what to measure and what it costs; with `--yes`, the measurement itself."""

from typing import Any

import typer
from typer.core import TyperGroup

from netplan_planner.cli.app import app
from netplan_planner.cli.probe import import_, plan_and_run
from netplan_planner.verbs import panels


class _ProbeGroup(TyperGroup):
    """The sub-verbs; options without one are those of `run`, which asks for `--yes` anyhow."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_option = bool(args) and args[0].startswith("-")
        own = {"--help", *ctx.help_option_names}
        return super().parse_args(ctx, ["run", *args] if is_option and args[0] not in own else args)


probe_app = typer.Typer(
    cls=_ProbeGroup,
    help="Measure what predictions leave open, with iperf3 between your machines.",
    no_args_is_help=True,
)
app.add_typer(probe_app, name="probe", rich_help_panel=panels.MEASURE)

for name, verb, help_ in (
    (
        "plan",
        plan_and_run.plan_or_run,
        "Show what is worth measuring, and what it costs. Runs nothing.",
    ),
    (
        "run",
        plan_and_run.plan_or_run,
        "Show the plan; with --yes, carry it out and keep what it measures.",
    ),
    ("import", import_.import_outputs, None),
):
    probe_app.command(name, help=help_)(verb)
