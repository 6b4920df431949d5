"""Measurements whose figure says little of the path between two machines."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from netplan_planner.model import (
    Evidence,
    Facts,
    Fix,
    Gap,
    Hit,
    Instance,
    Measurement,
    Need,
    SelfLink,
    Severity,
    Value,
)
from netplan_planner.throughput.transport.tools import THREADED_TEXT
from netplan_planner.units import counted
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.shared.comparable import Reason, reasons_of, rerun_command
from netplan_rules.shared.measured import (
    Run,
    RunModel,
    UnmatchedMeasurement,
    measured_runs,
    shown_end,
)
from netplan_rules.work import MEASURE_AGAIN

RULE = rule_of(
    __name__,
    severity=Severity.INFO,
    needs=frozenset({Need.INVENTORY, Need.MEASUREMENTS}),
    remediation="Measure again at the internal address: many streams, start omitted, receiver's"
    f" count, iperf3 {THREADED_TEXT} or newer, three runs.",
    work=MEASURE_AGAIN,
    summed=("measurements",),
    thresholds=(
        Threshold(
            name="min_runs",
            default=3.0,
            unit="runs",
            about="minimum sound runs of one type per pair and direction",
        ),
        Threshold(
            name="min_duration_s",
            default=10.0,
            unit="s",
            about="minimum duration of a run that includes its start",
        ),
        Threshold(
            name="min_duration_rtts",
            default=60.0,
            unit="round trips",
            about="the same in round trips; the longer applies",
        ),
        Threshold(
            name="omit_s",
            default=2.0,
            unit="s",
            about="minimum omitted start after which a run can have any duration",
        ),
        Threshold(
            name="omit_rtts",
            default=15.0,
            unit="round trips",
            about="the same in round trips; the longer applies",
        ),
        ratio_limit("cpu_ratio", 0.9, "share of a core from which CPU limits the tool"),
        ratio_limit(
            "single_stream_ratio",
            0.9,
            "share of what many streams carry from which one stream represents the path",
        ),
        Threshold(
            name="rerun_streams",
            default=16.0,
            unit="streams",
            about="streams of the proposed measurement",
        ),
    ),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each pair that has a direction without enough sound runs, and what matches nothing."""
    model = RunModel(facts)
    pairs: dict[tuple[SelfLink, SelfLink], list[Run]] = defaultdict(list)
    unmatched: dict[tuple[SelfLink, str], list[UnmatchedMeasurement]] = defaultdict(list)
    for one in measured_runs(facts):
        if isinstance(one, Run):
            first, second = sorted((one.src.ref.self_link, one.dst.ref.self_link))
            pairs[first, second].append(one)
        elif one.known is None:
            yield one.gap
        else:
            unmatched[one.known.ref.self_link, _ends(one.measurement)].append(one)
    for runs in pairs.values():
        unsound = [u for one_way in _directions(runs) for u in _unsound(facts, model, one_way)]
        if unsound:
            yield _hit(facts, model, unsound)
    for group in unmatched.values():
        yield _unmatched_hit(group)


class _Unsound(Value, frozen=True, kw_only=True):
    """A run, and what stands against it."""

    run: Run
    reasons: tuple[Reason, ...]


def _directions(runs: Sequence[Run]) -> list[list[Run]]:
    by_sender: dict[SelfLink, list[Run]] = defaultdict(list)
    for run in runs:
        by_sender[run.src.ref.self_link].append(run)
    return [by_sender[link] for link in sorted(by_sender)]


def _unsound(facts: Facts, model: RunModel, runs: Sequence[Run]) -> list[_Unsound]:
    """Return the runs of a direction with their reasons, or none when enough of them are sound."""
    judged = [_Unsound(run=run, reasons=reasons_of(facts, model, run)) for run in runs]
    sound = [one for one in judged if not one.reasons]
    by_streams: dict[int | None, int] = defaultdict(int)
    for one in sound:
        by_streams[one.run.measurement.streams] += 1
    most = max(by_streams.values(), default=0)
    if most >= facts.threshold(RULE.id, "min_runs"):
        return []
    if not sound:
        return judged
    few = Reason(name="few-runs", text=f"{most} sound {'run' if most == 1 else 'runs'} of one type")
    return [_Unsound(run=one.run, reasons=(*one.reasons, few)) for one in judged]


