"""What `netplan graph` is asked."""

from typing import Annotated, ClassVar

from netplan_planner.asks import CHOICE, Ask, Request
from netplan_planner.planning.inputs import AsOf
from netplan_planner.planning.project import Input, OfProject, Today
from netplan_planner.verbs.graph.answer import EdgeWeight, GraphLevel


class Drawn(Request, frozen=True, kw_only=True):
    """What the graph shows."""

    PANEL: ClassVar[str] = CHOICE

    level: Annotated[
        GraphLevel,
        Ask(
            "What a node of the graph is. service: the label netplan-role, service or app, else "
            "the instance group."
        ),
    ] = GraphLevel.ZONE
    weight: Annotated[
        EdgeWeight,
        Ask("Value that ranks the edges. rate is relative to the sender's cap.", "--edges"),
    ] = EdgeWeight.BYTES
    top_count: Annotated[
        int | None,
        Ask(
            "Number of largest edges to show; the rest is summed. Default: 40 in pictures, 20 "
            "in text, all in data.",
            "--top",
            least=1,
            metavar="COUNT",
        ),
    ] = None
    """None: each format has its own number."""


class GraphAsk(OfProject, frozen=True, kw_only=True):
    """Which traffic to draw, and how."""

    given: Input = Input()
    drawn: Drawn = Drawn()
    as_of: AsOf = None
    today: Today = None
