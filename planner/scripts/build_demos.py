"""Write the embedded samples again: `python planner/scripts/build_demos.py`.

Each sample replays a published story as a small project: machines, networks and addresses in the
shape of the Compute API, and VPC Flow Logs in the Cloud Storage layout. The machines, rates and
places are those of the stories; what a story leaves open is listed in its `demo.toml`. All of it
is made, none of it recorded (VPC Flow Logs did not exist in 2017). Output is the same on every run.

Sources: "Internal IP vs External IP Performance" (2017-07-27) and its video (gecko), "Core count
and the Egress problem" (2017-07-20, dobermanifesto), "Quick test for GCP inter-zone networking"
(2017-12-07, interzone), a KubeCon talk on database performance under network plugins (2019-11,
percona; its hosts are no machines of Google).
"""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from demo_cluster import write_cluster
from demo_project import Flow, Json, Project, from_internet, from_storage, write_flows

DEMOS = Path(__file__).resolve().parent.parent / "netplan_planner" / "demos"


def gecko() -> None:
    """Write transcoders of one zone that send to each other's external addresses (2017-07-20)."""
    rng = random.Random(20170720)
    project = Project(
        "gecko-demo",
        {"us-central1": "10.128.0.0/20"},
        "2017-06-01T09:00:00.000-07:00",
        "INTERVAL_1_MIN",
    )
    zone = "us-central1-a"
    for n in range(1, 9):
        machine_type = "n1-standard-1" if n <= 4 else "n1-standard-16"
        project.add_machine(
            f"transcoder-{n}",
            zone,
            machine_type,
            f"10.128.0.{10 + n}",
            f"35.184.0.{10 + n}",
            labels={"app": "transcoder", "netplan-target-mbps": "12000"},
        )
    project.add_machine("ingest-1", zone, "n1-standard-4", "10.128.0.10", "35.184.0.10")
    project.reserve("ingest", "us-central1", "35.184.0.10", "ingest-1")
    project.reserve("old-demo", "us-central1", "35.184.0.99", None)
    folder = DEMOS / "gecko"
    project.write(folder / "inventory")

    day = datetime(2017, 7, 20, tzinfo=UTC)
    rings = ((1, 2, 3, 4), (5, 6, 7, 8))
    halves: tuple[list[Json], list[Json]] = ([], [])
    for burst in (2, 8, 14, 20):
        for offset in range(22):
            start = day + timedelta(hours=burst, minutes=10 + offset)
            for ring in rings:
                typical = 1.5 if ring[0] == 1 else 1.62
                for src, dst in zip(ring, ring[1:] + ring[:1], strict=True):
                    flow = Flow(
                        project,
                        f"transcoder-{src}",
                        f"transcoder-{dst}",
                        is_external=True,
                        src_port=40000 + 100 * burst + src,
                        rtt_ms=0.6,
                    )
                    gbps = typical * rng.uniform(0.97, 1.03)
                    halves[burst >= 12].extend(flow.minute(start, gbps))
            for n in range(1, 9):
                halves[burst >= 12].append(
                    from_storage(project, f"transcoder-{n}", start, 600_000_000 + 1000 * n)
                )
    place = {"continent": "America", "country": "usa", "asn": 64500}
    for minute in range(0, 24 * 60, 5):
        start = day + timedelta(minutes=minute)
        half = halves[minute >= 720]
        half.append(from_internet(project, "ingest-1", "198.51.100.7", start, 48_000, place))
        ask = Flow(project, "ingest-1", f"transcoder-{1 + minute // 5 % 8}", port=8080, rtt_ms=0.3)
        half.extend(ask.minute(start, 0.0004))
    write_flows(folder / "flows-00.json.gz", halves[0], broken=(118,))
    write_flows(folder / "flows-12.json.gz", halves[1], broken=(2071,))


