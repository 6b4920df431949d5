"""The machines that a region offers, with what they carry and cost, prepared once for many needs.

A need splits in two: filters and terms (region, usage, series, …), which many needs share, and
amounts (bandwidth, vCPUs, memory). `Pool` holds everything that follows from the first part.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec
import numpy as np

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.machines import Fit, can_become
from netplan_planner.optimise.bill import MachineBill, machine_bill
from netplan_planner.throughput import predict_all, sending_query, single_flow, type_end
from netplan_planner.throughput.limits.ends import ANYBODY
from netplan_planner.throughput.volumes import PathRates, path_between

UNJUDGED = frozenset({"price", "cap", "flow"})
ARM = "ARM64"
"""As the Compute API spells the architecture."""
PATHS = {
    model.Destination.INTERNAL: model.PathClass.INTER_ZONE_INTERNAL,
    model.Destination.ZONE: model.PathClass.SAME_ZONE_INTERNAL,
    model.Destination.EXTERNAL: model.PathClass.INTERNET,
}


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One machine type of a region, with or without Tier_1, that passes the filters."""

    shape: model.MachineShape
    cap: model.EgressCap
    reached: model.Estimate
    """What it carries to the need's destination."""
    usable_gbps: float
    """The same after headroom."""
    usable_outside_gbps: float | None
    """To addresses outside the VPC after headroom; None: not known."""
    limit: model.Limit
    bill: MachineBill
    to_check: str = ""
    """What has to be looked at before a machine can become this type."""


class Size(NamedTuple):
    """What one machine of an offer has of each amount that a need can ask for."""

    usable_gbps: float
    vcpus: int
    memory_gib: float
    usable_outside_gbps: float | None
    """To addresses outside the VPC; None: not known."""


class RankKey(NamedTuple):
    """The place of a candidate in the ranking, the least first; unique."""

    is_peak: bool
    is_unknown: bool
    """Its price."""
    is_other: bool
    """Of another architecture than the first one."""
    has_to_check: bool
    usd: Decimal
    machine_count: int
    machine_type: str
    is_tier1: bool


class Pool:
    """The offers for one set of filters, and why every other type is not among them.

    Candidates and refusals are made once and shared by all needs: most rules ask for one machine
    after another in the same region.
    """

    def __init__(
        self,
        offers: list[Offer],
        rejected: list[model.Rejected],
        first_architecture: str | None = None,
    ) -> None:
        self.first_architecture = first_architecture
        self.offers = offers
        """By type name, the default before Tier_1."""
        self.sizes = [
            Size(o.usable_gbps, o.shape.vcpus, o.shape.memory_gib, o.usable_outside_gbps)
            for o in offers
        ]
        self.has_tier1 = [o.cap.is_tier1 for o in offers]
        self.place = {(o.shape.machine_type, o.cap.is_tier1): at for at, o in enumerate(offers)}
        ordered = sorted(rejected, key=lambda r: (r.machine_type, r.is_tier1))
        self.unjudged = tuple(r for r in ordered if r.reason in UNJUDGED)
        """Types without a price or a cap, or with too low a cap for one flow."""
        self.filtered = tuple(r for r in ordered if r.reason not in UNJUDGED)
        self._candidates: list[dict[int, tuple[RankKey, model.Candidate]]] = [{} for _ in offers]
        self._refusals: list[dict[tuple[str, int], model.Rejected]] = [{} for _ in offers]

    def candidate(self, index: int, count: int) -> tuple[RankKey, model.Candidate]:
        """Return `count` machines of an offer as an answer, with its place in the ranking."""
        found = self._candidates[index].get(count)
        if found is None:
            candidate = _candidate(self.offers[index], count)
            rank = _rank(candidate, self.first_architecture)
            found = self._candidates[index][count] = rank, candidate
        return found

    def keeping(
        self, ties: model.Ties, priced: Callable[[MachineBill, model.MachineShape], MachineBill]
    ) -> "Pool":
        """Return the offers that a machine with such ties can become, the others as refused.

        `priced` adds to a bill what the machine brings with it.
        """
        kept: list[Offer] = []
        refused = [*self.unjudged, *self.filtered]
        for offer in self.offers:
            verdict = can_become(ties, offer.shape)
            if verdict.fit is Fit.NO:
                name, is_tier1 = offer.shape.machine_type, offer.cap.is_tier1
                refused.append(rejection(name, verdict.reason, verdict.text, is_tier1=is_tier1))
            else:
                check = verdict.text if verdict.fit is Fit.CHECK else ""
                bill = priced(offer.bill, offer.shape)
                kept.append(msgspec.structs.replace(offer, bill=bill, to_check=check))
        return Pool(kept, refused, self.first_architecture)

    def refusal(self, index: int, reason: str, max_count: int) -> model.Rejected:
        """Return why an offer falls short even with `max_count` machines."""
        found = self._refusals[index].get((reason, max_count))
        if found is None:
            found = _refusal(self.offers[index], reason, max_count)
            self._refusals[index][reason, max_count] = found
        return found


