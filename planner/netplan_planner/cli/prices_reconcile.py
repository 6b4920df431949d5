"""`netplan prices reconcile`: the traffic model against the bill."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli import options
from netplan_planner.cli.app import progress
from netplan_planner.cli.options import Reporter
from netplan_planner.cli.prices import FormOption, prices_app
from netplan_planner.cli.prices_answers import AnswerForm, say, write_csv, write_json
from netplan_planner.inert import inert_line
from netplan_planner.units import cents

if TYPE_CHECKING:
    from netplan_planner.engine.reconcile import Reconciliation, SkuBalance

SCHEMA = "netplan.reconciliation/1"
_COLUMNS = (
    *("sku_id", "description", "modelled_gib", "billed_gib", "residual_gib", "residual_ratio"),
    *("modelled_usd", "billed_usd", "residual_usd", "path_classes", "note"),
)


@prices_app.command()
def reconcile(
    billing_export: Annotated[
        list[Path],
        typer.Option(
            "--billing-export",
            metavar="FILE",
            help="Detailed usage table of the Cloud Billing export (Parquet, CSV); repeat it.",
        ),
    ],
    project: options.Projects = None,
    inventory: options.Inventory = None,
    traffic: options.Traffic = None,
    demo: options.Demo = None,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    contract: Annotated[
        bool,
        typer.Option(
            "--contract", help="Price the model with the effective prices of the export as well."
        ),
    ] = False,
    reporter: options.WhichReporter = Reporter.SOURCE,
    format: FormOption = AnswerForm.TEXT,
) -> None:
    """Compare what flow records say for a month with what was billed, per SKU.

    The model's volumes are scaled to the hours of the bill; the residual is what the bill has more.
    """
    from netplan_planner.engine.reconcile import reconcile as compare
    from netplan_planner.engine.request import AuditRequest
    from netplan_planner.model import Reporter as Whose
    from netplan_planner.traffic import TrafficOptions

    request = AuditRequest(
        today=date.today(),
        projects=tuple(dict.fromkeys(project or ())),
        inventory=tuple(inventory or ()),
        traffic=tuple(traffic or ()),
        demo=demo,
        prices=prices,
        discounts=tuple(discount or ()),
        billing_exports=tuple(billing_export) if contract else (),
        traffic_options=TrafficOptions(reporter=Whose(reporter.value)),
    )
    found = compare(request, billing_export, progress)
    writer = {AnswerForm.TEXT: _text, AnswerForm.JSON: _json, AnswerForm.CSV: _csv}[format]
    writer(found)


def _cells(one: "SkuBalance") -> tuple[object, ...]:
    parts = "; ".join(f"{part.path_class.value} {part.gib:.3f}" for part in one.parts)
    ratio = one.residual_ratio
    return (
        *(one.sku_id, one.description, one.modelled_gib, one.billed_gib, one.residual_gib),
        *(None if ratio is None else round(ratio, 6), one.modelled_usd, one.billed_usd),
        *(one.residual_usd, parts, one.note),
    )


def _csv(found: "Reconciliation") -> None:
    for warning in found.warnings:
        say(f"netplan: {warning}")
    write_csv(_COLUMNS, map(_cells, found.balances))


def _json(found: "Reconciliation") -> None:
    write_json(
        {
            "schema": SCHEMA,
            "warnings": found.warnings,
            "billing_exports": found.bill.files,
            "billed_from": found.bill.start.isoformat(),
            "billed_to": found.bill.end.isoformat(),
            "billed_hours": found.bill.hours,
            "projects": found.projects,
            "other_projects": found.bill.other_projects,
            "modelled_hours": found.model_hours,
            "modelled_window": found.modelled_window,
            "skus": [
                {
                    **dict(zip(_COLUMNS, _cells(one), strict=True)),
                    "path_classes": [
                        {"path_class": part.path_class.value, "gib": part.gib} for part in one.parts
                    ],
                }
                for one in found.balances
            ],
            "unmodelled": [
                {"path_class": one.path_class.value, "gib": one.gib, "reason": one.reason}
                for one in found.unmodelled
            ],
            "other_usd": found.other_usd,
            "other_skus": [
                {"sku_id": one.sku_id, "description": one.description, "billed_usd": one.cost_usd}
                for one in found.other
            ],
            "credits_usd": found.credits_usd,
            "not_usage_rows": found.bill.unusual_count,
            "not_usage_usd": found.bill.unusual_usd,
        }
    )


def _text(found: "Reconciliation") -> None:
    bill = found.bill
    if found.warnings:
        # All of them are the first thing to read.
        typer.echo(inert_line("; ".join(found.warnings)))
    typer.echo(
        inert_line(
            f"{', '.join(bill.files)}: {bill.start:%Y-%m-%d %H:%M} to {bill.end:%Y-%m-%d %H:%M},"
            f" {bill.hours:,.0f} h; flow records of {found.model_hours:,.1f} h"
            f"{f', {found.modelled_window},' if found.modelled_window else ''} scaled to it"
        )
    )
    typer.echo()
    head = f"{'SKU':<14}  {'modelled GiB':>14}  {'billed GiB':>14}  {'residual':>9}"
    typer.echo(f"{head}  {'modelled USD':>12}  {'billed USD':>12}  {'residual USD':>12}")
    for one in found.balances:
        ratio = one.residual_ratio
        typer.echo(
            inert_line(
                f"{one.sku_id:<14}  {_gib(one.modelled_gib)}  {_gib(one.billed_gib)}"
                f"  {'' if ratio is None else f'{ratio:+.1%}':>9}"
                f"  {_usd(one.modelled_usd)}  {_usd(one.billed_usd)}  {_usd(one.residual_usd)}"
            )
        )
        typer.echo(inert_line(f"    {one.description}"))
        if len(one.parts) > 1 or one.note:
            parts = ", ".join(f"{part.path_class.value} {part.gib:,.0f} GiB" for part in one.parts)
            typer.echo(inert_line(f"    {'; '.join(filter(None, (parts, one.note)))}"))
    modelled = sum((one.modelled_usd for one in found.balances), Decimal(0))
    billed = sum((one.billed_usd for one in found.balances), Decimal(0))
    typer.echo()
    typer.echo(
        f"{'traffic in all':<14}  {'':>14}  {'':>14}  {'':>9}"
        f"  {_usd(modelled)}  {_usd(billed)}  {_usd(billed - modelled)}"
    )
    for missing in found.unmodelled:
        reason = f"{missing.path_class.value} {missing.gib:,.0f} GiB: {missing.reason}"
        typer.echo(inert_line(f"not priced: {reason}"))
    typer.echo(
        f"not traffic: {found.other_count:,} SKUs of the bill, {_usd(found.other_usd).strip()} USD"
    )
    if bill.unusual_count:
        typer.echo(
            f"not usage of a SKU (taxes, adjustments): {bill.unusual_count:,} rows,"
            f" {_usd(bill.unusual_usd).strip()} USD"
        )
    if found.credits_usd:
        typer.echo(f"credits, not taken off: {_usd(found.credits_usd).strip()} USD")
    if not bill.names_projects:
        typer.echo("the export names no projects: all of it is compared")
    if bill.other_projects:
        names = ", ".join(name or "no project" for name in bill.other_projects)
        typer.echo(inert_line(f"not compared: usage of {names}"))


def _gib(value: Decimal | None) -> str:
    return f"{'unknown' if value is None else f'{value:,.1f}':>14}"


def _usd(value: Decimal) -> str:
    return f"{cents(value):>12,f}"
