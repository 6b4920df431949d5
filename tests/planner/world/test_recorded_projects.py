"""Every rule on traffic, on recorded projects: made flows on their own addresses.

No recorded inventory has matching flow logs, and some faults need what no recording has (a type
with Tier_1, IPv6, a second zone): then a recorded machine is altered, and the case says how.
"""

import copy
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from netplan_planner.judging.judged import judge
from netplan_planner.model import Facts, Need
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.readers import read_inventory
from netplan_planner.throughput import load_caps
from netplan_planner.traffic import TrafficOptions, read_traffic
from netplan_pricing import open_snapshot
from netplan_rules.registry import all_rules, find_rule, thresholds
from support.flows.entries import write_entries
from support.nightly import every
from support.projects.recorded import recorded_resources
from support.projects.shared_data import needs_shared

Json = dict[str, Any]
Alter = Callable[[Json], None]
USA = {"continent": "America", "country": "usa"}
INTERNET = "203.0.113.9"


class Case(msgspec.Struct, frozen=True):
    """A rule on recordings: flows that make it fire, flows that do not."""

    rule: str
    recordings: str
    """Names with blanks between."""
    fires: Json
    silent: Json | tuple[Json, ...]
    alter: tuple[tuple[str, Alter], ...] = ()
    """(end of a self link, change of the resource)."""


def flow(src: str, dst: str, gbps: float, **more: Any) -> Json:
    return {"src": src, "dst": dst, "gbps": gbps} | more


def in_zone(zone: str) -> Alter:
    def change(resource: Json) -> None:
        old = resource["zone"].rpartition("/")[2]
        for key in ("zone", "machineType", "selfLink"):
            resource[key] = resource[key].replace(old, zone)

    return change


def of_type(machine_type: str, **more: Any) -> Alter:
    def change(resource: Json) -> None:
        head = resource["machineType"].rpartition("/")[0]
        resource["machineType"] = f"{head}/{machine_type}"
        resource.update(more)

    return change


def with_nic(**more: Any) -> Alter:
    def change(resource: Json) -> None:
        resource["networkInterfaces"][0].update(more)

    return change


def ipv6(address: str) -> Alter:
    access = {"name": "external-ipv6", "type": "DIRECT_IPV6", "externalIpv6": address}
    return with_nic(ipv6AccessConfigs=[access | {"externalIpv6PrefixLength": 96}])


def peered_with(project: str, mtu: int) -> Alter:
    network = f"https://www.googleapis.com/compute/v1/projects/{project}/global/networks/default"

    def change(resource: Json) -> None:
        resource["peerings"] = [{"name": "made", "network": network, "state": "ACTIVE"}]
        resource["mtu"] = mtu

    return change


ONE, TWO = "existing-instance", "gpu-instance-creator"
SHIELDED = "shielded-vm-integrity-failure"
TIER_1 = {"networkPerformanceConfig": {"totalEgressBandwidthTier": "TIER_1"}}
GCE5, GCE6 = "gcpdiag-gce5-aaaa", "gcpdiag-gce6-aaaa"
GCE = (ONE, TWO, "apache-instance-7b70", "apache-instance-bnb7")
PAIR, PAIR_6 = flow(ONE, TWO, 0.5), flow(ONE, TWO, 0.1)
OUTSIDE = flow(ONE, TWO, 0.5, over="external")
MTUS = (
    (f"{GCE5}/global/networks/default", peered_with(GCE6, 1460)),
    (f"{GCE6}/global/networks/default", peered_with(GCE5, 1500)),
)
IPV6 = ((ONE, ipv6("2600:1900:4000:1:0:2::")), (TWO, ipv6("2600:1900:4000:1:0:1::")))
# Members of one service by their names.
SERVICE = flow(
    "gcpdiag-nat1-aaaa/europe-west4-a/private-vm-0",
    "gcpdiag-nat1-aaaa/us-central1-a/private-vm-1",
    0.1,
)
TALKERS = ("good-m", "test-best-practices-enabled-m")
NEAR = ("good-m", "good-w-0")


