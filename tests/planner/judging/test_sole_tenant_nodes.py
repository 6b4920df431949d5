"""Sole-tenant nodes on the bill: the nodes are paid, and machines on them cost nothing more."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.judging.month import Committed, month_bill, tables_of
from netplan_planner.judging.services import network_services
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.guards import why_refused
from netplan_planner.planning.fleet.standing import why_in_no_sum
from netplan_planner.readers import merge_inventories, read_inventory
from netplan_planner.readers.compute.groups import GROUP_NAME, groups_asked_for
from support.projects.plans import change, plan
from support.resources import resource
from support.rules.facts import facts_of, machine

TEMPLATE = model.SelfLink("projects/p/regions/us-central1/nodeTemplates/n2")
NODE_USD_PER_H = (80 * Decimal("0.031611") + 640 * Decimal("0.004237")) * Decimal("1.1")
"""Of n2-node-80-640 in us-central1, at the rates of the catalogue of 2026-04-30."""
FULL_MONTH = Decimal("0.8")
"""Of N2, with its sustained-use discount."""


def group(name: str = "erp", size: int | None = 2, zone: str = "us-central1-a") -> model.NodeGroup:
    return resource(
        model.NodeGroup, f"projects/p/zones/{zone}/nodeGroups/{name}", template=TEMPLATE, size=size
    )


def template(**more: Any) -> model.NodeTemplate:
    found = resource(model.NodeTemplate, TEMPLATE, node_type="n2-node-80-640")
    return replace(found, **more)


def tenant(name: str = "erp-1", *groups: str, **more: Any) -> model.Instance:
    return replace(machine(name), is_sole_tenant=True, node_groups=groups, **more)


def facts_with(*machines: model.Instance, **parts: Any) -> model.Facts:
    facts = facts_of(*machines)
    inventory = replace(facts.inventory, **parts)
    return replace(facts, inventory=merge_inventories([inventory]))


def nodes(facts: model.Facts) -> model.ServiceTotal:
    (total,) = network_services(facts)
    assert total.service == "sole-tenant-nodes"
    return total


def test_nodes_are_paid_and_what_runs_on_them_is_not() -> None:
    plain = machine("web-1")
    facts = facts_with(tenant(), plain, node_groups=(group(),), node_templates=(template(),))
    total = nodes(facts)
    month = NODE_USD_PER_H * FULL_MONTH * 730 * 2
    assert (total.count, total.usd_per_month, total.unpriced) == (2, month, ())
    tables = tables_of(facts)
    on_node, other = tables.machines
    assert (on_node.name, on_node.machine_usd_per_month, on_node.price_unknown) == (
        "erp-1",
        Decimal(0),
        "",
    )
    bill = month_bill(tables, Committed(Decimal(0)))
    assert bill.machines_usd == month + (other.machine_usd_per_month or 0)
    assert (bill.services_usd, bill.unpriced_machine_count) == (Decimal(0), 0)
    # Without its nodes a machine has no price.
    facts = facts_with(tenant())
    (row,) = tables_of(facts).machines
    assert row.machine_usd_per_month is None
    assert "their number and type are not in the input" in row.price_unknown
    # Groups without nodes cost nothing.
    assert network_services(facts_with(node_groups=(group(size=0),))) == ()
    # What only avoids nodes has no known price.
    # Where it stands nobody tells: its price is not 0.
    facts = facts_with(replace(tenant(), node_groups=None), node_groups=(group(),))
    (row,) = tables_of(facts).machines
    assert row.machine_usd_per_month is None
    assert row.price_unknown


@pytest.mark.parametrize(
    ("asked", "groups", "is_known"),
    [
        ((), [group()], True),
        (("erp",), [group()], True),
        (("other",), [group()], False),
        (("other", "erp"), [group()], True),
        ((), [group(zone="us-central1-b")], False),
        ((), [group(size=0)], False),
        ((), [group(size=None)], True),
    ],
)
def test_a_machine_stands_on_a_group_of_its_zone_that_it_asks_for(
    asked: tuple[str, ...], groups: list[model.NodeGroup], is_known: bool
) -> None:
    facts = facts_with(tenant("erp-1", *asked), node_groups=tuple(groups))
    assert facts.inventory.instances[0].has_known_nodes is is_known
    # And again, when it is merged with what was read elsewhere.
    alone = merge_inventories([facts.inventory, model.Inventory()])
    assert alone.instances[0].has_known_nodes is is_known


@pytest.mark.parametrize(
    ("groups", "templates", "why"),
    [
        ((group(size=None),), (template(),), "its number of nodes is not stated"),
        ((group(),), (), "its node template is not in the inventory"),
        ((group(),), (template(node_type=None),), "Google selects one"),
        ((group(),), (template(node_type="a2-highgpu-node-96-680"),), "the price of the node type"),
        ((group(),), (template(others=("LOCAL_SSD",)),), "the Local SSDs of its nodes"),
        ((group(),), (template(has_overcommit=True),), "the premium of overcommitted vCPUs"),
    ],
)
def test_what_is_not_known_of_nodes_has_no_price(
    groups: tuple[model.NodeGroup, ...], templates: tuple[model.NodeTemplate, ...], why: str
) -> None:
    total = nodes(facts_with(node_groups=groups, node_templates=templates))
    (unknown,) = total.unpriced
    assert why in unknown.reason
    is_in_part = bool(templates and (templates[0].others or templates[0].has_overcommit))
    assert bool(total.line_items) is is_in_part
    assert unknown.highest_usd_per_month is None


@pytest.mark.parametrize(
    "more",
    [{"gpu_count": 1}, {"local_ssd_count": 1}, {"bandwidth_tier": model.BandwidthTier.TIER_1}],
)
def test_what_no_source_prices_on_nodes_is_unknown(more: dict[str, Any]) -> None:
    facts = facts_with(tenant(**more), node_groups=(group(),))
    one = facts.inventory.instances[0]
    with pytest.raises(MissingDatum, match="on sole-tenant nodes is unknown"):
        facts.machines.cost_today(one, model.Usage.SUSTAINED_USE)


def test_a_change_of_a_machine_on_a_node_saves_nothing() -> None:
    facts = facts_with(tenant(), node_groups=(group(),))
    ledger = Ledger(facts)
    change = model.Change(
        kind=model.ChangeKind.MACHINE_TYPE,
        target=facts.inventory.instances[0].ref.self_link,
        to="n2-standard-2",
    )
    assert ledger.value(change).usd == 0
    assert "sole-tenant nodes" in why_refused(ledger.state, change)
    assert "nodes" in why_in_no_sum(facts, facts.inventory.instances[0])


def test_terraform_plans_nodes_with_those_they_begin_with(tmp_path: Path) -> None:
    unknown = {"id": True, "size": True, "self_link": True}
    group = {"name": "erp", "zone": "us-central1-a", "node_template": TEMPLATE, "initial_size": 3}
    template = {"name": "n2", "region": "us-central1", "node_type": "n2-node-80-640"}
    made = plan(
        change("google_compute_node_group.x", {**group, "project": "p"}, unknown),
        change("google_compute_node_template.x", {**template, "project": "p"}, unknown),
    )
    (tmp_path / "plan.json").write_text(json.dumps(made), "utf-8")
    found = read_inventory([tmp_path])
    assert [(one.name, one.size, one.is_autoscaled) for one in found.node_groups] == [
        ("erp", 3, False)
    ]
    assert [one.node_type for one in found.node_templates] == ["n2-node-80-640"]
    assert found.node_groups[0].template == found.node_templates[0].ref.self_link
    assert not found.unread


@pytest.mark.parametrize(
    ("affinities", "asked"),
    [
        ([], ()),
        ([{"key": GROUP_NAME, "operator": "IN", "values": ["erp"]}], ("erp",)),
        ([{"key": "workload", "operator": "IN", "values": ["db"]}], ()),
        ([{"key": GROUP_NAME, "operator": "NOT_IN", "values": ["erp"]}], None),
        (
            [
                {"key": GROUP_NAME, "operator": "NOT_IN", "values": ["old"]},
                {"key": "workload", "operator": "IN", "values": ["db"]},
            ],
            (),
        ),
    ],
)
def test_a_machine_that_only_avoids_nodes_asks_for_none(
    affinities: list[dict[str, object]], asked: tuple[str, ...] | None
) -> None:
    assert groups_asked_for([msgspec.Raw(msgspec.json.encode(one)) for one in affinities]) == asked
