"""`netplan whatif`: a project before and after changes that somebody thinks of."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import CHOICE, OUTPUT, Ask
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app, progress
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.request import ApiOptions
from netplan_planner.engine.suppressions import ignore_file
from netplan_planner.engine.whatif.plan import whatif_of
from netplan_planner.engine.whatif.request import WhatifRequest, WhatifWords
from netplan_planner.errors import UsageError
from netplan_planner.model import CommitmentScope, Severity
from netplan_planner.model.whatif import FindingState, WhatifField
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.project import (
    FlowReading,
    Input,
    MetricsInput,
    StrictReading,
    WhichSharing,
    request_of,
)
from netplan_planner.quantities import Day, names
from netplan_planner.renderers import RenderOptions
from netplan_planner.verbs import panels

CHANGES = "What changes"


class AddressKind(StrEnum):
    """By which address machines call each other."""

    INTERNAL = "internal"
    EXTERNAL = "external"


class NetworkTier(StrEnum):
    """Of external addresses."""

    PREMIUM = "premium"
    STANDARD = "standard"


class NicType(StrEnum):
    """Of interfaces."""

    GVNIC = "gvnic"
    VIRTIO = "virtio"


class Changes(Parameters, frozen=True, kw_only=True):
    """Changes of one selection of machines, or a table of them."""

    vm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VM",
            help="Machines to change: a name, project/zone/name, a glob, label:KEY=VALUE or"
            " group:NAME; repeat it.",
            rich_help_panel=CHANGES,
        ),
    ] = None
    machine_type: Annotated[
        str | None,
        typer.Option(metavar="TYPE", help="Their new machine type.", rich_help_panel=CHANGES),
    ] = None
    zone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Where they are to stand.", rich_help_panel=CHANGES),
    ] = None
    address: Annotated[
        AddressKind | None,
        typer.Option(
            help="By which they and the project's other machines call each other.",
            rich_help_panel=CHANGES,
        ),
    ] = None
    network_tier: Annotated[
        NetworkTier | None,
        typer.Option(help="The tier of their external addresses.", rich_help_panel=CHANGES),
    ] = None
    tier1: Annotated[
        bool | None,
        typer.Option("--tier1/--no-tier1", help="Tier_1 on or off.", rich_help_panel=CHANGES),
    ] = None
    mtu: Annotated[
        int | None,
        typer.Option(
            metavar="BYTES", help="MTU of their networks, for all in them.", rich_help_panel=CHANGES
        ),
    ] = None
    nic: Annotated[
        NicType | None,
        typer.Option(help="Type of all their interfaces.", rich_help_panel=CHANGES),
    ] = None
    plugin: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Network plugin of the cluster whose nodes they are.",
            rich_help_panel=CHANGES,
        ),
    ] = None
    growth: Annotated[
        str | None,
        typer.Option(
            metavar="FACTOR",
            help="Their traffic is multiplied by it, such as 1.5; without --vm that of all.",
            rich_help_panel=CHANGES,
        ),
    ] = None
    by: Annotated[
        Day | None,
        Ask(
            "When the growth is reached, to tell what is full when.",
            metavar="DAY",
            formats=["%Y-%m-%d"],
            panel=CHANGES,
        ),
    ] = None
    change: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of changes, a row a selection of machines (docs/whatif.md).",
            rich_help_panel=CHANGES,
        ),
    ] = None

    def values(self) -> Iterator[tuple[WhatifField, str, str]]:
        """Yield what is to become what, and the option that says so."""
        stated = (
            (WhatifField.MACHINE_TYPE, self.machine_type),
            (WhatifField.ZONE, self.zone),
            (WhatifField.ADDRESS, self.address),
            (WhatifField.NETWORK_TIER, self.network_tier),
            (WhatifField.MTU, self.mtu),
            (WhatifField.NIC, self.nic),
            (WhatifField.PLUGIN, self.plugin),
            (WhatifField.GROWTH, self.growth),
        )
        for field, value in stated:
            if value is not None:
                yield field, str(value), f"--{field.value}"
        if self.tier1 is not None:
            option = "--tier1" if self.tier1 else "--no-tier1"
            yield WhatifField.TIER_1, str(self.tier1).lower(), option


class Whatif(Parameters, frozen=True, kw_only=True):
    """What changes, and what it is held against."""

    changes: Changes = Changes()
    given: Input = Input()
    all_out: Annotated[
        bool,
        typer.Option(
            "--all-out",
            help="Rates as if every flow sent all that its path can carry, not its busiest minute.",
            rich_help_panel=CHOICE,
        ),
    ] = False
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: AsOf = None
    metrics: MetricsInput = MetricsInput()
    reading: FlowReading = FlowReading()
    api: ApiOptions = ApiOptions()
    top: Annotated[int, typer.Option(min=0, help="Rows of a table; 0: all.")] = 8
    verbose: Annotated[
        int,
        typer.Option(
            "--explain",
            "--verbose",
            "-v",
            count=True,
            help="Print every row.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    strict: StrictReading = False
    answer: answers.PlanOutput = answers.PlanOutput()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def whatif(asked: Whatif) -> None:
    """Show a project before and after changes: findings, Gbit/s and money.

    Changes are made to a copy: machine type, zone, addresses, tier, Tier_1, MTU, interface, plugin,
    growth of traffic. With what each brings alone and in order, and sets that only help together.
    Exit status: 0, 1 when a finding of high severity is new, 4 incomplete and --strict.
    """
    specs = asked.answer.specs()
    values = tuple(asked.changes.values())
    if not values and asked.changes.change is None and not asked.changes.vm:
        raise UsageError(
            "nothing is changed: say what becomes of which machines (--vm web-1 --machine-type"
            " n2-standard-8), or give a table of changes (--change FILE)"
        )
    found = whatif_of(_request(asked, values), progress)
    shown_in = currency_in(asked.given.prices(asked.pricing), asked.currency)
    answers.write(
        found,
        specs,
        RenderOptions(
            width=asked.look.width,
            colour=asked.look.color,
            verbosity=verbosity(asked.verbose),
            max_rows=asked.top,
            currency=shown_in,
        ),
    )
    if asked.strict:
        answers.refuse_incomplete("the answer is", found.incomplete)
    if any(
        one.state is FindingState.NEW and one.severity is Severity.HIGH for one in found.findings
    ):
        raise typer.Exit(EXIT_FINDINGS)


def _request(asked: Whatif, values: tuple[tuple[WhatifField, str, str], ...]) -> WhatifRequest:
    configured = options.configured()
    read = request_of(
        asked,
        commitment_scope=asked.commitment_scope,
        ignore_file=ignore_file(None),
        thresholds=configured.thresholds,
        targets=configured.targets,
        links=configured.links,
    )
    changes = asked.changes
    return WhatifRequest(
        read=read,
        words=WhatifWords(
            vms=names(changes.vm),
            values=values,
            by=changes.by,
        ),
        file=changes.change,
        is_all_out=asked.all_out,
    )
