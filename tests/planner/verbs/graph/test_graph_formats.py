"""The graph formats: whole, the same every time, and names in them do nothing."""

import io
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import cast
from xml.etree import ElementTree

import networkx
import pytest
from msgspec.structs import replace

from netplan_planner.errors import UsageError
from netplan_planner.model import Facts, PathClass
from netplan_planner.renderers import RenderOptions, render
from netplan_planner.renderers.content import content_of, record
from netplan_planner.renderers.output import FORMATS, parse_output, renderers_of
from netplan_planner.verbs.graph.answer import EdgeWeight, GraphLevel, TrafficGraph
from netplan_planner.verbs.graph.ask import Drawn
from netplan_planner.verbs.graph.run import graph_of
from netplan_planner.verbs.graph.show import shown, width
from support.listed import listed
from support.rules.facts import facts_of, machine

OWN = ("dot", "graphml", "mermaid", "svg")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    'a"]; n1 -> n2 [label="x',
    "\\",
    '\\"',
    "\\N \\G \\l",
    "&lt;b&gt; &amp; &#34;",
    "<script>alert(1)</script>",
    "]]> --> <!--",
    "`**bold**`",
    'x"] --> n9["y',
    "#quot; #35; ;",
    "end",
    "subgraph z",
    "line one\nline two",
    "\x00\x1b[31m\ud800\u202e\ufffe",
    "click n1 href javascript:alert(1)",
    "x" * 5_000,
    "",
)
ZONES, OUTSIDE = PathClass.INTER_ZONE_INTERNAL, PathClass.SAME_ZONE_EXTERNAL
TALK = (
    ("a", "b", ZONES, 1.6),
    ("b", "a", ZONES, 0.4),
    ("a", "c", OUTSIDE, 0.8),
    ("c", "c", PathClass.SAME_ZONE_INTERNAL, 0.2),
)


@cache
def three() -> Facts:
    return facts_of(machine("a"), machine("b", zone="us-central1-b"), machine("c"), talk=TALK)


def made(
    weight: EdgeWeight = EdgeWeight.BYTES, top_count: int | None = None, name: str = "a"
) -> TrafficGraph:
    """Return a graph of three machines, of which one, its zone and the story have a name."""
    found = graph_of(three(), name, Drawn(level=GraphLevel.VM, weight=weight, top_count=top_count))
    nodes = tuple(
        replace(node, name=name, place=name or "-") if node.name == "a" else node
        for node in found.nodes
    )
    return replace(found, nodes=nodes, incomplete=(name,) if name != "a" else ())


def test_they_are_formats_of_this_answer_alone() -> None:
    assert tuple(renderers_of("TrafficGraph")) == (*FORMATS, *OWN)
    assert set(OWN).isdisjoint(renderers_of("Report"))
    for form in OWN:
        with pytest.raises(UsageError, match="unknown output format"):
            parse_output(form)
    with pytest.raises(UsageError, match="unknown output format 'sarif'"):
        render(made(), "sarif", RenderOptions())


@listed("text", HOSTILE)
@listed("form", OWN)
def test_no_name_steers_anything(form: str, text: str) -> None:
    page = render(made(name=text), form, RenderOptions())
    assert page.replace("\n", "").isprintable()
    statements = {"dot": _dot, "mermaid": _mermaid, "graphml": _graphml, "svg": _svg}[form]
    assert statements(page) == statements(render(made(name="harmless"), form, RenderOptions()))