def pool_key(need: model.MachineNeed) -> model.MachineNeed:
    """Return the part of a need that its offers depend on, with all amounts at zero."""
    return msgspec.structs.replace(
        need,
        gbps=0.0,
        outside_gbps=0.0,
        vcpus=0,
        memory_gib=0.0,
        max_count=1,
        basis="",
        ties=None,
    )


class _Variant(NamedTuple):
    """A machine type that passes the filters, with one of its caps."""

    shape: model.MachineShape
    cap: model.EgressCap


def build_pool(need: model.MachineNeed, prices: model.PriceBook, caps: model.CapsBook) -> Pool:
    """Return the offers for the filters and terms of a need; amounts do not matter."""
    offers: list[Offer] = []
    rejected: list[model.Rejected] = []
    variants: list[_Variant] = []
    offered = sorted(prices.offered(need.region), key=lambda shape: shape.machine_type)
    is_there = in_zone(prices, [shape.machine_type for shape in offered], need.zone)
    for shape, is_in_zone in zip(offered, is_there, strict=True):
        name = shape.machine_type
        reason, detail = filtered_by(need, shape)
        if not reason and not is_in_zone:
            reason, detail = "not-offered", f"not offered in {need.zone}"
        variants_of = askable(caps.variants(name))
        if not reason and not variants_of:
            reason, detail = "cap", caps.unknown_reason(name)
        if reason:
            rejected.append(rejection(name, reason, detail))
        else:
            variants += [_Variant(shape, cap) for cap in variants_of]
    for variant, reached in zip(variants, _reached(need, variants, caps), strict=True):
        found = _offer(need, variant, reached, prices)
        if isinstance(found, Offer):
            offers.append(found)
        else:
            rejected.append(found)
    rejected += _elsewhere(need, {shape.machine_type for shape in offered}, prices)
    return Pool(offers, rejected, need.first_architecture)


def in_zone(prices: model.PriceBook, machine_types: Sequence[str], zone: str | None) -> list[bool]:
    """Return which types of a region a zone offers.

    A type whose zones are not known counts as there. So does every type of the region in a zone
    that no type is listed for, and without a zone.
    """
    zones = [prices.zones(name) for name in machine_types]
    is_listed = any(zone in of for of in zones if of is not None)
    return [of is None or zone in of or not is_listed for of in zones]


def filtered_by(need: model.MachineNeed, shape: model.MachineShape) -> tuple[str, str]:
    """Return the filter of a need that keeps a type out and how, or empty texts."""
    if shape.deprecation is not None:
        return "deprecated", f"{shape.deprecation} in the Compute API"
    if need.series and model.series_of(shape.machine_type) not in need.series:
        return "series", f"not of {', '.join(need.series)}"
    if need.architecture is not None and shape.architecture != need.architecture:
        return "architecture", f"{shape.architecture or 'unknown'}, not {need.architecture}"
    if shape.is_shared_core and not need.allow_shared_core:
        return "shared-core", "burst only: its vCPUs are shared"
    if shape.gpu_count and not need.allow_gpu:
        return "gpu", f"includes GPUs: {shape.gpu_count}"
    return "", ""


