"""Every statement of the traffic engine with arguments, and small tables to run it on."""

import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from netplan_planner.model import Reporter
from netplan_planner.traffic import HeaderBytes
from netplan_planner.traffic.engine import TABLES, Engine
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.files.records import COLUMNS, TYPES
from netplan_planner.traffic.statements import (
    day_sums,
    logged,
    repeats,
    rolled,
    series,
    staging,
    sums,
)
from netplan_planner.traffic.statements.keys import NODES, SIDES

MODULES = (staging, logged, sums, repeats, sums, series, logged, day_sums, rolled)


def staged(**changes: Any) -> str:
    """Return the statement that judges records, with usual arguments."""
    usual: dict[str, Any] = {
        "reporter": Reporter.SOURCE,
        "header": HeaderBytes(),
        "max_minutes": 60,
        "max_bytes_per_minute": 10**9,
        "flow_bytes_per_s": 1000,
    }
    return staging.staged(**{**usual, **changes})


WITH_ARGUMENTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "staged": {
        **{f"by {r}": lambda r=r: staged(reporter=r) for r in Reporter},  # type: ignore[misc]
        "of a table": lambda: staged(takes_names=True),
        "without details": lambda: staged(with_details=False),
        "careful": lambda: staged(is_careful=True),
        "with five-tuples": lambda: staged(with_flows=True),
        "of a while": lambda: staged(since_us=10**15, until_us=2 * 10**15),
    },
    "ends": {
        "": lambda: staging.ends(max_minutes=60, max_bytes_per_minute=10**9),
        "by day": lambda: staging.ends(max_minutes=60, max_bytes_per_minute=10**9, by_day=True),
        "of days": lambda: rolled.ends(0, 2),
    },
    "first": {
        "": lambda: logged.first(3, [3, 13]),
        "of days": lambda: rolled.first(3, 0, 2),
    },
    "examples": {"": lambda: day_sums.examples(2, [3, 13])},
    "state": {"": lambda: day_sums.state("as it is")},
    "numbers": {"": lambda: rolled.numbers(0, 2)},
    "first_minute": {"": lambda: rolled.first_minute(0, 2)},
    "by_nodes": {"": lambda: rolled.by_nodes(0, 2)},
    "node_hours": {
        "": lambda: rolled.node_hours(with_repeated=False),
        "with repeated ones": lambda: rolled.node_hours(with_repeated=True),
    },
    "minutes": {
        "of pairs": lambda: sums.minutes(0, 4),
        "of flows": lambda: sums.minutes(0, 4, by_ports=True),
    },
    "seen": {"": lambda: repeats.seen(0, 4)},
    "span_positions": {"": lambda: sums.span_positions(3)},
    "reported": {
        f"by {r}": lambda r=r: sums.reported(r)  # type: ignore[misc]
        for r in Reporter
    },
    "weights": {"": lambda: sums.weights(2)},
    "edge_minutes": {"": lambda: series.edge_minutes(0, 4)},
    "sent_minutes": {"": lambda: series.sent_minutes(0, 4)},
    "received_minutes": {"": lambda: series.received_minutes(0, 4)},
    "ranks": {
        "of edges": lambda: series.ranks("edge_minute", "edge", "wire", [4, 2, 1, 1, 2, 3]),
        "of machines": lambda: series.ranks("sent_minute", "vm", "outside", [9, 2, *range(1, 11)]),
    },
    "interval": {"": lambda: logged.interval(6, 0, 90)},
    "machine_blocks": {"": lambda: logged.machine_blocks(6, 12)},
    "volumes": {"": lambda: series.volumes("edge_minute", "edge", "wire")},
}
"""Of each function that returns a statement: its cases."""


def constants() -> dict[str, str]:
    """Return the statements that are constants, by name; of a name's second also its module's."""
    found: dict[str, str] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if isinstance(value, str) and value.lstrip().startswith("SELECT"):
                own = f"{name}_OF_{module.__name__.rpartition('.')[2].upper()}"
                found[own if name in found else name] = value
    return found


