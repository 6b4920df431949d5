"""Each set of flows of `tests/data/traffic` reads to the matrix that stands beside it.

A case has one of these, or both:

- `records`: flow-log records (`entry` of `support/flows/records.py`): `src`, `dst`, `bytes`, and
  what is unusual; `minutes` makes one of each minute, a list or "0-59", of each of the `days`;
  `src_vm` and `dst_vm` name `hosts`; `ports = false`: it has none;
- `table`: a plain table as CSV; `file`: texts by the names of files;

and with it

- `hosts`: machines of the inventory by name, and `logs`: its subnetworks, which log or do not;
  "?": it is not stated;
- `options`: of the reading; `apart`: every record is a file of its own;
- `ways`: tables of other members, each of which gives the same.

Beside the matrix `edge` is its only one, `edges` and `vms` are by name (`web>db`), and `minutes`
the bytes of the greatest minutes of the only edge.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Edge, Reporter, TrafficMatrix
from netplan_planner.traffic import HeaderBytes, TrafficOptions, read_traffic
from netplan_planner.units import gib_per_month
from support import model_cases
from support.flows.project import host, inventory, subnet
from support.flows.records import Json, entry, lines, only_edge, top_bytes

MEMBERS = {"records", "table", "file", "hosts", "logs", "options", "apart", "ways"}


class Seen:
    """A matrix, with its edges and machines by name."""

    def __init__(self, matrix: TrafficMatrix) -> None:
        names = [owner.name for owner in matrix.owners]
        self.matrix = matrix
        self.edges = {f"{names[e.src]}>{names[e.dst]}": e for e in matrix.edges}
        self.classes = {e.path_class.value: e for e in matrix.edges}
        self.vms = {names[vm.owner]: vm for vm in matrix.vms}
        self.owners = {owner.name: owner for owner in matrix.owners}

    @property
    def edge(self) -> Edge:
        return only_edge(self.matrix)

    @property
    def month_gib(self) -> float:
        """What a month has of the only edge."""
        return float(gib_per_month(self.edge.payload_bytes, self.matrix.month_seconds))

    @property
    def minutes(self) -> list[int]:
        return top_bytes(self.edge.series)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.matrix, name)


def matrix_of(case: model_cases.Case, folder: Path) -> Seen:
    """Return what the records or the table of a case read to."""
    hosts = {name: host(**{"name": name, **own}) for name, own in case.get("hosts", {}).items()}
    logs = {name: None if on == "?" else on for name, on in case.get("logs", {}).items()}
    known = inventory(*hosts.values(), *(subnet(name, logs=on) for name, on in logs.items()))
    chosen = dict(case.get("options", {}))
    if "reporter" in chosen:
        chosen["reporter"] = Reporter(chosen["reporter"])
    if "header_bytes" in chosen:
        chosen["header_bytes"] = HeaderBytes(**chosen["header_bytes"])
    if "table" in case:
        (folder / "table.csv").write_text(case["table"], encoding="utf-8")
    for name, text in case.get("file", {}).items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    if "records" in case:
        records = [one for about in case["records"] for one in _records(hosts, **about)]
        parts = [[one] for one in records] if case.get("apart") else [records]
        for number, part in enumerate(parts):
            (folder / f"{number}.json").write_text(lines(part), encoding="utf-8")
    return Seen(read_traffic([folder], known, TrafficOptions(**chosen)))


def _records(
    hosts: Json, *, minutes: list[int] | str | None = None, days: Sequence[int] = (0,), **about: Any
) -> Iterator[Json]:
    own = {"src": "10.0.0.1", "dst": "10.0.0.2", **about}
    payload = own.pop("bytes")
    own["ports"] = own.get("ports", (40_000, 443)) or None
    for side in {"src_vm", "dst_vm"} & own.keys():
        own[side] = hosts[own[side]]
    if minutes is None:
        yield entry(own.pop("src"), own.pop("dst"), payload, **own)
        return
    if isinstance(minutes, str):
        first, _, last = minutes.partition("-")
        minutes = list(range(int(first), int(last) + 1))
    for minute in [24 * 60 * day + minute for day in days for minute in minutes]:
        at: Json = {"start": 60 * minute, "end": 60 * minute + 59}
        ends = {name: value for name, value in own.items() if name not in {"src", "dst"}}
        yield entry(own["src"], own["dst"], payload, **at, **ends)


@pytest.mark.parametrize("case", model_cases.cases("traffic", MEMBERS))
def test_each_reads_to_what_stands_beside_it(case: model_cases.Case, tmp_path: Path) -> None:
    for number, way in enumerate(case.get("ways", [{}])):
        folder = tmp_path / str(number)
        folder.mkdir()
        model_cases.check(case, partial(matrix_of, case | way, folder))
