"""The time series of `tests/data/metrics` come to the rates and the traffic beside them.

A case has `documents`, each a list of series, or `series`, those of the only one. A series has
`values`, where "" is a gap, of a `metric` (`VM_SENT_BYTES` unless said) or of the `flow` of a
direction; the rest is what `time_series` and `flow` of `support/metrics/series.py` take: `start`
and `counter_start` in minutes, `resource` the number of a machine. `ways` are tables of other
members, each of which gives the same. `one` is the only series; `traffic` what flows come to in
the shared project, with `ends` of edges (`mover-1>`) by names, and `vms` by name.
"""

from datetime import timedelta
from functools import cache, partial
from typing import Any

import pytest

from netplan_planner.model import Inventory, Metric
from netplan_planner.readers import read_inventory
from netplan_planner.readers.collector import Origin
from netplan_planner.readers.time_series import Gathering, metrics_of, traffic_of
from support import model_cases
from support.metrics.series import START, Json, flow, machine, page, time_series
from support.projects import one_project

MEMBERS = {"documents", "series", "ways"}
GIVEN = {"MOVER": "4100000000000000001", "PLAIN": "4100000000000000098"}


@cache
def project() -> Inventory:
    return read_inventory([one_project.FOLDER / "api"])


class Seen:
    """What series come to: as rates without an inventory, as traffic of the shared project."""

    def __init__(self, case: model_cases.Case) -> None:
        self.gathering = Gathering()
        documents = case.get("documents", [case.get("series", [])])
        for number, series in enumerate(documents):
            document = page(*(_series(**one) for one in series))
            self.gathering.take(document, Origin(f"f{number}", f"f{number}:"))
        found = metrics_of(self.gathering, Inventory(instances=()))
        self.series, self.unread = found.series, found.coverage.unread
        self.traffic = traffic_of(self.gathering, project())

    @property
    def one(self) -> Any:
        (only,) = self.series
        return only

    @property
    def notes(self) -> str:
        assert self.traffic is not None
        return " ".join(self.traffic.coverage.notes)

    @property
    def edges(self) -> list[Any]:
        assert self.traffic is not None
        return list(self.traffic.edges)

    @property
    def ends(self) -> list[Any]:
        """Owners of both ends of each edge."""
        assert self.traffic is not None
        owners = self.traffic.owners
        return [{"src": owners[e.src], "dst": owners[e.dst]} for e in self.traffic.edges]

    @property
    def vms(self) -> dict[str, Any]:
        assert self.traffic is not None
        return {self.traffic.owners[vm.owner].name: vm for vm in self.traffic.vms}


def _series(**about: Any) -> Json:
    number = about.get("resource", "1")
    if isinstance(number, str):
        about["resource"] = machine(GIVEN.get(number, number), "us-central1-a")
    values = [None if value == "" else value for value in about.pop("values")]
    if "flow" in about:
        return flow(about.pop("flow"), values, **about)
    for name in {"start", "counter_start"} & about.keys():
        about[name] = START + timedelta(minutes=about[name])
    metric = about.pop("metric", "VM_SENT_BYTES")
    named = Metric[metric].value if metric in Metric.__members__ else metric
    return time_series(named, values, **about)


@pytest.mark.parametrize("case", model_cases.cases("metrics", MEMBERS))
def test_each_comes_to_what_stands_beside_it(case: model_cases.Case) -> None:
    for way in case.get("ways", [{}]):
        model_cases.check(case, partial(Seen, case | way))
