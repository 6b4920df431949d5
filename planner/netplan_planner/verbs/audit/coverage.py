"""What the report rests on, what was left out, what was not judged, and the sums."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Line, Role, Span, line, say
from netplan_planner.renderers.options import EVERYTHING, RenderOptions
from netplan_planner.verbs.audit import traffic_coverage
from netplan_planner.verbs.audit import traffic_coverage as metrics_coverage
from netplan_planner.verbs.audit.answer import Coverage, Report
from netplan_planner.verbs.audit.findings import severities
from netplan_planner.verbs.audit.screen.sums import together

_LONG_WORD = 40
"""Letters from which a word with a slash is taken for a path."""


_NUMBER = re.compile(r"[0-9]+")


_NAMED_RULES = 3
"""Rules that lack the same thing and are named for it; JSON and `-v` name all."""


_NAMED_REASONS = 8
"""Kinds of evidence that are missing and told apart, those of the most rules first."""


_KINDS = {
    "crashed": "crashed",
    "missing-evidence": "",
    "gap": "checked for some resources only",
    "deselected": "not selected",
}


def suppressed(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the count of suppressed findings, the first of them, and every expired suppression."""
    if report.suppressed:
        yield doc.section("Suppressed: ", _suppressed_sum(report.suppressed))
        shown = report.suppressed[: options.row_limit]
        for entry in shown:
            yield doc.item(_suppressed(entry))
        if len(report.suppressed) > len(shown):
            yield doc.item(f"and {len(report.suppressed) - len(shown):,} more")
    if report.filtered:
        count = figures.counted(len(report.filtered), "finding")
        reasons = sorted({entry.why for entry in report.filtered})
        yield doc.section(f"Filtered out: {count}")
        names = [line(phrases.name(r)) for r in sorted({entry.rule for entry in report.filtered})]
        shown_names = doc.listed(names[: options.row_limit], len(names))
        yield doc.item(shown_names, f" ({', '.join(reasons)})")
    if report.expired_suppressions:
        count = figures.counted(len(report.expired_suppressions), "suppression")
        yield doc.section("Expired suppressions: ", say(count, Role.BAD))
    for old in report.expired_suppressions:
        yield doc.item(
            phrases.name(old.rule),
            f" on {old.resource}, until {old.expires.isoformat()}: {old.reason} ({old.source})",
        )
    if report.unused_suppressions:
        yield doc.section("Suppressions that match nothing")
    for unused in report.unused_suppressions[: options.row_limit]:
        found = f" on {unused.resource}: {unused.reason} ({unused.source})"
        yield doc.item(phrases.name(unused.rule), found)
    if (more := len(report.unused_suppressions[options.row_limit :])) and options.row_limit:
        yield doc.item(f"and {more:,} more")


