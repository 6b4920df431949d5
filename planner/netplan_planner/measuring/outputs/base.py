"""What the readers of all tools share: refusals, bounded text, and rates that can be."""

import hashlib
import ipaddress
import math
import statistics
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from netplan_planner.errors import InputError
from netplan_planner.inert import scalars
from netplan_planner.model import Measurement, Value
from netplan_planner.units import BITS_PER_GIGABIT

NAME_LENGTH = 253
"""Characters of a name that is kept: the longest DNS name."""
TEXT_LENGTH = 1000
"""Characters of a command, a note or an error of a tool."""
HIGHEST_GBPS = 100_000.0
"""Above what any machine moves, over loopback too; a figure beyond it is damaged."""
_HIGHEST_RATE = HIGHEST_GBPS * BITS_PER_GIGABIT
_MOST = 2**63
"""Of anything that is counted."""
_MOST_CPUS = 10_000
_PER_CENT = 100
_US_PER_MS = 1000
_LONGEST_RTT_MS = 1e6
_LONGEST_S = 1e8
"""Three years."""
_RUN_ID_LENGTH = 32
"""Hexadecimal digits: 128 bits, too many for two runs to meet by chance."""
_MOST_DISAGREEMENT = 0.05
"""Between a rate and its bytes over its seconds. Tools differ in whose clock they divide by, which
moves a short run by a per cent."""


class Refused(Value, frozen=True, kw_only=True):
    """A run, or a file, that was not imported."""

    place: str
    """`file`, `file:line`, `file:/json/pointer` or `file:line:/json/pointer`."""
    reason: str
    is_repeat: bool = False
    """Whether the run is among the measurements, from another file: nothing is lost."""

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


Read = tuple[list[Measurement], list[Refused]]


class TextFormat(NamedTuple):
    """One of the texts that a tool prints: how it is told, and its reader."""

    fits: Callable[[str], bool]
    read: Callable[..., Read]
    """Of the text and, by name, its `source`: the measurements, and what cannot be used and why."""


