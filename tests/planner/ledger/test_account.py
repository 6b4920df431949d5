"""What a change takes off the bill, against the bill of a project that is written anew.

The account prices a change by its neighbours; the tables of an audit price whole facts. Here the
facts after each change are written by hand, and their tables added up.
"""

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.judging.month import committed, month_bill, tables_of
from netplan_planner.ledger import Ledger
from netplan_planner.ledger.guards import why_made, why_refused
from netplan_planner.model import (
    Address,
    Change,
    ChangeKind,
    Edge,
    Facts,
    Instance,
    NatGateway,
    NetworkInterface,
    OwnerKind,
    PathClass,
    Region,
    Router,
    SelfLink,
    Zone,
    region_of,
    total_usd,
)
from netplan_planner.model.evidence.traffic import PathHours, TrafficHours
from netplan_planner.planning.traffic_bill import Meter
from netplan_planner.throughput.limits.bounds import DEFAULT_MTU_BYTES as MTU
from netplan_planner.throughput.transport.transfer import payload_ratio
from netplan_planner.units import BYTES_PER_GIB
from netplan_planner.verbs.forecast.ask import Ahead
from netplan_planner.verbs.forecast.paths import costs_of
from netplan_planner.verbs.forecast.run import observed
from netplan_planner.verbs.transfer.ask import NetworkTier, TransferNeed
from netplan_planner.verbs.transfer.hops import Hop, hop_bill
from support.known import known
from support.resources import resource
from support.rules.facts import NETWORK, facts_of, holding, machine

ZONES = ("us-central1-a", "us-central1-b", "europe-west1-b")
NAMES = ("ant", "bee", "cow", "dog")
NETS = ("", "PREMIUM", "STANDARD")
"""What a machine has: no external address, or one of a tier."""
AREAS = {"peer": "America/usa", "north": "America/canada"}
"""Where addresses of the internet are; one SKU sells what is sent to both."""
CENT = Decimal("0.000001")
Talk = tuple[str, str, PathClass, float]


def router(region: str) -> Router:
    link = SelfLink(f"projects/p/regions/{region}/routers/nat")
    nat = NatGateway(name="nat", router=link, network=NETWORK, region=Region(region))
    return resource(Router, link, network=NETWORK, nats=(nat,))


def reserved(number: int, region: str) -> Address:
    link = SelfLink(f"projects/p/regions/{region}/addresses/kept-{number}")
    return resource(Address, link, address=f"34.1.2.{number}", is_external=True, status="RESERVED")


def with_tier(number: int, zone: str, tier: str) -> Instance:
    """Return a machine; every second one has a reserved address."""
    one = machine(NAMES[number], zone=zone, machine_type="n2-standard-8")
    if not tier:
        return one
    nic = replace(one.interfaces[0], external_ipv4=f"34.1.2.{number}", network_tier=tier)
    return replace(one, interfaces=(nic,))


def has_address(one: Instance) -> bool:
    return one.interfaces[0].external_ipv4 is not None


def way_out(one: Instance) -> PathClass:
    """Return how a machine reaches the internet: both regions have a gateway."""
    return PathClass.INTERNET if has_address(one) else PathClass.NAT


def with_the_internet(facts: Facts) -> Facts:
    """Return facts in which the machines of `AREAS` are addresses of the internet."""
    assert facts.traffic is not None
    nowhere = {"kind": OwnerKind.INTERNET, "link": None, "region": None, "zone": None}
    owners = tuple(
        replace(one, area=AREAS[one.name], **nowhere) if one.name in AREAS else one
        for one in facts.traffic.owners
    )
    own = tuple(one for one in facts.inventory.instances if one.name not in AREAS)
    traffic = replace(facts.traffic, owners=owners)
    return replace(facts, inventory=replace(facts.inventory, instances=own), traffic=traffic)


