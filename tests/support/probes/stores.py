"""Stores of measurements between the machines of an inventory, written as the product does.

An entry has

    src, dst          a machine (`name`), or an address; both names and addresses are recorded
    gbps              what the run reached
    over              `external`: the receiver's external address was used (default internal)
    runs              how many alike runs there were, a minute apart (default 3)
    sender, receiver  fields of the ends that are recorded differently
    and any other field of `Measurement`

Defaults are those of a sound run: iperf3 3.17, 16 streams, 10 s after 2 s, the receiver's count.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.measuring.store import append
from netplan_planner.model import Instance, Inventory, Measurement

START = datetime(2026, 11, 2, 8, 10, tzinfo=UTC)
"""Inside the window of the flow logs that fixtures have."""
SOUND = {
    "source": "test",
    "tool": "iperf3",
    "tool_version": "3.17",
    "streams": 16,
    "counted_by": "receiver",
    "duration_s": 10.0,
    "omit_s": 2.0,
    "min_rtt_ms": 0.2,
    "mtu_bytes": 1460,
}

Json = dict[str, Any]


def write_store(path: Path, inventory: Inventory, entries: Iterable[Json]) -> None:
    """Write the entries as a store."""
    append(path, measurements(inventory, entries))


def measurements(inventory: Inventory, entries: Iterable[Json]) -> tuple[Measurement, ...]:
    """Return the measurements of the entries."""
    return tuple(one for n, entry in enumerate(entries) for one in _runs(inventory, entry, n))


def _runs(inventory: Inventory, entry: Json, position: int) -> Iterator[Measurement]:
    given = dict(entry)
    src, dst = given.pop("src"), given.pop("dst")
    over = given.pop("over", "internal")
    sender = _end(inventory, src, "internal") | given.pop("sender", {})
    receiver = _end(inventory, dst, over) | given.pop("receiver", {})
    for number in range(given.pop("runs", 3)):
        moment = (START + timedelta(minutes=number)).isoformat()
        told = {"started_at": moment, **SOUND, "src": sender, "dst": receiver, **given}
        yield msgspec.convert({"run_id": f"run-{position}-{number}", **told}, Measurement)


def _end(inventory: Inventory, name: str, over: str) -> Json:
    machine = next((one for one in inventory.instances if one.name == name), None)
    if machine is None:
        return {"address": name}
    return {"name": machine.name, "address": _address(machine, over)}


def _address(machine: Instance, over: str) -> str | None:
    nic = machine.interfaces[0]
    return nic.external_ipv4 if over == "external" else nic.internal_ipv4
