"""What a report says is paid a month: nothing large is hidden, and what is unknown has a row."""

from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.month import Committed, month_bill, tables_of
from netplan_planner.model.project.gke import NodePool
from netplan_planner.model.project.kubernetes import Kubernetes, Node
from netplan_planner.renderers.document import Table, plain
from netplan_planner.verbs.audit.sections import paid
from support.reports.made import gecko_report
from support.rules.facts import facts_of, holding, machine

SSDS_USD = 2 * 375 * Decimal("0.08")


def rows(bill: model.report_rows.MonthBill) -> dict[str, tuple[str, str]]:
    """Return the amount and the words of each kind."""
    (table,) = (one for one in paid(replace(gecko_report(), bill=bill)) if isinstance(one, Table))
    return {plain(kind): (plain(usd), plain(what)) for kind, usd, what in table.rows}


def bill_of(facts: model.Facts) -> model.report_rows.MonthBill:
    return month_bill(tables_of(facts), Committed(Decimal(0)))


def node(name: str, **more: object) -> Node:
    link = model.SelfLink(f"projects/p/zones/us-central1-a/instances/{name}")
    ref = model.ResourceRef(self_link=model.SelfLink(f"api/v1/nodes/{name}"))
    made = Node(ref=ref, name=name, cloud="gce", instance=link)
    return replace(made, **more)


def test_disks_gpus_and_tier_1_are_told_of_the_machines() -> None:
    ssds = replace(machine("ant", "n2-standard-8"), local_ssd_count=2)
    gpus = replace(machine("bee", "n1-standard-8"), gpu_type="nvidia-tesla-t4", gpu_count=1)
    facts = facts_of(ssds, gpus, machine("cow", "n2-standard-8"))
    parts = dict(bill_of(facts).machine_parts)
    assert parts["Local SSDs"] == SSDS_USD
    assert parts["GPUs"] == facts.prices.gpu(
        "us-central1", "nvidia-tesla-t4", model.Usage.ON_DEMAND
    ).usd * 730 * facts.prices.sustained_use_ratio("gpu-on-n1", 1.0)
    assert set(parts) == {"Local SSDs", "GPUs"}
    usd, what = rows(bill_of(facts))["VMs"]
    assert usd.startswith("$")
    assert "includes GPUs $" in what
    assert what.endswith(", Local SSDs $60.00")


def test_nodes_and_machines_in_no_inventory_are_counted_and_priced_nowhere() -> None:
    facts = facts_of(
        machine("ant"),
        machine("bee"),
        machine("cow"),
        talk=(),
    )
    assert facts.traffic is not None
    assert bill_of(facts).is_whole
    # Of three that the traffic names the inventory has one; one of the others is a node as well.
    known = facts.inventory.instances[:1]
    nodes = (node("ant"), node("bee"), node("dog"), node("eel", cloud="aws", instance=None))
    lost = holding(facts, instances=known, kubernetes=Kubernetes(nodes=nodes))
    bill = bill_of(lost)
    assert (bill.unlisted_nodes, bill.unlisted_machines) == (2, 1)
    assert not bill.is_whole
    assert bill.usd_per_month == bill_of(facts_of(machine("ant"))).usd_per_month
    told = rows(bill)
    assert told["2 nodes"] == (
        "no price",
        "seen in the cluster's objects, in no inventory (--inventory)",
    )
    assert told["1 VM"][1].startswith("seen in the traffic, in no inventory")
    (said, *_) = paid(replace(gecko_report(), bill=bill))
    assert " and unknown parts" in str(said)


def test_what_flexible_commitments_leave_unknown_stands_beside_their_sum() -> None:
    bill = replace(bill_of(facts_of(machine("ant"))), commitments_usd=Decimal(-5))
    told = rows(replace(bill, commitments_unknown="what other projects use of them"))
    assert told["commitments"] == (
        "less $5.00",
        "fees minus the usage they cover; unknown: what other projects use of them",
    )
    told = rows(replace(bill, commitments_usd=None, commitments_unknown="the fee"))
    assert told["commitments"] == ("no price", "unknown: the fee")


def test_a_node_pool_whose_machines_are_not_read_is_told_and_priced_nowhere() -> None:
    facts = facts_of(machine("ant"))
    link = model.SelfLink("projects/p/locations/us-central1-a/clusters/c/nodePools/np")
    pool = NodePool(
        ref=model.ResourceRef(self_link=link),
        project=model.ProjectId("p"),
        name="np",
        cluster=model.SelfLink(link.rpartition("/nodePools/")[0]),
        initial_node_count=3,
    )
    bill = bill_of(holding(facts, kubernetes=Kubernetes(node_pools=(pool,))))
    assert (bill.unlisted_nodes, bill.unlisted_groups, bill.is_whole) == (0, 1, False)
    assert bill.usd_per_month == bill_of(facts).usd_per_month
    assert rows(bill)["1 node pool or group"] == (
        "no price",
        "their VMs are in no inventory (--inventory)",
    )
