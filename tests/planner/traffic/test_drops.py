"""Why packets were dropped, and where: nobody published such a record, so these are made."""

from pathlib import Path
from typing import Any

from netplan_planner.model import Drops
from support.flows.project import host, inventory, subnet
from support.flows.records import Json, entry, only_edge, read

WEB = host("web", "10.0.1.1", subnetwork="front")
DB = host("db", "10.0.2.1", subnetwork="back")
KNOWN = inventory(WEB, DB, subnet("front", logs=True), subnet("back", logs=True))


def test_drops_are_kept_apart_by_side_and_reason(tmp_path: Path) -> None:
    def dropped(packets: int, by: str, **more: Any) -> Json:
        return entry(
            "10.0.1.1", "10.0.2.1", packets * 100, packets=packets, by=by, is_dropped=True, **more
        )

    matrix = read(
        tmp_path,
        [
            entry("10.0.1.1", "10.0.2.1", 1000, packets=10),
            dropped(7, "SRC", drop_reason="QUEUE_OVERFLOW"),
            dropped(2, "SRC", drop_reason="QUEUE_OVERFLOW"),
            dropped(3, "DEST", drop_reason="QUEUE_OVERFLOW"),
            dropped(1, "DEST", drop_reason="SOMETHING_NEW"),
            dropped(5, "DEST"),
        ],
        KNOWN,
    )
    edge = only_edge(matrix)
    assert (edge.payload_bytes, edge.dropped_packets, edge.dropped_bytes) == (1000, 18, 1800)
    expected = (
        Drops(reason="QUEUE_OVERFLOW", at_receiver=False, packet_count=9, byte_count=900),
        Drops(reason="", at_receiver=True, packet_count=5, byte_count=500),
        Drops(reason="QUEUE_OVERFLOW", at_receiver=True, packet_count=3, byte_count=300),
        Drops(reason="another reason", at_receiver=True, packet_count=1, byte_count=100),
    )
    assert edge.drops == expected
    assert matrix.coverage.drops == expected
