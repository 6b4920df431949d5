"""The cheapest machines for a job: against another reckoning of all of them, and by properties."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.model import JobEnd, JobNeed, JobPhase, JobPlan, Usage
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.throughput import load_caps
from support.jobs import reckoned
from support.prices.book import SmallPriceBook

JULY_2017 = load_caps(date(2017, 7, 20))
PRICES = SmallPriceBook()
N1 = tuple(f"n1-standard-{vcpus}" for vcpus in (1, 2, 4, 8, 16))
WAYS = (Usage.ON_DEMAND, Usage.SPOT, Usage.CUD_1Y, Usage.CUD_3Y)

sizes = st.integers(0, 10**13)
needs = st.builds(
    JobNeed,
    region=st.just("made-west1"),
    machine_types=st.lists(st.sampled_from(N1), min_size=1, unique=True).map(tuple),
    in_bytes=sizes,
    out_bytes=sizes,
    between_bytes=st.one_of(st.just(0), sizes),
    cpu_seconds=st.floats(1, 1e5).map(lambda value: round(value, 3)),
    parallel_ratio=st.sampled_from([1.0, 0.9, 0.5]),
    startup_s=st.sampled_from([None, 12.5, 60.0]),
    overlap=st.sets(st.sampled_from(list(JobPhase))).map(
        lambda found: tuple(phase for phase in JobPhase if phase in found)
    ),
    source=st.sampled_from([JobEnd(), JobEnd(total_gbps=7.0)]),
    disk_mib_per_s=st.sampled_from([None, 400.0]),
    runs_per_month=st.integers(1, 5000).map(float),
    max_count=st.integers(1, 5),
    usage=st.sampled_from(WAYS),
    interruptions_per_day=st.sampled_from([0.0, 0.5, 20.0]),
    lost_work_s=st.sampled_from([None, 300.0]),
)


@lru_cache(maxsize=64)
def planned(need: JobNeed) -> JobPlan:
    return plan_job(need, PRICES, JULY_2017)


def least(need: JobNeed) -> Decimal | None:
    found = planned(need).options
    return found[0].usd_per_run if found else None


@given(needs, st.sampled_from([None, 0.3, 1.0, 3.0]))
def test_every_cost_is_what_another_reckoning_says_and_nothing_beats_the_front_in_both(
    need: JobNeed, tightness: float | None
) -> None:
    everything = reckoned.every(need, PRICES, JULY_2017)
    assume(everything)
    for option in planned(need).front:
        for usd, done in everything.values():
            is_cheaper = float(usd) < float(option.usd_per_run) * (1 - 1e-8)
            is_faster = done < option.duration_s * (1 - 1e-8)
            assert not (is_cheaper and is_faster)
    if tightness is not None:
        middle = sorted(done for _, done in everything.values())[len(everything) // 2]
        need = replace(need, deadline_s=round(middle * tightness, 2) + 0.01)
    limit = need.deadline_s or float("inf")
    fitting = {cell: one for cell, one in everything.items() if one[1] <= limit}
    plan = planned(need)
    assert bool(plan.options) == bool(fitting)
    for option in (*plan.options, *plan.front):
        usd, done = everything[option.machine_type, option.count]
        assert float(option.usd_per_run) == pytest.approx(float(usd), rel=1e-9, abs=1e-9)
        assert option.duration_s == pytest.approx(done, rel=1e-9)
    if fitting:
        cheapest = min(usd for usd, _ in fitting.values())
        assert float(plan.options[0].usd_per_run) == pytest.approx(float(cheapest), rel=1e-9)
        month = round(Decimal(float(cheapest * Fraction(str(need.runs_per_month)))), 2)
        found = round(plan.options[0].usd_per_month or 0, 2)
        assert found == pytest.approx(month, abs=Decimal("0.01"))


@given(
    need=needs,
    field=st.sampled_from(["in_bytes", "out_bytes", "between_bytes"]),
    more_bytes=sizes,
    more_work=st.floats(0, 1e5),
    deadline_s=st.floats(1, 1e6),
    share=st.floats(0.1, 1),
)
def test_what_is_harder_never_costs_less(
    need: JobNeed,
    field: str,
    more_bytes: int,
    more_work: float,
    deadline_s: float,
    share: float,
) -> None:
    in_time = replace(need, deadline_s=deadline_s)
    spot = replace(need, usage=Usage.SPOT, interruptions_per_day=1.0)
    harder = {
        "more bytes": (need, replace(need, **{field: getattr(need, field) + more_bytes})),
        "more work": (need, replace(need, cpu_seconds=need.cpu_seconds + more_work)),
        "one type": (need, replace(need, machine_types=need.machine_types[:1])),
        "one machine": (need, replace(need, max_count=1)),
        "a deadline": (need, in_time),
        "a tighter deadline": (in_time, replace(need, deadline_s=deadline_s * share)),
        "interruptions": (spot, replace(spot, interruptions_per_day=2.0)),
    }
    for name, (easy, hard) in harder.items():
        one, two = least(easy), least(hard)
        assert two is None or (one is not None and one <= two * (1 + Decimal("1e-9"))), name


@given(needs, st.sampled_from(["0.001", "0.5", "3", "1000"]), st.randoms(use_true_random=False))
def test_prices_scale_the_cost_and_the_order_of_the_types_does_not_matter(
    need: JobNeed, scale: str, random: Random
) -> None:
    factor, plan = Decimal(scale), planned(need)
    scaled = plan_job(need, SmallPriceBook({"n1": str(Decimal("0.05") * factor)}), JULY_2017)
    for left, right in zip(plan.options, scaled.options, strict=True):
        assert (right.machine_type, right.count) == (left.machine_type, left.count)
        assert float(right.usd_per_run) == pytest.approx(float(left.usd_per_run * factor))
    shuffled = list(need.machine_types)
    random.shuffle(shuffled)
    other = planned(replace(need, machine_types=tuple(shuffled)))
    assert replace(other, need=need) == plan
    # The interval holds the value.
    for option in plan.options:
        assert option.low_usd_per_run <= option.usd_per_run
        assert option.low_duration_s <= option.duration_s
        if option.high_usd_per_run is not None and option.high_duration_s is not None:
            assert option.usd_per_run <= option.high_usd_per_run
            assert option.duration_s <= option.high_duration_s
