"""The network services of an inventory, and what a month of each costs beside its traffic."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model, units
from netplan_planner.errors import MissingDatum
from netplan_planner.machines.groups import CLUSTER_LABEL
from netplan_planner.model.evidence.log_volume import NOT_MADE, log_gib, record_bytes
from netplan_planner.paths.gateways import (
    GKE_ENDPOINT,
    attachment_lines,
    balancer_kind,
    endpoint_kind,
)
from netplan_planner.paths.machines import is_gke_node
from netplan_planner.planning import service_bill
from netplan_planner.planning.service_bill import ServiceBill
from netplan_planner.units import counted

SOLE_TENANT_NODES = "sole-tenant-nodes"
_OF_NODES = {"ACCELERATOR": "the GPUs", "LOCAL_SSD": "the Local SSDs"}
_LISTS_NODES = "`gcloud compute sole-tenancy node-groups list-nodes`"
_LISTS_TEMPLATES = "`gcloud compute sole-tenancy node-templates list --format=json`"
_EXTENDED = "EXTENDED"
_FREE_TIER_USD_PER_MONTH = Decimal("74.40")
"""Of a billing account, for zonal and Autopilot clusters: what other projects use of it is not
known (cloud.google.com/kubernetes-engine/pricing)."""


def network_services(facts: model.Facts) -> tuple[model.ServiceTotal, ...]:
    """Return what the services of the inventory cost a month, the dearest first."""
    found = [
        *_nat(facts),
        *_vpn(facts),
        *_attachments(facts),
        *_spokes(facts),
        *_rules(facts),
        *_endpoints(facts),
        *_flow_logs(facts),
        *_gke_clusters(facts),
        *_ambient(facts),
        *_nodes(facts),
    ]
    return tuple(sorted(found, key=lambda one: (-(one.usd_per_month or Decimal(0)), one.service)))


def _total(
    service: str, count: int, bill: ServiceBill, note: model.Text = ""
) -> model.ServiceTotal:
    return model.ServiceTotal(
        service=service,
        count=count,
        usd_per_month=bill.usd_per_month,
        line_items=bill.lines,
        unpriced=bill.unpriced,
        note=note,
    )


def _data_note(facts: model.Facts, verb: str, rows: str) -> str:
    """Return where the dollars of the data are, which a service costs beside its hours."""
    if facts.traffic is None:
        return f"without the data that they {verb} (no traffic given)"
    return f"the data that they {verb} is in the {rows} of the traffic"


def _nat(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    gateways = [
        nat for router in facts.inventory.routers for nat in router.nats if not nat.is_private
    ]
    if not gateways:
        return
    bill = ServiceBill()
    for nat in gateways:
        users = sum(_uses(instance, nat, facts) for instance in facts.inventory.instances)
        name = f"{nat.name} in {nat.region}"
        bill |= service_bill.nat_gateway(facts.prices, name, nat.region, users)
        bill |= _addresses(facts, nat, users)
    yield _total("cloud-nat", len(gateways), bill, _data_note(facts, "process", "rows"))


def _uses(instance: model.Instance, nat: model.NatGateway, facts: model.Facts) -> bool:
    """Return whether a running machine reaches the internet through a gateway."""
    return instance.is_to_run and any(
        facts.inventory.nat_of(instance, nic) == nat for nic in instance.interfaces
    )


def _addresses(facts: model.Facts, nat: model.NatGateway, users: int) -> ServiceBill:
    if nat.addresses:
        return service_bill.nat_addresses(
            facts.prices, f"{nat.name} in {nat.region}", nat.region, len(nat.addresses)
        )
    if not users:
        return ServiceBill()
    least = service_bill.nat_addresses(facts.prices, f"{nat.name} in {nat.region}", nat.region, 1)
    return ServiceBill(
        unpriced=(
            model.Unpriced(
                name=f"{nat.name} in {nat.region}: external addresses",
                quantity=Decimal(1),
                unit="gateway",
                reason="Google assigns its addresses, and the input does not state how many",
                lowest_usd_per_month=least.usd_per_month,
                what_tells=f"`gcloud compute routers get-status {nat.router.rpartition('/')[2]}"
                f" --region={nat.region} --project={model.project_of(nat.router)}`",
            ),
        )
    )


def _vpn(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    tunnels = Counter(tunnel.region or "" for tunnel in facts.inventory.vpn_tunnels)
    bill = ServiceBill()
    for region, count in sorted(tunnels.items()):
        place = region or "a region that is not in the input"
        bill |= service_bill.vpn_tunnels(facts.prices, f"VPN in {place}", region, count)
    if tunnels:
        note = _data_note(facts, "carry", "hybrid row")
        yield _total("cloud-vpn", tunnels.total(), bill, note)


DEFUNCT = "DEFUNCT"
"""A VLAN attachment that its provider disconnected: Google bills it no more (cloud.google.com/
network-connectivity/docs/interconnect/how-to/partner/delete-vlan-attachments, read 2026-11-27)."""
_NOT_READY = frozenset({"UNPROVISIONED", "PENDING_PARTNER", "PARTNER_REQUEST_RECEIVED"})
"""Before its provider has set it up (Compute API v1, `InterconnectAttachment.state`)."""


def _attachments(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield the hours of VLAN attachments; what their connections cost is in no inventory."""
    found = [one for one in facts.inventory.vlan_attachments if one.state != DEFUNCT]
    bill = ServiceBill()
    for one in found:
        reason, highest_usd = "", None
        try:
            lines = attachment_lines(facts.prices, one, one.bandwidth)
        except MissingDatum as error:
            reason = str(error)
        else:
            if one.state not in _NOT_READY:
                bill |= ServiceBill(lines)
                continue
            reason = f"it is unknown whether an attachment in state {one.state} is billed"
            highest_usd = model.total_usd(lines)
        missing = model.Unpriced(
            name=f"VLAN attachment {one.name}",
            quantity=Decimal(1),
            unit="attachment",
            reason=reason,
            lowest_usd_per_month=None if highest_usd is None else Decimal(0),
            highest_usd_per_month=highest_usd,
        )
        bill |= ServiceBill(unpriced=(missing,))
    if found:
        note = "without the ports of Dedicated Interconnect and the data sent through them"
        yield _total("vlan-attachments", len(found), bill, note)


