"""The address book against a search through everything, on small crowded inventories."""

import ipaddress
from dataclasses import dataclass
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import OwnerKind, SelfLink
from netplan_planner.paths import AddressBook, AddressKind
from support.projects.addresses import book_of, network, network_link, nic, vm, who

NETWORKS = ("a", "b", "c")
LINKS = {name: network_link(name) for name in NETWORKS}
INSIDE = [f"10.0.0.{n}" for n in range(12)]
OUTSIDE = [f"34.67.0.{n}" for n in range(4)]
ALIASES = ["10.0.0.0/30", "10.0.0.4/30", "10.0.0.8/29", "10.0.0.0/29", "10.0.0.6/31"]


@dataclass(frozen=True)
class Holding:
    """One machine's address or range in a network; `net` is None where it is met everywhere."""

    machine: str
    net: str | None
    text: str

    @property
    def network(self) -> ipaddress.IPv4Network:
        return ipaddress.IPv4Network(self.text)


@dataclass(frozen=True)
class World:
    """Machines by network, and the peered pairs of networks."""

    holdings: tuple[Holding, ...]
    peered: frozenset[frozenset[str]]

    def meets(self, holding: Holding, context: str | None) -> bool:
        """Return whether an end in `context` can mean a holding."""
        nets = {holding.net, context}
        return None in nets or len(nets) == 1 or frozenset(nets) in self.peered


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Return machines with addresses that are unique in each network and clash between them."""
    holdings: list[Holding] = []
    externals = list(OUTSIDE)
    for net in NETWORKS:
        inside = draw(st.lists(st.sampled_from(INSIDE), unique=True, max_size=3))
        # One range belongs to one machine; ranges of one network may nest.
        ranges = draw(st.lists(st.sampled_from(ALIASES), unique=True, max_size=2))
        for number, address in enumerate(inside):
            name = f"{net}-{number}"
            holdings.append(Holding(name, net, address))
            if number < len(ranges):
                holdings.append(Holding(name, net, ranges[number]))
            is_outside = draw(st.booleans())
            if externals and is_outside:
                holdings.append(Holding(name, None, externals.pop()))
    pairs = [frozenset(pair) for pair in combinations(NETWORKS, 2)]
    return World(tuple(holdings), frozenset(draw(st.sets(st.sampled_from(pairs)))))


def book(world: World) -> AddressBook:
    machines = []
    for name in sorted({h.machine for h in world.holdings}):
        own = [h for h in world.holdings if h.machine == name]
        (internal,) = (h.text for h in own if h.net is not None and "/" not in h.text)
        net = next(h.net for h in own if h.net is not None)
        machines.append(
            vm(
                name,
                nic(
                    internal,
                    external=next((h.text for h in own if h.net is None), None),
                    alias=tuple(h.text for h in own if "/" in h.text),
                    network=net,
                ),
            )
        )
    networks = (
        network(name, *(LINKS[n] for n in NETWORKS if frozenset((n, name)) in world.peered))
        for name in NETWORKS
    )
    return book_of(*machines, *networks)


def oracle(world: World, address: str, context: str | None) -> str | None:
    """Return the machine that an address means in a network; None: nobody, or not told apart."""
    number = ipaddress.IPv4Address(address)
    met = [h for h in world.holdings if number in h.network and world.meets(h, context)]
    whole = [h for h in met if "/" not in h.text]
    if whole:
        met = whole
    else:
        # In each network the narrowest range counts.
        met = [
            max((h for h in met if h.net == net), key=lambda h: h.network.prefixlen)
            for net in {h.net for h in met}
        ]
    own = [h for h in met if h.net == context and context is not None]
    everywhere = [h for h in met if h.net is None]
    for chosen in (own, everywhere, met):
        if len(chosen) == 1:
            return chosen[0].machine
    return None


@given(worlds())
def test_the_book_finds_what_a_search_through_everything_finds(world: World) -> None:
    made = book(world)
    for context in (None, *NETWORKS):
        link: SelfLink | None = LINKS[context] if context else None
        for address in (*INSIDE, *OUTSIDE):
            end = who(made, address, context=link)
            wanted = oracle(world, address, context)
            if wanted is not None:
                assert (end.owner.kind, end.owner.name) == (OwnerKind.VM, wanted)
                assert (end.address_kind is AddressKind.EXTERNAL) is address.startswith("34.")
            elif address.startswith("34."):
                assert end.owner.kind is OwnerKind.INTERNET
            else:
                assert end.owner.kind is OwnerKind.UNKNOWN
            # The network of the end itself means the same as that of the reporter.
            assert who(made, address, network=link) == end
