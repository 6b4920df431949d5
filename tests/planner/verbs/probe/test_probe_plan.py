"""Which probes are chosen, in which order, and what every other one is told."""

import math
from collections.abc import Sequence
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.model import Estimate
from netplan_planner.throughput import load_caps
from netplan_planner.verbs.probe import answer
from netplan_planner.verbs.probe.choice import Choice, ProbeCaps, choose_probes, impacts_of
from netplan_planner.verbs.probe.information import Information, width_and_reach
from support.paths.queries import DAY
from support.probes.plans import RULES, flow, probe
from support.rules.facts import facts_of, machine

FLOOR = answer.log_width_of(RULES.tolerance_ratio / 2)
TOLERANCE = answer.log_width_of(RULES.tolerance_ratio)
NO_CAPS = ProbeCaps()


def choose(probes: Sequence[answer.Probe], caps: ProbeCaps = NO_CAPS) -> Choice:
    return choose_probes(probes, rules=RULES, caps=caps, known=load_caps(DAY))


def names(choice: Choice) -> list[str]:
    return [planned.probe.path.name for planned in choice.probes]


def open_width(one: answer.ProbeFlow, own: bool, measured: Sequence[answer.Probe]) -> float:
    """The definition, worked out anew for a whole set of probes."""
    if one.log_width <= FLOOR:
        return one.log_width
    left = 0.0
    for key, chance in one.shares:
        seen = [
            p * other.informative_ratio
            for done in measured
            for other in done.flows
            for name, p in other.shares
            if name == key
        ]
        left += max(chance - max(seen, default=0.0), 0.0)
    if own:
        left = min(left, 1 - one.informative_ratio)
    return FLOOR + (one.log_width - FLOOR) * left


def width_of_all(probes: Sequence[answer.Probe], measured: Sequence[answer.Probe]) -> float:
    return sum(
        open_width(one, any(done is each for done in measured), measured)
        for each in probes
        for one in each.flows
    )


LIMITS = ("a", "b", "c")


@st.composite
def flows(draw: st.DrawFn) -> answer.ProbeFlow:
    weights = draw(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any))
    shares = {
        name: weight / sum(weights) for name, weight in zip(LIMITS, weights, strict=True) if weight
    }
    width = draw(st.sampled_from([0.05, 0.15, 0.3, 0.7, 1.5]))
    return flow(width, shares, reach=draw(st.sampled_from([1.0, 0.5])))


@st.composite
def problems(draw: st.DrawFn) -> list[answer.Probe]:
    return [
        probe(
            f"path-{number}",
            draw(st.lists(flows(), min_size=1, max_size=3)),
            usd=draw(st.sampled_from(["0", "0.10", "0.37", "2"])),
            seconds=draw(st.sampled_from([60.0, 80.0])),
        )
        for number in range(draw(st.integers(1, 6)))
    ]


@given(problems())
def test_each_choice_has_the_most_information_per_dollar(probes: list[answer.Probe]) -> None:
    choice = choose(probes)
    chosen = [planned.probe for planned in choice.probes]
    for number, planned in enumerate(choice.probes):
        before = chosen[:number]
        width = width_of_all(probes, before)

        def per_usd(
            one: answer.Probe, before: list[answer.Probe] = before, width: float = width
        ) -> float:
            usd = one.ranking_usd
            assert usd is not None
            return (width - width_of_all(probes, [*before, one])) / float(usd)

        still = [
            one
            for one in probes
            if not any(one is done for done in before)
            and max(open_width(each, False, before) for each in one.flows) > TOLERANCE + 1e-9
        ]
        best = max(map(per_usd, still))
        assert per_usd(planned.probe) == pytest.approx(best, rel=1e-8)
        assert planned.gain_per_usd == pytest.approx(best, rel=1e-8)
        alike = [one for one in still if math.isclose(per_usd(one), best, rel_tol=1e-10)]
        assert planned.probe.expected.seconds == min(one.expected.seconds for one in alike)
    count = sum(len(one.flows) for one in probes)
    assert choice.mean_log_width * count == pytest.approx(width_of_all(probes, []))