_PERHAPS_ACTIVE = frozenset({None, "STATE_UNSPECIFIED", "UPDATING", "ACCEPTING", "REACTIVATING"})
"""States, where one is stated, that do not say whether a spoke's hours are paid for."""


def _spokes(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield the hours of spokes; of those whose state is not known, bounds."""
    spokes = facts.inventory.spokes
    paid = [one for one in spokes if one.is_active or one.state in _PERHAPS_ACTIVE]
    active = Counter(one.kind for one in paid if one.is_active)
    bill = ServiceBill()
    for kind, count in sorted(Counter(one.kind for one in paid).items()):
        sure = ServiceBill()
        if active[kind]:
            sure = service_bill.hub_spokes(facts.prices, kind, active[kind])
            bill |= sure
        if count > active[kind]:
            whole = service_bill.hub_spokes(facts.prices, kind, count)
            bill |= _perhaps_active(kind, count - active[kind], whole, sure)
    if paid:
        note = _data_note(facts, "send through their hub", "rows")
        yield _total("hub-spokes", len(paid), bill, note)


def _perhaps_active(
    kind: model.SpokeKind, count: int, whole: ServiceBill, sure: ServiceBill
) -> ServiceBill:
    """Return what spokes cost that may be active: hours that are free are so once."""
    known = whole.usd_per_month
    most = known - (sure.usd_per_month or Decimal(0)) if known is not None else None
    bounds = model.Unpriced(
        name=f"{kind.value} Network Connectivity Center spokes: {count}",
        quantity=Decimal(count),
        unit="spoke",
        reason="it is unknown whether they are active, and so billed",
        lowest_usd_per_month=Decimal(0),
        highest_usd_per_month=most,
        what_tells="`gcloud network-connectivity spokes list`",
    )
    return ServiceBill(unpriced=(bounds,))


def _rules(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield the forwarding rules of load balancers; those of VPN and of endpoints are others."""
    fronts: Counter[tuple[str, str, str]] = Counter()
    for rule in facts.inventory.forwarding_rules:
        if _is_balanced(rule):
            sold_as = service_bill.rules_sold_as(facts.prices, rule.region, balancer_kind(rule))
            fronts[rule.project, rule.region or "", sold_as] += 1
    bill = ServiceBill()
    for (_, region, kind), count in sorted(fronts.items()):
        bill |= service_bill.forwarding_rules(facts.prices, region or None, kind, count)
    if fronts:
        note = _data_note(facts, "process", "load-balancer row")
        yield _total("forwarding-rules", fronts.total(), bill, note)


def _endpoints(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield the endpoints of Private Service Connect, which are forwarding rules too."""
    kinds = list(filter(None, map(endpoint_kind, facts.inventory.forwarding_rules)))
    of_gke = kinds.count(GKE_ENDPOINT)
    if kinds:
        bill = service_bill.psc_endpoints(facts.prices, len(kinds) - of_gke, of_gke)
        note = _data_note(facts, "process", "load-balancer row")
        yield _total("psc-endpoints", len(kinds), bill, note)


def _is_balanced(rule: model.ForwardingRule) -> bool:
    return (
        rule.scheme is not None
        and rule.scheme != "INTERNAL_SELF_MANAGED"
        and "VpnGateways/" not in (rule.target or "")
        and not endpoint_kind(rule)
    )


def _flow_logs(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield what the records of the input cost, if subnetworks are known to make them."""
    inventory = facts.inventory
    logging = [one for one in inventory.subnetworks if inventory.logging_of(one)]
    traffic = facts.traffic
    if not logging or traffic is None or traffic.is_steady or not traffic.month_seconds:
        return
    if traffic.is_of_metrics:
        return  # No record of them was read.
    coverage = traffic.coverage
    left_out = sum(count for reason, count in coverage.excluded if reason in NOT_MADE)
    month_s = units.HOURS_PER_MONTH * units.SECONDS_PER_HOUR
    records = round((coverage.record_count - left_out) * month_s / traffic.month_seconds)
    gib = log_gib(records, has_metadata=coverage.has_metadata)
    bill = service_bill.flow_logs(facts.prices, gib)
    size = record_bytes(has_metadata=coverage.has_metadata)
    note = f"{records:,} records/month as read, {size:,} bytes each"
    yield _total("flow-logs", len(logging), bill, note)


def _gke_clusters(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield the management fee of the GKE clusters that were read; no list has others."""
    kubernetes = facts.inventory.kubernetes
    clusters = (kubernetes.clusters if kubernetes is not None else None) or ()
    if not clusters:
        yield from _clusters_of_nodes(facts)
        return
    extended = sum(one.release_channel == _EXTENDED for one in clusters)
    bill = service_bill.gke_clusters(facts.prices, len(clusters), extended)
    pods = "; without Autopilot pods" if any(one.is_autopilot for one in clusters) else ""
    credit = model.Amount(usd=_FREE_TIER_USD_PER_MONTH)
    note = model.worded("a billing account credit of ", credit, f" is not deducted{pods}")
    yield _total("gke-clusters", len(clusters), bill, note)


def _clusters_of_nodes(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield that clusters cost a fee that were not read, where machines are their nodes."""
    nodes = [one for one in facts.inventory.instances if is_gke_node(one)]
    names = {(one.project, one.region, one.label(CLUSTER_LABEL) or "") for one in nodes}
    if names:
        missing = model.Unpriced(
            name="management of GKE clusters",
            quantity=Decimal(len(names)),
            unit="cluster",
            reason="VMs are nodes of clusters that are not in the inventory",
            what_tells="gcloud container clusters list --format=json",
        )
        yield _total("gke-clusters", len(names), ServiceBill(unpriced=(missing,)))


def _ambient(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield what the pods of namespaces cost that are in GKE's ambient networking."""
    kubernetes = facts.inventory.kubernetes
    if kubernetes is None or not kubernetes.ambient_namespaces:
        return
    enrolled = kubernetes.ambient_namespaces
    if kubernetes.pods is None:
        missing = model.Unpriced(
            name="GKE ambient networking",
            quantity=Decimal(len(enrolled)),
            unit="namespace",
            reason="it is billed per pod, and no pods are in the inventory",
            what_tells="kubectl get pods --all-namespaces --output=json",
        )
        yield _total("gke-ambient-networking", 0, ServiceBill(unpriced=(missing,)))
        return
    count = sum(pod.is_running and pod.namespace in enrolled for pod in kubernetes.pods)
    note = f"as many pods as run now, all month, in {counted(len(enrolled), 'namespace')}"
    if count:
        bill = service_bill.ambient_pods(facts.prices, count)
        yield _total("gke-ambient-networking", count, bill, note)


def _nodes(facts: model.Facts) -> Iterator[model.ServiceTotal]:
    """Yield the sole-tenant nodes, of which machines pay for nothing that runs on them."""
    groups = [group for group in facts.inventory.node_groups if group.size != 0]
    templates = {one.ref.self_link: one for one in facts.inventory.node_templates}
    bill = ServiceBill()
    for group in groups:
        found = templates.get(group.template) if group.template is not None else None
        bill |= _of_group(facts, group, found)
    if groups:
        scaled = any(group.is_autoscaled for group in groups)
        note = "including their VMs" + ", at the current number of nodes" * scaled
        count = sum(group.size or 0 for group in groups)
        yield _total(SOLE_TENANT_NODES, count, bill, note)


def _of_group(
    facts: model.Facts, group: model.NodeGroup, template: model.NodeTemplate | None
) -> ServiceBill:
    """Return the nodes of a group; what is not known of them has no price."""
    region, size = model.region_of(group.zone), group.size
    node_type = template.node_type if template is not None else None
    sure = ServiceBill()
    if size is None:
        why, tells = "its number of nodes is not stated", _LISTS_NODES
    elif template is None:
        why, tells = "its node template is not in the inventory", _LISTS_TEMPLATES
    elif node_type is None:
        why, tells = "its template names no node type: Google selects one", _LISTS_NODES
    else:
        name = f"sole-tenant nodes of {group.name}"
        sure = service_bill.sole_tenant_nodes(facts.prices, name, region, node_type, size)
        extra = [_OF_NODES[one] for one in template.others]
        extra += ["the premium of overcommitted vCPUs"] if template.has_overcommit else []
        if not extra or not sure.lines:
            return sure
        why, tells = f"no known price of {' and '.join(extra)} of its nodes", "the bill"
    missing = model.Unpriced(
        name=f"sole-tenant nodes of {group.name}",
        quantity=Decimal(size or 1),
        unit="node" if size else "group of nodes",
        reason=why,
        lowest_usd_per_month=Decimal(0),
        what_tells=tells,
    )
    return sure | ServiceBill(unpriced=(missing,))
