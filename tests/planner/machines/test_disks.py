"""What a machine lets through to its disk: the least of its size, its type and the machine."""

from pathlib import Path

import pytest

import netplan_planner.machines
from netplan_planner.machines.disks import disk_of, on_machine
from netplan_planner.model import MachineShape, series_of
from netplan_planner.shipped import shipped_rows
from netplan_pricing import open_prices
from support.known import known

FOLDER = Path(netplan_planner.machines.__file__).parent


def shape(machine_type: str) -> MachineShape:
    return known(open_prices().shape(machine_type))


@pytest.mark.parametrize(
    ("machine_type", "disk", "read", "write"),
    [
        # The machine bounds it.
        ("n2-standard-2", "pd-balanced:2000GiB", 240, 240),
        ("n2-standard-8", "pd-ssd:4000GiB", 800, 800),
        ("n2-standard-8", "pd-standard:20000GiB", 800, 400),
        ("n1-standard-1", "pd-ssd:2000GiB", 240, 204),
        ("e2-standard-16", "pd-balanced:8000GiB", 1200, 1000),
        ("c2-standard-30", "pd-ssd:4000GiB", 600, 480),
        ("e2-medium", "pd-ssd:1000GiB", 200, 200),
        # The size does.
        ("n2-standard-2", "pd-standard:1000GiB", 120, 120),
        ("n2-standard-64", "pd-balanced:1000GiB", 420, 420),
        # A rate is what somebody measured.
        ("n4-standard-2", "900MiB/s", 900, 900),
    ],
)
def test_the_least_of_size_and_machine(
    machine_type: str, disk: str, read: float, write: float
) -> None:
    found = known(on_machine(disk_of("--disk", disk), shape(machine_type)))
    assert (found.read_mib_per_s, found.write_mib_per_s) == pytest.approx((read, write))


@pytest.mark.parametrize(
    ("machine_type", "disk"),
    [
        ("n4-standard-8", "pd-balanced:1TB"),
        ("c3-standard-8", "pd-standard:1TB"),
        # No row of vCPUs is meant for a fraction of a core.
        ("e2-micro", "pd-balanced:1TB"),
    ],
)
def test_what_no_row_says_is_not_known(machine_type: str, disk: str) -> None:
    assert on_machine(disk_of("--disk", disk), shape(machine_type)) is None


def test_every_machine_has_one_row_at_most_and_every_row_a_source() -> None:
    rows = shipped_rows(FOLDER / "disk_limits.csv")
    sources = {row["key"] for row in shipped_rows(FOLDER / "sources.csv")}
    assert {row["source"] for row in rows} <= sources
    prices = open_prices()
    every = {one.machine_type: one for at in prices.regions() for one in prices.offered(at)}
    used = set()
    for name, one in every.items():
        of = {name, "" if one.is_shared_core else series_of(name)}
        for disk in ("pd-standard", "pd-balanced", "pd-ssd"):
            own = [
                number
                for number, row in enumerate(rows)
                if row["of"] in of and disk in row["disks"].split()
                if int(row["least_vcpus"]) <= one.vcpus <= int(row["most_vcpus"] or 10**6)
            ]
            assert len(own) <= 1, (name, disk)
            used.update(own)
    assert used == set(range(len(rows)))
