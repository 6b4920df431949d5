"""The cheapest machine for a finite transfer: the whole month counts, not the hour."""

from datetime import date
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netplan_planner.model import JobNeed
from netplan_planner.optimise.job import plan_job
from netplan_planner.throughput import load_caps
from netplan_planner.units import BYTES_PER_GIB
from support.prices.book import SmallPriceBook

JULY_2017 = load_caps(date(2017, 7, 20))
TODAY = load_caps(date(2026, 11, 21))
PRICES = SmallPriceBook()
N1 = tuple(f"n1-standard-{vcpus}" for vcpus in (1, 2, 4, 8, 16))
STORY = JobNeed(
    transfer_bytes=200 * BYTES_PER_GIB,
    cpu_seconds=600.0,
    runs_per_month=300,
    region="made-west1",
    machine_types=N1,
    streams=1,
)


def types(need: JobNeed) -> list[str]:
    return [option.machine_type for option in plan_job(need, PRICES, JULY_2017).options]


class TestTheDobermanStory:
    def test_four_vcpus_win_among_n1(self) -> None:
        plan = plan_job(STORY, PRICES, JULY_2017)
        assert plan.options[0].machine_type == "n1-standard-4"
        by_type = {option.machine_type: option for option in plan.options}
        four, one, eight = (by_type[f"n1-standard-{n}"] for n in (4, 1, 8))
        assert four.hours_per_month == pytest.approx(one.hours_per_month / 4)
        assert round(four.usd_per_month, 6) == round(one.usd_per_month, 6)
        assert four.usd_per_month < eight.usd_per_month
        assert eight.hours_per_month < four.hours_per_month

    def test_one_stream_is_what_makes_eight_dearer(self) -> None:
        many = msgspec.structs.replace(STORY, streams=None)
        assert types(many)[0] == "n1-standard-8"
        assert types(STORY)[0] == "n1-standard-4"

    def test_the_bill_worked_by_hand(self) -> None:
        need = JobNeed(
            transfer_bytes=900_000_000_000,
            cpu_seconds=3600.0,
            runs_per_month=10,
            region="made-west1",
            machine_types=("n1-standard-4",),
        )
        (option,) = plan_job(need, PRICES, JULY_2017).options
        # 7,200 Gbit at 8 Gbit/s: 900 s; 3,600 vCPU-seconds on 4: 900 s; 10 runs: 5 hours at $0.20.
        assert (option.transfer_gbps, option.transfer_s, option.compute_s) == (8, 900, 900)
        assert option.hours_per_month == 5
        assert option.usd_per_month == Decimal("1.00")
        assert option.line_items[0].quantity == 5


class TestWhatCannotBeJudged:
    @pytest.mark.parametrize(
        ("machine_type", "reason"),
        [
            ("f1-micro", "shared-core"),
            ("n2-standard-8", "cap"),
            ("nonsense", "vcpus"),
            ("n1-standard-32", "vcpus"),
        ],
    )
    def test_it_is_listed_with_the_reason(self, machine_type: str, reason: str) -> None:
        need = msgspec.structs.replace(STORY, machine_types=("n1-standard-4", machine_type))
        plan = plan_job(need, PRICES, JULY_2017)
        assert [option.machine_type for option in plan.options] == ["n1-standard-4"]
        assert [(r.machine_type, r.reason) for r in plan.unknown] == [(machine_type, reason)]

    def test_a_missing_price_is_not_free(self) -> None:
        need = msgspec.structs.replace(STORY, machine_types=("m4n-hypermem-16",))
        plan = plan_job(need, PRICES, TODAY)
        assert not plan.options
        assert plan.unknown[0].reason == "price"

    def test_a_cap_that_depends_on_the_platform_is_that_of_the_askable_one(self) -> None:
        need = msgspec.structs.replace(STORY, machine_types=("n1-standard-16",), streams=None)
        (option,) = plan_job(need, PRICES, TODAY).options
        assert option.transfer_gbps == 32


class TestProperties:
    @settings(deadline=None)
    @given(st.integers(1, 10**15), st.floats(0, 1e6), st.integers(1, 1000), st.integers(0, 10**15))
    def test_more_work_never_costs_less(
        self, size: int, cpu_seconds: float, runs: int, more: int
    ) -> None:
        need = JobNeed(
            transfer_bytes=size,
            cpu_seconds=cpu_seconds,
            runs_per_month=runs,
            region="made-west1",
            machine_types=N1,
        )
        bigger = msgspec.structs.replace(need, transfer_bytes=size + more)
        one, two = (plan_job(n, PRICES, JULY_2017).options[0] for n in (need, bigger))
        # Options whose costs agree to a micro-dollar are ordered by time.
        assert one.usd_per_month <= two.usd_per_month + Decimal("0.000001")

    @settings(deadline=None)
    @given(st.permutations(N1))
    def test_the_order_of_the_types_does_not_matter(self, order: list[str]) -> None:
        shuffled = msgspec.structs.replace(STORY, machine_types=tuple(order))
        assert types(shuffled) == types(STORY)
