"""The traffic graph: its edges by weight, its ends, and what the rest sums up to."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from operator import itemgetter
from typing import NamedTuple, TypedDict

from msgspec.structs import replace

from netplan_planner.inert import NAME_LENGTH, inert
from netplan_planner.model import CurrencyRate, PathClass
from netplan_planner.renderers import document as doc
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import Cell, DataTable, phrases
from netplan_planner.renderers.content.flows import usd_cell
from netplan_planner.renderers.document import Block, Line, Role, fixed, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.graph import answer as graphs
from netplan_planner.verbs.graph.answer import (
    EdgeWeight,
    GraphEdge,
    GraphLevel,
    GraphNode,
    RestOfEdges,
    TrafficGraph,
)

# Which edges of a traffic graph are shown, what the rest sums up to, and how they look


EDGES_OF_A_PICTURE = 40
"""More of them cannot be told apart."""
WEIGHTS = {
    EdgeWeight.BYTES: "volume per month",
    EdgeWeight.DOLLARS: "dollars per month",
    EdgeWeight.RATE: "share of the sender's egress cap",
}
"""What the width of a line is, in words."""
INSIDE, OUTSIDE = "to internal addresses", "to external addresses and services"
INSIDE_COLOUR, OUTSIDE_COLOUR = "#3d6ea5", "#b0741a"
"""On white, and on black."""
NOT_BILLED = "not billed"
_THINNEST = 1.0
_WIDEST = 10.0


class Shown(NamedTuple):
    """The edges that a format shows."""

    nodes: dict[str, GraphNode]
    """Their ends by key, in the order of the keys."""
    edges: tuple[GraphEdge, ...]
    rest: RestOfEdges | None
    """What is left out; None: nothing."""

    @property
    def ids(self) -> dict[str, str]:
        """A name for each node that is a word in every language of graphs, by key."""
        return {key: f"n{number}" for number, key in enumerate(self.nodes, 1)}

    @property
    def by_place(self) -> list[tuple[str, list[GraphNode]]]:
        """The nodes of each place, those of none first."""
        found: dict[str, list[GraphNode]] = defaultdict(list)
        for node in self.nodes.values():
            found[node.place].append(node)
        return sorted(found.items(), key=itemgetter(0))


def shown(graph: TrafficGraph, default_count: int | None = EDGES_OF_A_PICTURE) -> Shown:
    """Return the greatest edges: as many as were asked for, else the format's number; None: all."""
    count = default_count if graph.top_count is None else graph.top_count
    edges = graph.edges if count is None else graph.edges[:count]
    used = {key for edge in edges for key in (edge.src, edge.dst)}
    nodes = {node.key: node for node in graph.nodes if node.key in used}
    return Shown(nodes, edges, _rest(graph.edges[len(edges) :]))


def _rest(edges: tuple[GraphEdge, ...]) -> RestOfEdges | None:
    if not edges:
        return None
    known = [edge.usd_per_month for edge in edges if edge.usd_per_month is not None]
    return RestOfEdges(
        edge_count=len(edges),
        gib_per_month=sum((edge.gib_per_month for edge in edges), Decimal(0)),
        usd_per_month=sum(known, Decimal(0)) if known else None,
        is_usd_whole=all(edge.is_usd_whole for edge in edges if edge.is_billed),
        is_billed=any(edge.is_billed for edge in edges),
    )


def label(node: GraphNode) -> str:
    """Return a node's name, with its place where the name alone does not tell; inert."""
    has_place = node.place and node.kind not in {GraphLevel.ZONE, GraphLevel.REGION}
    return inert(f"{node.name} ({node.place})" if has_place else node.name, NAME_LENGTH)


def is_outside(path_class: PathClass) -> bool:
    """Return whether traffic leaves the internal addresses of own machines."""
    return not (path_class.is_between_own_vms and not path_class.is_external_address)


def width(edge: GraphEdge, graph: TrafficGraph) -> float | None:
    """Return how wide an edge is drawn, 1 to 10 by its weight; None: the weight is not known."""
    weight = edge.weight(graph.weight)
    if weight is None:
        return None
    most = max((float(one.weight(graph.weight) or 0) for one in graph.edges), default=0.0)
    share = float(weight) / most if most else 0.0
    return round(_THINNEST + (_WIDEST - _THINNEST) * share, 2)


