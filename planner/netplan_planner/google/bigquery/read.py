"""Reads flow logs in BigQuery: what it costs is asked first, and only sums come back."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

from google.cloud import bigquery
from msgspec.structs import replace

from netplan_planner.errors import UsageError
from netplan_planner.google.bigquery.engine import RECORDS, BigQueryEngine
from netplan_planner.google.bigquery.jobs import Jobs, retry, told
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.rollup import Rollup, cost_line
from netplan_planner.google.bigquery.tables import Found, find_tables, query_of
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.day_sums import days_of
from netplan_planner.traffic.options import TrafficOptions

USD_PER_TIB = Decimal("6.25")
"""On demand, in most locations (cloud.google.com/bigquery/pricing, 2026-11); some cost more, and
capacity (editions) is billed by time instead."""
BYTES_PER_TIB = 1 << 40
_REQUEST_S = 60.0

Say = Callable[[str], None]


def read_bigquery(
    client: bigquery.Client,
    place: Place,
    inventory: Inventory,
    options: TrafficOptions,
    *,
    rollup: Place | None = None,
    max_cost_usd: Decimal | None = None,
    say: Say = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> TrafficMatrix:
    """Return the traffic matrix of the flow logs in a dataset.

    Args:
        client: Whose project pays for the queries.
        place: The dataset, or a table of it.
        inventory: What the addresses of the records are looked up in.
        options: Choices; `since` is needed.
        rollup: The dataset that keeps the sums of days; None: nothing is kept.
        max_cost_usd: What the queries may cost in all; None: no bound but what is said.
        say: Where the bytes and dollars go before the first scan.
        now: Tells the time.

    Raises:
        UsageError: If it would cost more than is allowed, or sums of days cannot answer it.
        NetplanError: What the service refuses, by name.
    """
    assert options.since is not None, "asking.read_traffic_in_bigquery wants one"
    if rollup is not None:
        # Before anything is asked for.
        days_of(options)
    moment = now()
    since, until = options.since, options.until or moment
    shown = str(place)
    with told(shown):
        found = find_tables(client, place, since, until, retry=retry(), timeout=_REQUEST_S)
    jobs = Jobs(client, found.location, shown)
    inputs = Inputs(count=len(found.tables))
    try:
        if rollup is not None:

            def allow(looked_at: int) -> None:
                say(
                    f"{shown}: {looked_at:,} bytes to read, ${_usd(looked_at):,.2f}, to see which"
                    " days have changed"
                )
                _bound(jobs, shown, looked_at, max_cost_usd)

            days = Rollup(
                client, jobs, place, rollup, found, options, until=until, now=moment, allow=allow
            )
            scanned = days.dry_run_bytes()
            say(cost_line(place, days, scanned, _usd(scanned)))
            _bound(jobs, shown, scanned, max_cost_usd)
            matrix = days.read(inventory, inputs)
            found = replace(found, notes=(*days.notes(), *found.notes))
        else:
            query = "\nUNION ALL\n".join(query_of(one, place, since, until) for one in found.tables)
            scanned = jobs.dry_run_bytes(query)
            say(
                f"{shown}: {scanned:,} bytes to read, ${_usd(scanned):,.2f} at ${USD_PER_TIB} a"
                " TiB; sums over what was read are billed too, which no dry run tells"
            )
            _bound(jobs, shown, scanned, max_cost_usd)
            jobs.run(f"CREATE OR REPLACE TEMP TABLE {RECORDS} AS\n{query}")
            matrix = remote.read(
                BigQueryEngine(jobs), inventory, options, shown=shown, inputs=inputs
            )
    finally:
        jobs.close()
    return _with_notes(matrix, found, jobs.bytes_billed)


def _bound(jobs: Jobs, shown: str, scanned: int, max_cost_usd: Decimal | None) -> None:
    """Hold what will be read against what it may cost, and bound what is billed in all."""
    if max_cost_usd is None:
        return
    usd = _usd(scanned)
    if usd > max_cost_usd:
        raise UsageError(
            f"{shown}: reading costs ${usd:,.2f} ({scanned:,} bytes at ${USD_PER_TIB} a"
            f" TiB), more than --max-cost {max_cost_usd}: take a shorter window (--since,"
            " --until), or allow more"
        )
    jobs.most_bytes = int(max_cost_usd / USD_PER_TIB * BYTES_PER_TIB)


def _usd(byte_count: int) -> Decimal:
    return Decimal(byte_count) * USD_PER_TIB / BYTES_PER_TIB


def _with_notes(matrix: TrafficMatrix, found: Found, bytes_billed: int) -> TrafficMatrix:
    held = matrix.coverage
    billed = f"BigQuery billed {bytes_billed:,} bytes (${_usd(bytes_billed):,.2f} at list price)"
    return replace(
        matrix,
        coverage=replace(
            held,
            incomplete=(*found.incomplete, *held.incomplete),
            notes=(*found.notes, billed, *held.notes),
        ),
    )
