"""Which reports of which pairs count, and to which edge they belong."""

from collections.abc import Iterator, Sequence

from netplan_planner.model import Certainty, Owner, OwnerKind, PathClass, Reporter, SelfLink
from netplan_planner.paths import FlowEnd, classify
from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.nodes import Nodes, fullest
from netplan_planner.traffic.statements.keys import nodes_of
from netplan_planner.traffic.statements.routes import SILENT, reported, weights

EdgeKey = tuple[str, str, PathClass, str | None]
"""What makes an edge: keys of source and destination, path class, literal address."""


class Routes:
    """The edges, and the tables `weight` and `edge` that lead sums by report to them.

    Python holds one entry an edge and one a node.
    """

    def __init__(self, engine: Engine, nodes: Nodes, reporter: Reporter) -> None:
        self._engine = engine
        self._nodes = nodes
        self._reporter = reporter
        self.unit = 2 if reporter is Reporter.AVERAGE else 1
        """The weight of one whole report: in an average two halves count."""
        self.keys: list[EdgeKey] = []
        self.certainties: list[Certainty] = []
        """The least sure end of each edge."""
        self.has_recorded = False
        """Whether a record named one of its machines."""
        self.silent: set[SelfLink] = set()
        """Subnetworks that should report by the inventory, but never do, though others saw them."""
        self._number: dict[EdgeKey, int] = {}

    def build(self) -> None:
        """Fill the tables `weight` and `edge`."""
        self._engine.create("reported", "route", "weight", "edge")
        self._engine.run(f"INSERT INTO reported {reported(self._reporter)}")
        for rows in self._engine.stream("SELECT pair FROM reported"):
            self._engine.insert("route", self._routes(rows))
        self._engine.run(f"INSERT INTO weight {weights(self.unit)}")
        self._note_silence()
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

    def _routes(self, pairs: Sequence[Row]) -> Iterator[Row]:
        """Yield the edge of each pair, a new one where it is the first."""
        ends = self._nodes.ends
        for (pair,) in pairs:
            src_node, dst_node = nodes_of(pair)
            src, dst = ends[src_node], ends[dst_node]
            edge = self._edge(src, dst)
            self._judge(edge, src.certainty)
            self._judge(edge, dst.certainty)
            yield pair, edge

    def _edge(self, src: FlowEnd, dst: FlowEnd) -> int:
        path = classify(src, dst)
        key = (src.owner.key, dst.owner.key, path.path_class, path.dst_address)
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self.keys)
            self.keys.append(key)
            self.certainties.append(Certainty.RECORDED)
        return number

    def _judge(self, edge: int, certainty: Certainty) -> None:
        if certainty is Certainty.RECORDED:
            self.has_recorded = True
        elif certainty.rank > self.certainties[edge].rank:
            self.certainties[edge] = certainty

    def _note_silence(self) -> None:
        side = int(self._reporter is Reporter.DESTINATION)
        for nodes in self._engine.rows(SILENT):
            self.silent.update(
                link
                for link in self._nodes.ends[nodes[side]].reported_by
                if self._nodes.is_silent(link, side)
            )