def dobermanifesto() -> None:
    """Write encoders of one vCPU that send all they may, and one shared core (2017-07-20)."""
    rng = random.Random(20170721)
    project = Project(
        "dobermanifesto-demo",
        {"us-central1": "10.128.0.0/20"},
        "2017-06-12T09:00:00.000-07:00",
        "INTERVAL_1_MIN",
    )
    zone = "us-central1-b"
    for n in range(1, 7):
        project.add_machine(f"encoder-{n}", zone, "n1-standard-1", f"10.128.0.{20 + n}")
    project.add_machine("probe-micro", zone, "f1-micro", "10.128.0.40")
    for n in (1, 2):
        project.add_machine(f"store-{n}", zone, "n1-standard-16", f"10.128.0.{50 + n}")
    folder = DEMOS / "dobermanifesto"
    project.write(folder / "inventory")

    day = datetime(2017, 7, 20, tzinfo=UTC)
    entries: list[Json] = []
    for hour in (7, 12, 18, 21):
        for offset in range(30):
            start = day + timedelta(hours=hour, minutes=offset)
            for n in range(1, 7):
                flow = Flow(
                    project,
                    f"encoder-{n}",
                    f"store-{1 + n % 2}",
                    src_port=40000 + 100 * hour + n,
                    rtt_ms=0.2,
                )
                entries.extend(flow.minute(start, 1.95 * rng.uniform(0.985, 1.0)))
            shared = Flow(project, "probe-micro", "store-1", src_port=41000 + hour, rtt_ms=0.3)
            entries.extend(shared.minute(start, 0.7 * rng.uniform(0.6, 1.0)))
    for minute in range(0, 24 * 60, 10):
        start = day + timedelta(minutes=minute)
        beat = Flow(project, "store-1", "store-2", port=7000, rtt_ms=0.1)
        entries.extend(beat.minute(start, 0.001))
    write_flows(folder / "flows.json.gz", entries)


def interzone() -> None:
    """Write one machine type in three zones, measured one way and both ways (2017-12-07)."""
    project = Project(
        "interzone-demo",
        {"us-central1": "10.128.0.0/20"},
        "2017-12-01T09:00:00.000-07:00",
        "INTERVAL_1_MIN",
    )
    places = {
        "us-central1-a-1": "us-central1-a",
        "us-central1-a-2": "us-central1-a",
        "us-central1-b": "us-central1-b",
        "us-central1-c": "us-central1-c",
    }
    for n, (name, zone) in enumerate(places.items()):
        project.add_machine(
            name, zone, "n1-highmem-8", f"10.128.0.{2 + n}", platform="Intel Skylake"
        )
    folder = DEMOS / "interzone"
    project.write(folder / "inventory")

    # (one, other, sending, receiving, both at once, round trip): the story's table, one row a pair
    rows = (
        ("us-central1-a-1", "us-central1-a-2", 12.0, 13.9, (8.12, 10.1), 0.072),
        ("us-central1-a-1", "us-central1-b", 7.96, 8.22, (4.57, 6.30), 0.193),
        ("us-central1-a-1", "us-central1-c", 6.87, 8.51, (3.97, 5.98), 0.189),
        ("us-central1-b", "us-central1-c", 5.75, 7.51, (3.05, 3.96), 0.176),
    )
    day = datetime(2017, 12, 7, tzinfo=UTC)
    entries: list[Json] = []
    for row, (one, other, sending, receiving, both, rtt_ms) in enumerate(rows):
        start = day + timedelta(hours=1, minutes=10 * row)
        there = Flow(project, one, other, src_port=45000 + row, rtt_ms=rtt_ms)
        back = Flow(project, other, one, src_port=46000 + row, rtt_ms=rtt_ms)
        entries.extend(there.minute(start, sending))
        entries.extend(back.minute(start + timedelta(minutes=1), receiving))
        entries.extend(there.minute(start + timedelta(minutes=2), both[0]))
        entries.extend(back.minute(start + timedelta(minutes=2), both[1]))
    for minute in range(0, 24 * 60, 2):
        start = day + timedelta(minutes=minute)
        for src, dst, gbps in (
            ("us-central1-a-1", "us-central1-b", 0.05),
            ("us-central1-a-1", "us-central1-c", 0.05),
            ("us-central1-b", "us-central1-a-1", 0.02),
        ):
            rtt_ms = next(r[5] for r in rows if {r[0], r[1]} == {src, dst})
            steady = Flow(project, src, dst, port=3306, src_port=47000, rtt_ms=rtt_ms)
            entries.extend(steady.minute(start, gbps))
    write_flows(folder / "flows.json.gz", entries)


def percona() -> None:
    """Write a database of three pods on hosts whose overlay takes the slower link (2019-11)."""
    write_cluster(DEMOS / "percona" / "inventory")


def main() -> None:
    """Write all samples."""
    for build in (gecko, dobermanifesto, interzone, percona):
        build()
    for path in sorted(DEMOS.rglob("*")):
        if path.is_file():
            print(f"{path.stat().st_size:>9,}  {path.relative_to(DEMOS)}")


if __name__ == "__main__":
    main()