def _hit(facts: Facts, model: RunModel, unsound: Sequence[_Unsound]) -> Hit:
    senders = sorted({one.run.src.ref.self_link for one in unsound})
    first = next(one.run for one in unsound if one.run.src.ref.self_link == senders[0])
    reasons = _counted([reason for one in unsound for reason in one.reasons])
    arrow = "→" if len(senders) == 1 else "↔"
    return Hit(
        resources=(first.src.ref, first.dst.ref),
        subject=f"{first.src.name} {arrow} {first.dst.name} ({_where(first.src, first.dst)})",
        message=_message(len(unsound), reasons),
        evidence=_evidence([one.run.measurement for one in unsound], reasons),
        fix=_fix(facts, model, first, is_both_ways=len(senders) > 1),
    )


def _unmatched_hit(group: Sequence[UnmatchedMeasurement]) -> Hit:
    known = group[0].known
    assert known is not None
    reasons = {"other-end": (len(group), group[0].why)}
    return Hit(
        resources=(known.ref,),
        subject=f"{_ends(group[0].measurement)}",
        message=_message(len(group), reasons),
        evidence=_evidence([one.measurement for one in group], reasons),
        fix=Fix(
            label="read the other end",
            text="Read the project of the other end too (--project), or name the end in the record"
            " as in the inventory. Without both VMs, no limit of the path is known.",
        ),
    )


Counted = dict[str, tuple[int, str]]
"""How many runs a reason holds for, and how the first of them says it; by its name."""


def _counted(reasons: Sequence[Reason]) -> Counted:
    found: Counted = {}
    for reason in reasons:
        count, text = found.get(reason.name, (0, reason.text))
        found[reason.name] = (count + 1, text)
    return dict(sorted(found.items(), key=lambda item: (-item[1][0], item[0])))


def _message(run_count: int, reasons: Counted) -> str:
    listed = "; ".join(
        text if count == run_count else f"{text} ({count} of {run_count})"
        for count, text in reasons.values()
    )
    what = "1 measurement cannot" if run_count == 1 else f"{run_count} measurements cannot"
    return f"{what} represent the path: {listed}"


def _evidence(measured: Sequence[Measurement], reasons: Counted) -> tuple[Evidence, ...]:
    sources = ", ".join(sorted({one.source for one in measured if one.source}))
    rates = [one.gbps for one in measured]
    return (
        Evidence(name="measurements", value=len(measured), source=sources),
        Evidence(name="least_measured", value=min(rates), unit="Gbit/s", source=sources),
        Evidence(name="most_measured", value=max(rates), unit="Gbit/s", source=sources),
        *(
            Evidence(
                name=name.replace("-", "_"),
                value=text,
                source=f"{count} of {counted(len(measured), 'measurement')}",
            )
            for name, (count, text) in reasons.items()
        ),
    )


def _fix(facts: Facts, model: RunModel, run: Run, *, is_both_ways: bool) -> Fix:
    text = rerun_command(facts, model, run)
    needed = int(facts.threshold(RULE.id, "min_runs"))
    back = ", and back with -R" if is_both_ways else ""
    return RULE.fix(
        label="measure again",
        text=f"Start `iperf3 -s` on {run.dst.name}. Measure from {run.src.name} at least {needed}"
        f" times{back}, with iperf3 {THREADED_TEXT} or newer at both ends. Then stop the server.",
        commands=(text,) if text else (),
        caution="It uses the whole path while it runs, and traffic that leaves a zone is billed.",
    )


def _where(src: Instance, dst: Instance) -> str:
    return src.zone if src.zone == dst.zone else f"{src.zone} → {dst.zone}"


def _ends(one: Measurement) -> str:
    return f"{shown_end(one.src)} → {shown_end(one.dst)}"
