"""NAT gateways of recorded projects: what their own metrics say of them."""

import json

from support.commands.run import run_verbs
from support.projects.shared_data import needs_shared, shared

PARTS = ("instances-europe-west4-a", "network-nat-vpc-network", "routers-europe-west4")


@needs_shared
def test_a_gateway_whose_address_serves_two_of_four_machines_is_found() -> None:
    """Its machines are to have 32,000 ports each, and one address has 64,512."""
    recorded = shared("data/recorded")
    arguments = ["audit", "--output", "json", "--select", "nat-port-pressure,metrics-window-short"]
    for part in PARTS:
        path = recorded / "compute_api" / f"gcpdiag__nat1__compute-{part}.json"
        arguments += ["--inventory", str(path)]
    arguments += ["--metrics", str(recorded / "monitoring/gcpdiag__nat1__monitoring-query.json")]
    done = run_verbs(arguments=arguments)
    assert done.returncode in {0, 1}, done.stderr
    ports, window = json.loads(done.stdout)["findings"]
    assert (ports["rule"], ports["severity"]) == ("nat-port-pressure", "high")
    assert "--min-ports-per-vm=64 --max-ports-per-vm=32768" in ports["fix"]["commands"][0]
    assert (window["rule"], window["severity"]) == ("metrics-window-short", "info")
    assert "less than a day" in window["message"]
