"""The traffic graph as one SVG file: no script, no font, nothing that is loaded."""

from netplan_planner.model.traffic_graph import TrafficGraph
from netplan_planner.renderers.html.charts.traffic_graph import picture
from netplan_planner.renderers.html.page import filled
from netplan_planner.renderers.options import RenderOptions


def render(graph: TrafficGraph, options: RenderOptions) -> str:
    """Return the picture; widths are weights, colours say who is addressed."""
    return filled("graph.svg.j2", {"one": picture(graph, options.currency)})
