"""Services with their traffic: who uses them, between which zones, what near endpoints change."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.clusters.services import ServiceTraffic, service_traffic
from netplan_planner.model import Zone
from netplan_planner.model.evidence.pod_traffic import PodEnd, PodFlow, PodSource, PodTraffic
from netplan_planner.model.project.kubernetes import Kubernetes
from netplan_planner.paths.edges import pod_costs
from netplan_planner.readers import read_inventory
from support.projects import one_cluster
from support.rules.facts import facts_of

A, B, FAR = Zone("us-central1-a"), Zone("us-central1-b"), Zone("europe-west1-b")
GIB = 2**30


def end(workload: str, zone: Zone | None) -> PodEnd:
    return PodEnd(workload=workload, zone=zone)


def flow(src: PodEnd, dst: PodEnd, byte_count: int | None, **more: Any) -> PodFlow:
    return PodFlow(src=src, dst=dst, service="shop/db", payload_bytes=byte_count, **more)


def traffic(*flows: PodFlow) -> PodTraffic:
    return PodTraffic(flows=flows, sources=(PodSource.FLOW_LOGS,), window_seconds=3600)


@pytest.fixture
def cluster(tmp_path: Path) -> Kubernetes:
    found = read_inventory([one_cluster.write_kubernetes("list", tmp_path)]).kubernetes
    assert found is not None
    return found


WEB_A, WEB_B, DB_B = end("shop/web", A), end("shop/web", B), end("shop/db", B)


def only(cluster: Kubernetes, *flows: PodFlow) -> ServiceTraffic:
    (found,) = service_traffic(cluster, traffic(*flows))
    return found


def test_requests_and_answers_are_of_client_and_endpoint(cluster: Kubernetes) -> None:
    found = only(
        cluster,
        flow(WEB_A, DB_B, 100),
        flow(DB_B, WEB_A, 900, is_reply=True),
        flow(WEB_B, DB_B, 50),
    )
    assert found.clients == ("shop/web",)
    assert found.region == "us-central1"
    assert found.near is not None
    # Its one endpoint is in b: what clients in a ask for crosses as before.
    assert (found.near.total_bytes, found.near.cross_zone_bytes_now) == (1050, 1000)
    assert found.near.saved_bytes == 0
    assert found.near.zones_without_endpoint == (A,)


def test_what_near_endpoints_would_save(cluster: Kubernetes) -> None:
    (endpoints,) = cluster.endpoint_slices or ()
    (ready,) = endpoints.endpoints
    near = replace(ready, addresses=("10.8.0.9",), zone=A, pod="shop/db-1")
    both = replace(endpoints, endpoints=(ready, near))
    made = replace(cluster, endpoint_slices=(both,))
    db_a = end("shop/db", A)
    found = only(made, flow(WEB_A, DB_B, 300), flow(WEB_A, db_a, 300))
    assert found.near is not None
    assert found.near.saved_bytes == 300
    assert found.near.overload_ratio == 2


def test_why_nothing_can_be_told(cluster: Kubernetes) -> None:
    seen = flow(WEB_A, DB_B, 100)
    (service,) = cluster.services or ()
    headless = replace(cluster, services=(replace(service, is_headless=True),))
    local = replace(cluster, services=(replace(service, internal_traffic_policy="Local"),))
    unread = replace(cluster, endpoint_slices=None)
    none = replace(cluster, endpoint_slices=())
    reasons = [only(one, seen).why_not for one in (headless, local, unread, none)]
    assert reasons == [
        "it is headless: its clients choose the Pod themselves",
        "internalTrafficPolicy: Local keeps its traffic on the node",
        "EndpointSlices were not read",
        "it has no ready endpoint",
    ]
    lost = only(cluster, flow(end("shop/web", None), DB_B, 70))
    assert (lost.why_not, lost.unplaced_bytes) == ("the zones of its traffic are unknown", 70)


def test_events_without_bytes_are_no_traffic_of_a_service(cluster: Kubernetes) -> None:
    assert service_traffic(cluster, traffic(flow(WEB_A, DB_B, None))) == ()


def test_pods_are_priced_pair_by_pair() -> None:
    """By hand: a GiB in an hour is 730 a month, at 0.01 $ between zones of a region."""
    facts = replace(
        facts_of(),
        pod_traffic=traffic(
            flow(WEB_A, DB_B, GIB),
            flow(WEB_B, DB_B, 5 * GIB),
            flow(WEB_B, DB_B, 7 * GIB, is_same_node=True),
            flow(end("shop/web", None), DB_B, GIB),
            flow(WEB_A, end("eu/api", FAR), GIB),
            flow(WEB_A, DB_B, None),
        ),
    )
    costs = {
        (cost.flow.src.zone, cost.flow.dst.zone, cost.flow.is_same_node): cost
        for cost in pod_costs(facts)
    }
    assert len(costs) == 5
    assert costs[A, B, None].usd_per_month == Decimal("7.3")
    assert costs[A, B, None].gib_per_month == 730
    assert costs[B, B, None].usd_per_month == 0
    assert costs[B, B, True].usd_per_month == 0
    unknown = costs[None, B, None]
    assert (unknown.usd_per_month, unknown.unknown) == (None, "the zone of a Pod is unknown")
    far = costs[A, FAR, None].usd_per_month
    assert far is not None
    assert far > Decimal("7.3")
    assert pod_costs(facts)[0].flow.dst.workload == "eu/api"


def test_a_table_of_rates_is_priced_as_a_steady_month() -> None:
    steady = PodTraffic(flows=(flow(WEB_A, DB_B, GIB),), sources=(PodSource.TABLE,), is_steady=True)
    (cost,) = pod_costs(replace(facts_of(), pod_traffic=steady))
    assert cost.usd_per_month == Decimal("7.3")


def test_no_traffic_of_pods_has_no_cost() -> None:
    assert pod_costs(facts_of()) == ()


def test_traffic_of_a_service_of_the_same_name_in_another_cluster_is_not_its_own(
    cluster: Kubernetes, tmp_path: Path
) -> None:
    """Flow logs of a project tell of all its clusters."""
    here, there = (
        flow(WEB_A, replace(DB_B, cluster=name), size)
        for name, size in (("shop", GIB), ("other", 7 * GIB))
    )
    back = replace(here, src=here.dst, dst=here.src, is_reply=True)
    (unknown,) = service_traffic(cluster, traffic(here, there))
    assert unknown.near is None
    assert unknown.is_unknown
    assert "several clusters" in unknown.why_not
    (tmp_path / "gke.json").write_text(json.dumps([one_cluster.gke_cluster()]))
    known = read_inventory([tmp_path]).kubernetes
    assert known is not None
    (told,) = service_traffic(known, traffic(here, back, there))
    assert told.near is not None
    assert told.near.total_bytes == 2 * GIB
    assert service_traffic(known, traffic(there)) == ()