def cases(node: str, other: str) -> tuple[Case, ...]:
    """Return all cases; `node` and `other` are n2 nodes of the recorded autoscaler cluster."""

    def sent(gbps: float, flows: int = 8) -> Json:
        return flow(node, other, gbps, flows=flows)

    def outside(gbps: float, flows: int) -> Json:
        return flow(node, INTERNET, gbps, flows=flows, area=USA)

    large, tier1 = of_type("n2-standard-32"), of_type("n2-standard-32", **TIER_1)
    to_own = [flow("mig-lpq6", f"34.120.115.{last}", 0.1) for last in (14, 15)]
    inside = [flow("vm-m5q1", "vm-pn3l", gbps, flows=4) for gbps in (1.95, 1.0)]
    leaving = [flow(ONE, INTERNET, 0.1, **area) for area in ({}, {"area": USA})]
    shared_core = [flow("mig-bzvx", "mig-l40g", gbps) for gbps in (0.5, 0.05)]
    needed = tuple(flow(name, INTERNET, 0.001, area=USA) for name in GCE)
    f, b = in_zone("us-central1-f"), in_zone("us-east1-b")
    virtio = with_nic(nicType="VIRTIO_NET")
    between = flow(SHIELDED, ONE, 0.1, over="external")
    return (
        Case("external-ip-intra-zone", "gce6", OUTSIDE, PAIR),
        Case("external-ip-intra-region", "gce6", OUTSIDE, PAIR, ((TWO, f),)),
        Case("external-ip-inter-region", "gce6", OUTSIDE, PAIR, ((TWO, b),)),
        Case(
            "external-ip-between-vpcs", "gce5 gce6", between, flow(TWO, ONE, 0.1, over="external")
        ),
        Case("own-lb-hairpin", "gke1", to_own[0], to_own[1]),
        Case(
            "external-ipv6-internal-talk", "gce6", PAIR_6 | {"over": "external-ipv6"}, PAIR_6, IPV6
        ),
        Case("egress-cap-saturated", "lb2", inside[0], inside[1]),
        Case("external-cap-saturated", "gke2", outside(6.8, 8), outside(3.0, 8)),
        Case("single-flow-limited", "gke2", flow(node, INTERNET, 2.9, area=USA), outside(2.9, 4)),
        Case("shared-core-in-data-path", "gce1", shared_core[0], shared_core[1]),
        Case("tier1-missing", "gke2", sent(31.0, 16), sent(10.0, 16), ((node, large),)),
        Case("tier1-unused", "gke2", sent(5.0), sent(30.0, 16), ((node, tier1),)),
        Case("chatty-inter-zone-pair", "dataproc1", flow(*TALKERS, 0.1), flow(*NEAR, 0.1)),
        Case(
            "chatty-inter-region-pair",
            "gce6 nat1",
            PAIR_6,
            SERVICE,
            ((TWO, in_zone("europe-west1-b")),),
        ),
        Case("gvnic-missing", "gke2", sent(5.0), sent(1.0), ((node, virtio),)),
        Case("vpc-mtu-mismatch", "gce5 gce6", flow(SHIELDED, ONE, 0.1), flow(TWO, ONE, 0.1), MTUS),
        Case("needless-external-address", "gce6", PAIR_6, needed),
        Case("traffic-price-unknown", "gce6", leaving[0], leaving[1]),
        Case("unmapped-peers", "gce6", flow(ONE, "10.77.0.9", 0.1), PAIR_6),
    )


def nodes() -> tuple[str, str]:
    names = sorted(
        resource["name"]
        for resources in recorded_resources("gke2").values()
        for resource in resources.get("instances", [])
        if resource["machineType"].endswith("n2-standard-2")
    )
    return names[0], names[1]


def facts_of(case: Case, flows: tuple[Json, ...], folder: Path) -> Facts:
    resources = [
        copy.deepcopy(resource)
        for name in case.recordings.split()
        for held in recorded_resources(name).values()
        for listed in held.values()
        for resource in listed
    ]
    for end, change in case.alter:
        (target,) = [r for r in resources if r["selfLink"].endswith("/" + end)]
        change(target)
    compute, logs = folder / "compute.json", folder / "flows.json"
    compute.write_text(json.dumps(resources), encoding="utf-8")
    inventory = read_inventory([compute])
    write_entries(logs, inventory, {"minutes": 60, "flows": list(flows)})
    prices, caps = open_snapshot(), load_caps(date(2026, 11, 20))
    return Facts(
        inventory=inventory,
        traffic=read_traffic([logs], inventory, TrafficOptions(threads=1)),
        prices=prices,
        caps=caps,
        machines=Chooser(prices, caps),
        today=date(2026, 11, 20),
        thresholds=thresholds({}),
    )


RULES = [case.rule for case in cases("a", "b")]


@needs_shared
@pytest.mark.parametrize("rule", every(3, RULES))
def test_rule_fires_and_keeps_silent(rule: str, tmp_path: Path) -> None:
    (case,) = [case for case in cases(*nodes()) if case.rule == rule]
    silent = case.silent if isinstance(case.silent, tuple) else (case.silent,)
    for flows, expected in (((case.fires,), True), (silent, False)):
        judged = judge(find_rule(rule), facts_of(case, flows, tmp_path))
        assert [n.kind for n in judged.not_evaluated if n.kind != "gap"] == []
        assert bool(judged.hits) == expected, f"{rule}: {flows}"


OF_FIXTURES_ALONE = frozenset(
    {
        # No recorded project logs by two configurations, or so much that it costs anything worth
        # telling.
        "flow-logs-duplicated",
        "flow-logs-too-dear",
        # Nor is one large, marked or busy enough: groups of machines, labels, drops, CPU use.
        "community-split-across-zones",
        "compact-placement-missing",
        "drops-at-saturation",
        "jumbo-candidate",
        "latency-critical-split",
        "receiver-limited",
        "single-zone-sink",
        # A gateway, route, tunnel or front together with traffic of its own is in none;
        # nat1 with made flows is in tests/rules/gateway.
        "egress-through-appliance",
        "google-api-path",
        "hub-spoke-idle",
        "lb-cross-zone",
        "nat-carries-internal",
        "nat-idle",
        "nat-inter-region",
        "nat-vs-address-breakeven",
        "premium-vs-standard-tier",
        "vpn-tunnel-saturated",
    }
)
"""Rules whose own fixtures hold them, and no recorded project does."""


def test_no_rule_on_traffic_is_left_out() -> None:
    on_traffic = {
        check.rule.id
        for check in all_rules()
        if check.rule.needs & {Need.TRAFFIC, Need.FLOW_RECORDS}
    }
    assert on_traffic - OF_FIXTURES_ALONE <= set(RULES)
