"""The traffic graph: ends at one level, and between them one edge a path class."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Value
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.plans.plan_answer import ProjectAnswer


class GraphLevel(StrEnum):
    """What own machines are taken together by."""

    VM = "vm"
    GROUP = "group"
    """By instance group; a machine of none stands for itself."""
    SERVICE = "service"
    """By a label that says what it serves, else by instance group, else alone."""
    ZONE = "zone"
    REGION = "region"


class EdgeWeight(StrEnum):
    """By what edges rank, and how wide pictures draw them."""

    BYTES = "bytes"
    DOLLARS = "dollars"
    RATE = "rate"
    """The rate against the sender's egress cap."""


class GraphNode(Value, frozen=True, kw_only=True):
    """One end: machines taken together, or somebody outside."""

    key: str
    """Unique and stable."""
    name: str
    kind: str
    """`vm`, `group`, `service`, `zone` or `region`; else what kind of end it is, as `internet`."""
    place: str
    """Zone or region that it is in; empty where it is in none, or in several."""
    machine_count: int
    """Own machines in it that were seen sending or receiving."""
    sent_gib_per_month: Decimal
    received_gib_per_month: Decimal
    cap_ratio: float | None
    """The greatest share of its egress cap that one of its machines takes in the 95th percentile of
    minutes; null where no cap is known."""


class GraphEdge(Value, frozen=True, kw_only=True):
    """Traffic from one end to another by one path class, per month of 730 hours."""

    src: str
    """Key of the sending node."""
    dst: str
    path_class: PathClass
    pair_count: int
    """Pairs of machines, or of a machine and a peer, that are taken together."""
    gib_per_month: Decimal
    """With headers."""
    usd_per_month: Decimal | None
    """Each priced path's traffic shares its steps; null where nothing of it has a known price, and
    where the own projects do not pay."""
    is_usd_whole: bool
    """False where a part has no known price: the amount is the least."""
    is_billed: bool
    """False where own machines send none of it: then the own projects do not pay."""
    price_note: str
    """Why there is no price, or not a whole one; empty where there is."""
    max_gbps: float
    """The busiest minute of its fastest pair."""
    cap_ratio: float | None
    """The greatest share of the sender's egress cap (of the one to addresses outside the VPC, where
    that holds) that one pair takes in the 95th percentile of minutes; null where none is known."""
    fastest_pair: str
    """That pair; where no cap is known, the one with the busiest minute."""

    def weight(self, by: EdgeWeight) -> Decimal | float | None:
        """Return what it ranks by: GiB or dollars a month, or a ratio; None: not known."""
        match by:
            case EdgeWeight.BYTES:
                return self.gib_per_month
            case EdgeWeight.DOLLARS:
                return self.usd_per_month
            case EdgeWeight.RATE:
                return self.cap_ratio


class RestOfEdges(Value, frozen=True, kw_only=True):
    """What is taken together because `--top` leaves it out."""

    edge_count: int
    gib_per_month: Decimal
    usd_per_month: Decimal | None
    is_usd_whole: bool
    is_billed: bool
    """False where own machines send none of it."""


class TrafficGraph(ProjectAnswer, frozen=True, kw_only=True):
    """Who sends how much to whom."""

    level: GraphLevel
    weight: EdgeWeight
    start: datetime
    end: datetime
    is_steady: bool
    """The input states steady rates, of no window."""
    top_count: int | None
    """How many edges were asked for; null: each format decides."""
    part_count: int
    """Groups of ends that exchange no traffic with each other."""
    nodes: tuple[GraphNode, ...]
    """In the order of their keys."""
    edges: tuple[GraphEdge, ...]
    """The greatest by weight first."""
