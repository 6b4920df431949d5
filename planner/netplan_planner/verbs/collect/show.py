"""What a bundle holds, and what to do with it."""

import shlex
from collections.abc import Iterator

from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import DataTable, data_table, phrases
from netplan_planner.renderers.document import Block, fixed, line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.collect.answer import Collected, CollectedPart

SCHEMA = "netplan.collected/1"
_NAMES = {
    True: "Names of projects, VMs, networks and labels are pseudonyms. Addresses are replaced "
    "within their ranges. The key is not stored. Zones, regions and machine types stay.",
    False: "Names, labels and addresses are included unchanged. Replace them with --pseudonymise.",
}


def table(answer: Collected) -> DataTable:
    """Return a row a part."""
    return data_table(CollectedPart, answer.parts)


def blocks(answer: Collected, options: RenderOptions) -> Iterator[Block]:
    """Yield the parts, what is not in them, and how to go on."""
    size = figures.byte_volume(answer.byte_count)
    yield doc.Title(
        line=line("Bundle ", phrases.place(answer.file), ", ", fixed(size)),
        basis=line(f"format {answer.format}, SHA-256 {answer.sha256}"),
    )
    columns = (
        doc.Column(title="part"),
        doc.Column(title="holds"),
        doc.Column(title="unpacked", is_number=True),
    )
    rows = tuple(
        (
            line(phrases.name(part.name)),
            line(part.holds),
            line(fixed(figures.byte_volume(part.byte_count))),
        )
        for part in answer.parts
    )
    yield doc.Table(columns=columns, rows=rows)
    yield doc.para(_NAMES[answer.is_pseudonymised])
    yield doc.para("Not included: metadata, keys, start-up scripts, accounts and descriptions.")
    yield from phrases.blocks(answer.incomplete, options)
    yield doc.section("Next")
    yield doc.Command(text=shlex.join(("netplan", "audit", "--bundle", answer.file)))
