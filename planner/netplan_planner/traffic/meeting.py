"""Meets the ends that a batch names for the first time, and gives them their nodes."""

from collections.abc import Container, Iterator, Mapping

from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.nodes import NO_DETAILS, Details, Identity, Nodes, parse_end
from netplan_planner.traffic.records import END_SEPARATOR, REPLACED
from netplan_planner.traffic.statements.staging import NEW_NOTES, UNKNOWN_MACHINES

_SAME = (
    "i.address = c.address AND i.project IS NOT DISTINCT FROM c.project"
    " AND i.name IS NOT DISTINCT FROM c.name"
)


class Meeting:
    """Turns the notes of staged records into nodes: the table `fresh`, and rows of `identity`."""

    def __init__(self, engine: Engine, nodes: Nodes) -> None:
        self._engine = engine
        self._nodes = nodes
        self._notes: list[tuple[str, Identity | None, Identity | None]] = []
        self._details: dict[Identity, Details] = {}
        self.is_forged = False
        """Whether a value holds the separators, so that its record cannot be told apart."""

    def collect(self) -> bool:
        """Read the notes of the staged records; return whether there are any."""
        for rows in self._engine.stream(NEW_NOTES):
            for (note,) in rows:
                src, _, dst = note.partition(END_SEPARATOR)
                self._notes.append((note, self._end(src), self._end(dst)))
        return bool(self._notes)

    def _end(self, said: str) -> Identity | None:
        parsed = parse_end(said)
        if parsed is None or END_SEPARATOR in said:
            self.is_forged = True
            return None
        identity, details = parsed
        # Records that say more or less of one end: the same choice whatever their order.
        self._details[identity] = max(details, self._details.get(identity, NO_DETAILS))
        return identity

    def unknown_machines(self) -> bool:
        """Return whether unknown machines came without details; their names go to a table."""
        found = {
            (identity[1], identity[2])
            for identity, details in self._details.items()
            if details == NO_DETAILS and self._nodes.is_unknown_machine(identity)
        }
        self._engine.create("unknown_machine")
        self._engine.insert("unknown_machine", sorted(found, key=str))
        return bool(found)

    def look_at_unknown_machines(self) -> None:
        """Read the details of the unknown machines from the view of the batch's records."""
        for row in self._engine.rows(UNKNOWN_MACHINES):
            identity: Identity = (row[0], row[1], row[2])
            if identity in self._details:
                self._details[identity] = tuple(text or "" for text in row[3:])

    def introduce(self, header_extra: int, *, is_careful: bool) -> bool:
        """Fill `fresh`, and add the ends met for the first time to `identity`.

        `is_careful` says that separators were taken out of the notes: an end whose name has one is
        not found when its records are staged, even where it was met before.

        Return whether there were none among them that are no IP address. Those are added without
        a node, so that their records are told when they are staged again.
        """
        number_of = self._known()
        met = frozenset(
            one for one in number_of if not (is_careful and REPLACED in "".join(map(str, one)))
        )
        new: list[Row] = []
        for identity, details in sorted(self._details.items(), key=str):
            if identity not in number_of:
                node = number_of[identity] = self._nodes.number(identity, details)
                new.append((*identity, node))
        self._engine.insert("identity", new)
        self._engine.create("fresh")
        self._engine.insert("fresh", self._fresh(number_of, met, header_extra))
        return all(row[-1] is not None for row in new)

    def _fresh(
        self, number_of: Mapping[Identity, int | None], met: Container[Identity], header_extra: int
    ) -> Iterator[Row]:
        """Yield the rows of `fresh`; IPv6 headers of a known sender are already counted."""
        for note, src, dst in self._notes:
            src_node = number_of.get(src) if src else None
            dst_node = number_of.get(dst) if dst else None
            is_new_ipv6 = src_node is not None and src not in met and self._is_ipv6(src_node)
            yield note, src_node, dst_node, header_extra if is_new_ipv6 else 0

    def _is_ipv6(self, node: int) -> bool:
        return self._nodes.ends[node].is_ipv6

    def _known(self) -> dict[Identity, int | None]:
        """Return the nodes of those ends that were met before; None is no address."""
        self._engine.create("candidate")
        self._engine.insert("candidate", self._details)
        rows = self._engine.rows(
            "SELECT c.address, c.project, c.name, i.node"
            f" FROM candidate c JOIN identity i ON {_SAME}"
        )
        return {(row[0], row[1], row[2]): row[3] for row in rows}