@st.composite
def worlds(draw: st.DrawFn) -> Facts:
    """Draw machines in two regions, what they send each other, the internet, and get from it."""
    places = draw(st.lists(st.sampled_from(ZONES), min_size=4, max_size=4))
    tiers = draw(st.lists(st.sampled_from(NETS), min_size=4, max_size=4))
    machines = [with_tier(i, *of) for i, of in enumerate(zip(places, tiers, strict=True))]
    talk: list[Talk] = []
    for src, dst, rate in draw(
        st.lists(
            st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 40)),
            min_size=1,
            max_size=8,
            unique_by=lambda one: one[:2],
        )
    ):
        if src == dst:
            continue
        if dst == len(NAMES):
            talk += [
                (NAMES[src], "peer", way_out(machines[src]), rate / 10),
                ("peer", NAMES[src], way_out(machines[src]), rate / 20),
            ]
            continue
        base = (PathClass.SAME_ZONE_INTERNAL, PathClass.SAME_ZONE_EXTERNAL)[
            has_address(machines[dst]) and rate % 2
        ]
        path_class = base.between(machines[src].zone, machines[dst].zone)
        talk.append((NAMES[src], NAMES[dst], path_class, rate / 10))
    facts = with_the_internet(facts_of(*machines, machine("peer"), talk=tuple(talk)))
    kept = tuple(
        reserved(i, one.region) for i, one in enumerate(machines) if i % 2 and has_address(one)
    )
    return holding(facts, routers=(router("us-central1"), router("europe-west1")), addresses=kept)


@st.composite
def wishes(draw: st.DrawFn) -> tuple[ChangeKind, str, str, str]:
    """Draw a kind of change, whom it is about, whom else, and what to."""
    kind = draw(st.sampled_from([kind for kind in ChangeKind if kind is not ChangeKind.MORE_FLOWS]))
    one, other = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True))
    to = {
        ChangeKind.ZONE: draw(st.sampled_from(ZONES)),
        ChangeKind.MACHINE_TYPE: draw(st.sampled_from(("e2-standard-8", "n2-standard-16"))),
        ChangeKind.NETWORK_TIER: draw(st.sampled_from(NETS[1:])),
    }
    return kind, one, other, to.get(kind, "")


def change_of(facts: Facts, wish: tuple[ChangeKind, str, str, str]) -> Change:
    kind, name, other, to = wish
    links = {one.name: one.ref.self_link for one in facts.inventory.instances}
    if kind is ChangeKind.DELETE_GATEWAY:
        return Change(kind=kind, target=facts.inventory.routers[0].ref.self_link, to="nat")
    both = kind in {ChangeKind.SPOT, ChangeKind.NETWORK_TIER, ChangeKind.EXTERNAL_ADDRESS}
    return Change(
        kind=kind,
        target=links[name],
        destination=links[other] if kind is ChangeKind.INTERNAL_ADDRESS else None,
        to=to or None,
        members=(links[name], links[other]) if both else (),
    )


def nic_after(
    change: Change, one: Instance, nic: NetworkInterface, tier: str | None
) -> NetworkInterface:
    """Return an interface after a change; a new address has the tier that its region was given."""
    match change.kind:
        case ChangeKind.NETWORK_TIER if has_address(one) and nic.network_tier != change.to:
            return replace(nic, network_tier=change.to, external_ipv4=f"35.9.{one.name}")
        case ChangeKind.EXTERNAL_ADDRESS if not has_address(one):
            given = tier or "PREMIUM"
            return replace(nic, external_ipv4=f"35.9.{one.name}", network_tier=given)
        case ChangeKind.RELEASE_ADDRESS:
            return replace(nic, external_ipv4=None)
        case ChangeKind.ZONE if has_address(one) and region_of(Zone(change.to or "")) != one.region:
            return replace(nic, external_ipv4=f"35.8.{one.name}")
        case _:
            return nic


