"""Machines for which an external address of their own is cheaper than Cloud NAT."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger import ledger_of
from netplan_planner.ledger.tiers import next_tier
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.paths.machines import is_gke_node
from netplan_planner.units import HOURS_PER_MONTH, counted
from netplan_rules.base import rule_of, usd_floor
from netplan_rules.gateway._served import (
    Gateway,
    gateways,
    hours_saved,
    nat_edges,
    processed,
    served_interfaces,
)
from netplan_rules.shared.trust import Doubts, doubt_of_month
from netplan_rules.wording import NAT_IPS, add_access_config, gcloud_instance, listed, money, volume

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.NAT_GATEWAYS, model.Need.FLOW_RECORDS, model.Need.PRICES}),
    work=model.Work(
        effort="One command per VM that gets an address, after checking which firewall rules then"
        " let the internet reach it.",
        restart="Nothing, but open connections through the gateway break.",
        undo="Remove the addresses. Cloud NAT takes over.",
        window="A quiet time: open connections break.",
    ),
    thresholds=(usd_floor(20.0, "minimum saving of the addresses per gateway"),),
    summed=("machines",),
    aliases=("nat-break-even",),
)


class _Machine(model.Value, frozen=True, kw_only=True):
    """A machine behind a gateway, with what it sends and receives through it."""

    instance: model.Instance
    byte_count: int


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each gateway of which some machines are dearer than with addresses."""
    if facts.traffic is None:
        return
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    for gateway in gateways(facts):
        seen = [
            _Machine(
                instance=instance,
                byte_count=sum(edge.wire_bytes for edge in nat_edges(facts, instance)),
            )
            for instance in gateway.users
            if not is_gke_node(instance) and instance.label(model.PIN_LABEL) is None
        ]
        seen.sort(key=lambda one: (-one.byte_count, one.instance.ref.self_link))
        try:
            chosen = _cheapest(facts, gateway, seen)
        except MissingDatum as error:
            if any(one.byte_count for one in seen):
                yield model.Gap(resource=gateway.router.ref, reason=str(error))
            continue
        if not chosen:
            continue
        links = tuple(one.instance.ref.self_link for one in chosen)
        change = model.Change(
            kind=model.ChangeKind.EXTERNAL_ADDRESS, target=links[0], members=links
        )
        saving = ledger_of(facts).value(change).saving
        if saving.unknown:
            yield model.Gap(resource=gateway.router.ref, reason=saving.unknown)
        elif saving.usd_per_month >= floor:
            yield _hit(facts, gateway, chosen, change, saving)


def _cheapest(facts: model.Facts, gateway: Gateway, seen: Sequence[_Machine]) -> Sequence[_Machine]:
    """Return the machines that are better off with addresses.

    The hours of a gateway do not fall evenly with its machines, so every number of them is tried,
    those with the most traffic first; of a managed group all or none, for one template is theirs.

    Raises:
        MissingDatum: If a price is not known.
    """
    region, count = gateway.nat.region, len(gateway.users)
    by_link = {one.instance.ref.self_link: one for one in seen}
    groups = [
        [by_link[one.ref.self_link] for one in group]
        for group in changed_together(facts, [one.instance for one in seen])
    ]
    groups.sort(key=lambda group: -sum(one.byte_count for one in group) / len(group))
    best: list[_Machine] = []
    best_usd = moved = Decimal(0)
    chosen: list[_Machine] = []
    for group in groups:
        if not any(one.byte_count for one in group):
            break
        chosen = [*chosen, *group]
        moved += processed(facts, region, sum(one.byte_count for one in group)).usd_per_month
        moved -= sum(_address(facts, one.instance).usd_per_month for one in group)
        usd = moved + model.total_usd(hours_saved(facts, region, count, count - len(chosen)))
        if usd > best_usd:
            best, best_usd = chosen, usd
    return best


def _address(facts: model.Facts, instance: model.Instance) -> model.LineItem:
    use = model.AddressUse.SPOT_VM if instance.is_spot else model.AddressUse.STANDARD_VM
    price = facts.prices.external_address(use, instance.region)
    return model.line_item("external IPv4 address in use", Decimal(HOURS_PER_MONTH), price)


def _hit(
    facts: model.Facts,
    gateway: Gateway,
    chosen: Sequence[_Machine],
    change: model.Change,
    saving: model.Saving,
) -> model.Hit:
    gib = facts.gib_per_month(sum(one.byte_count for one in chosen))
    doubts = Doubts()
    doubts.add("these VMs may be kept from the internet on purpose")
    why = doubt_of_month(facts)
    if why:
        doubts.add(why)
    data = processed(facts, gateway.nat.region, sum(one.byte_count for one in chosen))
    per_address = _address(facts, chosen[0].instance).usd_per_month
    even = per_address / data.unit_price_usd
    is_one = len(chosen) == 1
    machines = counted(len(chosen), "VM")
    return model.Hit(
        resources=(gateway.router.ref, *(one.instance.ref for one in chosen)),
        subject=gateway.subject,
        message=model.worded(
            f"{machines} of {len(gateway.users)} behind {gateway.nat.name}"
            f" {'exchanges' if is_one else 'exchange'} {volume(gib)} with the internet, which Cloud"
            " NAT processes for ",
            money(data.usd_per_month),
            "; its own external address costs "
            if is_one
            else "; their own external addresses cost ",
            money(per_address),
            "/month" if is_one else "/month each",
        ),
        evidence=(
            model.Evidence(name="machines", value=len(chosen), source="inventory"),
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="break_even",
                value=round(float(even), 1),
                unit="GiB/month",
                source="price of an address divided by the price of a GiB, without hourly fees",
            ),
        ),
        saving=saving,
        fix=_fix(facts, gateway, [one.instance for one in chosen]),
        doubts=doubts.reasons,
        change=change,
    )


def _fix(facts: model.Facts, gateway: Gateway, chosen: Sequence[model.Instance]) -> model.Fix:
    by_hand = [instance for instance in chosen if not is_managed(facts, instance)]
    nics = {
        instance.ref.self_link: nic
        for instance in by_hand
        for nat, nic in served_interfaces(facts, instance)
        if (nat.router, nat.name) == (gateway.nat.router, gateway.nat.name)
    }
    rest = len(chosen) - len(by_hand)
    managed = (
        f" {counted(rest, 'VM')} of managed instance groups: add an access config to the template."
        if rest
        else ""
    )

    pairs = [(one, nics[one.ref.self_link]) for one in by_hand]
    return RULE.fix(
        label="own external addresses",
        text=f"Give {listed([one.name for one in chosen])}"
        f" {'an external address' if len(chosen) == 1 else 'external addresses'}. The other"
        f" VMs stay behind {gateway.nat.name}.{managed}",
        commands=tuple(
            add_access_config(one, nic, next_tier(facts, one, None)) for one, nic in pairs
        ),
        verify=model.Instruction(
            text="The VMs reach the internet from their own addresses, and the next audit shows"
            " their traffic as internet traffic.",
            commands=tuple(gcloud_instance("describe", one, NAT_IPS) for one in by_hand[:1]),
        ),
        undo=model.Instruction(
            text="Remove the addresses. Cloud NAT takes over.",
            commands=tuple(
                gcloud_instance("delete-access-config", one, f"--network-interface={nic.name}")
                for one, nic in pairs
            ),
        ),
        caution="The internet can reach an external address: check first that no firewall rule"
        " allows it. Partners see new source addresses, and open connections break.",
    )
