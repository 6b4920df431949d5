"""The queries of pods' traffic: which fields of flow logs and tables name pods, grouped by pair."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from netplan_planner.model import FIRST_EPHEMERAL_PORT, Inventory, Zone
from netplan_planner.model.evidence.pod_traffic import PodEnd
from netplan_planner.model.project.kubernetes import Kubernetes, Pod
from netplan_planner.tables.sql import identifier, quoted
from netplan_planner.traffic import tables
from netplan_planner.traffic.files.batches import parquet_reader
from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.files.entries import NO_TEXT, Fields, struct_type
from netplan_planner.traffic.files.inputs import Layout, Source
from netplan_planner.traffic.files.records import entry_number
from netplan_planner.traffic.options import HeaderBytes, TrafficOptions
from netplan_planner.traffic.record_sums import microseconds

# Names of pods in traffic: their workload, zone and Service, by what was read of a cluster


class PodNames:
    """Looks up pods by name, workload or address; without a cluster's objects names stay names."""

    def __init__(self, inventory: Inventory) -> None:
        self._kubernetes = inventory.kubernetes or Kubernetes()
        self._service_by_pod: dict[str, str | None] = {}
        for service, endpoints in self._kubernetes.endpoints_by_service.items():
            for endpoint in endpoints:
                if endpoint.pod is not None:
                    # A pod behind several Services: which of them was used is not known.
                    known = self._service_by_pod.setdefault(endpoint.pod, service)
                    if known != service:
                        self._service_by_pod[endpoint.pod] = None

    def end_of(
        self,
        name: str,
        *,
        workload: str | None = None,
        zone: str | None = None,
        cluster: str | None = None,
    ) -> PodEnd:
        """Return the end that a pod's `namespace/name` is, with what the record says besides."""
        pod = self._kubernetes.pod_by_name.get(name)
        known = self._kubernetes.zone_of(pod) if pod is not None else None
        return PodEnd(
            workload=workload or (pod.full_workload if pod is not None else name),
            zone=Zone(zone) if zone else known,
            cluster=cluster,
        )

    def found(self, text: str, zone: str | None = None) -> tuple[PodEnd, tuple[Pod, ...]] | None:
        """Return the end that a text of a table means, and the pods behind it.

        A pod or workload as `namespace/name`, or a pod's address; None for anything else.
        """
        kubernetes = self._kubernetes
        pod = kubernetes.pod_by_name.get(text) or kubernetes.pod_by_ip.get(text)
        pods = (pod,) if pod is not None else kubernetes.pods_by_workload.get(text, ())
        if not pods and text.count("/") != 1:
            return None
        workload = pods[0].full_workload if pods else text
        return PodEnd(workload=workload, zone=Zone(zone) if zone else self._zone(pods)), pods

    def _zone(self, pods: Iterable[Pod]) -> Zone | None:
        zones = {self._kubernetes.zone_of(pod) for pod in pods}
        return zones.pop() if len(zones) == 1 else None

    def is_same_node(self, src: str, dst: str) -> bool | None:
        """Return whether two pods (`namespace/name`) are on one node; None: not known of both."""
        nodes = [
            pod.node if (pod := self._kubernetes.pod_by_name.get(name)) is not None else None
            for name in (src, dst)
        ]
        return None if None in nodes else nodes[0] == nodes[1]

    def service_of(self, pods: Iterable[str]) -> str | None:
        """Return the one Service that all these pods (`namespace/name`) are endpoints of."""
        services = {self._service_by_pod.get(pod) for pod in pods}
        return services.pop() if len(services) == 1 else None

    def is_endpoint(self, pods: Iterable[str], service: str) -> bool:
        """Return whether pods are endpoints of a Service."""
        endpoints = self._kubernetes.endpoints_by_service.get(service, ())
        return bool({endpoint.pod for endpoint in endpoints} & set(pods))


# The queries of pods' traffic: which fields of flow logs and tables name pods, grouped by pair


_STEADY_BYTES_PER_GBPS = 125_000_000 * 3600
"""Of an hour."""

_GKE = {
    "cluster": ("cluster_name",),
    "pod": {
        "pod_name": None,
        "pod_namespace": None,
        "pod_workload": ("workload_name",),
    },
    # A list of up to two, which is read as its own text.
    "service": None,
}
_KEY_COUNT = 17
"""Seven of each end, whether it is a reply, whose report, and the configuration."""
_ENTRY_NUMBER = "entry_number"

_PAYLOAD: dict[str, Any] = {
    "connection": ("src_ip", "dest_ip", "src_port", "dest_port", "protocol"),
    "reporter": None,
    "bytes_sent": None,
    "packets_sent": None,
    "start_time": None,
    "end_time": None,
    "disposition": None,
    **{
        f"{side}_{part}": fields
        for side in ("src", "dest")
        for part, fields in (("instance", ("vm_name", "zone")), ("gke_details", _GKE))
    },
}
_ENTRY: dict[str, Any] = {
    "insertId": None,
    "timestamp": None,
    "logName": None,
    "resource": {"labels": ("name",)},
    "jsonPayload": _PAYLOAD,
}
"""docs.cloud.google.com/vpc/docs/about-flow-logs-records (GkeDetails), read 2026-11-23."""


