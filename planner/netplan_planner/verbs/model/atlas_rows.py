"""The rows of the atlas: every path between regions, what campaigns measured on it, what it costs.

What the model says is asked as one table of paths, of the machines that were asked about and of
each campaign's own set-up, by the columns of docs/reference/verbs/predict.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import chain
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
from netplan_planner.model import PathClass, PriceBook
from netplan_planner.planning.path_question import check_type
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.ends import OWN_CLOUD
from netplan_planner.throughput.limits.tables import path_limit
from netplan_planner.throughput.round_trips.of_path import path_round_trip
from netplan_planner.verbs.model.ask import AtlasAsk
from netplan_planner.verbs.model.atlas import Atlas, AtlasRow, ClassSummary
from netplan_planner.verbs.model.atlas_campaigns import (
    Group,
    RegionPath,
    Said,
    as_csv,
    cloud_of,
    groups_of,
    measured_tables,
    said_of,
)
from netplan_pricing import open_prices

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
    for name, stream in measured_tables(ask.measurements):
        with PathTable(name, stream=stream) as table:
            found, left = groups_of(table, as_of, ask.level)
            refused += table.refused.named
        groups += found
        unused += left
    by_path: dict[RegionPath, list[Group]] = {}
    for one in sorted(groups, key=lambda one: (one.source, one.date, one.setup)):
        by_path.setdefault(one.path, []).append(one)
    paths = list(dict.fromkeys(chain(_own_paths(book.regions()), sorted(by_path))))
    said = _asked(paths, ask, as_of)
    ingress = path_limit("external-ingress", today)
    most_gbps = ingress.value if ingress is not None else np.inf
    rows = tuple(
        row
        for path, one in zip(paths, said, strict=True)
        for row in _rows(path, one, _bounded(by_path.get(path, ()), most_gbps), book)
    )
    return Atlas(
        as_of=str(as_of),
        prices_as_of=book.info.network_as_of,
        prices_sha256=book.info.sha256,
        level=ask.level,
        machine_type=ask.machine_type,
        streams=ask.streams,
        summaries=tuple(_summaries(rows)),
        rows=rows,
        unused_count=unused,
        refused=tuple(refused),
    )


def _own_paths(regions: Iterable[str]) -> Iterator[RegionPath]:
    names = sorted(regions)
    for src in names:
        for dst in names:
            classes = _WITHIN if src == dst else _BETWEEN
            yield from (RegionPath(src, dst, one) for one in classes)


def _bounded(groups: Iterable[Group], most_gbps: float) -> Iterator[Group]:
    """Yield campaigns, without what the model says above all that a machine receives from outside.

    For senders of other clouds nothing but buffers bounds it on days for which no source states
    that limit: this is no prediction.
    """
    nothing = Said(gbps=np.nan, low_gbps=np.nan, high_gbps=np.nan, binding_limit="")
    for one in groups:
        is_bound = cloud_of(one.path.src) == OWN_CLOUD or one.said.gbps <= most_gbps
        yield one if is_bound else one._replace(said=nothing)


def _asked(paths: Sequence[RegionPath], ask: AtlasAsk, as_of: date) -> list[Said]:
    """Return what the model says of the machines that were asked about, by path."""
    rows: list[dict[str, object]] = []
    for path in paths:
        senders = cloud_of(path.src)
        src, dst = _zones(path)
        rows.append(
            {
                "path_class": path.path_class.value,
                "src_location": src,
                "dst_location": dst,
                # Machine types of other clouds are not asked about.
                "machine_type": ask.machine_type if senders == OWN_CLOUD else "",
                "dst_machine_type": ask.machine_type if cloud_of(path.dst) == OWN_CLOUD else "",
                "streams": ask.streams,
                "duration_s": _STEADY_S,
                "date": as_of,
            }
        )
    with PathTable(Path("atlas"), stream=as_csv(rows)) as table:
        return said_of(table, as_of, ask.level)


def _zones(path: RegionPath) -> tuple[str, str]:
    """Return places that are as far from each other as the class says, within one region too."""
    if path.path_class.distance == "same-zone":
        return f"{path.src}-a", f"{path.dst}-a"
    if path.path_class.distance == "inter-zone":
        return f"{path.src}-a", f"{path.dst}-b"
    return path.src, path.dst


def _rows(
    path: RegionPath, said: Said, groups: Iterable[Group], book: PriceBook
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
    yield from [_measured(plain, one) for one in groups] or [plain]


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
    if cloud_of(path.src) != OWN_CLOUD or cloud_of(path.dst) != OWN_CLOUD:
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
        clouds = (cloud_of(row.src), cloud_of(row.dst))
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
