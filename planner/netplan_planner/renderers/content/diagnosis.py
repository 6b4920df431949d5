"""The checks of `netplan doctor`, what to do, and the role that is enough."""

from collections.abc import Iterator

from netplan_planner.model import diagnosis as found
from netplan_planner.renderers.content import DataTable, phrases
from netplan_planner.renderers.document import (
    Block,
    Column,
    Command,
    Line,
    Para,
    Role,
    Section,
    Table,
    Title,
    line,
    say,
)
from netplan_planner.renderers.figures import shown
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted

SCHEMA = "netplan.diagnosis/1"
COLUMNS = found.DoctorCheck.__struct_fields__
_WORDS = {
    found.CheckStatus.OK: ("ok", Role.GOOD),
    found.CheckStatus.PROBLEM: ("problem", Role.BAD),
    found.CheckStatus.UNKNOWN: ("not checked", Role.COST),
}
_LENGTH = 400


def record(answer: found.Diagnosis) -> found.Diagnosis:
    """Return all of it."""
    return answer


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
    yield Title(
        line=line(f"{counted(problems, 'problem')} in {counted(len(answer.checks), 'check')}"),
        basis=line(f"{unknown:,} could not be checked" if unknown else "all could be checked"),
    )
    columns = (
        Column(title="check"),
        Column(title=""),
        Column(title="project"),
        Column(title="found", is_note=True),
    )
    yield Table(columns=columns, rows=tuple(map(_row, answer.checks)))
    remedies = list(dict.fromkeys(one.remedy for one in answer.checks if one.remedy))
    if remedies:
        yield Section(line=line("What to do"))
        for remedy in remedies:
            yield Command(text=remedy) if remedy.startswith("gcloud ") else Para(line=line(remedy))
    yield Section(line=line("The role that is enough"))
    count = counted(len(answer.permissions), "permission")
    yield Para(line=line(f"{count}, all of them to read; netplan doctor --role prints it as YAML."))
    yield Command(text="netplan doctor --role > netplan-role.yaml")
    yield Command(
        text="gcloud iam roles create netplanReader --project=PROJECT --file=netplan-role.yaml"
    )


def _row(one: found.DoctorCheck) -> tuple[Line, ...]:
    word, role = _WORDS[one.status]
    return (
        line(phrases.name(one.name)),
        line(say(word, role)),
        line(phrases.name(one.project)) if one.project else (),
        line(say(one.told, length=_LENGTH)),
    )
