"""A forwarding rule that names its address by a link holds that address."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.ledger.resources import idle_addresses
from netplan_planner.readers.files import read_inventory
from support.rules.facts import facts_of

API = "https://www.googleapis.com/compute/v1"
REGION = "projects/p/regions/us-central1"


@pytest.mark.parametrize("head", [f"{API}/projects/p/", "projects/p/", ""])
@pytest.mark.parametrize("files", [("a", "b"), ("b", "a")])
def test_a_link_to_an_address_is_its_literal(
    tmp_path: Path, head: str, files: tuple[str, str]
) -> None:
    rule = {
        "kind": "compute#forwardingRule",
        "name": "vpn",
        "IPAddress": f"{head}regions/us-central1/addresses/held",
        "IPProtocol": "ESP",
        "loadBalancingScheme": "EXTERNAL",
        "selfLink": f"{API}/{REGION}/forwardingRules/vpn",
    }
    addresses = [
        {
            "kind": "compute#address",
            "name": name,
            "address": address,
            "status": "RESERVED",
            "addressType": "EXTERNAL",
            "selfLink": f"{API}/{REGION}/addresses/{name}",
        }
        for name, address in (("held", "203.0.113.8"), ("free", "203.0.113.9"))
    ]
    # Whichever file is read first.
    for name, items in zip(files, [addresses, [rule]], strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps(items))
    inventory = read_inventory(sorted(tmp_path.iterdir()))
    (found,) = inventory.forwarding_rules
    assert found.ip_address == "203.0.113.8"
    (idle,) = idle_addresses(replace(facts_of(), inventory=inventory))
    assert idle.name == "free"