class PodOf(NamedTuple):
    """What a record says of a pod; texts are None where it does not."""

    pod: str
    """`namespace/name`, empty for an end that is no pod."""
    workload: str | None
    zone: str | None
    vm: str | None
    cluster: str | None
    service: str | None


class Pair(NamedTuple):
    """Two pods, and the direction of what they said."""

    src: PodOf
    dst: PodOf
    is_reply: bool


class Group:
    """A group of records of one pair, reporter and configuration, as `query_of` has it."""

    def __init__(self, *row: Any) -> None:
        self.pair = Pair(_pod_of(row[:7]), _pod_of(row[7:14]), bool(row[14]))
        self.by_sender: bool = row[15]
        self.configuration: str = row[16] or ""
        self.payload: int = row[17] or 0
        self.header: int = row[18] or 0
        self.records: int = row[19]
        self.first_us: int | None = row[20]
        self.last_us: int | None = row[21]


def _pod_of(row: tuple[Any, ...]) -> PodOf:
    namespace, pod, workload, zone, vm, cluster, service = row
    return PodOf(
        pod=f"{namespace or 'default'}/{pod}" if pod else "",
        workload=f"{namespace or 'default'}/{workload}" if workload else None,
        zone=zone or None,
        vm=vm or None,
        cluster=cluster or None,
        service=service or None,
    )


def query_of(
    sources: Iterable[Source],
    engine: EmbeddedEngine,
    options: TrafficOptions,
    *,
    has_repeated: bool,
) -> str:
    """Return the query of flow logs' groups in the window that the options name.

    Args:
        sources: Flow logs; equal entries are told in all of them together.
        engine: What runs it.
        options: Window, and the headers of a packet.
        has_repeated: Whether equal entries are looked for, so that they count once: that keeps a
            number of each record.
    """
    selected = " UNION ALL ".join(queries_of(sources, engine, options))
    if has_repeated:
        # Rows of equal entries are the same: it does not matter which of them counts.
        selected = (
            f"SELECT * FROM ({selected}) QUALIFY {_ENTRY_NUMBER} IS NULL"
            f" OR ROW_NUMBER() OVER (PARTITION BY {_ENTRY_NUMBER}) = 1"
        )
    keys = ", ".join(f"c{index}" for index in range(_KEY_COUNT))
    return (
        f"SELECT {keys}, CAST(SUM(payload) AS BIGINT), CAST(SUM(header) AS BIGINT), COUNT(*),"
        f" MIN(start_us), MAX(end_us) FROM ({selected}) GROUP BY {keys}"
    )


def queries_of(
    sources: Iterable[Source], engine: EmbeddedEngine, options: TrafficOptions
) -> Iterator[str]:
    """Yield the queries of flow logs' records, one for all files that are alike.

    A query a file would take three times as long for pages of a thousand records.
    """
    alike: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        columns = ""
        if source.layout is Layout.FLOW_PARQUET:
            columns = repr(engine.columns(source.path, source.shown))
        alike.setdefault((source.compression, columns), []).append(source)
    for group in alike.values():
        yield _records_of(group, engine, options)


def _records_of(sources: Sequence[Source], engine: EmbeddedEngine, options: TrafficOptions) -> str:
    """Return the query of the records of alike files; what was dropped is left out."""
    source = sources[0]
    if source.layout is Layout.FLOW_PARQUET:
        columns = engine.columns(source.path, source.shown)
        fields = Fields.of_types(columns)
        relation = parquet_reader([one.path for one in sources])
        services = {side: _parquet_service(columns, side) for side in ("src", "dest")}
    else:
        fields = Fields.of_text(_ENTRY)
        relation = _json_relation(sources)
        services = {
            side: fields.text("jsonPayload", f"{side}_gke_details", "service")
            for side in ("src", "dest")
        }
    payload = fields.part("jsonPayload")
    ports = payload.port("connection", "src_port"), payload.port("connection", "dest_port")
    keys = [
        *_end(payload, "src", services["src"]),
        *_end(payload, "dest", services["dest"]),
        f"COALESCE({ports[0]} < {FIRST_EPHEMERAL_PORT} AND {ports[1]} >= {FIRST_EPHEMERAL_PORT},"
        " false)",
        f"COALESCE({payload.text('reporter')} LIKE 'SRC%', false)",
        fields.text("resource", "labels", "name"),
    ]
    packets = payload.integer("packets_sent")
    values = {
        **{f"c{index}": sql for index, sql in enumerate(keys)},
        "payload": payload.integer("bytes_sent"),
        "header": f"{packets} * {_header(payload, options.header_bytes)}",
        "start_us": payload.time_us("start_time"),
        "end_us": payload.time_us("end_time"),
        _ENTRY_NUMBER: entry_number(fields, payload),
    }
    selected = ", ".join(f"{sql} AS {name}" for name, sql in values.items())
    return (
        f"SELECT {selected} FROM {relation}"
        f"{' AND' if ' WHERE ' in relation else ' WHERE'}"
        f" {payload.text('bytes_sent')} IS NOT NULL"
        f" AND COALESCE({payload.text('disposition')}, '') <> 'DROPPED'"
        f"{_in_window(values['start_us'], options)}"
    )


