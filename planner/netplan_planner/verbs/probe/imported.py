"""What an import of throughput tools' outputs added to a store, and what it refused."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from netplan_planner import model
from netplan_planner.errors import InputError
from netplan_planner.measuring.outputs import read_outputs
from netplan_planner.measuring.outputs.base import Refused
from netplan_planner.measuring.store import append
from netplan_planner.model.base import Value
from netplan_planner.readers.paths.path_cells import day_of

_End = model.MeasuredEnd


class ProbeImport(Value, frozen=True, kw_only=True):
    """What an import did."""

    store: str
    measurement_count: int
    new_count: int
    """Of them, those that the store did not have yet."""
    file_count: int
    """Files with at least one of them."""
    by_tool: tuple[tuple[str, int], ...]
    refused: tuple[Refused, ...]
    ready_count: int
    """Of the measurements, those that tell all that a calibration needs."""
    untold: tuple[str, ...] = ()
    """Options that say what the others do not tell."""
    is_dated: bool = True
    """Whether any of them says on what day it ran."""

    @property
    def lost(self) -> tuple[Refused, ...]:
        """What was refused and is not there from another file either."""
        return tuple(one for one in self.refused if not one.is_repeat)


# Outputs of throughput tools into the store, with what they do not say themselves


def import_outputs(
    paths: Sequence[Path],
    *,
    store: Path,
    client: _End,
    server: _End,
    path_class: model.PathClass | None,
) -> ProbeImport:
    """Return what was added to a store from files and folders of tools' outputs.

    Args:
        paths: Files and folders.
        store: The file of measurements.
        client: What is said of the end that ran the tool's client, where the output does not.
        server: The same of its server.
        path_class: Of the path, where the output does not say.

    Raises:
        InputError: If a path is not there, nothing at all could be read, or the store cannot be
            written.
    """
    found: list[model.Measurement] = []
    refused: list[Refused] = []
    for path in paths:
        measurements, reasons = read_outputs(path)
        found += measurements
        refused += reasons
    answer = ProbeImport(
        store=str(store),
        measurement_count=len(found),
        new_count=0,
        file_count=len({one.source for one in found}),
        by_tool=tuple(sorted(Counter(one.tool for one in found).items())),
        refused=tuple(refused),
        ready_count=0,
    )
    if not found:
        why = f": {answer.lost[0]}" if answer.lost else ": no output of iperf3, iperf 2 or netperf"
        more = f" (and {len(answer.lost) - 1} more)" if len(answer.lost) > 1 else ""
        raise InputError(f"nothing to import{why}{more}")
    told = [_told(one, client, server, path_class) for one in found]
    tcp = [untold(one) for one in told if one.protocol == "tcp"]
    return msgspec.structs.replace(
        answer,
        new_count=append(store, told),
        ready_count=sum(not options for options in tcp),
        is_dated=any(day_of(one.started_at) for one in told),
        untold=tuple(name for name in _NEEDED if any(name in options for options in tcp)),
    )


_NEEDED = ("--src-type", "--dst-type", "--path", "--src-place", "--dst-place")


def untold(one: model.Measurement) -> set[str]:
    """Return the options that say what a calibration needs and a run does not tell.

    That is the sender's machine type, the path class, and both places or a round-trip time.
    """
    # Options name the ends by the tool: its client receives in a reverse run.
    sender, receiver = ("dst", "src") if one.is_reverse else ("src", "dst")
    lacking = set() if one.src.machine_type else {f"--{sender}-type"}
    if one.path_class is None:
        lacking.add("--path")
    if one.min_rtt_ms is None and one.rtt_ms is None:
        ends = ((sender, one.src), (receiver, one.dst))
        lacking |= {f"--{name}-place" for name, end in ends if not (end.zone or end.region)}
    return lacking


def _told(
    one: model.Measurement, client: _End, server: _End, path_class: model.PathClass | None
) -> model.Measurement:
    """Return a measurement with what is said of its ends; what the output says stays."""
    src, dst = (server, client) if one.is_reverse else (client, server)
    return msgspec.structs.replace(
        one,
        src=_end(one.src, src),
        dst=_end(one.dst, dst),
        path_class=one.path_class or path_class,
    )


def _end(end: _End, said: _End) -> _End:
    is_placed = end.zone is not None or end.region is not None
    unsaid = {
        name: getattr(said, name)
        for name in end.__struct_fields__
        if getattr(end, name) in (None, "") and not (is_placed and name in ("zone", "region"))
    }
    return msgspec.structs.replace(end, **unsaid)


def zone_and_region(place: str | None) -> tuple[model.Zone | None, model.Region | None]:
    """Return the zone and region of a place, which may be either; None where it is not said."""
    if place is None:
        return None, None
    if place.count("-") == 2:
        return model.Zone(place), model.region_of(place)
    return None, model.Region(place)
