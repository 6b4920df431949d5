"""`netplan prices`: where prices come from. Reads catalogues; writes snapshots, nothing else."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from netplan_planner.cli.app import EXIT_FINDINGS, app, progress, state
from netplan_planner.cli.prices_answers import AnswerForm, TableForm

prices_app = typer.Typer(help="Build, compare and check price snapshots.", no_args_is_help=True)
app.add_typer(prices_app, name="prices")

FormOption = Annotated[AnswerForm, typer.Option("--format", help="How to write the answer.")]
OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the snapshot.")]
TablesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--price-tables",
        metavar="FILE…",
        help="CSV tables of what only other sources know, or know later.",
    ),
]
UnrecognisedOption = Annotated[
    float,
    typer.Option(help="Share of a resource group that may stay unrecognised.", min=0, max=1),
]
AcceptOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SKU|KIND",
        help="Take this SKU, or this kind of price (such as core, interzone_out), however far it"
        " is from before; repeat it.",
    ),
]
AcceptChangesOption = Annotated[
    bool,
    typer.Option(
        "--accept-changes",
        help="Take it however far its prices are from those of the snapshot before.",
    ),
]
MOST_UNRECOGNISED = 0.01


@prices_app.command("map")
def map_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Answers of services.skus.list: JSON, or gzip of it."),
    ],
    format: Annotated[
        TableForm, typer.Option("--format", help="How to write the table.")
    ] = TableForm.CSV,
) -> None:
    """Print what each SKU of a catalogue is the price of, one row per SKU in the order read.

    `kind` is empty where nothing fits, and `reason` says why; `reason` also says why a SKU that is
    understood is not needed. SKUs that are needed and not understood are counted on stderr.
    """
    from netplan_planner.cli import prices_answers
    from netplan_pricing.catalogue.dumps import read_dump
    from netplan_pricing.catalogue.mapping import map_sku

    dump = read_dump(files)
    found = [map_sku(sku) for sku in dump.skus]
    prices_answers.mapped(dump, found, format)
    if not state.quiet:
        prices_answers.say_mapped(dump, found)


@prices_app.command()
def build(
    skus: Annotated[
        list[Path],
        typer.Option(
            "--skus",
            metavar="FILE…",
            help="Dumps of services.skus.list, of Compute Engine and of Networking.",
        ),
    ],
    machine_types: Annotated[
        list[Path],
        typer.Option(
            "--machine-types",
            metavar="FILE…",
            help="Answers of machineTypes.aggregatedList, or CSV tables of types and regions.",
        ),
    ],
    out: OutOption,
    price_tables: TablesOption = None,
    currency_pages: Annotated[
        list[Path] | None,
        typer.Option(
            "--currency-pages",
            metavar="FILE…",
            help="Pages of the catalogue in other currencies, for their conversion rates.",
        ),
    ] = None,
    max_unrecognised: UnrecognisedOption = MOST_UNRECOGNISED,
    accept: AcceptOption = None,
    accept_changes: AcceptChangesOption = False,
) -> None:
    """Build a price snapshot from files. The one in DIR stays as it is unless all is well.

    All is well if every check of `netplan prices verify` holds, also beside the snapshot in DIR, or
    beside the embedded one where there is none. Rates come from the SKUs, each with its id. A price
    table adds what they lack, with its own date and no id; for Spot, which moves within weeks, the
    younger of the two stands.
    """
    from netplan_planner.cli import prices_answers
    from netplan_pricing import open_snapshot
    from netplan_pricing.building.from_files import (
        build_from_files,
        require_likeness,
        write_snapshot,
    )
    from netplan_pricing.container import FILE_NAME

    one = build_from_files(
        skus,
        machine_types,
        price_tables or (),
        today=date.today(),
        currency_pages=currency_pages or (),
        most_unrecognised_ratio=max_unrecognised,
    )
    if not accept_changes:
        is_followed = (out / FILE_NAME).exists()
        base = open_snapshot(out if is_followed else None).file
        require_likeness(base, one, accepted=tuple(accept or ()), counts_vanished=is_followed)
    prices_answers.built(write_snapshot(one, out), len(one.content))
    if not state.quiet:
        prices_answers.say_built(one)


@prices_app.command()
def refresh(
    out: OutOption,
    project: Annotated[
        str | None,
        typer.Option(
            help="Project whose machine types are listed (compute.machineTypes.list); default: that"
            " of the default credentials."
        ),
    ] = None,
    machine_types: Annotated[
        list[Path] | None,
        typer.Option(
            "--machine-types",
            metavar="FILE…",
            help="Machine types from files instead, such as what `gcloud compute machine-types list"
            " --format=json` wrote.",
        ),
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(
            help="API key for the catalogue instead of the default credentials; better set in"
            " NETPLAN_PRICES_REFRESH_API_KEY, which no list of processes shows.",
            show_default=False,
        ),
    ] = None,
    api_endpoint: Annotated[
        str | None, typer.Option(help="Another server for both APIs, such as a local one.")
    ] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Send no credentials.")] = False,
    currency: Annotated[
        list[str] | None,
        typer.Option(help="Keep the conversion rate of this currency too; repeat it."),
    ] = None,
    price_tables: TablesOption = None,
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Snapshot from which stays what no SKU says; default: the one in --out, else the"
            " embedded one.",
        ),
    ] = None,
    max_unrecognised: UnrecognisedOption = MOST_UNRECOGNISED,
    accept: AcceptOption = None,
    accept_changes: AcceptChangesOption = False,
) -> None:
    """Build a snapshot from the live Cloud Billing Catalog and Compute APIs, and swap it in.

    Pages are kept in DIR/.refresh until all are there: a refresh that breaks off goes on where it
    was. The snapshot in DIR stays as it is unless all is well. Reads alone; needs no IAM role for
    the catalogue, and compute.machineTypes.list in any one project for the machine types: no API of
    Google's lists them without a project.
    """
    from netplan_planner.cli import prices_answers
    from netplan_planner.engine.refresh import RefreshRequest
    from netplan_planner.engine.refresh import refresh as run
    from netplan_planner.google import ApiOptions

    done = run(
        RefreshRequest(
            out=out,
            project=project,
            machine_types=tuple(machine_types or ()),
            api_key=api_key,
            currencies=tuple(dict.fromkeys(currency or ())),
            price_tables=tuple(price_tables or ()),
            base=base,
            most_unrecognised_ratio=max_unrecognised,
            accepts_changes=accept_changes,
            accepted=tuple(accept or ()),
            today=date.today(),
            api=ApiOptions(endpoint=api_endpoint, is_anonymous=anonymous),
        ),
        told=progress,
    )
    prices_answers.built(done.file, len(done.built.content))
    if not state.quiet:
        if done.kept_types:
            prices_answers.say(f"netplan: {done.kept_types}")
        prices_answers.say_built(done.built)
        prices_answers.say_changes(done.base, done.file)


@prices_app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="Folder or file of a snapshot.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Folder or file of another.")],
    percent: Annotated[
        float, typer.Option(help="Leave out prices that moved by no more than this.", min=0)
    ] = 0.0,
    format: FormOption = AnswerForm.TEXT,
) -> None:
    """Print the prices that appeared, vanished or moved between two snapshots.

    Machines are compared where they are offered, traffic by its ends, and every SKU by its id.
    """
    from netplan_planner.cli import prices_answers
    from netplan_pricing import open_snapshot
    from netplan_pricing.comparing import compare

    least = Decimal(str(percent)) / 100
    found = list(compare(open_snapshot(old), open_snapshot(new), least_ratio=least))
    prices_answers.changes(found, format)


@prices_app.command()
def verify(
    prices: Annotated[
        Path | None, typer.Option("--prices", help="Folder of another price snapshot.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="DIR",
            help="Snapshot to compare with; default: the embedded one, where another is checked.",
        ),
    ] = None,
    format: FormOption = AnswerForm.TEXT,
) -> None:
    """Check a snapshot: no price that cannot be, none far from its like, nothing left out.

    Exit status 1 if a check fails.
    """
    from netplan_planner.cli import prices_answers
    from netplan_pricing import open_snapshot
    from netplan_pricing.verifying import verify as find

    before = open_snapshot(against) if against is not None or prices is not None else None
    one = find(open_snapshot(prices), date.today(), before)
    prices_answers.verdict(one, format)
    if one.faults:
        raise typer.Exit(EXIT_FINDINGS)
