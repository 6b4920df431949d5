"""Findings of two reports place by place: new, fixed, changed, not judged or unchanged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner.judging.reported import Reported
from netplan_planner.judging.unjudged import Unjudged
from netplan_planner.model import Finding, Member, SelfLink, Severity
from netplan_planner.planning.carried_traffic import link_of
from netplan_planner.renderers import figures
from netplan_planner.units import cents
from netplan_planner.verbs.diff.answer import DiffCause, DiffFinding, DiffMachine, DiffState

_ZERO = Decimal(0)
_STATES = list(DiffState)
Links = Mapping[SelfLink, DiffMachine]
"""The VM of each link."""


class _At(NamedTuple):
    finding: Finding
    member: Member
    all_told: Counter[tuple[object, ...]]
    """What all places of the finding say, and how many of them do."""

    @property
    def place(self) -> tuple[str, ...]:
        """Rule and resources, which stay where a subject names a machine type."""
        return self.finding.rule, *sorted(ref.self_link for ref in self.member.resources)


def findings(
    before: Reported,
    after: Reported,
    machines_of: Sequence[DiffMachine],
    *,
    is_moved: bool,
) -> tuple[DiffFinding, ...]:
    """Return what became of every finding at every place, new ones first, then by severity."""
    old, new = _places(before), _places(after)
    _join(old, new)
    links = {
        link_of(row): one
        for one in machines_of
        for row in (one.before, one.after)
        if row is not None
    }
    gaps = _Gaps(before, after)
    found = []
    for key in {**old, **new}:
        was, now = old.get(key), new.get(key)
        state, why = gaps.state(key, was, now, links)
        shown = now or was
        assert shown is not None
        cause = None
        if state in (DiffState.NEW, DiffState.FIXED, DiffState.CHANGED):
            cause = _cause(shown.member, links) if is_moved else DiffCause.PROJECT
        found.append(
            DiffFinding(
                state=state,
                cause=cause,
                rule=shown.finding.rule,
                severity=shown.finding.severity,
                severity_before=(was.finding.severity if was else gaps.severity_before(key, shown)),
                confidence=shown.finding.confidence,
                subject=shown.member.subject,
                message=shown.member.message,
                before_saving_usd_per_month=was.member.saving_usd_per_month if was else None,
                after_saving_usd_per_month=now.member.saving_usd_per_month if now else None,
                fingerprint=key,
                source=next((ref.source for ref in shown.member.resources), ""),
                why=why,
            )
        )
    return tuple(sorted(found, key=_of_finding))


def _join(old: dict[str, _At], new: dict[str, _At]) -> None:
    """Give findings of one rule on the same resources one key, where each side has one of them."""
    lone = [
        {key: at.place for key, at in one.items() if key not in other}
        for one, other in ((old, new), (new, old))
    ]
    counts = [Counter(one.values()) for one in lone]
    keys = {place: key for key, place in lone[1].items()}
    for key, place in lone[0].items():
        if all(count[place] == 1 for count in counts):
            old[keys[place]] = old.pop(key)


def _of_finding(one: DiffFinding) -> tuple[object, ...]:
    saving = one.after_saving_usd_per_month or one.before_saving_usd_per_month or _ZERO
    return _STATES.index(one.state), one.severity.rank, -saving, one.rule, one.subject


def _places(report: Reported) -> dict[str, _At]:
    found = dict[str, _At]()
    for finding in report.findings:
        all_told = Counter(map(_told, finding.members))
        found |= {one.fingerprint: _At(finding, one, all_told) for one in finding.members}
    return found


def _told(member: Member) -> tuple[object, ...]:
    usd = member.saving_usd_per_month
    return member.confidence, usd and cents(usd), figures.shown(member.message)


def _cause(member: Member, links: Links) -> DiffCause:
    """Return what made the difference, where the basis differs."""
    found = [links[ref.self_link] for ref in member.resources if ref.self_link in links]
    is_alike = found and all(one.cause is DiffCause.BASIS for one in found)
    return DiffCause.BASIS if is_alike else DiffCause.EITHER


class _Gaps:
    """What one side does not say of a place, though it may be there."""

    def __init__(self, before: Reported, after: Reported) -> None:
        self._not_after = Unjudged(before.not_evaluated, after.not_evaluated)
        self._not_before = Unjudged(after.not_evaluated, before.not_evaluated)
        self._hidden_before, self._hidden_after = _hidden(before), _hidden(after)
        self._filtered = {one.fingerprint: Severity(one.severity) for one in before.filtered}

    def severity_before(self, key: str, shown: _At) -> Severity | None:
        """Return what a place that was filtered out had."""
        keys = (key, shown.finding.fingerprint)
        return next((self._filtered[one] for one in keys if one in self._filtered), None)

    def state(
        self, key: str, was: _At | None, now: _At | None, links: Links
    ) -> tuple[DiffState, str]:
        """Return what became of a place, and why it is not sure."""
        shown = now or was
        assert shown is not None
        own = [ref.self_link for ref in shown.member.resources]
        keys = (key, shown.finding.fingerprint)
        if was is not None and now is not None:
            return _change(was, now), ""
        if now is not None:
            hidden = next(filter(None, map(self._hidden_before.get, keys)), "")
            if hidden:
                old = self.severity_before(key, now)
                is_graver = old is not None and now.finding.severity.rank < old.rank
                state = DiffState.CHANGED if is_graver else DiffState.UNCHANGED
                return state, f"before: {hidden}"
            is_made = any(link in links and links[link].before is None for link in own)
            why = "" if is_made else self._not_before.why(shown.finding.rule, own)
            return DiffState.NEW, f"not judged before: {why}" if why else ""
        why = next(filter(None, map(self._hidden_after.get, keys)), "")
        is_gone = any(link in links and links[link].after is None for link in own)
        why = why or ("" if is_gone else self._not_after.why(shown.finding.rule, own))
        return (DiffState.NOT_JUDGED if why else DiffState.FIXED), why


def _hidden(report: Reported) -> dict[str, str]:
    """Return why places and findings are not shown, by their fingerprints."""
    found = {one.fingerprint: f"suppressed: {one.reason}" for one in report.suppressed}
    return found | {one.fingerprint: f"filtered out: {one.why}" for one in report.filtered}


def _change(was: _At, now: _At) -> DiffState:
    """Return whether a place moved; not where other places alone made its finding graver."""
    is_graver = was.finding.severity is not now.finding.severity and was.all_told == now.all_told
    is_same = not is_graver and _told(was.member) == _told(now.member)
    return DiffState.UNCHANGED if is_same else DiffState.CHANGED