def _offer(
    need: model.MachineNeed, variant: _Variant, reached: "_Reached", prices: model.PriceBook
) -> Offer | model.Rejected:
    name, cap = variant.shape.machine_type, variant.cap
    estimate, why_not = reached
    if estimate is None or estimate.gbps is None or estimate.binding is None:
        return rejection(name, *why_not, is_tier1=cap.is_tier1)
    try:
        bill = machine_bill(prices, need, name, cap.egress_gbps if cap.is_tier1 else None)
    except MissingDatum as missing:
        return rejection(name, "price", str(missing), is_tier1=cap.is_tier1)
    free, outside = 1 - need.headroom_ratio, cap.external_gbps
    return Offer(
        shape=variant.shape,
        cap=cap,
        reached=estimate,
        usable_gbps=estimate.gbps * free,
        usable_outside_gbps=None if outside is None else outside * free,
        limit=estimate.binding,
        bill=bill,
    )


def query_to(need: model.MachineNeed, end: model.PathEnd) -> model.PathQuery:
    """Return the path from a machine to where its bandwidth goes, as far as that is told."""
    far = need.far
    if far == model.FarEnd():
        return sending_query(PATHS[need.destination], end)
    is_near = far.region in {None, need.region}
    path_class = PATHS[need.destination] if is_near else model.PathClass.INTER_REGION_INTERNAL
    src = msgspec.structs.replace(end, region=end.region or model.Region(need.region))
    dst = msgspec.structs.replace(
        src,
        machine_type=far.machine_type or src.machine_type,
        zone=None,
        region=model.Region(far.region or need.region),
    )
    return path_between(
        path_class,
        src,
        dst if path_class.is_between_own_vms else ANYBODY,
        far,
        rtt_ms=far.rtt_ms,
    )


def predicted_to(
    need: model.MachineNeed, queries: Sequence[model.PathQuery], caps: model.CapsBook
) -> Iterator[model.Estimate]:
    """Yield what machines carry to where the bandwidth goes, over the transfer that is told."""
    found = predict_all(queries, caps)
    if need.far.transfer_bytes is None:
        yield from found
        return
    sent = np.full((len(queries), 1), float(need.far.transfer_bytes))
    rates = PathRates(queries, caps).over(sent)
    for row, estimate in enumerate(found):
        if estimate.gbps is None:
            yield estimate
            continue
        mean, low, high = (float(one[row, 0]) for one in rates[:3])
        yield msgspec.structs.replace(estimate, gbps=mean, low_gbps=low, high_gbps=high)


def askable(variants: Sequence[model.EgressCap]) -> list[model.EgressCap]:
    """Return the variants that a user can ask for.

    Where the cap depends on the CPU platform, a least platform can be asked for at no price, and
    without one the cap is not known; an old platform cannot be asked for.
    """
    return [cap for cap in variants if not cap.cpu_platform or cap.min_cpu_platform]


class _Reached(NamedTuple):
    """What a variant carries to the destination, or the reason why it cannot do, in two texts."""

    estimate: model.Estimate | None
    why_not: tuple[str, str] = ("", "")


def _reached(
    need: model.MachineNeed, variants: Sequence[_Variant], caps: model.CapsBook
) -> Iterator[_Reached]:
    """Yield for each variant what it carries to the destination."""
    ends = [
        type_end(cap.machine_type, is_tier1=cap.is_tier1, cpu_platform=cap.min_cpu_platform)
        for _, cap in variants
    ]
    queries = [query_to(need, end) for end in ends]
    for query, estimate in zip(queries, predicted_to(need, queries, caps), strict=True):
        if estimate.gbps is None:
            yield _Reached(None, ("cap", "; ".join(estimate.unknown)))
            continue
        flow = single_flow(query, caps) if need.min_flow_gbps else None
        if flow is not None and (flow.gbps is None or flow.gbps < need.min_flow_gbps):
            name = flow.binding.name if flow.binding else "unknown"
            text = f"one flow gets at most {flow.gbps or 0:g} Gbit/s ({name})"
            yield _Reached(None, ("flow", text))
        else:
            yield _Reached(estimate)


