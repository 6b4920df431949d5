"""Whether projects can be read and judged: credentials, APIs, permissions, logs, clock, ages."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

from netplan_planner.errors import AccessError, IncompleteError
from netplan_planner.google.compute import Examined, examine_projects
from netplan_planner.google.compute_methods import PERMISSIONS
from netplan_planner.google.other_apis import other_apis
from netplan_planner.google.transport import default_project
from netplan_planner.judging.judged import judge
from netplan_planner.model import Facts, Inventory, PriceBook
from netplan_planner.model.money.price_age import SHIPPED, update_of
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.throughput import load_caps
from netplan_planner.units import counted
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.doctor.answer import CheckStatus, Diagnosis, DoctorCheck, SubnetworkLogs
from netplan_planner.verbs.doctor.ask import DoctorAsk
from netplan_planner.verbs.doctor.checks import api_check, project_checks, subnetwork_logs
from netplan_pricing import SnapshotPriceBook, open_snapshot
from netplan_pricing.container import EMBEDDED
from netplan_rules.registry import select_rules, thresholds

MOST_SKEW_S = 60.0
"""A minute is what flow logs are summed by: a clock that is off by more asks for other minutes."""
_AGES = "stale-prices-or-caps"
"""The rule that judges the ages of both tables."""
_TABLES = {"price snapshot": "prices", "caps table": "caps"}
_NO_PROJECT = "no project is set, and Google's default credentials have none"
_OF_PROJECTS = ("compute-api", "permissions", "flow-logs", "clock")
"""Checks that follow the one of credentials."""


def ended(ask: DoctorAsk, found: Diagnosis) -> bool:
    """Return whether no check found a problem.

    Raises:
        IncompleteError: If something could not be checked, and all was to be.
    """
    unknown = [one for one in found.checks if one.status is CheckStatus.UNKNOWN]
    if ask.is_strict and unknown:
        raise IncompleteError(
            f"some checks were not possible and --strict is set: {unknown[0].name}: "
            f"{unknown[0].told}"
        )
    return not found.count(CheckStatus.PROBLEM)


@verb(panel=panels.SETUP, question="Can netplan read what it needs, and if not, why?", ends=ended)
def doctor(ask: DoctorAsk, now: Now) -> Diagnosis | str:
    """Check credentials, APIs, permissions, logs, clock, ages of prices and limits; say what helps.

    Tries everything that an audit reads in the projects, and nothing else. Exit status: 0, or 1
    with a problem.
    """
    if ask.is_role:
        return role_yaml()
    return examine(ask, ask.today or now.today, now.say)


def examine(ask: DoctorAsk, today: date, say: Callable[[str], None] = lambda _: None) -> Diagnosis:
    """Return what was found; what cannot be asked for is said, and the rest is looked at.

    Raises:
        UsageError: If the endpoint cannot be used.
        InputError: If the price snapshot cannot be read.
    """
    prices = open_snapshot(ask.prices)
    accessed, examined = _access(ask, prices, say)
    logs: tuple[SubnetworkLogs, ...] = ()
    if examined is not None:
        logs = subnetwork_logs(
            _projects(ask),
            examined.inventory,
            prices,
            ask.api,
            today=today,
            say=say,
        )
    checks = (*accessed, *_ages(prices, today, ask.prices))
    return Diagnosis(checks=checks, flow_logs=logs, permissions=PERMISSIONS, role=role_yaml())


def role_yaml() -> str:
    """Return the least-privilege role, as `gcloud iam roles create ID --file=FILE` takes it."""
    listed = "".join(f"- {permission}\n" for permission in PERMISSIONS)
    return (
        "title: netplan reader\ndescription: Lists what netplan reads in a project, and nothing "
        f"else.\nstage: GA\nincludedPermissions:\n{listed}"
    )


def _projects(ask: DoctorAsk) -> tuple[str, ...]:
    """Return the projects that are looked at: as named, else as the credentials have it."""
    if ask.projects or ask.api.is_anonymous:
        return tuple(dict.fromkeys(ask.projects))
    found = default_project()
    return (found,) if found else ()


def _access(
    ask: DoctorAsk, prices: PriceBook, say: Callable[[str], None]
) -> tuple[list[DoctorCheck], Examined | None]:
    """Return what can be read of the projects, and what was; None: nothing could be asked."""
    try:
        projects = _projects(ask)
        if not projects:
            why = f"{_NO_PROJECT}: --project PROJECT"
            return [
                _check("credentials", CheckStatus.UNKNOWN, why),
                *(_check(name, CheckStatus.UNKNOWN, "needs a project") for name in _OF_PROJECTS),
            ], None
        examined = examine_projects(projects, ask.api, say)
    except AccessError as exc:
        text, _, remedy = str(exc).partition("; ")
        refused = _check("credentials", CheckStatus.PROBLEM, text, remedy)
        return [
            refused,
            *(_check(name, CheckStatus.UNKNOWN, "needs credentials") for name in _OF_PROJECTS),
        ], None
    return list(_examined(ask, projects, examined, prices)), examined


def _examined(
    ask: DoctorAsk, projects: Sequence[str], examined: Examined, prices: PriceBook
) -> Iterator[DoctorCheck]:
    yield _credentials(ask, examined)
    for project in projects:
        yield from project_checks(project, examined, prices)
    for one in other_apis(projects, ask.api):
        yield api_check(one)
    yield _clock(examined)


def _credentials(ask: DoctorAsk, examined: Examined) -> DoctorCheck:
    refused = [
        error
        for project in examined.inventory.projects
        for error in project.errors
        if "(401)" in error
    ]
    if refused:
        text, _, remedy = refused[0].partition("; ")
        return _check("credentials", CheckStatus.PROBLEM, text, remedy)
    told = "none are sent, as requested" if ask.api.is_anonymous else "they can be used"
    return _check("credentials", CheckStatus.OK, told)


def _clock(examined: Examined) -> DoctorCheck:
    ahead_s = examined.ahead_s
    if ahead_s is None:
        return _check("clock", CheckStatus.UNKNOWN, "no API answer had a date")
    way = "ahead of" if ahead_s > 0 else "behind"
    told = f"{abs(ahead_s):,.0f} s {way} the API's"
    if abs(ahead_s) <= MOST_SKEW_S:
        return _check("clock", CheckStatus.OK, told)
    return _check("clock", CheckStatus.PROBLEM, told, "synchronise this computer's clock with NTP")


def _ages(prices: SnapshotPriceBook, today: date, folder: Path | None) -> Iterator[DoctorCheck]:
    caps = load_caps(today)
    facts = Facts(
        inventory=Inventory(),
        traffic=None,
        prices=prices,
        caps=caps,
        machines=Chooser(prices, caps),
        today=today,
        thresholds=thresholds({}),
    )
    (rule,) = select_rules((_AGES,), ())
    old = {hit.subject: hit for hit in judge(rule, facts).hits}
    dates = {
        "price snapshot": prices.info.oldest,
        "caps table": caps.source_date,
    }
    own = prices.file.path
    of = {"price snapshot": f" ({SHIPPED if own.parent == EMBEDDED else own})"}
    for table, as_of in dates.items():
        hit = old.get(table)
        age = counted((today - as_of).days, "day")
        told = f"{table} of {as_of.isoformat()}, {age} old{of.get(table, '')}"
        remedy = hit.fix.text if hit is not None and hit.fix is not None else ""
        remedy = f"{update_of(folder)}." if remedy and table in of else remedy
        status = CheckStatus.OK if hit is None else CheckStatus.PROBLEM
        yield _check(_TABLES[table], status, told, remedy)


def _check(name: str, status: CheckStatus, told: str, remedy: str = "") -> DoctorCheck:
    return DoctorCheck(name=name, project="", status=status, told=told, remedy=remedy)
