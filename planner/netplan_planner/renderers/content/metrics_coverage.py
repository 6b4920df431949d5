"""What a report says of the metrics that it rests on."""

from collections.abc import Iterator

from netplan_planner.model import MetricsCoverage
from netplan_planner.renderers import figures
from netplan_planner.renderers.document import Block, Field, line


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
