"""By what a machine is reached inside: its DNS name only where that resolves to the interface."""

from msgspec.structs import replace

from netplan_planner.model import NetworkInterface, SelfLink
from netplan_rules.wording import internal_target
from support.rules.facts import machine

OTHER = SelfLink("projects/p/global/networks/other")
BACK = NetworkInterface(name="nic1", network=OTHER, internal_ipv4="10.9.0.3")


def test_the_name_inside_one_network_else_the_address() -> None:
    web, target = machine("web"), machine("db")
    found = internal_target(web, target, target.interfaces[0])
    assert found == "db.us-central1-a.c.p.internal, currently 10.0.0.1"
    # Of another interface.
    both = replace(target, interfaces=(*target.interfaces, BACK))
    found = internal_target(web, both, BACK)
    assert found == "10.9.0.3 (nic1; the internal DNS name is of nic0)"
    # From a peered network.
    client = replace(web, interfaces=(replace(BACK, name="nic0"),))
    found = internal_target(client, target, target.interfaces[0])
    assert found.startswith("10.0.0.1 (internal DNS names do not resolve")
    assert ".internal" not in found
