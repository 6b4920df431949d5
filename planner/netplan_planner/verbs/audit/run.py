"""The audit: what was judged, with what is there, what it costs and what was not seen."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.asks import given_options, quoted
from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_line
from netplan_planner.judging.code_places import code_places, fallback_place, sources_of
from netplan_planner.judging.judged import Judged, check_rule_names, judged, rule_list, with_bill
from netplan_planner.judging.month import (
    bounded_bill,
    changes_of,
    commitment_lever,
    committed,
    month_bill,
    tables_of,
)
from netplan_planner.judging.suppressions import IGNORE_FILE, add_ignores, ignore_file
from netplan_planner.model import Confidence, Facts, Finding, Severity, TrafficMatrix
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.planning import run_file
from netplan_planner.planning.basis import resting
from netplan_planner.planning.configured import configured
from netplan_planner.planning.fleet.market import TERMS
from netplan_planner.planning.inputs import currency_in
from netplan_planner.planning.project import request_of
from netplan_planner.planning.stored_report import stored_report
from netplan_planner.planning.traffic_bill import zone_pairs
from netplan_planner.renderers.options import EVERYTHING, RenderOptions
from netplan_planner.renderers.output import TEXT, WITH_PLACES
from netplan_planner.throughput.calibration.factors.calibrated_caps import calibration_note
from netplan_planner.verbs import Now, panels, refuse_incomplete, verb
from netplan_planner.verbs.audit.answer import Coverage, Report, WindowInfo
from netplan_planner.verbs.audit.ask import AuditAsk
from netplan_planner.verbs.audit.demo_answers import demo_answers, plugin_changes
from netplan_planner.verbs.audit.tables import dear_pairs, near_savings, pod_pairs, region_rows
from netplan_planner.version import tool_version
from netplan_planner.world.demos import Demo, load_demo, projects_of, title_of
from netplan_planner.world.not_read import all_unread, autoscaled, unresolved, what_is_incomplete
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest
from netplan_rules.own import use_folders
from netplan_rules.registry import all_rules, select_rules

_OF_READING = frozenset(
    {"FILES", "--measurements", "--commitment-scope", "--calibration", "--as-of"}
    | {"--discount", "--billing-export"}
)
"""Options beside those of `Input` that a stored report has no use for."""
_PLACES = 50
"""Of a finding that is shown by itself."""
RECORDED_PAIRS = 5_000
"""Pairs that a record keeps, the dearest first: a day of them takes some 0.2 MB of the file."""
_DIGITS = 7
"""Of a number of a finding at most; a longer one is a fingerprint."""
_LEAST_LETTERS = 6
"""Of a fingerprint at least."""


def shown(ask: AuditAsk, found: Report, options: RenderOptions, now: Now) -> RenderOptions:
    """Return how the report is shown: with file and line of every source where SARIF shows them.

    Raises:
        UsageError: If the finding to show is none of the report's.
    """
    telling = ask.telling
    verbosity, members = max(options.verbosity, telling.verbose), telling.max_members
    places = {}
    if now.formats & WITH_PLACES:
        places = {
            "places": code_places(sources_of(found.findings), telling.terraform_dir),
            "fallback_place": fallback_place(_request(ask, now), now.config),
        }
    return replace(
        options,
        verbosity=verbosity,
        is_screen=not (verbosity or telling.asks_for_more),
        is_statistics=telling.statistics,
        finding=_finding(found, telling.show) if telling.show is not None else "",
        explain=telling.explain,
        max_findings=telling.max_findings,
        max_members=_PLACES if members is None and telling.show is not None else members,
        rules=rule_list().rules,
        **places,
    )


def _finding(found: Report, asked: str) -> str:
    """Return the fingerprint of the finding that a number or the start of a fingerprint names."""
    keys = [one.fingerprint for one in found.findings]
    if asked.isdecimal() and len(asked) <= _DIGITS and 1 <= int(asked) <= len(keys):
        return keys[int(asked) - 1]
    fits = [key for key in keys if len(asked) >= _LEAST_LETTERS and key.startswith(asked.lower())]
    if len(fits) == 1:
        return fits[0]
    there = f"findings are 1 to {len(keys):,}" if len(keys) > 1 else "the only finding is 1"
    raise UsageError(
        f"--show {quoted(asked)}: no such finding; {there if keys else 'the report has none'}, "
        "or a fingerprint (list them: --output json or csv)"
    )


def ended(ask: AuditAsk, found: Report) -> bool:
    """Return whether nothing is as grave, and saves as much, as the gate says.

    What is only filtered from sight is judged too: a filter is no way past a gate. What is unsure
    stops nothing.

    Raises:
        IncompleteError: If evidence is incomplete, and all was to be read.
    """
    if ask.gate.is_strict:
        refuse_incomplete("the answer is", found.coverage.incomplete)
    severities = (
        *(one.severity for one in found.findings if one.confidence is not Confidence.LOW),
        *(Severity(o.severity) for o in found.filtered if o.confidence is not Confidence.LOW),
    )
    return not ask.gate.stops(severities, found.saving_usd_per_month)


@verb(
    panel=panels.AUDIT,
    question="What costs too much or is too slow, and what does each fix bring?",
    has_look=True,
    shows=shown,
    ends=ended,
)
def audit(ask: AuditAsk, now: Now) -> Report:
    """Find traffic on the wrong path, egress caps that do not fit, and what fixing both brings.

    Exit status: 0 clean or below --fail-on, 1 findings, 2 wrong usage, 3 an input could not be
    read, 4 incomplete and --strict.
    """
    use_folders(ask.judging.rules_path)
    if ask.telling.show is not None and TEXT not in now.formats:
        raise UsageError("--show is for text; other formats hold every finding")
    check_rule_names(tuple(name for name in ask.telling.explain if name != EVERYTHING))
    record = ask.recording.record
    if record is not None:
        # What cannot be written is no reason to read first.
        run_file.check(record)
    if ask.report is not None:
        # Such an option may stand in a configuration file, so that it stops nothing.
        if unused := _unused_options(ask):
            now.warn(f"--report reads only the stored report; unused: {', '.join(unused)}")
        report = stored_report(ask.report, Report)
        kept = report
    else:
        request = _request(ask, now)
        demo, facts = _read(request, now.say)
        report = report_on(request, facts, demo, now.say)
        kept = replace(report, dear_pairs=dear_pairs(facts, RECORDED_PAIRS, has_free=True))
    if ask.judging.add_ignores:
        _add_ignores(ask.judging.ignore_file, report, now)
    if record is not None:
        run_file.add_run(record, run_file.record_of(kept))
        now.note(f"recorded in {inert_line(str(record))}: netplan history shows all its runs")
    rate = currency_in(ask.price_folder, ask.currency)
    if rate is not None:
        report = replace(report, assumptions=(*report.assumptions, rate.assumption))
    return report


def _request(ask: AuditAsk, now: Now) -> InputRequest:
    ask = ask.settled
    judging = ask.judging
    return request_of(
        ask,
        inventory=(*ask.given.inventories, *ask.files),
        measurements=ask.measurements,
        commitment_scope=ask.commitment_scope,
        select=judging.select,
        ignore=judging.ignore,
        min_severity=judging.severity,
        min_saving_usd=judging.min_saving_usd,
        ignore_file=ignore_file(judging.ignore_file),
        baseline=judging.baseline,
        **configured(now.config, ask.judging.rules_path),
    )


def _add_ignores(given: Path | None, report: Report, now: Now) -> None:
    path = given or Path(IGNORE_FILE)
    reason = f"accepted on {now.today.isoformat()} (--add-ignores)"
    count = add_ignores(path, report.findings, reason)
    entries = "entry" if count == 1 else "entries"
    now.note(f"{count:,} {entries} added to {inert_line(str(path))}")


def _unused_options(ask: AuditAsk) -> list[str]:
    """Return the given options that a stored report leaves nothing to do."""
    parts = (ask.given, ask.judging, ask.metrics, ask.reading, ask.api)
    of_parts = {name for part in parts for name in given_options(part)} | _OF_READING
    return [name for name in given_options(ask) if name in of_parts]


def run_audit(request: InputRequest, say: Callable[[str], None] = lambda _: None) -> Report:
    """Return the report of a request.

    Raises:
        NetplanError: If the request cannot be answered at all; what only lacks a part is reported.
    """
    demo, facts = _read(request, say)
    return report_on(request, facts, demo, say)


def _read(request: InputRequest, say: Callable[[str], None]) -> tuple[Demo | None, Facts]:
    demo = load_demo(request.demo) if request.demo is not None else None
    # Names of rules that do not exist are refused before anything is read.
    select_rules(request.select, request.ignore)
    return demo, with_bill(request, read_facts(request, demo, say))


def report_on(
    request: InputRequest,
    facts: Facts,
    demo: Demo | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return the report on facts that have been read; the request's inputs are not looked at."""
    found = judged(request, facts, say)
    flexible = facts.prices.flexible
    plans, jobs = demo_answers(facts, demo)
    tables = tables_of(facts)
    machines = tables.machines
    inventory = facts.inventory
    scope = request.commitment_scope
    uses = commitment_uses(inventory, facts.prices, facts.today, scope)
    projects = projects_of(request, inventory)
    made = tuple(changes_of(found.do_first))
    return resting(
        Report,
        facts.prices,
        facts.caps,
        request.today,
        request.prices,
        has_spot=any(one.is_spot for one in inventory.instances),
        tool=f"netplan {tool_version()}",
        title=title_of(demo, projects),
        projects=projects,
        window=_window(facts, facts.traffic) if facts.traffic is not None else None,
        findings=found.findings,
        do_first=found.do_first,
        fix_sets=found.fix_sets,
        suppressed=found.suppressed,
        filtered=found.filtered,
        not_evaluated=found.not_evaluated,
        notes=found.notes,
        coverage=_coverage(facts, found),
        bill=bounded_bill(facts, month_bill(tables, committed(facts, uses, scope))),
        traffic_by_class=tables.classes,
        zone_pairs=zone_pairs(facts),
        machines=machines,
        regions=region_rows(machines),
        recommendations=plans,
        jobs=jobs,
        assumptions=_assumptions(request.today, facts, demo, found.findings),
        expired_suppressions=found.expired,
        unused_suppressions=found.unused,
        commitments=uses,
        commitment_lever=commitment_lever(facts, made, scope),
        commitment_lever_any_term=commitment_lever(facts, made, scope, TERMS),
        flexible_commitments=flexible.use
        if (flexible := facts.prices.flexible) is not None
        else None,
        dear_pairs=dear_pairs(facts),
        network_services=tables.services,
        pod_pairs=pod_pairs(facts),
        near_savings=near_savings(facts),
        plugin_changes=plugin_changes(demo.plugins, facts.caps.as_of)
        if demo is not None and demo.plugins is not None
        else None,
    )


