"""What a report says of the flow records that it rests on: how long, from whom, whose addresses."""

from collections.abc import Iterator

from netplan_planner.model import Drops, MetricsCoverage, TrafficCoverage, TrafficSource
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import Block, Field, Line, Role, fixed, joined, line, say
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.answer import WindowInfo


def traffic(read: TrafficCoverage, options: RenderOptions) -> Iterator[Block]:
    """Yield how much was read, and what is known of it."""
    excluded = read.record_count - read.used_count
    if read.source is TrafficSource.METRICS:
        yield from _of_metrics(read)
        return
    used = f"{read.used_count:,} of {figures.counted(read.record_count, 'flow record')}"
    inputs = figures.counted(read.tables or read.files, "table" if read.tables else "file")
    reasons = [line(f"{count:,} {reason}") for reason, count in read.excluded]
    left_out = line(", not used: ", joined(reasons)) if reasons else ()
    if excluded and not reasons:
        left_out = line(f", {excluded:,} not used")
    examples = read.examples[: options.member_limit]
    more = tuple(line(phrases.place(bad.source), f": {bad.reason}") for bad in examples)
    yield Field(label="records", line=line(f"{used} in {inputs}", left_out), more=more)
    yield Field(label="owners", line=_owners(read))
    yield Field(label="counted", line=_reporters(read))
    if read.dropped_packets:
        text = f"{figures.counted(read.dropped_packets, 'packet')} dropped, with no bytes stated"
        yield Field(label="dropped", line=line(text), more=tuple(map(_dropped, read.drops)))
    for note in read.notes:
        yield Field(label="note", line=line(note))


def _of_metrics(read: TrafficCoverage) -> Iterator[Block]:
    """Yield what traffic without flow logs rests on, and what it cannot say."""
    used = f"{read.used_count:,} of {figures.counted(read.record_count, 'series', 'series')}"
    yield Field(label="traffic", line=line(f"no flow logs: {used} of {read.source.value}"))
    yield Field(label="owners", line=_owners(read))
    yield Field(label="counted", line=_reporters(read))
    for note in read.notes:
        yield Field(label="note", line=line(note))


def month(window: WindowInfo | None) -> Iterator[Block]:
    """Yield what a month's volumes rest on, where the window leaves it open."""
    if window is None or window.start is None or window.is_asked:
        return
    low, high = window.month_low_ratio, window.month_high_ratio
    if low == high:
        return
    why = []
    if high > 1:
        why.append("gaps of the whole input count as idle")
    if low < 1:
        why.append("the rest of a day counts as the observed part")
    bounds = (
        f"{figures.number(low)} to {figures.number(high)}x the stated value, if no time outside "
        "the window is busier"
    )
    how = "if the records cover the full window, state it with --since and --until"
    yield Field(label="per month", line=line(f"volumes are {bounds}: {' and '.join(why)}; {how}"))


def _dropped(drops: Drops) -> Line:
    where = "at the receiver, after the path" if drops.at_receiver else "at the sender, before it"
    packets = figures.counted(drops.packet_count, "packet")
    return line(say(drops.reason or "reason not stated", Role.NAME), f": {packets} {where}")


def _owners(read: TrafficCoverage) -> Line:
    whole = read.owned_bytes + read.unowned_bytes
    if not whole:
        return line("no bytes")
    share = fixed(figures.share(read.owned_bytes, whole))
    text = line(share, " of the bytes have known ends (known internet addresses included)")
    if read.unowned_bytes:
        text = line(text, f"; one end of {figures.byte_volume(read.unowned_bytes)} is unknown")
    if read.assumed_bytes:
        assumed = figures.byte_volume(read.assumed_bytes)
        text = line(text, f"; {assumed} went to addresses with an assumed owner")
    return text


def _reporters(read: TrafficCoverage) -> Line:
    parts = [
        f"{figures.byte_volume(read.source_reported_bytes)} reported by sources",
        f"{figures.byte_volume(read.destination_reported_bytes)} by destinations",
    ]
    text = ", ".join(parts)
    if read.other_side_bytes:
        other = figures.byte_volume(read.other_side_bytes)
        text += f"; duplicates from the other side: {other}"
    if read.header_bytes:
        text += f"; headers added: {figures.byte_volume(read.header_bytes)}"
    return line(text)


def metrics(read: MetricsCoverage) -> Iterator[Block]:
    """Yield how much was read of Cloud Monitoring, over what time and how finely."""
    counts = (
        f"{figures.counted(read.series_count, 'time series', 'time series')} with "
        f"{figures.counted(read.point_count, 'point')} of "
        f"{figures.counted(read.machine_count, 'VM')}"
    )
    asked = figures.counted(len(read.projects), "project") if read.projects else ""
    files = figures.counted(read.files, "file") if read.files else ""
    where = " and ".join(filter(None, (asked, files)))
    when = ""
    if read.start is not None and read.end is not None:
        when = f", {read.start:%Y-%m-%d %H:%M} to {read.end:%Y-%m-%d %H:%M} UTC"
    if read.resolution_s:
        when += f", intervals of {figures.number(read.resolution_s)} s at most"
    yield Field(label="metrics", line=line(f"{counts} in {where}" if where else counts, when))
    for note in read.notes:
        yield Field(label="note", line=line(note))
