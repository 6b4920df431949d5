"""What a reading of projects tells of APIs, permissions and flow logs: each method was tried."""

from collections.abc import Iterator

from netplan_planner.google import compute_methods
from netplan_planner.google.compute import Examined, disabled_api
from netplan_planner.google.located_lists import LOCATED_APIS, LocatedApi
from netplan_planner.google.other_apis import ApiState, OtherApi
from netplan_planner.model import Amount, Inventory, PriceBook, Text, worded
from netplan_planner.model.evidence.log_volume import log_gib
from netplan_planner.planning import service_bill
from netplan_planner.units import counted
from netplan_planner.verbs.doctor.answer import CheckStatus, DoctorCheck

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
        remedy = f"see that the project's id is right; {_ROLE}"
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
        return _unknown("flow-logs", project, "the subnetworks could not be read in full")
    own = [one for one in inventory.subnetworks if one.project == project]
    logging = [one for one in own if inventory.logging_of(one)]
    if not own:
        told = "no subnetwork: nothing can be logged"
        return _check("flow-logs", project, CheckStatus.OK, told)
    price = _price(prices)
    if logging:
        several = sum(len(inventory.logging_of(one)) > 1 for one in own)
        twice = f"; {several:,} of them by several configurations, each paid for" if several else ""
        said = f"{len(logging):,} of {counted(len(own), 'subnetwork')} log flows{twice}; "
        return _check("flow-logs", project, CheckStatus.OK, worded(said, *price))
    said = f"none of {counted(len(own), 'subnetwork')} logs flows: no traffic can be judged; "
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
    said = f"a million records a month with metadata ({gib:.2f} GiB) cost "
    return said, "an amount that is not known" if usd is None else Amount(usd=usd)


def _located(api: LocatedApi, project: str, examined: Examined) -> Iterator[DoctorCheck]:
    """Yield what could be read of an API beside Compute's."""
    for method in api.methods:
        name = _LOCATED[method.id]
        if api not in examined.asked:
            told = f"the Compute API's endpoint is replaced, and the {api.name} API's is not"
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