def _assumptions(
    today: date, facts: Facts, demo: Demo | None, findings: Sequence[Finding]
) -> tuple[str, ...]:
    said = list(demo.assumptions) if demo is not None else []
    if facts.caps.as_of != today:
        said.append(f"Limits of {facts.caps.as_of.isoformat()}; prices of the snapshot.")
    said += calibration_note(facts.caps)
    if facts.prices.info.terms:
        said.append(
            f"Contract prices where the contract has one: {facts.prices.info.terms}. Other SKUs "
            "are at list price, or have the discount that all known SKUs of their kind have."
        )
    said += [f"Not used for prices: {line}" for line in facts.prices.info.unread[1:]]
    resizing = {check.rule.id for check in all_rules() if check.area == "capacity"}
    if any(finding.rule in resizing and finding.line_items for finding in findings):
        said.append(
            "VMs that are not Spot run all month on demand. They have the sustained-use discount "
            f"of their series (for accounts that pay online); {_said_of_commitments(facts)}."
        )
    said += autoscaled(facts.inventory)
    return tuple(said)


def _said_of_commitments(facts: Facts) -> str:
    """Return how far commitments are in the savings."""
    resource_based = (
        "commitments in the input are paid to their end, used or not"
        if facts.inventory.commitments
        else "no resource-based commitment is in the input, so none is counted"
    )
    if facts.prices.flexible is not None:
        return f"{resource_based}. Flexible ones count as in the billing export"
    return f"{resource_based}. Flexible commitments are unknown (--billing-export shows them)"


