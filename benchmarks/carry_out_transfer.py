"""Transfers carried out: how long machines and told connections take, beside what the plan says.

    netplan transfer … --output json > plan.json
    python benchmarks/carry_out_transfer.py plan.json …

A fluid course in steps of a millisecond that asks nothing of the throughput model: each connection
has ten segments on its way, doubled each round trip until its window is full (3.06 MB, as two stock
machines have); a place sends and takes what the documented caps of its machines sum up to, at most
2 Gbit/s a vCPU each way, shared evenly over its hops; a relay sends what has come. Where no disk is
given, each machine at an end has the `pd-balanced` of its share of the bytes: 140 + 0.28 MiB/s a
GiB, within the row of its series in `disk_limits.csv`; the source sends what is read, and the last
byte is there when it is written. Plans whose bytes go one way (one tree) only. Steps of plans above
100 s are longer, in proportion.
"""

import argparse
import csv
import json
from datetime import date
from pathlib import Path
from typing import Any

import netplan_planner.machines
from netplan_planner.model import series_of
from netplan_planner.throughput import load_caps
from netplan_pricing import open_prices

STEP_S = 1e-3
SEGMENT_BYTES, FIRST_SEGMENTS, WINDOW_BYTES = 1408, 10, 3.06e6
STEPS = 100_000
VCPU_BITS = 2e9
MIB_BITS = 2**23


class Hop:
    """One way of a plan, as it goes on."""

    def __init__(self, flow: dict[str, Any], machines: int, bits: float) -> None:
        self.src, self.dst = str(flow["src"]), str(flow["dst"])
        self.connections = machines * int(flow["streams"])
        self.rtt_s = float(flow["rtt_ms"]) / 1000
        self.bits, self.sent_bits = bits, 0.0
        self.begun_s: float | None = None

    def most_bits(self, now_s: float, step_s: float, come_bits: float) -> float:
        """Return what its connections send in a step, of what has come and is left."""
        left = min(self.bits, come_bits) - self.sent_bits
        if left <= 0:
            return 0.0
        if self.begun_s is None:
            self.begun_s = now_s
        rounds = min(int((now_s - self.begun_s) / self.rtt_s), 30)
        window = min(FIRST_SEGMENTS * SEGMENT_BYTES * 2.0**rounds, WINDOW_BYTES)
        return min(self.connections * window * 8 / self.rtt_s * step_s, left)


def disk_bits(need: dict[str, Any], machine_type: str, vcpus: int, side: str) -> float:
    """Return what the assumed disk of a machine reads or writes a second; infinite: none is."""
    if need["disk"] or need["machine_gbps"]:
        return float("inf")
    gib = max(-(-need["volume_bytes"] // need["max_count"] // 2**30), 10)
    table = Path(netplan_planner.machines.__file__).with_name("disk_limits.csv")
    of = {machine_type, series_of(machine_type)}
    with table.open(encoding="utf-8") as file:
        most = [
            float(row[f"{side}_mib_per_s"])
            for row in csv.DictReader(file)
            if row["of"] in of and "pd-balanced" in row["disks"]
            if int(row["least_vcpus"]) <= vcpus <= int(row["most_vcpus"] or 10**6)
        ]
    return float(min([140 + 0.28 * gib, *most]) * MIB_BITS)


def carried_out_s(plan: dict[str, Any], need: dict[str, Any], on: date) -> float:
    """Return when the last byte is on the last target's disk, under the caps of a day."""
    caps, shapes = load_caps(on), open_prices()
    volume_bytes, step_s = float(need["volume_bytes"]), max(STEP_S, plan["duration_s"] / STEPS)
    disk: dict[str, float] = {}
    room: dict[str, float] = {}
    count: dict[str, int] = {}
    for one in plan["machines"]:
        cap = caps.cap(one["machine_type"], tier1=one["is_tier1"])
        shape = shapes.shape(one["machine_type"])
        assert cap is not None, one["machine_type"]
        assert shape is not None, one["machine_type"]
        place, number = one["place"], one["count"]
        each = min(cap.egress_gbps * 1e9, shape.vcpus * VCPU_BITS)
        room[place] = room.get(place, 0.0) + number * each
        count[place] = count.get(place, 0) + number
        if place == need["source"] or place in need["targets"]:
            side = "read" if place == need["source"] else "write"
            bits = disk_bits(need, one["machine_type"], shape.vcpus, side)
            disk[place] = disk.get(place, 0.0) + number * bits
    hops = [Hop(flow, count[flow["src"]], volume_bytes * 8) for flow in plan["flows"]]
    source = ({hop.src for hop in hops} - {hop.dst for hop in hops}).pop()
    come = {source: 0.0}
    written = dict.fromkeys(disk.keys() & set(need["targets"]), 0.0)
    now_s, every = 0.0, volume_bytes * 8
    while any(
        bits < every * (1 - 1e-9) for bits in (*(hop.sent_bits for hop in hops), *written.values())
    ):
        come[source] = min(every, come[source] + disk.get(source, every / step_s) * step_s)
        wanted = {hop: hop.most_bits(now_s, step_s, come.get(hop.src, 0.0)) for hop in hops}
        busy = sorted((hop for hop in hops if wanted[hop] > 0), key=wanted.__getitem__)
        sends, takes = dict(room), dict(room)
        for at, hop in enumerate(busy):
            out = sum(other.src == hop.src for other in busy[at:])
            into = sum(other.dst == hop.dst for other in busy[at:])
            bits = min(wanted[hop], sends[hop.src] * step_s / out, takes[hop.dst] * step_s / into)
            sends[hop.src] -= bits / step_s
            takes[hop.dst] -= bits / step_s
            hop.sent_bits += bits
            come[hop.dst] = come.get(hop.dst, 0.0) + bits
        for place in written:
            written[place] = min(come.get(place, 0.0), written[place] + disk[place] * step_s)
        now_s += step_s
    return now_s


def main() -> None:
    """Print a row for each plan of each file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("plans", type=Path, nargs="+")
    print("| plan | costs | told | carried out |\n| --- | --- | --- | --- |")
    for path in parser.parse_args().plans:
        answer = json.loads(path.read_text("utf-8"))
        found, on = answer["transfer"], date.fromisoformat(answer["limits_as_of"])
        for name, plan in (("best", found["plan"]), *enumerate(found["front"], 1)):
            is_tree = len(plan["flows"]) == len({one["dst"] for one in plan["flows"]})
            if not is_tree or any(one["streams"] is None for one in plan["flows"]):
                continue
            low, told, high = (
                plan[key] for key in ("low_duration_s", "duration_s", "high_duration_s")
            )
            seconds = carried_out_s(plan, found["need"], on)
            print(
                f"| {path.stem}, {name} | ${float(plan['usd_total']):,.2f} |"
                f" {told:.4g} [{low:.4g} to {high:.4g}] s | {seconds:.4g} s |"
            )


if __name__ == "__main__":
    main()
