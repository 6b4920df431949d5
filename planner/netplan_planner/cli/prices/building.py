"""`netplan prices build|refresh`: a new snapshot, from files or from the live APIs."""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.asks import KEPT, Use
from netplan_planner.cli import answers
from netplan_planner.cli.app import progress
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.engine.prices.snapshots import (
    FILE_NAME,
    BuildRequest,
    build_snapshot,
    refresh_snapshot,
)
from netplan_planner.engine.refresh import ApiClient, ApiOptions, RefreshRequest
from netplan_planner.planning.project import WhichClient

MOST_UNRECOGNISED_RATIO = 0.01


class Acceptance(Parameters, frozen=True, kw_only=True):
    """What may be odd about a new snapshot."""

    max_unrecognised: Annotated[
        float,
        typer.Option(
            metavar="RATIO",
            help="Share of a resource group that may stay unrecognised.",
            min=0,
            max=1,
        ),
    ] = MOST_UNRECOGNISED_RATIO
    accept: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SKU|KIND",
            help="Take this SKU, or this kind of price (such as core, interzone_out), however far"
            " it is from before; repeat it.",
        ),
    ] = None
    accept_changes: Annotated[
        bool,
        typer.Option(
            "--accept-changes",
            help="Take it however far its prices are from those of the snapshot before.",
        ),
    ] = False


class Snapshot(Parameters, frozen=True, kw_only=True):
    """Where a new snapshot goes, and the tables that the catalogue is completed with."""

    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="Folder of the new snapshot."),
        Use(is_written=True, is_folder=True, is_own=True, file=FILE_NAME),
    ]
    price_tables: Annotated[
        list[Path] | None,
        typer.Option(
            "--price-tables",
            metavar="FILE",
            help="CSV tables of what only other sources know, or know later.",
        ),
    ] = None


class Build(Parameters, frozen=True, kw_only=True):
    """What to build a snapshot from."""

    skus: Annotated[
        list[Path],
        typer.Option(
            "--skus",
            metavar="FILE",
            help="Dumps of services.skus.list, of Compute Engine and of Networking.",
        ),
    ]
    machine_types: Annotated[
        list[Path],
        typer.Option(
            "--machine-types",
            metavar="FILE",
            help="Answers of machineTypes.aggregatedList, or CSV tables of types and regions.",
        ),
    ]
    snapshot: Snapshot
    currency_pages: Annotated[
        list[Path] | None,
        typer.Option(
            "--currency-pages",
            metavar="FILE",
            help="Pages of the catalogue in other currencies, for their conversion rates.",
        ),
    ] = None
    acceptance: Acceptance = Acceptance()
    answer: answers.Output = answers.Output()


@taking
def build(asked: Build) -> None:
    """Build a price snapshot from files. The one in DIR stays as it is unless all is well.

    All is well if every check of `netplan prices verify` holds, also beside the snapshot in DIR, or
    beside the embedded one where there is none. Rates come from the SKUs, each with its id. A price
    table adds what they lack, with its own date and no id; for Spot, which moves within weeks, the
    younger of the two stands.
    """
    specs = asked.answer.specs()
    request = BuildRequest(
        skus=tuple(asked.skus),
        machine_types=tuple(asked.machine_types),
        out=asked.snapshot.out,
        price_tables=tuple(asked.snapshot.price_tables or ()),
        currency_pages=tuple(asked.currency_pages or ()),
        most_unrecognised_ratio=asked.acceptance.max_unrecognised,
        accepted=tuple(asked.acceptance.accept or ()),
        accepts_changes=asked.acceptance.accept_changes,
        today=date.today(),
    )
    answers.write(build_snapshot(request), specs)


class Refresh(Parameters, frozen=True, kw_only=True):
    """What to read from the live APIs."""

    snapshot: Snapshot
    project: Annotated[
        str | None,
        typer.Option(
            metavar="PROJECT",
            help="Project whose machine types are listed (compute.machineTypes.list); default: that"
            " of the default credentials.",
        ),
    ] = None
    machine_types: Annotated[
        list[Path] | None,
        typer.Option(
            "--machine-types",
            metavar="FILE",
            help="Machine types from files instead, such as what `gcloud compute machine-types list"
            " --format=json` wrote.",
        ),
    ] = None
    api_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="API key for the catalogue instead of the default credentials; better set by its"
            " environment variable (netplan config show --env), which no list of processes shows.",
            show_default=False,
        ),
    ] = None
    api_endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Another server for both APIs, such as a local one."),
    ] = None
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Send no credentials.")] = False
    api_client: WhichClient = ApiClient.REST
    currency: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE", help="Keep the conversion rate of this currency too; repeat it."
        ),
    ] = None
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Snapshot from which stays what no SKU says; default: the one in --out, else the"
            " embedded one.",
        ),
        KEPT,
    ] = None
    acceptance: Acceptance = Acceptance()
    answer: answers.Output = answers.Output()


@taking
def refresh(asked: Refresh) -> None:
    """Build a snapshot from the live Cloud Billing Catalog and Compute APIs, and swap it in.

    Pages are kept in DIR/.refresh until all are there: a refresh that breaks off goes on where it
    was. The snapshot in DIR stays as it is unless all is well. Reads alone; needs no IAM role for
    the catalogue, and compute.machineTypes.list in any one project for the machine types: no API of
    Google's lists them without a project.
    """
    specs = asked.answer.specs()
    request = RefreshRequest(
        out=asked.snapshot.out,
        project=asked.project,
        machine_types=tuple(asked.machine_types or ()),
        api_key=asked.api_key,
        currencies=tuple(dict.fromkeys(asked.currency or ())),
        price_tables=tuple(asked.snapshot.price_tables or ()),
        base=asked.base,
        most_unrecognised_ratio=asked.acceptance.max_unrecognised,
        accepts_changes=asked.acceptance.accept_changes,
        accepted=tuple(asked.acceptance.accept or ()),
        today=date.today(),
        api=ApiOptions(
            endpoint=asked.api_endpoint, is_anonymous=asked.anonymous, client=asked.api_client
        ),
    )
    answers.write(refresh_snapshot(request, progress), specs)
