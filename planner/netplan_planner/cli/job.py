"""`netplan job`: the cheapest machines for a job that ends, by type and count."""

from datetime import UTC, date, datetime
from typing import Annotated

import typer

from netplan_planner.cli import answers, options, panels
from netplan_planner.cli.app import EXIT_FINDINGS, app
from netplan_planner.cli.bundles import Look, PriceInput, verbosity
from netplan_planner.cli.job_parts import Choice, Ends, Pay, Work
from netplan_planner.cli.options import OUTPUT
from netplan_planner.cli.parameters import Parameters, given_in, spelling, taking
from netplan_planner.engine.job import EndWords, JobRequest, JobWords, plan_asked
from netplan_planner.engine.prices.source import currency_in
from netplan_planner.errors import UsageError
from netplan_planner.model import Usage
from netplan_planner.renderers import RenderOptions


class Job(Parameters, frozen=True, kw_only=True):
    """A job, and what its plan rests on."""

    work: Work = Work()
    ends: Ends = Ends()
    pay: Pay = Pay()
    choice: Choice = Choice()
    demo: options.Demo = None
    calibration: options.Calibration = None
    pricing: PriceInput = PriceInput()
    currency: options.CurrencyCode = None
    as_of: options.AsOf = None
    top: Annotated[int, typer.Option(min=0, help="Rows of each table; 0: all.")] = 5
    verbose: Annotated[
        int,
        typer.Option(
            "--explain",
            "--verbose",
            "-v",
            count=True,
            help="Print every row, the bills, and why other types cannot be judged.",
            rich_help_panel=OUTPUT,
        ),
    ] = 0
    answer: answers.PlanOutput = answers.PlanOutput()
    look: Look = Look()


@app.command(rich_help_panel=panels.PLAN)
@taking
def job(asked: Job, ctx: typer.Context) -> None:
    """Find the machine type and count that do a finite job at least cost, and by a deadline.

    Bytes in, out and between machines, CPU time and start-up; paid by the second, at least a
    minute. With the front of cost against time, other ways to pay, and the VM hours of an
    autoscaler. Exit status: 0, or 1 when no machines do it.
    """
    if asked.demo is not None:
        for part in (asked.work, asked.ends, asked.pay, asked.choice):
            for name in given_in(part):
                raise UsageError(f"--demo has its own job: leave out {spelling(ctx, name)}")
    specs = asked.answer.specs()
    pricing = asked.pricing
    request = JobRequest(
        words=_words(asked),
        demo=asked.demo,
        now=datetime.now(UTC),
        today=date.today(),
        as_of=options.day(asked.as_of),
        prices=pricing.prices,
        discounts=tuple(pricing.discount or ()),
        billing_exports=tuple(pricing.billing_export or ()),
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
    if any(plan.infeasible is not None for plan in found.plans):
        raise typer.Exit(EXIT_FINDINGS)


def _words(asked: Job) -> JobWords:
    work, ends, pay, choice = asked.work, asked.ends, asked.pay, asked.choice
    flags = {Usage.SPOT: pay.spot, Usage.CUD_1Y: pay.cud_1y, Usage.CUD_3Y: pay.cud_3y}
    return JobWords(
        region=work.region,
        bytes_in=work.bytes_in,
        bytes_out=work.bytes_out,
        bytes_between=work.bytes_between,
        cpu_seconds=work.cpu_seconds,
        parallel=work.parallel,
        start_up=work.start_up,
        deadline=work.deadline,
        overlap=options.names(work.overlap),
        source=EndWords(
            option="--from",
            place=ends.source,
            gbps=ends.in_gbps,
            total_gbps=ends.in_total_gbps,
        ),
        target=EndWords(
            option="--to",
            place=ends.target,
            area=ends.area,
            gbps=ends.out_gbps,
            total_gbps=ends.out_total_gbps,
        ),
        disk_mib_per_s=ends.disk_mib_per_s,
        streams=ends.streams,
        rtt_ms=ends.rtt_ms,
        runs_per_day=work.runs_per_day,
        max_count=choice.max_count,
        memory_gib=choice.memory_gib,
        machine_types=options.names(choice.machine_type),
        series=options.names(choice.series),
        architecture=choice.arch.as_the_api_names_it,
        usages=tuple(usage for usage, is_on in flags.items() if is_on),
        interruptions_per_day=pay.spot_interruptions_per_day,
        lost_work=pay.spot_lost_work,
        baseline=choice.baseline,
        baseline_count=choice.baseline_count,
    )
