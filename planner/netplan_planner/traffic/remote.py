"""Reads records that lie in an engine: two looks at them, and only sums come back.

The first look asks for the ends that the records name. They are numbered here, by the same code
as those of files. The second judges and sums the records with every end known, so that nothing is
looked at again. What comes back, and what never does, is told in docs/adr/0029-engines.md.
"""

from collections import Counter
from collections.abc import Callable

from netplan_planner.model import BadRecord, Inventory, TrafficMatrix
from netplan_planner.traffic.assembly import assembled
from netplan_planner.traffic.coverage import Inputs
from netplan_planner.traffic.engine import Engine
from netplan_planner.traffic.files.faults import REASONS, SKEWED, UNREMARKABLE_FAULTS
from netplan_planner.traffic.files.records import PART_SEPARATOR
from netplan_planner.traffic.nodes import Identity, without_separators
from netplan_planner.traffic.options import TrafficOptions
from netplan_planner.traffic.record_sums import RecordSums
from netplan_planner.traffic.repeats import EntriesInEngine
from netplan_planner.traffic.statements import logged, staging


def read(
    engine: Engine,
    inventory: Inventory,
    options: TrafficOptions,
    *,
    shown: str,
    inputs: Inputs,
) -> TrafficMatrix:
    """Return the traffic matrix of the records in an engine's `flow_record`.

    Args:
        engine: Holds `flow_record`, see `engine`.
        inventory: What the addresses of the records are looked up in.
        options: Choices; what bounds the embedded engine means nothing here.
        shown: What the records are, as messages name it.
        inputs: How many tables or files they are, and what is said of them.

    Raises:
        InputError: If there is no record to use.
    """
    ingest = RemoteIngest(engine, inventory, options)
    ingest.read()
    return assembled(
        engine, ingest, RemoteFaults(engine), inventory, options, shown=shown, inputs=inputs
    )


class RemoteSums(RecordSums):
    """Meets all ends at once, before anything is summed."""

    def meet(self, ends: str) -> None:
        """Give every end that a query tells its number; those that are no address have no node."""
        engine = self._engine
        known: set[Identity] = {
            (address, project, name)
            for address, project, name in engine.rows("SELECT address, project, name FROM identity")
        }
        found = [
            ((address, project, name), details)
            for rows in engine.stream(ends)
            for address, project, name, details in rows
            if (address, project, name) not in known
        ]
        # In an order of their own, so that numbers do not depend on the engine's.
        found.sort(key=str)
        engine.insert(
            "identity",
            [
                (
                    *identity,
                    self.nodes.number(
                        without_separators(identity), tuple(details.split(PART_SEPARATOR))
                    ),
                )
                for identity, details in found
            ],
        )
        self.describe_nodes()


class RemoteIngest(RemoteSums):
    """Fills the sums by pair from all records at once."""

    def __init__(self, engine: Engine, inventory: Inventory, options: TrafficOptions) -> None:
        super().__init__(engine, inventory, options, EntriesInEngine(engine))

    def read(self) -> None:
        """Take both looks."""
        engine = self._engine
        self.meet(staging.ends(**self.bounds()))
        self.write_endpoints()
        engine.run(f"INSERT INTO staged {self.judged(with_flows=self.counts_log_volume)}")
        self.record_count = int(engine.value("SELECT COUNT(*) AS records FROM staged"))
        self.take_holders_of_the_time()
        self.repeats.note()
        if self.repeats.find(self.nodes):
            self.repeats.begin()
            self.repeats.leave_out(has_records=True)
        self.fill_span_positions()
        self.sum_up(with_flows=self.counts_log_volume)
        self.note_reporters()


def _first(count: int) -> str:
    return logged.first(count, UNREMARKABLE_FAULTS)


class RemoteFaults:
    """Says what was left out of the records in an engine, which have ids and no line numbers."""

    comment_count = 0

    def __init__(
        self, engine: Engine, sums: str = logged.SUMS, first: Callable[[int], str] = _first
    ) -> None:
        self._engine = engine
        self._first = first
        self._counts: Counter[str] = Counter()
        for fault, count in engine.rows(sums):
            self._counts[REASONS[fault][0]] += count

    def excluded(self, skewed_count: int) -> tuple[tuple[str, int], ...]:
        """Return how many records were left out by reason, sorted by reason."""
        return tuple(sorted((self._counts + Counter({SKEWED: skewed_count})).items()))

    def examples(self, count: int) -> tuple[BadRecord, ...]:
        """Return the first left-out records in order of their ids."""
        if count == 0:
            return ()
        rows = self._engine.rows(self._first(count))
        return tuple(
            BadRecord(
                source=f"insertId {note}" if note else "an entry without insertId",
                reason=REASONS[fault][1],
            )
            for fault, note in rows
        )
