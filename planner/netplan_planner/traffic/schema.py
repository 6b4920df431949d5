"""The tables between the statements: names and types of their columns.

Types are DuckDB's; another engine makes the same tables with its own whole numbers and texts.
"""

from collections.abc import Mapping

_NAMES_BY_TYPE = {
    "TINYINT": "kind logs_sent logs_received fault is_kept drop_reason day_part side is_inner"
    " is_dropped is_extra counted is_silent weight is_other leaves_vpc",
    "SMALLINT": "header_extra",
    "INTEGER": "start_minute minute first_minute until_minute last_minute span offset_us hour day"
    " start_day log_day reach step position place path edge vm src_vm dst_vm",
    "BIGINT": "node src_node dst_node later_node report pair ports entry flow configuration"
    " by_configuration records dropped_records records_without_packets unpacked_records duration_us"
    " rtt_us payload_bytes packet_count wire_bytes coarse_bytes wire outside block number"
    " line_number",
    "VARCHAR": "address project name details note source_name line",
}
_TYPES = {name: kind for kind, names in _NAMES_BY_TYPE.items() for name in names.split()}
"""A column of a name is of one type in all tables, but where a table says another."""


def _columns(names: str, **others: str) -> Mapping[str, str]:
    """Return the columns of a table in their order, with types other than usual."""
    return {name: others.get(name, _TYPES[name]) for name in names.split()}


DAY_SUM = _columns(
    "kind day_part report fault configuration drop_reason start_minute minute step ports "
    "records payload_bytes packet_count wire_bytes coarse_bytes unpacked_records reach rtt_us "
    "number start_day address project name details note"
)
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
    "identity": _columns("address project name node"),
    "candidate": _columns("address project name"),
    # Of each node: whether its own reports tell what it sends and receives (0 or 1), and how much
    # longer the headers of its packets are than IPv4's.
    "node": _columns("node logs_sent logs_received header_extra"),
    # The two together, as they are known when a batch is staged.
    "endpoint": _columns("address project name node logs_sent logs_received header_extra"),
    # The records of one batch, see `statements.staging.staged`; for `report` see `statements.keys`.
    "staged": _columns(
        "report fault is_kept start_minute offset_us duration_us payload_bytes packet_count "
        "wire_bytes rtt_us ports entry flow configuration drop_reason note day_part",
        rtt_us="INTEGER",
    ),
    # Entries met more than once; of these the ones that count already.
    "repeated_entry": _columns("entry"),
    "kept_entry": _columns("entry start_minute"),
    # What each configuration of flow logs has of an end that reports, by hour; then by place: a
    # subnetwork, or an end that is in none.
    "node_hour": _columns("node side configuration hour records payload_bytes"),
    "place": _columns("node place is_inner"),
    "place_hour": _columns("place side configuration hour records payload_bytes"),
    # Records of five-tuples by steps of five seconds, as what logging costs is counted by, with the
    # wire bytes of those that were not dropped; `is_extra` (0 or 1) of another configuration than
    # the one that counts. And the same by a longer interval.
    "logged": _columns(
        "report configuration flow is_dropped is_extra step records wire", step="BIGINT"
    ),
    "logged_interval": _columns("report configuration is_extra block records wire"),
    # Machines whose series are looked at.
    "looked_at": _columns("vm"),
    # Configurations in the order in which their reports of a place count, the least rank first;
    # and the hours in which one does not, because another one does.
    "place_rank": _columns("place side configuration position"),
    "superseded": _columns("place side configuration hour by_configuration"),
    # Notes of records between ends not met before, with their nodes.
    "fresh": _columns("note src_node dst_node header_extra"),
    # Named machines that the inventory does not have.
    "unknown_machine": _columns("project name"),
    # Earlier holders of addresses, by minute.
    "earlier": _columns("later_node node first_minute until_minute"),
    # 0 to the most minutes that a record may cover; and for each span that occurs, 0 to the span.
    "minute_position": _columns("position"),
    "span_position": _columns("span position"),
    # Wire bytes by report and minute.
    "pair_minute": _columns("report minute wire"),
    # Sums by report and day: of a batch, and of all; of records of more than a minute; of dropped
    # packets.
    "batch_total": _columns("report day payload_bytes packet_count wire_bytes records"),
    "pair_total": _columns("report day payload_bytes packet_count wire_bytes records"),
    "pair_coarse": _columns("report day payload_bytes"),
    "pair_dropped": _columns("report day drop_reason payload_bytes packet_count"),
    # Round-trip times by report, day and step of the scale.
    "pair_round_trip": _columns("report day step rtt_us records"),
    # Wire bytes of fast five-tuples by minute.
    "flow_minute": _columns("report ports minute wire"),
    # Records by start minute, and how far they reach.
    "activity": _columns(
        "start_minute last_minute records dropped_records records_without_packets"
    ),
    # Left-out records by reason and file.
    "fault": _columns("fault source_name records"),
    # Lines of a text file that is looked at again.
    "numbered_line": _columns("line_number line"),
    # Days whose records have wrong clocks.
    "skewed_day": _columns("day"),
    # Each pair of ends: the side whose report counts (4: half of the source's, half of the
    # destination's), and whether it is silent (0 or 1), see `statements.routes.reported`.
    "reported": _columns("pair counted is_silent"),
    # The edge of each pair.
    "route": _columns("pair edge"),
    # The edge of each report, its weight, and whether it tells the other side (0 or 1).
    "weight": _columns("report edge weight is_other"),
    # The machines at the ends of an edge (NULL for other owners), and whether it leaves the VPC.
    "edge": _columns("edge src_vm dst_vm leaves_vpc"),
    # The path of each edge, see `hours.priced_path_key`.
    "edge_path": _columns("edge path"),
    # Series: wire bytes by minute.
    "edge_minute": _columns("edge minute wire"),
    "edge_flow": _columns("edge pair ports minute wire"),
    "sent_minute": _columns("vm minute wire outside"),
    "received_minute": _columns("vm minute wire"),
    # What a day of logs adds up to, whoever its ends are, see `statements.day_sums`: its ends, and
    # the sums by day that are kept; then those of several days, and the same by nodes.
    "met_end": _columns("address project name details day_part start_day"),
    "day_sum": DAY_SUM,
    "rolled": {**DAY_SUM, "log_day": "INTEGER"},
    "day_end": _columns("log_day number node"),
    "summed": {name: DAY_SUM[name] for name in SUMMED},
    # Configurations in the order of their names: numbers of theirs are each engine's own.
    "configuration": _columns("configuration position"),
}


def create(table: str) -> str:
    """Return the statement that makes a table empty, whether it exists or not."""
    columns = ", ".join(f"{name} {kind}" for name, kind in TABLES[table].items())
    return f"CREATE OR REPLACE TABLE {table} ({columns})"
