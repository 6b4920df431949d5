"""Times, volumes and names as people write them: `5s`, `10m`, `2TiB`, `500GB`, `n2,c3`."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from netplan_planner.asks import Reading
from netplan_planner.choices import Architecture
from netplan_planner.errors import UsageError

_SECONDS = {
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
}
_BYTES = {
    "": 1,
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgtp", 1)},
}
_MOST = 1e18
"""Bytes or seconds; more is a slip of the hand."""
_QUANTITY = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def seconds(option: str, text: str | None) -> float | None:
    """Return a time in seconds; a plain number is one.

    Raises:
        UsageError: If it is no time above 0.

    >>> seconds("--duration", "5s"), seconds("--duration", "1.5h"), seconds("--duration", "90")
    (5.0, 5400.0, 90.0)
    """
    return None if text is None else _value(option, text, {**_SECONDS, "": 1.0}, "5s or 10m")


def byte_count(option: str, text: str | None) -> int | None:
    """Return a volume in bytes; kB, MB, GB are decimal, KiB, MiB, GiB binary.

    Raises:
        UsageError: If it is no volume above 0.

    >>> byte_count("--bytes", "2TiB"), byte_count("--bytes", "1.5 GB"), byte_count("--bytes", "10")
    (2199023255552, 1500000000, 10)
    """
    if text is None:
        return None
    found = round(_value(option, text, _BYTES, "2TiB or 500GB"))
    if found < 1:
        raise UsageError(f"{option} is a byte or more, not {text[:40]!r}")
    return found


def deadline_seconds(option: str, text: str | None, now: datetime) -> float | None:
    """Return how long something may take, of a time such as 2h, or until a moment (RFC 3339).

    Raises:
        UsageError: If it is neither, or has passed.
    """
    if text is None:
        return None
    moment = _moment(option, text)
    if moment is None:
        return seconds(option, text)
    left = moment - now
    if left <= timedelta(0):
        raise UsageError(f"{option} {text} has passed: it is {now.isoformat('T', 'seconds')}")
    return left.total_seconds()


def _moment(option: str, text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Digits alone read as a date of the basic form; they are seconds.
    if "-" not in text:
        return None
    if found.tzinfo is None:
        raise UsageError(f"{option} {text} needs a time zone, such as {text}Z")
    return found


def _value(option: str, text: str, scale: dict[str, float] | dict[str, int], like: str) -> float:
    found = _QUANTITY.fullmatch(text)
    factor = scale.get(found[2].lower()) if found else None
    value = float(found[1]) * factor if found and factor is not None else 0.0
    if not 0 < value <= _MOST:
        raise UsageError(f"{option} is a quantity above 0 such as {like}, not {text[:40]!r}")
    return value


def names(values: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of an option that takes commas and repetition.

    >>> names(["n2, c3", "c4"])
    ('n2', 'c3', 'c4')
    """
    return tuple(name.strip() for v in values or () for name in v.split(",") if name.strip())


Bytes = Annotated[int, Reading(str, byte_count)]
Duration = Annotated[float, Reading(str, seconds)]
Deadline = Annotated[
    float, Reading(str, lambda option, text: deadline_seconds(option, text, datetime.now(UTC)))
]
"""Seconds from now on."""
Names = Annotated[tuple[str, ...], Reading(list[str], lambda _, values: names(values))]
Texts = Annotated[tuple[str, ...], Reading(list[str], lambda _, values: tuple(values))]
Day = Annotated[date, Reading(datetime, lambda _, moment: moment.date())]
ArchitectureName = Annotated[str, Reading(Architecture, lambda _, asked: asked.as_the_api_names_it)]
"""As the Compute API names it; None is any."""
