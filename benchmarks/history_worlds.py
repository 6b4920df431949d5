"""Projects over three months with a weekly season, growth, noise and one change, as daily runs.

Nothing here is made of what `netplan history` computes with: rates of groups, prices of a page.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from netplan_planner.model import MonthBill, PathClass
from netplan_planner.planning.run_record import RunMachine, RunPair, RunPath, RunRecord, RunWindow

DAYS = 90
BURSTS = 0.003
"""Of the days of a call, on which it sends four times as much: one or two a month in a project."""
LEAST = 0.05
"""Of what all traffic costs: by so much a change moves it, where any group's does."""
FIRST_DAY = date(2026, 6, 1)
KINDS = ("failover", "new-replica", "deployment", "nat-route")
USD_PER_GIB = {
    # cloud.google.com/vpc/network-pricing and cloud.google.com/nat/pricing, North America.
    PathClass.SAME_ZONE_INTERNAL: 0.0,
    PathClass.INTER_ZONE_INTERNAL: 0.01,
    PathClass.INTER_REGION_INTERNAL: 0.02,
    PathClass.INTERNET: 0.12,
    PathClass.NAT: 0.12 + 0.045,
}
ZONES = ("us-central1-a", "us-central1-b", "us-central1-c", "us-east1-b", "us-east1-c")
OUTSIDE = ("internet (North America)", "")
_SHARES = (1.0, 1.0, 1.02, 1.0, 0.97)


@dataclass
class Vm:
    """A VM of a group."""

    name: str
    zone: str


@dataclass
class Group:
    """VMs that one template makes."""

    name: str
    vms: list[Vm]
    version: str
    is_behind_nat: bool = False


@dataclass
class Call:
    """What a group sends to another, or outside (`dst` None), a month, and how it varies."""

    src: Group
    dst: Group | None
    gib: float
    weekend: float
    growth: float
    wobble: float
    noise: float = 0.0
    factor: float = 1.0


@dataclass
class Truth:
    """The change that was made."""

    kind: str
    day: int
    name: str
    """The group."""


@dataclass
class World:
    """A project."""

    seed: int
    groups: list[Group] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    truth: Truth | None = None


def world_of(seed: int, kind: str | None) -> tuple[World, list[RunRecord]]:
    """Return a project with one change of a kind (None: with none), and its daily runs."""
    random_ = random.Random(f"{seed}-{kind}")
    world = _made(seed, random_)
    day = random_.randrange(45, 80)
    runs = []
    decoys = {random_.randrange(20, DAYS): random_.choice(world.groups) for _ in range(3)}
    for number in range(DAYS):
        if number in decoys:
            _updated(decoys[number], number, random_)
        if number == day and kind is not None:
            world.truth = _changed(world, kind, number, random_)
        _churned(world, random_)
        runs.append(_run(world, number, random_))
    return world, runs


def _made(seed: int, random_: random.Random) -> World:
    world = World(seed)
    for number in range(random_.randrange(5, 10)):
        name = f"group{number}"
        zones = random_.sample(ZONES, random_.choice((1, 1, 2, 3)))
        vms = [
            Vm(f"{name}-{_letters(random_)}", zones[at % len(zones)])
            for at in range(random_.randrange(2, 8))
        ]
        world.groups.append(Group(name, vms, f"{name}-v1"))
    for src in world.groups:
        others = [one for one in world.groups if one is not src]
        for dst in random_.sample(others, random_.choice((1, 2, 2, 3))):
            world.calls.append(_call(src, dst, random_, 2_000))
    for src in random_.sample(world.groups, 2):
        world.calls.append(_call(src, None, random_, 400))
    return world


def _call(src: Group, dst: Group | None, random_: random.Random, typical: float) -> Call:
    return Call(
        src=src,
        dst=dst,
        gib=typical * random_.lognormvariate(0, 1),
        weekend=random_.uniform(0.45, 1.0),
        growth=random_.uniform(-0.003, 0.004),
        wobble=random_.uniform(0.03, 0.1),
    )


def _letters(random_: random.Random) -> str:
    return "".join(random_.choices("bcdfghjklmnpqrstvwxz0123456789", k=4))


def _updated(group: Group, number: int, random_: random.Random) -> None:
    """Roll out another template: half of such updates make VMs with new names."""
    group.version = f"{group.name}-v{number}"
    if random_.random() < 0.5:
        for vm in group.vms:
            vm.name = f"{group.name}-{_letters(random_)}"


def _churned(world: World, random_: random.Random) -> None:
    """Let an autoscaler act on a group on one day of five; groups stay even over their zones."""
    if random_.random() >= 0.2:
        return
    group = random_.choice(world.groups)
    match random_.randrange(3):
        case 0:
            random_.choice(group.vms).name = f"{group.name}-{_letters(random_)}"
        case 1:
            group.vms += [
                Vm(f"{group.name}-{_letters(random_)}", vm.zone) for vm in tuple(group.vms)
            ]
        case _:
            halves = [vm for zone in ZONES
                      for vm in [one for one in group.vms if one.zone == zone][1::2]]  # fmt: skip
            if all(sum(vm.zone == zone for vm in group.vms) % 2 == 0 for zone in ZONES):
                group.vms = [vm for vm in group.vms if vm not in halves]