def weight_text(
    value: Decimal | float | None, by: EdgeWeight, currency: CurrencyRate | None = None
) -> str:
    """Return a weight as people read it."""
    if value is None:
        return "unknown"
    match by:
        case EdgeWeight.BYTES:
            return figures.volume(Decimal(value))
        case EdgeWeight.DOLLARS:
            return figures.dollars(Decimal(value), currency)
        case EdgeWeight.RATE:
            return figures.use(float(value))


def edge_text(edge: GraphEdge, by: EdgeWeight, currency: CurrencyRate | None) -> str:
    """Return an edge's weight; an amount that lacks a part is the least."""
    if by is EdgeWeight.DOLLARS and not edge.is_billed:
        return NOT_BILLED
    is_least = by is EdgeWeight.DOLLARS and not edge.is_usd_whole and edge.usd_per_month is not None
    return f"{'≥ ' if is_least else ''}{weight_text(edge.weight(by), by, currency)}"


def heading(graph: TrafficGraph) -> str:
    """Return what a picture shows."""
    return inert(f"Traffic between {_LEVELS[graph.level]}: {graph.title}")


_LEVELS = {
    GraphLevel.VM: "VMs",
    GraphLevel.GROUP: "instance groups",
    GraphLevel.SERVICE: "services",
    GraphLevel.ZONE: "zones",
    GraphLevel.REGION: "regions",
}


def notes(graph: TrafficGraph, view: Shown, currency: CurrencyRate | None) -> Iterator[str]:
    """Yield what a picture says below itself: what widths mean, when, what is not in it."""
    by = graph.weight
    yield f"Line width: {WEIGHTS[by]}, {_WHOSE[by]}. Blue: {INSIDE}. Brown: {OUTSIDE}."
    if any(edge.weight(by) is None for edge in view.edges):
        yield "Dashed: unknown, or not billed to your projects."
    yield window(graph)
    if view.rest is not None:
        yield rest_text(view.rest, currency)
    for what in graph.incomplete:
        yield inert(f"Not included: {what}")


_WHOSE = {
    EdgeWeight.BYTES: "headers included",
    EdgeWeight.DOLLARS: "at the mean price of all traffic with the same price",
    EdgeWeight.RATE: "95th percentile over minutes, for the pair that is closest to its cap",
}


def window(graph: TrafficGraph) -> str:
    """Return when the traffic was seen, and of what day the prices are."""
    seen = (
        "Steady rates, without a time window"
        if graph.is_steady
        else f"Seen from {graph.start:%Y-%m-%d %H:%M} to {graph.end:%Y-%m-%d %H:%M} UTC"
    )
    return f"{seen}; prices of {graph.prices_as_of.isoformat()}."


def rest_text(rest: RestOfEdges, currency: CurrencyRate | None) -> str:
    """Return what is left out, in one sentence."""
    count = figures.counted(rest.edge_count, "edge")
    money = "with no known price" if rest.is_billed else NOT_BILLED
    if rest.usd_per_month is not None:
        least = "" if rest.is_usd_whole else "at least "
        money = f"{least}{figures.dollars(rest.usd_per_month, currency)}/month"
    return f"Not shown: {count}, together {figures.volume(rest.gib_per_month)}, {money}."


# The traffic graph: its edges by weight, its ends, and what the rest sums up to


SCHEMA = "netplan.traffic-graph/1"
_ROWS = 20
"""Edges of a text, and ends."""
_INCOMPLETE = 3


class Rest(TypedDict):
    """What `--top` leaves out."""

    rest: graphs.RestOfEdges | None


def record(answer: graphs.TrafficGraph) -> tuple[graphs.TrafficGraph, Rest]:
    """Return the graph with the edges that were asked for, all of them without `--top`."""
    view = shown(answer, None)
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
    return DataTable(columns, (_row(edge, nodes) for edge in shown(answer, None).edges))


def _row(edge: graphs.GraphEdge, nodes: dict[str, graphs.GraphNode]) -> tuple[Cell, ...]:
    src, dst = nodes[edge.src], nodes[edge.dst]
    return (
        *(src.name, src.kind, src.place, dst.name, dst.kind, dst.place),
        *(edge.path_class.value, edge.pair_count),
        *(figures.exact_sum(edge.gib_per_month), figures.exact_sum(edge.usd_per_month)),
        *(edge.is_usd_whole, edge.price_note, edge.max_gbps, edge.cap_ratio, edge.fastest_pair),
        *(edge.src, edge.dst),
    )


