"""Pods that look like databases, and pods that only stand near one."""

import pytest

from netplan_planner.clusters.databases import database_of
from netplan_planner.model import ResourceRef, SelfLink
from netplan_planner.model.project.kubernetes import Pod


def pod(image: str, kind: str | None = None, ports: tuple[int, ...] = ()) -> Pod:
    ref = ResourceRef(self_link=SelfLink("api/v1/namespaces/d/pods/p"))
    return Pod(ref=ref, namespace="d", name="p", images=(image,), workload_kind=kind, ports=ports)


@pytest.mark.parametrize(
    ("image", "database"),
    [
        ("mysql", "MySQL"),
        ("mysql:8.4", "MySQL"),
        ("docker.io/library/postgres:16-alpine", "PostgreSQL"),
        ("percona/percona-xtradb-cluster:8.0.36", "Percona XtraDB Cluster"),
        ("registry:5000/mirror/cockroachdb/cockroach@sha256:ab", "CockroachDB"),
        ("europe-docker.pkg.dev/shop/images/redis:7", "Redis"),
    ],
)
def test_a_database_by_its_image(image: str, database: str) -> None:
    found = database_of(pod(image))
    assert found is not None
    assert found.database == database
    assert found.is_by_image
    assert image in found.reason


@pytest.mark.parametrize(
    "image", ["prom/mysqld-exporter:v0.15", "shop/mysql-backup", "nginx", "redis-commander"]
)
def test_what_stands_near_a_database_is_none(image: str) -> None:
    assert database_of(pod(image)) is None
    assert database_of(pod(image, "Deployment", (3306,))) is None


def test_a_port_is_a_hint_for_a_stateful_set() -> None:
    found = database_of(pod("shop/store:1", "StatefulSet", (8080, 5432)))
    assert found is not None
    assert (found.database, found.is_by_image) == ("PostgreSQL", False)
    assert "5432" in found.reason


def test_members_that_commit_together_are_told() -> None:
    galera, mysql = database_of(pod("bitnami/mariadb-galera:11")), database_of(pod("mysql"))
    assert galera is not None
    assert mysql is not None
    assert galera.is_synchronous
    assert not mysql.is_synchronous
