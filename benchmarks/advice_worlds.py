"""Makes projects by seed for `apply_advice.py`: what an audit has to get right, all in one.

Services of one to forty machines run in one to three regions: some as managed groups of a zone or a
region, some as replicas in several zones, some restarted after the logs end, some on Spot, stopped,
suspended, reserved or covered by a commitment. They send inside their networks, over external
addresses (within a zone, a region and between regions, with an address at both ends or through
Cloud NAT), to the internet in several countries by either tier, and to Google APIs. Addresses are
reserved or not, in use or not; in some projects an address that is in use says RESERVED. In some
projects two networks have the same ranges, in some two or three are VPC spokes of a hub. Logs
shorter than six days miss the jobs that go to the internet once a week; some of the shortest are
aggregated by the minute. What `advice_bulk.py` adds is held back by limits.
"""

import random
import string
from collections import defaultdict
from dataclasses import replace

from advice_bulk import RESTARTED, with_bulk
from advice_prices import Prices, series_of
from advice_rates import Caps
from advice_services import KINDS, NETWORKS, PLACES, WINDOWS, ZONES, Kind
from advice_state import (
    INTERNET,
    PREMIUM,
    STANDARD,
    Address,
    Commitment,
    Flow,
    Front,
    Gateway,
    Machine,
    Network,
    Project,
    Reservation,
)

GIB_IN_PACKETS = 2**30 / 1_452


