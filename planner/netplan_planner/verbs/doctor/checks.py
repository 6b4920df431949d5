"""What stands in the way of reading projects: each method was tried; and what their logs cost."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import AccessError
from netplan_planner.google import compute_methods
from netplan_planner.google.compute import Examined, disabled_api
from netplan_planner.google.options import ApiOptions
from netplan_planner.google.other_apis import LOCATED_APIS, ApiState, LocatedApi, OtherApi
from netplan_planner.model import (
    Amount,
    Inventory,
    Metric,
    Metrics,
    PriceBook,
    Subnetwork,
    Text,
    worded,
)
from netplan_planner.model.evidence.log_volume import LogSettings, log_gib
from netplan_planner.planning import service_bill
from netplan_planner.planning.flow_logs import LogMeter, settings_of
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, counted
from netplan_planner.verbs.doctor.answer import CheckStatus, DoctorCheck, SubnetworkLogs
from netplan_planner.world.reading import read_predicted_logs
from netplan_planner.world.request import DEFAULT_DAYS, InputRequest

_ROLE = "give the account the role of `netplan doctor --role`"
_OTHERS = {
    compute_methods.SERIES_ID: ("monitoring.googleapis.com", "monitoring-api", "metrics"),
    compute_methods.ENTRIES_ID: ("logging.googleapis.com", "logging-api", "live flow logs"),
    compute_methods.ASSETS_ID: (
        "cloudasset.googleapis.com",
        "asset-api",
        "organisations and folders",
    ),
}
"""The service, the check and what is read of each API beside Compute's."""
_LOCATED = {
    compute_methods.CONFIGURATIONS_ID: "flow-log-configurations",
    compute_methods.HUBS_ID: "hubs",
    compute_methods.SPOKES_ID: "spokes",
}
_REFUSED = "refused (403)"
_MILLION = 1_000_000
_METHODS = (
    *((one.id, one.permission) for one in compute_methods.LISTS),
    (compute_methods.MACHINE_TYPE_ID, compute_methods.MACHINE_TYPE_PERMISSION),
)


def project_checks(project: str, examined: Examined, prices: PriceBook) -> Iterator[DoctorCheck]:
    """Yield the checks of one project that was asked for everything that an audit reads."""
    inventory = examined.inventory
    errors = [text for one in inventory.projects if one.project == project for text in one.errors]
    whole = [text for text in errors if not text.startswith("compute.")]
    if whole:
        # What concerns the whole project names no method.
        yield _api(project, whole)
        yield _unknown("permissions", project, "the Compute API did not answer for this project")
        yield _unknown("flow-logs", project, "no subnetwork could be read")
    else:
        told = "the Compute Engine API answers"
        yield _check("compute-api", project, CheckStatus.OK, told)
        yield from _permissions(project, errors)
        yield _flow_logs(project, inventory, errors, prices)
    for api in LOCATED_APIS:
        yield from _located(api, project, examined)


def _api(project: str, refusals: list[str]) -> DoctorCheck:
    """Return what is wrong with the API of a project, by what it says of the whole project."""
    if (off := disabled_api(project)) in refusals:
        remedy = f"gcloud services enable compute.googleapis.com --project={project}"
        return _check("compute-api", project, CheckStatus.PROBLEM, off, remedy)
    missing = next((text for text in refusals if "(404)" in text), "")
    if missing:
        remedy = f"check the project ID; {_ROLE}"
        return _check("compute-api", project, CheckStatus.PROBLEM, missing, remedy)
    return _unknown("compute-api", project, refusals[0])


def _permissions(project: str, errors: list[str]) -> Iterator[DoctorCheck]:
    found = []
    for method, permission in _METHODS:
        # A list has one line of its own; a machine type that is not offered is no refusal.
        refusal = next((text for text in errors if text.startswith(f"{method}: ")), "")
        if _REFUSED in refusal:
            found.append(
                _check(
                    "permission", project, CheckStatus.PROBLEM, f"{permission}: {refusal}", _ROLE
                )
            )
        elif refusal and "(404)" not in refusal:
            found.append(_unknown("permission", project, f"{permission}: {refusal}"))
    yield from found
    if not found:
        told = f"{counted(len(_METHODS), 'method')} of the Compute API may be read"
        yield _check("permissions", project, CheckStatus.OK, told)


