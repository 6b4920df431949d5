"""Networks that one hub joins to a site are not peered; releases by sampled logs are doubted."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.ledger.guards import why_refused
from netplan_rules.address.external_ip_between_vpcs import check as between_vpcs
from netplan_rules.base import Check
from netplan_rules.gateway.nat_idle import check as nat_idle
from netplan_rules.price.needless_external_address import check as needless
from planner.ledger.test_hub_charges import HUB, OTHER, ROUTING, other, spoke
from support.resources import resource
from support.rules.facts import NETWORK, facts_of, holding, machine
from support.rules.fixtures import FIXTURES
from support.rules.fixtures import facts_of as facts_of_case
from support.rules.judged import hits_of

TUNNEL = model.SelfLink("projects/p/regions/us-central1/vpnTunnels/t")
ROUTER = model.SelfLink("projects/p/regions/us-central1/routers/r")


def facts(kind: model.SpokeKind, of: model.SelfLink, *spokes: model.Spoke) -> model.Facts:
    """Return two machines in two networks, and a hybrid spoke whose resource is in one network."""
    talk = (("a", "b", model.PathClass.INTER_ZONE_EXTERNAL, 1.0),)
    found = facts_of(machine("a"), other("b", "us-central1-b"), talk=talk)
    router = resource(model.Router, ROUTER, region=model.Region("us-central1"), network=of)
    site = resource(
        model.Spoke,
        "projects/p/locations/us-central1/spokes/site",
        hub=HUB,
        kind=kind,
        linked=(TUNNEL,),
        state="ACTIVE",
    )
    way = {"region": model.Region("us-central1"), "router": ROUTER}
    ways = (
        {"vpn_tunnels": (resource(model.VpnTunnel, TUNNEL, **way),)}
        if kind is model.SpokeKind.VPN
        else {"vlan_attachments": (resource(model.VlanAttachment, TUNNEL, **way),)}
    )
    networks = tuple(
        resource(model.Network, link, mtu_bytes=1460) for link in (NETWORK, OTHER, ROUTING)
    )
    return holding(found, routers=(router,), spokes=(site, *spokes), networks=networks, **ways)


@pytest.mark.parametrize("kind", [model.SpokeKind.VPN, model.SpokeKind.INTERCONNECT])
def test_no_peering_between_a_spoke_and_the_network_of_a_site(kind: model.SpokeKind) -> None:
    found = facts(kind, NETWORK, spoke("b", OTHER))
    (hit,) = hits_of(between_vpcs, found)
    assert hit.change is None
    assert hit.fix is not None
    assert hit.fix.commands == ()
    assert "hub main already joins both networks to a site" in str(hit.fix.text)
    links = [one.ref.self_link for one in found.inventory.instances]
    change = model.Change(
        kind=model.ChangeKind.INTERNAL_ADDRESS, target=links[0], destination=links[1]
    )
    assert "the hub main already joins" in why_refused(ledger_of(found).state, change)


def test_a_site_of_a_third_network_is_in_nobodys_way() -> None:
    found = facts(model.SpokeKind.VPN, ROUTING)
    (hit,) = hits_of(between_vpcs, found)
    assert hit.change is not None
    assert hit.fix is not None
    assert any("peerings create" in one for one in hit.fix.commands)


@pytest.mark.parametrize(
    ("rule", "check"), [("needless-external-address", needless), ("nat-idle", nat_idle)]
)
def test_logs_that_keep_few_flows_lower_the_confidence_of_a_release(
    rule: str, check: Check, tmp_path: Path
) -> None:
    case = json.loads((FIXTURES / rule / "bad.json").read_text("utf-8"))
    whole = facts_of_case(case, tmp_path)
    for ratio, is_doubted in ((1.0, False), (0.1, True)):
        subnetworks = tuple(
            replace(one, flow_logs=replace(one.flow_logs, sampling_ratio=ratio))
            for one in whole.inventory.subnetworks
            if one.flow_logs is not None
        )
        assert subnetworks
        (hit,) = hits_of(check, holding(whole, subnetworks=subnetworks))
        assert ("flow logs keep 0.1 of the flows" in hit.doubts) is is_doubted
