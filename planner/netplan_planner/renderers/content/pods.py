"""The traffic of pods that costs most, and what near endpoints would save and cost in balance."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.model import Amount
from netplan_planner.model.pod_costs_report import NearSaving, PodPair
from netplan_planner.renderers import figures
from netplan_planner.renderers.content import phrases
from netplan_planner.renderers.document import (
    Block,
    Column,
    Line,
    Para,
    Role,
    Section,
    Table,
    fixed,
    line,
    say,
)
from netplan_planner.renderers.options import RenderOptions


def pod_pairs(pairs: Sequence[PodPair], options: RenderOptions) -> Iterator[Block]:
    """Yield the table of the dearest pairs of workloads; they are part of the bill above."""
    if not pairs:
        return
    yield Section(line=line("Pods that cost most, per month (part of the traffic above)"))
    columns = (
        Column(title="from"),
        Column(title="to"),
        Column(title="volume", is_number=True),
        Column(title="a month", is_number=True, stacked="a month: {}"),
        Column(title="note", is_note=True),
    )
    shown = pairs[: options.row_limit]
    yield Table(columns=columns, rows=tuple(_pair(pair) for pair in shown))
    if len(pairs) > len(shown):
        yield Para(line=line(f"and {len(pairs) - len(shown):,} more in --output json"))


def _pair(pair: PodPair) -> tuple[Line, ...]:
    return (
        line(say(_end(pair.src, pair.src_zone), Role.NAME, length=phrases.SUBJECT_LENGTH)),
        line(say(_end(pair.dst, pair.dst_zone), Role.NAME, length=phrases.SUBJECT_LENGTH)),
        line(fixed(figures.volume(pair.gib_per_month))),
        _usd(pair.usd_per_month),
        line(say(pair.unknown or (f"by {pair.service}" if pair.service else ""))),
    )


def _end(workload: str, zone: str) -> str:
    return f"{workload} ({zone})" if zone else workload


def _usd(usd: Decimal | None) -> Line:
    return line("not known") if usd is None else line(fixed(Amount(usd=usd)))


def near_savings(savings: Sequence[NearSaving], options: RenderOptions) -> Iterator[Block]:
    """Yield what near endpoints would save of each Service, the greatest saving first."""
    if not savings:
        return
    yield Section(line=line("Services with trafficDistribution: PreferClose, per month"))
    columns = (
        Column(title="Service"),
        Column(title="crosses zones", is_number=True),
        Column(title="would stay", is_number=True),
        Column(title="saves", is_number=True, stacked="saves: {}"),
        Column(title="fullest endpoint", is_note=True),
    )
    ordered = sorted(savings, key=lambda one: (-(one.saving_usd_per_month or 0), one.service))
    shown = ordered[: options.row_limit]
    yield Table(columns=columns, rows=tuple(_saving(one) for one in shown))
    if len(ordered) > len(shown):
        yield Para(line=line(f"and {len(ordered) - len(shown):,} more in --output json"))


def _saving(one: NearSaving) -> tuple[Line, ...]:
    crossing, saved = one.crossing_gib_per_month, one.saved_gib_per_month
    return (
        line(say(one.service, Role.NAME, length=phrases.SUBJECT_LENGTH)),
        line(fixed(figures.volume(crossing))) if crossing is not None else (),
        line(fixed(figures.volume(saved))) if saved is not None else (),
        _usd(one.saving_usd_per_month),
        line(say(_balance(one))),
    )


def _balance(one: NearSaving) -> str:
    """Return what the fullest endpoint would carry, or why nothing is known."""
    if one.overload_times is None:
        return one.unknown
    times = f"{one.overload_times:.2g}"
    load = "as much as now" if times == "1" else f"{times} times what it is now"
    said = f"{load}, in {one.fullest_zone}"
    if one.lone_zones:
        said += f"; a single endpoint in {', '.join(one.lone_zones)}"
    if one.prefers_near:
        said += "; it is set already"
    return f"{said}; {one.unknown}" if one.unknown else said