def functions() -> set[str]:
    """Return the names of the functions that return statements."""
    return {
        name
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


def all_statements() -> dict[str, str]:
    """Return every statement by name and case."""
    made = {
        f"{name} {case}".strip(): make()
        for name, cases in WITH_ARGUMENTS.items()
        for case, make in cases.items()
    }
    return {**constants(), **made}


_US_PER_MINUTE = 60_000_000
_NUMBERS: Mapping[str, tuple[int, int]] = {
    "payload_bytes": (0, 10**7),
    "packet_count": (0, 10**4),
    "wire_bytes": (0, 10**7),
    "wire": (0, 10**6),
    "offset_us": (0, _US_PER_MINUTE - 1),
    "duration_us": (0, 3 * _US_PER_MINUTE),
    "rtt_us": (1, 10**6),
    "ports": (1, 3),
    "line_number": (1, 50),
    "start_us": (10**15, 10**15 + 10**9),
    "end_us": (10**15, 10**15 + 10**9),
    "protocol": (0, 60),
    "until_minute": (2, 4),
    "kind": (0, 7),
    "number": (0, 3),
    "log_day": (0, 1),
    "start_day": (0, 1),
    "counted": (0, 4),
}
_TEXTS: Mapping[str, tuple[str | None, ...]] = {
    "note": (None, None, None, "7", "12", "x"),
    "src_address": ("10.0.0.1", "10.0.0.2", "fd00::1", "nowhere", None),
    "dst_address": ("10.0.0.1", "10.0.0.2", "fd00::1", "nowhere", None),
    "address": ("10.0.0.1", "10.0.0.2"),
}
_PAIRS = tuple(src * NODES + dst for src in range(4) for dst in range(2))
_CHOICES: Mapping[str, tuple[int, ...]] = {
    "fault": (staging.OK, staging.DROPPED, staging.NOT_AN_ENTRY, staging.UNMET, staging.UNMET + 1),
    "pair": _PAIRS,
    "is_inner": (0, 1),
    "is_extra": (0, 1),
    "report": tuple(pair * SIDES + side for pair in _PAIRS for side in range(SIDES)),
}
_USUAL_TEXTS = (None, "a", "it's")
_NULLABLE = frozenset({"node", "src_vm", "dst_vm", "header_extra", "rtt_us", "ports"})


_FEW: Mapping[str, list[tuple[int, ...]]] = {
    # Of four days one has wrong clocks.
    "skewed_day": [(3,)],
    "configuration": [(0, 0), (1, 3), (2, 1), (3, 2)],
}
"""Tables whose rows are no matter of chance."""
_MOST_ROWS = {"earlier": 20}
"""Of tables that a statement joins twice on values that often meet."""


def fill(engine: Engine, seed: int = 1, rows: int = 90) -> None:
    """Make all tables of the schema, and records, with rows that often meet."""
    chance = random.Random(seed)
    for table, columns in TABLES.items():
        engine.create(table)
        engine.insert(
            table, _FEW.get(table) or _rows(chance, columns, min(rows, _MOST_ROWS.get(table, rows)))
        )
    records = _rows(chance, TYPES, rows)
    if not isinstance(engine, EmbeddedEngine):
        engine.create("flow_record")
        engine.insert("flow_record", records)
        return
    declared = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    engine.run(f"CREATE OR REPLACE TABLE flow_record ({declared})")
    marks = ", ".join("?" for _ in COLUMNS)
    for row in records:
        engine.run(f"INSERT INTO flow_record VALUES ({marks})", row)


def _rows(
    chance: random.Random, columns: Mapping[str, str], count: int
) -> Iterator[tuple[Any, ...]]:
    for _ in range(count):
        yield tuple(_value(chance, name, kind) for name, kind in columns.items())


def _value(chance: random.Random, name: str, kind: str) -> Any:
    if kind == "BOOLEAN":
        return chance.random() < (0.9 if name == "is_entry" else 0.1)
    if kind == "VARCHAR":
        return chance.choice(_TEXTS.get(name, _USUAL_TEXTS))
    if name in _NULLABLE and chance.random() < 0.2:
        return None
    if name in _CHOICES:
        return chance.choice(_CHOICES[name])
    return chance.randint(*_NUMBERS.get(name, (0, 3)))
