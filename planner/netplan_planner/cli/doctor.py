"""`netplan doctor`: what stands in the way, and which role is enough."""

from datetime import date
from typing import Annotated

import typer

from netplan_planner.asks import OUTPUT
from netplan_planner.cli import answers
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.doctor import DoctorRequest, examine, role_yaml
from netplan_planner.engine.request import ApiOptions
from netplan_planner.errors import IncompleteError
from netplan_planner.model.diagnosis import CheckStatus
from netplan_planner.planning.inputs import PriceFolder
from netplan_planner.planning.project import Projects, Today
from netplan_planner.streams import standard_output
from netplan_planner.verbs import panels


class Doctor(Parameters, frozen=True, kw_only=True):
    """What to look at."""

    projects: Projects = ()
    prices: PriceFolder = None
    today: Today = None
    role: Annotated[
        bool,
        typer.Option(
            "--role",
            help="Print the least-privilege role as YAML, for gcloud iam roles create --file.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 4 when something could not be checked.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    answer: answers.Output = answers.Output()
    api: ApiOptions = ApiOptions()


@app.command(rich_help_panel=panels.SETUP)
@taking
def doctor(asked: Doctor) -> None:
    """Check credentials, APIs, permissions, flow logs, clock and ages, and say what to do.

    Everything that an audit reads of the projects is tried, and nothing else. Exit status: 0, or 1
    with a problem.
    """
    specs = asked.answer.specs()
    if asked.role:
        typer.echo(role_yaml(), nl=False, file=standard_output())
        return
    request = DoctorRequest(
        projects=tuple(dict.fromkeys(asked.projects)),
        prices=asked.prices,
        today=asked.today or date.today(),
        api=asked.api,
    )
    found = examine(request, progress)
    answers.write(found, specs)
    unknown = [one for one in found.checks if one.status is CheckStatus.UNKNOWN]
    if asked.strict and unknown:
        raise IncompleteError(
            f"not everything could be checked, and --strict was given: {unknown[0].name}:"
            f" {unknown[0].told}"
        )
    if found.count(CheckStatus.PROBLEM):
        raise typer.Exit(EXIT_FINDINGS)
