"""What of a transfer cannot be, found before anything is worked out."""

import math
from collections.abc import Iterator, Sequence

from netplan_planner.errors import UsageError, nearest_names
from netplan_planner.model import PriceBook
from netplan_planner.model.transfer import (
    INTERNET,
    STORAGE_PREFIX,
    NetworkTier,
    PlaceLimit,
    TransferNeed,
)
from netplan_planner.optimise.transfer.hops import Tables, region_of_bucket
from netplan_planner.throughput import CapsTable

MOST_TARGETS = 40


def place_limits(option: str, stated: Sequence[str]) -> tuple[PlaceLimit, ...]:
    """Return quotas of the form PLACE=GBPS, each place once.

    Raises:
        UsageError: If one is not, or a place has two.
    """
    found: dict[str, PlaceLimit] = {}
    for one in stated:
        place, equals, text = one.rpartition("=")
        try:
            gbps = float(text)
        except ValueError:
            gbps = math.nan
        if not (equals and place and math.isfinite(gbps) and gbps > 0):
            raise UsageError(f"{option} {one[:80]!r} is not PLACE=GBPS, such as us-central1=100")
        if place in found:
            raise UsageError(f"{option}: {place} has two values; give one")
        found[place] = PlaceLimit(place=place, gbps=gbps)
    return tuple(found[place] for place in sorted(found))


def check_places(need: TransferNeed, prices: PriceBook, tables: Tables) -> None:
    """Raise for a place that is not known, or that is asked for twice.

    Raises:
        UsageError: With the nearest names.
    """
    known = _known(prices, tables)
    regions = set(prices.regions())
    has_regions = tables.grid is None
    for option, place in _named(need):
        is_end = option in {"--from", "--to"}
        if has_regions and is_end and place == INTERNET:
            if option == "--from":
                raise UsageError(
                    "--from internet: what sends there is not yours to choose; for machines that"
                    " take bytes in see netplan job --from internet"
                )
            continue
        if has_regions and is_end and place.startswith(STORAGE_PREFIX):
            place = region_of_bucket(place)
            if place in regions:
                continue
        if place not in known:
            near = nearest_names(place, sorted(known))
            hint = f"; near: {', '.join(near)}" if near else ""
            kinds = "region" if has_regions else "place of the tables"
            also = ", internet or storage:REGION" if has_regions and is_end else ""
            raise UsageError(f"{option} {place[:80]!r} is no {kinds}{also} that is known{hint}")
    _check_ends(need)
    if need.source not in regions and has_regions and not need.source.startswith(STORAGE_PREFIX):
        raise UsageError(
            f"--from {need.source}: what a machine there sends is not known: give --grid FILE"
        )


def _check_ends(need: TransferNeed) -> None:
    seen = set()
    for target in need.targets:
        if target == need.source:
            raise UsageError(f"--to {target} is where the bytes are already (--from)")
        if target in seen:
            raise UsageError(f"--to {target} is named twice")
        seen.add(target)
    for region in sorted(region_of_bucket(one) for one in seen if region_of_bucket(one) != one):
        if region in seen:
            raise UsageError(
                f"--to {region} and --to {STORAGE_PREFIX}{region}: the machines of {region} pass"
                " all bytes to the bucket; name the bucket alone"
            )
    if len(need.targets) > MOST_TARGETS:
        raise UsageError(f"--to: {len(need.targets)} targets; at most {MOST_TARGETS} at once")
    if len(need.targets) > 1 and INTERNET in need.targets:
        raise UsageError("--to internet is a target by itself: nobody there passes bytes on")


def _named(need: TransferNeed) -> Iterator[tuple[str, str]]:
    yield "--from", need.source
    for target in need.targets:
        yield "--to", target
    for relay in need.relays or ():
        yield "--relay", relay
    for quota in need.inside_quotas:
        yield "--quota", quota.place
    for quota in need.outside_quotas:
        yield "--internet-quota", quota.place


def _known(prices: PriceBook, tables: Tables) -> set[str]:
    if tables.grid is not None:
        return {name for row in tables.grid for name in (row.src, row.dst)}
    return {*prices.regions(), *(row.dst for row in tables.prices or ())}


def check_need(need: TransferNeed, limits: CapsTable, prices: PriceBook, tables: Tables) -> None:
    """Raise for options that contradict one another, or that ask for what is not known.

    Raises:
        UsageError: With what to change.
    """
    if need.startup_s and need.deadline_s and need.startup_s >= need.deadline_s:
        raise UsageError(
            f"--start-up of {need.startup_s:g} s leaves nothing of a --deadline of"
            f" {need.deadline_s:g} s"
        )
    for name in need.machine_types:
        if prices.shape(name) is None:
            near = limits.nearest(name)
            hint = f"; the nearest names are {', '.join(near)}" if near else ""
            raise UsageError(f"--machine-type {name[:80]!r} is no machine type that is known{hint}")
    if need.area is not None and INTERNET not in need.targets:
        raise UsageError("--area is of the internet: --to internet")
    if need.network_tier is not NetworkTier.PREMIUM and INTERNET not in need.targets:
        raise UsageError("--network-tier standard is of the internet: --to internet")
    if tables.grid is not None:
        _check_grid(need)
        return
    given = {
        "--machine-usd-per-hour": need.machine_usd_per_hour,
        "--machine-egress-gbps": need.machine_egress_gbps,
        "--machine-ingress-gbps": need.machine_ingress_gbps,
    }
    for option, value in given.items():
        if value is not None:
            raise UsageError(f"{option} is of the machines of a grid: --grid FILE")
    buckets = [x for x in (need.source, *need.targets) if x.startswith(STORAGE_PREFIX)]
    if buckets and need.storage_gbps is None:
        raise UsageError(
            "no document states what one machine moves from or to Cloud Storage: give what you"
            " measured with --storage-gbps (published figures: netplan predict --path google-apis)"
        )
    if need.storage_gbps is not None and not buckets:
        raise UsageError(f"--storage-gbps is of a bucket: --from or --to {STORAGE_PREFIX}REGION")
    regions = set(prices.regions())
    if need.streams is not None and any(region_of_bucket(t) not in regions for t in need.targets):
        raise UsageError(
            "--streams is for targets that are regions, whose round-trip time is known"
        )


def _check_grid(need: TransferNeed) -> None:
    refused = {
        "--streams": need.streams is not None,
        "--series": bool(need.series),
        "--memory-gib": bool(need.memory_gib),
        "--storage-gbps": need.storage_gbps is not None,
    }
    for option, is_given in refused.items():
        if is_given:
            raise UsageError(f"{option} is of Google's machines: a grid's rates hold for its own")
    if len(need.machine_types) > 1:
        raise UsageError("--machine-type: the machines of a grid are of one type")
    if need.machine_types and need.machine_usd_per_hour is not None:
        raise UsageError("--machine-type and --machine-usd-per-hour exclude each other")
