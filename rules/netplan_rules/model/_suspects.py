"""What can hold a run below its prediction, each with the evidence that points to it, ranked.

Where the model can predict the run with the suspect in it, that decides: a suspect that is on
record and brings the prediction down to the figure comes first.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from netplan_planner.model import Estimate, Facts, PathClass, PathQuery, Value
from netplan_planner.throughput.limits.shared_by import OF_VM
from netplan_planner.throughput.transport.tools import THREADED_TEXT
from netplan_planner.units import MS_PER_SECOND, bytes_from_gbps
from netplan_rules.shared.comparable import cpu_bound, is_one_thread, shown_tool
from netplan_rules.shared.measured import STOCK_CEILING_BYTES, Run, RunModel, has_small_ceiling
from netplan_rules.wording import gbps

_SHARED = "measured-below-model"
EXPLAINS, RECORDED, FITS, WEAK = range(4)
"""How a suspect stands: on record and enough for the figure; on record, its effect not known; not
on record, but the figure would fit; on record, but the prediction has it in it or needs more."""
_OF_A_CORE = frozenset({"single-flow-core", "internal-flow"})
_WINDOW = "window-over-rtt"
_HEADER_BYTES = 72
"""IPv6 and TCP with timestamps: what a packet has beside its segment at most."""
_SEGMENT_BYTES = 1408
"""Of the default MTU, where a run does not tell it."""


class Suspect(Value, frozen=True, kw_only=True):
    """One possible cause."""

    name: str
    standing: int
    """`EXPLAINS` first."""
    evidence: str
    advice: str


class Case(Value, frozen=True, kw_only=True):
    """A run below its prediction."""

    facts: Facts
    model: RunModel
    run: Run
    query: PathQuery
    estimate: Estimate

    def with_query(self, query: PathQuery) -> tuple[int, str]:
        """Return how a suspect stands that changes the query so, and what the model then says.

        It explains the figure if the rule would find nothing with it.
        """
        found = self.model.estimate(self.run, query)
        if found.gbps is None or found.low_gbps is None:
            return RECORDED, ""
        least = self.facts.threshold(_SHARED, "max_ratio") * found.gbps
        reaches = self.run.measurement.gbps >= min(found.low_gbps, least)
        return EXPLAINS if reaches else WEAK, f"; the prediction for that is {gbps(found.gbps)}"


def suspects_of(case: Case) -> tuple[Suspect, ...]:
    """Return the suspects of a run, the likeliest first; equal ones in the order of `_SOURCES`."""
    found = [suspect for source in _SOURCES for suspect in source(case)]
    return tuple(sorted(found, key=lambda suspect: suspect.standing))


def _cpu(case: Case) -> Iterator[Suspect]:
    bound = cpu_bound(case.facts, case.run)
    if bound:
        yield Suspect(
            name="cpu-bound",
            standing=EXPLAINS,
            evidence=f"the CPU was the limit: {bound}",
            advice=f"Measure with iperf3 {THREADED_TEXT} or newer, which gives each stream a"
            " thread. If a core is still full, use a type with more or newer vCPUs",
        )


def _one_thread(case: Case) -> Iterator[Suspect]:
    one = case.run.measurement
    if not is_one_thread(one):
        return
    alone = case.model.estimate(case.run, replace(case.query, streams=1))
    core = next((limit for limit in alone.limits if limit.name in _OF_A_CORE), None)
    least = None if core is None else core.low_gbps or core.gbps
    standing = RECORDED if least is None else EXPLAINS if one.gbps >= least else WEAK
    yield Suspect(
        name="one-thread",
        standing=standing,
        evidence=f"{shown_tool(one)} carried {one.streams} streams in one thread",
        advice=f"Use iperf3 {THREADED_TEXT} or newer at both ends, or one process per stream",
    )


def _window(case: Case) -> Iterator[Suspect]:
    one, stock = case.run.measurement, case.model.stock_window_bytes(case.run)
    ceiling, rtt_ms = one.dst.receive_ceiling_bytes, case.query.rtt_ms
    if stock is None or not rtt_ms or not one.streams:
        return
    name = case.run.dst.name
    if ceiling is not None and has_small_ceiling(one):
        window = round(ceiling * stock / STOCK_CEILING_BYTES)
        standing, then = case.with_query(replace(case.query, window_bytes=window))
        yield Suspect(
            name="receive-ceiling",
            standing=standing,
            evidence=f"the maximum of net.ipv4.tcp_rmem on {name} is {ceiling:,} bytes, not"
            f" {STOCK_CEILING_BYTES:,} as on a stock image{then}",
            advice=f"Set the last value of net.ipv4.tcp_rmem on {name} to {STOCK_CEILING_BYTES} or"
            " more",
        )
    elif ceiling is None and case.query.window_bytes is None and _is_window_bound(case):
        each = bytes_from_gbps(one.gbps, rtt_ms / MS_PER_SECOND) / one.streams
        yield Suspect(
            name="window",
            standing=FITS,
            evidence=f"a receive window of {each / 1e6:.2g} MB instead of {stock / 1e6:.3g} would"
            " explain the result, and no window is recorded",
            advice=f"Read `sysctl net.ipv4.tcp_rmem` on {name}: a last value below"
            f" {STOCK_CEILING_BYTES} limits a stream; with more streams, each needs less",
        )


def _is_window_bound(case: Case) -> bool:
    limit = case.estimate.binding
    return limit is not None and limit.name == _WINDOW


def _tier1(case: Case) -> Iterator[Suspect]:
    src = case.run.src
    variants = case.model.caps(case.run).variants(src.machine_type)
    if not case.query.src.is_tier1 or not any(cap.is_tier1 for cap in variants):
        return
    plain = replace(case.query, src=replace(case.query.src, is_tier1=False))
    standing, then = case.with_query(plain)
    stated = {nic.nic_type for nic in src.interfaces[:1]}
    kind = case.run.measurement.src.nic_type or next(iter(stated), None)
    advice = f"Recreate {src.name} with a gVNIC interface: Tier_1 has no effect without it"
    if kind == "VIRTIO_NET":
        text = f"{src.name} has Tier_1 set, but its interface is VirtIO{then}"
        yield Suspect(name="tier1-without-gvnic", standing=standing, evidence=text, advice=advice)
    elif kind is None and standing == EXPLAINS and _allows_virtio(case):
        text = f"{src.name} has Tier_1 set and its interface type is unknown{then}"
        yield Suspect(name="tier1-without-gvnic", standing=FITS, evidence=text, advice=advice)


def _allows_virtio(case: Case) -> bool:
    variants = case.model.caps(case.run).variants(case.run.src.machine_type)
    return any(cap.may_use("VIRTIO_NET") for cap in variants)


def _external(case: Case) -> Iterator[Suspect]:
    run, path_class = case.run, case.query.path_class
    has_inner = case.facts.inventory.reachable_interface(run.src, run.dst) is not None
    advice = f"Connect to {run.dst.name} at its internal address"
    if path_class.is_external_address:
        if has_inner:
            text = "it used an external address, which the prediction includes"
            yield Suspect(name="external-address", standing=WEAK, evidence=text, advice=advice)
        return
    has_outer = any(nic.external_ipv4 or nic.external_ipv6 for nic in run.dst.interfaces)
    if run.is_by_address or not has_outer:
        return
    outside = PathClass(f"{path_class.distance}-external")
    standing, then = case.with_query(replace(case.query, path_class=outside))
    if _sends_outside(case):
        text = f"the address is not recorded, and the flow logs show external addresses{then}"
        yield Suspect(name="external-address", standing=standing, evidence=text, advice=advice)
    elif standing == EXPLAINS:
        text = f"the address is not recorded, and {run.dst.name} has an external address{then}"
        yield Suspect(name="external-address", standing=FITS, evidence=text, advice=advice)


def _sends_outside(case: Case) -> bool:
    facts, ends = case.facts, {case.run.src.ref.self_link, case.run.dst.ref.self_link}
    if facts.traffic is None:
        return False
    return any(
        edge.path_class.is_external_address and {facts.src(edge).link, facts.dst(edge).link} == ends
        for edge in facts.traffic.edges
    )


def _other_traffic(case: Case) -> Iterator[Suspect]:
    limit, whole = case.estimate.binding, case.estimate.gbps
    if limit is None or whole is None or limit.name not in OF_VM:
        return
    others = _others_gbps(case, outside_only=limit.name == "external-egress")
    if others < case.facts.threshold(_SHARED, "other_traffic_ratio") * whole:
        return
    reaches = case.run.measurement.gbps + others >= (case.estimate.low_gbps or whole)
    yield Suspect(
        name="other-traffic",
        standing=EXPLAINS if reaches else WEAK,
        evidence=f"{case.run.src.name} sent {gbps(others)} to others at that time (flow logs, 95th"
        " percentile)",
        advice=f"Measure again while {case.run.src.name} is idle",
    )


def _others_gbps(case: Case, *, outside_only: bool) -> float:
    """Return what the sender sent to others in the window of the logs, if the run is in it."""
    traffic, run = case.facts.traffic, case.run
    if traffic is None or traffic.is_steady or run.started is None:
        return 0.0
    seen = traffic.vm_by_link.get(run.src.ref.self_link)
    if seen is None or not traffic.start <= run.started <= traffic.end:
        return 0.0
    return sum(
        edge.series.p95_gbps
        for edge in traffic.edges_by_src.get(seen.owner, ())
        if case.facts.dst(edge).link != run.dst.ref.self_link
        and (edge.path_class.leaves_vpc or not outside_only)
    )


def _retransmits(case: Case) -> Iterator[Suspect]:
    one = case.run.measurement
    if one.retransmit_count is None:
        return
    sent = one.byte_count or bytes_from_gbps(one.gbps, one.duration_s or 0.0)
    ratio = one.retransmit_count * (one.mss_bytes or _SEGMENT_BYTES) / sent if sent else 0.0
    if ratio > case.facts.threshold(_SHARED, "retransmit_ratio"):
        yield Suspect(
            name="retransmits",
            standing=RECORDED,
            evidence=f"{ratio:.2%} of the segments were retransmitted ({one.retransmit_count:,})",
            advice="Find the cause of the drops: both interfaces (`ethtool -S`), rate limits of the"
            " guest (`tc qdisc`), other traffic",
        )


def _small_packets(case: Case) -> Iterator[Suspect]:
    one = case.run.measurement
    inside = [case.model.mtu_bytes(machine) for machine in (case.run.src, case.run.dst)]
    known = [mtu for mtu in inside if mtu is not None]
    segment = one.mss_bytes + _HEADER_BYTES if one.mss_bytes else None
    used = min((size for size in (one.mtu_bytes, segment) if size), default=None)
    advice = "Give both interfaces the network's MTU, and both networks the same MTU"
    if used is not None and known and used < max(known):
        standing, then = case.with_query(_with_mtu(case.query, used))
        at_most = "" if used == one.mtu_bytes else "at most "
        text = f"packets had {at_most}{used:,} bytes; one of the two networks allows {max(known):,}"
        is_new = used != one.mtu_bytes
        yield Suspect(
            name="small-packets",
            standing=standing if is_new else WEAK,
            evidence=f"{text}{then if is_new else ', which the prediction includes'}",
            advice=advice,
        )
    elif len(set(known)) > 1:
        text = f"the networks have MTUs of {min(known):,} and {max(known):,} bytes"
        yield Suspect(name="small-packets", standing=WEAK, evidence=text, advice=advice)


def _with_mtu(query: PathQuery, mtu_bytes: int) -> PathQuery:
    return replace(
        query,
        src=replace(query.src, mtu_bytes=mtu_bytes),
        dst=replace(query.dst, mtu_bytes=mtu_bytes),
    )


def _both_ways(case: Case) -> Iterator[Suspect]:
    if case.run.measurement.is_bidirectional:
        yield Suspect(
            name="both-ways",
            standing=WEAK,
            evidence="both directions ran at the same time, which the prediction includes",
            advice="Measure each direction separately",
        )


_SOURCES: tuple[Callable[[Case], Iterator[Suspect]], ...] = (
    _cpu,
    _one_thread,
    _window,
    _tier1,
    _external,
    _other_traffic,
    _retransmits,
    _small_packets,
    _both_ways,
)
