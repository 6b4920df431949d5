"""Internet traffic that Standard Tier would carry for less."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.machines.groups import changed_together, name_stem
from netplan_planner.paths.machines import is_gke_node
from netplan_planner.paths.priced_paths import PREMIUM, priced_path_of
from netplan_planner.units import counted
from netplan_rules.base import Rule, Threshold, usd_floor
from netplan_rules.shared.trust import Doubts, doubt_of_month
from netplan_rules.wording import listed, money, volume
from netplan_rules.work import ADDRESS

STANDARD = "STANDARD"

RULE = Rule(
    id="premium-vs-standard-tier",
    title="Standard Tier would carry internet traffic for less",
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS, model.Need.PRICES}),
    rationale="Premium Tier carries packets over Google's network to a point near the client, and"
    " costs more by the GiB than Standard Tier, which hands them to the internet in the region."
    " For transfers in bulk within one region the difference is money alone.",
    remediation="Give the machines that send in bulk an external address of Standard Tier.",
    guards="Machines labelled netplan-latency=critical or netplan-pin keep their tier, and so"
    " do GKE nodes, machines with external IPv6 (Standard Tier has none) and services of which"
    " machines stand in several regions. What a load balancer's back ends answer goes by its"
    " address and is not counted. A machine with traffic whose price is not known, because the"
    " records do not say where the peer is, is not judged. Prices count by volume steps, with what"
    " is on Standard Tier already.",
    references=(
        "https://cloud.google.com/network-tiers/docs/overview",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=ADDRESS,
    thresholds=(
        Threshold(
            name="min_gib_per_month",
            default=100.0,
            unit="GiB/month",
            about="what a machine sends to the internet from which on it is looked at",
        ),
        usd_floor(20.0, "what the machines of a region must save together"),
    ),
    group_message="{machines:,.0f} machines in {count} regions send {volume:,.0f} GiB a month to"
    " the internet by Premium Tier that Standard Tier would carry for less",
    summed=("machines", "volume"),
)

_Sent = tuple[model.Instance, Sequence[model.Edge]]


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each region whose machines would pay less by Standard Tier."""
    if facts.traffic is None:
        return
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    spread = _spread_services(facts)
    alike = {
        one.ref.self_link: group
        for group in changed_together(facts, facts.inventory.instances)
        for one in group
    }
    by_region: dict[model.Region, list[_Sent]] = defaultdict(list)
    for instance, edges in _senders(facts):
        group = alike[instance.ref.self_link]
        if not all(_may_change(one) for one in group):
            continue
        service = name_stem(instance.name)
        if (instance.project, service) in spread:
            why = f"machines of its name ({service}) stand in several regions: users may be near"
            yield model.Gap(resource=instance.ref, reason=why)
            continue
        saving = ledger_of(facts).value(_change([instance])).saving
        if saving.unknown:
            yield model.Gap(resource=instance.ref, reason=saving.unknown)
        else:
            by_region[instance.region].append((instance, edges))
    for region, sent in sorted(by_region.items()):
        # One template gives all machines of a group their tier.
        changed = {
            one.ref.self_link: one
            for instance, _ in sent
            for one in alike[instance.ref.self_link]
            if any(nic.external_ipv4 for nic in one.interfaces)
        }
        sent = [(one, _premium_edges(facts, one)) for one in changed.values()]
        change = _change(list(changed.values()))
        saving = ledger_of(facts).value(change).saving
        if saving.unknown:
            yield model.Gap(resource=sent[0][0].ref, reason=saving.unknown)
        elif saving.usd_per_month >= floor:
            yield _hit(facts, region, sent, change, saving)


def _change(machines: Sequence[model.Instance]) -> model.Change:
    links = tuple(machine.ref.self_link for machine in machines)
    members = links if len(links) > 1 else ()
    return model.Change(
        kind=model.ChangeKind.NETWORK_TIER, target=links[0], to=STANDARD, members=members
    )


