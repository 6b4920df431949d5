"""Ways through appliances, service producers' ranges, and answers of passthrough load balancers."""

from pathlib import Path

import pytest

from netplan_planner.model import Direction, OwnerKind, PathClass
from netplan_planner.paths import classify
from netplan_planner.planning.traffic_bill import traffic_by_class
from support.projects.addresses import (
    book_of,
    front,
    network,
    network_link,
    nic,
    owner,
    reserved,
    route,
    subnet,
    vm,
    who,
)
from support.rules.fixtures import facts_of

ONE = vm("one", nic("10.0.0.1"))
FIREWALL = "projects/p/zones/us-central1-a/instances/firewall"
SERVICE = "projects/p/regions/us-central1/backendServices/s"
REGIONAL = "projects/p/regions/us-central1/"


@pytest.mark.parametrize(
    ("hop", "target", "name"),
    [
        ("instance", FIREWALL, "firewall"),
        ("ip", "10.0.0.7", "10.0.0.7"),
        ("ilb", REGIONAL + "forwardingRules/gate", "gate"),
        ("ilb", "10.0.0.8", "10.0.0.8"),
    ],
)
def test_what_a_route_gives_to_an_appliance_is_hybrid(hop: str, target: str, name: str) -> None:
    book = book_of(ONE, subnet("10.0.0.0/16"), route("192.168.0.0/16", hop, target))
    end = who(book, "192.168.3.4", context=network_link())
    assert owner(end) == ("hybrid", name)
    assert classify(who(book, "10.0.0.1"), end).path_class is PathClass.HYBRID
    # Own ranges and default routes are something else.
    assert who(book, "10.0.9.9", context=network_link()).owner.kind is OwnerKind.UNKNOWN
    default = book_of(ONE, route("0.0.0.0/0", hop, target))
    assert who(default, "8.8.4.4", context=network_link()).owner.kind is not OwnerKind.HYBRID


def test_a_range_set_aside_for_peering_is_a_service_producers() -> None:
    kept = reserved(
        "10.60.0.0",
        name="sql",
        prefix=20,
        is_external=False,
        purpose="VPC_PEERING",
        network=network_link(),
    )
    book = book_of(ONE, kept, network(), network("other"))
    end = who(book, "10.60.3.3", context=network_link())
    assert owner(end) == ("other-project", "a service producer's network (sql)")
    assert who(book, "10.60.3.3", context=network_link("other")).owner.kind is OwnerKind.UNKNOWN
    assert who(book, "10.61.0.1", context=network_link()).owner.kind is OwnerKind.UNKNOWN
    # Where its machines stand is unknown, so neither is what the way costs.
    assert classify(who(book, "10.0.0.1"), end).path_class is PathClass.UNKNOWN


PASSTHROUGH = (
    front("34.9.9.9", "EXTERNAL", backend=SERVICE),
    front("34.9.9.9", "EXTERNAL", target=REGIONAL + "targetPools/t"),
    front("34.9.9.9", "EXTERNAL", target="projects/p/zones/us-central1-a/targetInstances/t"),
)
PROXIES = (
    front("34.9.9.9", "EXTERNAL_MANAGED", backend=SERVICE),
    front("34.9.9.9", "EXTERNAL", target="projects/p/global/targetHttpProxies/t"),
    front("34.9.9.9", "EXTERNAL"),
)


@pytest.mark.parametrize("rule", PASSTHROUGH)
@pytest.mark.parametrize("named", [{"project": "p", "vm": "one", "zone": "us-central1-a"}, {}])
def test_back_ends_answer_straight_to_the_client(rule, named) -> None:  # type: ignore[no-untyped-def]
    book = book_of(ONE, rule)
    back_end, client = who(book, "34.9.9.9", **named), who(book, "198.51.100.7")
    answer = classify(back_end, client)
    assert (answer.path_class, answer.dst_address) == (PathClass.INTERNET, "34.9.9.9")
    assert classify(client, back_end).path_class is PathClass.LOAD_BALANCER
    assert classify(back_end, who(book, "10.0.0.1")).path_class is PathClass.LOAD_BALANCER


@pytest.mark.parametrize("rule", PROXIES)
def test_a_proxy_answers_by_itself(rule) -> None:  # type: ignore[no-untyped-def]
    book = book_of(ONE, rule)
    answer = classify(who(book, "34.9.9.9"), who(book, "198.51.100.7"))
    assert answer.path_class is PathClass.LOAD_BALANCER


@pytest.mark.parametrize(("tier", "usd"), [("PREMIUM", 37), ("STANDARD", 9)])
def test_answers_cost_what_internet_egress_costs(tmp_path: Path, tier: str, usd: int) -> None:
    """0.001 Gbit/s all month are 306 GiB: after 1 GiB at 0.12 USD, or after 200 GiB at 0.085."""
    america = {"continent": "America", "country": "usa"}
    flow = {"src": "web", "dst": "198.51.100.7", "as": "34.9.9.9", "gbps": 0.001, "area": america}
    case = {
        "machines": [
            {
                "name": "web",
                "zone": "us-central1-a",
                "type": "n2-standard-8",
                "internal": "10.0.0.2",
            }
        ],
        "fronts": [
            {
                "name": "shop",
                "address": "34.9.9.9",
                "scheme": "EXTERNAL",
                "region": "us-central1",
                "backend": "shop",
                "tier": tier,
            }
        ],
        "traffic": {"minutes": 60, "flows": [flow]},
    }
    (total,) = traffic_by_class(facts_of(case, tmp_path))
    assert (total.path_class, total.direction) == (PathClass.INTERNET, Direction.SENT)
    assert total.usd_per_month is not None
    assert round(total.usd_per_month) == usd