def _dot(page: str) -> list[str]:
    """Return the statements of DOT with every string emptied; a string ends at a bare quote."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', page)
    assert '"' not in bare.replace('""', "")
    return sorted(line.strip() for line in bare.splitlines())


def _mermaid(page: str) -> list[str]:
    bare = re.sub(r'"[^"\n]*"', '""', page)
    assert '"' not in bare.replace('""', "")
    for label in re.findall(r'"([^"\n]*)"', page):
        assert not re.search(r"[<>`\\\[\]{}|]", label.replace("<br/>", "")), label
    return sorted(re.sub(r"\bp\d+", "p", line.strip()) for line in bare.splitlines())


def _graphml(page: str) -> list[tuple[str, str]]:
    read = networkx.read_graphml(io.BytesIO(page.encode()))
    assert read.number_of_nodes() == 3
    return sorted(read.edges())


def _svg(page: str) -> list[str]:
    return sorted({element.tag for element in ElementTree.fromstring(page).iter()})


def test_graphml_holds_every_edge_with_numbers_and_leaves_out_what_is_not_known() -> None:
    graph = made(EdgeWeight.DOLLARS)
    first = replace(graph.edges[0], usd_per_month=None)
    page = render(replace(graph, edges=(first, *graph.edges[1:])), "graphml", RenderOptions())
    read = networkx.read_graphml(io.BytesIO(page.encode()))
    edges = [told for _, _, told in read.edges(data=True)]
    assert len(edges) == 4
    assert sum("usd_per_month" in told for told in edges) == 3
    assert all(isinstance(told["gib_per_month"], float) for told in edges)
    ids = [key.get("id") for key in ElementTree.fromstring(page) if key.tag.endswith("}key")]
    assert len(ids) == len(set(ids)), "ids of XML are unique"


@pytest.mark.parametrize("form", ["dot", "mermaid", "svg"])
def test_what_top_leaves_out_is_summed_and_said(form: str) -> None:
    page = render(made(top_count=1), form, RenderOptions())
    rest = sum((edge.gib_per_month for edge in made().edges[1:]), Decimal(0))
    assert "Not shown" not in render(made(), form, RenderOptions())
    assert re.search(r"Not shown(:|#58;) 3 edges, together", page)
    view = shown(made(top_count=1))
    assert view.rest is not None
    assert view.rest.gib_per_month == rest
    assert {node.name for node in view.nodes.values()} == {"a", "b"}


def test_data_holds_all_edges_unless_a_number_is_asked_for() -> None:
    many = replace(made(), edges=made().edges * 30)
    for count, expected in ((None, 120), (7, 7)):
        asked = replace(many, top_count=count)
        content = content_of(asked)
        graph, rest = cast(tuple[TrafficGraph, dict[str, object]], record(asked))
        assert len(graph.edges) == expected
        assert (rest["rest"] is None) == (count is None)
        assert len(list(content.table(asked).rows)) == expected
        drawn = render(asked, "svg", RenderOptions()).count("<path ")
        assert drawn == min(expected, 40)


@pytest.mark.parametrize("weight", EdgeWeight)
def test_lines_are_as_wide_as_their_weight_and_unknown_ones_are_dashed(weight: EdgeWeight) -> None:
    graph = made(weight)
    widths = [width(edge, graph) for edge in graph.edges]
    assert widths[0] == 10.0
    assert widths == sorted(widths, key=lambda one: -(one or 0))
    lost = replace(graph.edges[-1], usd_per_month=None, cap_ratio=None, is_billed=False)
    unknown = replace(graph, edges=(*graph.edges[:-1], lost))
    if weight is EdgeWeight.BYTES:
        return
    assert "style=dashed" in render(unknown, "dot", RenderOptions())
    assert "stroke-dasharray" in render(unknown, "mermaid", RenderOptions())
    page = ElementTree.fromstring(render(unknown, "svg", RenderOptions()))
    dashed = [p for p in page.iter(f"{SVG}path") if "unknown" in (p.get("class") or "")]
    assert len(dashed) == 1
    assert "Dashed: unknown" in "".join(page.itertext())


def test_the_picture_is_alone_in_the_world_and_has_a_legend() -> None:
    page = ElementTree.fromstring(render(made(EdgeWeight.RATE), "svg", RenderOptions()))
    said = "\n".join(page.itertext())
    for words in ("to internal addresses", "Line width: share of the sender's egress cap"):
        assert words in said
    for element in page.iter():
        assert element.tag.removeprefix(SVG) not in {"script", "image", "use", "a", "foreignObject"}
        assert not any(name.endswith("href") or name.startswith("on") for name in element.attrib)
    assert all(0 < y < float(page.get("height") or 0) for y in _heights(page))


def _heights(page: ElementTree.Element) -> Iterator[float]:
    for element in page.iter(f"{SVG}text"):
        yield float(element.get("y") or 0)