class Unusable(Exception):
    """A run cannot be taken; `place` is a line or a JSON pointer in what was being read."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


def joined_place(*parts: str) -> str:
    """Return the parts of a place that are not empty.

    >>> joined_place("runs.json", "", "/end")
    'runs.json:/end'
    """
    return ":".join(part for part in parts if part)


def refusal(*, source: str, place: str, reason: str, is_repeat: bool = False) -> Refused:
    """Return a refusal with its text bounded."""
    return Refused(
        place=bounded(joined_place(source, place), 2 * TEXT_LENGTH),
        reason=bounded(reason, TEXT_LENGTH),
        is_repeat=is_repeat,
    )


def raise_first(refused: list[Refused]) -> None:
    """Raise the first refusal, if there is one.

    Raises:
        InputError: With its place and reason.
    """
    if refused:
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise InputError(f"{refused[0]}{more}")


def bounded(text: str, length: int = NAME_LENGTH) -> str:
    """Return `text` as it can be stored: no half characters, no more than `length` of them.

    >>> bounded("x" * 300, 5)
    'xxxx…'
    """
    whole = scalars(text)
    return whole if len(whole) <= length else f"{whole[: length - 1]}…"


def address_in(text: str | None) -> str | None:
    """Return an IP address in its one spelling, or None for anything else.

    >>> address_in("::ffff:10.0.0.1"), address_in("2001:DB8::1"), address_in("vm-1")
    ('10.0.0.1', '2001:db8::1', None)
    """
    try:
        address = ipaddress.ip_address((text or "").strip())
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    shown = str(mapped or address)
    return None if address.is_unspecified else shown


def rfc3339(epoch_s: float) -> str:
    """Return a moment in UTC, or an empty text for one that no run was at.

    >>> rfc3339(1669608869), rfc3339(0), rfc3339(1e300)
    ('2022-11-28T04:14:29Z', '', '')
    """
    if not 0 < epoch_s < math.inf:
        return ""
    try:
        moment = datetime.fromtimestamp(epoch_s, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    kept = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=kept).replace("+00:00", "Z")


def run_id_of(*parts: str) -> str:
    """Return the name of a run that `parts` tell from every other.

    >>> run_id_of("iperf3", "cookie", "forward") == run_id_of("iperf3", "cookie", "forward")
    True
    >>> run_id_of("a", "bc") == run_id_of("ab", "c")
    False
    """
    told = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:_RUN_ID_LENGTH]


def finite(text: str | None) -> float | None:
    """Return the number that a text is, or None if it is none or not finite.

    >>> finite("1.5"), finite("inf"), finite("many"), finite("")
    (1.5, None, None, None)
    """
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def variation_of(intervals: Sequence[tuple[float, float]]) -> float | None:
    """Return the coefficient of variation of interval rates, or None below two intervals.

    The last interval may be a remnant, whose rate says nothing: one shorter than half of the
    usual length is left out.

    Args:
        intervals: Length in seconds and rate of each, in any unit.

    >>> variation_of([(1.0, 9.0), (1.0, 11.0), (0.04, 2.0)])
    0.1414213562373095
    """
    if not intervals:
        return None
    shortest = statistics.median(seconds for seconds, _ in intervals) / 2
    rates = [rate for seconds, rate in intervals if seconds >= shortest]
    if len(rates) < 2 or not all(0 <= rate < _HIGHEST_RATE for rate in rates) or not any(rates):
        return None
    return statistics.stdev(rates) / statistics.fmean(rates)


def tally(number: float | None) -> int | None:
    """Return a count that a tool wrote, or None for a negative or an absurd number.

    >>> tally(17.0), tally(0), tally(-1), tally(1e300)
    (17, 0, None, None)
    """
    return int(number) if number is not None and 0 <= number < _MOST else None


def whole(number: float | None) -> int | None:
    """Return a size that a tool wrote, or None where it wrote 0, which says nothing.

    >>> whole(1460.0), whole(0), whole(-1)
    (1460, None, None)
    """
    return tally(number) or None


def cpu_ratio(percent: float | None, cpus: float = 1) -> float | None:
    """Return the share of one processor, or None for one that says nothing.

    A tool writes 0 or -1 where it did not measure, or did not hear of the other end.

    Args:
        percent: Of `cpus` processors.
        cpus: How many.

    >>> cpu_ratio(40.0), cpu_ratio(12.5, cpus=16), cpu_ratio(0.0), cpu_ratio(-1.0)
    (0.4, 2.0, None, None)
    """
    ratio = (percent or 0.0) / _PER_CENT * cpus
    return ratio if 0 < ratio < _MOST_CPUS else None


def rtt_ms(microseconds: float | None) -> float | None:
    """Return a round-trip time, or None where a tool wrote 0, which says nothing, or nonsense.

    >>> rtt_ms(2500.0), rtt_ms(0.0), rtt_ms(1e300)
    (2.5, None, None)
    """
    ms = (microseconds or 0.0) / _US_PER_MS
    return ms if 0 < ms < _LONGEST_RTT_MS else None


def duration(seconds: float | None) -> float | None:
    """Return a length of time that a tool wrote, or None for one that no run took.

    >>> duration(10.0), duration(-1.0), duration(1e300)
    (10.0, None, None)
    """
    return seconds if seconds is not None and 0 <= seconds < _LONGEST_S else None


def checked_gbps(
    gbps: float, *, byte_gbps: float | None = None, place: str = "", what: str = "the rate"
) -> float:
    """Return `gbps` if a run can have had it.

    Args:
        gbps: What the tool says.
        byte_gbps: What its bytes over its seconds say, where both are known.
        place: Where the rate stands.
        what: How it is called there.

    Raises:
        Unusable: If it is no number above 0, absurdly high, or far from `byte_gbps`.
    """
    if gbps > HIGHEST_GBPS:
        raise Unusable(f"{what} is {gbps:g} Gbit/s, more than any VM can send", place)
    if not gbps > 0:
        raise Unusable(f"{what} is {gbps:g} bit/s: no data arrived, or none was counted", place)
    if byte_gbps is not None and abs(byte_gbps / gbps - 1) > _MOST_DISAGREEMENT:
        raise Unusable(
            f"{what} is {gbps:.4g} Gbit/s, but bytes and seconds give {byte_gbps:.4g}", place
        )
    return gbps
