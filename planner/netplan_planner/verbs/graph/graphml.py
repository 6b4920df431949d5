"""The traffic graph as GraphML (graphml.graphdrawing.org), written by networkx: all edges.

Figures are numbers in US dollars, GiB a month and Gbit/s; one that is not known has no element.
"""

import networkx

from netplan_planner.inert import inert_line
from netplan_planner.model import Value
from netplan_planner.renderers.json_report import plain
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.graph.answer import TrafficGraph
from netplan_planner.verbs.graph.show import shown


def render(graph: TrafficGraph, options: RenderOptions) -> str:
    """Return the graph; a part of it is left out only where `--top` says so."""
    view = shown(graph, None)
    ids = view.ids
    made = networkx.MultiDiGraph(
        title=inert_line(graph.title),
        level=graph.level.value,
        start=graph.start.isoformat(),
        end=graph.end.isoformat(),
        prices_as_of=graph.prices_as_of.isoformat(),
        left_out_count=view.rest.edge_count if view.rest is not None else 0,
    )
    for key, node in view.nodes.items():
        made.add_node(ids[key], **_attributes(node))
    for number, edge in enumerate(view.edges, 1):
        told = _attributes(edge, but=("src", "dst"))
        made.add_edge(ids[edge.src], ids[edge.dst], key=f"e{number}", **told)
    lines = networkx.generate_graphml(made)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(lines) + "\n"


def _attributes(value: Value, but: tuple[str, ...] = ()) -> dict[str, str | int | float | bool]:
    """Return what of a value is known, in the types of GraphML."""
    found: dict[str, str | int | float | bool] = {}
    for name in value.__struct_fields__:
        known = None if name in but else plain(getattr(value, name), name)
        if isinstance(known, str):
            found[name] = inert_line(known)
        elif isinstance(known, int | float):
            found[name] = known
    return found