def _window(facts: Facts, traffic: TrafficMatrix) -> WindowInfo:
    steady = traffic.is_steady
    low, high = traffic.month_ratios
    return WindowInfo(
        start=None if steady else traffic.start,
        end=None if steady else traffic.end,
        observed_minutes=None if steady else traffic.observed_minutes,
        reporter=traffic.reporter.value,
        sampling="from Cloud Monitoring" if traffic.is_of_metrics else _sampling(facts),
        is_asked=traffic.is_asked,
        month_low_ratio=low,
        month_high_ratio=high,
    )


def _sampling(facts: Facts) -> str:
    """Return the sampling rates of the subnetworks that machines use, as configured."""
    used = {nic.subnetwork for i in facts.inventory.instances for nic in i.interfaces}
    rates = sorted(
        {
            logs.sampling_ratio
            for s in facts.inventory.subnetworks
            if s.ref.self_link in used
            for logs in facts.inventory.logging_of(s)
            if logs.sampling_ratio is not None
        }
    )
    if not rates:
        return "not stated"
    return f"{rates[0]:g}" if len(rates) == 1 else f"{rates[0]:g} to {rates[-1]:g}"


def _cluster_counts(kubernetes: Kubernetes | None) -> dict[str, int]:
    """Return how many objects of each kind were read of clusters; none without any."""
    if kubernetes is None:
        return {}
    kinds = {
        "clusters": kubernetes.clusters,
        "node pools": kubernetes.node_pools,
        "nodes": kubernetes.nodes,
        "pods": kubernetes.pods,
        "Services": kubernetes.services,
        "endpoint slices": kubernetes.endpoint_slices,
        "namespaces": kubernetes.namespaces,
    }
    return {kind: len(objects) for kind, objects in kinds.items() if objects is not None}


