"""The fees of GKE: clusters by the hour, pods in ambient networking by the minute."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner.judging.month import Committed, month_bill, tables_of
from netplan_planner.judging.services import network_services
from netplan_planner.model import Amount, Facts, ResourceRef, SelfLink, ServiceTotal
from netplan_planner.model.base import Words
from netplan_planner.model.project.gke import Cluster
from netplan_planner.model.project.kubernetes import Kubernetes, Namespace, Pod
from netplan_planner.planning.service_bill import ambient_pods, gke_clusters
from support.prices.book import SmallPriceBook
from support.resources import resource
from support.rules.facts import facts_of, holding


def facts_with(**of_kubernetes: object) -> Facts:
    facts = facts_of()
    kubernetes = Kubernetes(**of_kubernetes)  # type: ignore[arg-type]
    return holding(facts, kubernetes=kubernetes)


def cluster(name: str, location: str = "us-central1", **more: object) -> Cluster:
    link = SelfLink(f"projects/p/locations/{location}/clusters/{name}")
    made = resource(Cluster, link, location=location)
    return replace(made, **more)


def namespace(name: str, *, is_ambient: bool) -> Namespace:
    ref = ResourceRef(self_link=SelfLink(f"api/v1/namespaces/{name}"))
    return Namespace(ref=ref, name=name, is_ambient=is_ambient)


def pod(place: str, name: str, phase: str = "Running") -> Pod:
    ref = ResourceRef(self_link=SelfLink(f"api/v1/namespaces/{place}/pods/{name}"))
    return Pod(ref=ref, namespace=place, name=name, node="n", phase=phase)


def only(facts: Facts) -> ServiceTotal:
    (total,) = network_services(facts)
    return total


def plain(total: ServiceTotal) -> str:
    """Return the note, an amount in it as its number."""
    parts = total.note.parts if isinstance(total.note, Words) else (total.note,)
    return "".join(str(part.usd) if isinstance(part, Amount) else part for part in parts)


def test_every_cluster_pays_by_the_hour_and_pods_apart() -> None:
    total = only(facts_with(clusters=(cluster("zonal", "us-central1-a"), cluster("regional"))))
    # 2 clusters x 730 h x 0.10 USD; the credit of the account is not taken off.
    assert (total.service, total.count) == ("gke-clusters", 2)
    assert total.usd_per_month == Decimal(146)
    assert total.unpriced == ()
    assert plain(total) == "a billing account credit of 74.40 is not deducted"
    # The pods of an autopilot cluster are said to be left out.
    total = only(facts_with(clusters=(cluster("auto", is_autopilot=True),)))
    assert total.usd_per_month == Decimal(73)
    assert plain(total).endswith("; without Autopilot pods")
    # A cluster of the extended channel may pay half a dollar more.
    clusters = (cluster("a", release_channel="EXTENDED"), cluster("b"))
    facts = facts_with(clusters=clusters)
    total = only(facts)
    (bounds,) = total.unpriced
    # 1 cluster x 730 h x 0.50 USD at most.
    assert bounds.lowest_usd_per_month == 0
    assert bounds.highest_usd_per_month == 365
    assert total.usd_per_month == Decimal(146)
    found = month_bill(tables_of(facts), Committed(Decimal(0)))
    assert (found.services_usd, found.unpriced_high_usd) == (Decimal(146), Decimal(365))
    assert not found.is_whole


@pytest.mark.parametrize("channel", [None, "RAPID", "STABLE"])
def test_other_channels_have_no_extended_support(channel: str | None) -> None:
    assert only(facts_with(clusters=(cluster("c", release_channel=channel),))).unpriced == ()


@pytest.mark.parametrize("clusters", [None, ()])
def test_without_a_cluster_that_was_read_there_is_no_line(clusters: object) -> None:
    assert network_services(facts_with(clusters=clusters)) == ()
    assert network_services(facts_of()) == ()


def test_pods_of_enrolled_namespaces_pay_by_the_minute() -> None:
    pods = (pod("on", "a"), pod("on", "b"), pod("on", "done", "Succeeded"), pod("off", "c"))
    namespaces = (namespace("on", is_ambient=True), namespace("off", is_ambient=False))
    total = only(facts_with(namespaces=namespaces, pods=pods))
    assert (total.service, total.count) == ("gke-ambient-networking", 2)
    # 2 pods x 43,800 minutes x 0.00006667 USD
    assert total.usd_per_month == Decimal("5.840292")
    (line,) = total.line_items
    assert (line.quantity, line.unit) == (Decimal(87_600), "minute")
    assert plain(total) == "as many pods as run now, all month, in 1 namespace"
    # Pods that were not read are not none.
    total = only(facts_with(namespaces=(namespace("on", is_ambient=True),)))
    assert total.usd_per_month is None
    (missing,) = total.unpriced
    assert missing.reason == "it is billed per pod, and no pods are in the inventory"
    # Without a price it is unknown and not nothing.
    book = SmallPriceBook()
    for found in (gke_clusters(book, 2, 1), ambient_pods(book, 3)):
        assert found.usd_per_month is None
        assert found.unpriced
    assert gke_clusters(book, 1, 1).unpriced[1].highest_usd_per_month is None


@pytest.mark.parametrize("namespaces", [None, (), (namespace("off", is_ambient=False),)])
def test_a_namespace_that_is_not_enrolled_pays_nothing(namespaces: object) -> None:
    facts = facts_with(namespaces=namespaces, pods=(pod("off", "a"),))
    assert network_services(facts) == ()