def blocks(answer: graphs.TrafficGraph, options: RenderOptions) -> Iterator[Block]:
    """Yield the edges and ends, with what the figures mean."""
    yield doc.Title(line=line(heading(answer)), basis=line(window(answer)))
    view = shown(answer, None if options.verbosity else options.max_rows or _ROWS)
    yield doc.section(f"Edges by {WEIGHTS[answer.weight]}")
    if not view.edges:
        yield doc.para("No traffic was seen.")
        return
    columns = (
        doc.Column(title="from"),
        doc.Column(title="to"),
        doc.Column(title="per month", is_number=True),
        doc.Column(title="cost", is_number=True, stacked="costs: {}"),
        doc.Column(title="fastest", is_number=True, stacked="fastest minute: {}"),
        doc.Column(title="of cap", is_number=True, stacked="of the cap: {}"),
        doc.Column(title="path", is_note=True),
    )
    yield doc.Table(columns=columns, rows=tuple(_line(edge, view) for edge in view.edges))
    if view.rest is not None:
        yield doc.para(rest_text(view.rest, options.currency))
    yield doc.para(_what_figures_are(answer))
    yield from _ends(view)
    for what in answer.incomplete[:_INCOMPLETE]:
        yield doc.para("Not included: ", what)
    if len(answer.incomplete) > _INCOMPLETE:
        yield doc.para(f"and {len(answer.incomplete) - _INCOMPLETE:,} more lines: JSON")


def _what_figures_are(answer: graphs.TrafficGraph) -> str:
    parts = figures.counted(answer.part_count, "part")
    own = (
        "" if answer.weight is not graphs.EdgeWeight.RATE else " Edges with no known cap come last."
    )
    return (
        f"The graph has {figures.counted(len(answer.nodes), 'end')} and "
        f"{figures.counted(len(answer.edges), 'edge')} in {parts} with no traffic between them. "
        "Fastest: the busiest minute of a pair. Of cap: 95th percentile over minutes, for the "
        f"pair closest to its sender's egress cap.{own}"
    )


def _line(edge: graphs.GraphEdge, view: Shown) -> tuple[Line, ...]:
    return (
        line(phrases.name(label(view.nodes[edge.src]))),
        line(phrases.name(label(view.nodes[edge.dst]))),
        line(fixed(figures.volume(edge.gib_per_month))),
        _usd(edge),
        line(fixed(figures.rate(edge.max_gbps))),
        line(fixed(figures.use(edge.cap_ratio))) if edge.cap_ratio is not None else line("unknown"),
        line(edge.path_class.value),
    )


def _usd(edge: graphs.GraphEdge) -> Line:
    if not edge.is_billed:
        return line(say(NOT_BILLED, Role.DIM))
    usd = usd_cell(edge.usd_per_month, edge.price_note)
    return usd if edge.usd_per_month is None or edge.is_usd_whole else line("≥ ", usd)


def _ends(view: Shown) -> Iterator[Block]:
    yield doc.section("Ends of these edges, with all their traffic")
    columns = (
        doc.Column(title="end"),
        doc.Column(title="kind"),
        doc.Column(title="VMs", is_number=True, stacked="{} VMs"),
        doc.Column(title="sends", is_number=True, stacked="sends {}"),
        doc.Column(title="receives", is_number=True, stacked="receives {}"),
        doc.Column(title="peak share of cap", is_number=True, stacked="{} of the cap"),
    )
    greatest = sorted(
        view.nodes.values(),
        key=lambda node: (-(node.sent_gib_per_month + node.received_gib_per_month), node.key),
    )
    yield doc.Table(columns=columns, rows=tuple(map(_end, greatest)))


def _end(node: graphs.GraphNode) -> tuple[Line, ...]:
    return (
        line(phrases.name(label(node))),
        line(node.kind),
        line(fixed(f"{node.machine_count:,}")) if node.machine_count else (),
        line(fixed(figures.volume(node.sent_gib_per_month))),
        line(fixed(figures.volume(node.received_gib_per_month))),
        line(fixed(figures.use(node.cap_ratio))) if node.cap_ratio is not None else (),
    )