@given(problems())
def test_what_is_left_out_is_inside_the_tolerance(probes: list[answer.Probe]) -> None:
    choice = choose(probes)
    chosen = [planned.probe for planned in choice.probes]
    assert {one.kind for one in choice.left_out} <= {answer.LeftOutKind.KNOWN}
    for one in choice.left_out:
        widths = [open_width(each, False, chosen) for each in one.probe.flows]
        assert max(widths) <= TOLERANCE + 1e-9
    assert len(chosen) + len(choice.left_out) == len(probes)


@given(problems())
def test_information_has_diminishing_returns(probes: list[answer.Probe]) -> None:
    whole = [
        msgspec.structs.replace(
            one, flows=tuple(msgspec.structs.replace(f, informative_ratio=1.0) for f in one.flows)
        )
        for one in probes
    ]
    information = Information(whole, floor=FLOOR)
    before = {one.path.name: information.gain(one) for one in whole}
    information.add(whole[0])
    for one in whole[1:]:
        assert -1e-12 <= information.gain(one) <= before[one.path.name] + 1e-12


def test_the_same_input_gives_the_same_plan() -> None:
    probes = [
        probe("x", [flow(0.7, {"a": 0.4, "b": 0.6})]),
        probe("y", [flow(0.7, {"b": 0.6, "c": 0.4})]),
        probe("z", [flow(0.9, {"c": 1.0})], usd="0.5"),
    ]
    assert choose(probes) == choose(list(probes))


def test_what_others_tell_or_is_known_is_not_measured() -> None:
    slow = probe("slow", [flow(0.7, {"window (debian-12)": 1.0})], seconds=90.0)
    fast = probe("fast", [flow(0.7, {"window (debian-12)": 1.0})], seconds=80.0)
    choice = choose([slow, fast])
    assert names(choice) == ["fast"]
    (left,) = choice.left_out
    assert (left.kind, left.probe) == (answer.LeftOutKind.KNOWN, slow)
    # A single probe of a class says little of how far its runs scatter.
    assert left.reason == (
        "the probes above reach its limits; more than the tolerance of ±10% stays open, because "
        "runs vary and a few probes do not show by how much"
    )
    (told,) = choice.probes[0].tells
    assert (told.limit, told.probability, told.other_paths) == ("window (debian-12)", 1.0, 1)
    # A narrow prediction is not measured.
    choice = choose([probe("known", [flow(TOLERANCE * 0.999, {"a": 1.0})])])
    assert choice.probes == ()
    assert [one.reason for one in choice.left_out] == [
        "the prediction is already within the tolerance of ±10% (--tolerance)"
    ]
    assert names(choose([probe("open", [flow(TOLERANCE * 1.001, {"a": 1.0})])])) == ["open"]


def test_a_window_is_believed_of_two_pairs_of_places() -> None:
    """As a calibration believes it: one pair may be slow for a reason of its own."""
    key = "window-over-rtt (to own machines with image debian-12)"
    several = [probe(name, [flow(0.7, {key: 1.0})]) for name in ("x", "y", "z")]
    assert len(names(choose(several))) == 2
    alone = [flow(0.7, {key: 1.0})]
    assert names(choose([probe("x", alone * 2), probe("far", [flow(0.7, {"a": 1.0})])])) == [
        "x",
        "far",
    ]
    assert len(names(choose([probe(name, [flow(0.7, {"a": 1.0})]) for name in "xyz"]))) == 1


def test_windows_elsewhere_differ_by_more_and_take_more_pairs_of_places() -> None:
    """11 make their mean known to half the tolerance, 10 leave the rest inside of all of it."""
    for whose, most in (("own machines", 2), ("aws", 10)):
        key = f"window-over-rtt (to {whose})"
        several = [probe(f"{number}", [flow(0.7, {key: 1.0})]) for number in range(14)]
        assert len(names(choose(several))) == most


def test_a_refused_path_is_never_planned_but_learns_from_others() -> None:
    refused = probe("labelled", [flow(5.0, {"a": 1.0})], usd="0", refused="it has the label")
    alone = choose([refused])
    assert alone.probes == ()
    assert alone.expected_log_width == pytest.approx(alone.mean_log_width)
    shared = choose([refused, probe("other", [flow(0.3, {"a": 1.0})])])
    assert names(shared) == ["other"]
    assert [(one.kind, one.reason) for one in shared.left_out] == [
        (answer.LeftOutKind.REFUSED, "it has the label")
    ]
    # A calibration by the one tells of the other, too.
    assert shared.expected_log_width < 0.5 * shared.mean_log_width


