"""How flow logs are read; every number here can be changed by the caller."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import KEPT, TRAFFIC, Ask
from netplan_planner.model import Reporter, Value
from netplan_planner.traffic.spark.place import FlowEngine

WhichReporter = Annotated[
    Reporter,
    Ask(
        "Which end's records count for a flow that both ends report.",
        "--reporter",
        panel=TRAFFIC,
        is_expert=True,
    ),
]


class HeaderBytes(Value, frozen=True, kw_only=True):
    """IP and transport headers of one packet, in bytes, over IPv4.

    Flow logs count payload; billing and bandwidth caps count whole packets. TCP: 20 of IP, 20 of
    TCP and 12 of options, because Linux and Windows send timestamps on every segment by default
    (RFC 7323, RFC 9293); UDP: 20 and 8 (RFC 768); ICMP: 20 and 8 (RFC 792); of any other protocol
    only the IP header is counted (RFC 791), since the log does not tell more. IPv6's header is 20
    bytes longer (RFC 8200). Ethernet is not counted: Google bills and limits at the IP layer.
    """

    tcp: int = 52
    udp: int = 28
    icmp: int = 28
    other: int = 20
    ipv6_extra: int = 20


class TrafficOptions(Value, frozen=True, kw_only=True):
    """Choices and bounds of `read_traffic`."""

    PANEL: ClassVar[str] = TRAFFIC
    IS_EXPERT: ClassVar[bool] = True

    engine: Annotated[
        FlowEngine,
        Ask(
            "Engine that reads and aggregates flow logs: duckdb on this computer, spark on a"
            " server near the data (pip install 'gce-netplan\\[spark]').",
            "--engine",
        ),
    ] = FlowEngine.DUCKDB
    """What reads them, and what it is asked for: see `spark.place.place_of`."""
    spark_remote: Annotated[
        str | None,
        Ask(
            "With --engine spark: the Spark Connect server (sc://HOST:15002), Spark 4 or newer;"
            " not needed in a spark-submit job.",
            "--spark-remote",
            metavar="ADDRESS",
        ),
    ] = None
    spark_work: Annotated[
        str | None,
        Ask(
            "With --engine spark: location for the server's work files (gs://BUCKET/tmp/, s3a://,"
            " file:///). They are in a folder per run, which is removed at the end.",
            "--spark-work",
            metavar="ADDRESS",
        ),
    ] = None
    reporter: WhichReporter = Reporter.SOURCE
    """Whose report of a flow counts when both ends report it."""
    memory_limit: Annotated[
        str,
        Ask(
            "Memory of the flow-log engine, such as 2GB; above it, disk is used.",
            "--memory-limit",
            metavar="SIZE",
        ),
    ] = "2GB"
    """Bound of the engine's memory, as DuckDB spells it; what is more goes to disk."""
    threads: Annotated[
        int | None,
        Ask(
            "Threads of the flow-log engine.", "--threads", metavar="COUNT", least=1, panel=TRAFFIC
        ),
    ] = None
    """Threads of the engine; None leaves one per core."""
    temp_directory: Annotated[
        Path | None,
        Ask("Folder for the flow-log engine's temporary files.", "--temp-directory", metavar="DIR"),
        KEPT,
    ] = None
    """Where a private folder for spilled data is made; None means the system's temporary folder.
    The folder is removed at the end, on errors and on an interrupt as well."""
    since: Annotated[
        datetime | None,
        Ask(
            "Skip earlier records (UTC); with --until, the window is fully observed. Required for"
            " BigQuery. Cloud Logging without a window: the last 24 hours.",
            "--since",
        ),
    ] = None
    """Records that start before are left out; a time without a zone is UTC."""
    until: Annotated[
        datetime | None,
        Ask("Skip records from this time on (UTC); a date means its midnight.", "--until"),
    ] = None
    """Records that start at or after are left out."""
    header_bytes: HeaderBytes = HeaderBytes()
    gap_minutes: int = 60
    """A longer silence of the whole input is a gap: nothing is known of it, so it is not idle
    time. The longest aggregation interval is 15 minutes, so an hour misses several."""
    max_skew_days: int = 2
    """Days of silence that part records with wrong clocks from the bulk."""
    skew_ratio: float = 0.01
    """Records parted so are left out when they are at most this share of the bulk."""
    max_record_minutes: int = 60
    """A flow record that covers more is absurd: the platform cuts at 15 minutes."""
    max_table_minutes: int = 24 * 24 * 60
    """The same for a row of a plain table, which may hold a total of days (24 at most)."""
    max_record_gbps: float = 10_000.0
    """A record whose bytes mean more is absurd, over a minute at least: no machine has a third of
    it (3,600 Gbit/s for an A4X; docs.cloud.google.com/compute/docs/gpus, 2026-04-14)."""
    example_count: int = 5
    """How many left-out records are shown with file and line."""
    flow_min_gbps: float = 0.08
    """A single flow is looked for in records of at least this rate: less than what a connection
    gets that waits for its window over a long way (2 MiB in 200 ms are 0.084 Gbit/s), far less than
    the 3 Gbit/s of a flow to an external address. Three times lower costs no time that can be told
    apart: most records are slower still."""
    flow_ratio: float = 0.05
    """The greatest flow of a pair is reported from this share of the pair's bytes on."""
    log_volume_from_gbps: float | None = None
    """With it `TrafficMatrix.log_volume` is counted, with the series of machines whose 95th
    percentile of sending is at least so much; None: it is not."""
    by_hour: bool = False
    """With it `TrafficMatrix.hours` is read: a summary has no series to forecast from."""
    batch_records: int | None = None
    """Records that are staged at a time, 80 bytes of memory each; None means as many as take a
    third of the memory limit, and 8 million at most."""
