"""Terraform plans and states, as `terraform show -json` writes them, and `terraform.tfstate`.

A plan is read as what there is to be once it is applied: what it destroys is not there, and what
it does not change is. `prior_state` reads what is there before. The source of a
resource is its file and address: `plan.json: module.a["x"].google_compute_instance.vm[0]`.
"""

from pathlib import Path

import msgspec

from netplan_planner import input_files
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.model import Inventory
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.terraform.layout import NULL, contents_of
from netplan_planner.readers.terraform.layout import Refused as Refused
from netplan_planner.readers.terraform.reading import take
from netplan_planner.readers.terraform.sensitive import without_sensitive
from netplan_planner.units import counted

name = "terraform"

_KEYS = frozenset(
    {"format_version", "terraform_version", "planned_values", "resource_changes", "lineage"}
)
_SIGNS = tuple(f'"{key}"'.encode() for key in sorted(_KEYS))
_HEAD_BYTES = 4096


def read(value: object, origin: Origin, into: Collector) -> bool:
    """Take the resources of a JSON document; return whether it is one of Terraform's.

    Raises:
        Refused: If it is of a version that is not read.
    """
    if not isinstance(value, dict) or _KEYS.isdisjoint(value):
        return False
    try:
        return _read(msgspec.json.encode(value), origin, into)
    except RecursionError:
        return False


def read_whole(data: bytes, origin: Origin, into: Collector) -> bool:
    """Do the same for a whole file, of which only what is needed is decoded.

    False also for a damaged one: whoever reads it the usual way finds where.

    Raises:
        Refused: If it is of a version that is not read.
    """
    if not any(sign in data[:_HEAD_BYTES] for sign in _SIGNS):
        return False
    return _read(data, origin, into)


class _Plan(msgspec.Struct, gc=False):
    planned_values: msgspec.Raw = NULL
    resource_changes: msgspec.Raw = NULL
    prior_state: msgspec.Raw = NULL


def is_plan(path: Path) -> bool:
    """Return whether a file of JSON is a plan.

    Raises:
        InputError: If it is not there, cannot be read, or is no JSON.
    """
    return not path.is_dir() and _plan(path) is not None


def prior_state(path: Path) -> Inventory:
    """Return what a plan says is there before it is applied; nothing before a first apply.

    Raises:
        InputError: If the file is no plan, or its state is damaged or of an unknown version.
    """
    shown, plan, found = inert_line(str(path)), _plan(path), Collector()
    if plan is None:
        raise InputError(f"{shown}: not a Terraform plan (`terraform show -json PLAN`)")
    if plan.prior_state != NULL:
        try:
            origin = Origin(shown, f"{shown}:/prior_state")
            is_read = _read(bytes(plan.prior_state), origin, found)
        except Refused as exc:
            raise InputError(f"{shown}: /prior_state: {exc}") from exc
        if not is_read:
            raise InputError(f"{shown}: /prior_state is damaged; create the file again")
    return found.inventory()


def _plan(path: Path) -> _Plan | None:
    with input_files.reading(path):
        try:
            plan = input_files.decode_json(input_files.unpacked(path), _Plan)
        except OSError as exc:
            raise input_files.unreadable(path, exc) from exc
        except (msgspec.MsgspecError, ValueError, EOFError, RecursionError) as exc:
            shown = inert_line(str(path))
            raise InputError(f"{shown}: not a Terraform plan as JSON: {exc}") from exc
    return plan if plan.planned_values != NULL or plan.resource_changes != NULL else None


def _read(data: bytes, origin: Origin, into: Collector) -> bool:
    found = Collector()
    try:
        contents = contents_of(data, origin, found)
        if contents is not None:
            kept, count = without_sensitive(contents)
            if count:
                reason = f"{counted(count, 'value')} not read: Terraform marks them as sensitive"
                found.note(origin.at(""), reason, is_needless=True)
            take(kept, origin, found)
    except (msgspec.MsgspecError, RecursionError):
        return False
    into.merge(found)
    return contents is not None
