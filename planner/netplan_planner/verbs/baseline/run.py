"""Writes the findings of an audit down as accepted."""

from datetime import date
from pathlib import Path

from netplan_planner.errors import UsageError
from netplan_planner.judging.baseline import Accepted, Baseline, read_baseline
from netplan_planner.judging.reported import Reported, reported
from netplan_planner.judging.suppressions import ignore_file, is_over
from netplan_planner.model import taken
from netplan_planner.planning.configured import configured
from netplan_planner.planning.project import request_of
from netplan_planner.planning.stored_report import stored_report
from netplan_planner.renderers.json_report import document, plain
from netplan_planner.verbs import Now, panels, read_in_full, verb
from netplan_planner.verbs.baseline.answer import BaselineAnswer
from netplan_planner.verbs.baseline.ask import BaselineAsk
from netplan_planner.world.demos import load_demo
from netplan_planner.world.reading import read_facts
from netplan_planner.writing import written_whole
from netplan_rules.registry import all_rules


@verb(
    panel=panels.AUDIT,
    question="How do I accept today's findings, to see only new ones?",
    ends=read_in_full("the findings are"),
)
def baseline(ask: BaselineAsk, now: Now) -> BaselineAnswer:
    """Write today's findings to a file as accepted; audit --baseline shows what is new.

    Findings are known by rule and resource, whatever the input files are called. Run it again to
    take in new findings and to drop those that are fixed.
    """
    if not ask.reason.strip():
        raise UsageError("--reason is empty: say why the findings are accepted")
    if not ask.out.parent.is_dir():
        raise UsageError(f"--out {ask.out}: the folder {ask.out.parent} does not exist")
    today = ask.today or now.today
    if ask.expires is not None and ask.expires < today:
        raise UsageError(f"--expires {ask.expires.isoformat()} has passed")
    before = read_baseline(ask.out) if ask.out.exists() else Baseline()
    report = _report(ask, now)
    found = _entries(report, before, ask, today)
    held = Baseline(findings=found)
    with written_whole(ask.out, is_own=True) as file:
        file.write_text(document(plain(held)), "utf-8")
    return _answer(ask.out, held, before, report)


def _report(ask: BaselineAsk, now: Now) -> Reported:
    if ask.report is not None:
        return stored_report(ask.report, Reported)
    request = request_of(
        ask, ignore_file=ignore_file(None), **configured(now.config, ask.rules_path)
    )
    demo = load_demo(request.demo) if request.demo is not None else None
    return reported(request, read_facts(request, demo, now.say), now.say)


def _entries(
    report: Reported, before: Baseline, ask: BaselineAsk, today: date
) -> tuple[Accepted, ...]:
    """Return every place of the report's findings, and what of the file was not judged."""
    places = {
        member.fingerprint: Accepted(
            fingerprint=member.fingerprint,
            rule=finding.rule,
            subject=member.subject,
            accepted=today,
            expires=ask.expires,
            reason=ask.reason,
        )
        for finding in report.findings
        for member in finding.members
    }
    # One that has expired is accepted anew.
    kept = {k: v for k, v in before.by_fingerprint.items() if not is_over(v, today)}
    # A rule that is not loaded, such as a team's, has not judged either.
    judged = {one.rule.id for one in all_rules()} - {note.rule for note in report.not_evaluated}
    found = places | {k: v for k, v in kept.items() if k in places or v.rule not in judged}
    return tuple(sorted(found.values(), key=lambda one: (one.rule, one.subject, one.fingerprint)))


def _answer(out: Path, held: Baseline, before: Baseline, report: Reported) -> BaselineAnswer:
    places = {one.fingerprint for finding in report.findings for one in finding.members}
    old, new = set(before.by_fingerprint), set(held.by_fingerprint)
    return taken(
        BaselineAnswer,
        held,
        file=str(out),
        new_count=len(new - old),
        kept_count=len(new & old),
        gone_count=len(old - new),
        unjudged_count=len(new - places),
        incomplete=report.coverage.incomplete,
    )
