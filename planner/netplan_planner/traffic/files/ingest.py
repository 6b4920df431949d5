"""From batches of flow records in files to sums by pair of ends, all that grows on disk.

Meets the ends that a batch names for the first time, and gives them their nodes.
"""

from collections.abc import Container, Iterable, Iterator, Mapping

from msgspec.structs import replace

from netplan_planner import meter
from netplan_planner.errors import InputError
from netplan_planner.model import Inventory
from netplan_planner.tables.compression import copy_what_is_left
from netplan_planner.traffic.engine import Engine, Row
from netplan_planner.traffic.files.batches import Batch, line_batch, make_batches
from netplan_planner.traffic.files.embedded import EmbeddedEngine, ReadError
from netplan_planner.traffic.files.inputs import Layout, Source
from netplan_planner.traffic.files.records import END_SEPARATOR, REPLACED
from netplan_planner.traffic.nodes import NO_DETAILS, Details, Identity, Nodes, parse_end
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.record_sums import RecordSums
from netplan_planner.traffic.repeats import EntriesOnDisk
from netplan_planner.traffic.statements import logged, staging
from netplan_planner.traffic.statements.staging import NEW_NOTES, UNKNOWN_MACHINES

_SAME = (
    "i.address = c.address AND i.project IS NOT DISTINCT FROM c.project"
    " AND i.name IS NOT DISTINCT FROM c.name"
)
_TOO_LONG = "maximum_object_size"
"""What the engine says of a line that is longer than it takes."""


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


def _records(batch: Batch) -> str:
    # Not a view, which would be bound by itself before: a tenth of reading a small file.
    return f"WITH flow_record AS ({batch.query(batch.has_details)})"


class Ingest(RecordSums):
    """Reads batches into the sums by pair."""

    def __init__(
        self,
        engine: EmbeddedEngine,
        inventory: Inventory,
        options: TrafficOptions,
        *,
        is_steady: bool = False,
    ) -> None:
        self.engine = engine
        self._is_careful = False
        self._batches: list[Batch] = []
        self._is_again = False
        super().__init__(engine, inventory, options, EntriesOnDisk(engine), is_steady=is_steady)

    def read(self, sources: Iterable[Source], *, of_p95: bool = False) -> list[Source]:
        """Read all sources; return them as they could be read: a cut one ends earlier.

        Where something was logged twice they are read twice, see `repeats`; once more where a
        second configuration of flow logs comes late.
        """
        read: list[Source] = []
        for batch in make_batches(
            list(sources), self.engine, self.engine.batch_records, of_p95=of_p95
        ):
            read.extend(self.read_batch(batch))
        if self.repeats.lacks_hours:
            self._note_hours()
        if self.repeats.find(self.nodes):
            self._is_again = True
            self.begin()
            self.repeats.begin()
            for batch in tuple(self._batches):
                self.read_batch(batch)
        self.write_endpoints()
        return list(dict.fromkeys(read))

    def _note_hours(self) -> None:
        """Stage all once more, for the hours of configurations alone."""
        self.repeats.forget_hours()
        self.write_endpoints()
        for batch in self._batches:
            if not batch.layout.is_table:
                self.stage(batch)
                self._meet(batch)
                self.take_holders_of_the_time()
                self.repeats.note_hours()

    def read_batch(self, batch: Batch) -> list[Source]:
        """Read one batch; a gzip file that is cut is read as far as it goes."""
        self.write_endpoints()
        try:
            self.stage(batch)
        except ReadError as exc:
            return [s for part in self._without_cut_file(batch, exc) for s in self.read_batch(part)]
        self.record_count += int(self.engine.value("SELECT COUNT(*) FROM staged"))
        self._meet(batch)
        self.take_holders_of_the_time()
        if self._is_again:
            self.repeats.leave_out(has_records=not batch.layout.is_table)
        elif not batch.layout.is_table:
            self.repeats.note(_records(batch))
        self.fill_span_positions(of_table=batch.layout.is_table)
        self.sum_up(with_flows=self._counts_log_volume(batch))
        self.engine.run(f"INSERT INTO fault {logged.BY_FILE}")
        self.note_reporters()
        if not self._is_again:
            self._batches.append(batch)
        meter.advance(batch.size_bytes)
        return list(batch.sources)

    def _without_cut_file(self, batch: Batch, error: ReadError) -> list[Batch]:
        """Return the batch without its broken file, and what is left of that file.

        Raises:
            InputError: If nothing of it can be read.
        """
        named = [s for s in batch.sources if str(s.path) in str(error)]
        if not named and len(batch.sources) > 1 and batch.layout is Layout.JSON_LINES:
            # Each alone, to see which one it is.
            return [line_batch([source]) for source in batch.sources]
        broken = (named or batch.sources)[0]
        if _TOO_LONG in str(error):
            raise InputError(
                f"{broken.shown}: a line of more than 16 MiB; a flow log has one record per line"
            ) from error
        target = self.engine.folder / f"{broken.path.name}.rest"
        is_lines = batch.layout is Layout.JSON_LINES and broken.compression == "gzip"
        if not (is_lines and copy_what_is_left(broken.path, target)):
            text = str(error).replace(str(broken.path), broken.shown)
            raise InputError(f"{broken.shown}: cannot be read: {text}") from error
        rest = replace(broken, path=target, compression="none", is_cut=True)
        others = [source for source in batch.sources if source is not broken]
        return [line_batch([rest]), *([line_batch(others)] if others else [])]

    def stage(self, batch: Batch) -> None:
        """Judge the records of a batch by the ends met so far, into the table `staged`."""
        statement = self.judged(
            of_table=batch.layout.is_table,
            with_details=batch.has_details,
            is_careful=self._is_careful,
            with_flows=self._counts_log_volume(batch),
        )
        self.engine.create("staged")
        with meter.part(batch.size_bytes, self.engine.done_ratio):
            self.engine.run(f"INSERT INTO staged {_records(batch)} {statement}")

    def _counts_log_volume(self, batch: Batch) -> bool:
        """Return whether it is looked at how many records there are; rows of tables are none."""
        return self.counts_log_volume and not batch.layout.is_table

    def _meet(self, batch: Batch) -> None:
        """Stage the records between new ends again, now with their nodes."""
        meeting = Meeting(self.engine, self.nodes)
        if not meeting.collect():
            return
        if meeting.is_forged and not self._is_careful:
            self._is_careful = True
            self._meet_again(batch)
            return
        if not batch.has_details and meeting.unknown_machines():
            self.engine.run(f"CREATE OR REPLACE VIEW flow_record AS {batch.query(True)}")
            meeting.look_at_unknown_machines()
        extra = self._options.header_bytes.ipv6_extra
        if not meeting.introduce(extra, is_careful=self._is_careful):
            self._meet_again(batch)
            return
        self.engine.run(f"INSERT INTO staged {staging.RESOLVED}")

    def _meet_again(self, batch: Batch) -> None:
        """Stage a batch once more, now that it is known which of its ends are none."""
        self.describe_nodes()
        self.write_endpoints()
        self.stage(batch)
        self._meet(batch)
