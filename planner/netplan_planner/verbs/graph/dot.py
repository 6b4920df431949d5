r"""The traffic graph in the DOT language of Graphviz.

Every text is a quoted string. In one, a quote and a backslash need a backslash before them, and a
label reads `&lt;` as a character (graphviz.org/doc/info/lang.html, 2026-11).
"""

from collections.abc import Iterator

from netplan_planner.inert import NAME_LENGTH, inert
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.graph import show
from netplan_planner.verbs.graph.answer import TrafficGraph


def render(graph: TrafficGraph, options: RenderOptions) -> str:
    """Return the graph as DOT: clusters are places, widths weights, colours who is addressed."""
    return "\n".join(_lines(graph, show.shown(graph), options)) + "\n"


def quoted(text: str) -> str:
    r"""Return a text as a DOT string that shows it letter by letter.

    >>> print(quoted('a"b\\N&lt;'))
    "a\"b\\N&amp;lt;"
    """
    escaped = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _lines(graph: TrafficGraph, view: show.Shown, options: RenderOptions) -> Iterator[str]:
    ids = view.ids
    said = [show.heading(graph), *show.notes(graph, view, options.currency)]
    # Lines of a label end with `\l`, which is no text's own: backslashes of texts are doubled.
    legend = "\\l".join(quoted(text)[1:-1] for text in said)
    yield "digraph traffic {"
    yield f'  graph [label="{legend}\\l", labelloc=b, labeljust=l, fontname="sans-serif"]'
    yield "  rankdir=LR"
    yield '  node [shape=box, style=rounded, fontname="sans-serif"]'
    yield '  edge [fontname="sans-serif", fontsize=10]'
    for number, (place, nodes) in enumerate(view.by_place):
        lines = [
            f"{ids[node.key]} [label={quoted(inert(node.name, NAME_LENGTH))}]" for node in nodes
        ]
        if not place:
            yield from (f"  {line}" for line in lines)
            continue
        yield f"  subgraph cluster_{number} {{"
        yield f"    label={quoted(inert(place, NAME_LENGTH))}"
        yield from (f"    {line}" for line in lines)
        yield "  }"
    for edge in view.edges:
        wide = show.width(edge, graph)
        look = f"penwidth={1 if wide is None else wide}"
        style = ", style=dashed" if wide is None else ""
        colour = show.OUTSIDE_COLOUR if show.is_outside(edge.path_class) else show.INSIDE_COLOUR
        text = quoted(show.edge_text(edge, graph.weight, options.currency))
        tip = quoted(edge.path_class.value)
        yield (
            f"  {ids[edge.src]} -> {ids[edge.dst]}"
            f' [label={text}, tooltip={tip}, {look}{style}, color="{colour}"]'
        )
    yield "}"
