"""What the user chose not to see: a file, and labels on the resources themselves.

Many globs, and the first of them that a resource path or its end matches.

A path is not held against every glob. Those without a wildcard are looked up whole; any other one
only where the path holds a piece of its literal text, the piece that the fewest globs share.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from fnmatch import translate
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any, Protocol

from msgspec.structs import replace

from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.input_files import Given, give, toml_file, whole
from netplan_planner.model import (
    ExpiredSuppression,
    Facts,
    Finding,
    Hit,
    Instance,
    SelfLink,
    Value,
    taken,
)
from netplan_planner.writing import written_whole
from netplan_rules.base import Check
from netplan_rules.registry import AREAS, find_rule

_WILD = re.compile(r"[*?]|\[!?+\]?+[^\]]*+\]")
"""What `fnmatch` takes for more than itself; a bracket that nothing closes is a bracket."""
_LONGEST_PIECE = 16
"""Pieces have 1, 2, 4, 8 or this many characters, so that a path has few of each length."""
IGNORE_FILE = ".netplan-ignore.toml"
IGNORE_LABEL = "netplan-ignore"
UNTIL_LABEL = "netplan-ignore-until"
_KEYS = frozenset({"rule", "resource", "reason", "expires"})


class FirstGlob:
    """The first of many globs, in their order, that a path or what follows a `/` in it matches.

    >>> globs = FirstGlob(["instances/a", "*/instances/b*", "projects/p/*"])
    >>> globs.find("projects/q/instances/a"), globs.find("projects/p/instances/b1")
    (0, 1)
    """

    def __init__(self, globs: Iterable[str]) -> None:
        self._whole: dict[str, int] = {}
        self._wild: list[tuple[int, str]] = []
        seen: set[str] = set()
        for number, glob in enumerate(globs):
            if glob in seen:
                continue
            seen.add(glob)
            if _WILD.search(glob):
                self._wild.append((number, glob))
            else:
                self._whole[glob] = number
        self._by_piece, self._without = _by_rarest_piece(self._wild)
        self._lengths = sorted({len(piece) for piece in self._by_piece})
        self._matches: dict[int, Callable[[str], object]] = {}
        self._found: dict[str, int | None] = {}

    def find(self, path: str) -> int | None:
        """Return the number of the first glob that matches; None where none does."""
        if path not in self._found:
            self._found[path] = self._look_up(path)
        return self._found[path]

    def _look_up(self, path: str) -> int | None:
        whole = [self._whole[end] for end in _ends(path) if end in self._whole]
        first = min(whole, default=None)
        for place in self._candidates(path):
            number, glob = self._wild[place]
            if first is not None and number > first:
                break
            if self._matcher(number, glob)(path):
                return number
        return first

    def _candidates(self, path: str) -> list[int]:
        """Return the places of the globs with wildcards that may match, in their order."""
        found = set(self._without)
        for length in self._lengths:
            for start in range(len(path) - length + 1):
                found.update(self._by_piece.get(path[start : start + length], ()))
        return sorted(found)

    def _matcher(self, number: int, glob: str) -> Callable[[str], object]:
        if number not in self._matches:
            self._matches[number] = re.compile(f"(?s:.*/)?{translate(glob)}").match
        return self._matches[number]


def _ends(path: str) -> Iterator[str]:
    """Yield the path, and what follows each `/` in it."""
    yield path
    start = path.find("/") + 1
    while start:
        yield path[start:]
        start = path.find("/", start) + 1


def _by_rarest_piece(
    globs: Iterable[tuple[int, str]],
) -> tuple[dict[str, tuple[int, ...]], tuple[int, ...]]:
    """Return the places of globs by the piece of each that is rarest, and of those without one."""
    pieces = [set(_pieces(glob)) for _, glob in globs]
    count = Counter(piece for each in pieces for piece in each)
    by_piece: defaultdict[str, list[int]] = defaultdict(list)
    without: list[int] = []
    for place, each in enumerate(pieces):
        if each:
            rarest = min(each, key=lambda piece: (count[piece], -len(piece), piece))
            by_piece[rarest].append(place)
        else:
            without.append(place)
    return {piece: tuple(places) for piece, places in by_piece.items()}, tuple(without)


def _pieces(glob: str) -> Iterator[str]:
    """Yield the pieces of what stands literally in a glob, as long as they can be."""
    for text in _WILD.split(glob):
        if text:
            length = min(_LONGEST_PIECE, 1 << len(text).bit_length() - 1)
            for start in range(len(text) - length + 1):
                yield text[start : start + length]


def ignore_file(given: Path | None) -> Path | None:
    """Return the file of suppressions: the one that is named, else the usual one where it is."""
    usual = Path(IGNORE_FILE)
    if given is not None or not usual.is_file():
        return given
    give(Given("--ignore-file", usual, is_own=True))
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


def unmatched(
    suppressions: Suppressions, hits: Sequence[tuple[Check, Hit]]
) -> tuple[Suppression, ...]:
    """Return the suppressions of the file that fit none of some hits."""
    left = replace(suppressions, by_link=())
    # One that stands behind another of the same hit fits it too.
    while left.active and (fit := {left.find(check, hit) for check, hit in hits} - {None}):
        left = replace(left, active=tuple(one for one in left.active if one not in fit))
    return left.active


def add_ignores(path: Path, findings: Iterable[Finding], reason: str) -> int:
    """Append an entry for each place of findings to a file, and return how many are new.

    What is there stays as it is. The file is written whole or not at all.

    Raises:
        UsageError: If the file holds something else.
        InputError: If it cannot be written.
    """
    is_there = path.exists()
    known = {(one.rule, one.resource) for one in _of_file(path)} if is_there else set()
    places = (
        (finding.rule, escape(link))
        for finding in findings
        for member in finding.members
        for link in _at_fault(finding, member.resources[0].self_link)
    )
    new = [place for place in dict.fromkeys(places) if place not in known]
    if new:
        held = whole(path).decode() if is_there else ""
        entries = "\n".join(_entry_text(rule, resource, reason) for rule, resource in new)
        joint = "" if not held else "\n" if held.endswith("\n") else "\n\n"
        with written_whole(path, is_own=True) as file:
            file.write_bytes(f"{held}{joint}{entries}".encode())
    return len(new)


def _at_fault(finding: Finding, link: SelfLink) -> Iterator[SelfLink]:
    """Yield a resource, and the machines of its group that change with it."""
    yield link
    for change in finding.changes:
        if change.target == link:
            yield from change.members


def _entry_text(rule: str, resource: str, reason: str) -> str:
    values = {"rule": rule, "resource": resource, "reason": reason}
    lines = (f"{key} = {_toml_text(value)}\n" for key, value in values.items())
    return f"[[ignore]]\n{''.join(lines)}"


def _toml_text(text: str) -> str:
    """Return a basic string of TOML, whose escapes are those of JSON, and one more."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


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
        (expired if is_over(suppression, facts.today) else active).append(suppression)
    by_link: list[tuple[SelfLink, tuple[Suppression, ...]]] = []
    for link, suppressions in labelled:
        expired += [s for s in suppressions if is_over(s, facts.today)]
        by_link.append((link, tuple(s for s in suppressions if not is_over(s, facts.today))))
    return Suppressions(
        active=tuple(active),
        by_link=tuple(by_link),
        expired=tuple(_expired(s) for s in expired),
        notes=notes,
    )


