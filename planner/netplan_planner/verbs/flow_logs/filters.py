"""Filters of flow logs that leave out records which neither dollars nor percentiles rest on.

A filter is proposed only where no promise can be broken by it: it leaves out no record that counts,
or only records of traffic whose price is known to be nothing, of machines that nothing is promised
of. What is left out is not there for any other use; each term says for which.

Operators, fields and the greatest length: docs.cloud.google.com/vpc/docs/about-flow-logs-records,
"Log filtering", 2026-04-08.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Network, collapse_addresses
from typing import NamedTuple

from netplan_planner.model import Edge, Facts, Instance, OwnerKind, PathClass, SelfLink
from netplan_planner.model.evidence.log_volume import INTERVALS_S, EdgeRecords
from netplan_planner.planning.flow_logs import Writer
from netplan_planner.verbs.flow_logs.bill import Priced

MOST_CHARACTERS = 2048
_WORTHWHILE = 0.01
"""A share of the records less than this is not worth what it hides."""
_WORTH_ITS_RULES = 0.1
"""The same where it hides what many rules look at."""
_PRIVATE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
"""RFC 1918."""
_UNLIKE = frozenset(
    {
        PathClass.LOAD_BALANCER,
        PathClass.NAT,
        PathClass.HYBRID,
        PathClass.SAME_NODE_POD,
        PathClass.SAME_ZONE_INTERNAL_POD,
    }
)
"""What can go to a private address in one zone, too, and means something else."""

HIDDEN_OF_RECEIVERS = ("drops-at-saturation",)
"""Rules that look at what receivers alone report."""
HIDDEN_IN_ZONES = (
    "drops-at-saturation",
    "egress-cap-saturated",
    "latency-critical-split",
    "oversized-for-bandwidth",
    "packet-rate-bound",
    "receiver-limited",
    "single-flow-limited",
)
"""Rules that look at rates and flows inside zones."""


class Term(NamedTuple):
    """What one part of a filter leaves out."""

    drops: str
    """In CEL: which records."""
    what: str
    hides: str
    """What cannot be told without them."""
    rules: tuple[str, ...]
    """Those that then see too little."""
    record_counts: Mapping[int, int]
    """Left out, by interval."""
    worthwhile_ratio: float
    """Of all records, those that it leaves out at least."""

    @property
    def keeps(self) -> str:
        """In CEL: which records stay."""
        return f"!({self.drops})"


def expression(terms: Sequence[Term]) -> str:
    """Return the filter of some terms, which keeps what none of them leaves out.

    >>> one = Term("true", "", "", (), {}, 0.0)
    >>> expression((one,)), expression((one, one._replace(drops="false")))
    ('!(true)', '!(true) && !(false)')
    """
    return " && ".join(term.keeps for term in terms)


def left_out(terms: Sequence[Term], interval_s: int) -> int:
    """Return how many records of an interval the terms leave out; no record is of two of them."""
    return sum(term.record_counts[interval_s] for term in terms)


def filter_terms(
    facts: Facts,
    writer: Writer,
    found: Sequence[Writer],
    priced: Priced,
    promised: frozenset[int],
    *,
    keeps_metadata: bool,
) -> tuple[Term, ...]:
    """Return what a writer's filter may leave out; nothing where it has a filter already.

    Args:
        facts: What was read.
        writer: Whose filter.
        found: All writers.
        priced: Which edges cost something, and which are known to cost nothing.
        promised: Owners whose percentiles are promised.
        keeps_metadata: Whether its records will have metadata, which a filter can then look at.
    """
    if writer.logs is None or writer.logs.filter_expr:
        return ()
    terms: list[Term] = []
    for term in (
        _told_by_sender(facts, writer, found),
        _in_zones(facts, writer, priced, promised) if keeps_metadata else None,
    ):
        if term is None or len(expression((*terms, term))) > MOST_CHARACTERS:
            continue
        shortest = INTERVALS_S[0]
        made = sum(one.record_count for one in writer.intervals(shortest))
        if term.record_counts[shortest] >= term.worthwhile_ratio * made:
            terms.append(term)
    return tuple(terms)


def _told_by_sender(facts: Facts, writer: Writer, found: Sequence[Writer]) -> Term | None:
    """Return the term for receivers' records whose sender's subnetwork reports the same."""
    taken = _received_from(facts, writer)
    if taken is None:
        return None
    counted = {s.place for one in found for s in one.sources if s.counted_count}
    senders: dict[SelfLink, dict[int, int]] = {}
    for interval_s in INTERVALS_S:
        for one in writer.intervals(interval_s):
            for link, records in one.told_by_sender:
                by_interval = senders.setdefault(link, dict.fromkeys(INTERVALS_S, 0))
                by_interval[interval_s] += records
    shortest = INTERVALS_S[0]
    drops, kept = "", set[SelfLink]()
    ranges: list[IPv4Network] = []
    for link in sorted(senders, key=lambda one: (-senders[one][shortest], one)):
        own = _ranges(facts, link)
        if link not in counted or not own or any(a.overlaps(b) for a in own for b in taken):
            continue
        wider = f'reporter == "DEST" && ({_any_in("src", [*ranges, *own])})'
        if len(f"!({wider})") <= MOST_CHARACTERS:
            drops, ranges = wider, [*ranges, *own]
            kept.add(link)
    if not kept:
        return None
    return Term(
        drops=drops,
        what="what VMs received from subnetworks that report the same as senders, whose "
        "records count",
        hides="packets dropped on arrival, whether both ends report the same, and these flows "
        "if a sender's subnetwork stops logging",
        rules=HIDDEN_OF_RECEIVERS,
        record_counts={
            interval_s: sum(senders[link][interval_s] for link in kept)
            for interval_s in INTERVALS_S
        },
        worthwhile_ratio=_WORTHWHILE,
    )


def _received_from(facts: Facts, writer: Writer) -> tuple[IPv4Network, ...] | None:
    """Return the internal ranges of machines whose records count at the receiver.

    None: not known of all of them, so that no range can be left out.
    """
    found: set[IPv4Network] = set()
    for records in _edges(writer):
        edge = facts.seen_traffic.edges[records.edge]
        owner = facts.src(edge)
        if not records.is_received or edge.path_class.is_external_address:
            continue
        if owner.kind is OwnerKind.LOAD_BALANCER:
            return None
        if owner.kind is OwnerKind.VM:
            instance = facts.instance(owner)
            own = _networks(_addresses(instance)) if instance is not None else None
            if own is None:
                return None
            found.update(own)
    return tuple(sorted(found))


def _addresses(instance: Instance) -> Iterator[str]:
    for nic in instance.interfaces:
        if nic.internal_ipv4:
            yield nic.internal_ipv4
        yield from nic.alias_ranges


def _networks(texts: Iterable[str]) -> tuple[IPv4Network, ...] | None:
    """Return ranges; None where one is not known: an alias can be a length alone, such as `/24`."""
    try:
        return tuple(IPv4Network(text, strict=False) for text in texts)
    except ValueError:
        return None


def _ranges(facts: Facts, link: SelfLink) -> tuple[IPv4Network, ...]:
    """Return the IPv4 ranges of a subnetwork; none where they are not in the inventory."""
    one = facts.inventory.subnetwork_by_link.get(link)
    if one is None or not one.ipv4_range:
        return ()
    return _networks((one.ipv4_range, *one.secondary_ranges)) or ()


def _in_zones(
    facts: Facts, writer: Writer, priced: Priced, promised: frozenset[int]
) -> Term | None:
    """Return the term for what machines send inside a zone, where that is free and not needed."""
    sent = [
        (records, facts.seen_traffic.edges[records.edge])
        for records in _edges(writer)
        if not records.is_received
    ]
    if any(edge.path_class in _UNLIKE for _, edge in sent):
        return None
    inside = [(r.edge, edge) for r, edge in sent if edge.path_class is PathClass.SAME_ZONE_INTERNAL]
    if not inside or any(
        number not in priced.free or edge.src in promised for number, edge in inside
    ):
        return None
    zones = sorted({zone for _, edge in inside if (zone := facts.src(edge).zone) is not None})
    # Of receivers that are not in the inventory it is not known whether the filter meets them.
    numbers = {number for number, edge in inside if _is_private(facts, edge)}
    same = " || ".join(
        f'(src_instance.zone == "{z}" && dest_instance.zone == "{z}")' for z in zones
    )
    return Term(
        drops='reporter == "SRC" && has(src_instance.zone) && has(dest_instance.zone) &&'
        f" ({same}) && ({_any_in('dest', _PRIVATE)})",
        what="traffic of VMs to internal addresses in their own zone, which is free, below "
        "the rate of the percentile goal",
        hides="rates, single flows, round trips and talkers inside these zones, also for VMs "
        "that send more later",
        rules=HIDDEN_IN_ZONES,
        record_counts={
            interval_s: sum(
                records.record_count
                for one in writer.intervals(interval_s)
                for records in one.edges
                if records.edge in numbers and not records.is_received
            )
            for interval_s in INTERVALS_S
        },
        worthwhile_ratio=_WORTH_ITS_RULES,
    )


def _is_private(facts: Facts, edge: Edge) -> bool:
    """Return whether the inventory has the receiver, with addresses of RFC 1918 alone."""
    instance = facts.instance(facts.dst(edge))
    own = _networks(_addresses(instance)) if instance is not None else None
    return bool(own) and all(any(one.subnet_of(wide) for wide in _PRIVATE) for one in own or ())


def _any_in(end: str, ranges: Iterable[IPv4Network]) -> str:
    """Return that an address is in one of some ranges; neighbours that make one are told as one."""
    whole = collapse_addresses(ranges)
    return " || ".join(f'inIpRange(connection.{end}_ip, "{one}")' for one in whole)


def _edges(writer: Writer) -> Iterator[EdgeRecords]:
    for one in writer.intervals(INTERVALS_S[0]):
        yield from one.edges