def _elsewhere(
    need: model.MachineNeed, offered: set[str], prices: model.PriceBook
) -> Iterator[model.Rejected]:
    """Yield every type that some other region offers and this one does not."""
    known = {shape.machine_type for r in prices.regions() for shape in prices.offered(r)}
    for name in sorted(known - offered):
        yield rejection(name, "not-offered", f"not offered in {need.region}")


def rejection(name: str, reason: str, detail: str, *, is_tier1: bool = False) -> model.Rejected:
    """Return why a type is left out."""
    return model.Rejected(machine_type=name, is_tier1=is_tier1, reason=reason, detail=detail)


def _candidate(offer: Offer, count: int) -> model.Candidate:
    one = offer.bill.usd_per_month
    arm = "Arm: needs an Arm image" if offer.shape.architecture == ARM else ""
    check = f"check first: {offer.to_check}" if offer.to_check else ""
    notes = [offer.bill.unknown, check, arm, offer.cap.caution]
    return model.Candidate(
        machine_type=offer.shape.machine_type,
        count=count,
        is_tier1=offer.cap.is_tier1,
        vcpus=offer.shape.vcpus,
        memory_gib=offer.shape.memory_gib,
        cap_gbps=offer.reached.gbps or 0.0,
        low_gbps=offer.reached.low_gbps,
        high_gbps=offer.reached.high_gbps,
        usable_gbps=rounded(offer.usable_gbps * count),
        usd_per_month=None if one is None else one * count,
        line_items=offer.bill.lines(count),
        limit=offer.limit,
        cpu_platform=offer.cap.min_cpu_platform,
        note="; ".join(note for note in notes if note),
        is_peak=offer.cap.is_peak,
        architecture=offer.shape.architecture,
        to_check=offer.to_check,
    )


def _rank(candidate: model.Candidate, first_architecture: str | None) -> RankKey:
    usd = candidate.usd_per_month
    return RankKey(
        is_peak=candidate.is_peak,
        is_unknown=usd is None,
        is_other=first_architecture not in {None, candidate.architecture},
        has_to_check=bool(candidate.to_check),
        usd=Decimal(0) if usd is None else usd,
        machine_count=candidate.count,
        machine_type=candidate.machine_type,
        is_tier1=candidate.is_tier1,
    )


def _refusal(offer: Offer, reason: str, max_count: int) -> model.Rejected:
    alone = max_count == 1
    outside = rounded((offer.usable_outside_gbps or 0) * max_count)
    carries, has = ("carries", "has") if alone else (f"{max_count} carry", f"{max_count} have")
    usable = rounded(offer.usable_gbps * max_count)
    details = {
        "bandwidth": f"{carries} {usable:g} Gbit/s after headroom",
        "vcpus": f"{has} {offer.shape.vcpus * max_count} vCPUs",
        "memory": f"{has} {offer.shape.memory_gib * max_count:g} GiB",
        "outside": f"{carries} {outside:g} Gbit/s to external addresses after headroom",
        "outside-unknown": "its bandwidth to external addresses is unknown",
        "dominated": "the same number of VMs is enough without Tier_1",
    }
    name = offer.shape.machine_type
    word = {"outside": "bandwidth", "outside-unknown": "cap"}.get(reason, reason)
    return rejection(name, word, details[reason], is_tier1=offer.cap.is_tier1)


def rounded(gbps: float) -> float:
    """Return a rate without the noise of binary fractions, to 1 bit/s."""
    return round(gbps, 9)
