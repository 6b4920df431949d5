"""The tables between the statements: names and types of their columns.

Types are DuckDB's; another engine makes the same tables with its own whole numbers and texts.
"""

from collections.abc import Mapping

DAY_SUM: Mapping[str, str] = {
    "kind": "TINYINT",
    "day_part": "TINYINT",
    "report": "BIGINT",
    "fault": "TINYINT",
    "configuration": "BIGINT",
    "drop_reason": "TINYINT",
    "start_minute": "INTEGER",
    "minute": "INTEGER",
    "step": "INTEGER",
    "ports": "BIGINT",
    "records": "BIGINT",
    "payload_bytes": "BIGINT",
    "packet_count": "BIGINT",
    "wire_bytes": "BIGINT",
    "coarse_bytes": "BIGINT",
    "unpacked_records": "BIGINT",
    "reach": "INTEGER",
    "rtt_us": "BIGINT",
    "number": "BIGINT",
    "start_day": "INTEGER",
    "address": "VARCHAR",
    "project": "VARCHAR",
    "name": "VARCHAR",
    "details": "VARCHAR",
    "note": "VARCHAR",
}
"""Rows of a day, of several kinds; what a kind does not say is NULL, and so is a 0 of what is
mostly 0, since NULL takes no room."""

SUMMED = (
    *("kind", "report", "fault", "configuration", "drop_reason", "start_minute", "minute", "step"),
    *("ports", "records", "payload_bytes", "packet_count", "wire_bytes", "coarse_bytes"),
    *("unpacked_records", "reach", "rtt_us"),
)
"""What of them is summed once more, by nodes instead of a day's own numbers of ends."""

