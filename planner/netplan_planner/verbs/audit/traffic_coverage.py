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
    left_out = line(", left out: ", joined(reasons)) if reasons else ()
    if excluded and not reasons:
        left_out = line(f", {excluded:,} left out")
    examples = read.examples[: options.member_limit]
    more = tuple(line(phrases.place(bad.source), f": {bad.reason}") for bad in examples)
    yield Field(label="records", line=line(f"{used} in {inputs}", left_out), more=more)
    yield Field(label="owners", line=_owners(read))
    yield Field(label="counted", line=_reporters(read))
    if read.dropped_packets:
        text = f"{figures.counted(read.dropped_packets, 'packet')} were dropped and carry no bytes"
        yield Field(label="dropped", line=line(text), more=tuple(map(_dropped, read.drops)))
    for note in read.notes:
        yield Field(label="note", line=line(note))


def _of_metrics(read: TrafficCoverage) -> Iterator[Block]:
    """Yield what traffic without flow logs rests on, and what it cannot say."""
    used = f"{read.used_count:,} of {figures.counted(read.record_count, 'series', 'series')}"
    yield Field(label="traffic", line=line(f"without flow logs: {used} of {read.source.value}"))
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
        why.append("silences of the whole input count as idle")
    if low < 1:
        why.append("the rest of a day counts as what was seen")
    bounds = (
        f"between {figures.number(low)} and {figures.number(high)} times what is stated if no time"
        " outside of the window is busier"
    )
    how = "name the window with --since and --until if the records are all that it had"
    yield Field(label="a month", line=line(f"is {bounds}: {' and '.join(why)}; {how}"))


def _dropped(drops: Drops) -> Line:
    where = "at the receiver, after the way" if drops.at_receiver else "at the sender, before it"
    packets = figures.counted(drops.packet_count, "packet")
    return line(say(drops.reason or "no reason stated", Role.NAME), f": {packets} {where}")


def _owners(read: TrafficCoverage) -> Line:
    whole = read.owned_bytes + read.unowned_bytes
    if not whole:
        return line("no bytes to own")
    share = fixed(figures.share(read.owned_bytes, whole))
    text = line(share, " of the bytes are between ends that are known, the internet among them")
    if read.unowned_bytes:
        text = line(text, f"; an end of {figures.byte_volume(read.unowned_bytes)} is not known")
    if read.assumed_bytes:
        assumed = figures.byte_volume(read.assumed_bytes)
        text = line(text, f"; {assumed} went to addresses whose holder then is assumed")
    return text


def _reporters(read: TrafficCoverage) -> Line:
    parts = [
        f"{figures.byte_volume(read.source_reported_bytes)} as the sources report",
        f"{figures.byte_volume(read.destination_reported_bytes)} as the destinations do",
    ]
    text = ", ".join(parts)
    if read.other_side_bytes:
        other = figures.byte_volume(read.other_side_bytes)
        text += f"; the other side of what both report says {other}"
    if read.header_bytes:
        text += f"; {figures.byte_volume(read.header_bytes)} of headers added"
    return line(text)


def metrics(read: MetricsCoverage) -> Iterator[Block]:
    """Yield how much was read of Cloud Monitoring, over what time and how finely."""
    counts = (
        f"{figures.counted(read.series_count, 'time series', 'time series')} with"
        f" {figures.counted(read.point_count, 'point')} of"
        f" {figures.counted(read.machine_count, 'machine')}"
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
