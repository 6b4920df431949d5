"""The findings as SARIF 2.1.0, for code scanning: failures only.

A finding is one result at its first place, with its other places as related locations. What was
suppressed is not emitted: to SARIF a suppressed result is still a result, and here only failures
are asked for; run properties count them. Rules that could not be evaluated are notifications of
the tool, never results. Code scanning refuses a whole file for one result without file and line:
a resource that was read from the API is shown at the configuration or the inventory file, and the
location says so. Nothing depends on time or machine, and fingerprints are the findings' own.
"""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote, urlsplit

from netplan_planner import model
from netplan_planner.inert import inert, inert_line, is_inert, scalars
from netplan_planner.renderers import figures
from netplan_planner.renderers.commands import HIDDEN
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import in_currency
from netplan_planner.renderers.document import plain as plain_line
from netplan_planner.renderers.json_report import Plain, document, plain
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.places import MESSAGE_LENGTH, ROOT, FilePlace, file_place
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.screen.sums import bounds_of

SCHEMA_URI = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "netplanFinding/v1"
_LEVELS = {
    model.Severity.HIGH: "error",
    model.Severity.MEDIUM: "warning",
    model.Severity.LOW: "note",
    model.Severity.INFO: "note",
}
_NOTICES = {"crashed": "error", "gap": "warning"}
_NO_FILE = "the configuration or inventory: no file holds the resource itself"
_NO_BLOCK = "the plan or state: no available configuration has the resource's block"
_CONFIGURATIONS = (".tf", ".tf.json")
_VERSION = re.compile(r"\d+(\.\d+)*\S*")
_LINK = re.compile(r"\](?=\()")


