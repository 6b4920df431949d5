"""The layouts of Terraform's JSON: a plan, a state, and the file in which a state is kept.

`terraform show -json` writes plans and states in a format of its own with a version (0.1 to 1.2
so far: developer.hashicorp.com/terraform/internals/json-format, read 2026-11-23); the file of a
state (`terraform.tfstate`) has another one, of which version 4 is read. Each resource becomes an
`Entry` whose values stay undecoded: a plan of a hundred thousand resources is half a gigabyte.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec

from netplan_planner.input_files import decode_json
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.terraform.addresses import Key, Module, key_text, module_of

T = TypeVar("T")

NEWEST_MINOR = {0: 2, 1: 2}
"""The newest minor version that is known of each major one."""
STATE_FILE_VERSION = 4
"""Of `terraform.tfstate`, since Terraform 0.12."""

DEEPEST_MODULE = 100
"""Levels of modules within modules that are followed; people have five."""

SHOW = "terraform show -json"
_LONGEST = 200
_MOST_PARTS = 10_000
"""Of one attribute: a larger number in a path is damage."""

_PLAN_KEYS = frozenset({"planned_values", "resource_changes", "configuration"})
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.|\Z)")


class Refused(Exception):
    """A Terraform file that cannot be read; the text says why and what to do."""


class Entry(NamedTuple):
    """One instance of a resource. `values` and `unknown` are JSON that is not decoded yet."""

    address: str
    type: str
    name: str
    key: Key
    module: Module
    values: msgspec.Raw
    unknown: msgspec.Raw
    is_changed: bool
    """Whether the plan makes or changes it."""
    is_data: bool
    sensitive: msgspec.Raw
    """Which parts of `values` are marked as sensitive: as nested as they are, `true` for one."""


class Contents(NamedTuple):
    """A Terraform document: its resources, and what else is said there."""

    entries: list[Entry]
    configuration: msgspec.Raw
    variables: msgspec.Raw
    is_plan: bool
    destroyed: tuple[Entry, ...] = ()
    """Resources that the plan destroys, with the values that they have before."""


DEPOSED = "deposed objects, which Terraform still has to destroy,"
"""What stands in their place has the same address and is beside them."""

NULL = msgspec.Raw(b"null")
"""What is null, or not there."""


class _Top(msgspec.Struct, gc=False):
    format_version: Any = None
    terraform_version: Any = None
    planned_values: msgspec.Raw = NULL
    resource_changes: msgspec.Raw = NULL
    deferred_changes: msgspec.Raw = NULL
    configuration: msgspec.Raw = NULL
    variables: msgspec.Raw = NULL
    values: msgspec.Raw = NULL
    errored: Any = None
    complete: Any = None
    version: Any = None
    lineage: Any = None
    serial: Any = None
    resources: msgspec.Raw = NULL
    modules: msgspec.Raw = NULL


class _Change(msgspec.Struct, gc=False):
    actions: list[str]
    before: msgspec.Raw = NULL
    after: msgspec.Raw = NULL
    after_unknown: msgspec.Raw = NULL
    before_sensitive: msgspec.Raw = NULL
    after_sensitive: msgspec.Raw = NULL


class _Addressed(msgspec.Struct, kw_only=True, gc=False):
    address: str
    type: str
    name: str
    mode: str = "managed"
    index: int | str | None = None


class _Resource(_Addressed, kw_only=True, gc=False):
    values: msgspec.Raw = NULL
    sensitive_values: msgspec.Raw = NULL
    deposed_key: str | None = None


class _ResourceChange(_Addressed, kw_only=True, gc=False):
    change: _Change
    module_address: str = ""
    deposed: str | None = None


class _Deferred(msgspec.Struct, gc=False):
    resource_change: _ResourceChange
    reason: str = "unknown"


class _ModuleOfState(msgspec.Struct, gc=False):
    address: str = ""
    resources: list[msgspec.Raw] = []
    child_modules: list[msgspec.Raw] = []


class _Values(msgspec.Struct, gc=False):
    root_module: msgspec.Raw = NULL


class _Instance(msgspec.Struct, gc=False):
    attributes: msgspec.Raw = NULL
    sensitive_attributes: Any = None
    index_key: int | str | None = None
    deposed: str = ""


class _StoredResource(msgspec.Struct, gc=False):
    type: str
    name: str
    mode: str = "managed"
    module: str = ""
    instances: list[_Instance] = []


def contents_of(data: bytes | msgspec.Raw, origin: Origin, into: Collector) -> Contents | None:
    """Return what a JSON document holds, None when it is none of Terraform's.

    What of it is damaged is noted.

    Raises:
        Refused: If it is of a version that is not read.
        msgspec.MsgspecError: If it is no JSON object.
    """
    top = decode_json(data, _Top)
    is_plan = any(getattr(top, key) != NULL for key in _PLAN_KEYS)
    if top.version is not None and top.format_version is None and _is_state_file(top):
        entries = list(_stored(top, origin, into))
        return Contents(entries, NULL, NULL, is_plan=False)
    if not (is_plan or _is_shown_state(top)):
        return None
    _check_version(top, origin, into)
    if top.errored is True:
        into.note(origin.at(""), "the plan ended with an error and is incomplete")
    elif top.complete is False:
        into.note(origin.at(""), "the plan is incomplete: another plan follows it")
    _note_deferred(top.deferred_changes, origin, into)
    gone: list[Entry] = []
    if top.resource_changes != NULL:
        entries = list(_changed(top.resource_changes, origin, into, gone))
    else:
        values = top.planned_values if is_plan else top.values
        entries = [] if values == NULL else list(_shown(values, origin, into))
    return Contents(entries, top.configuration, top.variables, is_plan, tuple(gone))


def _is_state_file(top: _Top) -> bool:
    return (top.lineage is not None or top.serial is not None) and (
        top.terraform_version is not None or top.resources != NULL or top.modules != NULL
    )


def _is_shown_state(top: _Top) -> bool:
    """Whether it is a state; one of a folder where nothing was made yet has but a version."""
    if top.values != NULL:
        return top.format_version is not None or top.terraform_version is not None
    return top.format_version is not None


def _check_version(top: _Top, origin: Origin, into: Collector) -> None:
    stated = top.format_version
    if stated is None:
        reason = "it has no format_version: read as the newest supported version"
        into.note(origin.at(""), reason, is_needless=True)
        return
    match = _VERSION.match(str(stated))
    if match is None:
        raise Refused(f"Terraform's format_version {str(stated)[:40]!r} is not a version")
    major, minor = int(match[1]), int(match[2])
    if major not in NEWEST_MINOR:
        raise Refused(
            f"Terraform's JSON format {major}.{minor} is not supported (0.1 to 1.x are). Write it"
            f" again with `{SHOW}` of another Terraform version"
        )
    if minor > NEWEST_MINOR[major]:
        reason = f"format {major}.{minor} is newer than 1.2: its new fields are not read"
        into.note(origin.at(""), reason, is_needless=True)


def _decoded(
    kind: type[T],
    items: Iterable[msgspec.Raw],
    pointer: str,
    damaged: str,
    origin: Origin,
    into: Collector,
) -> Iterator[T]:
    """Yield items as a type; those that are damaged are noted, each at its place."""
    for index, item in enumerate(items):
        try:
            found = decode_json(item, kind)
        except msgspec.MsgspecError as exc:
            into.note(origin.at(pointer.format(index)), f"{damaged}: {exc}")
        else:
            yield found


def _changed(
    raw: msgspec.Raw, origin: Origin, into: Collector, gone: list[Entry]
) -> Iterator[Entry]:
    """Yield what there is after a plan is applied; what it destroys is counted, and `gone`."""
    items = _list(raw, origin, "/resource_changes", into)
    damaged = "not a change of a resource"
    for found in _decoded(_ResourceChange, items, "/resource_changes/{}", damaged, origin, into):
        if found.deposed:
            into.skip(origin.file, DEPOSED)
            continue
        change, actions = found.change, found.change.actions
        values = change.after
        is_after = values != NULL
        if not is_after:
            # A resource that is forgotten is no longer Terraform's, but it stays.
            values = change.before if "forget" in actions else values
        entry = Entry(
            found.address,
            found.type,
            found.name,
            found.index,
            module_of(found.module_address),
            change.before if values == NULL else values,
            change.after_unknown,
            bool({"create", "update"} & set(actions)),
            found.mode == "data",
            change.after_sensitive if is_after else change.before_sensitive,
        )
        if values == NULL:
            into.skip(origin.file, "resources that the plan destroys")
            gone.append(entry)
        else:
            yield entry


def _note_deferred(raw: msgspec.Raw, origin: Origin, into: Collector) -> None:
    """Note what a plan leaves to the next one, as where a `count` is not known yet."""
    items = _list(raw, origin, "/deferred_changes", into)
    damaged = "not a deferred change"
    for found in _decoded(_Deferred, items, "/deferred_changes/{}", damaged, origin, into):
        address = found.resource_change.address
        if found.resource_change.mode != "data":
            reason = f"not read: the plan defers it ({found.reason[:_LONGEST]})"
            into.note(f"{origin.at('')}: {address}", reason, address)


def _shown(raw: msgspec.Raw, origin: Origin, into: Collector) -> Iterator[Entry]:
    """Yield the resources of a state, or of a plan's values: what is unknown is not there."""
    try:
        root = decode_json(raw, _Values).root_module
    except msgspec.MsgspecError as exc:
        into.note(origin.at("/values"), f"not read: {exc}")
        return
    waiting = [(root, 0)] if root != NULL else []
    while waiting:
        part, depth = waiting.pop()
        try:
            module = decode_json(part, _ModuleOfState)
        except msgspec.MsgspecError as exc:
            into.note(origin.at(""), f"a module is not read: {exc}")
            continue
        if depth < DEEPEST_MODULE:
            waiting += [(child, depth + 1) for child in reversed(module.child_modules)]
        else:
            into.note(origin.at(""), "modules are nested too deeply: the inner ones are not read")
        damaged = "a resource is not read"
        for found in _decoded(_Resource, module.resources, "", damaged, origin, into):
            if found.deposed_key:
                into.skip(origin.file, DEPOSED)
                continue
            yield Entry(
                found.address,
                found.type,
                found.name,
                found.index,
                module_of(module.address),
                found.values,
                NULL,
                is_changed=False,
                is_data=found.mode == "data",
                sensitive=found.sensitive_values,
            )