TABLES: Mapping[str, Mapping[str, str]] = {
    # Identity of an end, and its node. `candidate` holds those that a batch names.
    "identity": {"address": "VARCHAR", "project": "VARCHAR", "name": "VARCHAR", "node": "BIGINT"},
    "candidate": {"address": "VARCHAR", "project": "VARCHAR", "name": "VARCHAR"},
    # Of each node: whether its own reports tell what it sends and receives (0 or 1), and how much
    # longer the headers of its packets are than IPv4's.
    "node": {
        "node": "BIGINT",
        "logs_sent": "TINYINT",
        "logs_received": "TINYINT",
        "header_extra": "SMALLINT",
    },
    # The two together, as they are known when a batch is staged.
    "endpoint": {
        "address": "VARCHAR",
        "project": "VARCHAR",
        "name": "VARCHAR",
        "node": "BIGINT",
        "logs_sent": "TINYINT",
        "logs_received": "TINYINT",
        "header_extra": "SMALLINT",
    },
    # The records of one batch, see `statements.staging.staged`; for `report` see `statements.keys`.
    "staged": {
        "report": "BIGINT",
        "fault": "TINYINT",
        "is_kept": "TINYINT",
        "start_minute": "INTEGER",
        "offset_us": "INTEGER",
        "duration_us": "BIGINT",
        "payload_bytes": "BIGINT",
        "packet_count": "BIGINT",
        "wire_bytes": "BIGINT",
        "rtt_us": "INTEGER",
        "ports": "BIGINT",
        "entry": "BIGINT",
        "flow": "BIGINT",
        "configuration": "BIGINT",
        "drop_reason": "TINYINT",
        "note": "VARCHAR",
        "day_part": "TINYINT",
    },
    # Entries met more than once; of these the ones that count already.
    "repeated_entry": {"entry": "BIGINT"},
    "kept_entry": {"entry": "BIGINT", "start_minute": "INTEGER"},
    # What each configuration of flow logs has of an end that reports, by hour; then by place: a
    # subnetwork, or an end that is in none.
    "node_hour": {
        "node": "BIGINT",
        "side": "TINYINT",
        "configuration": "BIGINT",
        "hour": "INTEGER",
        "records": "BIGINT",
        "payload_bytes": "BIGINT",
    },
    "place": {"node": "BIGINT", "place": "INTEGER", "is_inner": "TINYINT"},
    "place_hour": {
        "place": "INTEGER",
        "side": "TINYINT",
        "configuration": "BIGINT",
        "hour": "INTEGER",
        "records": "BIGINT",
        "payload_bytes": "BIGINT",
    },
    # Records of five-tuples by steps of five seconds, as what logging costs is counted by, with the
    # wire bytes of those that were not dropped; `is_extra` (0 or 1) of another configuration than
    # the one that counts. And the same by a longer interval.
    "logged": {
        "report": "BIGINT",
        "configuration": "BIGINT",
        "flow": "BIGINT",
        "is_dropped": "TINYINT",
        "is_extra": "TINYINT",
        "step": "BIGINT",
        "records": "BIGINT",
        "wire": "BIGINT",
    },
    "logged_interval": {
        "report": "BIGINT",
        "configuration": "BIGINT",
        "is_extra": "TINYINT",
        "block": "BIGINT",
        "records": "BIGINT",
        "wire": "BIGINT",
    },
    # Machines whose series are looked at.
    "looked_at": {"vm": "INTEGER"},
    # Configurations in the order in which their reports of a place count, the least rank first;
    # and the hours in which one does not, because another one does.
    "place_rank": {
        "place": "INTEGER",
        "side": "TINYINT",
        "configuration": "BIGINT",
        "position": "INTEGER",
    },
    "superseded": {
        "place": "INTEGER",
        "side": "TINYINT",
        "configuration": "BIGINT",
        "hour": "INTEGER",
        "by_configuration": "BIGINT",
    },
    # Notes of records between ends not met before, with their nodes.
    "fresh": {
        "note": "VARCHAR",
        "src_node": "BIGINT",
        "dst_node": "BIGINT",
        "header_extra": "SMALLINT",
    },
    # Named machines that the inventory does not have.
    "unknown_machine": {"project": "VARCHAR", "name": "VARCHAR"},
    # Earlier holders of addresses, by minute.
    "earlier": {
        "later_node": "BIGINT",
        "node": "BIGINT",
        "first_minute": "INTEGER",
        "until_minute": "INTEGER",
    },
    # 0 to the most minutes that a record may cover; and for each span that occurs, 0 to the span.
    "minute_position": {"position": "INTEGER"},
    "span_position": {"span": "INTEGER", "position": "INTEGER"},
    # Wire bytes by report and minute.
    "pair_minute": {"report": "BIGINT", "minute": "INTEGER", "wire": "BIGINT"},
    # Sums by report and day: of a batch, and of all; of records of more than a minute; of dropped
    # packets.
    "batch_total": {
        "report": "BIGINT",
        "day": "INTEGER",
        "payload_bytes": "BIGINT",
        "packet_count": "BIGINT",
        "wire_bytes": "BIGINT",
        "records": "BIGINT",
    },
    "pair_total": {
        "report": "BIGINT",
        "day": "INTEGER",
        "payload_bytes": "BIGINT",
        "packet_count": "BIGINT",
        "wire_bytes": "BIGINT",
        "records": "BIGINT",
    },
    "pair_coarse": {"report": "BIGINT", "day": "INTEGER", "payload_bytes": "BIGINT"},
    "pair_dropped": {
        "report": "BIGINT",
        "day": "INTEGER",
        "drop_reason": "TINYINT",
        "payload_bytes": "BIGINT",
        "packet_count": "BIGINT",
    },
    # Round-trip times by report, day and step of the scale.
    "pair_round_trip": {
        "report": "BIGINT",
        "day": "INTEGER",
        "step": "INTEGER",
        "rtt_us": "BIGINT",
        "records": "BIGINT",
    },
    # Wire bytes of fast five-tuples by minute.
    "flow_minute": {
        "report": "BIGINT",
        "ports": "BIGINT",
        "minute": "INTEGER",
        "wire": "BIGINT",
    },
    # Records by start minute, and how far they reach.
    "activity": {
        "start_minute": "INTEGER",
        "last_minute": "INTEGER",
        "records": "BIGINT",
        "dropped_records": "BIGINT",
        "records_without_packets": "BIGINT",
    },
    # Left-out records by reason and file.
    "fault": {"fault": "TINYINT", "source_name": "VARCHAR", "records": "BIGINT"},
    # Lines of a text file that is looked at again.
    "numbered_line": {"line_number": "BIGINT", "line": "VARCHAR"},
    # Days whose records have wrong clocks.
    "skewed_day": {"day": "INTEGER"},
    # Each pair of ends: the side whose report counts (4: half of the source's, half of the
    # destination's), and whether it is silent (0 or 1), see `statements.routes.reported`.
    "reported": {"pair": "BIGINT", "counted": "TINYINT", "is_silent": "TINYINT"},
    # The edge of each pair.
    "route": {"pair": "BIGINT", "edge": "INTEGER"},
    # The edge of each report, its weight, and whether it tells the other side (0 or 1).
    "weight": {"report": "BIGINT", "edge": "INTEGER", "weight": "TINYINT", "is_other": "TINYINT"},
    # The machines at the ends of an edge (NULL for other owners), and whether it leaves the VPC.
    "edge": {
        "edge": "INTEGER",
        "src_vm": "INTEGER",
        "dst_vm": "INTEGER",
        "leaves_vpc": "TINYINT",
    },
    # The path of each edge, see `hours.priced_path_key`.
    "edge_path": {"edge": "INTEGER", "path": "INTEGER"},
    # Series: wire bytes by minute.
    "edge_minute": {"edge": "INTEGER", "minute": "INTEGER", "wire": "BIGINT"},
    "edge_flow": {
        "edge": "INTEGER",
        "pair": "BIGINT",
        "ports": "BIGINT",
        "minute": "INTEGER",
        "wire": "BIGINT",
    },
    "sent_minute": {
        "vm": "INTEGER",
        "minute": "INTEGER",
        "wire": "BIGINT",
        "outside": "BIGINT",
    },
    "received_minute": {"vm": "INTEGER", "minute": "INTEGER", "wire": "BIGINT"},
    # What a day of logs adds up to, whoever its ends are, see `statements.day_sums`: its ends, and
    # the sums by day that are kept; then those of several days, and the same by nodes.
    "met_end": {
        "address": "VARCHAR",
        "project": "VARCHAR",
        "name": "VARCHAR",
        "details": "VARCHAR",
        "day_part": "TINYINT",
        "start_day": "INTEGER",
    },
    "day_sum": DAY_SUM,
    "rolled": {**DAY_SUM, "log_day": "INTEGER"},
    "day_end": {"log_day": "INTEGER", "number": "BIGINT", "node": "BIGINT"},
    "summed": {name: DAY_SUM[name] for name in SUMMED},
    # Configurations in the order of their names: numbers of theirs are each engine's own.
    "configuration": {"configuration": "BIGINT", "position": "INTEGER"},
}


def create(table: str) -> str:
    """Return the statement that makes a table empty, whether it exists or not."""
    columns = ", ".join(f"{name} {kind}" for name, kind in TABLES[table].items())
    return f"CREATE OR REPLACE TABLE {table} ({columns})"