def machine_after(change: Change, one: Instance, chosen: str | None = None) -> Instance:
    """Return a machine after a change of it, written without the account's own hand."""
    nics = tuple(nic_after(change, one, nic, chosen) for nic in one.interfaces)
    own: dict[str, object] = {"interfaces": nics}
    tier = type(one.bandwidth_tier)
    match change.kind:
        case ChangeKind.ZONE:
            own["zone"] = change.to
        case ChangeKind.MACHINE_TYPE:
            own |= {"machine_type": change.to, "bandwidth_tier": tier.DEFAULT}
        case ChangeKind.TIER_1:
            own |= {"machine_type": change.to or one.machine_type, "bandwidth_tier": tier.TIER_1}
        case ChangeKind.NO_TIER_1:
            own["bandwidth_tier"] = tier.DEFAULT
        case ChangeKind.SPOT:
            own["is_spot"] = True
        case _:
            pass
    return replace(one, **own)


def written(facts: Facts, changes: Sequence[Change]) -> Facts:
    """Return whole facts after changes."""
    assert facts.traffic is not None
    now = {one.ref.self_link: one for one in facts.inventory.instances}
    inside: set[frozenset[SelfLink]] = set()
    routers = facts.inventory.routers
    chosen: dict[str, str | None] = {}
    for change in changes:
        is_of_pair = change.kind in {ChangeKind.INTERNAL_ADDRESS, ChangeKind.ZONE}
        if is_of_pair and change.destination is not None:
            inside |= {frozenset({link, change.destination}) for link in change.targets}
        if change.kind is ChangeKind.INTERNAL_ADDRESS:
            continue
        if change.kind is ChangeKind.DELETE_GATEWAY:
            routers = tuple(one for one in routers if one.ref.self_link != change.target)
        else:
            tiers = {link: chosen.get(now[link].region) for link in change.targets}
            if change.kind is ChangeKind.NETWORK_TIER:
                chosen |= {now[link].region: change.to for link in change.targets}
            now |= {link: machine_after(change, now[link], tiers[link]) for link in change.targets}
    owners = facts.traffic.owners

    def edge_after(edge: Edge) -> Edge:
        ends = [owners[end].link for end in (edge.src, edge.dst)]
        known = [now[link] for link in ends if link is not None]
        if len(known) < 2:
            return replace(edge, path_class=way_out(known[0]))
        path_class = edge.path_class
        address = edge.dst_address
        if path_class.is_external_address and frozenset(ends) in inside:
            path_class, address = path_class.over_internal_address, None
        path_class = path_class.between(known[0].zone, known[1].zone)
        return replace(edge, path_class=path_class, dst_address=address)

    moved = tuple(
        replace(one, zone=now[one.link].zone, region=now[one.link].region)
        if one.link is not None
        else one
        for one in owners
    )
    edges = tuple(map(edge_after, facts.traffic.edges))
    traffic = replace(facts.traffic, owners=moved, edges=edges)
    inventory = replace(facts.inventory, instances=tuple(now.values()), routers=routers)
    return replace(facts, traffic=traffic, inventory=inventory)


def bill(facts: Facts) -> Decimal:
    found = month_bill(tables_of(facts), committed(facts, ()))
    assert not found.unpriced_machine_count
    # What a gateway of Google's choice has of addresses is bounds, which no change here touches.
    return found.usd_per_month


def may_be(facts: Facts, ledger: Ledger, change: Change) -> bool:
    """Return whether a change is one that a plan would make at this moment.

    An address that something is sent to is not released, nor a gateway deleted that is in use.
    """
    state = ledger.state
    if why_made(state, change):
        return False
    if change.kind is ChangeKind.RELEASE_ADDRESS:
        now = state.machine(change.target)
        owner = state.owners.get(change.target, -1)
        used = any(
            e.dst == owner and e.path_class.is_external_address for e in known(facts.traffic).edges
        )
        return not used and now is not None and has_address(now)
    if change.kind is ChangeKind.DELETE_GATEWAY:
        links = [one.ref.self_link for one in facts.inventory.instances]
        return not any(ledger.state.gateways(link) for link in links)
    if change.kind is ChangeKind.ZONE:
        return "Cloud NAT" not in why_refused(state, change)
    if change.kind is ChangeKind.EXTERNAL_ADDRESS:
        return all(not has_address(m) for link in change.targets if (m := state.machine(link)))
    return True


