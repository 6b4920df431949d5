"""What the user chose not to see: a file, and labels on the resources themselves."""

from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from netplan_planner.engine.globs import FirstGlob
from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.input_files import Given, give, toml_file
from netplan_planner.model import (
    ExpiredSuppression,
    Facts,
    Hit,
    Instance,
    SelfLink,
    Value,
)
from netplan_rules.base import Check
from netplan_rules.registry import AREAS, find_rule

IGNORE_FILE = ".netplan-ignore.toml"
IGNORE_LABEL = "netplan-ignore"
UNTIL_LABEL = "netplan-ignore-until"


def ignore_file(given: Path | None) -> Path | None:
    """Return the file of suppressions: the one that is named, else the usual one where it is."""
    usual = Path(IGNORE_FILE)
    if given is not None or not usual.is_file():
        return given
    give(Given("--ignore-file", usual))
    return usual


class Suppression(Value, frozen=True, kw_only=True):
    """One wish not to see findings of a rule or area on some resources."""

    rule: str
    """Id or area."""
    resource: str = "*"
    """A glob over the end of the self link."""
    reason: str
    source: str
    expires: date | None = None


class Suppressions(Value, frozen=True, kw_only=True, dict=True):
    """All suppressions in force, those whose date has passed, and labels that name no rule."""

    active: tuple[Suppression, ...] = ()
    by_link: tuple[tuple[SelfLink, tuple[Suppression, ...]], ...] = ()
    expired: tuple[ExpiredSuppression, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def _active_by_name(self) -> dict[str, tuple[tuple[int, ...], FirstGlob]]:
        """For each rule or area the numbers of its suppressions, and their globs."""
        numbers: dict[str, list[int]] = {}
        for number, suppression in enumerate(self.active):
            numbers.setdefault(suppression.rule, []).append(number)
        return {
            name: (tuple(of_name), FirstGlob(self.active[number].resource for number in of_name))
            for name, of_name in numbers.items()
        }

    @cached_property
    def _labelled(self) -> dict[SelfLink, tuple[Suppression, ...]]:
        return dict(self.by_link)

    def find(self, check: Check, hit: Hit) -> Suppression | None:
        """Return the first suppression of a hit: the file in its order, then labels."""
        names = {check.rule.id, *check.rule.aliases, check.area}
        in_file = [
            numbers[place]
            for name in names
            if name in self._active_by_name
            for numbers, globs in (self._active_by_name[name],)
            for ref in hit.resources
            if (place := globs.find(ref.self_link)) is not None
        ]
        if in_file:
            return self.active[min(in_file)]
        of_labels = (s for ref in hit.resources for s in self._labelled.get(ref.self_link, ()))
        return next((s for s in of_labels if s.rule in names), None)


def read_suppressions(path: Path | None, facts: Facts) -> Suppressions:
    """Return the suppressions of a file (None: no file) and of the labels of all machines.

    Raises:
        UsageError: If the file is not what it should be, or names a rule that does not exist.
    """
    from_file = _of_file(path) if path is not None else ()
    labelled, notes = _of_labels(facts)
    active: list[Suppression] = []
    expired: list[Suppression] = []
    for suppression in from_file:
        (expired if _is_over(suppression, facts.today) else active).append(suppression)
    by_link: list[tuple[SelfLink, tuple[Suppression, ...]]] = []
    for link, suppressions in labelled:
        expired += [s for s in suppressions if _is_over(s, facts.today)]
        by_link.append((link, tuple(s for s in suppressions if not _is_over(s, facts.today))))
    return Suppressions(
        active=tuple(active),
        by_link=tuple(by_link),
        expired=tuple(_expired(s) for s in expired),
        notes=notes,
    )


def _is_over(suppression: Suppression, today: date) -> bool:
    return suppression.expires is not None and suppression.expires < today


_KEYS = frozenset({"rule", "resource", "reason", "expires"})


def _expired(suppression: Suppression) -> ExpiredSuppression:
    assert suppression.expires is not None
    return ExpiredSuppression(
        rule=suppression.rule,
        resource=suppression.resource,
        reason=suppression.reason,
        source=suppression.source,
        expires=suppression.expires,
    )


def _of_file(path: Path) -> tuple[Suppression, ...]:
    table = toml_file(path)
    entries = table.get("ignore", [])
    if not isinstance(entries, list) or set(table) - {"ignore"}:
        raise UsageError(f"{path}: it holds [[ignore]] tables and nothing else")
    return tuple(_entry(f"{path.name}: [[ignore]] {n}", e) for n, e in enumerate(entries, 1))


def _entry(where: str, entry: dict[str, Any]) -> Suppression:
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        hint = did_you_mean(unknown[0], _KEYS)
        raise UsageError(f"{where}: unknown key {unknown[0]!r}{hint}")
    for key in ("rule", "reason"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise UsageError(f"{where}: {key!r} is required and a text")
    if not isinstance(entry.get("resource", "*"), str):
        raise UsageError(f"{where}: 'resource' is a text: a glob over the end of the self link")
    expires = entry.get("expires")
    if expires is not None and (not isinstance(expires, date) or hasattr(expires, "hour")):
        raise UsageError(f"{where}: 'expires' is a date such as 2027-01-31, without quotes")
    rule = entry["rule"]
    return Suppression(
        rule=rule if rule in AREAS else _rule_id(where, rule),
        resource=entry.get("resource", "*"),
        reason=entry["reason"],
        source=where,
        expires=expires,
    )


def _rule_id(where: str, name: str) -> str:
    try:
        return find_rule(name).rule.id
    except UsageError as exc:
        raise UsageError(f"{where}: {exc}") from exc


def _of_labels(
    facts: Facts,
) -> tuple[list[tuple[SelfLink, tuple[Suppression, ...]]], tuple[str, ...]]:
    found: list[tuple[SelfLink, tuple[Suppression, ...]]] = []
    notes: list[str] = []
    for instance in facts.inventory.instances:
        text = instance.label(IGNORE_LABEL)
        if text is None:
            continue
        suppressions = []
        for name in filter(None, text.split("_")):
            try:
                rule = name if name in AREAS else find_rule(name).rule.id
            except UsageError as error:
                notes.append(f"label {IGNORE_LABEL} of {instance.name}: {error}")
                continue
            until, note = _until(instance)
            if note:
                notes.append(note)
            suppressions.append(
                Suppression(
                    rule=rule,
                    reason=f"label {IGNORE_LABEL}={text}",
                    source=instance.ref.self_link,
                    expires=until,
                )
            )
        found.append((instance.ref.self_link, tuple(suppressions)))
    return found, tuple(notes)


def _until(instance: Instance) -> tuple[date | None, str]:
    """Return the end of a label's suppression; one that cannot be read has already ended."""
    text = instance.label(UNTIL_LABEL)
    if text is None:
        return None, ""
    try:
        return date.fromisoformat(text), ""
    except ValueError:
        return date.min, (
            f"label {UNTIL_LABEL}={text} of {instance.name} is not a date such as 2027-01-31;"
            " its suppression counts as expired"
        )
