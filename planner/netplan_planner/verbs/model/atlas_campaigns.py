"""What campaigns measured on paths between regions, and what the model says of tables of paths."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner.measuring.store import is_store
from netplan_planner.model import MeasuredEnd, Measurement, PathClass, region_of
from netplan_planner.planning.table_kinds import read_kinds
from netplan_planner.readers.paths.path_cells import clouds_of, path_class_of
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.batch import predict_columns
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.ends import OWN_CLOUD
from netplan_planner.units import BYTES_PER_MIB
from netplan_planner.world.reading import read_measurements

Floats = NDArray[np.float64]

_CAMPAIGN = (
    *("source", "date", "machine_type", "dst_machine_type", "streams", "duration_s", "tool"),
    *("network_tier", "direction", "metric", "mtu", "tier1", "path_class", "cloud"),
)
"""Columns whose cells are alike in the rows of one campaign's set-up."""
_CARRIED = ("tcp_", "mpi_")
"""How names of metrics begin that are a rate between two machines; others are of applications."""


class RegionPath(NamedTuple):
    """A region that sends, one that receives, and the class."""

    src: str
    dst: str
    path_class: PathClass


class Said(NamedTuple):
    """What the model says of a row; NaN and an empty name where it says nothing."""

    gbps: float
    low_gbps: float
    high_gbps: float
    binding_limit: str


class Group(NamedTuple):
    """The rows of one campaign with one set-up on one path."""

    path: RegionPath
    source: str
    date: str
    setup: str
    values_gbps: Floats
    said: Said


def measured_tables(files: Sequence[Path]) -> Iterator[tuple[Path, io.BytesIO | None]]:
    """Yield each table; the runs of all stores are one."""
    stores = [file for file in files if is_store(file)]
    yield from ((file, None) for file in files if file not in stores)
    if stores:
        runs, _ = read_measurements(stores)
        yield stores[0], as_csv(map(_cells_of_run, runs))


def _cells_of_run(run: Measurement) -> dict[str, object]:
    """Return a run of `netplan probe` in the columns of a table of paths."""
    return {
        "source": run.source,
        "date": run.started_at[:10],
        "path_class": run.path_class or "",
        "src_location": _place(run.src),
        "dst_location": _place(run.dst),
        "machine_type": run.src.machine_type or "",
        "dst_machine_type": run.dst.machine_type or "",
        "tier1": "1" if run.src.is_tier1 else "",
        "mtu": run.mtu_bytes or "",
        "streams": run.streams or "",
        "duration_s": run.duration_s or "",
        "omit_s": run.omit_s or "",
        "rtt_ms": run.min_rtt_ms or "",
        "direction": "both" if run.is_bidirectional else "",
        "metric": f"tcp_throughput_{run.counted_by}",
        "tool": f"{run.tool} {run.tool_version}".strip(),
        "value": run.gbps,
    }


def _place(end: MeasuredEnd) -> str:
    return end.zone or end.region or ""


def as_csv(rows: Iterable[dict[str, object]]) -> io.BytesIO:
    """Return rows as a table in memory; its columns are those of the first row."""
    text = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, list(row))
            writer.writeheader()
        writer.writerow(row)
    return io.BytesIO(text.getvalue().encode())


def said_of(table: PathTable, as_of: date, level: float) -> list[Said]:
    """Return what the model says of each row of a table."""
    kinds = read_kinds(table, as_of=as_of)
    found = predict_columns(kinds.kinds, kinds.limits, kinds.columns, factors_at(level))
    columns = (found.gbps, found.low_gbps, found.high_gbps)
    names = [LIMITS[code] if code >= 0 else "" for code in found.binding.tolist()]
    return [Said(*row) for row in zip(*(one.tolist() for one in columns), names, strict=True)]