class Ending(Protocol):
    """Something with a last day."""

    @property
    def expires(self) -> date | None:
        """None: it has no end."""


def is_over(entry: Ending, today: date) -> bool:
    """Return whether a day is behind the last one of an entry."""
    return entry.expires is not None and entry.expires < today


def _expired(suppression: Suppression) -> ExpiredSuppression:
    assert suppression.expires is not None
    return taken(ExpiredSuppression, suppression)


def _of_file(path: Path) -> tuple[Suppression, ...]:
    table = toml_file(path)
    entries = table.get("ignore", [])
    if not isinstance(entries, list) or set(table) - {"ignore"}:
        raise UsageError(f"{path}: it can only contain [[ignore]] tables")
    return tuple(_entry(f"{path.name}: [[ignore]] {n}", e) for n, e in enumerate(entries, 1))


def _entry(where: str, entry: dict[str, Any]) -> Suppression:
    unknown = sorted(set(entry) - _KEYS)
    if unknown:
        hint = did_you_mean(unknown[0], _KEYS)
        raise UsageError(f"{where}: unknown key {unknown[0]!r}{hint}")
    for key in ("rule", "reason"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise UsageError(f"{where}: {key!r} is required and must be text")
    if not isinstance(entry.get("resource", "*"), str):
        raise UsageError(f"{where}: 'resource' must be text: a glob over the end of the self link")
    expires = entry.get("expires")
    if expires is not None and (not isinstance(expires, date) or hasattr(expires, "hour")):
        raise UsageError(f"{where}: 'expires' must be a date such as 2027-01-31, without quotes")
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
