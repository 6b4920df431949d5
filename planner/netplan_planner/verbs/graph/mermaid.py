"""The traffic graph as a Mermaid flowchart, for Markdown that draws it.

A text stands in quotes, and everything in it but letters, digits and a few harmless signs is
written by its number (`#34;`), so that no name ends a label or is markup
(mermaid.js.org/syntax/flowchart, "Entity codes to escape characters", 2026-11).
"""

from collections.abc import Iterator

from netplan_planner.inert import NAME_LENGTH, inert
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.graph import show
from netplan_planner.verbs.graph.answer import TrafficGraph

_HARMLESS = frozenset(" .,/()%$≥")


def render(graph: TrafficGraph, options: RenderOptions) -> str:
    """Return the graph: boxes are places, widths weights, colours who is addressed."""
    return "\n".join(_lines(graph, show.shown(graph), options)) + "\n"


def quoted(text: str) -> str:
    """Return a text as a quoted label that shows it letter by letter.

    >>> quoted('a"b`#1')
    '"a#34;b#96;#35;1"'
    """
    safe = (c if c.isalnum() or c in _HARMLESS else f"#{ord(c)};" for c in text)
    return f'"{"".join(safe)}"'


def _lines(graph: TrafficGraph, view: show.Shown, options: RenderOptions) -> Iterator[str]:
    ids = view.ids
    yield "flowchart LR"
    for number, (place, nodes) in enumerate(view.by_place):
        lines = [f"{ids[node.key]}[{quoted(inert(node.name, NAME_LENGTH))}]" for node in nodes]
        if not place:
            yield from (f"  {line}" for line in lines)
            continue
        yield f"  subgraph p{number}[{quoted(inert(place, NAME_LENGTH))}]"
        yield from (f"    {line}" for line in lines)
        yield "  end"
    styles = []
    for number, edge in enumerate(view.edges):
        text = quoted(show.edge_text(edge, graph.weight, options.currency))
        yield f"  {ids[edge.src]} -->|{text}| {ids[edge.dst]}"
        wide = show.width(edge, graph)
        colour = show.OUTSIDE_COLOUR if show.is_outside(edge.path_class) else show.INSIDE_COLOUR
        look = "stroke-width:1px,stroke-dasharray:4" if wide is None else f"stroke-width:{wide}px"
        styles.append(f"  linkStyle {number} stroke:{colour},{look}")
    yield from styles
    said = [show.heading(graph), *show.notes(graph, view, options.currency)]
    yield f'  legend["{"<br/>".join(quoted(text)[1:-1] for text in said)}"]'
    yield "  style legend fill:none,stroke:none,text-align:left"
