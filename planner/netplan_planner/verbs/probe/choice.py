"""Which probes to run: the most information per dollar first, within what the user allows.

Greedy: information has diminishing returns (probe_information.py), so that each choice is made with
those before it in mind. The cost in the ranking is the traffic's dollars plus the seconds of both
machines at list price, although machines that run cost nothing more: else every free probe would
come first, however long it keeps two machines busy.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.model import CapsBook, Facts, Instance, Value
from netplan_planner.verbs.probe.answer import (
    LeftOutKind,
    LeftOutProbe,
    PlannedProbe,
    Probe,
    ProbeCost,
    ProbeImpact,
    ToldLimit,
    log_width_of,
)
from netplan_planner.verbs.probe.forecast import ProbeRules, run_gbps
from netplan_planner.verbs.probe.information import Information, shown_by
from netplan_planner.verbs.probe.promise import promised

_SIGNIFICANT = 9
"""Digits of a ratio that count: beyond them, alike probes differ by rounding only."""
_LIKELY = 0.05
"""Least probability of a limit that is named, and of a path that is counted beside it."""


class ProbeCaps(Value, frozen=True, kw_only=True):
    """What a plan may take at most, at the most runs and the high ends; None is no limit."""

    max_gib: float | None = None
    max_seconds: float | None = None
    max_usd: Decimal | None = None


class Choice(NamedTuple):
    """What was chosen, and what it does to the intervals of all flows."""

    probes: tuple[PlannedProbe, ...]
    left_out: tuple[LeftOutProbe, ...]
    mean_log_width: float
    expected_log_width: float
    most_log_width: float


def choose_probes(
    probes: Sequence[Probe], *, rules: ProbeRules, caps: ProbeCaps, known: CapsBook
) -> Choice:
    """Return the probes to run in their order, and for each other one why it is left out.

    Args:
        probes: All paths that matter with all numbers of streams; refused ones learn from others.
        rules: How they are run.
        caps: What they may take together.
        known: The limits of the predictions, with the calibration that they follow, if any.
    """
    # The mean of three runs is known twice as well as the next run: sqrt(1/n) / sqrt(1 + 1/n).
    floor = log_width_of(rules.tolerance_ratio / 2)
    information = Information(probes, floor=floor)
    before = information.log_width
    left_out = [
        LeftOutProbe(probe=one, kind=LeftOutKind.REFUSED, reason=one.refused)
        for one in probes
        if one.refused
    ]
    open_probes = [one for one in probes if not one.refused]
    planned: list[PlannedProbe] = []
    told: list[Probe] = []
    spent = _Spent()
    while True:
        told += (one for one in open_probes if _is_known(one, information, rules))
        open_probes = [one for one in open_probes if not _is_known(one, information, rules)]
        if not open_probes:
            break
        best = max(open_probes, key=lambda one: _rank(one, information))
        open_probes.remove(best)
        reason = spent.why_too_much(best, caps)
        if reason:
            left_out.append(LeftOutProbe(probe=best, kind=LeftOutKind.LIMIT, reason=reason))
            continue
        planned.append(_planned(best, probes, information))
        information.add(best)
        spent = spent.plus(best.most)
    after = promised(probes, [one.probe for one in planned], known, rules)
    widest = {id(one): max(widths) for one, widths in zip(probes, after.by_probe, strict=True)}
    left_out += (_told(one, widest[id(one)], rules) for one in told)
    count = max(len(information.flows), 1)
    expected = sum(map(sum, after.by_probe))
    return Choice(
        tuple(planned), tuple(left_out), before / count, expected / count, after.most / count
    )


def _is_known(probe: Probe, information: Information, rules: ProbeRules) -> bool:
    return information.widest(probe) <= log_width_of(rules.tolerance_ratio)


def _told(probe: Probe, promised_log_width: float, rules: ProbeRules) -> LeftOutProbe:
    width = f"±{rules.tolerance_ratio * 100:g}%"
    tolerance = log_width_of(rules.tolerance_ratio)
    reason = f"the probes above should narrow it to the tolerance of {width}"
    if all(flow.log_width <= tolerance for flow in probe.flows):
        reason = f"the prediction is already within the tolerance of {width} (--tolerance)"
    elif promised_log_width > tolerance:
        reason = (
            f"the probes above reach its limits; more than the tolerance of {width} stays open, "
            "because runs vary and a few probes do not show by how much"
        )
    return LeftOutProbe(probe=probe, kind=LeftOutKind.KNOWN, reason=reason)


def _rank(probe: Probe, information: Information) -> tuple[bool, float, float]:
    """Return what is greatest for the next probe: information per dollar, then the shortest."""
    gain = information.gain(probe)
    ratio = _per_usd(gain, probe)
    return ratio is not None, _rounded(gain if ratio is None else ratio), -probe.expected.seconds


def _per_usd(gain: float, probe: Probe) -> float | None:
    usd = probe.ranking_usd
    return gain / float(usd) if usd else None


def _rounded(number: float) -> float:
    return float(f"{number:.{_SIGNIFICANT}g}")


def _planned(probe: Probe, probes: Sequence[Probe], information: Information) -> PlannedProbe:
    tells = (
        ToldLimit(
            limit=key,
            probability=chance,
            other_paths=len(
                {one.path.name for one in probes if _has(one, key)} - {probe.path.name}
            ),
        )
        for key, chance in shown_by(probe).items()
        if chance >= _LIKELY
    )
    gain = information.gain(probe)
    return PlannedProbe(
        probe=probe,
        gain=gain,
        gain_per_usd=_per_usd(gain, probe),
        tells=tuple(sorted(tells, key=lambda told: (-told.probability, told.limit))),
    )


def _has(probe: Probe, key: str) -> bool:
    return any(
        name == key and chance >= _LIKELY for flow in probe.flows for name, chance in flow.shares
    )


class _Spent(NamedTuple):
    """What the chosen probes take at most."""

    gib: Decimal = Decimal(0)
    seconds: float = 0.0
    usd: Decimal = Decimal(0)

    def plus(self, cost: ProbeCost) -> "_Spent":
        return _Spent(
            self.gib + cost.gib, self.seconds + cost.seconds, self.usd + (cost.usd or Decimal(0))
        )

    def why_too_much(self, probe: Probe, caps: ProbeCaps) -> str:
        """Return which limit a further probe would exceed, or an empty text."""
        then = self.plus(probe.most)
        if caps.max_usd is not None:
            if probe.most.usd is None:
                return f"its traffic has no known price to limit (--max-usd): {probe.unpriced}"
            if then.usd > caps.max_usd:
                return _over("--max-usd", f"{caps.max_usd:f}", probe.most.usd, self.usd, "USD")
        if caps.max_gib is not None and then.gib > Decimal(str(caps.max_gib)):
            return _over("--max-gib", f"{caps.max_gib:g}", probe.most.gib, self.gib, "GiB")
        if caps.max_seconds is not None and then.seconds > caps.max_seconds:
            own, used = Decimal(probe.most.seconds), Decimal(self.seconds)
            return _over("--max-seconds", f"{caps.max_seconds:g}", own, used, "s")
        return ""


def _over(option: str, limit: str, own: Decimal, used: Decimal, unit: str) -> str:
    digits = 0 if unit == "s" else 2
    return (
        f"over {option} {limit}: up to {own:.{digits}f} {unit}, with {used:.{digits}f} {unit} "
        "for the probes above"
    )


def impacts_of(
    planned: Sequence[PlannedProbe], facts: Facts, rules: ProbeRules
) -> tuple[ProbeImpact, ...]:
    """Return what the plan does to each machine, the longest busy first."""
    found: dict[str, ProbeImpact] = {}
    for one in planned:
        for instance in (one.probe.path.client, one.probe.path.server):
            new = _impact(instance, one.probe, facts, rules)
            old = found.get(new.link)
            found[new.link] = new if old is None else _joined(old, new)
    return tuple(sorted(found.values(), key=lambda one: (-one.busy_s, one.link)))


def _impact(instance: Instance, probe: Probe, facts: Facts, rules: ProbeRules) -> ProbeImpact:
    link = instance.ref.self_link
    is_server = link == probe.path.server.ref.self_link
    cap = next(_egress_caps(probe, is_server), None)
    rates = [
        (flow.is_back, run_gbps(flow, rules.bitrate_gbps, is_most=True)) for flow in probe.flows
    ]
    sends = max((rate for is_back, rate in rates if is_back == is_server), default=0.0)
    seen = facts.traffic.vm_by_link.get(link) if facts.traffic is not None else None
    return ProbeImpact(
        name=instance.name,
        link=link,
        cap_gbps=cap,
        sends_gbps=sends if cap is None else min(sends, cap),
        receives_gbps=max((rate for is_back, rate in rates if is_back != is_server), default=0.0),
        busy_s=probe.expected.seconds,
        most_busy_s=probe.most.seconds,
        seen_p95_gbps=seen.egress.p95_gbps if seen is not None else None,
        seen_max_gbps=seen.egress.max_gbps if seen is not None else None,
    )


def _egress_caps(probe: Probe, is_server: bool) -> Iterator[float]:
    for flow in probe.flows:
        if flow.is_back == is_server:
            yield from (one.gbps for one in flow.estimate.limits if one.name == "vm-egress")


def _joined(one: ProbeImpact, other: ProbeImpact) -> ProbeImpact:
    return replace(
        one,
        cap_gbps=one.cap_gbps or other.cap_gbps,
        sends_gbps=max(one.sends_gbps, other.sends_gbps),
        receives_gbps=max(one.receives_gbps, other.receives_gbps),
        busy_s=one.busy_s + other.busy_s,
        most_busy_s=one.most_busy_s + other.most_busy_s,
    )