def render(report: Report, options: RenderOptions) -> str:
    """Return a SARIF log of one run; no option leaves a finding out."""
    infos = {info.id: info for info in options.rules}
    rules = list(dict.fromkeys(finding.rule for finding in report.findings))
    titles = {finding.rule: finding.title for finding in reversed(report.findings)}
    index = {rule: number for number, rule in enumerate(rules)}
    planned = {fix.finding: fix.changes for fix in report.do_first}
    run: dict[str, Plain] = {
        "tool": {
            "driver": {
                **_driver(report.tool),
                "rules": [_rule(rule, titles[rule], infos.get(rule)) for rule in rules],
            }
        },
        "automationDetails": {"id": f"netplan/{quote(scalars(report.title), safe='')}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {ROOT: {"uri": "file:///"}},
        "results": [
            _result(finding, index[finding.rule], planned.get(finding.fingerprint, ()), options)
            for finding in report.findings
        ],
        "properties": _run_properties(report),
    }
    return document({"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [_shown(run)]})


def _shown(value: Plain) -> Plain:
    """Return a value whose texts do nothing to whoever shows them."""
    if isinstance(value, str):
        return inert_line(value)
    if isinstance(value, list):
        return [_shown(one) for one in value]
    return {key: _shown(one) for key, one in value.items()} if isinstance(value, dict) else value


def message_text(text: str) -> str:
    """Return text for a SARIF message: braces doubled, no link, one line, never empty.

    >>> message_text("{0} [click](http://x)")
    '{{0}} [click] (http://x)'
    """
    shown = inert(text, MESSAGE_LENGTH).replace("{", "{{").replace("}", "}}")
    return _LINK.sub("] ", shown) or "(no text)"


def _message(text: str) -> dict[str, Plain]:
    return {"text": message_text(text)}


def _driver(tool: str) -> dict[str, Plain]:
    name, _, version = tool.partition(" ")
    driver: dict[str, Plain] = {"name": inert(name) or "netplan"}
    if _VERSION.fullmatch(version):
        driver["version"] = version
    return driver


def _rule(rule: str, title: str, info: model.RulePage | None) -> dict[str, Plain]:
    descriptor: dict[str, Plain] = {"id": rule, "shortDescription": _message(title)}
    if info is None:
        return descriptor
    descriptor["fullDescription"] = _message(info.rationale)
    descriptor["help"] = _message(info.remediation)
    first = next(iter(info.references), "")
    if urlsplit(first).scheme in {"http", "https"}:
        descriptor["helpUri"] = first
    descriptor["defaultConfiguration"] = {"level": _LEVELS[model.Severity(info.severity)]}
    descriptor["properties"] = {"tags": [info.area]}
    return descriptor


def _invocation(report: Report) -> dict[str, Plain]:
    notices: list[Plain] = [_notice(entry) for entry in report.not_evaluated]
    notices += [
        {
            "level": "note",
            "message": _message(figures.shown(note.text, None)),
            "properties": {"rule": note.rule, "kind": "note"},
        }
        for note in report.notes
    ]
    for project in report.coverage.projects:
        notices += [
            {"level": "warning", "message": _message(f"{project.project}: {error}")}
            for error in project.errors
        ]
    crashed = any(entry.kind == "crashed" for entry in report.not_evaluated)
    return {"executionSuccessful": not crashed, "toolExecutionNotifications": notices}


def _notice(entry: model.NotEvaluated) -> dict[str, Plain]:
    some = f" ({figures.counted(entry.resource_count, 'resource')})" if entry.resource_count else ""
    return {
        "level": _NOTICES.get(entry.kind, "note"),
        "message": _message(f"{entry.rule} was skipped{some}: {entry.reason}"),
        "properties": {"rule": entry.rule, "kind": entry.kind},
    }


def _run_properties(report: Report) -> dict[str, Plain]:
    return {
        "paidUsdPerMonth": plain(report.bill.least_usd_per_month),
        "paidLowUsdPerMonth": plain(report.bill.low_usd_per_month),
        "paidHighUsdPerMonth": plain(report.bill.high_usd_per_month),
        "limitsAsOf": plain(report.limits_as_of),
        "pricesAsOf": plain(report.prices_as_of),
        "networkPricesAsOf": plain(report.network_prices_as_of),
        **({"priceAge": report.price_age} if report.price_age else {}),
        "isComplete": report.coverage.is_complete,
        "suppressedCount": len(report.suppressed),
        "filteredCount": len(report.filtered),
    }


def _result(
    finding: model.Finding,
    rule_index: int,
    planned: Sequence[model.PlannedChange],
    options: RenderOptions,
) -> dict[str, Plain]:
    related = list(_related(finding, options))
    result: dict[str, Plain] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": _message(sentence(finding, options.currency)),
        "locations": [_location(finding.resources, options)],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {**_properties(finding), "plannedChanges": list(map(_planned, planned))},
    }
    if related:
        result["relatedLocations"] = related
    return result


def sentence(finding: model.Finding, currency: model.CurrencyRate | None) -> str:
    """Return what a reader of a code-scanning list needs: place, fault, gain, fix."""
    subject = plain_line(phrases.finding_subject(finding))
    message = figures.shown(finding.message, currency)
    parts = [f"{subject}: {message}".rstrip(".")]
    now, then = finding.throughput_now, finding.throughput_fixed
    if now is not None and then is not None and now.gbps is not None and then.gbps is not None:
        parts.append(f"Throughput {figures.rates(now.gbps, then.gbps)} with the fix")
    usd = finding.saving_usd_per_month
    if usd is not None:
        sentence = f"{figures.saving(usd, currency)}{_bounds(finding, currency)}"
        parts.append(f"The fix {sentence}" if usd else "The fix does not change the bill")
    elif finding.saving_unknown:
        parts.append(f"The saving is unknown: {finding.saving_unknown}".rstrip("."))
    if finding.is_held:
        parts.append(f"Not yet: {finding.overlap}".rstrip("."))
    if finding.fix is not None:
        label = "Later" if finding.is_held else "Fix"
        parts.append(f"{label}: {finding.fix.text}".rstrip("."))
    return ". ".join(parts) + "."


def _bounds(finding: model.Finding, currency: model.CurrencyRate | None) -> str:
    """Return between what that is; where fixes before it take a part, of what is left."""
    found = bounds_of(finding)
    is_whole = finding.saving_usd_per_month == finding.marginal_usd_per_month
    after = "" if not found or is_whole else " after the fixes before it"
    return f"{plain_line(in_currency(found, currency))}{after}"


def _location(resources: Sequence[model.ResourceRef], options: RenderOptions) -> dict[str, Plain]:
    """Return one location: the file and line of the first resource that has one, all names."""
    found = (options.places.get(ref.source) or file_place(ref.source) for ref in resources)
    place = next((place for place in found if place is not None), None)
    location: dict[str, Plain] = {"physicalLocation": _physical(place or options.fallback_place)}
    if resources:
        location["logicalLocations"] = [_logical(ref) for ref in dict.fromkeys(resources)]
    if place is None:
        location["properties"] = {"fileIs": _NO_FILE}
    elif place.pointer:
        location["properties"] = {"jsonPointer": place.pointer}
    elif place.address:
        where = {} if place.path.endswith(_CONFIGURATIONS) else {"fileIs": _NO_BLOCK}
        location["properties"] = {"terraformAddress": place.address, **where}
    return location


def _physical(place: FilePlace) -> dict[str, Plain]:
    """Return a file and its line; the first line where none is known."""
    artifact: dict[str, Plain] = {"uri": place.uri}
    if place.is_absolute:
        artifact["uriBaseId"] = ROOT
    return {"artifactLocation": artifact, "region": {"startLine": place.line or 1}}


def _logical(ref: model.ResourceRef) -> dict[str, Plain]:
    return {
        "name": ref.name,
        "fullyQualifiedName": ref.self_link,
        "kind": "resource",
    }


def _related(finding: model.Finding, options: RenderOptions) -> Iterable[Plain]:
    """Yield the other ends and the other places, numbered from 1."""
    number = 0
    for ref in finding.resources[1:]:
        number += 1
        yield {"id": number, "message": _message(ref.name), **_location((ref,), options)}
    for member in finding.members[1:]:
        number += 1
        where = _location(member.resources, options)
        yield {"id": number, "message": _message(member.subject), **where}


def _properties(finding: model.Finding) -> dict[str, Plain]:
    limit = finding.limit
    return {
        "severity": finding.severity.value,
        "severityReason": figures.shown(finding.severity_reason),
        "fixRank": finding.rank,
        "marginalUsdPerMonth": plain(finding.marginal_usd_per_month),
        "marginalLowUsdPerMonth": plain(finding.marginal_low_usd_per_month),
        "marginalHighUsdPerMonth": plain(finding.marginal_high_usd_per_month),
        "confidence": finding.confidence.value,
        "confidenceReason": finding.confidence_reason,
        "placeCount": max(len(finding.members), 1),
        "savingUsdPerMonth": plain(finding.saving_usd_per_month),
        "lineItems": plain(finding.line_items),
        "savingUnknown": finding.saving_unknown,
        "throughputNow": _throughput(finding.throughput_now),
        "throughputFixed": _throughput(finding.throughput_fixed),
        "limit": None
        if limit is None
        else {
            "name": limit.name,
            "gbps": plain(limit.gbps, "gbps"),
            "source": limit.source,
            "asOf": plain(limit.as_of),
        },
        "commands": _commands(finding.fix),
    }


def _planned(one: model.PlannedChange) -> Plain:
    """Return a change of the order as it is when its turn comes."""
    change = one.change
    return {
        "subject": one.subject,
        "place": one.place,
        "kind": None if change is None else change.kind.value,
        "targets": [] if change is None else list(change.targets),
        "to": None if change is None else change.to,
        "savingUsdPerMonth": plain(one.saving_usd_per_month),
        "commands": _commands(one.fix),
        "oneStopWith": list(one.one_stop_with),
        "madeWith": one.made_with,
    }


def _commands(fix: model.Fix | None) -> Plain:
    """Return the commands that can be shown letter by letter: half of one is dangerous."""
    commands = fix.commands if fix is not None else ()
    return [text if is_inert(text) else f"# {HIDDEN}." for text in commands]


def _throughput(estimate: model.Estimate | None) -> Plain:
    if estimate is None:
        return None
    return {
        "gbps": plain(estimate.gbps, "gbps"),
        "lowGbps": plain(estimate.low_gbps, "low_gbps"),
        "highGbps": plain(estimate.high_gbps, "high_gbps"),
    }