def test_what_machines_cost_counts_and_an_unknown_price_is_no_zero() -> None:
    dear = probe("big", [flow(0.7, {"a": 1.0})], usd="0", vm_usd="4")
    cheap = probe("small", [flow(0.7, {"b": 1.0})], usd="0.10", vm_usd="0.01")
    assert names(choose([dear, cheap])) == ["small", "big"]
    # A price that is not known is no zero.
    unpriced = probe("unpriced", [flow(9.0, {"a": 1.0})], usd=None)
    known = probe("known", [flow(0.3, {"b": 1.0})], usd="5")
    choice = choose([unpriced, known])
    assert names(choice) == ["known", "unpriced"]
    assert choice.probes[1].gain_per_usd is None
    barred = choose([unpriced, known], ProbeCaps(max_usd=Decimal(100)))
    assert names(barred) == ["known"]
    assert "its traffic has no known price" in barred.left_out[0].reason


ONE, TWO, THREE = (probe(name, [flow(0.7, {name: 1.0})]) for name in ("one", "two", "three"))
BIG = probe("big", [flow(9.0, {"big": 1.0})], usd="0.50", seconds=300.0)


@pytest.mark.parametrize(
    ("caps", "fit", "says"),
    [
        (ProbeCaps(max_usd=Decimal("0.70")), ["one", "two"], "--max-usd 0.70: up to 1.50 USD"),
        (ProbeCaps(max_gib=65.0), ["one", "two"], "--max-gib 65: up to 150.00 GiB"),
        (ProbeCaps(max_seconds=400), ["one", "two"], "--max-seconds 400: up to 900 s"),
        (ProbeCaps(max_usd=Decimal(0)), [], "--max-usd 0: up to 1.50 USD, with 0.00 USD"),
    ],
)
def test_limits_hold_what_a_plan_may_take(caps: ProbeCaps, fit: list[str], says: str) -> None:
    choice = choose([BIG, ONE, TWO, THREE], caps)
    assert names(choice) == fit
    left = {one.probe.path.name: one for one in choice.left_out}
    assert set(left) == {"one", "two", "three", "big"} - set(fit)
    assert {one.kind for one in choice.left_out} == {answer.LeftOutKind.LIMIT}
    assert says in left["big"].reason
    most = [planned.probe.most for planned in choice.probes]
    assert sum(one.seconds for one in most) <= (caps.max_seconds or math.inf)
    assert sum(one.gib for one in most) <= Decimal(caps.max_gib or "inf")
    assert sum(one.usd or 0 for one in most) <= (
        Decimal("inf") if caps.max_usd is None else caps.max_usd
    )


def test_a_rate_cap_leaves_the_upper_part_open() -> None:
    found = Estimate(gbps=2.0, low_gbps=1.0, high_gbps=8.0)
    assert width_and_reach(found, None) == (math.log(8), 1.0)
    assert width_and_reach(found, 8.0) == (math.log(8), 1.0)
    assert width_and_reach(found, 2.0) == pytest.approx((math.log(8), 1 / 3))
    assert width_and_reach(found, 1.0) == (math.log(8), 0.0)
    assert width_and_reach(Estimate(gbps=None), 1.0) == (math.log(10), 1.0)
    half = probe("half", [flow(1.0, {"a": 1.0}, reach=0.5)])
    (planned,) = choose([half]).probes
    assert planned.gain == pytest.approx(0.5 * (1.0 - FLOOR))


@given(st.floats(0.001, 0.9))
def test_widths_and_shares_invert(ratio: float) -> None:
    assert answer.half_width_of(answer.log_width_of(ratio)) == pytest.approx(ratio)


def test_the_impact_adds_up_over_the_probes_of_a_machine() -> None:
    facts = facts_of(machine("x-1"), machine("x-2"))
    one = probe("x", [flow(0.7, {"a": 1.0})])
    planned = choose([one]).probes
    (first, second) = impacts_of((*planned, *planned), facts, RULES)
    assert (first.name, second.name) == ("x-1", "x-2")
    assert (first.busy_s, first.most_busy_s) == (120.0, 360.0)
    assert (first.sends_gbps, second.sends_gbps, second.receives_gbps) == (1.1, 0.0, 1.1)
    assert first.seen_p95_gbps is None
    assert not first.is_crowded
