"""Machines for which an external address of their own is cheaper than Cloud NAT."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger import ledger_of
from netplan_planner.machines.groups import changed_together, is_managed
from netplan_planner.paths.machines import is_gke_node
from netplan_planner.units import HOURS_PER_MONTH, counted
from netplan_rules.base import Rule, usd_floor
from netplan_rules.gateway._served import (
    Gateway,
    gateways,
    hours_saved,
    nat_edges,
    processed,
    served_interfaces,
)
from netplan_rules.shared.trust import Doubts, doubt_of_month
from netplan_rules.wording import gcloud_instance, listed, money, volume

RULE = Rule(
    id="nat-vs-address-breakeven",
    title="Addresses of their own are cheaper than Cloud NAT",
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.NAT_GATEWAYS, model.Need.FLOW_RECORDS, model.Need.PRICES}),
    rationale="Cloud NAT charges by the hour of a machine and by the GiB, sent and received; an"
    " external address by the hour alone. From some GiB a month on (about 60 at list prices) the"
    " address is cheaper, and the way to the internet costs the same over both.",
    remediation="Give the machines with the most traffic an external address of their own, behind"
    " the same firewall rules; the others keep Cloud NAT, which is cheaper for them.",
    guards="GKE nodes stay behind Cloud NAT, and so do machines labelled netplan-pin. What goes to"
    " own addresses is not counted (nat-carries-internal), nor what goes to Google APIs, for which"
    " Cloud NAT charges nothing. Machines for which Cloud NAT is cheaper are not named.",
    references=(
        "https://cloud.google.com/nat/pricing",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=model.Work(
        effort="One command for each machine that gets an address, after a look at the firewall"
        " rules that then let the internet reach it.",
        restart="Nothing; connections that are open over the gateway break.",
        undo="Take the addresses off again: Cloud NAT takes over.",
        window="A quiet one: open connections have to be made again.",
    ),
    thresholds=(usd_floor(20.0, "what addresses must save at a gateway"),),
    group_message="at {count} Cloud NAT gateways {machines:,.0f} machines pay more by the GiB than"
    " an external address costs",
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
    doubts.add("whether these machines are kept from the internet on purpose is not known")
    why = doubt_of_month(facts)
    if why:
        doubts.add(why)
    data = processed(facts, gateway.nat.region, sum(one.byte_count for one in chosen))
    per_address = _address(facts, chosen[0].instance).usd_per_month
    even = per_address / data.unit_price_usd
    is_one = len(chosen) == 1
    machines = counted(len(chosen), "machine")
    return model.Hit(
        resources=(gateway.router.ref, *(one.instance.ref for one in chosen)),
        subject=gateway.subject,
        message=model.worded(
            f"{machines} of {len(gateway.users)} behind {gateway.nat.name}"
            f" {'exchanges' if is_one else 'exchange'} {volume(gib)} with the internet, which Cloud"
            " NAT processes for ",
            money(data.usd_per_month),
            "; an address of its own costs " if is_one else "; addresses of their own cost ",
            money(per_address),
            " a month" if is_one else " a month each",
        ),
        evidence=(
            model.Evidence(name="machines", value=len(chosen), source="inventory"),
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="break_even",
                value=round(float(even), 1),
                unit="GiB/month",
                source="price of an address by price of a GiB, hours aside",
            ),
        ),
        saving=saving,
        fix=_fix(facts, gateway, [one.instance for one in chosen]),
        doubts=doubts.reasons,
        change=change,
    )


def _fix(facts: model.Facts, gateway: Gateway, chosen: Sequence[model.Instance]) -> model.Fix:
    by_hand = [instance for instance in chosen if not is_managed(facts, instance)]
    names = {
        instance.ref.self_link: nic.name
        for instance in by_hand
        for nat, nic in served_interfaces(facts, instance)
        if (nat.router, nat.name) == (gateway.nat.router, gateway.nat.name)
    }
    rest = len(chosen) - len(by_hand)
    managed = (
        f" {counted(rest, 'machine')} of managed groups: add an access config to the template."
        if rest
        else ""
    )

    def commands(verb: str) -> tuple[str, ...]:
        return tuple(
            gcloud_instance(verb, one, f"--network-interface={names[one.ref.self_link]}")
            for one in by_hand
        )

    return RULE.fix(
        label="addresses of their own",
        text=f"Give {listed([one.name for one in chosen])}"
        f" {'an external address' if len(chosen) == 1 else 'external addresses'}; the rest stays"
        f" behind {gateway.nat.name}.{managed}",
        commands=commands("add-access-config"),
        verify=model.Instruction(
            text="The machines reach the internet by their own addresses, and the next audit shows"
            " their bytes as internet traffic.",
            commands=tuple(
                gcloud_instance(
                    "describe", one, "--format=value(networkInterfaces[].accessConfigs[].natIP)"
                )
                for one in by_hand[:1]
            ),
        ),
        undo=model.Instruction(
            text="Take the addresses off again: Cloud NAT takes over.",
            commands=commands("delete-access-config"),
        ),
        caution="An external address is a way in: first see that no firewall rule lets the internet"
        " reach them. Partners that know the gateway's addresses see others, and open connections"
        " break.",
    )