class _Maker:
    """Makes one project."""

    def __init__(self, seed: int, vms: int, prices: Prices) -> None:
        self.dice = random.Random(f"advice {seed}")
        self.prices, self.vms = prices, vms
        self.days = self.dice.choice(WINDOWS)
        # By the minute a longer log would be most of the run.
        self.minutes = 1 if self.days <= 2 and self.dice.random() < 0.5 else 15
        self.regions = self.dice.sample(sorted(ZONES), self.dice.choice((1, 2, 2, 3)))
        self.networks = NETWORKS[: self.dice.choice((1, 2, 3))]
        self.blocks = {name: number for number, name in enumerate(NETWORKS)}
        if self.dice.random() < 0.2:
            # Two networks have the same addresses: neither can be peered with what has the other.
            self.blocks["edge"] = self.blocks["data"]
        self.machines: dict[str, Machine] = {}
        self.groups: dict[str, str] = {}
        self.flows: list[Flow] = []
        self._ips: dict[tuple[str, str], int] = defaultdict(lambda: 1)
        self._externals = 0

    def external_ip(self) -> str:
        """Return an address that nobody has yet."""
        self._externals += 1
        return f"34.23.{self._externals >> 8}.{self._externals & 255}"

    def range_of(self, network: str, region: str) -> str:
        """Return the first two numbers of a network's addresses in a region."""
        return f"10.{self.blocks[network] * 16 + sorted(ZONES).index(region)}"

    def internal_ip(self, network: str, region: str) -> str:
        """Return the next internal address."""
        self._ips[network, region] += 1
        number = self._ips[network, region]
        return f"{self.range_of(network, region)}.{number >> 8}.{number & 255}"

    def service(self, kind: Kind, count: int, number: int) -> None:
        """Make the machines of a service."""
        dice = self.dice
        region, network = dice.choice(self.regions), dice.choice(self.networks)
        letters = dice.sample(ZONES[region], len(ZONES[region]))
        service = f"{kind.stem}{number or ''}"
        types = [one for one in kind.types if self._is_everywhere(one, region)]
        machine_type = dice.choice(types)
        is_grouped = kind.may_be_grouped and count > 1 and dice.random() < 0.35
        if is_grouped:
            is_regional = dice.random() < 0.3
            letters = letters[: 3 if is_regional else 1]
            place = region if is_regional else f"{region}-{letters[0]}"
            self.groups[f"{service}-group"] = place
        is_restarted = dice.random() < 0.1
        all_have_ip, all_tier1 = dice.random() < kind.share_external, dice.random() < 0.3
        is_spot = kind.stem == "worker" and dice.random() < 0.2
        for at in range(count):
            end = "".join(dice.choices(string.ascii_lowercase + string.digits, k=4))
            has_ip = all_have_ip if is_grouped else dice.random() < kind.share_external
            name = f"{service}-{end}" if is_grouped or dice.random() < 0.2 else f"{service}-{at}"
            name = name if name not in self.machines else f"{name}-{end}"
            machine = Machine(
                name=name,
                zone=f"{region}-{letters[at % len(letters)]}",
                machine_type=machine_type,
                network=network,
                internal_ip=self.internal_ip(network, region),
                external_ip=self.external_ip() if has_ip else "",
                group=f"{service}-group" if is_grouped else "",
                service=service,
                is_copy=kind.is_copied,
                is_spot=is_spot,
                labels=(("app", service),),
            )
            self.machines[name] = replace(
                machine,
                local_ssds=self._ssds(machine_type, is_plain=not is_grouped and not is_spot),
                is_tier1=machine_type == "n2-standard-32" and all_tier1,
                restarted=RESTARTED if is_restarted else "2026-01-10T08:00:10.000-08:00",
            )

    def _ssds(self, machine_type: str, *, is_plain: bool) -> int:
        may = is_plain and series_of(machine_type) in ("n2", "n1", "c2")
        return self.dice.choice((1, 2, 4)) if may and self.dice.random() < 0.1 else 0

    def _is_everywhere(self, machine_type: str, region: str) -> bool:
        return self.prices.is_sold(machine_type, region) and all(
            self.prices.is_offered(machine_type, f"{region}-{letter}") for letter in ZONES[region]
        )

    def gib_a_day(self, middle: float, burst_minutes: int = 0) -> float:
        """Return a volume, mostly small and sometimes very great; a burst within 2 Gbit/s."""
        most = min(2_500.0, burst_minutes * 12.0 or 2_500.0)
        return min(most, middle * self.dice.lognormvariate(0.0, 2.0))

    def talk(self, client: Machine, server: Machine, *, over_external: bool) -> None:
        """Make a connection: what is sent either way."""
        records, burst = self._shape()
        gib = self.gib_a_day(4.0 if over_external or self.dice.random() < 0.1 else 0.5, burst)
        forward = Flow(
            client.name,
            server.name,
            gib * GIB_IN_PACKETS,
            over_external=over_external,
            port=self.dice.choice((443, 5432, 6379, 9092, 8080)),
            records=records,
            burst_minutes=burst,
        )
        self.flows.append(forward)
        # The answers to a machine behind Cloud NAT go to the gateway: no record names the pair.
        if not over_external or client.external_ip:
            self.flows.append(
                replace(
                    forward,
                    src=server.name,
                    dst=client.name,
                    packets_per_day=forward.packets_per_day * self.dice.choice((0.02, 0.1, 1.5)),
                    is_opened_by_src=False,
                )
            )

    def _shape(self) -> tuple[int, int]:
        is_burst = self.dice.random() < 0.15
        return self.dice.choice((12, 24, 48)), self.dice.choice((15, 30, 60)) if is_burst else 0

    def internet(self, machine: Machine, *, is_called: bool, gib: float) -> None:
        """Make what a machine sends to a place on the internet, and what comes back."""
        place = self.dice.choice(PLACES)
        number = self.dice.randrange(1, 2**22)
        peer = f"45.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        records, burst = self._shape()
        sent = Flow(
            machine.name,
            INTERNET,
            gib * GIB_IN_PACKETS,
            is_opened_by_src=not is_called,
            place=place,
            peer_ip=peer,
            records=records,
            burst_minutes=burst,
        )
        back = replace(
            sent,
            src=INTERNET,
            dst=machine.name,
            is_opened_by_src=is_called,
            packets_per_day=sent.packets_per_day * self.dice.choice((0.05, 0.3, 4.0)),
        )
        self.flows += [sent, back]


