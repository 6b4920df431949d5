"""Which pods look like databases, and why: by the image of a container, or else by its port.

An image says it; a port is a hint only, as anything can listen there. The list is in
`databases.csv`: well-known databases, the port that each has unless it is told otherwise, and
whether its members commit together (a quorum or all of them).
"""

import csv
import re
from functools import cache, lru_cache
from pathlib import Path

from netplan_planner.model import Value
from netplan_planner.model.project.kubernetes import Pod

_LIST = Path(__file__).with_name("databases.csv")
_TAG = re.compile(r"(?::[^/@]*)?(?:@.*)?$")
_STATEFUL = "StatefulSet"


class DatabaseSign(Value, frozen=True, kw_only=True):
    """Why a pod looks like a database."""

    database: str
    """`MySQL`, `Percona XtraDB Cluster`, …"""
    reason: str
    is_by_image: bool
    """Its image says so; else only its port does."""
    is_synchronous: bool = False
    """Its members commit together, so that the time between them is part of each commit."""


class _Known(Value, frozen=True, kw_only=True):
    database: str
    port: int
    is_synchronous: bool


def database_of(pod: Pod) -> DatabaseSign | None:
    """Return why a pod looks like a database, None where it does not.

    A port counts for pods of a StatefulSet only: proxies before databases have the same ports.
    """
    for image in pod.images:
        found = _by_image(image)
        if found is not None:
            return DatabaseSign(
                database=found.database,
                reason=f"image {image}",
                is_by_image=True,
                is_synchronous=found.is_synchronous,
            )
    if pod.workload_kind != _STATEFUL:
        return None
    for port in pod.ports:
        database = _by_port().get(port)
        if database is not None:
            reason = f"a StatefulSet with port {port}, {database}'s"
            return DatabaseSign(database=database, reason=reason, is_by_image=False)
    return None


def known_image(image: str) -> str | None:
    """Return the public name by which an image is known as a database's, without its registry.

    >>> known_image("registry.example/mirror/library/mysql:8.0-ours")
    'mysql'
    """
    parts = _TAG.sub("", image.casefold()).split("/")
    return next((name for name in ("/".join(parts[-2:]), parts[-1]) if name in _known()), None)


@lru_cache(65_536)
def _by_image(image: str) -> _Known | None:
    """Return the database of an image: by its last two parts, else by the last one alone.

    Registries, the paths of mirrors and tags differ from cluster to cluster.

    >>> _by_image("docker.io/percona/percona-xtradb-cluster:8.0.36").database
    'Percona XtraDB Cluster'
    >>> _by_image("registry.example/mirror/library/mysql@sha256:00").database
    'MySQL'
    >>> _by_image("prom/mysqld-exporter:v0.15.1")
    """
    name = known_image(image)
    return None if name is None else _known()[name]


@cache
def _known() -> dict[str, _Known]:
    with _LIST.open(encoding="utf-8", newline="") as file:
        return {
            row["image"]: _Known(
                database=row["database"],
                port=int(row["port"]),
                is_synchronous=row["is_synchronous"] == "yes",
            )
            for row in csv.DictReader(file)
        }


@cache
def _by_port() -> dict[int, str]:
    """Return the database of each port, of several the one with an official image."""
    ordered = sorted(_known().items(), key=lambda item: ("/" in item[0], item[0]))
    return {known.port: known.database for _, known in reversed(ordered)}
