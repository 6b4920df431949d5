"""Whole numbers that stand for times, for pairs of ends, and for ports."""

US_PER_MINUTE = 60_000_000
US_PER_MS = 1_000
MS_PER_MINUTE = 60_000
MINUTES_PER_DAY = 1440

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


def nodes_of(pair: int) -> tuple[int, int]:
    """Return the source and the destination of a pair.

    >>> nodes_of(3 * NODES + 7)
    (3, 7)
    """
    return divmod(pair, NODES)
