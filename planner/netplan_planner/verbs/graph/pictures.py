"""The traffic graph as a picture: senders on the left, receivers on the right."""

from decimal import Decimal
from textwrap import wrap
from typing import NamedTuple

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers.html.charts.bands import Bands, EndTexts, Frame, Link, bands
from netplan_planner.renderers.html.page import filled
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.graph import show
from netplan_planner.verbs.graph.answer import EdgeWeight, GraphEdge, TrafficGraph
from netplan_planner.verbs.graph.show import notes

_FRAME = Frame(width=1200, start=380, end=820, band=420, name_length=52)
_LINE_LENGTH = 170
"""Letters of a line below the picture that fit its width."""


class GraphPicture(NamedTuple):
    """The picture, and what stands above and below it."""

    title: str
    bands: Bands
    inside: str
    outside: str
    notes: tuple[str, ...]
    alt: str


def pictures(answer: TrafficGraph, currency: CurrencyRate | None) -> list[Picture]:
    """Return the one picture of the greatest edges, if there are any."""
    return drawn("graph", picture(answer, currency))


def render(graph: TrafficGraph, options: RenderOptions) -> str:
    """Return it as one SVG file: no script, no font, nothing that is loaded."""
    return filled("graph.svg.j2", {"one": picture(graph, options.currency)})


def picture(graph: TrafficGraph, currency: CurrencyRate | None) -> GraphPicture | None:
    """Return the picture of the greatest edges; None where there are none."""
    view = show.shown(graph)
    if not view.edges:
        return None
    by = graph.weight
    links = [_link(edge, view, by, currency) for edge in view.edges]
    said = [text for one in notes(graph, view, currency) for text in wrap(one, _LINE_LENGTH)]

    def figure_of(weight: Decimal) -> str:
        # Shares of the caps of several machines sum up to nothing that has a meaning.
        return "" if by is EdgeWeight.RATE else show.weight_text(weight, by, currency)

    def title_of(name: str, weight: Decimal) -> str:
        return ": ".join(filter(None, (name, figure_of(weight))))

    return GraphPicture(
        title=show.heading(graph),
        bands=bands(links, EndTexts(title_of, figure_of), _FRAME),
        inside=show.INSIDE,
        outside=show.OUTSIDE,
        notes=tuple(said),
        alt=f"The largest: {links[0].title}",
    )


def _link(edge: GraphEdge, view: show.Shown, by: EdgeWeight, currency: CurrencyRate | None) -> Link:
    weight = edge.weight(by)
    src, dst = show.label(view.nodes[edge.src]), show.label(view.nodes[edge.dst])
    text = show.edge_text(edge, by, currency)
    return Link(
        src=src,
        dst=dst,
        weight=None if weight is None else Decimal(str(weight)),
        title=f"{src} → {dst}, {edge.path_class.value}: {text}",
        is_external=show.is_outside(edge.path_class),
    )