def groups_of(table: PathTable, as_of: date, level: float) -> tuple[list[Group], int]:
    """Return the measured rows by campaign, set-up and path, and how many are in none."""
    values = table.values_gbps()
    said = said_of(table, as_of, level)
    cells, kind = table.coded((*_CAMPAIGN, "src_location", "dst_location"))
    buffers = table.rows().numbers["window_of_note"] * 2
    rows_of: dict[tuple[int, float], list[int]] = {}
    for row in np.flatnonzero(np.isfinite(values) & (values > 0)).tolist():
        rows_of.setdefault((kind[row], float(np.nan_to_num(buffers[row]))), []).append(row)
    groups = []
    for (code, buffer_bytes), rows in rows_of.items():
        named = dict(zip((*_CAMPAIGN, "src_location", "dst_location"), cells[code], strict=True))
        path = _path_of(named)
        if path is None or not (named["metric"] + "tcp_").startswith(_CARRIED):
            continue
        groups.append(
            Group(
                path=path,
                source=named["source"] or table.path.name,
                date=named["date"],
                setup=_setup(named, buffer_bytes),
                values_gbps=values[rows],
                said=_median(said[row] for row in rows),
            )
        )
    used = sum(len(one.values_gbps) for one in groups)
    return _joined(groups), table.row_count - used


def _joined(groups: Iterable[Group]) -> list[Group]:
    """Return groups of one campaign, set-up and path as one: zones of a region stand together."""
    alike: dict[tuple[RegionPath, str, str, str], list[Group]] = {}
    for one in groups:
        alike.setdefault((one.path, one.source, one.date, one.setup), []).append(one)
    return [
        found[0]._replace(
            values_gbps=np.concatenate([one.values_gbps for one in found]),
            said=_median(one.said for one in found),
        )
        for found in alike.values()
    ]


def _path_of(cells: dict[str, str]) -> RegionPath | None:
    """Return the path of a measured row; None without a class, a place or a Google end."""
    path_class = path_class_of(cells["path_class"])
    src, dst = cells["src_location"], cells["dst_location"]
    if path_class is None or not src or not dst:
        return None
    clouds = clouds_of(cells["cloud"], src, dst)
    if OWN_CLOUD not in clouds:
        return None
    sender, receiver = map(_region, (src, dst), clouds)
    if sender == receiver and path_class.distance == "inter-region":
        # Grids of regions call their diagonal so too; which zones these were is not told.
        path_class = PathClass(path_class.replace("inter-region", "inter-zone"))
    return RegionPath(sender, receiver, path_class)


def _region(place: str, cloud: str) -> str:
    """Return a place's region, with its cloud before it where that is not Google's."""
    name = place.rpartition(":")[2]
    if cloud != OWN_CLOUD:
        return f"{cloud}:{name}"
    is_zone = len(name.rpartition("-")[2]) == 1
    return region_of(name) if is_zone else name


def cloud_of(region: str) -> str:
    """Return the cloud of a region by its name.

    >>> cloud_of("us-east1"), cloud_of("aws:eu-west-1")
    ('gcp', 'aws')
    """
    return region.partition(":")[0] if ":" in region else OWN_CLOUD


def _setup(cells: dict[str, str], buffer_bytes: float) -> str:
    """Return a campaign's set-up in words, as far as its rows tell it."""
    ends = " to ".join(
        dict.fromkeys(one for one in (cells["machine_type"], cells["dst_machine_type"]) if one)
    )
    streams = cells["streams"].removesuffix(".0")
    parts = (
        ends or "VMs not stated",
        f"{streams} {'stream' if streams == '1' else 'streams'}" if streams else "",
        f"{cells['duration_s'].removesuffix('.0')} s" if cells["duration_s"] else "",
        f"buffers of {buffer_bytes / BYTES_PER_MIB:,.0f} MiB" if buffer_bytes else "",
        f"MTU {cells['mtu']}" if cells["mtu"] else "",
        "Tier_1" if cells["tier1"] in {"1", "true", "True"} else "",
        "both ways at once" if "both" in cells["direction"].lower() else "",
        cells["tool"],
        "/".join(dict.fromkeys(one for one in cells["network_tier"].split("/") if one)),
    )
    return ", ".join(one for one in parts if one)


def _median(found: Iterable[Said]) -> Said:
    rows = list(found)
    figures = np.array([one[:3] for one in rows], dtype=float)
    known = figures[~np.isnan(figures).any(axis=1)]
    if not len(known):
        return Said(np.nan, np.nan, np.nan, "")
    gbps, low_gbps, high_gbps = np.median(known, axis=0).tolist()
    return Said(gbps, low_gbps, high_gbps, rows[0].binding_limit)
