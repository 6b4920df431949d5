"""Which edges of a traffic graph are shown, what the rest sums up to, and how they look."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from operator import itemgetter
from typing import NamedTuple

from netplan_planner.inert import NAME_LENGTH, inert
from netplan_planner.model import CurrencyRate, PathClass
from netplan_planner.renderers import figures
from netplan_planner.verbs.graph.answer import (
    EdgeWeight,
    GraphEdge,
    GraphLevel,
    GraphNode,
    RestOfEdges,
    TrafficGraph,
)

EDGES_OF_A_PICTURE = 40
"""More of them cannot be told apart."""
WEIGHTS = {
    EdgeWeight.BYTES: "volume a month",
    EdgeWeight.DOLLARS: "dollars a month",
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
        return "not known"
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
    GraphLevel.VM: "machines",
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
        yield "Dashed: not known, or not billed to own projects."
    yield window(graph)
    if view.rest is not None:
        yield rest_text(view.rest, currency)
    for what in graph.incomplete:
        yield inert(f"Not in it: {what}")


_WHOSE = {
    EdgeWeight.BYTES: "headers included",
    EdgeWeight.DOLLARS: "at the mean price of all traffic that shares its price",
    EdgeWeight.RATE: "in the 95th percentile of minutes, of the pair that is nearest to it",
}


def window(graph: TrafficGraph) -> str:
    """Return when the traffic was seen, and of what day the prices are."""
    seen = (
        "Steady rates, of no window"
        if graph.is_steady
        else f"Seen from {graph.start:%Y-%m-%d %H:%M} to {graph.end:%Y-%m-%d %H:%M} UTC"
    )
    return f"{seen}; prices of {graph.prices_as_of.isoformat()}."


def rest_text(rest: RestOfEdges, currency: CurrencyRate | None) -> str:
    """Return what is left out, in one sentence."""
    count = figures.counted(rest.edge_count, "edge")
    money = "of no known price" if rest.is_billed else NOT_BILLED
    if rest.usd_per_month is not None:
        least = "" if rest.is_usd_whole else "at least "
        money = f"{least}{figures.dollars(rest.usd_per_month, currency)} a month"
    return f"Left out: {count}, together {figures.volume(rest.gib_per_month)}, {money}."
