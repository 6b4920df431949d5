"""Measurements in JSON that holds netperf's outputs as texts, as PerfKitBenchmarker saves them.

One output as the list of its lines; or one entry for each host: the outputs of processes that ran
at once, their errors, their exit statuses, and two times in seconds since 1970.

Source:
    GoogleCloudPlatform/PerfKitBenchmarker, tests/data (netperf_results.json,
    bidirectional_network_results.json).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from netplan_planner.measuring.outputs.base import Refused, Unusable, bounded, refusal, rfc3339
from netplan_planner.measuring.outputs.netperf import has_banner, measured, tests_in
from netplan_planner.measuring.outputs.processes import add_rates
from netplan_planner.model import Measurement

_ENTRY_LENGTH = 5
_MOST_APART_S = 10.0
"""Between the times of entries whose processes ran together."""


class _Output(NamedTuple):
    """Texts that make up one run, and where they stand."""

    pointer: str
    texts: list[str]
    began_s: float | None = None
    """Since 1970, where the processes are known to have run at once."""


_DEEPEST = 50
"""Levels of JSON that are looked into."""


def holds_netperf(value: Any) -> bool:
    """Return whether a JSON value holds netperf's output as text."""
    return any(True for _ in _outputs(value, ""))


def measurements_of(value: Any, *, source: str) -> tuple[list[Measurement], list[Refused]]:
    """Return the measurements of netperf outputs in a JSON value, and what is not usable."""
    found: list[Measurement] = []
    refused: list[Refused] = []
    at_once: list[tuple[Measurement, float]] = []
    for output in _outputs(value, ""):
        try:
            tests = [tuple(tests_in(text)) for text in output.texts]
            if not all(tests):
                raise Unusable("one of its texts is not the output of netperf")
            parts = [
                measured(test, source=source, place=output.pointer)
                for each in tests
                for test in each
            ]
        except Unusable as exc:
            refused.append(refusal(source=source, place=output.pointer, reason=exc.reason))
            continue
        if output.began_s is None:
            found += parts
        else:
            at_once.append((add_rates(parts), output.began_s))
    return [*found, *_told_together(at_once)], refused


def _told_together(entries: list[tuple[Measurement, float]]) -> Iterator[Measurement]:
    """Yield the entries with their date, and whether some of them sent while others received."""
    times = [began_s for _, began_s in entries]
    is_close = bool(times) and max(times) - min(times) <= _MOST_APART_S
    has_both = is_close and len({one.is_reverse for one, _ in entries}) > 1
    for one, began_s in entries:
        yield msgspec.structs.replace(
            one, started_at=rfc3339(round(began_s)), is_bidirectional=has_both
        )


def _outputs(value: Any, pointer: str, depth: int = 0) -> Iterator[_Output]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        if has_banner(value):
            yield _Output(pointer, [value])
    elif isinstance(value, dict):
        for name, member in value.items():
            escaped = bounded(str(name)).replace("~", "~0").replace("/", "~1")
            yield from _outputs(member, f"{pointer}/{escaped}", depth + 1)
    elif isinstance(value, list):
        if _is_lines(value):
            yield _Output(pointer, ["\n".join(value)])
        elif _is_entry(value):
            yield _Output(f"{pointer}/0", value[0], float(value[3]))
        else:
            for index, item in enumerate(value):
                yield from _outputs(item, f"{pointer}/{index}", depth + 1)


def _is_lines(value: list[Any]) -> bool:
    """Return whether a list is the lines of one output."""
    if len(value) < 2 or not all(isinstance(item, str) for item in value):
        return False
    return has_banner(value[0]) and not any(has_banner(item) for item in value[1:])


def _is_entry(value: list[Any]) -> bool:
    """Return whether a list is outputs, errors, exit statuses and two times."""
    if len(value) != _ENTRY_LENGTH or not all(isinstance(item, list) for item in value[:3]):
        return False
    is_even = len({len(item) for item in value[:3]}) == 1
    has_times = all(isinstance(item, int | float) for item in value[3:])
    has_texts = all(isinstance(text, str) for text in value[0])
    return is_even and has_times and has_texts and any(map(has_banner, value[0]))