def _in_window(start_us: str, options: TrafficOptions) -> str:
    """Return the SQL of what keeps the records that start in the window, nothing without one."""
    bounds = ((">=", options.since), ("<", options.until))
    return "".join(
        f" AND {start_us} {sign} {microseconds(bound)}" for sign, bound in bounds if bound
    )


def _end(payload: Fields, side: str, service: str) -> list[str]:
    gke, pod = f"{side}_gke_details", "pod"
    return [
        payload.text(gke, pod, "pod_namespace"),
        payload.text(gke, pod, "pod_name"),
        payload.text(gke, pod, "pod_workload", "workload_name"),
        payload.text(f"{side}_instance", "zone"),
        payload.text(f"{side}_instance", "vm_name"),
        payload.text(gke, "cluster", "cluster_name"),
        NO_TEXT if service == NO_TEXT else _one_service(service),
    ]


def _one_service(text: str) -> str:
    """Return the SQL of `namespace/name` where the text is one service, alone or in a list."""

    def part(name: str) -> str:
        return (
            f"COALESCE(json_extract_string({text}, '$[0].{name}'),"
            f" json_extract_string({text}, '$.{name}'))"
        )

    return (
        f"CASE WHEN json_valid({text}) AND COALESCE(json_array_length({text}), 0) <= 1 THEN"
        f" COALESCE({part('service_namespace')}, 'default') || '/' || {part('service_name')} END"
    )


def _header(payload: Fields, header_bytes: HeaderBytes) -> str:
    protocol = payload.protocol("connection", "protocol")
    address = payload.text("connection", "src_ip")
    return (
        f"(CASE {protocol} WHEN 6 THEN {header_bytes.tcp} WHEN 17 THEN {header_bytes.udp}"
        f" WHEN 1 THEN {header_bytes.icmp} ELSE {header_bytes.other} END"
        f" + CASE WHEN contains({address}, ':') THEN {header_bytes.ipv6_extra} ELSE 0 END)"
    )


def _json_relation(sources: Sequence[Source]) -> str:
    files = ", ".join(quoted(str(source.path)) for source in sources)
    columns = ", ".join(
        f"{quoted(name)}: {quoted(struct_type(fields))}" for name, fields in _ENTRY.items()
    )
    return (
        f"read_json([{files}], format = 'newline_delimited',"
        f" ignore_errors = true, compression = {quoted(sources[0].compression)},"
        f" columns = {{{columns}}})"
    )


def _parquet_service(columns: dict[str, Any], side: str) -> str:
    """Return the SQL of a column's services as JSON text; they are a list, which has no fields."""
    sql, kind = "", None
    children = columns
    for wanted in ("jsonPayload", f"{side}_gke_details", "service"):
        name = next((own for own in children if own.casefold() == wanted.casefold()), None)
        if name is None:
            return NO_TEXT
        sql = f"{sql}.{identifier(name)}" if sql else identifier(name)
        kind = children[name]
        children = dict(kind.children) if kind.id == "struct" else {}
    return f"CAST(to_json({sql}) AS VARCHAR)"


def table_query(source: Source, engine: EmbeddedEngine, options: TrafficOptions) -> str:
    """Return the query of a table's pairs; a rate is what it carries in an hour."""
    fields = tables.columns_of(source, engine)
    window = ""
    if fields.has("gbps"):
        count = f"CAST(ROUND({fields.decimal('gbps')} * {_STEADY_BYTES_PER_GBPS}) AS BIGINT)"
        times = ["NULL::BIGINT", "NULL::BIGINT"]
    else:
        count = fields.integer("bytes")
        times = [fields.time_us("start"), fields.time_us("end")]
        window = _in_window(times[0], options)
    names = ("src", "dst", "src_zone", "dst_zone", "service")
    keys = [f"NULLIF(TRIM({fields.text(name)}), '')" for name in names]
    selected = ", ".join(
        [
            *keys,
            f"CAST(SUM({count}) AS BIGINT)",
            "COUNT(*)",
            f"MIN({times[0]})",
            f"MAX({times[1]})",
        ]
    )
    grouped = ", ".join(str(index + 1) for index in range(len(keys)))
    return (
        f"SELECT {selected} FROM {tables.relation_of(source)} WHERE true{window} GROUP BY {grouped}"
    )
