"""The machines that a job may run on: what each moves in every phase, and what it is paid by hour.

What a machine moves is the throughput model's, at its likely value or at a quantile of it; figures
that somebody measured bound it. A type that cannot be judged is refused with the reason.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.offers import askable, filtered_by, rejection
from netplan_planner.throughput import predict_all
from netplan_planner.throughput.limits.bounds import DEFAULT_MTU_BYTES
from netplan_planner.throughput.limits.ends import ANYBODY, described_end
from netplan_planner.throughput.volumes import PathRates, path_between
from netplan_planner.units import BITS_PER_BYTE, BITS_PER_GIGABIT

Column = NDArray[np.float64]

CLASSES = {
    model.JobPlace.ZONE: model.PathClass.SAME_ZONE_INTERNAL,
    model.JobPlace.INTERNAL: model.PathClass.INTER_ZONE_INTERNAL,
    model.JobPlace.REGION: model.PathClass.INTER_REGION_INTERNAL,
    model.JobPlace.INTERNET: model.PathClass.INTERNET,
    model.JobPlace.STORAGE: model.PathClass.GOOGLE_APIS,
}
MEASURED = "measured-rate"
"""What bounds a phase whose rate was given with the question."""
EXTERNAL_INGRESS = "external-ingress"
_ELSEWHERE = described_end(None, cloud="the internet")
"""A sender of which nothing is known."""


class Offer(NamedTuple):
    """A machine type with one of its caps, and the estimate of each phase that moves bytes."""

    shape: model.MachineShape
    cap: model.EgressCap
    estimates: Mapping[model.JobPhase, model.Estimate]


class HourPrices(NamedTuple):
    """What one machine costs an hour: itself, and its Tier_1 fee."""

    machine: model.Price
    tier1: model.Price | None

    @property
    def usd(self) -> Decimal:
        """Both together."""
        return self.machine.usd + (self.tier1.usd if self.tier1 else 0)


class Offers:
    """The machines of one job, in rising order of name; columns have one row for each."""

    def __init__(self, need: model.JobNeed, offers: Sequence[Offer], caps: model.CapsBook) -> None:
        self.need = need
        self.rows = tuple(offers)
        self.caps = caps
        self._paths: dict[model.JobPhase, tuple[list[int], PathRates]] = {}

    @cached_property
    def vcpus(self) -> Column:
        """VCPUs of one machine."""
        return np.array([float(offer.shape.vcpus) for offer in self.rows])

    def gbps(
        self, phase: model.JobPhase, sent_bytes: Column, quantile: float | None = None
    ) -> Column:
        """Return what one machine moves in a phase, infinite where it moves nothing.

        Args:
            phase: Of the job.
            sent_bytes: By one machine; axes: machine, number of them.
            quantile: Of the rate, 0.005 to 0.995; None: the likely value.
        """
        if not moved_bytes(self.need, phase):
            return np.full_like(sent_bytes, np.inf)
        told = np.array([offer.estimates[phase].gbps or 0.0 for offer in self.rows])
        rates = np.broadcast_to(told[:, None], sent_bytes.shape).copy()
        rows, paths = self._paths_of(phase)
        taken = [outside_gbps(self.need, phase, self.rows[row]) or np.inf for row in rows]
        rates[rows] = np.minimum(paths.at(sent_bytes[rows], quantile), np.array(taken)[:, None])
        most = given_gbps(self.need, phase)
        found_gbps: Column = np.minimum(rates, np.inf if most is None else most)
        return found_gbps

    def _paths_of(self, phase: model.JobPhase) -> tuple[list[int], PathRates]:
        """Return the machines whose phase is a path of the model, with these paths."""
        if phase not in self._paths:
            queries = [query_of(self.need, phase, offer) for offer in self.rows]
            rows = [row for row, query in enumerate(queries) if query is not None]
            paths = [query for query in queries if query is not None]
            self._paths[phase] = rows, PathRates(paths, self.caps)
        return self._paths[phase]


def moved_bytes(need: model.JobNeed, phase: model.JobPhase) -> int:
    """Return the bytes of a phase, of all machines together."""
    match phase:
        case model.JobPhase.IN:
            return need.in_bytes
        case model.JobPhase.OUT:
            return need.out_bytes
        case model.JobPhase.BETWEEN:
            return need.between_bytes
        case model.JobPhase.COMPUTE:
            return 0


def end_of(need: model.JobNeed, phase: model.JobPhase) -> model.JobEnd:
    """Return the other end of a phase."""
    match phase:
        case model.JobPhase.IN:
            return need.source
        case model.JobPhase.OUT:
            return need.target
        case model.JobPhase.BETWEEN | model.JobPhase.COMPUTE:
            return model.JobEnd()


def given_gbps(need: model.JobNeed, phase: model.JobPhase) -> float | None:
    """Return what one machine was measured to move in a phase at most."""
    return end_of(need, phase).gbps


def query_of(need: model.JobNeed, phase: model.JobPhase, offer: Offer) -> model.PathQuery | None:
    """Return the path of a phase; None where no path of the model stands for it.

    Of an unknown sender it knows what the windows of told connections let through.

    Inside the VPC the other machine is taken to be alike: no document states what one receives, and
    every wall that was measured lay between equal machines.
    """
    end = end_of(need, phase)
    from_outside = end.place is model.JobPlace.INTERNET and phase is model.JobPhase.IN
    if end.place is model.JobPlace.STORAGE or (from_outside and need.streams is None):
        return None
    is_far = end.place in {model.JobPlace.REGION, model.JobPlace.INTERNET}
    one, other = (
        described_end(
            offer.shape.machine_type,
            place=place,
            is_tier1=offer.cap.is_tier1,
            cpu_platform=offer.cap.min_cpu_platform or None,
        )
        for place in (need.region, end.region if is_far else need.region)
    )
    if end.place is model.JobPlace.INTERNET:
        other = _ELSEWHERE if from_outside else ANYBODY
    src, dst = (other, one) if phase is model.JobPhase.IN else (one, other)
    rtt_ms = need.rtt_ms if is_far else None
    return path_between(CLASSES[end.place], src, dst, need, rtt_ms=rtt_ms)


class Found(NamedTuple):
    """What there is to run a job on."""

    offers: Offers
    unknown: tuple[model.Rejected, ...]
    left_out: tuple[model.Rejected, ...]


def offers_for(need: model.JobNeed, prices: model.PriceBook, caps: model.CapsBook) -> Found:
    """Return the machines of the region that a job may run on, and why others are not among them.

    Raises:
        MissingDatum: If the region is not known.
    """
    unknown: list[model.Rejected] = []
    left_out: list[model.Rejected] = []
    offered = {shape.machine_type: shape for shape in prices.offered(need.region)}
    found: list[Offer] = []
    for name in sorted(set(need.machine_types) or offered):
        shape = offered.get(name) or _custom(name, need, prices)
        if shape is None:
            unknown.append(_missing(name, need, prices))
            continue
        reason, detail = _kept_out(need, shape)
        variants = askable(caps.variants(name))
        if reason:
            is_asked = bool(need.machine_types)
            (unknown if is_asked else left_out).append(rejection(name, reason, detail))
        elif not variants:
            unknown.append(rejection(name, "cap", caps.unknown_reason(name)))
        else:
            found += [Offer(shape, cap, {}) for cap in variants]
    judged: list[Offer] = []
    for offer, estimates in zip(found, _estimates(need, found, caps), strict=True):
        why = [f"{phase}: {'; '.join(e.unknown)}" for phase, e in estimates.items() if not e.gbps]
        name, is_tier1 = offer.shape.machine_type, offer.cap.is_tier1
        if why:
            unknown.append(rejection(name, "cap", "; ".join(why), is_tier1=is_tier1))
            continue
        judged.append(offer._replace(estimates=estimates))
    return Found(Offers(need, judged, caps), tuple(unknown), tuple(left_out))


def _custom(name: str, need: model.JobNeed, prices: model.PriceBook) -> model.MachineShape | None:
    """Return the shape of a custom type that the region offers."""
    return prices.shape(name) if prices.is_offered(need.region, name) else None


def _missing(name: str, need: model.JobNeed, prices: model.PriceBook) -> model.Rejected:
    if prices.shape(name) is None:
        return rejection(name, "vcpus", "its vCPUs are unknown")
    return rejection(name, "not-offered", f"not offered in {need.region}")


def _kept_out(need: model.JobNeed, shape: model.MachineShape) -> tuple[str, str]:
    """Return why a type is not for this job, or empty texts; types asked for by name are."""
    is_named = bool(need.machine_types)
    if shape.memory_gib < need.memory_gib:
        return "memory", f"{shape.memory_gib:g} GiB, not {need.memory_gib:g}"
    filters = model.MachineNeed(
        gbps=0.0,
        region=need.region,
        series=() if is_named else need.series,
        architecture=None if is_named else need.architecture,
        allow_gpu=is_named,
    )
    reason, detail = filtered_by(filters, shape)
    if reason == "shared-core":
        return reason, "its share of physical cores is unknown"
    return reason, detail


def _estimates(
    need: model.JobNeed, offers: Sequence[Offer], caps: model.CapsBook
) -> Iterator[dict[model.JobPhase, model.Estimate]]:
    """Yield for each machine what it moves in each phase that moves bytes."""
    phases = [phase for phase in model.JobPhase if moved_bytes(need, phase)]
    columns = {phase: list(_phase(need, phase, offers, caps)) for phase in phases}
    for row in range(len(offers)):
        yield {phase: column[row] for phase, column in columns.items()}


def _phase(
    need: model.JobNeed, phase: model.JobPhase, offers: Sequence[Offer], caps: model.CapsBook
) -> Iterator[model.Estimate]:
    queries = [query_of(need, phase, offer) for offer in offers]
    found = iter(predict_all([query for query in queries if query is not None], caps))
    for offer, query in zip(offers, queries, strict=True):
        of_path = next(found) if query is not None else None
        if of_path is not None and query is not None and query.src != _ELSEWHERE:
            yield of_path
            continue
        told = _told(need, phase, offer)
        is_less = of_path is not None and of_path.gbps and of_path.gbps < (told.gbps or math.inf)
        yield of_path if of_path is not None and is_less else told


def _told(need: model.JobNeed, phase: model.JobPhase, offer: Offer) -> model.Estimate:
    """Return what bounds a phase of which the model has no path: a document, else the question."""
    end, taken = end_of(need, phase), outside_gbps(need, phase, offer)
    if taken is not None:
        return model.Estimate(gbps=taken)
    if end.gbps is not None:
        return model.Estimate(gbps=end.gbps)
    return model.Estimate(
        gbps=None, unknown=(f"its rate from or to {end.place} is not documented",)
    )


def outside_gbps(need: model.JobNeed, phase: model.JobPhase, offer: Offer) -> float | None:
    """Return what a machine takes in a phase from outside the VPC at most; None: no such limit."""
    is_outside = phase is model.JobPhase.IN and need.source.place is model.JobPlace.INTERNET
    return outside_ingress_gbps(offer.cap) if is_outside else None


def outside_ingress_gbps(cap: model.EgressCap) -> float | None:
    """Return what a machine takes from outside the VPC at most; None: no document states it.

    The documented caps of bits and of packets hold for machines of any size: a small one is taken
    to receive no more than it may send, as inside the VPC.
    """
    if cap.external_ingress_gbps is None:
        return None
    packets = cap.external_ingress_pps
    by_packets = math.inf
    if packets is not None:
        by_packets = packets * DEFAULT_MTU_BYTES * BITS_PER_BYTE / BITS_PER_GIGABIT
    return min(cap.external_ingress_gbps, by_packets, cap.egress_gbps)


def bound_by(offer: Offer, need: model.JobNeed, phase: model.JobPhase) -> str:
    """Return the name of what bounds the rate of one machine in a phase."""
    estimate = offer.estimates[phase]
    most = given_gbps(need, phase)
    if most is not None and most <= (estimate.gbps or 0.0):
        return MEASURED
    return estimate.binding.name if estimate.binding else EXTERNAL_INGRESS


def hour_prices(
    offer: Offer, need: model.JobNeed, prices: model.PriceBook, usage: model.Usage
) -> HourPrices:
    """Return what one machine costs an hour.

    Raises:
        MissingDatum: If the machine or its Tier_1 fee has no such price.
    """
    name = offer.shape.machine_type
    machine = prices.machine(need.region, name, usage)
    if not offer.cap.is_tier1:
        return HourPrices(machine, None)
    is_spot = usage is model.Usage.SPOT
    return HourPrices(
        machine, prices.tier1_fee(need.region, name, offer.cap.egress_gbps, is_spot=is_spot)
    )


def priced(
    offers: Offers, prices: model.PriceBook, usage: model.Usage
) -> tuple[list[HourPrices | None], tuple[model.Rejected, ...]]:
    """Return what each machine costs an hour, None where that is not known, and why it is not."""
    found: list[HourPrices | None] = []
    missing: list[model.Rejected] = []
    for offer in offers.rows:
        try:
            found.append(hour_prices(offer, offers.need, prices, usage))
        except MissingDatum as error:
            found.append(None)
            name, is_tier1 = offer.shape.machine_type, offer.cap.is_tier1
            missing.append(rejection(name, "price", str(error), is_tier1=is_tier1))
    return found, tuple(missing)
