"""Meets the ends that a batch names for the first time, and gives them their nodes."""

from netplan_planner.traffic import statements
from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.nodes import NO_DETAILS, Details, Identity, Nodes, parse_end
from netplan_planner.traffic.records import END_SEPARATOR

_IDENTITY_TYPES = ("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR")
_SAME = (
    "e.address = c.address AND e.project IS NOT DISTINCT FROM c.project"
    " AND e.vm IS NOT DISTINCT FROM c.vm AND e.tag IS NOT DISTINCT FROM c.tag"
)


class Meeting:
    """Turns the notes of staged records into nodes: the table `fresh`, and rows of `endpoint`."""

    def __init__(self, engine: Engine, nodes: Nodes) -> None:
        self._engine = engine
        self._nodes = nodes
        self._notes: list[tuple[str, Identity | None, Identity | None]] = []
        self._details: dict[Identity, Details] = {}

    def collect(self) -> bool:
        """Read the notes of the staged records; return whether there are any."""
        for rows in self._engine.stream(statements.NEW_NOTES):
            for (note,) in rows:
                src, _, dst = note.partition(END_SEPARATOR)
                self._notes.append((note, self._end(src), self._end(dst)))
        return bool(self._notes)

    def _end(self, said: str) -> Identity | None:
        parsed = parse_end(said)
        if parsed is None:
            return None
        identity, details = parsed
        # Records that say more or less of one end: the same choice whatever their order.
        self._details[identity] = max(details, self._details.get(identity, NO_DETAILS))
        return identity

    def strangers(self) -> bool:
        """Return whether unknown machines came without details; the table `stranger` names them."""
        found = {
            (identity[1], identity[2])
            for identity, details in self._details.items()
            if details == NO_DETAILS and self._nodes.is_stranger(identity)
        }
        self._engine.run("DELETE FROM stranger")
        self._engine.insert("stranger", ("VARCHAR", "VARCHAR"), sorted(found, key=str))
        return bool(found)

    def look_at_strangers(self) -> None:
        """Read the details of the machines in `stranger` from the view of the batch's records."""
        for row in self._engine.rows(statements.STRANGERS):
            identity: Identity = (row[0], row[1], row[2], row[3])
            if identity in self._details:
                self._details[identity] = tuple(text or "" for text in row[4:])

    def introduce(self) -> None:
        """Fill `fresh`, and add the ends met for the first time to `endpoint`."""
        number_of = self._known()
        new: list[Row] = []
        for identity, details in sorted(self._details.items(), key=str):
            if identity not in number_of:
                node = self._nodes.number(identity, details)
                if node is not None:
                    number_of[identity] = node
                    new.append((*identity, node))
        self._engine.insert("endpoint", (*_IDENTITY_TYPES, "INTEGER"), new)
        rows: list[Row] = [
            (note, number_of.get(src) if src else None, number_of.get(dst) if dst else None)
            for note, src, dst in self._notes
        ]
        self._engine.run("DELETE FROM fresh")
        self._engine.insert("fresh", ("VARCHAR", "INTEGER", "INTEGER"), rows)

    def _known(self) -> dict[Identity, int]:
        """Return the nodes of those ends that were met before."""
        self._engine.run("CREATE OR REPLACE TABLE candidate AS SELECT * FROM endpoint LIMIT 0")
        self._engine.insert(
            "candidate", (*_IDENTITY_TYPES, "INTEGER"), [(*i, None) for i in self._details]
        )
        rows = self._engine.rows(
            f"SELECT c.address, c.project, c.vm, c.tag, e.node FROM candidate c"
            f" JOIN endpoint e ON {_SAME}"
        )
        return {(row[0], row[1], row[2], row[3]): row[4] for row in rows}
