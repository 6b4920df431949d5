"""The rules on Cloud NAT on a recorded project with two gateways, under made traffic."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplan_planner.judging.judged import judge
from netplan_planner.model import Facts, Hit
from netplan_planner.readers import read_inventory
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_rules.registry import find_rule, thresholds
from support.flows.entries import START, write_entries
from support.projects.shared_data import needs_shared, shared
from support.rules.facts import facts_of, machine

EUROPE = {"continent": "Europe", "country": "deu"}


def recorded(folder: Path, *flows: dict[str, Any]) -> Facts:
    """Return the recorded project with made flows of an hour."""
    files = sorted(shared("data/recorded/compute_api").glob("gcpdiag__nat1__compute-*.json"))
    inventory = read_inventory(files)
    path = folder / "flows.json"
    write_entries(path, inventory, {"flows": list(flows)})
    options = TrafficOptions(threads=1, since=START, until=START + timedelta(minutes=60))
    return replace(
        facts_of(machine("any")),
        inventory=inventory,
        traffic=read_traffic([path], inventory, options),
        thresholds=thresholds({"flow-logs-thin": {"month_bounds_times": 24}}),
    )


def hits(rule: str, facts: Facts) -> tuple[Hit, ...]:
    return judge(find_rule(rule), facts).hits


def sent(src: str, dst: str, gbps: float) -> dict[str, Any]:
    """Return a flow of a machine of the recorded project to the internet or to another one."""
    area = {} if "/" in dst else {"area": EUROPE}
    return {"src": f"gcpdiag-nat1-aaaa/{src}", "dst": dst, "gbps": gbps, **area}


US, EU = "us-central1-a/private-vm-0", "europe-west4-a/private-vm-0"
EU_PEERS = [f"gcpdiag-nat1-aaaa/europe-west4-a/private-vm-{n}" for n in (1, 2, 3)]


@needs_shared
def test_one_gateway_is_dear_and_the_other_idle(tmp_path: Path) -> None:
    inside = [sent(EU, peer, 0.01) for peer in EU_PEERS]
    facts = recorded(tmp_path, sent(US, "185.1.2.3", 0.02), *inside)
    (dear,) = hits("nat-vs-address-breakeven", facts)
    assert dear.subject == "public-nat-gateway (us-central1)"
    # 0.02 Gbit/s are 6,118.8 GiB: 275.35 and an hour's 0.0014 of 730 h, less an address of 3.65.
    assert round(float(dear.saving.usd_per_month), 2) == 272.72
    assert dear.fix is not None
    assert dear.fix.commands[0].startswith(
        "gcloud compute instances add-access-config private-vm-0 --zone=us-central1-a"
    )
    (idle,) = hits("nat-idle", facts)
    assert idle.subject == "public-nat-gateway (europe-west4)"
    assert hits("nat-carries-internal", facts) == ()


@needs_shared
def test_calls_of_google_apis_say_nothing_behind_public_nat(tmp_path: Path) -> None:
    facts = recorded(tmp_path, sent(US, "199.36.153.8", 0.5))
    assert hits("nat-vs-address-breakeven", facts) == ()
    assert hits("nat-carries-internal", facts) == ()
    (noted,) = judge(find_rule("google-api-path"), facts).not_evaluated
    assert noted.reason == "no routes in the inventory"


@needs_shared
def test_an_idle_gateway_saves_all_its_addresses_and_is_made_again_with_its_pool(
    tmp_path: Path,
) -> None:
    facts = recorded(tmp_path, *(sent(EU, peer, 0.01) for peer in EU_PEERS))
    (router,) = [one for one in facts.inventory.routers if one.region == "europe-west4"]
    (nat,) = router.nats
    held = (*nat.addresses, "projects/p/regions/europe-west4/addresses/of-rule")
    wider = replace(router, nats=(replace(nat, addresses=held, outside_pool=held[-1:]),))
    before, after = (
        hits("nat-idle", replace(facts, inventory=replace(facts.inventory, routers=(one,))))[0]
        for one in (router, wider)
    )
    # An address for a month.
    assert float(after.saving.usd_per_month - before.saving.usd_per_month) == 3.65
    assert before.fix is not None
    assert before.fix.undo is not None
    assert after.fix is not None
    assert after.fix.undo is not None
    assert after.fix.undo.commands == before.fix.undo.commands
    assert "rules, ports" in after.fix.undo.text
    assert "rules" not in before.fix.undo.text
