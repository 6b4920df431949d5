"""The cheapest machines for a job, by hand."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner.model import JobEnd, JobNeed, JobOption, JobPhase, JobPlace, JobPlan, Usage
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.throughput import load_caps
from netplan_planner.units import BYTES_PER_GIB
from support.prices.book import SmallPriceBook

JULY_2017 = load_caps(date(2017, 7, 20))
TODAY = load_caps(date(2026, 11, 21))
PRICES = SmallPriceBook()
N1 = tuple(f"n1-standard-{vcpus}" for vcpus in (1, 2, 4, 8, 16))
STORY = JobNeed(
    out_bytes=200 * BYTES_PER_GIB,
    cpu_seconds=600.0,
    runs_per_month=300,
    region="made-west1",
    machine_types=N1,
    streams=1,
    max_count=1,
)


def types(need: JobNeed) -> list[str]:
    return [option.machine_type for option in planned(need).options]


def planned(need: JobNeed) -> JobPlan:
    return plan_job(need, PRICES, JULY_2017)


def only(need: JobNeed) -> JobOption:
    (option,) = planned(need).options
    return option


def times(option: JobOption) -> Mapping[JobPhase, float]:
    return {one.phase: one.duration_s for one in option.phases}


class TestTheDobermanStory:
    def test_four_vcpus_win_among_n1(self) -> None:
        need = replace(STORY, out_bytes=100_000_000_000, cpu_seconds=160.0)
        plan = planned(need)
        assert plan.options[0].machine_type == "n1-standard-4"
        by_type = {option.machine_type: option for option in plan.options}
        four, one, eight = (by_type[f"n1-standard-{n}"] for n in (4, 1, 8))
        # 800 Gbit at 2 and 160 vCPU-seconds on 1, then at 8 and on 4.
        assert (one.billed_s, four.billed_s) == (560, 140)
        assert round(four.usd_per_run, 20) == round(one.usd_per_run, 20)
        assert round(four.usd_per_run, 6) == Decimal("0.007778")
        assert four.usd_per_run < eight.usd_per_run
        assert eight.machine_hours_per_run < four.machine_hours_per_run

    def test_seconds_that_are_begun_are_paid(self) -> None:
        """200 GiB take 1,459 s on one vCPU and 364.75 s on four, which is billed as 365 s."""
        found = [(one.machine_type, one.billed_s) for one in planned(STORY).options[:3]]
        # 1,459 vCPU-seconds, and 1,460 of the two that round up, of which the fastest comes first.
        assert found == [("n1-standard-1", 1459), ("n1-standard-4", 365), ("n1-standard-2", 730)]

    def test_one_stream_is_what_makes_eight_dearer(self) -> None:
        many = replace(STORY, streams=None, out_bytes=900_000_000_000, cpu_seconds=3600.0)
        one = replace(many, streams=1)
        assert types(many)[0] == "n1-standard-8"
        assert types(one)[0] == "n1-standard-4"

    def test_bigger_is_cheaper_up_to_the_size_that_one_connection_fills(self) -> None:
        plan = planned(replace(STORY, out_bytes=900_000_000_000))
        assert plan.cheapest_size == "n1-standard-4"
        bounds = {size.machine_type: size.bound_by for size in plan.sizes}
        assert bounds["n1-standard-4"] == "vm-egress"
        assert bounds["n1-standard-8"] != "vm-egress"

    def test_an_autoscaler_runs_a_quarter_of_the_hours(self) -> None:
        need = replace(
            STORY, out_bytes=900_000_000_000, cpu_seconds=3600.0, baseline_type="n1-standard-1"
        )
        plan = planned(need)
        assert plan.before is not None
        assert plan.after is not None
        # 300 runs in 730 / 24 days, of 7,200 s on the one and 1,800 s on the other.
        assert plan.before.vm_hours_per_day == pytest.approx(300 * 2 / (730 / 24))
        assert plan.after.vm_hours_per_day == pytest.approx(plan.before.vm_hours_per_day / 4)
        assert plan.after.vcpu_hours_per_day == pytest.approx(plan.before.vcpu_hours_per_day)


class TestTheBillByHand:
    def test_of_one_type(self) -> None:
        need = JobNeed(
            out_bytes=900_000_000_000,
            cpu_seconds=3600.0,
            runs_per_month=10,
            region="made-west1",
            machine_types=("n1-standard-4",),
            max_count=1,
        )
        option = only(need)
        # 7,200 Gbit at 8 Gbit/s: 900 s; 3,600 vCPU-seconds on 4: 900 s; 10 runs: 5 hours at $0.20.
        assert times(option) == {JobPhase.OUT: 900, JobPhase.COMPUTE: 900}
        assert option.billed_s == 1800
        assert option.usd_per_month == Decimal("1.00")
        assert option.usd_per_run == Decimal("0.10")
        assert option.line_items[0].quantity == 5

    def test_of_two_terabytes(self) -> None:
        """The volume of the Gecko story: small machines side by side beat the one big machine."""
        need = JobNeed(
            in_bytes=2_000_000_000_000, region="made-west1", machine_types=N1, max_count=16
        )
        best = planned(need).options[0]
        # 16,000 Gbit at 2 Gbit/s a vCPU are 8,000 vCPU-seconds, whichever machines have them: the
        # fastest that ends on a full second is ten times 16 Gbit/s.
        assert (best.count, best.machine_type, best.duration_s) == (10, "n1-standard-8", 100)
        assert best.usd_per_run == Decimal("0.40") * 10 * 100 / 3600
        by_type = {one.machine_type: one for one in planned(replace(need, max_count=1)).options}
        assert by_type["n1-standard-16"].duration_s == 1000
        assert by_type["n1-standard-16"].usd_per_run == Decimal(1000) * Decimal("0.80") / 3600
        assert by_type["n1-standard-1"].duration_s == 8000
        assert by_type["n1-standard-1"].usd_per_run == best.usd_per_run

    def test_a_minute_is_the_least(self) -> None:
        need = replace(STORY, out_bytes=1, cpu_seconds=0.0)
        (best, *_) = planned(need).options
        assert best.machine_type == "n1-standard-1"
        assert best.billed_s == 60
        assert best.usd_per_run == Decimal("0.05") / 60

    def test_start_up_is_paid_on_every_machine(self) -> None:
        need = replace(STORY, startup_s=100.0, machine_types=("n1-standard-1",), max_count=4)
        plan = planned(need)
        assert plan.options[0].count == 1
        four = next(one for one in plan.front if one.count == 4)
        assert four.duration_s == pytest.approx(100 + (plan.options[0].duration_s - 100) / 4)

    def test_a_disk_that_is_slower_than_the_network_binds(self) -> None:
        need = replace(STORY, disk_mib_per_s=100.0, machine_types=("n1-standard-4",))
        option = only(need)
        # 200 GiB at 100 MiB/s.
        assert times(option)[JobPhase.OUT] == 2048
        assert {one.bound_by for one in option.phases} == {"disk", "vcpus"}

    def test_the_other_end_binds_however_many_machines_there_are(self) -> None:
        need = JobNeed(
            in_bytes=10**12,
            source=JobEnd(total_gbps=10.0),
            region="made-west1",
            machine_types=("n1-standard-16",),
        )
        option = only(need)
        assert (option.count, option.duration_s) == (1, 800)
        assert option.phases[0].bound_by == "other-end"

    def test_one_machine_shuffles_nothing(self) -> None:
        need = replace(STORY, between_bytes=10**13, out_bytes=0, max_count=2)
        plan = planned(need)
        assert all(one.count == 1 for one in plan.options)

    def test_a_commitment_is_paid_all_month(self) -> None:
        need = replace(STORY, usage=Usage.CUD_1Y, machine_types=("n1-standard-4",))
        option = only(need)
        assert option.usd_per_month == Decimal("0.2") * Decimal("0.7") * 730
        # 10,000 runs of 364.75 s are 1,013 hours: two machines.
        often = replace(need, runs_per_month=10_000)
        option = only(often)
        assert option.usd_per_month == Decimal("0.2") * Decimal("0.7") * 1460

    def test_tier_1_is_an_own_candidate_with_its_fee(self) -> None:
        need = JobNeed(
            out_bytes=10**13, region="made-west1", machine_types=("n2-standard-32",), max_count=1
        )
        tier1, plain = plan_job(need, PRICES, TODAY).options
        # 80,000 Gbit at 50 and 32 Gbit/s, at 2.05 and 1.60 dollars an hour.
        assert (tier1.is_tier1, plain.is_tier1) == (True, False)
        assert (tier1.duration_s, plain.duration_s) == (1600, 2500)
        assert round(tier1.usd_per_run, 6) == Decimal("0.911111")
        assert [item.unit_price_usd for item in tier1.line_items] == [
            Decimal("1.60"),
            Decimal("0.45"),
        ]


class TestInterruptions:
    SPOT = replace(STORY, usage=Usage.SPOT, machine_types=("n1-standard-4",), startup_s=60.0)

    def test_none_cost_what_the_price_says(self) -> None:
        option = only(replace(self.SPOT, interruptions_per_day=0.0))
        assert option.usd_per_run == Decimal("0.06") * 425 / 3600

    def test_known_lost_work_by_hand(self) -> None:
        need = replace(self.SPOT, interruptions_per_day=24.0, lost_work_s=100.0)
        option = only(need)
        # One an hour takes 100 s of work and a start of 60 s: 424.75 s become x 3600 / 3440.
        assert option.duration_s == pytest.approx(424.748 * 3600 / 3440, rel=1e-5)

    def test_work_that_is_never_done_in_time_is_infeasible(self) -> None:
        need = replace(self.SPOT, interruptions_per_day=50_000.0)
        plan = planned(need)
        assert not plan.options
        assert plan.infeasible is not None
        assert "interrupted" in plan.infeasible.binding

    def test_the_break_even_is_where_both_cost_the_same(self) -> None:
        need = replace(STORY, machine_types=("n1-standard-4",), out_bytes=2 * 10**12)
        spot = next(one for one in planned(need).payments if one.usage is Usage.SPOT)
        assert spot.option is None
        assert "Google documents no interruption rate of Spot VMs" in spot.unknown
        most = spot.break_even_interruptions_per_day
        assert most is not None
        on_demand = planned(need).options[0].usd_per_run
        for factor, is_cheaper in ((0.99, True), (1.01, False)):
            tried = replace(need, usage=Usage.SPOT, interruptions_per_day=most * factor)
            usd = plan_job(tried, PRICES, JULY_2017).options[0].usd_per_run
            assert (usd <= on_demand) is is_cheaper


class TestDeadlines:
    def test_the_shortfall_and_what_is_enough(self) -> None:
        need = replace(STORY, streams=None, deadline_s=60.0, max_count=2)
        plan = planned(need)
        found = plan.infeasible
        assert not plan.options
        assert found is not None
        assert found.fastest is not None
        # 1,718 Gbit at 2 x 16 Gbit/s and 600 s on 32 vCPUs.
        assert found.fastest.duration_s == pytest.approx(1717.9869184 / 32 + 600 / 32)
        assert found.shortfall_s == pytest.approx(found.fastest.duration_s - 60)
        enough = next(one for one in map(str, found.changes) if "--max-count" in one)
        count = int(enough.split()[0])
        assert planned(replace(need, max_count=count)).options
        assert not planned(replace(need, max_count=count - 1)).options
        assert planned(replace(need, deadline_s=73.0)).options
        assert "a deadline of 73 s (--deadline 73s)" in found.changes

    def test_work_on_one_vcpu_binds(self) -> None:
        need = replace(STORY, parallel_ratio=0.5, cpu_seconds=10_000.0, deadline_s=60.0)
        found = planned(need).infeasible
        assert found is not None
        assert "a part of the CPU work cannot run in parallel on several vCPUs" in found.binding
        assert not any("--max-count" in change for change in map(str, found.changes))

    def test_the_odds_follow_the_interval(self) -> None:
        option = only(replace(STORY, machine_types=("n1-standard-4",)))
        assert option.low_duration_s < option.duration_s
        assert option.high_duration_s is not None
        slow = replace(STORY, machine_types=("n1-standard-4",), deadline_s=option.high_duration_s)
        at_the_end = only(slow)
        assert at_the_end.deadline_probability is not None
        assert at_the_end.deadline_probability >= 0.95
        found = [
            planned(replace(slow, deadline_s=option.duration_s * share))
            for share in (1.0, 1.01, 1.05, 1.5, 4.0)
        ]
        odds = [plan.options[0].deadline_probability or 0.0 for plan in found]
        assert odds == sorted(odds)
        assert odds[-1] == 0.995

    def test_what_moves_nothing_is_as_sure_as_its_cpu_time(self) -> None:
        need = replace(STORY, out_bytes=0, deadline_s=151.0, machine_types=("n1-standard-4",))
        option = only(need)
        assert option.deadline_probability == 1.0

    def test_the_sure_one_is_in_time_at_the_slow_end(self) -> None:
        best = planned(replace(STORY, max_count=4)).options[0]
        need = replace(STORY, max_count=4, deadline_s=best.duration_s)
        plan = planned(need)
        assert plan.sure is not None
        assert (plan.sure.deadline_probability or 0.0) >= 0.95
        assert plan.sure.usd_per_run >= plan.options[0].usd_per_run


class TestWhatCannotBeJudged:
    @pytest.mark.parametrize(
        ("machine_type", "reason"),
        [
            ("f1-micro", "shared-core"),
            ("n2-standard-8", "cap"),
            ("nonsense", "vcpus"),
            ("n1-standard-32", "vcpus"),
            ("c2-standard-60", "not-offered"),
        ],
    )
    def test_it_is_listed_with_the_reason(self, machine_type: str, reason: str) -> None:
        need = replace(STORY, machine_types=("n1-standard-4", machine_type))
        plan = planned(need)
        assert [option.machine_type for option in plan.options] == ["n1-standard-4"]
        assert [(r.machine_type, r.reason) for r in plan.unknown] == [(machine_type, reason)]

    def test_a_missing_price_is_not_free(self) -> None:
        plan = plan_job(replace(STORY, machine_types=("m4n-hypermem-16",)), PRICES, TODAY)
        assert not plan.options
        assert plan.unknown[0].reason == "price"
        assert plan.infeasible is not None
        assert "no price for m4n-hypermem-16" in str(plan.infeasible.shortfall)

    def test_a_region_without_the_series(self) -> None:
        need = replace(STORY, machine_types=(), series=("c2",))
        found = plan_job(need, PRICES, TODAY).infeasible
        assert found is not None
        assert found.binding == "made-west1 offers no type of series c2"
        assert any("made-east1" in change for change in map(str, found.changes))

    def test_a_cap_that_depends_on_the_platform_is_that_of_the_askable_one(self) -> None:
        need = replace(STORY, machine_types=("n1-standard-16",), streams=None)
        (option,) = plan_job(need, PRICES, TODAY).options
        assert option.phases[-1].gbps == pytest.approx(32)

    def test_filters_leave_out_what_is_not_asked_for(self) -> None:
        any_kind = replace(STORY, machine_types=(), memory_gib=30.0, architecture=None)
        plan = plan_job(any_kind, PRICES, TODAY)
        assert min(one.memory_gib for one in plan.options) == 30
        kept = {one.machine_type for one in plan.options}
        assert not kept & {"a2-highgpu-1g", "e2-medium", "n1-standard-4", "m2-ultramemx-96"}
        assert "t2a-standard-16" in kept
        x86 = plan_job(replace(STORY, machine_types=(), architecture="X86_64"), PRICES, TODAY)
        assert "t2a-standard-16" not in {one.machine_type for one in x86.options}
        assert plan.left_out_count > 0


def test_windows_bound_what_comes_from_the_internet() -> None:
    """Of an unknown sender: 6 MiB of a stock receiver in flight each round trip, at the most."""

    def taken_gbps(streams: int | None, rtt_ms: float | None) -> float:
        need = JobNeed(
            in_bytes=10**12,
            source=JobEnd(place=JobPlace.INTERNET),
            region="made-west1",
            machine_types=("n1-standard-8",),
            streams=streams,
            rtt_ms=rtt_ms,
            max_count=1,
        )
        option = plan_job(need, PRICES, TODAY).options[0]
        (phase,) = (one for one in option.phases if one.phase is JobPhase.IN)
        return 8e3 / phase.duration_s

    far, near = taken_gbps(1, 200.0), taken_gbps(1, 20.0)
    assert near == pytest.approx(10 * far, rel=0.05)
    assert 0.08 < far < 6 * 2**20 * 8 / 0.2 / 1e9
    assert taken_gbps(4, 200.0) == pytest.approx(4 * far, rel=0.05)
    assert taken_gbps(64, 0.5) == taken_gbps(None, None)
