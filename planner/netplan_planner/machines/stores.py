"""Machines that look like a store of data: their clients go to them, not they to their clients."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Instance
from netplan_planner.units import counted

_SERVED = {
    445: "SMB",
    1433: "SQL Server",
    1521: "Oracle",
    2049: "NFS",
    2181: "ZooKeeper",
    2379: "etcd",
    3260: "iSCSI",
    3306: "MySQL",
    5432: "PostgreSQL",
    5984: "CouchDB",
    6379: "Redis",
    8086: "InfluxDB",
    9042: "Cassandra",
    9092: "Kafka",
    9200: "Elasticsearch",
    26257: "CockroachDB",
    27017: "MongoDB",
    50000: "Db2",
}
"""Ports on which stores are served (IANA's registry of service names and ports, 2026-11, and the
defaults in the stores' own documentation, where they are not registered)."""


def why_store(facts: Facts, machine: Instance) -> str:
    """Return what says that a machine keeps data, or nothing.

    A port that its clients connect to, or disks beside the one that it starts from. Its name says
    nothing.
    """
    link = machine.ref.self_link
    served = next(_served(facts, machine), "")
    disks = len(facts.inventory.disks_by_user.get(link, ())) - 1
    return served or (f"it has {counted(disks, 'disk')} and its boot disk" if disks > 0 else "")


def _served(facts: Facts, machine: Instance) -> Iterator[str]:
    """Yield which stores a machine's clients connect to, of the most traffic first."""
    traffic = facts.traffic
    seen = traffic.vm_by_link.get(machine.ref.self_link) if traffic is not None else None
    if traffic is None or seen is None:
        return
    received = traffic.edges_by_dst.get(seen.owner, ())
    for edge in sorted(received, key=lambda one: -one.wire_bytes):
        port = edge.top_flow.dst_port if edge.top_flow is not None else None
        if port in _SERVED:
            yield f"it serves {_SERVED[port]} (port {port})"


def data_caution(why: str) -> str:
    """Return what the move of a store means for its data; nothing where it is none."""
    if not why:
        return ""
    return (
        f"It may be a data store ({why}). Its disks are copied while it is stopped, and later"
        " writes are not in the copy. Stop the writers first, or move a replica and switch over."
    )
