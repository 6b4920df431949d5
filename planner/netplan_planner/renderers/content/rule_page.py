"""One rule: what it finds, why that matters, what to do, and the numbers that can be set."""

from collections.abc import Iterator

from netplan_planner.model import RulePage
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable
from netplan_planner.renderers.document import Block, Line, Role, line, say
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
    yield doc.Title(line=line(say(answer.id)), basis=line(basis))
    yield doc.para(_said(answer.title))
    for title, text in (
        ("Why it matters", answer.rationale),
        ("What to do", answer.remediation),
        ("No finding if", answer.guards),
    ):
        yield doc.entry(title)
        yield doc.para(_said(text), is_inner=True)
    if answer.thresholds:
        yield doc.entry(f"Thresholds, set in netplan.toml under [rules.{answer.id}]")
    for one in answer.thresholds:
        yield doc.item(say(f"{one.name} = {one.default:.10g}", Role.PLACE))
        yield doc.para(_said(f"{one.unit}, {one.allowed}: {one.about}"), is_inner=True)
    if answer.aliases:
        yield doc.entry(f"Earlier names: {', '.join(answer.aliases)}")
    yield doc.entry("Effort")
    for name, text in (
        ("effort", answer.work.effort),
        ("restart", answer.work.restart),
        ("undo", answer.work.undo),
        ("window", answer.work.window),
    ):
        yield doc.item(_said(f"{name}: {text}"))
    yield doc.entry("Source")
    for url in answer.references:
        yield doc.item(say(url, Role.PLACE))


def _said(text: str) -> Line:
    return line(say(as_plain(text), length=_LONG))


def as_plain(text: str) -> str:
    """Return a text of the rules' metadata without Markdown's marks.

    >>> as_plain("`vm-1` is **not** read")
    'vm-1 is not read'
    """
    return text.replace("`", "").replace("**", "")
