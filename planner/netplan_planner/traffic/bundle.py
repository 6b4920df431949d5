"""The traffic of a bundle of `netplan collect`: sums that were made when it was collected."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from netplan_planner.bundle_file import TRAFFIC, part_of
from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json
from netplan_planner.model import Reporter, TrafficMatrix
from netplan_planner.traffic.options import TrafficOptions


def read(paths: Sequence[Path], options: TrafficOptions) -> TrafficMatrix:
    """Return the traffic matrix of the one bundle among paths of traffic.

    Raises:
        UsageError: If an option asks for what sums no longer tell.
        InputError: If there is other traffic beside it, or it holds none, or is damaged.
    """
    shown = inert_line(str(paths[0]))
    if len(paths) > 1:
        raise InputError(
            f"{shown}: a bundle holds sums of traffic, to which no other traffic can be added:"
            " collect all of it into one bundle"
        )
    content = part_of(paths[0], TRAFFIC, TrafficMatrix.__struct_fields__)
    if content is None:
        raise InputError(f"{shown}: the bundle holds no traffic")
    try:
        found = decode_json(content, TrafficMatrix)
    except msgspec.DecodeError as exc:
        raise InputError(f"{shown}: {TRAFFIC}: {exc}") from exc
    if options.since is not None or options.until is not None:
        raise UsageError(
            f"--since and --until: {shown} holds sums of its whole window; collect anew with them"
        )
    if options.reporter not in {Reporter.SOURCE, found.reporter}:
        raise UsageError(
            f"--reporter {options.reporter.value}: {shown} holds sums by {found.reporter.value};"
            " collect it anew"
        )
    return found
