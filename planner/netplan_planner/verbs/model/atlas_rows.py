"""The rows of the atlas: every path between regions, what campaigns measured on it, what it costs.

What the model says is asked as one table of paths, of the machines that were asked about and of
each campaign's own set-up, by the columns of docs/predict.md.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from netplan_planner.errors import MissingDatum
from netplan_planner.measuring.store import is_store
from netplan_planner.model import MeasuredEnd, Measurement, PathClass, PriceBook, region_of
from netplan_planner.planning.path_question import check_type
from netplan_planner.planning.table_kinds import read_kinds
from netplan_planner.readers.paths.path_cells import clouds_of, path_class_of
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.batch import predict_columns
from netplan_planner.throughput.goodput.intervals import factors_at
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.ends import OWN_CLOUD
from netplan_planner.throughput.round_trips.of_path import path_round_trip
from netplan_planner.units import BYTES_PER_MIB
from netplan_planner.verbs.model.ask import AtlasAsk
from netplan_planner.verbs.model.atlas import Atlas, AtlasRow, ClassSummary
from netplan_planner.world.reading import read_measurements
from netplan_pricing import open_prices

Floats = NDArray[np.float64]

_BETWEEN = (PathClass.INTER_REGION_INTERNAL, PathClass.INTER_REGION_EXTERNAL)
_WITHIN = (
    PathClass.SAME_ZONE_INTERNAL,
    PathClass.SAME_ZONE_EXTERNAL,
    PathClass.INTER_ZONE_INTERNAL,
    PathClass.INTER_ZONE_EXTERNAL,
)
_STEADY_S = 10**8
"""Of the paths that are asked about: no start is left in it. A table of paths that says none may
hold short runs."""
_DIGITS = 4
"""Significant ones of a figure: the table is read by people too."""
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


def atlas_of(ask: AtlasAsk, today: date) -> Atlas:
    """Return every path between regions, with what is known of it.

    Raises:
        InputError: If measurements cannot be read.
        UsageError: If there is no such machine type.
    """
    as_of = ask.as_of or today
    check_type("--machine-type", ask.machine_type, load_caps(as_of))
    pricing = ask.pricing
    book = open_prices(pricing.prices, pricing.discounts, pricing.billing_exports)
    groups: list[Group] = []
    unused, refused = 0, list[str]()
    for name, stream in _tables(ask.measurements):
        with PathTable(name, stream=stream) as table:
            found, left = _groups(table, as_of, ask.level)
            refused += table.refused.named
        groups += found
        unused += left
    by_path: dict[RegionPath, list[Group]] = {}
    for one in sorted(groups, key=lambda one: (one.source, one.date, one.setup)):
        by_path.setdefault(one.path, []).append(one)
    paths = list(dict.fromkeys(chain(_own_paths(book.regions()), sorted(by_path))))
    said = _asked(paths, ask, as_of)
    rows = tuple(
        row
        for path, one in zip(paths, said, strict=True)
        for row in _rows(path, one, by_path.get(path, ()), book)
    )
    return Atlas(
        as_of=str(as_of),
        prices_as_of=str(book.info.network_as_of),
        level=ask.level,
        machine_type=ask.machine_type,
        streams=ask.streams,
        summaries=tuple(_summaries(rows)),
        rows=rows,
        unused_count=unused,
        refused=tuple(refused),
    )


def _tables(files: Sequence[Path]) -> Iterator[tuple[Path, io.BytesIO | None]]:
    """Yield each table; the runs of all stores are one."""
    stores = [file for file in files if is_store(file)]
    yield from ((file, None) for file in files if file not in stores)
    if stores:
        runs, _ = read_measurements(stores)
        yield stores[0], _as_csv(map(_cells_of_run, runs))


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


def _as_csv(rows: Iterable[dict[str, object]]) -> io.BytesIO:
    text = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, list(row))
            writer.writeheader()
        writer.writerow(row)
    return io.BytesIO(text.getvalue().encode())


def _own_paths(regions: Iterable[str]) -> Iterator[RegionPath]:
    names = sorted(regions)
    for src in names:
        for dst in names:
            classes = _WITHIN if src == dst else _BETWEEN
            yield from (RegionPath(src, dst, one) for one in classes)


def _asked(paths: Sequence[RegionPath], ask: AtlasAsk, as_of: date) -> list[Said]:
    """Return what the model says of the machines that were asked about, by path."""
    rows: list[dict[str, object]] = []
    for path in paths:
        senders = _cloud_of(path.src)
        src, dst = _zones(path)
        rows.append(
            {
                "path_class": path.path_class.value,
                "src_location": src,
                "dst_location": dst,
                # Machine types of other clouds are not asked about.
                "machine_type": ask.machine_type if senders == OWN_CLOUD else "",
                "dst_machine_type": ask.machine_type if _cloud_of(path.dst) == OWN_CLOUD else "",
                "streams": ask.streams,
                "duration_s": _STEADY_S,
                "date": as_of,
            }
        )
    with PathTable(Path("atlas"), stream=_as_csv(rows)) as table:
        return _said(table, as_of, ask.level)


def _zones(path: RegionPath) -> tuple[str, str]:
    """Return places that are as far from each other as the class says, within one region too."""
    if path.path_class.distance == "same-zone":
        return f"{path.src}-a", f"{path.dst}-a"
    if path.path_class.distance == "inter-zone":
        return f"{path.src}-a", f"{path.dst}-b"
    return path.src, path.dst


def _said(table: PathTable, as_of: date, level: float) -> list[Said]:
    kinds = read_kinds(table, as_of=as_of)
    found = predict_columns(kinds.kinds, kinds.limits, kinds.columns, factors_at(level))
    columns = (found.gbps, found.low_gbps, found.high_gbps)
    names = [LIMITS[code] if code >= 0 else "" for code in found.binding.tolist()]
    return [Said(*row) for row in zip(*(one.tolist() for one in columns), names, strict=True)]


def _groups(table: PathTable, as_of: date, level: float) -> tuple[list[Group], int]:
    """Return the measured rows by campaign, set-up and path, and how many are in none."""
    values = table.values_gbps()
    said = _said(table, as_of, level)
    cells, kind = table.coded((*_CAMPAIGN, "src_location", "dst_location"))
    buffers = table.rows().numbers["window_of_note"] * 2
    rows_of: dict[tuple[int, float], list[int]] = {}
    for row in np.flatnonzero(values > 0).tolist():
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


def _cloud_of(region: str) -> str:
    return region.partition(":")[0] if ":" in region else OWN_CLOUD


def _setup(cells: dict[str, str], buffer_bytes: float) -> str:
    """Return a campaign's set-up in words, as far as its rows tell it."""
    ends = " to ".join(
        dict.fromkeys(one for one in (cells["machine_type"], cells["dst_machine_type"]) if one)
    )
    streams = cells["streams"].removesuffix(".0")
    parts = (
        ends or "machines not stated",
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


def _rows(
    path: RegionPath, said: Said, groups: Sequence[Group], book: PriceBook
) -> Iterator[AtlasRow]:
    found = path_round_trip(*_zones(path), distance=path.path_class.distance)
    plain = AtlasRow(
        src=path.src,
        dst=path.dst,
        path_class=path.path_class,
        rtt_ms=_rounded(found.rtt_ms),
        low_rtt_ms=_rounded(found.low_ms),
        high_rtt_ms=_rounded(found.high_ms),
        rtt_basis=str(found.basis or ""),
        usd_per_gib=_usd_per_gib(path, book),
        gbps=_rounded(said.gbps),
        low_gbps=_rounded(said.low_gbps),
        high_gbps=_rounded(said.high_gbps),
        binding_limit=said.binding_limit,
    )
    if not groups:
        yield plain
    yield from (_measured(plain, one) for one in groups)


def _measured(plain: AtlasRow, group: Group) -> AtlasRow:
    values = group.values_gbps
    return replace(
        plain,
        source=group.source,
        date=group.date,
        setup=group.setup,
        run_count=len(values),
        measured_gbps=_rounded(float(np.median(values))),
        least_gbps=_rounded(float(values.min())),
        most_gbps=_rounded(float(values.max())),
        setup_gbps=_rounded(group.said.gbps),
        setup_low_gbps=_rounded(group.said.low_gbps),
        setup_high_gbps=_rounded(group.said.high_gbps),
    )


def _usd_per_gib(path: RegionPath, book: PriceBook) -> float | None:
    """Return the first step above 0 of the list price; None where it depends on what is open."""
    if _cloud_of(path.src) != OWN_CLOUD or _cloud_of(path.dst) != OWN_CLOUD:
        return None
    try:
        steps = book.traffic(path.path_class, src_region=path.src, dst_region=path.dst)
    except MissingDatum:
        return None
    paid = [float(one.price.usd) for one in steps]
    return next((usd for usd in paid if usd > 0), 0.0 if paid else None)


def _rounded(value: float | None) -> float | None:
    """Return a figure with as many digits as it deserves; None for one that is not known."""
    if value is None or np.isnan(value):
        return None
    return float(f"{value:.{_DIGITS}g}")


def _summaries(rows: Sequence[AtlasRow]) -> Iterator[ClassSummary]:
    groups: dict[tuple[PathClass, str], list[AtlasRow]] = {}
    for row in rows:
        clouds = (_cloud_of(row.src), _cloud_of(row.dst))
        name = clouds[1] if clouds[0] == OWN_CLOUD else " to ".join(clouds)
        groups.setdefault((row.path_class, name), []).append(row)
    for (path_class, receiver), found in sorted(groups.items()):
        measured = [row for row in found if row.is_measured]
        inside = [row.is_inside for row in measured if row.is_inside is not None]
        ratios = [row.ratio for row in measured if row.ratio is not None]
        yield ClassSummary(
            path_class=path_class,
            receiver=receiver,
            path_count=len({(row.src, row.dst) for row in found}),
            measured_count=len({(row.src, row.dst) for row in measured}),
            campaign_count=len({row.source for row in measured}),
            inside_ratio=_rounded(float(np.mean(inside))) if inside else None,
            median_ratio=_rounded(float(np.median(ratios))) if ratios else None,
        )
