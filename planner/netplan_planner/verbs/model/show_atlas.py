"""The atlas: a line a class of paths for people; every path and campaign as data."""

from collections.abc import Iterator

from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable, data_table
from netplan_planner.renderers.document import Block, Line, fixed, line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.model.atlas import Atlas, AtlasRow, ClassSummary

SCHEMA = "netplan.atlas/1"
NOBODY = "not measured"


def table(answer: Atlas) -> DataTable:
    """Return a row for each campaign on a path, and for each path that none measured."""
    return data_table(AtlasRow, answer.rows)


def blocks(answer: Atlas, options: RenderOptions) -> Iterator[Block]:
    """Yield what is known of each class of paths, and what the columns say."""
    del options
    paths = sum(one.path_count for one in answer.summaries)
    measured = sum(one.measured_count for one in answer.summaries)
    basis = (
        f"limits of {answer.as_of}, list prices of {answer.prices_as_of},"
        f" {answer.machine_type} at both ends, {counted(answer.streams, 'connection')}"
    )
    title = f"{measured:,} of {counted(paths, 'path')} between and inside regions have measurements"
    yield doc.Title(line=line(title), basis=line(basis))
    yield doc.Table(
        columns=(
            doc.Column(title="path class"),
            doc.Column(title="to"),
            *(
                doc.Column(title=name, is_number=True, stacked=f"{name} {{}}")
                for name in ("paths", "measured", "campaigns", "inside", "vs. model")
            ),
        ),
        rows=tuple(map(_row, answer.summaries)),
    )
    yield doc.entry("Columns")
    yield doc.para(
        "A path has a sending region, a receiving region and a class. inside: share of campaign "
        f"medians within the {answer.level:.0%} interval of their own setup. vs. model: the "
        "measured median divided by the model's value for the same setup. --output csv has "
        "every path with round-trip time, price and campaigns; --output html has the matrices."
    )
    if answer.unused_count:
        yield doc.para(
            f"{counted(answer.unused_count, 'measured row')} not included: no end in Google Cloud, "
            "no region at both ends, no path class of netplan, or no rate between two VMs."
        )


def _row(one: ClassSummary) -> tuple[Line, ...]:
    inside = f"{one.inside_ratio:.0%}" if one.inside_ratio is not None else "-"
    ratio = f"{one.median_ratio:.0%}" if one.median_ratio is not None else "-"
    cells = (f"{one.path_count:,}", f"{one.measured_count:,}", f"{one.campaign_count}")
    return (
        line(fixed(one.path_class.value)),
        line(fixed(one.receiver)),
        *(line(fixed(cell)) for cell in (*cells, inside, ratio)),
    )
