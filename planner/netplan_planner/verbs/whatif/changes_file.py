"""Changes from a user's file: a row of a table, or a `[[change]]` of TOML, for some machines."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from netplan_planner.errors import InputError, UsageError, did_you_mean
from netplan_planner.inert import inert_line
from netplan_planner.input_files import toml_file
from netplan_planner.tables.columns import Column, names_of
from netplan_planner.tables.reading import Table
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.ask import check_day

COLUMNS = (
    Column(
        name="vm",
        meaning="a name, project/zone/name, a glob, label:KEY=VALUE or group:NAME",
        is_required=True,
    ),
    Column(name="machine_type", meaning="new machine type"),
    Column(name="zone", meaning="new zone"),
    Column(name="address", meaning="addresses between them and other VMs: internal, external"),
    Column(name="network_tier", meaning="of its external addresses: premium, standard"),
    Column(name="tier1", meaning="whether it has Tier_1: true or false"),
    Column(name="mtu", meaning="of the network of its first interface"),
    Column(name="nic", meaning="of all its interfaces: gvnic, virtio"),
    Column(name="plugin", meaning="network plugin of its cluster"),
    Column(name="growth", meaning="factor for its traffic"),
    Column(name="by", meaning="date when the growth is reached, such as 2027-06-30"),
)
_FIELDS = {field.value.replace("-", "_"): field for field in WhatifField}
_SPELT = {WhatifField.MACHINE_TYPE, WhatifField.ZONE, WhatifField.PLUGIN}
"""Lower case in Google's words; the others are netplan's own."""


def read_changes(path: Path, today: date) -> tuple[WhatifChange, ...]:
    """Return the changes of a file, in its order.

    Raises:
        InputError: If it is no such file, or a row makes no sense; it is named.
    """
    shown = inert_line(str(path))
    rows = _of_toml(path, shown) if path.suffix.casefold() == ".toml" else _of_table(path)
    found = [change for place, row in rows for change in _of_row(place, row, today)]
    if not found:
        raise InputError(f"{shown}: it changes nothing: fill in a cell next to vm")
    return tuple(found)


def _of_table(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table, each with its place in words."""
    with Table(path, COLUMNS) as table:
        texts = {name: table.texts(name) for name in names_of(COLUMNS)}
        shown, count, left = table.shown, table.row_count, table.unread_columns
    if left:
        known = ", ".join(names_of(COLUMNS))
        raise InputError(f"{shown}: {', '.join(left)}: no such column; known: {known}")
    for at in range(count):
        row = {name: values[which[at]].strip() for name, (values, which) in texts.items()}
        yield f"{shown}, row {at + 1}", row


def _of_toml(path: Path, shown: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the `[[change]]` tables of a TOML file, whose keys are the columns of a table."""
    try:
        document = toml_file(path)
    except UsageError as exc:
        # It is no setting of netplan, but an input.
        raise InputError(str(exc)) from exc
    entries = document.get("change")
    if set(document) != {"change"} or not isinstance(entries, list):
        raise InputError(f"{shown}: only [[change]] tables are allowed")
    known = names_of(COLUMNS)
    for at, entry in enumerate(entries, start=1):
        place = f"{shown}, [[change]] {at}"
        if not isinstance(entry, dict):
            raise InputError(f"{place}: it is not a table")
        unknown = sorted(set(entry) - set(known))
        if unknown:
            name = inert_line(unknown[0])
            raise InputError(f"{place}: unknown key {name!r}{did_you_mean(name, known)}")
        row = {name: _text(f"{place}, {name}", entry.get(name, "")) for name in known}
        yield place, row


def _text(place: str, value: Any) -> str:
    """Return a value of TOML as a cell has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | dict | datetime | time):
        raise InputError(f"{place}: use one text, number, boolean or date")
    return str(value).strip()


def _of_row(place: str, row: Mapping[str, str], today: date) -> Iterator[WhatifChange]:
    if not row["vm"]:
        raise InputError(f"{place}: vm is empty: select VMs (all: *)")
    by = _day(place, row["by"])
    if by is not None and not row["growth"]:
        raise InputError(f"{place}: by is the date of a growth, but growth is empty")
    for name, field in _FIELDS.items():
        if row[name]:
            change = WhatifChange(
                vms=row["vm"],
                field=field,
                to=row[name] if field in _SPELT else row[name].lower(),
                by=by if field is WhatifField.GROWTH else None,
                source=f"{place}, {name}",
                is_of_file=True,
            )
            check_day(change, today)
            yield change


def _day(place: str, text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as exc:
        raise InputError(f"{place}: by is a date such as 2027-06-30, not {text!r}") from exc
