"""Generates a project and matching flow logs, deterministic by seed, with the answers to expect.

    python benchmarks/generate.py --records 50000000 --vms 10000 --out DIR
    python benchmarks/generate.py --records 5000000 --format json --out DIR

writes

    DIR/inventory/*.json   pages of the Compute API: instances, networks, subnetworks, addresses
    DIR/flows/             Parquet in the layout of a BigQuery export, or JSON lines gz as a Cloud
                           Storage sink writes them; in time order from file to file, not inside
    DIR/expected.json      what a reader that counts every flow once must find

Traffic model
    Places: four regions of three zones, one VPC, two subnetworks a region; all but the last
    subnetwork keep flow logs. 30 % of the VMs have an external address; one in six of those is
    reserved. Edges are directed pairs, popular by rank^-0.8. By kind: 84 % VM to VM over internal
    addresses (70 % of them to a VM nearby in the list); 5 % VM to VM over the receiver's external
    address, half of them inside one zone; 3 % to machines of another project, which the records
    name; 4 % VM to internet and 2 % internet to VM, with places; 2 % to Google APIs, with the
    service's name.
    A flow is one five-tuple in one aggregation interval of 5 seconds, anywhere in the window, so
    that one in 24 crosses a minute. Bytes are lognormal around the edge's median; packets are
    bytes / 1,400 rounded up. 85 % are TCP, with a round-trip time; the rest UDP.
    Every end in a logging subnetwork reports the flow on its own with probability 0.95, and its
    counts differ by up to 10 % either way, as sampled and scaled-up reports do. For a flow over an
    external address the sender sees its own internal and the receiver's external address, the
    receiver the sender's external and its own internal one.
    Times have nine digits, as Google writes them, and one in sixteen stands in another zone.
    One record in 20,000 is malformed: a broken line (JSON; in Parquet a record without counts), a
    negative count, an absurd count, an end before the start, or a count that is no number.

What to expect (`expected.json`)
    A flow counts by its sender's report when the sender's subnetwork logs, else by its receiver's.
    `payload_bytes`, `header_bytes` (52 a packet for TCP, 28 for UDP) and `counted_records` are sums
    over those reports; `other_side_bytes` over the rest; `by_class` splits the payload by path
    class; `excluded` counts the malformed by kind.

Between NumPy releases a byte count may differ in its last unit, so compare within one set.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from flow_world import (
    CHUNK,
    KINDS_OF_FAULT,
    TCP_HEADER,
    UDP_HEADER,
    Chunk,
    World,
    inventory_pages,
)
from flow_writers import JsonWriter, ParquetWriter


class Expected:
    """Adds up what a reader must find."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._classes = np.array(world.path_class())
        self.sums: Counter[str] = Counter()
        self.by_class: Counter[str] = Counter()
        self.excluded: Counter[str] = Counter()

    def add(self, chunk: Chunk) -> None:
        """Add the records of a chunk."""
        world = self._world
        good = chunk.fault < 0
        counts = good & (np.where(world.src_logs[chunk.edge], 0, 1) == chunk.side)
        header = np.where(world.is_tcp[chunk.edge], TCP_HEADER, UDP_HEADER)
        self.sums["records"] += len(chunk)
        self.sums["counted_records"] += int(counts.sum())
        self.sums["payload_bytes"] += int(chunk.bytes[counts].sum())
        self.sums["packet_count"] += int(chunk.packets[counts].sum())
        self.sums["header_bytes"] += int((chunk.packets * header)[counts].sum())
        self.sums["other_side_bytes"] += int(chunk.bytes[good & ~counts].sum())
        for fault, count in zip(*np.unique(chunk.fault[~good], return_counts=True), strict=True):
            self.excluded[KINDS_OF_FAULT[fault]] += int(count)
        classes = self._classes[chunk.edge[counts]]
        for name in np.unique(classes):
            self.by_class[str(name)] += int(chunk.bytes[counts][classes == name].sum())

    def as_dict(self) -> dict[str, Any]:
        """Return the sums as they are written."""
        return {
            **dict(sorted(self.sums.items())),
            "by_class": dict(sorted(self.by_class.items())),
            "excluded": dict(sorted(self.excluded.items())),
        }


def generate(
    out: Path,
    *,
    records: int,
    vms: int,
    edges: int,
    minutes: int,
    layout: str = "parquet",
    records_per_file: int = 2_000_000,
    seed: int = 1,
) -> dict[str, Any]:
    """Write a project and its flow logs; return what to expect of them."""
    world = World(vms, edges, seed)
    (out / "inventory").mkdir(parents=True, exist_ok=True)
    (out / "flows").mkdir(exist_ok=True)
    for name, page in inventory_pages(world).items():
        (out / "inventory" / f"{name}.json").write_text(json.dumps(page), encoding="utf-8")
    writer = ParquetWriter(world) if layout == "parquet" else JsonWriter(world)
    expected = Expected(world)
    done = number = part = 0
    waiting: list[Chunk] = []
    while done < records:
        chunk = Chunk(
            world, seed, number, -(-records // CHUNK), min(CHUNK, records - done), minutes
        )
        expected.add(chunk)
        waiting.append(chunk)
        done, number = done + len(chunk), number + 1
        if sum(map(len, waiting)) >= records_per_file or done >= records:
            writer.write(out / "flows" / f"flows-{part:05d}.{writer.suffix}", waiting)
            waiting, part = [], part + 1
    answer = expected.as_dict()
    (out / "expected.json").write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    return answer


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--vms", type=int, default=10_000)
    parser.add_argument("--edges", type=int, help="directed pairs (20 a VM)")
    parser.add_argument("--minutes", type=int, default=1_440)
    parser.add_argument("--format", choices=("parquet", "json"), default="parquet")
    parser.add_argument("--records-per-file", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    answer = generate(
        options.out,
        records=options.records,
        vms=options.vms,
        edges=options.edges or 20 * options.vms,
        minutes=options.minutes,
        layout=options.format,
        records_per_file=options.records_per_file,
        seed=options.seed,
    )
    print(f"{answer['records']:,} records under {options.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