def coverage(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield what was read and what was not."""
    read = report.coverage
    yield doc.section("Inputs and coverage")
    if not read.is_complete:
        yield from _incomplete(read, options)
    for text in report.assumptions:
        yield doc.field("assumed", text)
    yield from _notes(report)
    yield doc.field("read", _resources(read))
    if read.traffic is not None:
        yield from traffic_coverage.traffic(read.traffic, options)
        yield from traffic_coverage.month(report.window)
    else:
        yield doc.field("traffic", "none")
    if read.metrics is not None:
        yield from metrics_coverage.metrics(read.metrics)
    if read.measurements is not None:
        yield from _measurements(read.measurements, options)
    for project in read.projects:
        for error in project.errors:
            refused = line(say(project.project, Role.NAME, length=60), f": {error}")
            yield doc.field("refused", refused)
    of_metrics = read.metrics.unread if read.metrics is not None else ()
    yield from _unread((*read.unread, *of_metrics), options)
    for note in read.notes:
        yield doc.field("note", note)


def _incomplete(read: Coverage, options: RenderOptions) -> Iterator[Block]:
    """Yield what of the given evidence is not in the answer; what is unread has its own list."""
    gap = "This report is incomplete: some evidence could not be read or used."
    yield doc.para(say(gap, Role.BAD))
    of_metrics = read.metrics.unread if read.metrics is not None else ()
    lost = [entry.reason for entry in (*read.unread, *of_metrics) if not entry.is_needless]
    listed_below = tuple(f": {reason}" for reason in lost)
    reasons = [text for text in read.incomplete if not text.endswith(listed_below)]
    if lost:
        count = figures.counted(len(lost), "thing")
        yield doc.item(f"{count} of the {_where(read)} not understood; see unread below")
    shown = reasons[: options.row_limit]
    counts = [reason for reason in shown if ": " not in reason]
    if counts:
        yield doc.item("; ".join(counts))
    for reason in shown:
        source, colon, cause = reason.rpartition(": ")
        if colon:
            yield doc.item(phrases.place(source), colon, *_reason(cause))
    if len(reasons) > len(shown):
        yield doc.item(f"and {len(reasons) - len(shown):,} more in --output json")


def _where(read: Coverage) -> str:
    """Return whose things were not understood."""
    of_metrics = read.metrics is not None and any(not e.is_needless for e in read.metrics.unread)
    of_inventory = any(not entry.is_needless for entry in read.unread)
    named = (("inventory", of_inventory), ("metrics", of_metrics))
    return " and the ".join(name for name, is_meant in named if is_meant)


def _notes(report: Report) -> Iterator[Block]:
    """Yield what rules say of netplan's own tables; how old prices are is the last line."""
    for note in report.notes:
        if not (report.price_age and note.subject == "price snapshot"):
            yield doc.field("note", note.text, f" ({note.rule}). {note.fix}")


def not_evaluated(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield the rules that could not be judged, by reason; never a word that sounds like passed."""
    entries = report.not_evaluated
    if not entries:
        return
    left_out = {entry.rule for entry in entries if entry.kind == "deselected"}
    rules = figures.counted(len({entry.rule for entry in entries} - left_out), "rule")
    beside = f", {len(left_out):,} not selected" if left_out else ""
    yield doc.section(f"Skipped or partly checked: {rules}{beside}")
    known = [kind for kind in _KINDS if any(entry.kind == kind for entry in entries)]
    others = sorted({entry.kind for entry in entries} - set(_KINDS))
    for kind in (*known, *others):
        yield from _of_kind(kind, [entry for entry in entries if entry.kind == kind], options)


def totals(report: Report) -> Iterator[Block]:
    """Yield the last lines: the sums again, for who sees only the end of a long report."""
    yield doc.section("Total")
    yield from (doc.item(text) for text in sums(report) if text)


def sums(report: Report) -> tuple[Line, Line, Line]:
    """Return how much was found, what the fixes bring together, and what the counts leave out.

    The last two are empty where there is nothing to say.
    """
    return _count(report), together(report.do_first), doc.joined(_unseen(report), " · ")


def _unseen(report: Report) -> list[Line]:
    """Return what the counts of findings leave out."""
    counts = (
        (sum(1 for f in report.findings if f.saving_unknown), "saving unknown", "savings unknown"),
        (len(report.suppressed), "suppressed", "suppressed"),
        (len(report.filtered), "filtered out", "filtered out"),
    )
    return [line(figures.counted(count, one, many)) for count, one, many in counts if count]


def _count(report: Report) -> Line:
    if not report.findings:
        return line("no findings")
    return line(
        f"{figures.counted(len(report.findings), 'finding')}: ", severities(report.findings)
    )


def _suppressed_sum(entries: Sequence[model.Suppressed]) -> Line:
    savings = [e.saving_usd_per_month for e in entries if e.saving_usd_per_month]
    count = line(figures.counted(len(entries), "finding"))
    total = sum(savings, Decimal(0))
    return line(count, ", saving ", model.Amount(usd=total), "/month") if total > 0 else count


def _suppressed(entry: model.Suppressed) -> Line:
    until = f", until {entry.expires.isoformat()}" if entry.expires else ""
    return line(
        phrases.name(entry.rule),
        "  ",
        phrases.subject(entry.subject),
        f": {entry.reason} ({entry.source}{until})",
    )


def _resources(read: Coverage) -> Line:
    counts = [(kind, count) for kind, count in read.resource_counts if kind != "instances"]
    words = [line(_kind(kind.replace("_", " "), count)) for kind, count in counts if count]
    instances = line(figures.counted(read.instance_count, "instance"))
    projects = figures.counted(len(read.projects), "project")
    return line(doc.joined([instances, *words]), f" of {projects}" if read.projects else "")


def _kind(plural: str, count: int) -> str:
    """Return a count with its kind of resource, which is stated in the plural."""
    if plural.endswith("ies"):
        one = plural.removesuffix("ies") + "y"
    else:
        one = plural.removesuffix("es") if plural.endswith("sses") else plural.removesuffix("s")
    return figures.counted(count, one, plural)


def _measurements(read: model.MeasurementCoverage, options: RenderOptions) -> Iterator[Block]:
    count = figures.counted(read.measurement_count, "measurement")
    parts = [line(f"{count} in {figures.counted(read.files, 'file')}")]
    if read.repeated_count:
        parts.append(line(figures.counted(read.repeated_count, "repeat")))
    if read.faults:
        parts.append(line(figures.counted(len(read.faults), "line"), " unusable"))
    more = tuple(line(fault) for fault in read.faults[: options.row_limit])
    yield doc.field("measured", doc.joined(parts), more=more)


def _unread(entries: Sequence[model.Unread], options: RenderOptions) -> Iterator[Block]:
    """Yield what was not understood, grouped by kind and cause, the most frequent first."""
    if not entries:
        return
    lost = [entry for entry in entries if not entry.is_needless]
    groups: dict[tuple[str, ...], list[model.Unread]] = {}
    for entry in lost or entries:
        groups.setdefault(_cause(entry), []).append(entry)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].reason))
    more = [_of_cause(group) for group in ordered[: options.row_limit]]
    if len(ordered) > len(more):
        more.append(line(f"and {len(ordered) - len(more):,} more causes in --output json"))
    needless = figures.counted(len(entries) - len(lost), "thing")
    said = [f"{figures.counted(len(lost), 'thing')} not understood"] if lost else []
    said += [f"{needless} ignored"] if len(entries) > len(lost) else []
    yield doc.field("unread", ", ".join(said), more=tuple(more))


def _cause(entry: model.Unread) -> tuple[str, ...]:
    """Return what makes entries alike: kind of resource, field less its numbers, and reason.

    The reason is taken whole: its numbers are counts, which one entry must not tell for another.
    """
    parts = (entry.resource or "").split("/")
    kind = parts[-2] if len(parts) > 1 else ""
    return kind, _NUMBER.sub("#", entry.field or ""), entry.reason


def _of_cause(group: Sequence[model.Unread]) -> Line:
    """Return the cause, how often it is there, and the first place, whole, to be copied."""
    first = group[0]
    where = (phrases.place(first.source),)
    which = tuple(
        say(f" {part}", length=phrases.SUBJECT_LENGTH)
        for part in (first.resource, first.field)
        # The source of what Terraform holds ends with its address, by which it is named.
        if part and not first.source.endswith(f": {part}")
    )
    more = f" and {len(group) - 1:,} more" if len(group) > 1 else ""
    return line(*where, *which, f"{more}: ", *_reason(first.reason))


def _reason(text: str) -> Iterator[Span]:
    """Yield a reason; a long path in it stays whole, as it is there to be copied."""
    for index, word in enumerate(text.split(" ")):
        space = " " if index else ""
        if len(word) > _LONG_WORD and "/" in word:
            yield say(space)
            yield phrases.place(word)
        else:
            yield say(f"{space}{word}", length=phrases.PATH_LENGTH)


def _of_kind(
    kind: str, entries: list[model.NotEvaluated], options: RenderOptions
) -> Iterator[Block]:
    by_reason: dict[str, list[model.NotEvaluated]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).append(entry)
    role = Role.BAD if kind == "crashed" else Role.PLAIN
    ordered = sorted(by_reason.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    is_short = options.row_limit is not None and kind == "missing-evidence"
    shown = ordered[:_NAMED_REASONS] if is_short else ordered
    for reason, group in shown:
        rules = list(dict.fromkeys(entry.rule for entry in group))
        most = _NAMED_RULES if options.row_limit is not None else None
        names = [line(phrases.name(rule)) for rule in rules[:most]]
        # The same resources under several rules are counted once.
        resources = sum({entry.examples: entry.resource_count for entry in group}.values())
        count = f" ({figures.counted(resources, 'resource')})" if resources else ""
        # The title of the section says of the most frequent kind what it is.
        label = _KINDS.get(kind, kind)
        yield doc.item(
            say(label, role),
            f"{', ' if label else ''}{reason}{count}: ",
            doc.listed(names, len(rules)),
            _examples(group, options),
        )
    if len(ordered) > len(shown):
        left = sum(len(group) for _, group in ordered[len(shown) :])
        said = f"other evidence missing: {figures.counted(left, 'rule')} (list them: -v)"
        yield doc.item(said)


def _examples(group: Sequence[model.NotEvaluated], options: RenderOptions) -> str:
    examples = dict.fromkeys(example for entry in group for example in entry.examples)
    # Whole links are in JSON.
    shown = [example.rpartition("/")[2] for example in examples][: options.member_limit]
    return f" (such as {', '.join(shown)})" if shown else ""


def unexplained(report: Report, options: RenderOptions) -> Iterator[Block]:
    """Yield a line for every `--explain` name that no finding answers to, and why."""
    rules = {finding.rule for finding in report.findings}
    areas = {info.area for info in options.rules if info.id in rules}
    gaps = {entry.rule: entry.reason for entry in report.not_evaluated}
    hidden = {entry.rule for entry in report.suppressed}
    for wanted in options.explain:
        if wanted == EVERYTHING or wanted in rules or wanted in areas:
            continue
        if wanted in gaps:
            reason = f"it was skipped: {gaps[wanted]}"
        elif wanted in hidden:
            reason = "its findings are suppressed"
        elif any(wanted in {info.id, info.area} for info in options.rules):
            reason = "it found nothing"
        else:
            reason = "no rule or area has this name"
        yield doc.para("Nothing to explain for ", phrases.name(wanted), f": {reason}.")