@given(worlds(), st.lists(wishes(), min_size=1, max_size=6))
def test_each_change_takes_off_what_the_bill_falls_by(
    facts: Facts, wished: list[tuple[ChangeKind, str, str, str]]
) -> None:
    """One after the other: to the cent, whatever kinds of changes came before."""
    ledger, made = Ledger(facts), list[Change]()
    before = bill(facts)
    for wish in wished:
        change = change_of(facts, wish)
        if not may_be(facts, ledger, change):
            continue
        worth = ledger.value(change)
        if worth.saving.unknown:
            assert change.kind in {ChangeKind.TIER_1, ChangeKind.MACHINE_TYPE}, worth.saving.unknown
            continue
        made.append(change)
        after = bill(written(facts, made))
        assert abs(before - after - known(worth.usd)) < CENT, change
        ledger.make(change)
        before = after


@given(worlds(), st.lists(wishes(), min_size=1, max_size=6))
def test_what_is_taken_back_leaves_no_trace(
    facts: Facts, wished: list[tuple[ChangeKind, str, str, str]]
) -> None:
    ledger = Ledger(facts)
    changes = [change_of(facts, wish) for wish in wished]
    alone = [ledger.value(change) for change in changes]
    for mark in reversed([ledger.make(change) for change in changes]):
        ledger.go_back(mark)
    assert [ledger.value(change) for change in changes] == alone
    assert not ledger.state.machines
    assert not ledger.state.internal


@given(worlds(), st.lists(wishes(), min_size=2, max_size=5))
def test_several_at_once_are_worth_what_they_are_one_after_the_other(
    facts: Facts, wished: list[tuple[ChangeKind, str, str, str]]
) -> None:
    ledger = Ledger(facts)
    changes = [
        change
        for change in (change_of(facts, wish) for wish in wished)
        if change.kind in {ChangeKind.ZONE, ChangeKind.NETWORK_TIER, ChangeKind.SPOT}
    ]
    if not changes:
        return
    whole = ledger.value(*changes).usd
    parts = []
    for change in changes:
        parts.append(ledger.value(change).usd)
        ledger.make(change)
    if whole is None or None in parts:
        return
    assert abs(whole - sum((one for one in parts if one is not None), Decimal(0))) < CENT


def reaching_out(*tiers: str) -> Facts:
    """Return machines that send 40 Gbit/s each to two countries that one SKU sells."""
    machines = [with_tier(number, ZONES[0], tier) for number, tier in enumerate(tiers)]
    pairs = zip(machines, AREAS, strict=False)
    talk = tuple((one.name, peer, way_out(one), 40.0) for one, peer in pairs)
    facts = with_the_internet(facts_of(*machines, *map(machine, AREAS), talk=talk))
    return holding(facts, routers=(router("us-central1"),))


def test_what_goes_through_a_gateway_fills_the_steps_of_what_goes_directly() -> None:
    """One SKU sells both: an address takes Cloud NAT's share off and no step of the internet."""
    facts = reaching_out("", "PREMIUM")
    change = Change(
        kind=ChangeKind.EXTERNAL_ADDRESS, target=facts.inventory.instances[0].ref.self_link
    )
    lines = Ledger(facts).value(change).saving.items
    gib = facts.gib_per_month(known(facts.traffic).edges[0].wire_bytes)
    data = [line for line in lines if line.unit == "GiB"]
    assert [line.usd_per_month for line in data] == [gib * Decimal("0.045")]
    hours = sum(line.usd_per_month for line in lines if line.unit == "hour")
    assert hours == Decimal("1.022") - Decimal("3.65")


