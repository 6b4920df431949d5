"""The best way to move bytes from one place to others: what was asked, checked and planned."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.errors import InputError, UsageError, no_region
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
from netplan_planner.verbs.transfer.infeasible import NO_PRICE
from netplan_planner.verbs.transfer.plan import plan_transfer

_SRC = Column(name="src", meaning="source of the bytes", is_required=True)


_DST = Column(name="dst", meaning="destination of the bytes", is_required=True)


GRID_COLUMNS = (
    _SRC,
    _DST,
    number_column(
        "gbps_per_vm",
        "from one VM to one VM; 0: no path",
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
        "of the bytes sent; 0: free",
        unit="USD per GiB",
        least=0,
        most=1e6,
        is_required=True,
    ),
)


MOST_TARGETS = 40
_OTHER_PLACES = (
    "; use a region, storage:REGION or internet. To another cloud: --to internet with --area, or"
    " measured rates with --grid FILE"
)


_ORDER = (
    "Create receivers first, then relays, then senders, so that nothing waits. All are paid "
    "from their start until you delete them. If a zone has no capacity, try another one."
)


@verb(
    panel=panels.PLAN,
    question="How do I move many bytes cheaply or fast?",
    rows=8,
    explains="Show every row, step and bill, and why some types are not evaluated.",
)
def transfer(ask: TransferAsk, now: Now) -> TransferAnswer:
    """Plan a transfer of bytes to regions, the internet, buckets or other networks.

    Finds the cheapest plan within a deadline or the fastest within a budget: paths, relays that
    save money, machine types and numbers, connections, quotas, and the cost/time trade-off. Exit
    status: 0, or 1 when no plan exists.
    """
    on = opened(ask.on, now.today)
    tables = Tables(
        None if ask.grid is None else read_grid(ask.grid),
        None if ask.edge_prices is None else read_edge_prices(ask.edge_prices),
    )
    plan = plan_transfer(_need(ask, on, tables), on.prices, on.caps, tables)
    found, why = plan.plan, str(plan.infeasible and plan.infeasible.binding)
    if INTERNET in ask.need.targets and ask.need.area is None and why.startswith(NO_PRICE):
        raise UsageError(f"--to internet needs --area: {why.removeprefix(f'{NO_PRICE}: ')}")
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
            "give source and destination, such as --from us-central1 --to europe-west4"
        )
    if not asked.volume_bytes:
        raise UsageError("give the amount of data, such as --bytes 10TB")
    if ask.relays and ask.has_no_relays:
        raise UsageError("use --relay or --no-relays, not both")
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
                    "--from internet: you do not choose the sender there. To plan VMs that "
                    "receive: netplan job --from internet"
                )
            continue
        if has_regions and is_end and place.startswith(STORAGE_PREFIX):
            place = region_of_bucket(place)
            if place in regions:
                continue
        if place not in known:
            why = no_region(place, known, "region" if has_regions else "place of the tables")
            if has_regions and is_end and ":" in place:
                # No region has a colon: the nearest names would say nothing.
                why = f"{place[:60]!r} is not a place of Google Cloud"
            also = _OTHER_PLACES if has_regions and is_end else ""
            raise UsageError(f"{option}: {why}{also}")
    _check_ends(need)
    if need.source not in regions and has_regions and not need.source.startswith(STORAGE_PREFIX):
        raise UsageError(
            f"--from {need.source}: the rate of a VM there is unknown: give --grid FILE"
        )


def _check_ends(need: TransferNeed) -> None:
    seen = set()
    for target in need.targets:
        if target == need.source:
            raise UsageError(f"--to {target} is also the source (--from)")
        if target in seen:
            raise UsageError(f"--to {target} is named twice")
        seen.add(target)
    for region in sorted(region_of_bucket(one) for one in seen if region_of_bucket(one) != one):
        if region in seen:
            raise UsageError(
                f"--to {region} and --to {STORAGE_PREFIX}{region}: the VMs of {region} forward "
                "all bytes to the bucket. Give only the bucket"
            )
    if len(need.targets) > MOST_TARGETS:
        raise UsageError(f"--to: {len(need.targets)} targets; at most {MOST_TARGETS} at once")
    if len(need.targets) > 1 and INTERNET in need.targets:
        raise UsageError("--to internet must be the only target: it cannot forward bytes")


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
            f"--start-up of {need.startup_s:g} s leaves no time within a --deadline of "
            f"{need.deadline_s:g} s"
        )
    for name in need.machine_types:
        if prices.shape(name) is None:
            raise UsageError(f"--machine-type {limits.why_no_type(name)}")
    if need.area is not None and INTERNET not in need.targets:
        raise UsageError("--area needs --to internet")
    if need.network_tier is not None and INTERNET not in need.targets:
        raise UsageError("--network-tier needs --to internet")
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
            raise UsageError(f"{option} is for the VMs of a grid: add --grid FILE")
    buckets = [x for x in (need.source, *need.targets) if x.startswith(STORAGE_PREFIX)]
    if buckets and need.storage_gbps is None:
        raise UsageError(
            "no document states the rate between one VM and Cloud Storage: give your measurement "
            "with --storage-gbps (published values: netplan predict --path google-apis)"
        )
    if need.storage_gbps is not None and not buckets:
        raise UsageError(f"--storage-gbps needs a bucket: --from or --to {STORAGE_PREFIX}REGION")
    check_mtu(need)
    regions = set(prices.regions())
    if need.streams is not None and any(region_of_bucket(t) not in regions for t in need.targets):
        raise UsageError(
            "--streams needs regions as targets, because their round-trip time is known"
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
        "--vcpus": need.vcpus > 1,
        "--vcpu-gbps": need.vcpu_gbps is not None,
    }
    for option, is_given in refused.items():
        if is_given:
            raise UsageError(
                f"{option} is for Google's machine types: a grid's rates apply to its own VMs"
            )
    if len(need.machine_types) > 1:
        raise UsageError("--machine-type: all VMs of a grid have one type")
    if need.machine_types and need.machine_usd_per_hour is not None:
        raise UsageError("use --machine-type or --machine-usd-per-hour, not both")


def changes_of_transfer(plan: TransferPlan, prices: PriceBook) -> PlanChanges:
    """Return a step for each place with machines of a known type."""
    return in_order(_steps(plan, prices), _ORDER)


def _steps(plan: TransferPlan, prices: PriceBook) -> Iterator[PlanChange]:
    if plan.plan is None:
        return
    need, regions = plan.need, set(prices.regions())
    leaves = any(region_of_bucket(one) not in regions for one in need.targets)
    tiers = {flow.src: flow.network_tier for flow in plan.plan.flows if flow.network_tier}
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
            network_tier=tiers.get(machines.place, NetworkTier.PREMIUM.value) if leaves else "",
        )
        if not is_known:
            unknown = (
                f"It is unknown which zones of {machines.place} offer {machines.machine_type}."
            )
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
        raise InputError(f"{shown}: it has no rows. Each row is an edge from one place to another")
    seen: dict[tuple[str, str], int] = {}
    for at in range(count):
        src, dst = (found[which[at]] for found, which in texts)
        number = float(numbers[at])
        for column, is_empty in (("src", not src), ("dst", not dst), (value, math.isnan(number))):
            if is_empty:
                raise InputError(
                    f"{shown}: row {at + 1}: {column} is empty: state it, because unknown is not "
                    "0, or leave the row out"
                )
        if (src, dst) in seen:
            raise InputError(
                f"{shown}: rows {seen[src, dst]} and {at + 1} are both {src} to {dst}: keep one"
            )
        seen[src, dst] = at + 1
        if src != dst:
            yield src, dst, number
