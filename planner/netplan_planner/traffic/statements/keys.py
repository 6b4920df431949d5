"""Whole numbers that stand for times, for pairs of ends, and for ports."""

US_PER_MINUTE = 60_000_000
US_PER_MS = 1_000
MS_PER_MINUTE = 60_000
MINUTES_PER_DAY = 1440
US_PER_DAY = MINUTES_PER_DAY * US_PER_MINUTE

FIRST_US = 946_684_800_000_000
"""2000-01-01: no flow is older, and every minute since then fits the columns."""
LAST_US = 4_102_444_800_000_000
"""2100-01-01."""

NODES = 1 << 30
"""More than there are nodes: a pair of ends is the source's number times this plus the other's."""

SIDES = 4
"""A report is a pair of ends times this plus the side that reports it: SRC, DEST, SRC_GATEWAY,
DEST_GATEWAY. One number to group and join by takes a third less time than three columns."""

PORT_BASE = 65_537
"""Ports are stored with one added, so that 0 means none."""


def make_report(src_node: str, dst_node: str, side: str) -> str:
    """Return the SQL that makes a report of its parts."""
    return f"({src_node} * {NODES} + {dst_node}) * {SIDES} + {side}"


def pair_of(report: str) -> str:
    """Return the SQL of the pair of ends that a report is about."""
    return f"{report} // {SIDES}"


def side_of(report: str) -> str:
    """Return the SQL of the side that makes a report."""
    return f"({report} % {SIDES})"


def src_of(report: str) -> str:
    """Return the SQL of the source of a report."""
    return f"{report} // {SIDES * NODES}"


def dst_of(report: str) -> str:
    """Return the SQL of the destination of a report."""
    return f"(({report} // {SIDES}) % {NODES})"


def reporter_of(report: str) -> str:
    """Return the SQL of the end that makes a report."""
    return f"CASE WHEN {side_of(report)} IN (0, 2) THEN {src_of(report)} ELSE {dst_of(report)} END"


def share_until(position: str) -> str:
    """Return the SQL of a record's bytes from its beginning to that of a minute after its first.

    It takes `wire_bytes`, `offset_ms` and `duration_ms` of `f`; the product is taken in two parts,
    which keeps it within 64 bits.
    """
    elapsed = f"LEAST(GREATEST(({position}) * {MS_PER_MINUTE} - f.offset_ms, 0), f.duration_ms)"
    return (
        f"((f.wire_bytes // f.duration_ms) * {elapsed}"
        f" + ((f.wire_bytes % f.duration_ms) * {elapsed}) // f.duration_ms)"
    )


OFFSET_MS = f"offset_us // {US_PER_MS}"
DURATION_MS = f"GREATEST((offset_us + duration_us) // {US_PER_MS} - offset_us // {US_PER_MS}, 1)"
SPAN = f"(offset_us + duration_us - 1) // {US_PER_MINUTE}"
"""Of a staged record that covers more than its first minute: how many more."""

MOST_RTT_US = 2_000_000_000
"""A round trip of more than half an hour is none."""
_RTT_STEPS = tuple((10**digits * 10, 10**digits) for digits in range(1, 9))


def rtt_step(rtt_us: str) -> str:
    """Return the SQL of a round-trip time's step of the scale: its first two digits.

    Jitter would else make one group of almost every record.
    """
    cases = " ".join(
        f"WHEN {rtt_us} < {limit} THEN {rtt_us} // {s} * {s}" for limit, s in _RTT_STEPS
    )
    return f"CASE WHEN {rtt_us} < 10 THEN {rtt_us} {cases} ELSE {MOST_RTT_US} END"


def nodes_of(pair: int) -> tuple[int, int]:
    """Return the source and the destination of a pair.

    >>> nodes_of(3 * NODES + 7)
    (3, 7)
    """
    return divmod(pair, NODES)
