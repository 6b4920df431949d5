"""Findings that a team has accepted: a file of their fingerprints, with reason, date and end.

A finding of the file is counted and not shown, as one that is suppressed. A fingerprint is of a
rule and a place: it stays whatever the files are called and in whatever order they are read.
"""

from collections.abc import Iterable
from datetime import date
from functools import cached_property
from pathlib import Path

import msgspec

from netplan_planner import model
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json, reading, unreadable, whole
from netplan_planner.judging.findings import fingerprint
from netplan_planner.judging.suppressions import Suppression, is_over
from netplan_planner.model import Value, taken
from netplan_rules.base import Rule

BASELINE_FILE = "netplan-baseline.json"
SCHEMA = "netplan.baseline/1"


class Accepted(Value, frozen=True, kw_only=True):
    """A finding at one place that is accepted."""

    fingerprint: str
    """Of the rule and the place."""
    rule: str
    subject: str
    accepted: date
    """When it was written down."""
    expires: date | None = None
    """The last day on which it is accepted; None: it has no end."""
    reason: str


class Baseline(Value, frozen=True, kw_only=True, dict=True):
    """The accepted findings of a file, by rule and subject."""

    schema: str = SCHEMA
    findings: tuple[Accepted, ...] = ()

    @cached_property
    def by_fingerprint(self) -> dict[str, Accepted]:
        """Each by its fingerprint."""
        return {one.fingerprint: one for one in self.findings}


def read_baseline(path: Path) -> Baseline:
    """Return the accepted findings of a file.

    Raises:
        InputError: If it cannot be read, or is no baseline of this version.
    """
    shown = inert_line(str(path))
    with reading(path):
        try:
            found = decode_json(whole(path), Baseline)
            if found.schema != SCHEMA:
                raise ValueError(f"its schema is {found.schema[:40]!r}, not {SCHEMA}")
        except OSError as exc:
            raise unreadable(path, exc, "netplan baseline writes one") from exc
        except (msgspec.MsgspecError, ValueError, OverflowError) as exc:
            raise InputError(f"{shown}: no baseline: {inert_line(str(exc))}") from exc
    return found


class Matching:
    """Holds findings against a baseline, and notes what it accepts."""

    def __init__(self, path: Path | None, today: date) -> None:
        found = read_baseline(path) if path is not None else Baseline()
        self._source = path.name if path is not None else ""
        self._open = {k: v for k, v in found.by_fingerprint.items() if not is_over(v, today)}
        self._seen: set[str] = set()
        self.accepted: list[model.Suppressed] = []
        self.expired = tuple(
            taken(model.ExpiredSuppression, one, resource=one.subject, source=self._source)
            for one in found.findings
            if is_over(one, today)
        )

    def takes(self, rule: Rule, hit: model.Hit) -> bool:
        """Return whether a hit is accepted, and count it then."""
        key = fingerprint(rule, hit)
        entry = self._open.get(key)
        if entry is None:
            return False
        self._seen.add(key)
        self.accepted.append(
            model.Suppressed(
                rule=rule.id,
                subject=hit.subject,
                reason=entry.reason,
                source=self._source,
                expires=entry.expires,
                saving_usd_per_month=hit.saving_usd_per_month,
                fingerprint=key,
            )
        )
        return True

    def unmatched(self) -> Iterable[Suppression]:
        """Yield the entries in force that no finding has."""
        for key, one in self._open.items():
            if key not in self._seen:
                yield taken(Suppression, one, resource=one.subject, source=self._source)