def _changed(world: World, kind: str, day: int, random_: random.Random) -> Truth:
    """Make one change to a group that moves what all traffic costs by a twentieth at least.

    Of the groups, in random order, the first whose change does; where none does, the last.
    """
    groups = random_.sample(world.groups, len(world.groups))
    if kind == "nat-route":
        groups = [one for one in groups if any(c.src is one and c.dst is None for c in world.calls)]
    before = _cost(world)
    for group in groups:
        kept = [replace(vm) for vm in group.vms], group.version
        _change(world, group, kind, day, random_)
        if abs(_cost(world) / before - 1) >= LEAST or group is groups[-1]:
            break
        group.vms, group.version = kept
        group.is_behind_nat = False
        for call in world.calls:
            call.factor = 1.0
    return Truth(kind, day, group.name)


def _cost(world: World) -> float:
    return sum(
        gib * call.factor * USD_PER_GIB[_class_of(src, dst, call)]
        for call in world.calls
        for src, dst, gib in _rows(call)
    )


def _change(world: World, group: Group, kind: str, day: int, random_: random.Random) -> None:
    if kind == "failover":
        # All VMs of its first zone are gone; as many are made in a zone of the other region.
        zone = group.vms[0].zone
        other = random_.choice([one for one in ZONES if one[:8] != zone[:8]])
        for vm in group.vms:
            if vm.zone == zone:
                vm.name, vm.zone = f"{group.name}-{_letters(random_)}", other
    elif kind == "new-replica":
        used = {vm.zone for vm in group.vms}
        other = random_.choice([one for one in ZONES if one not in used])
        for _ in range(max(1, len(group.vms) // 2)):
            group.vms.append(Vm(f"{group.name}-{_letters(random_)}", other))
    elif kind == "deployment":
        _updated(group, day, random_)
        for call in world.calls:
            if call.src is group:
                call.factor = 2.0
    else:
        group.is_behind_nat = True


def _rows(call: Call) -> Iterator[tuple[Vm, Vm | None, float]]:
    """Yield what each VM sends to each, evenly."""
    if call.dst is None:
        for src in call.src.vms:
            yield src, None, call.gib / len(call.src.vms)
        return
    for src in call.src.vms:
        for dst in call.dst.vms:
            yield src, dst, call.gib / len(call.src.vms) / len(call.dst.vms)


def _class_of(src: Vm, dst: Vm | None, call: Call) -> PathClass:
    if dst is None:
        return PathClass.NAT if call.src.is_behind_nat else PathClass.INTERNET
    if src.zone == dst.zone:
        return PathClass.SAME_ZONE_INTERNAL
    same = src.zone.rpartition("-")[0] == dst.zone.rpartition("-")[0]
    return PathClass.INTER_ZONE_INTERNAL if same else PathClass.INTER_REGION_INTERNAL


def _run(world: World, number: int, random_: random.Random) -> RunRecord:
    day = FIRST_DAY + timedelta(days=number)
    common = random_.lognormvariate(0, 0.02)
    pairs: list[RunPair] = []
    sums: dict[PathClass, list[float]] = {}
    for call in world.calls:
        call.noise = 0.4 * call.noise + random_.gauss(0, call.wobble)
        season = call.weekend if day.weekday() >= 5 else _SHARES[day.weekday()]
        level = season * (1 + call.growth) ** number * common * 2.718281828**call.noise
        level *= call.factor
        burst = random_.random() < BURSTS
        for src, dst, gib in _rows(call):
            sent = gib * level * random_.lognormvariate(0, 0.08) * (4.0 if burst else 1.0)
            path_class = _class_of(src, dst, call)
            usd = sent * USD_PER_GIB[path_class]
            found = sums.setdefault(path_class, [0.0, 0.0])
            found[0] += sent
            found[1] += usd
            pairs.append(
                RunPair(
                    src=src.name,
                    dst=dst.name if dst else OUTSIDE[0],
                    src_place=src.zone,
                    dst_place=dst.zone if dst else OUTSIDE[1],
                    src_group=call.src.name,
                    dst_group=call.dst.name if call.dst else "",
                    src_version=call.src.version,
                    dst_version=call.dst.version if call.dst else "",
                    path_class=path_class,
                    gib_per_month=Decimal(f"{sent:.6f}"),
                    usd_per_month=Decimal(f"{usd:.6f}"),
                )
            )
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    traffic = Decimal(f"{sum(usd for _, usd in sums.values()):.6f}")
    return RunRecord(
        tool="netplan 1",
        title="made",
        projects=("made",),
        limits_as_of=day,
        prices_as_of=FIRST_DAY,
        network_prices_as_of=FIRST_DAY,
        window=RunWindow(start=start, end=start + timedelta(days=1)),
        bill=MonthBill(
            machines_usd=Decimal(0),
            addresses_usd=Decimal(0),
            traffic_usd=traffic,
            services_usd=Decimal(0),
            commitments_usd=Decimal(0),
            unpriced_machine_count=0,
            unpriced_low_usd=Decimal(0),
            unpriced_high_usd=Decimal(0),
            unpriced_gib=Decimal(0),
        ),
        traffic_by_class=tuple(
            RunPath(
                path_class=path_class,
                gib_per_month=Decimal(f"{gib:.6f}"),
                usd_per_month=Decimal(f"{usd:.6f}"),
            )
            for path_class, (gib, usd) in sorted(sums.items())
        ),
        zone_pairs=(),
        dear_pairs=tuple(pairs),
        machines=tuple(
            RunMachine(
                project="made",
                zone=vm.zone,
                name=vm.name,
                machine_type="n2-standard-8",
                is_spot=False,
                is_tier1=False,
                external_addresses=(),
            )
            for group in world.groups
            for vm in group.vms
        ),
        findings=(),
    )
