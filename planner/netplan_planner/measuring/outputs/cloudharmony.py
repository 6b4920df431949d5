"""Measurements of iperf in CloudHarmony's CSV report, a row for each direction of a run.

The rate is the mean of iperf's intervals, which its client counted: sent bytes on the way up,
received ones on the way down. Rates are in Mbit/s.

Source:
    cloudharmony/iperf; the report in PerfKitBenchmarker's tests, where `bandwidth_mean` times the
    duration gives `transfer` in MiB.
"""

import csv
from datetime import UTC, datetime
from typing import Any

from netplan_planner.measuring.outputs import base
from netplan_planner.model import CountedBy, MeasuredEnd, Measurement, Region
from netplan_planner.units import MEGABITS_PER_GIGABIT

_NEEDED = frozenset({"iperf_cmd", "bandwidth_direction", "bandwidth_mean"})
_LONGEST = 100_000
"""Characters of a row; Python's reader takes no cell above 131,072."""
_WAYS = frozenset({"up", "down"})
_NOTE = "mean of the client's intervals, from CloudHarmony's report; time read as UTC"


def is_cloudharmony(text: str) -> bool:
    """Return whether a text begins with the heading of CloudHarmony's iperf report."""
    heading = text.partition("\n")[0]
    return set(heading.strip().split(",")) >= _NEEDED


def measurements_of(text: str, *, source: str) -> tuple[list[Measurement], list[base.Refused]]:
    """Return the measurements in a report, and a refusal for each row that is not usable."""
    found: list[Measurement] = []
    refused: list[base.Refused] = []
    reader = csv.DictReader(line[:_LONGEST] for line in text.splitlines())
    for row in reader:
        place = str(reader.line_num)
        cells = {name: value for name, value in row.items() if isinstance(value, str) and name}
        try:
            found.append(_measured(cells, source=source, place=place))
        except base.Unusable as exc:
            refused.append(base.refusal(source=source, place=place, reason=exc.reason))
    return found, refused


def _measured(cells: dict[str, str], *, source: str, place: str) -> Measurement:
    way = cells.get("bandwidth_direction", "")
    if way not in _WAYS:
        raise base.Unusable(f"bandwidth_direction is not up or down: {base.bounded(way, 40)!r}")
    if not cells.keys() >= _NEEDED:
        raise base.Unusable("the row ends early")
    command = cells["iperf_cmd"]
    local, remote = _end(cells, "meta_", "client"), _end(cells, "iperf_server_", "server")
    is_up = way == "up"
    mean, deviation = _number(cells, "bandwidth_mean"), _number(cells, "bandwidth_stdev")
    if mean is None:
        raise base.Unusable("bandwidth_mean is not a number")
    return Measurement(
        source=source,
        place=place,
        started_at=_started_at(cells.get("test_started", "")),
        tool="iperf3" if command.lstrip().startswith("iperf3") else "iperf2",
        tool_version=base.bounded(cells.get("iperf_version", "")),
        command=base.bounded(command, base.TEXT_LENGTH),
        protocol="udp" if cells.get("iperf_udp") == "1" else "tcp",
        src=local if is_up else remote,
        dst=remote if is_up else local,
        streams=base.whole(_number(cells, "iperf_parallel")),
        is_reverse=not is_up,
        gbps=base.checked_gbps(mean / MEGABITS_PER_GIGABIT),
        counted_by=CountedBy.SENDER if is_up else CountedBy.RECEIVER,
        duration_s=base.duration(_number(cells, "iperf_time")),
        omit_s=base.duration(_number(cells, "iperf_warmup")),
        coefficient_of_variation=deviation / mean if deviation is not None else None,
        note=_NOTE,
    )


def _end(cells: dict[str, str], prefix: str, role: str) -> MeasuredEnd:
    host = cells.get("iperf_server" if role == "server" else "meta_hostname", "")
    percent = _number(cells, f"cpu_{role}")
    told: dict[str, Any] = {
        "machine_type": cells.get(f"{prefix}instance_id") or None,
        "region": Region(base.bounded(cells.get(f"{prefix}region", ""))) or None,
        "vcpus": base.whole(_number(cells, "meta_cpu_cores")) if role == "client" else None,
        "cpu_ratio": base.cpu_ratio(percent),
    }
    address = base.address_in(host)
    return MeasuredEnd(name="" if address else base.bounded(host), address=address, **told)


def _number(cells: dict[str, str], name: str) -> float | None:
    number = base.finite(cells.get(name))
    return number if number is not None and number >= 0 else None


def _started_at(text: str) -> str:
    try:
        return base.rfc3339(
            datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
        )
    except ValueError:
        return ""


TEXTS = (base.TextFormat(is_cloudharmony, measurements_of),)
