"""From probes of a few pairs to predictions of others, on a bed whose caps no document states.

The machines are described as small ones of one family, but get four fifths of what is documented
for them, three fifths to external addresses; receivers abroad offer a window that nobody told. The
project's own runner measures a few pairs, the calibration follows from the store that it wrote, and
iperf3 judges pairs, stream counts and directions that were not probed.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import pytest

from netplan_planner.measuring.campaign import (
    Configuration,
    Direction,
    ProbeEnd,
    ProbeLimits,
    ProbePair,
)
from netplan_planner.measuring.runner import run_campaign
from netplan_planner.measuring.transports import LocalTransport
from netplan_planner.model import Calibration, MeasuredEnd, PathClass, Zone
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.batch import Predictions
from netplan_planner.verbs.calibrate.answer import CalibrationReport
from netplan_planner.verbs.calibrate.run import calibrate_files
from netplan_planner.verbs.predict.table_file import predict_table
from support.paths.tables import written
from support.testbed import bed as beds
from support.testbed import transfers
from support.testbed.bed import Bed, Host, bed_of
from support.testbed.campaigns import ONE_SECOND, campaign
from support.testbed.quiet import undisturbed

WHY_NOT = beds.missing()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)]
DOCUMENTED_GBPS = {"e2-micro": 1.0, "e2-medium": 2.0}
"""Of all that a machine sends, inside and outside, by the caps table."""
SHAPED_RATIO, OUTSIDE_RATIO = 0.8, 0.6
"""What the bed gives of it."""
WINDOW_BYTES = 65_535 * 2**4
"""Of receivers elsewhere, of which only the range is documented: 1 to 4.2 MB."""
MACHINES = {
    "s1": ("e2-micro", "us-central1-a"),
    "s2": ("e2-micro", "us-central1-b"),
    "s3": ("e2-micro", "us-central1-c"),
    "big": ("e2-medium", "us-central1-f"),
}
RTTS_MS = {"abroad40": 40.0, "abroad60": 60.0}
HOSTS = (
    *(
        Host(
            name=name,
            egress_mbps=1000 * DOCUMENTED_GBPS[machine_type] * SHAPED_RATIO,
            external_mbps=1000 * DOCUMENTED_GBPS[machine_type] * OUTSIDE_RATIO,
        )
        for name, (machine_type, _) in MACHINES.items()
    ),
    *(
        Host(name=name, delay_ms=rtt_ms / 2, window_bytes=WINDOW_BYTES)
        for name, rtt_ms in RTTS_MS.items()
    ),
)
SECONDS = 1
_NEAR_MS = 1.0


class Asked(NamedTuple):
    """A path that is asked about."""

    src: str
    dst: str
    streams: int
    is_external: bool = False

    @property
    def path_class(self) -> PathClass:
        if self.dst not in MACHINES:
            return PathClass.INTERNET
        return PathClass.INTER_ZONE_EXTERNAL if self.is_external else PathClass.INTER_ZONE_INTERNAL

    def address(self, bed: Bed) -> str:
        """Return the receiver's; abroad there is no internal one."""
        is_inside = self.dst in MACHINES and not self.is_external
        return bed.internal(self.dst) if is_inside else bed.external(self.dst)


PROBED = (
    Asked("s1", "s2", 1),
    Asked("s2", "s3", 4),
    Asked("s1", "s2", 1, is_external=True),
    Asked("s2", "s3", 4, is_external=True),
    Asked("s1", "abroad40", 1),
)
HELD_BY = {
    PathClass.INTER_ZONE_INTERNAL: "vm-egress",
    PathClass.INTER_ZONE_EXTERNAL: "external-egress",
    PathClass.INTERNET: "receive-window",
}
UNPROBED = (
    Asked("s2", "s1", 1),  # the other direction
    Asked("s3", "s1", 8),  # another machine, another number of streams
    Asked("big", "s1", 4),  # another type of the family
    Asked("s3", "s1", 2, is_external=True),
    Asked("s2", "abroad60", 1),  # another sender, another distance
)