def _flow_logs(
    project: str, inventory: Inventory, errors: list[str], prices: PriceBook
) -> DoctorCheck:
    if any(text.startswith("compute.subnetworks.") for text in errors):
        return _unknown("flow-logs", project, "the subnetworks could not be fully read")
    own = [one for one in inventory.subnetworks if one.project == project]
    logging = [one for one in own if inventory.logging_of(one)]
    if not own:
        told = "no subnetwork, so no flow logs are possible"
        return _check("flow-logs", project, CheckStatus.OK, told)
    price = _price(prices)
    if logging:
        several = sum(len(inventory.logging_of(one)) > 1 for one in own)
        twice = (
            f"; {several:,} of them through several configurations, each billed" if several else ""
        )
        said = f"{len(logging):,} of {counted(len(own), 'subnetwork')} log flows{twice}; "
        return _check("flow-logs", project, CheckStatus.OK, worded(said, *price))
    said = f"none of {counted(len(own), 'subnetwork')} logs flows, so traffic cannot be checked; "
    return _check(
        "flow-logs",
        project,
        CheckStatus.PROBLEM,
        worded(said, *price),
        "gcloud compute networks subnets update SUBNET --region=REGION"
        f" --project={project} --enable-flow-logs",
    )


def _price(prices: PriceBook) -> tuple[str | Amount, ...]:
    """Return what a million records cost, in words."""
    gib = log_gib(_MILLION, has_metadata=True)
    usd = service_bill.flow_logs(prices, gib).usd_per_month
    said = f"a million records per month with metadata ({gib:.2f} GiB) cost "
    return said, "an unknown amount" if usd is None else Amount(usd=usd)


def _located(api: LocatedApi, project: str, examined: Examined) -> Iterator[DoctorCheck]:
    """Yield what could be read of an API beside Compute's."""
    for method in api.methods:
        name = _LOCATED[method.id]
        if api not in examined.asked:
            told = f"the Compute API's endpoint is replaced, but the {api.name} API's is not"
            yield _unknown(name, project, told)
            continue
        source = f"{method.id} projects/{project}"
        why = next((one for one in examined.inventory.unread if one.source == source), None)
        if why is None:
            held = getattr(examined.inventory, method.kind.field)
            count = sum(one.project == project for one in held)
            yield _check(name, project, CheckStatus.OK, f"{count:,} {method.words}")
        elif why.is_needless:
            yield _check(name, project, CheckStatus.OK, why.reason)
        elif _REFUSED in why.reason:
            told = f"{method.permission}: {why.reason}"
            yield _check(name, project, CheckStatus.PROBLEM, told, _ROLE)
        else:
            yield _unknown(name, project, why.reason)


def api_check(asked: OtherApi) -> DoctorCheck:
    """Return what is said of an API beside Compute's; one that is off is needed for one thing."""
    service, name, needed_for = _OTHERS[asked.method]
    told = f"{needed_for}: {asked.told}" if asked.told else "it answers"
    match asked.state:
        case ApiState.ANSWERS:
            return _check(name, asked.project, CheckStatus.OK, told)
        case ApiState.IS_OFF if asked.method == compute_methods.ASSETS_ID:
            # Projects that are named one by one are read without it.
            return _check(name, asked.project, CheckStatus.OK, told)
        case ApiState.IS_OFF:
            remedy = f"gcloud services enable {service} --project={asked.project}"
            return _check(name, asked.project, CheckStatus.PROBLEM, told, remedy)
        case ApiState.REFUSES:
            permission = compute_methods.METHODS[asked.method][0]
            said = f"{permission}: {told}"
            return _check(name, asked.project, CheckStatus.PROBLEM, said, _ROLE)
        case ApiState.NOT_KNOWN:
            return _unknown(name, asked.project, told)


def _check(
    name: str, project: str, status: CheckStatus, told: Text, remedy: str = ""
) -> DoctorCheck:
    return DoctorCheck(name=name, project=project, status=status, told=told, remedy=remedy)


def _unknown(name: str, project: str, why: str) -> DoctorCheck:
    return _check(name, project, CheckStatus.UNKNOWN, why)


# What the flow logs of each subnetwork cost at most, as they are set, or if they were on
#
# By the metric of how many records there would be: it is there whether logs are on or off, and
# counts all records at the shortest interval. A longer interval and a filter make fewer, and how
# many fewer it does not tell: hence the most that there can be.


ALL_RECORDS = LogSettings(sampling_ratio=1.0, interval_s=5, has_metadata=True)
"""What logs that are off are priced for: the most that they could write."""
_NOT_ASKED = "the Compute API's endpoint is replaced, but Cloud Monitoring's is not"
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
    why_not = "" if whole is not None else "the price snapshot has no price of flow logs"
    return replace(one, usd_per_month=whole, why_not=why_not)
