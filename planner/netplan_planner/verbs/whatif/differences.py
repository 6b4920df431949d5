"""Findings before and after changes, place by place: gone, new, unchanged, or not judged."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from netplan_planner.judging.judged import Judged
from netplan_planner.model import Finding, Member, Need, NotEvaluated, SelfLink
from netplan_planner.verbs.whatif.answer import FindingState, WhatifFinding
from netplan_rules.registry import all_rules

_STATES = list(FindingState)


class _Place(NamedTuple):
    """A rule and the resources at fault, which keep their links through all changes."""

    rule: str
    links: tuple[SelfLink, ...]


class _At(NamedTuple):
    finding: Finding
    member: Member


def findings(
    before: Judged, after: Judged, *, is_plugin_changed: bool
) -> tuple[WhatifFinding, ...]:
    """Return what becomes of every finding at every place: gone, new, then the rest.

    Args:
        before: The report on the facts as they are.
        after: That on the facts after the changes.
        is_plugin_changed: Rules on the cluster's network still see the plugin that is there.
    """
    old, new = _by_place(before), _by_place(after)
    unjudged = _Unjudged(before, after, is_plugin_changed=is_plugin_changed)
    found: list[WhatifFinding] = []
    for place in sorted({*old, *new}):
        was, now = old.get(place, []), new.get(place, [])
        for number in range(max(len(was), len(now))):
            one = was[number] if number < len(was) else None
            other = now[number] if number < len(now) else None
            found.append(_compared(place, one, other, unjudged))
    return tuple(
        sorted(found, key=lambda one: (_STATES.index(one.state), one.severity.rank, one.rule))
    )


def _by_place(report: Judged) -> dict[_Place, list[_At]]:
    found: dict[_Place, list[_At]] = defaultdict(list)
    for finding in report.findings:
        for member in finding.members:
            links = tuple(sorted(ref.self_link for ref in member.resources))
            found[_Place(finding.rule, links)].append(_At(finding, member))
    for places in found.values():
        places.sort(key=lambda at: (at.finding.fingerprint, at.member.subject))
    return found


def _compared(
    place: _Place, was: _At | None, now: _At | None, unjudged: "_Unjudged"
) -> WhatifFinding:
    shown = now or was
    assert shown is not None
    why = unjudged.why(place) if was is not None and (now is None or unjudged.is_own(place)) else ""
    if why:
        state = FindingState.UNJUDGED
    elif was is None:
        state = FindingState.NEW
    else:
        state = FindingState.GONE if now is None else FindingState.UNCHANGED
    return WhatifFinding(
        state=state,
        rule=place.rule,
        severity=shown.finding.severity,
        subject=shown.member.subject,
        message=shown.member.message,
        saving_before_usd_per_month=was.member.saving_usd_per_month if was else None,
        saving_after_usd_per_month=now.member.saving_usd_per_month if now else None,
        why=why,
    )


class _Unjudged:
    """Why a rule says nothing of a place after the changes, where it did not pass it."""

    def __init__(self, before: Judged, after: Judged, *, is_plugin_changed: bool) -> None:
        self._old, self._new = _notes(before), _notes(after)
        self._of_network = (
            {check.rule.id for check in all_rules() if Need.CLUSTER_NETWORKS in check.rule.needs}
            if is_plugin_changed
            else set[str]()
        )

    def is_own(self, place: _Place) -> bool:
        """Return whether the rule looks at what netplan does not change."""
        return place.rule in self._of_network

    def why(self, place: _Place) -> str:
        """Return why a place is not judged after the changes; empty where it is."""
        if self.is_own(place):
            return "the rule sees the plugin that is there, not the one to come"
        return next(self._gaps(place), "")

    def _gaps(self, place: _Place) -> Iterator[str]:
        old = {(note.kind, note.reason): note.resource_count for note in self._old[place.rule]}
        for note in self._new[place.rule]:
            had = old.get((note.kind, note.reason), 0)
            if note.kind != "gap":
                if (note.kind, note.reason) not in old:
                    yield note.reason
            elif note.resource_count > had:
                # Of many resources only some are named: it may be one of the others.
                is_named = bool({*place.links} & {*note.examples})
                if is_named or note.resource_count > len(note.examples):
                    yield note.reason


def _notes(report: Judged) -> Mapping[str, list[NotEvaluated]]:
    found: dict[str, list[NotEvaluated]] = defaultdict(list)
    for note in report.not_evaluated:
        found[note.rule].append(note)
    return found