def _coverage(facts: Facts, found: Judged) -> Coverage:
    inventory = facts.inventory
    counts = {
        "addresses": len(inventory.addresses),
        "commitments": len(inventory.commitments),
        "disks": len(inventory.disks),
        "flow-log configurations": len(inventory.flow_log_configurations),
        "forwarding rules": len(inventory.forwarding_rules),
        "hubs": len(inventory.hubs),
        "instance groups": len(inventory.instance_groups),
        "instances": len(inventory.instances),
        "networks": len(inventory.networks),
        "resource policies": len(inventory.resource_policies),
        "sole-tenant node groups": len(inventory.node_groups),
        "routers": len(inventory.routers),
        "routes": len(inventory.routes),
        "spokes": len(inventory.spokes),
        "subnetworks": len(inventory.subnetworks),
        "recommended machine types": len(inventory.type_recommendations),
        "VLAN attachments": len(inventory.vlan_attachments),
        "VPN tunnels": len(inventory.vpn_tunnels),
    }
    counts |= _cluster_counts(inventory.kubernetes)
    incomplete = what_is_incomplete(facts, found.not_evaluated)
    return Coverage(
        projects=inventory.projects,
        instance_count=len(inventory.instances),
        resource_counts=tuple(sorted(counts.items())),
        unread=all_unread(inventory),
        traffic=facts.traffic.coverage if facts.traffic is not None else None,
        is_complete=not incomplete,
        incomplete=incomplete,
        notes=(*found.suppressions.notes, *unresolved(inventory, facts.metrics)),
        measurements=facts.measurement_coverage,
        metrics=facts.metrics.coverage if facts.metrics is not None else None,
    )
