"""What the flow logs of each subnetwork cost at most, as they are set, or if they were on.

By the metric of how many records there would be: it is there whether logs are on or off, and counts
all records at the shortest interval. A longer interval and a filter make fewer, and how many fewer
it does not tell: hence the most that there can be.
"""

from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import AccessError
from netplan_planner.google.options import ApiOptions
from netplan_planner.model import Inventory, Metric, Metrics, PriceBook, Subnetwork
from netplan_planner.model.evidence.flow_log_bill import LogSettings
from netplan_planner.model.evidence.log_volume import log_gib
from netplan_planner.planning.flow_logs import LogMeter, settings_of
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR
from netplan_planner.verbs.doctor.answer import SubnetworkLogs
from netplan_planner.world.metrics import read_predicted_logs
from netplan_planner.world.request import DEFAULT_DAYS, InputRequest

ALL_RECORDS = LogSettings(sampling_ratio=1.0, interval_s=5, has_metadata=True)
"""What logs that are off are priced for: the most that they could write."""
_NOT_ASKED = "the Compute API's endpoint is replaced, and Cloud Monitoring's is not"
_NO_SERIES = f"the metric has no series of it in {DEFAULT_DAYS} days"


def subnetwork_logs(
    projects: Sequence[str],
    inventory: Inventory,
    prices: PriceBook,
    api: ApiOptions,
    *,
    today: date,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[SubnetworkLogs, ...]:
    """Return the flow logs of every subnetwork that was read: on before off, the dearest first.

    The steps of prices are those of all logs that are on; of one that is off, as if it alone were
    added to none.

    Raises:
        UsageError: If the endpoint of Cloud Monitoring cannot be used.
    """
    own = [one for one in inventory.subnetworks if one.project in projects]
    if not own:
        return ()
    predicted, refused = _predicted(projects, api, today, say)
    found = [_one(one, inventory, predicted, refused) for one in own]
    meter = LogMeter(prices, sum((_gib(one) for one in found if one.is_on), Decimal(0)))
    priced = [_priced(one, meter if one.is_on else LogMeter(prices, _gib(one))) for one in found]
    return tuple(
        sorted(
            priced,
            key=lambda one: (
                not one.is_on,
                one.usd_per_month is None,
                -(one.usd_per_month or 0),
                one.project,
                one.region,
                one.name,
            ),
        )
    )


def _predicted(
    projects: Sequence[str], api: ApiOptions, today: date, say: Callable[[str], None]
) -> tuple[Metrics | None, str]:
    """Return the metric; where there is none, why."""
    request = InputRequest(today=today, projects=tuple(projects), api=api, live_metrics=True)
    try:
        found = read_predicted_logs(request, say)
    except AccessError as exc:
        return None, str(exc)
    if found is None:
        return None, _NOT_ASKED
    return found, ""


def _why_not(project: str, predicted: Metrics | None, refused: str) -> str:
    """Return why the metric tells nothing of a subnetwork of a project."""
    if predicted is None:
        return refused
    # The source of what was not read is the method, the project, and the metric.
    asked = f"projects/{project}"
    reasons = (one.reason for one in predicted.coverage.unread if asked in one.source.split())
    return next(reasons, _NO_SERIES)


def _one(
    subnetwork: Subnetwork, inventory: Inventory, predicted: Metrics | None, refused: str
) -> SubnetworkLogs:
    series = (
        predicted.of(subnetwork.ref.self_link, Metric.PREDICTED_LOGS)
        if predicted is not None
        else None
    )
    records = None
    if series is not None and series.total is not None and series.observed_s > 0:
        hours = series.observed_s / SECONDS_PER_HOUR
        records = round(series.total * HOURS_PER_MONTH / hours)
    return SubnetworkLogs(
        project=subnetwork.project,
        region=subnetwork.region,
        name=subnetwork.name,
        settings=tuple(
            # What is not stated is taken to be the most.
            settings_of(one, has_metadata=True)
            for one in inventory.logging_of(subnetwork)
        ),
        most_records_per_month=records,
        usd_per_month=None,
        why_not="" if records is not None else _why_not(subnetwork.project, predicted, refused),
    )


def _volumes(one: SubnetworkLogs) -> list[tuple[int, Decimal]]:
    """Return the records and GiB of each setting; each configuration is paid for."""
    if one.most_records_per_month is None:
        return []
    found = []
    for settings in one.settings or (ALL_RECORDS,):
        ratio = 1.0 if settings.sampling_ratio is None else settings.sampling_ratio
        records = round(one.most_records_per_month * ratio)
        found.append((records, log_gib(records, has_metadata=bool(settings.has_metadata))))
    return found


def _gib(one: SubnetworkLogs) -> Decimal:
    return sum((gib for _, gib in _volumes(one)), Decimal(0))


def _priced(one: SubnetworkLogs, meter: LogMeter) -> SubnetworkLogs:
    bills = [meter.volume(records, gib) for records, gib in _volumes(one)]
    if not bills:
        return one
    amounts = [bill.usd_per_month for bill in bills]
    known = [usd for usd in amounts if usd is not None]
    whole = sum(known, Decimal(0)) if len(known) == len(amounts) else None
    why_not = "" if whole is not None else "the price book has no price of flow logs"
    return replace(one, usd_per_month=whole, why_not=why_not)
