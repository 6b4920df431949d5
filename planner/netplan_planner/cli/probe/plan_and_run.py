"""`netplan probe plan` and `netplan probe run`: the same options, so that one becomes the other."""

from datetime import date

import typer

from netplan_planner.cli import answers, options
from netplan_planner.cli.app import progress
from netplan_planner.cli.probe import options as own
from netplan_planner.cli.probe import running, words
from netplan_planner.engine.probe import ProbeCaps, ProbeQuestion, StopRule, plan_probe
from netplan_planner.engine.probe_runs import Access
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import IncompleteError, UsageError


def plan_or_run(
    ctx: typer.Context,
    pair: own.Pairs = None,
    external: own.External = False,
    streams: own.Streams = None,
    max_paths: own.MaxPaths = 50,
    max_usd: own.MaxUsd = None,
    max_gib: own.MaxGib = None,
    max_seconds: own.MaxSeconds = None,
    bitrate: own.Bitrate = None,
    tolerance: own.Tolerance = 0.1,
    min_runs: own.RunCount = 3,
    max_runs: own.RunCount = 10,
    seed: own.Seed = 0,
    time_scale: own.TimeScale = 1.0,
    transport: own.WhichTransport = own.Transport.GCLOUD,
    end: own.Ends = None,
    local_src: own.LocalSrc = None,
    local_dst: own.LocalDst = None,
    iap: own.Iap = True,
    ssh_option: own.SshOptions = None,
    iperf3: own.Iperf3 = "iperf3",
    ports: own.Ports = "5201-5232",
    project: options.Projects = None,
    inventory: options.Inventory = None,
    traffic: options.Traffic = None,
    calibration: options.Calibration = None,
    demo: options.Demo = None,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    as_of: options.AsOf = None,
    store: own.Store = own.STORE,
    output: answers.Outputs = None,
    former_format: answers.FormerFormat = None,
    strict: own.StrictParts = False,
    yes: own.Yes = False,
) -> None:
    """Plan probes, and carry them out where that was asked for."""
    specs = answers.specs_of(output, former_format)
    if yes:
        _require_order(ctx, demo)
    thresholds, targets = options.configured()
    request = AuditRequest(
        today=date.today(),
        as_of=options.day(as_of),
        projects=tuple(dict.fromkeys(project or ())),
        inventory=tuple(inventory or ()),
        traffic=tuple(traffic or ()),
        calibration=calibration,
        demo=demo,
        prices=prices,
        discounts=tuple(discount or ()),
        billing_exports=tuple(billing_export or ()),
        thresholds=thresholds,
        targets=targets,
    )
    usd = options.usd("--max-usd", max_usd)
    question = ProbeQuestion(
        pairs=words.pairs(pair or ()),
        is_external=external,
        streams=tuple(dict.fromkeys(streams or ())),
        max_paths=max_paths,
        caps=ProbeCaps(max_gib=max_gib, max_seconds=max_seconds, max_usd=usd),
        bitrate_gbps=bitrate,
        stop=StopRule(min_runs=min_runs, max_runs=max_runs, tolerance_ratio=tolerance),
        seed=seed,
        time_scale=time_scale,
        store=store,
    )
    access = Access(
        kind=transport.value,
        ends=words.ends(end or ()),
        client=local_src,
        server=local_dst,
        is_through_iap=iap,
        ssh_options=tuple(ssh_option or ()),
        iperf3=iperf3,
        ports=words.ports(ports),
    )
    plan = plan_probe(question, request, progress)
    running.warn(plan)
    if yes:
        running.carry_out(plan, running.Order(question, access, store), specs, is_strict=strict)
        return
    answers.write(plan, specs)
    if strict and not plan.probes:
        raise IncompleteError(running.NOTHING)


def _require_order(ctx: typer.Context, demo: str | None) -> None:
    """Raise unless the user himself, just now, ordered runs on machines that exist."""
    if getattr(ctx.get_parameter_source("yes"), "name", "") != "COMMANDLINE":
        raise UsageError("--yes counts on the command line only, not from a file or a variable")
    if ctx.info_name == "plan":
        raise UsageError(
            "netplan probe plan runs nothing: it is netplan probe run that takes --yes"
        )
    if demo is not None:
        raise UsageError("the machines of a demo do not exist: nothing can be run there")
