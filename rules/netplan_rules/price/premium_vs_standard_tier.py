"""Internet traffic that Standard Tier would carry for less."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.ledger.compared import is_paid_instead
from netplan_planner.ledger.tiers import STANDARD, may_be_standard, service_in_regions
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.paths.priced_paths import PREMIUM, priced_path_of
from netplan_planner.units import counted
from netplan_rules.base import Threshold, rule_of, usd_floor
from netplan_rules.shared.trust import Doubts, doubt_of_month
from netplan_rules.wording import (
    NAT_IPS,
    add_access_config,
    delete_access_config,
    gcloud_instance,
    gcloud_of,
    listed,
    money,
    volume,
)
from netplan_rules.work import ADDRESS

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS, model.Need.PRICES}),
    work=ADDRESS,
    thresholds=(
        Threshold(
            name="min_gib_per_month",
            default=100.0,
            unit="GiB/month",
            about="minimum internet egress of a VM",
        ),
        usd_floor(20.0, "minimum saving of all VMs of a region together"),
    ),
    summed=("machines", "volume"),
)

_Sent = tuple[model.Instance, Sequence[model.Edge]]


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each region whose machines would pay less by Standard Tier."""
    if facts.traffic is None:
        return
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    alike = {
        one.ref.self_link: group
        for group in changed_together(facts, facts.inventory.instances)
        for one in group
    }
    by_region: dict[model.Region, list[_Sent]] = defaultdict(list)
    for instance, edges in _senders(facts):
        group = alike[instance.ref.self_link]
        if not all(may_be_standard(one) for one in group):
            continue
        if service := service_in_regions(facts, instance):
            why = f"VMs of its name ({service}) are in several regions: users may be near"
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


def _hit(
    facts: model.Facts,
    region: model.Region,
    sent: Sequence[_Sent],
    change: model.Change,
    saving: model.Saving,
) -> model.Hit:
    gib = facts.gib_per_month(sum(edge.wire_bytes for _, edges in sent for edge in edges))
    doubts = Doubts()
    doubts.add("it is assumed that the clients do not need the shorter path of Premium Tier")
    why = doubt_of_month(facts)
    if why:
        doubts.add(why)
    premium = model.total_usd([item for item in saving.items if not is_paid_instead(item)])
    standard = premium - saving.usd_per_month
    names = listed([instance.name for instance, _ in sent])
    return model.Hit(
        resources=(
            model.ResourceRef(self_link=model.SelfLink(f"regions/{region}")),
            *(instance.ref for instance, _ in sent),
        ),
        subject=f"{region} ({counted(len(sent), 'VM')})",
        message=model.worded(
            f"{names} {'sends' if len(sent) == 1 else 'send'} {volume(gib)} from {region} to the"
            " internet through Premium Tier for ",
            money(premium),
            "; Standard Tier costs ",
            money(standard),
        ),
        evidence=(
            model.Evidence(name="machines", value=len(sent), source="inventory"),
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
        ),
        saving=saving,
        fix=_fix(facts, region, [instance for instance, _ in sent]),
        doubts=doubts.reasons,
        change=change,
    )


def _fix(facts: model.Facts, region: model.Region, machines: Sequence[model.Instance]) -> model.Fix:
    own = [one for one in machines if not is_managed(facts, one)]
    nics = [(one, nic) for one in own for nic in one.interfaces if _is_premium(nic)]
    rest = len(machines) - len(own)
    by_template = (
        f" {counted(rest, 'VM')} of managed instance groups: set networkTier to STANDARD in the"
        " access config of the group's instance template, and replace the VMs."
        if rest
        else ""
    )
    reserved = [
        address
        for _, nic in nics
        if (address := facts.inventory.address_by_ip.get(nic.external_ipv4 or "")) is not None
    ]
    names = listed([address.name for address in reserved])

    def changed(tier: str) -> tuple[str, ...]:
        return tuple(
            written
            for one, nic in nics
            for written in (
                delete_access_config(one, nic if tier == STANDARD else _anew(nic)),
                add_access_config(one, nic, tier),
            )
        )

    return RULE.fix(
        label="Standard Tier",
        text=f"Give {listed([one.name for one in machines])} Standard Tier external addresses in"
        f" {region} instead of Premium Tier ones. Start with one VM.{by_template}",
        commands=changed(STANDARD),
        verify=model.Instruction(
            text="Clients reach it at the new address with fast enough transfers. The next bill"
            " shows the Standard Tier SKU.",
            commands=tuple(gcloud_instance("describe", one, NAT_IPS) for one in own[:1]),
        ),
        clean_up=model.Instruction(
            text="Once nothing needs them, release the reserved Premium Tier addresses, which are"
            f" billed while unused: {names}.",
            commands=tuple(
                gcloud_of("addresses", one.project, f"--region={region}")("delete", one.name)
                for one in reserved
            ),
        )
        if reserved
        else None,
        undo=model.Instruction(
            text="Give it a Premium Tier access config again. An ephemeral address will be"
            " different: keep a reserved one until the new one is proven.",
            commands=changed(PREMIUM),
        ),
        documents=RULE.references[:1],
        caution="The address changes: update DNS records, partner allow-lists and firewalls. Open"
        " connections break. To keep a new address, reserve it afterwards (gcloud compute"
        " addresses create NAME --addresses=ADDRESS). Standard Tier has no global load"
        " balancers, no IPv6 and a longer internet path to distant clients.",
    )


def _anew(nic: model.NetworkInterface) -> model.NetworkInterface:
    """Return an interface with an access config as gcloud makes and names it."""
    return replace(nic, access_config_name=None)


def _is_premium(nic: model.NetworkInterface) -> bool:
    return nic.may_be_external and (nic.network_tier or PREMIUM) == PREMIUM