def project(seed: int, prices: Prices, caps: Caps, vms: int | None = None) -> Project:
    """Return the project of a seed, of 30 to 400 machines unless told."""
    count = vms or round(30 * (400 / 30) ** random.Random(f"size {seed}").random())
    maker = _Maker(seed, count, prices)
    _machines(maker)
    gateways = _gateways(maker)
    whole = Project(
        days=maker.days, minutes=maker.minutes, machines=maker.machines, groups=maker.groups
    )
    whole = replace(whole, networks=_networks(maker), gateways=gateways)
    whole = _with_addresses(maker, whole)
    whole = _with_promises(maker, whole)
    _flows(maker, whole)
    whole = replace(whole, flows=tuple(maker.flows))
    return with_bulk(whole, random.Random(f"bulk {seed}"), prices, caps)


def _machines(maker: _Maker) -> None:
    number = 0
    while len(maker.machines) < maker.vms:
        for kind in KINDS:
            left = maker.vms - len(maker.machines)
            count = kind.most if kind.is_copied else maker.dice.randint(1, kind.most)
            if left > 0:
                maker.service(kind, min(left, count, max(3, maker.vms // 4)), number)
        number += 1


def _networks(maker: _Maker) -> dict[str, Network]:
    spokes = _spokes(maker)
    joined = not spokes and len(maker.networks) > 1 and maker.dice.random() < 0.5
    pair = set(maker.networks[:2]) if joined else set()
    return {
        name: Network(
            name=name,
            ranges={region: f"{maker.range_of(name, region)}.0.0/16" for region in maker.regions},
            peers=frozenset(pair - {name} if name in pair else ()),
            google_access=frozenset(
                region for region in maker.regions if maker.dice.random() < 0.5
            ),
            hub="hub" if name in spokes else "",
        )
        for name in maker.networks
    }


def _spokes(maker: _Maker) -> tuple[str, ...]:
    """Return the spokes of a hub; it takes none whose ranges overlap those of another one."""
    if len(maker.networks) == 1 or maker.dice.random() > 0.35:
        return ()
    are_apart = len({maker.blocks[name] for name in maker.networks}) == len(maker.networks)
    return maker.networks if are_apart and maker.dice.random() < 0.5 else maker.networks[:2]


def _gateways(maker: _Maker) -> dict[str, Gateway]:
    made = {}
    for network in maker.networks:
        for region in maker.regions:
            if maker.dice.random() < 0.6:
                name = f"nat-{network}-{region}"
                own = (f"{name}-ip",) if maker.dice.random() < 0.6 else ()
                made[name] = Gateway(name, region, network, own, is_auto=not own)
    return made


def _with_addresses(maker: _Maker, whole: Project) -> Project:
    dice = maker.dice
    addresses, fronts = {}, {}
    # What an address says of itself is wrong in some projects, and then of some addresses.
    truthful = 1.0 if dice.random() < 0.6 else 0.7
    for machine in maker.machines.values():
        if machine.external_ip and not machine.group and dice.random() < 0.25:
            name = f"{machine.name}-ip"
            says = dice.random() < truthful
            addresses[name] = Address(name, machine.region, machine.external_ip, says)
    for gateway in whole.gateways.values():
        for name in gateway.addresses:
            ip = maker.external_ip()
            addresses[name] = Address(name, gateway.region, ip, dice.random() < truthful)
    for number in range(dice.randrange(5)):
        name = f"idle-{number}"
        region = dice.choice(maker.regions)
        addresses[name] = Address(name, region, maker.external_ip(), says_in_use=False)
    webs = [one.name for one in maker.machines.values() if one.service == "web"]
    if webs and dice.random() < 0.6:
        front = Front("front", maker.machines[webs[0]].region, maker.external_ip(), tuple(webs))
        addresses["front-ip"] = Address(
            "front-ip", front.region, front.ip, dice.random() < truthful
        )
        fronts["front"] = front
    return replace(whole, addresses=addresses, fronts=fronts)


def _with_promises(maker: _Maker, whole: Project) -> Project:
    """Return the project with a reservation, commitments, stopped machines and Standard Tier."""
    dice, machines = maker.dice, dict(maker.machines)
    alone = [
        one
        for one in machines.values()
        if not (one.group or one.is_spot or "-custom-" in one.machine_type)
    ]
    reservations: tuple[Reservation, ...] = ()
    if alone and dice.random() < 0.4:
        first = dice.choice(alone)
        reservations = (Reservation("reserved", first.zone, first.machine_type, 1),)
        machines[first.name] = replace(first, reservation="reserved")
    for one in list(machines.values()):
        if dice.random() < 0.03 and not one.group:
            is_suspended = dice.random() < 0.3
            machines[one.name] = replace(one, is_running=False, is_suspended=is_suspended)
        elif _may_be_standard(whole, one) and dice.random() < 0.15:
            machines[one.name] = replace(machines[one.name], tier=STANDARD)
    commitments: tuple[Commitment, ...] = ()
    if dice.random() < 0.35:
        region, series = dice.choice(maker.regions), dice.choice(("n2", "e2"))
        vcpus = dice.choice((8, 16, 64))
        if not any(one.machine_type.startswith(f"{series}-custom") for one in machines.values()):
            commitments = (Commitment("promise", region, series, vcpus, vcpus * 4),)
    maker.machines = machines
    return replace(whole, machines=machines, reservations=reservations, commitments=commitments)


def _may_be_standard(whole: Project, one: Machine) -> bool:
    return bool(one.external_ip and not one.group) and whole.address_of(one.external_ip) is None


def _flows(maker: _Maker, whole: Project) -> None:
    running = [one for one in maker.machines.values() if one.is_running]
    by_kind: dict[str, list[Machine]] = defaultdict(list)
    for machine in running:
        by_kind[machine.service.rstrip(string.digits)].append(machine)
    for kind in KINDS:
        for client in by_kind[kind.stem]:
            for stem in kind.to:
                _pairs(maker, whole, client, by_kind[stem])
            _outside(maker, whole, client, kind)
    # One flow that has a record in every quarter of an hour: the window is known by it.
    first = running[0]
    other = [one for one in running[1:] if one.network == first.network][-1]
    maker.flows.append(Flow(first.name, other.name, 96_000, records=0))


def _pairs(maker: _Maker, whole: Project, client: Machine, servers: list[Machine]) -> None:
    others = [one for one in servers if one.name != client.name]
    for server in maker.dice.sample(others, min(len(others), maker.dice.choice((1, 1, 2)))):
        leaves = client.external_ip or whole.gateway_of(client) is not None
        may = bool(server.external_ip and leaves) and STANDARD not in (client.tier, server.tier)
        is_joined = whole.are_joined(client.network, server.network)
        if may and (not is_joined or maker.dice.random() < 0.5):
            maker.talk(client, server, over_external=True)
        elif is_joined:
            maker.talk(client, server, over_external=False)


def _outside(maker: _Maker, whole: Project, machine: Machine, kind: Kind) -> None:
    dice = maker.dice
    leaves = machine.external_ip or whole.gateway_of(machine) is not None
    if kind.stem in ("web", "ingest") and machine.external_ip:
        maker.internet(machine, is_called=True, gib=maker.gib_a_day(2.0))
    elif leaves and machine.external_ip and machine.tier == PREMIUM and dice.random() < 0.2:
        maker.internet(machine, is_called=False, gib=maker.gib_a_day(3.0))
    elif leaves and dice.random() < 0.3:
        maker.internet(machine, is_called=False, gib=maker.gib_a_day(0.5))
    elif leaves and kind.stem == "cron" and dice.random() < 0.5:
        maker.internet(machine, is_called=False, gib=0.05)
        maker.flows[-2:] = [replace(one, is_weekly=True) for one in maker.flows[-2:]]
    is_private = machine.region in whole.networks[machine.network].google_access
    if (is_private or leaves) and dice.random() < 0.2:
        maker.flows.append(
            Flow(
                machine.name,
                INTERNET,
                maker.gib_a_day(1.0) * GIB_IN_PACKETS,
                service="storage.googleapis.com",
                peer_ip="142.250.10.10",
            )
        )