def _senders(facts: model.Facts) -> Iterator[_Sent]:
    """Yield each machine that sends enough to the internet by Premium Tier, and what it sends."""
    floor = Decimal(str(facts.threshold(RULE.id, "min_gib_per_month")))
    for seen in facts.seen_traffic.vms:
        instance = facts.instance(facts.seen_traffic.owners[seen.owner])
        if instance is None or not any(nic.external_ipv4 for nic in instance.interfaces):
            continue
        edges = _premium_edges(facts, instance)
        if edges and facts.gib_per_month(sum(edge.wire_bytes for edge in edges)) >= floor:
            yield instance, edges


def _premium_edges(facts: model.Facts, instance: model.Instance) -> Sequence[model.Edge]:
    """Return what a machine sends to the internet by Premium Tier."""
    seen = facts.seen_traffic.vm_by_link.get(instance.ref.self_link)
    sent = facts.seen_traffic.edges_by_src.get(seen.owner, ()) if seen is not None else ()
    return [
        edge
        for edge in sent
        if _is_internet(facts, edge)
        and edge.dst_address is None
        and priced_path_of(facts, edge).network_tier == PREMIUM
    ]


def _is_internet(facts: model.Facts, edge: model.Edge) -> bool:
    return (
        edge.path_class is model.PathClass.INTERNET
        and facts.dst(edge).kind is model.OwnerKind.INTERNET
    )


def _may_change(instance: model.Instance) -> bool:
    return (
        instance.label(model.LATENCY_LABEL) != model.LATENCY_CRITICAL
        and instance.label(model.PIN_LABEL) is None
        and not is_gke_node(instance)
        and not any(nic.external_ipv6 for nic in instance.interfaces)
    )


def _spread_services(facts: model.Facts) -> frozenset[tuple[str, str]]:
    """Return the services, by project and name, of which machines stand in several regions."""
    regions: dict[tuple[str, str], set[model.Region]] = defaultdict(set)
    for instance in facts.inventory.instances:
        regions[instance.project, name_stem(instance.name)].add(instance.region)
    return frozenset(service for service, found in regions.items() if len(found) > 1)


def _hit(
    facts: model.Facts,
    region: model.Region,
    sent: Sequence[_Sent],
    change: model.Change,
    saving: model.Saving,
) -> model.Hit:
    gib = facts.gib_per_month(sum(edge.wire_bytes for _, edges in sent for edge in edges))
    doubts = Doubts()
    doubts.add("that the clients do not need Premium Tier's shorter way is an assumption")
    why = doubt_of_month(facts)
    if why:
        doubts.add(why)
    premium = model.total_usd([item for item in saving.items if item.quantity > 0])
    standard = -model.total_usd([item for item in saving.items if item.quantity < 0])
    names = listed([instance.name for instance, _ in sent])
    return model.Hit(
        resources=(
            model.ResourceRef(self_link=model.SelfLink(f"regions/{region}")),
            *(instance.ref for instance, _ in sent),
        ),
        subject=f"{region} ({counted(len(sent), 'machine')})",
        message=model.worded(
            f"{names} {'sends' if len(sent) == 1 else 'send'} {volume(gib)} from {region} to the"
            " internet by Premium Tier for ",
            money(premium),
            "; Standard Tier costs ",
            money(standard),
        ),
        evidence=(
            model.Evidence(name="machines", value=len(sent), source="inventory"),
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
        ),
        saving=saving,
        fix=_fix(region),
        doubts=doubts.reasons,
        change=change,
    )


def _fix(region: model.Region) -> model.Fix:
    return RULE.fix(
        label="Standard Tier",
        text=f"Reserve addresses of Standard Tier in {region} and change each machine over: take"
        " its access config off and give it another one with --network-tier=STANDARD; managed"
        " groups by their template. Begin with one machine.",
        verify="Clients reach it at the new address and their transfers are as fast as they need"
        " to be; the next bill has the SKU of Standard Tier.",
        undo="Give it an access config of Premium Tier again; an ephemeral address will be"
        " another one, so keep a reserved one until the new is proven.",
        documents=RULE.references[:1],
        caution="The address changes: DNS records, allow-lists of partners and firewalls have to"
        " follow, and open connections break. Standard Tier has no global load balancers, no"
        " IPv6 and a longer way over the internet to far clients.",
    )
