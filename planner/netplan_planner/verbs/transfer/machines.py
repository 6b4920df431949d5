"""The machines that may stand in a place: what each sends and takes, and costs an hour."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.machines.disks import Disk, on_machine
from netplan_planner.model.plans.connections import Connections
from netplan_planner.optimise.job.rates import Offer, offers_for, outside_ingress_gbps, priced
from netplan_planner.throughput import predict_all, type_end
from netplan_planner.throughput.limits.ends import ANYBODY, described_end
from netplan_planner.throughput.volumes import path_between
from netplan_planner.verbs.transfer.ask import VCPU_GBPS, TransferNeed
from netplan_planner.verbs.transfer.hops import Hop

GIVEN_MACHINE = "stated (--machine-usd-per-hour)"
_ARM = "ARM64"


class Machine(NamedTuple):
    """A machine type with one of its caps in a place; or a machine of a given grid."""

    place: str
    offer: Offer | None
    """None: of a given grid."""
    prices: tuple[model.Price, ...]
    """An hour: itself, its Tier_1 fee, its external address; empty: not told."""
    inside: model.Estimate
    """What it sends to other regions inside the VPC, and what it takes of it."""
    outside: model.Estimate | None
    """What it sends to addresses outside of it; None: it has none of that."""
    ingress_gbps: float | None
    """What it takes from outside the VPC; None: no bound."""
    vcpu_gbps: float
    """What its vCPUs move each way."""
    disk: Disk | None = None
    """What it reads and writes at an end; None: no disk is in the way."""

    @property
    def name(self) -> str:
        """The machine type; empty: of a given grid."""
        return self.offer.shape.machine_type if self.offer else ""

    @property
    def is_tier1(self) -> bool:
        """Whether with Tier_1."""
        return self.offer.cap.is_tier1 if self.offer else False

    @property
    def platform(self) -> str:
        """The least CPU platform to ask for."""
        return self.offer.cap.min_cpu_platform if self.offer else ""

    @property
    def usd_per_hour(self) -> Decimal | None:
        """Of one, all that it is paid for; None: not told."""
        return sum((p.usd for p in self.prices), Decimal(0)) if self.prices else None

    @property
    def note(self) -> str:
        """What to know of it."""
        if self.offer is None:
            return ""
        arm = "Arm: needs an Arm image" if self.offer.shape.architecture == _ARM else ""
        return "; ".join(filter(None, (arm, self.offer.cap.caution)))


def job_need(need: TransferNeed, region: str, *, is_outside: bool) -> model.JobNeed:
    """Return a transfer's share of a region as a job that sends, whose offers are the same."""
    place = model.JobPlace.INTERNET if is_outside else model.JobPlace.REGION
    return model.JobNeed(
        region=region,
        out_bytes=need.volume_bytes,
        target=model.JobEnd(place=place),
        machine_types=need.machine_types,
        series=need.series,
        architecture=need.architecture,
        memory_gib=need.memory_gib,
        usage=need.usage,
        startup_s=need.startup_s,
        lost_work_s=need.lost_work_s,
        interruptions_per_day=need.interruptions_per_day,
        parallel_ratio=0.0,
    )


def machines_in(
    need: TransferNeed,
    place: str,
    prices: model.PriceBook,
    caps: model.CapsBook,
    *,
    sends_outside: bool,
    is_addressed: bool,
    disk: Disk | None,
) -> tuple[list[Machine], tuple[model.Rejected, ...]]:
    """Return the machines of a region that no other beats, and those that cannot be judged.

    Of machines whose disk limit is not documented only the others are taken, if there are any.

    Args:
        need: Which machines are considered.
        place: The region.
        prices: By hour.
        caps: What each carries.
        sends_outside: Whether any hop of the region leaves the VPC.
        is_addressed: Whether machines have external addresses.
        disk: Of its machines; None: none is in the way.
    """
    inside = job_need(need, place, is_outside=False)
    found = offers_for(inside, prices, caps)
    hourly, missing = priced(found.offers, prices, need.usage)
    outside = _outside(found.offers.rows, caps, sends_outside=sends_outside, is_own=is_addressed)
    address: tuple[model.Price, ...] = ()
    if is_addressed:
        use = (
            model.AddressUse.SPOT_VM
            if need.usage is model.Usage.SPOT
            else model.AddressUse.STANDARD_VM
        )
        address = (prices.external_address(use, place),)
    listed: list[Machine] = []
    unknown: list[Machine] = []
    for offer, price, out in zip(found.offers.rows, hourly, outside, strict=True):
        if price is None or offer.shape.vcpus < need.vcpus:
            continue
        if out is not None and not out.gbps:
            continue
        own = (price.machine, *((price.tier1,) if price.tier1 else ()), *address)
        estimate = offer.estimates[model.JobPhase.OUT]
        ingress = outside_ingress_gbps(offer.cap)
        moved = offer.shape.vcpus * (need.vcpu_gbps or VCPU_GBPS)
        if need.machine_gbps is not None:
            moved = need.machine_gbps
        held = disk and on_machine(disk, offer.shape)
        of = listed if held or disk is None else unknown
        of.append(Machine(place, offer, own, estimate, out, ingress, moved, held or disk))
    refused = [_no_limit(one) for one in unknown] if listed else []
    return _unbeaten(listed or unknown), (*found.unknown, *missing, *refused)


