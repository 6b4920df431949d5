"""What a file of accepted findings holds, and how to go on."""

import shlex
from collections import Counter
from collections.abc import Iterator

from netplan_planner.judging.baseline import Accepted
from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable, data_table, phrases
from netplan_planner.renderers.document import Block, line
from netplan_planner.renderers.figures import counted
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.baseline.answer import BaselineAnswer

SCHEMA = "netplan.baseline-answer/1"


def table(answer: BaselineAnswer) -> DataTable:
    """Return a row an accepted finding."""
    return data_table(Accepted, answer.findings)


def blocks(answer: BaselineAnswer, options: RenderOptions) -> Iterator[Block]:
    """Yield how many findings are accepted, of which rules, and the next command."""
    count = counted(len(answer.findings), "accepted finding")
    parts = (
        (answer.new_count, "new"),
        (answer.kept_count - answer.unjudged_count, "kept"),
        (answer.gone_count, "no longer found and removed"),
        (answer.unjudged_count, "kept, because their rule could not judge all"),
    )
    said = " · ".join(f"{number:,} {what}" for number, what in parts if number)
    yield doc.Title(line=line(phrases.place(answer.file), f", {count}"), basis=line(said))
    rules = Counter(one.rule for one in answer.findings).most_common()
    for rule, number in rules[: options.row_limit]:
        yield doc.item(phrases.name(rule), f": {number:,}")
    if options.row_limit and len(rules) > options.row_limit:
        yield doc.para(f"and {counted(len(rules) - options.row_limit, 'rule')} more (--explain)")
    yield from phrases.blocks(answer.incomplete, options)
    yield doc.section("Next")
    yield doc.Command(text=shlex.join(("netplan", "audit", "--baseline", answer.file)))
