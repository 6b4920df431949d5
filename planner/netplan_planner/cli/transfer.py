"""`netplan transfer`: bytes from one place to others, by the ways and machines that do it best."""

from datetime import UTC, date, datetime
from typing import Annotated

import typer

from netplan_planner.asks import OUTPUT
from netplan_planner.cli import answers, options
from netplan_planner.cli.app import EXIT_FINDINGS, app
from netplan_planner.cli.bundles import Look, verbosity
from netplan_planner.cli.parameters import Parameters, taking
from netplan_planner.cli.transfer_parts import Bounds, Given, Machines, Moved, SpotPay, Ways
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.engine.transfer.plan import plan_asked
from netplan_planner.engine.transfer.request import TransferRequest, TransferWords
from netplan_planner.model.transfer import NetworkTier
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.quantities import names, usd
from netplan_planner.renderers import RenderOptions
from netplan_planner.verbs import panels


class Transfer(Parameters, frozen=True, kw_only=True):
    """A transfer, and what its plan rests on."""

    moved: Moved = Moved()
    bounds: Bounds = Bounds()
    ways: Ways = Ways()
    given: Given = Given()
    pay: SpotPay = SpotPay()
    machines: Machines = Machines()
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: AsOf = None
    top: Annotated[int, typer.Option(min=0, help="Rows of each table; 0: all.")] = 8
    verbose: Annotated[
        int,
        typer.Option(
            "--explain",
            "--verbose",
            "-v",
            count=True,
            help="Print every row and step, the bill, and why types cannot be judged.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    answer: answers.PlanOutput = answers.PlanOutput()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def transfer(asked: Transfer) -> None:
    """Plan a transfer of bytes to regions, the internet, buckets or other networks.

    The cheapest within a deadline or the fastest within a budget: ways, relays where they pay,
    machine types and counts, connections, quotas, and the front of cost against time. Exit status:
    0, or 1 when nothing does it.
    """
    specs = asked.answer.specs()
    pricing = asked.pricing
    request = TransferRequest(
        words=_words(asked),
        grid=asked.given.grid,
        edge_prices=asked.given.edge_prices,
        now=datetime.now(UTC),
        today=date.today(),
        as_of=asked.as_of,
        prices=pricing.prices,
        discounts=pricing.discounts,
        billing_exports=pricing.billing_exports,
        calibration=asked.calibration,
    )
    found = plan_asked(request)
    answers.write(
        found,
        specs,
        RenderOptions(
            width=asked.look.width,
            colour=asked.look.color,
            verbosity=verbosity(asked.verbose),
            max_rows=asked.top,
            currency=currency_in(pricing.prices, asked.currency),
        ),
    )
    if found.plan.plan is None:
        raise typer.Exit(EXIT_FINDINGS)


def _words(asked: Transfer) -> TransferWords:
    moved, bounds, ways, given = asked.moved, asked.bounds, asked.ways, asked.given
    machines, pay = asked.machines, asked.pay
    return TransferWords(
        source=moved.source,
        targets=names(moved.target),
        volume=moved.volume,
        goal=bounds.goal,
        deadline=bounds.deadline,
        budget_usd=usd("--budget", bounds.budget),
        area=moved.area,
        network_tier=NetworkTier(ways.network_tier.value.upper()),
        address=ways.address,
        streams=ways.streams,
        relays=names(ways.relay),
        has_relays=not ways.no_relays,
        max_count=machines.max_count,
        quotas=tuple(bounds.quota or ()),
        internet_quotas=tuple(bounds.internet_quota or ()),
        machine_gbps=ways.machine_gbps,
        storage_gbps=ways.storage_gbps,
        machine_egress_gbps=given.machine_egress_gbps,
        machine_ingress_gbps=given.machine_ingress_gbps,
        machine_usd_per_hour=usd("--machine-usd-per-hour", given.machine_usd_per_hour),
        start_up=bounds.start_up,
        memory_gib=machines.memory_gib,
        machine_types=names(machines.machine_type),
        series=names(machines.series),
        architecture=machines.arch.as_the_api_names_it,
        is_spot=pay.spot,
        interruptions_per_day=pay.spot_interruptions_per_day,
        lost_work=pay.spot_lost_work,
    )
