"""One rule: what it finds, why that matters, what to do, and the numbers that can be set."""

from collections.abc import Iterator

from netplan_planner.model import RulePage
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import (
    Block,
    Entry,
    Item,
    Line,
    Para,
    Role,
    Title,
    line,
    say,
)
from netplan_planner.renderers.options import RenderOptions

SCHEMA = "netplan.rule/1"
_LONG = 4000


def table(answer: RulePage) -> DataTable:
    """Return a row for each threshold."""
    rows = (
        (answer.id, one.name, one.default, one.unit, one.allowed, one.about)
        for one in answer.thresholds
    )
    return DataTable(("rule", "threshold", "default", "unit", "range", "meaning"), rows)


def blocks(answer: RulePage, options: RenderOptions) -> Iterator[Block]:
    """Yield the title, then a part a question."""
    basis = (
        f"severity {answer.severity} · area {answer.area} · needs {', '.join(answer.needs)} · since"
        f" {answer.since}"
    )
    yield Title(line=line(say(answer.id)), basis=line(basis))
    yield Para(line=_said(answer.title))
    for title, text in (
        ("Why it matters", answer.rationale),
        ("What to do", answer.remediation),
        ("When it keeps silent", answer.guards),
    ):
        yield Entry(line=line(title))
        yield Para(line=_said(text), is_inner=True)
    if answer.thresholds:
        yield Entry(line=line(f"Thresholds, set in netplan.toml under [rules.{answer.id}]"))
    for one in answer.thresholds:
        yield Item(line=line(say(f"{one.name} = {one.default:.10g}", Role.PLACE)))
        yield Para(line=_said(f"{one.unit}, {one.allowed}: {one.about}"), is_inner=True)
    if answer.aliases:
        yield Entry(line=line(f"Earlier names: {', '.join(answer.aliases)}"))
    yield Entry(line=line("What it takes"))
    for name, text in (
        ("effort", answer.work.effort),
        ("restart", answer.work.restart),
        ("undo", answer.work.undo),
        ("window", answer.work.window),
    ):
        yield Item(line=_said(f"{name}: {text}"))
    yield Entry(line=line("Source"))
    for url in answer.references:
        yield Item(line=line(say(url, Role.PLACE)))


def _said(text: str) -> Line:
    return line(say(as_plain(text), length=_LONG))


def as_plain(text: str) -> str:
    """Return a text of the rules' metadata without Markdown's marks.

    >>> as_plain("`vm-1` is **not** read")
    'vm-1 is not read'
    """
    return text.replace("`", "").replace("**", "")
