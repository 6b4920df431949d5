"""Whether a machine can become another type: disks, placement, reservation, GPUs, generation."""

from datetime import date
from pathlib import Path

import netplan_planner.machines
from netplan_planner.machines import Fit, can_become, generation_of, series_facts
from netplan_planner.model import MachineShape, Ties, series_of
from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput import load_caps
from netplan_pricing import open_snapshot
from support.listed import listed

BOOK = open_snapshot()


def shape(machine_type: str) -> MachineShape:
    found = BOOK.shape(machine_type)
    assert found is not None, machine_type
    return found


def ties(series: str, *disk_types: str, **more: object) -> Ties:
    return Ties(series=series, disk_types=disk_types or None, **more)  # type: ignore[arg-type]


@listed(
    ("tied", "machine_type", "fit", "reason", "says"),
    [
        # The disks were read.
        (ties("n2", "pd-ssd"), "n4-standard-8", Fit.NO, "disks", "N4 supports only Hyperdisk"),
        (ties("n2", "pd-balanced"), "n2d-standard-8", Fit.YES, "", ""),
        (ties("n2", "pd-balanced"), "c3-standard-8", Fit.YES, "", ""),
        (ties("n2", "pd-standard"), "c3-standard-8", Fit.NO, "disks", "pd-standard"),
        (ties("c3", "hyperdisk-balanced"), "n4-standard-8", Fit.YES, "", ""),
        (ties("c3", "hyperdisk-balanced"), "n2-standard-8", Fit.NO, "disks", "Hyperdisk"),
        (ties("n2", "pd-ssd", "hyperdisk-throughput"), "n2d-standard-8", Fit.CHECK, "disks",
         "whether N2D supports hyperdisk-throughput is unknown"),
        (ties("n2", "pd-ssd"), "c4n-standard-8", Fit.CHECK, "disks", "unknown"),
        # They were not: the series says what the boot disk is, where it takes one sort only.
        (ties("n2"), "n4-standard-8", Fit.NO, "disks", "N4 supports only Hyperdisk"),
        (ties("n4"), "n2-standard-8", Fit.NO, "disks", "N2 supports Persistent Disk"),
        (ties("n2"), "n2d-standard-8", Fit.YES, "", ""),
        (ties("n2"), "c3-standard-8", Fit.CHECK, "disks", "does not support pd-standard"),
        (ties("c3"), "n4-standard-8", Fit.CHECK, "disks", "were not read"),
        # Within a series nothing has to be taken over anew.
        (ties("n4"), "n4-standard-16", Fit.YES, "", ""),
        (ties("c3", "pd-extreme"), "c3-standard-22", Fit.YES, "", ""),
        # Placement.
        (ties("n2", "pd-ssd", is_compact=True), "n2d-standard-8", Fit.YES, "", ""),
        (ties("n2", "pd-ssd", is_compact=True), "e2-standard-8", Fit.NO, "placement", "E2"),
        (ties("n2", "pd-ssd", is_compact=None), "e2-standard-8", Fit.CHECK, "placement", "read"),
        # A reservation is for one type.
        (ties("n2", "pd-ssd", reservation="r", machine_type="n2-standard-4"), "n2-standard-8",
         Fit.NO, "reservation", "it uses the reservation r, which is for n2-standard-4"),
        (ties("n2", "pd-ssd", reservation="r", machine_type="n2-standard-4"), "n2-standard-4",
         Fit.YES, "", ""),
        # GPUs.
        (ties("n1", "pd-ssd", attached_gpu_count=1, gpu_type="nvidia-tesla-t4"), "n2-standard-8",
         Fit.NO, "gpu", "1 (nvidia-tesla-t4)"),
        (ties("n1", "pd-ssd", attached_gpu_count=1), "n1-standard-8", Fit.YES, "", ""),
        (ties("g2", "pd-ssd", built_in_gpu_count=4), "g2-standard-32", Fit.NO, "gpu", "4 GPUs"),
        (ties("g2", "pd-ssd", built_in_gpu_count=1), "g2-standard-32", Fit.YES, "", ""),
        # Local SSD.
        (ties("n2", "pd-ssd", local_ssd_count=2), "e2-standard-8", Fit.NO, "disks", "Local SSD"),
        (ties("n2", "pd-ssd", local_ssd_count=2), "n2d-standard-8", Fit.YES, "", ""),
        # Those that its type brings are in the price of no other one.
        (ties("c3", built_in_local_ssd_gib=750), "c3-standard-8", Fit.NO, "disks", "750 GiB"),
        (ties("c3", built_in_local_ssd_gib=750), "c3-standard-8-lssd", Fit.YES, "", ""),
        # An older generation says what is lost.
        (ties("n2", "pd-ssd"), "n1-standard-8", Fit.CHECK, "older", "its cores are slower"),
        (ties("n1", "pd-ssd"), "n2-standard-8", Fit.YES, "", ""),
    ],
)  # fmt: skip
def test_can_become(tied: Ties, machine_type: str, fit: Fit, reason: str, says: str) -> None:
    found = can_become(tied, shape(machine_type))
    assert (found.fit, found.reason) == (fit, reason)
    assert says in found.text


def test_every_row_of_the_table_has_a_source_and_a_known_series() -> None:
    folder = Path(netplan_planner.machines.__file__).parent
    rows = shipped_rows(folder / "series.csv")
    sources = {row["key"] for row in shipped_rows(folder / "sources.csv")}
    series = {series_of(name) for name in load_caps(date(2026, 11, 27)).machine_types}
    for row in rows:
        facts = series_facts(row["series"])
        assert row["series"] in series, row
        assert bool(facts.disks_taken or facts.disks_refused) == bool(row["disks_source"]), row
        assert (facts.compact_placement is not None) == bool(row["placement_source"]), row
        assert {row["disks_source"], row["placement_source"]} - {""} <= sources, row
        assert not facts.disks_taken & facts.disks_refused, row


def test_generations_follow_the_names() -> None:
    names = ("n1", "e2", "n2d", "t2a", "c3", "c4n", "m4", "h4d", "z3", "ct5lp", "tpu7x")
    assert [generation_of(name) for name in names] == [1, 2, 2, 2, 3, 4, 4, 4, 3, None, None]


def test_z4d_and_m4n_take_hyperdisk_only() -> None:
    z4d = MachineShape(machine_type="z4d-highmem-16-standardlssd", vcpus=16, memory_gib=126)
    assert can_become(ties("z3", "hyperdisk-balanced"), z4d).fit is Fit.YES
    found = can_become(ties("n2", "pd-balanced"), z4d)
    assert (found.fit, found.reason) == (Fit.NO, "disks")
    assert "Z4D supports only Hyperdisk" in found.text
    placed = can_become(ties("z3", "hyperdisk-balanced", is_compact=True), z4d)
    assert (placed.fit, placed.reason) == (Fit.CHECK, "placement")
    m4n = MachineShape(machine_type="m4n-megamem-224", vcpus=224, memory_gib=2976)
    assert can_become(ties("m4", "hyperdisk-balanced"), m4n).fit is Fit.YES
    assert can_become(ties("m1", "pd-ssd"), m4n).fit is Fit.NO


def test_a_series_that_the_table_lacks_is_not_known() -> None:
    new = MachineShape(machine_type="q9-standard-8", vcpus=8, memory_gib=32)
    found = can_become(ties("n2", "pd-ssd"), new)
    assert found.fit is Fit.CHECK
    assert "unknown" in found.text
