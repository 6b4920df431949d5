"""The checks of `netplan doctor`, what to do, and the role that is enough."""

import shlex
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Amount
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable, phrases
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.figures import shown
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.doctor import answer as found

SCHEMA = "netplan.diagnosis/1"
COLUMNS = found.DoctorCheck.__struct_fields__
_WORDS = {
    found.CheckStatus.OK: ("ok", Role.GOOD),
    found.CheckStatus.PROBLEM: ("problem", Role.BAD),
    found.CheckStatus.UNKNOWN: ("not checked", Role.COST),
}
_LENGTH = 400
_MOST = (
    "From the metric networking.googleapis.com/vpc_flow/predicted_max_vpc_flow_logs_count. It "
    "counts all records at the shortest interval and the current sampling. A longer interval or "
    "a filter writes fewer. Cost of the records themselves:"
)


def table(answer: found.Diagnosis) -> DataTable:
    """Return a row a check."""
    rows = (
        (one.name, one.project, one.status.value, shown(one.told), one.remedy)
        for one in answer.checks
    )
    return DataTable(COLUMNS, rows)


def blocks(answer: found.Diagnosis, options: RenderOptions) -> Iterator[Block]:
    """Yield the checks, what to do, then the role."""
    problems = answer.count(found.CheckStatus.PROBLEM)
    unknown = answer.count(found.CheckStatus.UNKNOWN)
    yield doc.Title(
        line=line(f"{counted(problems, 'problem')} in {counted(len(answer.checks), 'check')}"),
        basis=line(f"{unknown:,} could not be checked" if unknown else "all could be checked"),
    )
    columns = (
        doc.Column(title="check"),
        doc.Column(title=""),
        doc.Column(title="project"),
        doc.Column(title="found", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(map(_row, answer.checks)))
    yield from _flow_logs(answer.flow_logs, options)
    remedies = list(dict.fromkeys(one.remedy for one in answer.checks if one.remedy))
    if remedies:
        yield doc.section("What to do")
        for remedy in remedies:
            yield doc.Command(text=remedy) if remedy.startswith("gcloud ") else doc.para(remedy)
    yield doc.section("Least-privilege role")
    count = counted(len(answer.permissions), "permission")
    yield doc.para(f"{count}, all read-only; print it as YAML: netplan doctor --role")
    yield doc.Command(text="netplan doctor --role > netplan-role.yaml")
    yield doc.Command(
        text="gcloud iam roles create netplanReader --project=PROJECT --file=netplan-role.yaml"
    )


def _flow_logs(logs: tuple[found.SubnetworkLogs, ...], options: RenderOptions) -> Iterator[Block]:
    """Yield what the flow logs of each subnetwork cost at most, if there is any."""
    if not logs:
        return
    projects = {one.project for one in logs}
    yield doc.section("Flow logs by subnetwork")
    on = [one for one in logs if one.is_on]
    known = [one.usd_per_month for one in on if one.usd_per_month is not None]
    if known:
        rest = len(on) - len(known)
        but = f", {counted(rest, 'subnetwork')} unknown and not included" if rest else ""
        usd = fixed(Amount(usd=sum(known, Decimal(0))))
        yield doc.para("Active flow logs cost up to ", usd, f"/month (730 h){but}.")
    columns = (
        doc.Column(title="subnetwork"),
        doc.Column(title="flow logs"),
        doc.Column(title="per month", is_number=True, stacked="{}/month"),
        doc.Column(title="", is_note=True),
    )
    limit = options.row_limit
    rows = tuple(_log_row(one, with_project=len(projects) > 1) for one in logs[:limit])
    more = len(logs) - len(rows)
    if more > 0:
        rows = (*rows, (line(f"and {counted(more, 'more subnetwork')}"), (), (), ()))
    yield doc.Table(columns=columns, rows=rows)
    yield doc.para(say(_MOST, Role.DIM, length=_LENGTH))
    project = shlex.quote(logs[0].project) if len(projects) == 1 else "PROJECT"
    yield doc.Command(text=f"netplan flow-logs cost --project {project} --traffic cloud-logging")


def _log_row(one: found.SubnetworkLogs, *, with_project: bool) -> tuple[Line, ...]:
    place = f"{one.project}/{one.region}/{one.name}" if with_project else f"{one.region}/{one.name}"
    settings = " + ".join(map(phrases.log_settings, one.settings)) or "off"
    if one.usd_per_month is None:
        cost, note = fixed("unknown"), one.why_not
    else:
        cost = fixed(Amount(usd=one.usd_per_month))
        note = "at most" if one.is_on else "at most, if all records were logged"
    return (
        line(phrases.name(place)),
        line(fixed(settings)),
        line(cost),
        line(say(note, length=_LENGTH)),
    )


def _row(one: found.DoctorCheck) -> tuple[Line, ...]:
    word, role = _WORDS[one.status]
    return (
        line(phrases.name(one.name)),
        line(say(word, role)),
        line(phrases.name(one.project)) if one.project else (),
        line(say(one.told, length=_LENGTH)),
    )