def _no_limit(machine: Machine) -> model.Rejected:
    disk_type = machine.disk.disk_type if machine.disk else ""
    return model.Rejected(
        machine_type=machine.name,
        is_tier1=machine.is_tier1,
        reason="cap",
        detail=f"no limit of {disk_type} on it is known (--disk RATE)",
    )


def _outside(
    offers: Sequence[Offer], caps: model.CapsBook, *, sends_outside: bool, is_own: bool
) -> Iterator[model.Estimate | None]:
    """Yield what each sends to addresses outside the VPC; None: it sends nothing there."""
    if not (sends_outside or is_own):
        yield from (None for _ in offers)
        return
    queries = [outside_query(one, sends_outside=sends_outside) for one in offers]
    yield from predict_all(queries, caps)


def outside_query(offer: Offer, *, sends_outside: bool) -> model.PathQuery:
    """Return the path out of the VPC: to the internet, else to a machine of the same type."""
    end = type_end(
        offer.shape.machine_type,
        is_tier1=offer.cap.is_tier1,
        cpu_platform=offer.cap.min_cpu_platform,
    )
    path = model.PathClass.INTERNET if sends_outside else model.PathClass.INTER_REGION_EXTERNAL
    return model.PathQuery(path_class=path, src=end, dst=ANYBODY if sends_outside else end)


def _unbeaten(machines: Sequence[Machine]) -> list[Machine]:
    """Return the machines to which no other is equal or better in price and all rates."""
    ordered = sorted(
        machines,
        key=lambda one: (
            one.usd_per_hour or Decimal(0),
            -(one.inside.gbps or 0.0),
            one.name,
            one.is_tier1,
            one.platform,
        ),
    )
    kept: list[Machine] = []
    for one in ordered:
        rates = _rates(one)
        if not any(all(a >= b for a, b in zip(_rates(k), rates, strict=True)) for k in kept):
            kept.append(one)
    return kept


def _rates(machine: Machine) -> tuple[float, ...]:
    outside = machine.outside.gbps if machine.outside else None
    ingress = machine.ingress_gbps
    inside = min(machine.inside.gbps or 0.0, machine.vcpu_gbps)
    disk = (machine.disk.read_mib_per_s, machine.disk.write_mib_per_s) if machine.disk else ()
    held = (math.inf if one is None else one for one in disk)
    taken = math.inf if ingress is None else ingress
    return inside, outside or 0.0, taken, machine.vcpu_gbps, *held


def hop_query(
    hop: Hop, sender: Machine, receiver: Machine | None, sent: Connections | None = None
) -> model.PathQuery | None:
    """Return the path of a hop between two machines; None where the model has none.

    Where nobody knows how long the way is, as many connections are taken as it takes.
    """
    if sender.offer is None or hop.path_class in {None, model.PathClass.GOOGLE_APIS}:
        return None
    assert hop.path_class is not None
    src = _end(sender, hop.src)
    if hop.path_class is model.PathClass.INTERNET:
        receiver = None
    dst = ANYBODY if receiver is None else _end(receiver, hop.dst)
    query = path_between(hop.path_class, src, dst, sent)
    if query.rtt_ms is None and query.streams is not None:
        return path_between(hop.path_class, src, dst)
    return query


def _end(machine: Machine, place: str) -> model.PathEnd:
    return described_end(
        machine.name,
        place=place,
        is_tier1=machine.is_tier1,
        cpu_platform=machine.platform or None,
    )


def given_machine(
    need: TransferNeed, place: str, prices: model.PriceBook, disk: Disk | None
) -> Machine:
    """Return the machine of a given grid in a place, with its price where that is told or named."""
    nothing = model.Estimate(gbps=None)
    own: tuple[model.Price, ...] = ()
    if need.machine_usd_per_hour is not None:
        own = (
            model.Price(
                usd=need.machine_usd_per_hour,
                unit="hour",
                description="given",
                as_of=prices.info.as_of,
                source=GIVEN_MACHINE,
            ),
        )
    elif len(need.machine_types) == 1 and place in prices.regions():
        try:
            own = (prices.machine(place, need.machine_types[0], need.usage),)
        except MissingDatum:
            own = ()
    return Machine(place, None, own, nothing, None, None, math.inf, disk)
