"""Which reports of which pairs count, and to which edge they belong."""

from collections.abc import Sequence
from operator import mul

from netplan_planner.model import Certainty, Owner, OwnerKind, PathClass, Reporter, SelfLink
from netplan_planner.paths import FlowEnd, classify
from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.nodes import Nodes, fullest
from netplan_planner.traffic.statements.keys import nodes_of
from netplan_planner.traffic.statements.series import PAIRS, WEIGHTS

SOURCE, DESTINATION, SOURCE_GATEWAY, DESTINATION_GATEWAY = range(4)

_UNLOGGED_SOURCE = (DESTINATION, SOURCE, SOURCE_GATEWAY, DESTINATION_GATEWAY)
_UNLOGGED_DESTINATION = (SOURCE, DESTINATION, DESTINATION_GATEWAY, SOURCE_GATEWAY)
"""Whose report counts, in order, when the end that should report does not; a gateway's report of a
flow that a machine reports as well is the last choice."""

_BOTH = (1, 1, 0, 0)
"""Half of the source's and half of the destination's report."""

EdgeKey = tuple[str, str, PathClass, str | None]
"""What makes an edge: keys of source and destination, path class, literal address."""


class Routes:
    """The edges, and the tables `route`, `weight` and `edge` that lead sums by pair to them.

    Python holds one entry an edge and one a node. A weight is in halves when both ends' reports
    are averaged, else whole.
    """

    def __init__(self, engine: Engine, nodes: Nodes, reporter: Reporter) -> None:
        self._engine = engine
        self._nodes = nodes
        self._reporter = reporter
        self.unit = 2 if reporter is Reporter.AVERAGE else 1
        """What a weight of one whole report is."""
        self._alone = [
            tuple(self.unit if side == chosen else 0 for side in range(4)) for chosen in range(4)
        ]
        self.keys: list[EdgeKey] = []
        self.certainties: list[Certainty] = []
        """The least sure end of each edge."""
        self.has_recorded = False
        """Whether a record named one of its machines."""
        self.silent: set[SelfLink] = set()
        """Subnetworks that should report by the inventory, but never do, though others saw them."""
        self._number: dict[EdgeKey, int] = {}

    def build(self) -> None:
        """Fill the tables `route`, `weight` and `edge`."""
        self._engine.create("route", "weight", "edge")
        nodes = range(len(self._nodes.ends))
        self._sends = [self._nodes.logs_sent(node) for node in nodes]
        self._receives = [self._nodes.logs_received(node) for node in nodes]
        for rows in self._engine.stream(PAIRS):
            self._engine.insert("route", map(self._route, rows))
        self._engine.run(f"INSERT INTO weight {WEIGHTS}")
        self._add_edges()

    def _add_edges(self) -> None:
        self.owners = self._owners()
        self.owner_number = {owner.key: number for number, owner in enumerate(self.owners)}
        machine = {
            owner.key: number
            for number, owner in enumerate(self.owners)
            if owner.kind is OwnerKind.VM
        }
        leaves_vpc = {path_class: int(path_class.leaves_vpc) for path_class in PathClass}
        self._engine.insert(
            "edge",
            (
                (number, machine.get(src), machine.get(dst), leaves_vpc[path_class])
                for number, (src, dst, path_class, _) in enumerate(self.keys)
            ),
        )

    def _owners(self) -> list[Owner]:
        """Return every owner at the end of an edge, by key."""
        used = {key for src, dst, _, _ in self.keys for key in (src, dst)}
        variants: dict[str, set[Owner]] = {}
        for end in self._nodes.ends:
            if end.owner.key in used:
                variants.setdefault(end.owner.key, set()).add(end.owner)
        return [fullest(variants[key]) for key in sorted(variants)]

    def _route(self, row: Row) -> Row:
        """Return the route of a pair, given who reports it."""
        pair, *reports = row
        src_node, dst_node = nodes_of(pair)
        src, dst = self._nodes.ends[src_node], self._nodes.ends[dst_node]
        weights = self._weights(src_node, dst_node, reports)
        edge = self._edge(src, dst)
        self._judge(edge, src.certainty, dst.certainty)
        if any(reports) and not any(map(mul, weights, reports)):
            self._note_silence(src, dst)
        return (pair, edge, *weights)

    def _note_silence(self, src: FlowEnd, dst: FlowEnd) -> None:
        is_destination = self._reporter is Reporter.DESTINATION
        end, side = (dst, DESTINATION) if is_destination else (src, SOURCE)
        self.silent.update(link for link in end.reported_by if self._nodes.is_silent(link, side))

    def _weights(self, src_node: int, dst_node: int, reports: Sequence[int]) -> Sequence[int]:
        """Return by how much each reporter counts; the one that should may not have reported."""
        sends, receives = self._sends[src_node], self._receives[dst_node]
        if self._reporter is Reporter.AVERAGE and sends and receives:
            return _BOTH
        if self._reporter is Reporter.DESTINATION:
            chosen = DESTINATION if receives else _first(_UNLOGGED_DESTINATION, reports)
        else:
            chosen = SOURCE if sends else _first(_UNLOGGED_SOURCE, reports)
        return self._alone[chosen]

    def _edge(self, src: FlowEnd, dst: FlowEnd) -> int:
        path = classify(src, dst)
        key = (src.owner.key, dst.owner.key, path.path_class, path.dst_address)
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self.keys)
            self.keys.append(key)
            self.certainties.append(Certainty.RECORDED)
        return number

    def _judge(self, edge: int, *certainties: Certainty) -> None:
        for certainty in certainties:
            if certainty is Certainty.RECORDED:
                self.has_recorded = True
            elif certainty.rank > self.certainties[edge].rank:
                self.certainties[edge] = certainty


def _first(order: Sequence[int], reports: Sequence[int]) -> int:
    return next((side for side in order if reports[side]), order[0])
