"""`netplan prices`: where prices come from. Reads catalogues; writes snapshots, nothing else."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli.app import app, state

if TYPE_CHECKING:
    from netplan_pricing.catalogue.dumps import Dump
    from netplan_pricing.catalogue.mapping import MappedSku

prices_app = typer.Typer(help="Build, compare and check price snapshots.", no_args_is_help=True)
app.add_typer(prices_app, name="prices")

_LISTED = 20
"""Unrecognised SKUs that are named on stderr; the table holds them all."""


class TableForm(StrEnum):
    """How a table is written."""

    CSV = "csv"
    JSON = "json"


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
    from netplan_pricing.catalogue.dumps import read_dump
    from netplan_pricing.catalogue.mapping import map_sku

    dump = read_dump(files)
    mapped = [map_sku(sku) for sku in dump.skus]
    writer = {TableForm.CSV: _mapped_csv, TableForm.JSON: _mapped_json}[format]
    writer(dump, mapped)
    if not state.quiet:
        _say_counts(dump, mapped)


def _mapped_csv(dump: "Dump", mapped: "list[MappedSku]") -> None:
    import csv

    from netplan_planner.cli.price_answers import csv_cell

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("sku_id", *_MAPPED_COLUMNS))
    writer.writerows(
        [csv_cell(sku.sku_id), *(csv_cell(value) for value in _cells(one))]
        for sku, one in zip(dump.skus, mapped, strict=True)
    )


_MAPPED_COLUMNS = (*("kind", "series", "component", "usage", "counts_in_plain_vm_price", "reason"),)


def _cells(one: "MappedSku") -> tuple[str, ...]:
    counts = str(int(one.counts_in_plain_vm_price))
    return one.kind, one.series, one.component, one.usage, counts, one.reason


def _mapped_json(dump: "Dump", mapped: "list[MappedSku]") -> None:
    import msgspec

    rows = [
        {
            "sku_id": sku.sku_id,
            **dict(zip(_MAPPED_COLUMNS, _cells(one), strict=True)),
            "counts_in_plain_vm_price": one.counts_in_plain_vm_price,
        }
        for sku, one in zip(dump.skus, mapped, strict=True)
    ]
    typer.echo(msgspec.json.format(msgspec.json.encode(rows), indent=1))


def _say_counts(dump: "Dump", mapped: "list[MappedSku]") -> None:
    from collections import Counter

    from netplan_pricing.catalogue.mapping import Scope

    count = Counter(one.scope for one in mapped)
    typer.echo(
        f"{len(mapped):,} SKUs: {count[Scope.PRICED]:,} of kinds that netplan prices,"
        f" {count[Scope.OTHER]:,} of others, {count[Scope.UNRECOGNISED]:,} not recognised",
        err=True,
    )
    unknown = [place for place, one in enumerate(mapped) if one.scope is Scope.UNRECOGNISED]
    for place in unknown[:_LISTED]:
        sku = dump.skus[place]
        text = f"  {sku.sku_id} {sku.description!a}: {mapped[place].reason} ({dump.where(place)})"
        typer.echo(text, err=True)
    if len(unknown) > _LISTED:
        typer.echo(f"  and {len(unknown) - _LISTED:,} more", err=True)
    for name in dump.unfinished:
        typer.echo(f"  {name}: its last page names a next one: more SKUs exist", err=True)
