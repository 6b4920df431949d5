"""What-if on made projects: time of weighing changes, beside whole audits of each set of them.

`python benchmarks/whatif.py --repeat 3`. A project is made from a seed: machines of a few types in
four zones of two regions, each of which sends to a few others at a steady rate. Three changes are
made to a tenth of the machines: type, zone, growth. The rival answers the same questions by a whole
audit of each set of changes, which is what one gets who edits the inventory and runs `audit` again.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import date
from itertools import chain, combinations
from pathlib import Path
from typing import NamedTuple

from netplan_planner.machines.known import Known
from netplan_planner.model import Facts
from netplan_planner.verbs.audit.run import report_on
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.apply import apply
from netplan_planner.verbs.whatif.run import answer
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest

TODAY = date(2026, 11, 1)
SIZES = (200, 1_000, 5_000)
PEERS = 8
ZONES = ("us-central1-a", "us-central1-b", "us-east1-b", "us-east1-c")
TYPES = ("n2-standard-4", "n2-standard-16", "n2d-standard-8", "e2-standard-4")
_API = "https://www.googleapis.com/compute/v1"


class Run(NamedTuple):
    """Seconds of one project."""

    audit_s: float
    whatif_s: float
    rival_s: float
    edges: int


def project(folder: Path, count: int, seed: int) -> InputRequest:
    """Write a project's inventory and traffic, and return what reads them."""
    dice = random.Random(seed)
    network = f"{_API}/projects/p/global/networks/n"
    machines = [_machine(number, dice, network) for number in range(count)]
    kinds = {
        "instances": {"kind": "compute#instanceList", "items": machines},
        "networks": {
            "kind": "compute#networkList",
            "items": [{"kind": "compute#network", "name": "n", "selfLink": network, "mtu": 1460}],
        },
    }
    for name, document in kinds.items():
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    rows = ["src,dst,gbps"]
    for number in range(count):
        rows += [
            f"{_address(number)},{_address(peer)},{dice.uniform(0.001, 0.4):.4f}"
            for peer in dice.sample(range(count), PEERS)
            if peer != number
        ]
    traffic = folder / "traffic.csv"
    traffic.write_text("\n".join(rows) + "\n", encoding="utf-8")
    files = tuple(folder / f"{name}.json" for name in kinds)
    return InputRequest(today=TODAY, inventory=files, traffic=(traffic,))


def _address(number: int) -> str:
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def _machine(number: int, dice: random.Random, network: str) -> dict[str, object]:
    zone = f"{_API}/projects/p/zones/{dice.choice(ZONES)}"
    return {
        "kind": "compute#instance",
        "id": str(number + 1),
        "name": f"vm-{number:05}",
        "zone": zone,
        "machineType": f"{zone}/machineTypes/{dice.choice(TYPES)}",
        "selfLink": f"{zone}/instances/vm-{number:05}",
        "status": "RUNNING",
        "networkInterfaces": [{"name": "nic0", "network": network, "networkIP": _address(number)}],
    }


CHANGES = (
    WhatifChange(
        vms="vm-*0", field=WhatifField.MACHINE_TYPE, to="n2-standard-8", source="--machine-type"
    ),
    WhatifChange(vms="vm-*1", field=WhatifField.ZONE, to="us-central1-b", source="--zone"),
    WhatifChange(vms="*", field=WhatifField.GROWTH, to="1.5", source="--growth"),
)


def measured(count: int, seed: int) -> Run:
    """Return what a project of so many machines takes."""
    with tempfile.TemporaryDirectory() as folder:
        read = project(Path(folder), count, seed)
        facts = read_facts(read, None, lambda _: None)
    audit_s = _timed(lambda: report_on(read, facts))
    whatif_s = _timed(lambda: answer(read, facts, CHANGES))
    rival_s = _timed(lambda: _audited_sets(read, facts))
    return Run(audit_s, whatif_s, rival_s, len(facts.traffic.edges) if facts.traffic else 0)


def _audited_sets(read: InputRequest, facts: Facts) -> None:
    known = Known(facts.prices, facts.caps)
    sizes = range(len(CHANGES) + 1)
    for chosen in chain.from_iterable(combinations(CHANGES, size) for size in sizes):
        report_on(read, apply(facts, chosen, known).facts)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print a row a size: medians of the repeats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, action="append", help="default: 200, 1000, 5000")
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    print("machines  edges  audit s  whatif s  audits of all 8 sets s")
    for count in asked.machines or SIZES:
        runs = [measured(count, seed) for seed in range(asked.repeat)]
        audit_s, whatif_s, rival_s, edges = (
            statistics.median(column) for column in zip(*runs, strict=True)
        )
        print(f"{count:8} {edges:6.0f} {audit_s:8.2f} {whatif_s:9.2f} {rival_s:8.2f}")


if __name__ == "__main__":
    main()
