"""The best way to move bytes from one place to others: what was asked, checked and planned."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError, nearest_names
from netplan_planner.model import PriceBook, Usage, spaced
from netplan_planner.model.plans.plan_answer import PlanChange, PlanChanges
from netplan_planner.planning.basis import Opened, opened
from netplan_planner.planning.inputs import check_interruptions
from netplan_planner.planning.path_question import check_mtu
from netplan_planner.planning.steps import in_order
from netplan_planner.planning.steps.runs import machines_for_run, names_of, zone_of
from netplan_planner.tables.columns import Column, number_column
from netplan_planner.tables.reading import Table
from netplan_planner.throughput import CapsTable
from netplan_planner.throughput.limits.caps import checked_series
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.transfer.answer import (
    INTERNET,
    STORAGE_PREFIX,
    EdgePrice,
    GridEdge,
    TransferAnswer,
    TransferPlan,
)
from netplan_planner.verbs.transfer.ask import AddressKind, NetworkTier, TransferAsk, TransferNeed
from netplan_planner.verbs.transfer.hops import Tables, region_of_bucket
from netplan_planner.verbs.transfer.plan import plan_transfer

_SRC = Column(name="src", meaning="where the bytes come from", is_required=True)


_DST = Column(name="dst", meaning="where they go", is_required=True)


GRID_COLUMNS = (
    _SRC,
    _DST,
    number_column(
        "gbps_per_vm",
        "from one machine to one machine; 0: there is no way",
        unit="Gbit/s",
        least=0,
        most=1e5,
        is_required=True,
    ),
)


PRICE_COLUMNS = (
    _SRC,
    _DST,
    number_column(
        "usd_per_gib",
        "of what is sent; 0: it is free",
        unit="USD per GiB",
        least=0,
        most=1e6,
        is_required=True,
    ),
)


MOST_TARGETS = 40


_ORDER = (
    "Receivers before relays before senders, so that nothing waits for what is not there; all are"
    " paid from their start until they are deleted. A zone may have no room for them: try another."
)


@verb(
    panel=panels.PLAN,
    rows=8,
    explains="Print every row and step, the bill, and why types cannot be judged.",
)
def transfer(ask: TransferAsk, now: Now) -> TransferAnswer:
    """Plan a transfer of bytes to regions, the internet, buckets or other networks.

    The cheapest within a deadline or the fastest within a budget: ways, relays where they pay,
    machine types and counts, connections, quotas, and the front of cost against time. Exit status:
    0, or 1 when nothing does it.
    """
    on = opened(ask.on, now.today)
    tables = Tables(
        None if ask.grid is None else read_grid(ask.grid),
        None if ask.edge_prices is None else read_edge_prices(ask.edge_prices),
    )
    plan = plan_transfer(_need(ask, on, tables), on.prices, on.caps, tables)
    found = plan.plan
    return on.answer(
        TransferAnswer,
        is_feasible=found is not None,
        flows=found.flows if found else (),
        machines={one.place: one.count for one in found.machines} if found else {},
        usd_total=found.usd_total if found else None,
        seconds=found.duration_s if found else None,
        bound_usd_total=plan.bound_usd,
        transfer=plan,
        changes=changes_of_transfer(plan, on.prices),
    )


def _need(ask: TransferAsk, on: Opened, tables: Tables) -> TransferNeed:
    """Return what is to be moved, less what cannot be.

    Raises:
        UsageError: If something that must be said is missing, is not known, or cannot be.
    """
    asked = ask.need
    if not asked.source or not asked.targets:
        raise UsageError(
            "give where the bytes are and where they go, such as --from us-central1 --to"
            " europe-west4"
        )
    if not asked.volume_bytes:
        raise UsageError("give how much is moved, such as --bytes 10TB")
    if ask.relays and ask.has_no_relays:
        raise UsageError("--relay and --no-relays exclude each other")
    if ask.is_spot:
        check_interruptions(asked.interruptions_per_day)
    need = replace(
        asked,
        relays=tuple(sorted(set(ask.relays))) if ask.relays or ask.has_no_relays else None,
        series=checked_series(asked.series, on.limits),
        usage=Usage.SPOT if ask.is_spot else Usage.ON_DEMAND,
    )
    check_places(need, on.prices, tables)
    check_need(need, on.limits, on.prices, tables)
    return need


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
            raise UsageError(f"--machine-type {limits.why_no_type(name)}")
    if need.area is not None and INTERNET not in need.targets:
        raise UsageError("--area is of the internet: --to internet")
    if need.network_tier is not NetworkTier.PREMIUM and INTERNET not in need.targets:
        raise UsageError("--network-tier standard is of the internet: --to internet")
    if tables.grid is not None:
        _check_grid(need)
        return
    _check_without_grid(need, prices)


def _check_without_grid(need: TransferNeed, prices: PriceBook) -> None:
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
    check_mtu(need)
    regions = set(prices.regions())
    if need.streams is not None and any(region_of_bucket(t) not in regions for t in need.targets):
        raise UsageError(
            "--streams is for targets that are regions, whose round-trip time is known"
        )


def _check_grid(need: TransferNeed) -> None:
    refused = {
        "--streams": need.streams is not None,
        "--window-bytes": need.window_bytes is not None,
        "--send-buffer-bytes": need.send_buffer_bytes is not None,
        "--mtu": need.mtu_bytes is not None,
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


def changes_of_transfer(plan: TransferPlan, prices: PriceBook) -> PlanChanges:
    """Return a step for each place with machines of a known type."""
    return in_order(_steps(plan, prices), _ORDER)


def _steps(plan: TransferPlan, prices: PriceBook) -> Iterator[PlanChange]:
    if plan.plan is None:
        return
    need, regions = plan.need, set(prices.regions())
    leaves = any(region_of_bucket(one) not in regions for one in need.targets)
    for machines in reversed(plan.plan.machines):
        if not machines.machine_type or machines.place not in prices.regions():
            continue
        zone, is_known = zone_of(machines.place, machines.machine_type, prices)
        role = machines.role.split()[0]
        step = machines_for_run(
            names_of(f"netplan-{role}-{machines.place}", machines.count),
            zone,
            machines.machine_type,
            is_spot=plan.need.usage is Usage.SPOT,
            is_tier1=machines.is_tier1,
            cpu_platform=machines.cpu_platform,
            has_address=leaves or need.address is AddressKind.EXTERNAL,
            network_tier=need.network_tier.value if leaves else "",
        )
        if not is_known:
            unknown = f"Which zones of {machines.place} offer {machines.machine_type} is not known."
            step = replace(step, fix=replace(step.fix, caution=spaced(unknown, step.fix.caution)))
        yield step


def read_grid(path: Path) -> tuple[GridEdge, ...]:
    """Return what one machine sends to one machine, by places.

    Raises:
        InputError: If it is no table with the columns, or a row makes no sense; it is named.
    """
    return tuple(
        GridEdge(src=src, dst=dst, gbps_per_vm=value)
        for src, dst, value in _rows(path, GRID_COLUMNS)
    )


def read_edge_prices(path: Path) -> tuple[EdgePrice, ...]:
    """Return what a GiB costs between places.

    Raises:
        InputError: If it is no table with the columns, or a row makes no sense; it is named.
    """
    return tuple(
        EdgePrice(src=src, dst=dst, usd_per_gib=Decimal(repr(value)))
        for src, dst, value in _rows(path, PRICE_COLUMNS)
    )


def _rows(path: Path, columns: Sequence[Column]) -> Iterator[tuple[str, str, float]]:
    value = columns[-1].name
    with Table(path, columns) as table:
        numbers = table.checked_numbers()[value]
        if table.refused.count:
            raise InputError(f"{table.shown}: {'; '.join(table.refused.named)}")
        texts = [table.texts(name) for name in ("src", "dst")]
        shown, count = table.shown, table.row_count
    if not count:
        raise InputError(f"{shown}: it has no rows: a row is an edge from one place to another")
    seen: dict[tuple[str, str], int] = {}
    for at in range(count):
        src, dst = (found[which[at]] for found, which in texts)
        number = float(numbers[at])
        for column, is_empty in (("src", not src), ("dst", not dst), (value, math.isnan(number))):
            if is_empty:
                raise InputError(
                    f"{shown}: row {at + 1}: {column} is empty: unknown is not 0, so give it or"
                    " leave the row out"
                )
        if (src, dst) in seen:
            raise InputError(
                f"{shown}: rows {seen[src, dst]} and {at + 1} are both {src} to {dst}: keep one"
            )
        seen[src, dst] = at + 1
        if src != dst:
            yield src, dst, number
