"""The atlas: a line a class of paths for people; every path and campaign as data."""

from collections.abc import Iterator

from netplan_planner.renderers import document as doc
from netplan_planner.renderers.content import DataTable, data_table
from netplan_planner.renderers.document import Block, Line, fixed, line
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.units import counted
from netplan_planner.verbs.model.atlas import Atlas, AtlasRow, ClassSummary

SCHEMA = "netplan.atlas/1"
NOBODY = "nobody measured"


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
    title = f"{measured:,} of {counted(paths, 'path')} between regions and in them measured"
    yield doc.Title(line=line(title), basis=line(basis))
    yield doc.Table(
        columns=(
            doc.Column(title="path class"),
            doc.Column(title="to"),
            *(
                doc.Column(title=name, is_number=True, stacked=f"{name} {{}}")
                for name in ("paths", "measured", "campaigns", "inside", "of model")
            ),
        ),
        rows=tuple(map(_row, answer.summaries)),
    )
    yield doc.entry("What the columns say")
    yield doc.para(
        "A path is a region that sends, one that receives, and a class. inside: share of the"
        f" campaigns' medians within the {answer.level:.0%} interval of their own set-up. of"
        " model: the measured median against the model's value of the same set-up."
        " --output csv has every path with its round-trip time, price and campaigns;"
        " --output html the matrices."
    )
    if answer.unused_count:
        yield doc.para(
            f"{counted(answer.unused_count, 'measured row')} in no line: neither end in Google"
            " Cloud, no region at both ends, no path class that netplan predicts, or no rate"
            " between two machines."
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
