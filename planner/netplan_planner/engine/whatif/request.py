"""What `netplan whatif` is asked."""

from datetime import date
from pathlib import Path

from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.model import Value
from netplan_planner.model.whatif import WhatifChange, WhatifField

ALL = "*"


class WhatifWords(Value, frozen=True, kw_only=True):
    """Changes as options say them: those of one selection of machines."""

    vms: tuple[str, ...] = ()
    """Empty: all machines, for growth alone."""
    values: tuple[tuple[WhatifField, str, str], ...] = ()
    """What, the new value, and the option that says so."""
    by: date | None = None


class WhatifRequest(Value, frozen=True, kw_only=True):
    """Inputs and changes."""

    read: AuditRequest
    words: WhatifWords = WhatifWords()
    file: Path | None = None
    """A table of changes."""
    is_all_out: bool = False
    """Every flow asks for all that its path can carry, and not for its busiest minute."""


def changes_of(words: WhatifWords, today: date) -> tuple[WhatifChange, ...]:
    """Return the changes of options.

    Raises:
        UsageError: If machines are changed and none is named, or a date makes no sense.
    """
    if words.vms and not words.values:
        raise UsageError("--vm names machines, and nothing says what becomes of them")
    is_growing = any(field is WhatifField.GROWTH for field, _, _ in words.values)
    if words.by is not None and not is_growing:
        raise UsageError("--by is the day of a growth: give --growth, such as 1.5")
    found = []
    for field, to, option in words.values:
        if not words.vms and field is not WhatifField.GROWTH:
            raise UsageError(f"{option} changes machines: name them with --vm (all: --vm '*')")
        for vms in words.vms or (ALL,):
            change = WhatifChange(
                vms=vms,
                field=field,
                to=to,
                by=words.by if field is WhatifField.GROWTH else None,
                source=option,
            )
            check_day(change, today)
            found.append(change)
    return tuple(found)


def check_day(change: WhatifChange, today: date) -> None:
    """Refuse a growth that is over.

    Raises:
        NetplanError: If its day is not to come.
    """
    if change.by is not None and change.by <= today:
        raise change.refused(f"{change.by} has passed: name a day after {today}")