def end(bed: Bed, name: str) -> ProbeEnd:
    """Return a host as an inventory describes it; nobody knows what those abroad are."""
    told = MeasuredEnd(name=name)
    if name in MACHINES:
        machine_type, zone = MACHINES[name]
        told = MeasuredEnd(name=name, machine_type=machine_type, zone=Zone(zone))
    return ProbeEnd(transport=LocalTransport(prefix=bed.prefix(name)), described=told)


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with bed_of(*HOSTS) as built:
        yield built
        assert built.processes() == {}


@pytest.fixture(scope="module")
def learnt(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> CalibrationReport:
    """What the project's own probes of some pairs taught."""
    folder = tmp_path_factory.mktemp("bed")
    stores = [undisturbed(probed, bed, path, folder) for path in PROBED]
    return calibrate_files(stores, as_of=None, today=datetime.now(UTC).date())


def probed(bed: Bed, path: Asked, folder: Path) -> Path:
    """Return the store of a campaign of one pair, a new one."""
    store = folder / f"{uuid4()}.jsonl"
    pair = ProbePair(
        name=f"{path.src}-{path.dst}-{path.path_class}",
        client=end(bed, path.src),
        server=end(bed, path.dst),
        address=path.address(bed),
        path_class=path.path_class,
        configurations=(Configuration(streams=path.streams, direction=Direction.FORWARD),),
    )
    wanted = campaign(pair, id=store.stem, time_scale=ONE_SECOND, limits=ProbeLimits())
    outcome = run_campaign(wanted, store=store)
    assert outcome.is_complete, outcome.events
    for event in outcome.events:
        for run in getattr(event, "measurements", ()):
            # Without `ping` it is the time of one connection.
            expected_ms = RTTS_MS.get(run.dst.name, 0.0)
            assert run.min_rtt_ms < 1.05 * expected_ms + _NEAR_MS
    return store


def predicted(
    folder: Path, asked: Asked, as_of: date, calibration: Calibration | None
) -> Predictions:
    """Return the prediction, with or without a calibration."""
    machine_type, zone = MACHINES[asked.src]
    receiver, place = MACHINES.get(asked.dst, ("", ""))
    row = {
        "path_class": asked.path_class,
        "machine_type": machine_type,
        "dst_machine_type": receiver,
        "src_location": zone,
        "dst_location": place,
        "cloud": "gcp",
        "streams": str(asked.streams),
        "rtt_ms": str(RTTS_MS.get(asked.dst, 0.1)),
        "mtu": "1460",
        "duration_s": str(SECONDS),
    }
    with PathTable(written(folder / "paths.csv", row)) as table:
        return predict_table(table, as_of=as_of, level=0.9, calibration=calibration).predictions


@pytest.mark.parametrize("asked", UNPROBED, ids=str)
def test_paths_that_nobody_probed_are_predicted(
    bed: Bed, tmp_path: Path, learnt: CalibrationReport, asked: Asked
) -> None:
    words = ("-t", str(SECONDS), "-P", str(asked.streams))
    arrived = transfers.iperf3(bed, asked.src, asked.dst, *words, address=asked.address(bed))
    as_of = learnt.calibration.as_of
    assert predicted(tmp_path, asked, as_of, None).gbps[0] > 1.25 * arrived.gbps
    found = predicted(tmp_path, asked, as_of, learnt.calibration)
    assert found.gbps[0] == pytest.approx(arrived.gbps, rel=0.1)
    assert found.low_gbps[0] < arrived.gbps < found.high_gbps[0]


def test_each_probe_told_of_the_limit_that_held_it(learnt: CalibrationReport) -> None:
    assert not learnt.faults
    assert len(learnt.lessons) == len(PROBED)
    for one in learnt.lessons:
        (held,) = [limit for name, limit in HELD_BY.items() if one.path.startswith(f"{name} ")]
        assert held in one.told
        others = {"vm-egress", "external-egress", "receive-window"} - {held}
        assert not others & set(one.told)
