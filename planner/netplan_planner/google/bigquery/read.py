"""Reads flow logs in BigQuery: what it costs is asked first, and only sums come back."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import UsageError
from netplan_planner.google.bigquery.place import Place
from netplan_planner.google.bigquery.queries import (
    MORE,
    RECORDS,
    USD_PER_TIB,
    BigQueryEngine,
    Estimate,
    Jobs,
    of_look,
    of_records,
    told,
    usd,
)
from netplan_planner.google.bigquery.rollup import Rollup, cost_line
from netplan_planner.google.bigquery.service import Service
from netplan_planner.google.bigquery.tables import Found, find_tables, query_of
from netplan_planner.google.logs.options import DEFAULT_MAX_COST_USD
from netplan_planner.meter import Notice
from netplan_planner.model import Inventory, TrafficMatrix
from netplan_planner.traffic import remote
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.day_sums import days_of
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.units import BYTES_PER_TIB, cents, counted

_MOST_BYTES = (1 << 63) - 1
"""The service takes no greater number; 52 million dollars buy as many."""

Say = Callable[[str], None]


def read_bigquery(
    service: Service,
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
        service: Whose project pays for the queries.
        place: The dataset, or a table of it.
        inventory: What the addresses of the records are looked up in.
        options: Choices; `since` is needed.
        rollup: The dataset that keeps the sums of days; None: nothing is kept.
        max_cost_usd: What the queries may cost in all; None: no bound but what is said.
        say: Where the bytes and dollars go before the first scan.
        now: Tells the time.

    Raises:
        UsageError: If it would cost more than is allowed, the window is none, or sums of days
            cannot answer it.
        NetplanError: What the service refuses, by name.
    """
    if rollup is not None:
        # Before anything is asked for.
        days_of(options)
    moment = now()
    options = replace(options, since=_utc(options.since), until=_utc(options.until))
    since, until = options.since, options.until or moment
    assert since is not None, "asking.read_traffic_in_bigquery wants one"
    if since >= until:
        # A table that is not partitioned would be read, and billed, whole.
        end = "now" if options.until is None else f"--until {until.isoformat()}"
        raise UsageError(f"--since {since.isoformat()} is not before {end}: the window is empty")
    shown = str(place)
    with told(shown):
        found = find_tables(service, place, since, until)
    most_bytes = None if max_cost_usd is None else bytes_for(max_cost_usd)
    jobs = Jobs(service, found.location, shown, most_bytes)
    inputs = Inputs(tables=len(found.tables))
    try:
        if rollup is not None:

            def allow(looked_at: int) -> None:
                say(
                    Notice(
                        f"{shown}: {looked_at:,} bytes to read, ${cents(usd(looked_at)):,}, to"
                        " find days that changed"
                    )
                )
                _bound(shown, of_look(looked_at), max_cost_usd)

            days = Rollup(
                service, jobs, place, rollup, found, options, until=until, now=moment, allow=allow
            )
            estimate = days.estimate()
            say(Notice(cost_line(place, days, estimate)))
            _bound(shown, estimate, max_cost_usd)
            matrix = days.read(inventory, inputs)
            found = replace(found, notes=(*days.notes(), *found.notes))
        else:
            query = "\nUNION ALL\n".join(query_of(one, place, since, until) for one in found.tables)
            estimate = of_records(jobs.dry_run_bytes(query), found.tables)
            say(Notice(f"{shown}: {estimate}"))
            _bound(shown, estimate, max_cost_usd)
            jobs.run(f"CREATE OR REPLACE TEMP TABLE {RECORDS} AS\n{query}")
            matrix = remote.read(
                BigQueryEngine(jobs), inventory, options, shown=shown, inputs=inputs
            )
    except BaseException:
        if jobs.bytes_billed or jobs.unstated_count or jobs.has_cancelled:
            cancelled = "; BigQuery may bill the cancelled query, too" if jobs.has_cancelled else ""
            say(Notice(f"{shown}: {_billed(jobs)}; no answer arrived{cancelled}"))
        raise
    finally:
        jobs.close()
    return _with_notes(matrix, found, _billed(jobs))


def _utc(time: datetime | None) -> datetime | None:
    """Return a time in UTC, whose days the logs are kept by; one without a zone is UTC."""
    if time is None:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _bound(shown: str, estimate: Estimate, max_cost_usd: Decimal | None) -> None:
    """Hold what will be read against what it may cost.

    Held with the sums: a bound that is met on the way is paid for, and answers nothing.

    Raises:
        UsageError: If it would cost more.
    """
    if max_cost_usd is None:
        return
    if estimate.usd > max_cost_usd:
        default = " (the default)" if max_cost_usd == DEFAULT_MAX_COST_USD else ""
        raise UsageError(
            f"{shown}: about ${cents(estimate.usd):,} (${cents(estimate.told_usd):,} to read"
            f" {estimate.told:,} bytes at ${USD_PER_TIB} per TiB, the rest for aggregation)"
            f" exceeds --max-cost {max_cost_usd}{default}: {MORE}"
        )


def bytes_for(cost_usd: Decimal) -> int:
    """Return how many bytes may be billed."""
    return min(int(cost_usd / USD_PER_TIB * BYTES_PER_TIB), _MOST_BYTES)


def _billed(jobs: Jobs) -> str:
    billed, unstated = jobs.bytes_billed, jobs.unstated_count
    told = f"{billed:,} bytes (${cents(usd(billed)):,} at list price)"
    if not unstated:
        return f"BigQuery billed {told}"
    queries = counted(unstated, "query", "queries")
    return f"BigQuery billed {told}; the cost of {queries} is unknown"


def _with_notes(matrix: TrafficMatrix, found: Found, billed: str) -> TrafficMatrix:
    held = matrix.coverage
    return replace(
        matrix,
        coverage=replace(
            held,
            incomplete=(*found.incomplete, *held.incomplete),
            notes=(*found.notes, billed, *held.notes),
        ),
    )
