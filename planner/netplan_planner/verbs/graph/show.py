"""The traffic graph: its edges by weight, its ends, and what the rest sums up to."""

from collections.abc import Iterator
from decimal import Decimal
from typing import TypedDict

from msgspec.structs import replace

from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.flows import usd_cell
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.graph import answer as graphs
from netplan_planner.verbs.graph import shown

SCHEMA = "netplan.traffic-graph/1"
_ROWS = 20
"""Edges of a text, and ends."""
_INCOMPLETE = 3


class Rest(TypedDict):
    """What `--top` leaves out."""

    rest: graphs.RestOfEdges | None


def record(answer: graphs.TrafficGraph) -> tuple[graphs.TrafficGraph, Rest]:
    """Return the graph with the edges that were asked for, all of them without `--top`."""
    view = shown.shown(answer, None)
    nodes = tuple(view.nodes.values())
    return replace(answer, nodes=nodes, edges=view.edges), {"rest": view.rest}


def table(answer: graphs.TrafficGraph) -> DataTable:
    """Return a row an edge, with what is known of its ends."""
    nodes = {node.key: node for node in answer.nodes}
    columns = (
        *("src", "src_kind", "src_place", "dst", "dst_kind", "dst_place"),
        *("path_class", "pair_count", "gib_per_month", "usd_per_month", "is_usd_whole"),
        *("price_note", "max_gbps", "cap_ratio", "fastest_pair", "src_key", "dst_key"),
    )
    return DataTable(columns, (_row(edge, nodes) for edge in shown.shown(answer, None).edges))


def _row(edge: graphs.GraphEdge, nodes: dict[str, graphs.GraphNode]) -> tuple[Cell, ...]:
    src, dst = nodes[edge.src], nodes[edge.dst]
    return (
        *(src.name, src.kind, src.place, dst.name, dst.kind, dst.place),
        *(edge.path_class.value, edge.pair_count),
        *(_exact(edge.gib_per_month), _exact(edge.usd_per_month)),
        *(edge.is_usd_whole, edge.price_note, edge.max_gbps, edge.cap_ratio, edge.fastest_pair),
        *(edge.src, edge.dst),
    )


def _exact(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else figures.exact(amount, figures.SUM_DECIMALS)


def blocks(answer: graphs.TrafficGraph, options: RenderOptions) -> Iterator[Block]:
    """Yield the edges and ends, with what the figures mean."""
    yield doc.Title(line=line(shown.heading(answer)), basis=line(shown.window(answer)))
    if answer.price_age:
        yield doc.para(say(answer.price_age, length=phrases.SUBJECT_LENGTH * 2))
    view = shown.shown(answer, None if options.verbosity else options.max_rows or _ROWS)
    yield doc.section(f"Edges by {shown.WEIGHTS[answer.weight]}")
    if not view.edges:
        yield doc.para("No traffic was seen.")
        return
    columns = (
        doc.Column(title="from"),
        doc.Column(title="to"),
        doc.Column(title="a month", is_number=True),
        doc.Column(title="cost", is_number=True, stacked="costs: {}"),
        doc.Column(title="fastest", is_number=True, stacked="fastest minute: {}"),
        doc.Column(title="of cap", is_number=True, stacked="of the cap: {}"),
        doc.Column(title="path", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(_line(edge, view) for edge in view.edges))
    if view.rest is not None:
        yield doc.para(shown.rest_text(view.rest, options.currency))
    yield doc.para(_what_figures_are(answer))
    yield from _ends(view)
    for what in answer.incomplete[:_INCOMPLETE]:
        yield doc.para("Not in it: ", what)
    if len(answer.incomplete) > _INCOMPLETE:
        yield doc.para(f"and {len(answer.incomplete) - _INCOMPLETE:,} more lines: JSON")


def _what_figures_are(answer: graphs.TrafficGraph) -> str:
    parts = figures.counted(answer.part_count, "part")
    own = (
        ""
        if answer.weight is not graphs.EdgeWeight.RATE
        else " Edges without a known cap stand last."
    )
    return (
        f"The graph has {figures.counted(len(answer.nodes), 'end')} and"
        f" {figures.counted(len(answer.edges), 'edge')} in {parts} without traffic between them."
        " Fastest: the busiest minute of a pair. Of cap: 95th percentile of minutes of the pair"
        f" that is nearest to its sender's egress cap.{own}"
    )


def _line(edge: graphs.GraphEdge, view: shown.Shown) -> tuple[Line, ...]:
    return (
        line(phrases.name(shown.label(view.nodes[edge.src]))),
        line(phrases.name(shown.label(view.nodes[edge.dst]))),
        line(fixed(figures.volume(edge.gib_per_month))),
        _usd(edge),
        line(fixed(figures.rate(edge.max_gbps))),
        line(fixed(figures.use(edge.cap_ratio))) if edge.cap_ratio is not None else line("unknown"),
        line(edge.path_class.value),
    )


def _usd(edge: graphs.GraphEdge) -> Line:
    if not edge.is_billed:
        return line(say(shown.NOT_BILLED, Role.DIM))
    usd = usd_cell(edge.usd_per_month, edge.price_note)
    return usd if edge.usd_per_month is None or edge.is_usd_whole else line("≥ ", usd)


def _ends(view: shown.Shown) -> Iterator[Block]:
    yield doc.section("Ends of these edges, with all that they exchange")
    columns = (
        doc.Column(title="end"),
        doc.Column(title="kind"),
        doc.Column(title="machines", is_number=True, stacked="{} machines"),
        doc.Column(title="sends", is_number=True, stacked="sends {}"),
        doc.Column(title="receives", is_number=True, stacked="receives {}"),
        doc.Column(title="fullest of cap", is_number=True, stacked="{} of the cap"),
    )
    greatest = sorted(
        view.nodes.values(),
        key=lambda node: (-(node.sent_gib_per_month + node.received_gib_per_month), node.key),
    )
    yield doc.Table(columns=columns, rows=tuple(map(_end, greatest)))


def _end(node: graphs.GraphNode) -> tuple[Line, ...]:
    return (
        line(phrases.name(shown.label(node))),
        line(node.kind),
        line(fixed(f"{node.machine_count:,}")) if node.machine_count else (),
        line(fixed(figures.volume(node.sent_gib_per_month))),
        line(fixed(figures.volume(node.received_gib_per_month))),
        line(fixed(figures.use(node.cap_ratio))) if node.cap_ratio is not None else (),
    )