def test_what_costs_the_same_after_two_changes_at_once_fills_its_steps_for_the_other() -> None:
    """The first machine stays on the steps that the second one leaves."""
    facts = reaching_out("", "PREMIUM")
    links = [facts.inventory.instances[number].ref.self_link for number in range(2)]
    both = (
        Change(kind=ChangeKind.EXTERNAL_ADDRESS, target=links[0]),
        Change(kind=ChangeKind.NETWORK_TIER, target=links[1], to="STANDARD"),
    )
    whole = known(Ledger(facts).value(*both).usd)
    fallen = bill(facts) - bill(written(facts, both))
    assert abs(fallen - whole) < CENT


@pytest.mark.parametrize(("hours", "is_held"), [(24, True), (14 * 24, False)])
def test_what_cannot_be_had_back_waits_for_two_weeks_of_traffic(hours: int, is_held: bool) -> None:
    one = with_tier(1, ZONES[0], "PREMIUM")
    facts = facts_of(one, machine("b"), talk=(("b", "bee", PathClass.SAME_ZONE_INTERNAL, 0.1),))
    facts = replace(facts, traffic=replace(known(facts.traffic), observed_minutes=60 * hours))
    ledger = Ledger(facts)
    change = Change(kind=ChangeKind.RELEASE_ADDRESS, target=one.ref.self_link)
    assert ("336 h" in why_refused(ledger.state, change)) is is_held


@given(worlds())
def test_a_forecast_of_what_goes_on_costs_what_the_account_says(facts: Facts) -> None:
    """Steady traffic for a month of 730 hours, and some days of the next one."""
    traffic = known(facts.traffic)
    paths = tuple(
        PathHours(edge=at, gbps=(edge.series.p95_gbps,) * 24)
        for at, edge in enumerate(traffic.edges)
    )
    hours = TrafficHours(start=traffic.start, machines=(), paths=paths)
    seen = replace(facts, traffic=replace(traffic, hours=hours))
    if not traffic.edges:
        return
    costs = costs_of(observed(seen).paths, Ahead(horizon_days=31))
    account = Ledger(facts).cost(_priced(facts)).usd_per_month
    assert abs(sum((one.usd for one in costs.months[:1]), Decimal(0)) - account) < Decimal("0.001")


def _priced(facts: Facts) -> list[Edge]:
    """Return the edges of which all prices are known, as a forecast has them."""
    ledger = Ledger(facts)
    return [one for one in known(facts.traffic).edges if not ledger.cost([one]).unpriced]


HOPS = frozenset(
    {PathClass.INTERNET, PathClass.INTER_REGION_INTERNAL, PathClass.INTER_REGION_EXTERNAL}
)


@given(worlds())
def test_hops_of_a_transfer_cost_what_the_account_says_of_such_traffic(facts: Facts) -> None:
    """All hops of a plan share the steps of their prices, whatever their class."""
    assert facts.traffic is not None
    ledger, meter = Ledger(facts), Meter()
    found, counted = Decimal(0), []
    for edge in facts.traffic.edges:
        path = ledger.traffic.charge(edge)
        # What a transfer sends has addresses of its own: none of it goes through a gateway.
        if path is None or path.path_class not in HOPS or path.is_processed:
            continue
        counted.append(edge)
        gib = facts.gib_per_month(edge.wire_bytes)
        need = TransferNeed(
            volume_bytes=round(float(gib) * BYTES_PER_GIB * float(payload_ratio(MTU))),
            area=path.area or None,
        )
        dst = path.dst_region or "internet"
        tier = None if path.dst_region else NetworkTier(path.network_tier)
        hop = Hop(path.src_region, dst, path.path_class, None, None, Decimal(0), tier)
        found += total_usd(hop_bill(need, hop, 1.0, facts.prices, meter))
    alone = replace(facts, traffic=replace(facts.traffic, edges=tuple(counted)))
    assert abs(found - Ledger(alone).cost(counted).usd_per_month) < Decimal("0.01")
