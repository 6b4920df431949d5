"""Internet traffic that Standard Tier would carry for less."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    LATENCY_CRITICAL,
    LATENCY_LABEL,
    PIN_LABEL,
    Edge,
    Evidence,
    Facts,
    Fix,
    Gap,
    Hit,
    Instance,
    Instruction,
    LineItem,
    Need,
    OwnerKind,
    PathClass,
    PriceTier,
    Region,
    ResourceRef,
    Saving,
    SelfLink,
    Severity,
    bill,
    total_usd,
    worded,
)
from netplan_planner.paths.machines import is_gke_node
from netplan_planner.paths.priced_paths import (
    PREMIUM,
    PathPrice,
    PricedPath,
    path_prices_of,
    priced_path_of,
)
from netplan_planner.units import counted
from netplan_rules.base import Rule, Threshold
from netplan_rules.money import negated
from netplan_rules.placement._replicas import name_stem
from netplan_rules.shared.trust import Doubts, doubt_of_month
from netplan_rules.wording import listed, money, volume
from netplan_rules.work import ADDRESS

STANDARD = "STANDARD"

RULE = Rule(
    id="premium-vs-standard-tier",
    title="Standard Tier would carry internet traffic for less",
    severity=Severity.LOW,
    needs=frozenset({Need.INVENTORY, Need.FLOW_RECORDS, Need.PRICES}),
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
    since="0.1.0",
    thresholds=(
        Threshold(
            name="min_gib_per_month",
            default=100.0,
            unit="GiB/month",
            about="what a machine sends to the internet from which on it is looked at",
        ),
        Threshold(
            name="min_usd_per_month",
            default=20.0,
            unit="USD/month",
            about="what the machines of a region must save together",
        ),
    ),
    group_message="{machines:,.0f} machines in {count} regions send {volume:,.0f} GiB a month to"
    " the internet by Premium Tier that Standard Tier would carry for less",
    summed=("machines", "volume"),
)

_Sent = tuple[Instance, Sequence[Edge]]


class _Prices:
    """The price steps of what is sent, looked up once for all edges of one price."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._found: dict[PricedPath, PathPrice] = {}

    def tiers(self, edge: Edge) -> tuple[PriceTier, ...]:
        """Return the steps of an edge's price.

        Raises:
            MissingDatum: If it is not known.
        """
        priced = priced_path_of(self._facts, edge)
        if priced not in self._found:
            self._found[priced] = path_prices_of(self._facts, priced)[0]
        if not self._found[priced].tiers:
            raise MissingDatum(self._found[priced].reason)
        return self._found[priced].tiers


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each region whose machines would pay less by Standard Tier."""
    if facts.traffic is None:
        return
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    spread = _spread_services(facts)
    prices = _Prices(facts)
    by_region: dict[Region, list[_Sent]] = defaultdict(list)
    for instance, edges in _senders(facts):
        if not _may_change(instance) or (instance.project, name_stem(instance.name)) in spread:
            continue
        try:
            for edge in edges:
                prices.tiers(edge)
        except MissingDatum as error:
            yield Gap(resource=instance.ref, reason=str(error))
            continue
        by_region[instance.region].append((instance, edges))
    for region, sent in sorted(by_region.items()):
        try:
            items = _lines(facts, prices, region, sent)
        except MissingDatum as error:
            yield Gap(resource=sent[0][0].ref, reason=str(error))
            continue
        if total_usd(items) >= floor:
            yield _hit(facts, region, sent, items)


def _senders(facts: Facts) -> Iterator[_Sent]:
    """Yield each machine that sends enough to the internet by Premium Tier, and what it sends."""
    assert facts.traffic is not None
    floor = Decimal(str(facts.threshold(RULE.id, "min_gib_per_month")))
    for seen in facts.traffic.vms:
        instance = facts.instance(facts.traffic.owners[seen.owner])
        if instance is None or not any(nic.external_ipv4 for nic in instance.interfaces):
            continue
        edges = [
            edge
            for edge in facts.traffic.edges_by_src.get(seen.owner, ())
            if _is_internet(facts, edge)
            and edge.dst_address is None
            and priced_path_of(facts, edge).network_tier == PREMIUM
        ]
        if edges and facts.gib_per_month(sum(edge.wire_bytes for edge in edges)) >= floor:
            yield instance, edges


def _is_internet(facts: Facts, edge: Edge) -> bool:
    return edge.path_class is PathClass.INTERNET and facts.dst(edge).kind is OwnerKind.INTERNET


def _may_change(instance: Instance) -> bool:
    return (
        instance.label(LATENCY_LABEL) != LATENCY_CRITICAL
        and instance.label(PIN_LABEL) is None
        and not is_gke_node(instance)
        and not any(nic.external_ipv6 for nic in instance.interfaces)
    )


def _spread_services(facts: Facts) -> frozenset[tuple[str, str]]:
    """Return the services, by project and name, of which machines stand in several regions."""
    regions: dict[tuple[str, str], set[Region]] = defaultdict(set)
    for instance in facts.inventory.instances:
        regions[instance.project, name_stem(instance.name)].add(instance.region)
    return frozenset(service for service, found in regions.items() if len(found) > 1)


def _lines(
    facts: Facts, prices: "_Prices", region: Region, sent: Sequence[_Sent]
) -> tuple[LineItem, ...]:
    """Return what the traffic costs by Premium Tier less what it would by Standard Tier.

    Raises:
        MissingDatum: If Standard Tier has no price there.
    """
    moved: dict[tuple[PriceTier, ...], int] = defaultdict(int)
    chosen = frozenset(edge.src for _, edges in sent for edge in edges)
    for _, edges in sent:
        for edge in edges:
            moved[prices.tiers(edge)] += edge.wire_bytes
    stays, standard_bytes = _rest(facts, prices, region, chosen)
    items: list[LineItem] = []
    for tiers, byte_count in moved.items():
        after = facts.gib_per_month(stays.get(tiers, 0))
        items += bill("internet, Premium Tier", facts.gib_per_month(byte_count), tiers, after)
    standard = facts.prices.traffic(PathClass.INTERNET, src_region=region, network_tier=STANDARD)
    whole = facts.gib_per_month(sum(moved.values()))
    before = facts.gib_per_month(standard_bytes)
    lines = bill("internet, Standard Tier", whole, standard, before)
    return (*items, *(negated(line) for line in lines))


def _rest(
    facts: Facts, prices: "_Prices", region: Region, chosen: frozenset[int]
) -> tuple[dict[tuple[PriceTier, ...], int], int]:
    """Return the bytes of a region that fill the steps first: Premium by price, and Standard."""
    assert facts.traffic is not None
    stays: dict[tuple[PriceTier, ...], int] = defaultdict(int)
    standard = 0
    for edge in facts.traffic.edges:
        if not _is_internet(facts, edge) or facts.src(edge).region != region:
            continue
        if edge.src in chosen and edge.dst_address is None:
            continue
        priced = priced_path_of(facts, edge)
        if priced.network_tier == STANDARD:
            standard += edge.wire_bytes
        elif priced.network_tier == PREMIUM:
            try:
                stays[prices.tiers(edge)] += edge.wire_bytes
            except MissingDatum:
                continue
    return stays, standard


def _hit(facts: Facts, region: Region, sent: Sequence[_Sent], items: Sequence[LineItem]) -> Hit:
    gib = facts.gib_per_month(sum(edge.wire_bytes for _, edges in sent for edge in edges))
    doubts = Doubts()
    doubts.add("that the clients do not need Premium Tier's shorter way is an assumption")
    why = doubt_of_month(facts)
    if why:
        doubts.add(why)
    premium = total_usd([item for item in items if item.quantity > 0])
    standard = -total_usd([item for item in items if item.quantity < 0])
    names = listed([instance.name for instance, _ in sent])
    return Hit(
        resources=(
            ResourceRef(self_link=SelfLink(f"regions/{region}")),
            *(instance.ref for instance, _ in sent),
        ),
        subject=f"{region} ({counted(len(sent), 'machine')})",
        message=worded(
            f"{names} {'sends' if len(sent) == 1 else 'send'} {volume(gib)} from {region} to the"
            " internet by Premium Tier for ",
            money(premium),
            "; Standard Tier costs ",
            money(standard),
        ),
        evidence=(
            Evidence(name="machines", value=len(sent), source="inventory"),
            Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
        ),
        saving=Saving(items=tuple(items)),
        fix=_fix(region),
        confidence=doubts.confidence,
        confidence_reason=doubts.text,
    )


def _fix(region: Region) -> Fix:
    return Fix(
        label="Standard Tier",
        text=f"Reserve addresses of Standard Tier in {region} and change each machine over: take"
        " its access config off and give it another one with --network-tier=STANDARD; managed"
        " groups by their template. Begin with one machine.",
        verify=Instruction(
            text="Clients reach it at the new address and their transfers are as fast as they need"
            " to be; the next bill has the SKU of Standard Tier."
        ),
        undo=Instruction(
            text="Give it an access config of Premium Tier again; an ephemeral address will be"
            " another one, so keep a reserved one until the new is proven."
        ),
        documents=RULE.references[:1],
        caution="The address changes: DNS records, allow-lists of partners and firewalls have to"
        " follow, and open connections break. Standard Tier has no global load balancers, no"
        " IPv6 and a longer way over the internet to far clients.",
    )