def _stored(top: _Top, origin: Origin, into: Collector) -> Iterator[Entry]:
    """Yield the resources of a `terraform.tfstate`."""
    if top.version != STATE_FILE_VERSION:
        raise Refused(
            f"a Terraform state of version {str(top.version)[:40]} is not supported (version 4"
            f" is). Run `{SHOW}` in its folder and give its output"
        )
    items = _list(top.resources, origin, "/resources", into)
    damaged = "a resource is not read"
    for found in _decoded(_StoredResource, items, "/resources/{}", damaged, origin, into):
        is_data = found.mode == "data"
        head = f"{found.module}." if found.module else ""
        head += f"{'data.' if is_data else ''}{found.type}.{found.name}"
        for one in found.instances:
            if one.deposed:
                into.skip(origin.file, DEPOSED)
                continue
            yield Entry(
                head + key_text(one.index_key),
                found.type,
                found.name,
                one.index_key,
                module_of(found.module),
                one.attributes,
                NULL,
                is_changed=False,
                is_data=is_data,
                sensitive=_marks(one.sensitive_attributes),
            )


def _marks(paths: object) -> msgspec.Raw:
    """Return the paths of a state file's sensitive attributes as nested as the attributes are."""
    marks: dict[Any, Any] = {}
    for path in paths if isinstance(paths, list) else ():
        below, steps = marks, [_step(step) for step in path] if isinstance(path, list) else []
        for step in steps[:-1]:
            inner = below.setdefault(step, {})
            if inner is True:
                break
            below = inner
        else:
            below.update(dict.fromkeys(steps[-1:], True))
    return msgspec.Raw(msgspec.json.encode(_listed(marks))) if marks else NULL


def _step(step: object) -> object:
    """Return a step of a path: the name of an attribute, or the key or number of a part of it."""
    value = step.get("value") if isinstance(step, dict) else None
    value = value.get("value") if isinstance(value, dict) else value
    return value if isinstance(value, str | int) else None


def _listed(marks: Any) -> Any:
    """Return marks whose parts are numbered as the list that they are."""
    if not isinstance(marks, dict):
        return marks
    numbers = [key for key in marks if isinstance(key, int) and 0 <= key < _MOST_PARTS]
    if not numbers:
        return {str(key): _listed(below) for key, below in marks.items() if key is not None}
    return [_listed(marks.get(number)) for number in range(max(numbers) + 1)]


def _list(raw: msgspec.Raw, origin: Origin, pointer: str, into: Collector) -> list[msgspec.Raw]:
    try:
        return decode_json(raw, list[msgspec.Raw]) if raw != NULL else []
    except msgspec.MsgspecError as exc:
        into.note(origin.at(pointer), f"not read: {str(exc)[:_LONGEST]}")
        return []
