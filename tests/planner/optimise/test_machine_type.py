"""The choice of machine types, against brute force and by its properties."""

import itertools
import math
from datetime import date
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner import model
from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.throughput import load_caps
from netplan_planner.units import HOURS_PER_MONTH
from support.listed import listed
from support.prices.book import NO_COMMITMENT, SHAPES, UNPRICED, SmallPriceBook

TODAY = date(2026, 11, 21)
WEST, EAST = "made-west1", "made-east1"
PRICES = SmallPriceBook()
CAPS = load_caps(TODAY)
CHOOSER = Chooser(PRICES, CAPS)
EXTERNAL = model.Destination.EXTERNAL


def need(gbps: float, region: str = WEST, **more: object) -> model.MachineNeed:
    return a_need({"gbps": float(gbps), "region": region, **more})


def plan(gbps: float, region: str = WEST, **more: object) -> model.MachinePlan:
    found = CHOOSER.choose(need(gbps, region, **more))
    assert isinstance(found, model.MachinePlan)
    return found


def a_need(fields: dict[str, object]) -> model.MachineNeed:
    return msgspec.convert({"gbps": 10.0, "region": WEST, **fields}, model.MachineNeed)


def brief(candidate: model.Candidate) -> tuple[int, str, bool]:
    return candidate.count, candidate.machine_type, candidate.is_tier1


def reason(
    found: model.MachinePlan | model.Infeasible, machine_type: str, *, tier1: bool = False
) -> str:
    return next(
        r.reason for r in found.rejected if r.machine_type == machine_type and r.is_tier1 == tier1
    )


def brute_force(wanted: model.MachineNeed) -> list[tuple[bool, Decimal, int, str, bool]]:
    """Return every fitting number of every offered and priced type: steady ones first, by price."""
    found = []
    for shape, tier1 in itertools.product(PRICES.offered(wanted.region), (False, True)):
        platform = "Intel Skylake" if shape.machine_type.startswith("n1") else None
        cap = CAPS.cap(shape.machine_type, tier1=tier1, cpu_platform=platform)
        is_out = shape.gpu_count or shape.is_shared_core or shape.deprecation
        if (
            cap is None
            or is_out
            or (wanted.series and cap.machine_type.split("-")[0] not in wanted.series)
        ):
            continue
        reach = cap.external_gbps if wanted.destination is EXTERNAL else cap.egress_gbps
        try:
            hourly = PRICES.machine(wanted.region, shape.machine_type, wanted.usage).usd
            if tier1:
                hourly += PRICES.tier1_fee(
                    wanted.region,
                    shape.machine_type,
                    cap.egress_gbps,
                    is_spot=wanted.usage is model.Usage.SPOT,
                ).usd
        except MissingDatum:
            continue
        for count in range(1, wanted.max_count + 1):
            carries = reach is not None and (
                count * reach * (1 - wanted.headroom_ratio) >= wanted.gbps - 1e-6
            )
            if (
                carries
                and count * shape.vcpus >= wanted.vcpus
                and count * shape.memory_gib >= wanted.memory_gib
            ):
                usd = hourly * HOURS_PER_MONTH * count
                found.append((cap.is_peak, usd, count, shape.machine_type, tier1))
    return sorted(found)


NEEDS = st.builds(
    model.MachineNeed,
    gbps=st.one_of(st.sampled_from([0.0, 8.0, 12.8, 16.0, 25.6, 40.0, 80.0]), st.floats(0, 200)),
    region=st.sampled_from([WEST, EAST]),
    destination=st.sampled_from(list(model.Destination)),
    vcpus=st.integers(0, 200),
    memory_gib=st.floats(0, 1500),
    headroom_ratio=st.sampled_from([0.0, 0.1, 0.2, 0.5]),
    usage=st.sampled_from([model.Usage.ON_DEMAND, model.Usage.SPOT]),
    series=st.sampled_from([(), ("n2",), ("n1", "n2"), ("c4n", "e2")]),
    max_count=st.integers(1, 8),
)


class TestAgainstBruteForce:
    @given(NEEDS)
    def test_the_cheapest_is_the_cheapest_of_all(self, wanted: model.MachineNeed) -> None:
        found = CHOOSER.choose(wanted)
        everything = brute_force(wanted)
        if isinstance(found, model.Infeasible):
            assert not everything
            return
        known = [c for c in found.ranked if c.usd_per_month is not None]
        if not known:
            assert not everything
            return
        best = known[0]
        assert (best.is_peak, best.usd_per_month, *brief(best)) == everything[0]

    @given(NEEDS)
    def test_every_candidate_carries_the_need_and_is_offered(
        self, wanted: model.MachineNeed
    ) -> None:
        found = CHOOSER.choose(wanted)
        if isinstance(found, model.Infeasible):
            return
        for candidate in (*found.ranked, *found.front):
            cap = CAPS.cap(
                candidate.machine_type,
                tier1=candidate.is_tier1,
                cpu_platform=candidate.cpu_platform or None,
            )
            assert cap is not None
            reach = cap.external_gbps if wanted.destination is EXTERNAL else cap.egress_gbps
            assert reach == candidate.cap_gbps
            free = 1 - wanted.headroom_ratio
            assert candidate.count * reach * free >= wanted.gbps * (1 - 1e-8)
            assert candidate.count * candidate.vcpus >= wanted.vcpus
            assert candidate.count * candidate.memory_gib >= wanted.memory_gib * (1 - 1e-8)
            assert candidate.count <= wanted.max_count
            assert PRICES.is_offered(wanted.region, candidate.machine_type)
            assert candidate.line_items

    @given(NEEDS, st.floats(0, 50), st.integers(0, 50), st.floats(0, 200))
    def test_more_demand_never_costs_less(
        self, wanted: model.MachineNeed, gbps: float, vcpus: int, memory_gib: float
    ) -> None:
        more = msgspec.structs.replace(
            wanted,
            gbps=wanted.gbps + gbps,
            vcpus=wanted.vcpus + vcpus,
            memory_gib=wanted.memory_gib + memory_gib,
        )
        assert lowest(CHOOSER.choose(wanted)) <= lowest(CHOOSER.choose(more))

    @given(NEEDS)
    def test_every_type_is_a_candidate_or_has_a_reason(self, wanted: model.MachineNeed) -> None:
        found = CHOOSER.choose(wanted)
        ranked = found.ranked if isinstance(found, model.MachinePlan) else ()
        seen = {c.machine_type for c in ranked} | {r.machine_type for r in found.rejected}
        assert seen == {shape.machine_type for shape in SHAPES}
        twice = {(c.machine_type, c.is_tier1) for c in ranked} & {
            (r.machine_type, r.is_tier1) for r in found.rejected
        }
        assert not twice
        assert {r.reason for r in found.rejected} <= {
            "bandwidth", "vcpus", "memory", "price", "not-offered", "cap", "dominated", "series",
            "architecture", "gpu", "shared-core", "deprecated", "flow",
        }  # fmt: skip
        assert all(r.detail for r in found.rejected)

    @given(NEEDS)
    def test_the_front_is_not_beaten(self, wanted: model.MachineNeed) -> None:
        found = CHOOSER.choose(wanted)
        if isinstance(found, model.Infeasible):
            return
        for one, other in itertools.combinations(found.front, 2):
            assert (one.usd_per_month or 0) < (other.usd_per_month or 0)
            assert one.cap_gbps < other.cap_gbps
        for candidate in found.ranked:
            usd, cap_gbps = candidate.usd_per_month, candidate.cap_gbps
            if candidate.count == 1 and usd is not None and not candidate.is_peak:
                assert any(
                    (f.usd_per_month or 0) <= usd and f.cap_gbps >= cap_gbps for f in found.front
                )


def lowest(found: model.MachinePlan | model.Infeasible) -> float:
    if isinstance(found, model.Infeasible):
        return math.inf
    known = [c.usd_per_month for c in found.ranked if c.usd_per_month is not None]
    # A way whose price is not known costs an unknown sum, not an endless one: leave it out.
    return float(min(known)) if known else math.inf


class TestRanking:
    def test_steady_before_peak_then_by_price_then_fewer_machines_then_name(self) -> None:
        keys = [
            (c.is_peak, c.usd_per_month is None, c.usd_per_month or 0, c.count, c.machine_type)
            for c in plan(10, max_count=8).ranked
        ]
        assert keys == sorted(keys)
        assert {key[0] for key in keys} == {False, True}

    def test_the_first_architecture_goes_before_cheaper_ones(self) -> None:
        found = plan(10, first_architecture="ARM64").ranked
        steady = [
            str(c.architecture) for c in found if not c.is_peak and c.usd_per_month is not None
        ]
        assert steady == sorted(steady)
        assert set(steady) == {"ARM64", "X86_64"}
        assert plan(10).ranked[0].architecture == "X86_64"
        # One machine unless the load spreads.
        assert {c.count for c in plan(10).ranked} == {1}
        assert {c.count for c in plan(10, max_count=8).ranked} > {1}

    def test_an_unknown_fee_comes_last_and_is_never_free(self) -> None:
        found = plan(20, destination="external", max_count=1)
        ranked = ["n2-standard-32", "n2-highmem-80", "c4a-standard-72"]
        assert [brief(c) for c in found.ranked] == [(1, name, True) for name in ranked]
        last = found.ranked[-1]
        assert last.usd_per_month is None
        assert "not published" in last.note
        assert len(last.line_items) == 1
        assert last not in found.front

    def test_the_same_need_gets_the_same_answer(self) -> None:
        again = Chooser(SmallPriceBook(), load_caps(TODAY)).choose(need(37, vcpus=20))
        assert again == CHOOSER.choose(need(37, vcpus=20))


class TestTier1:
    def test_it_is_proposed_with_its_fee_as_a_line(self) -> None:
        best = plan(40, max_count=1).ranked[0]
        assert brief(best) == (1, "n2-standard-32", True)
        assert [line.name for line in best.line_items] == [
            "n2-standard-32, on demand, made-west1",
            "Tier_1 of n2-standard-32, up to 50 Gbit/s",
        ]
        fee = best.line_items[1]
        assert fee.usd_per_month == Decimal("0.45") * 730
        assert best.usd_per_month == sum(line.usd_per_month for line in best.line_items)

    def test_it_is_left_out_where_the_type_carries_it_alone(self) -> None:
        found = plan(10)
        assert reason(found, "n2-standard-32", tier1=True) == "dominated"
        assert (1, "n2-standard-32", False) in [brief(c) for c in found.ranked]

    def test_commitments_do_not_cover_its_fee(self) -> None:
        best = plan(40, max_count=1, usage="cud-3y", series=["n2"]).ranked[0]
        machine, fee = best.line_items
        assert machine.unit_price_usd == Decimal("0.05") * 32 * Decimal("0.5")
        assert fee.unit_price_usd == Decimal("0.45")


class TestCpuPlatform:
    def test_the_least_platform_is_a_condition_of_the_candidate(self) -> None:
        by_type = {c.machine_type: c for c in plan(10).ranked}
        assert by_type["n1-standard-16"].cpu_platform == "Intel Skylake"
        assert by_type["n1-standard-16"].cap_gbps == 32
        assert by_type["n1-standard-8"].cpu_platform == ""

    def test_in_2017_it_did_not_matter(self) -> None:
        chooser = Chooser(PRICES, load_caps(date(2017, 7, 20)))
        found = chooser.choose(need(12, max_count=1))
        assert isinstance(found, model.MachinePlan)
        ranked = [(1, f"n1-standard-{vcpus}", False) for vcpus in (8, 16)]
        assert [brief(c) for c in found.ranked] == ranked
        assert found.ranked[1].cpu_platform == ""
        assert reason(found, "n2-standard-8") == "cap"


class TestReasons:
    @listed(
        ("more", "machine_type", "expected"),
        [
            ({}, "c2-standard-60", "not-offered"),
            ({}, "m4n-hypermem-16", "price"),
            ({}, "m2-ultramemx-96", "deprecated"),
            ({}, "a2-highgpu-1g", "gpu"),
            ({}, "e2-medium", "shared-core"),
            ({"series": ["n2"]}, "e2-standard-8", "series"),
            ({"architecture": "X86_64"}, "t2a-standard-16", "architecture"),
            ({"architecture": "ARM64"}, "n2-standard-8", "architecture"),
            ({"max_count": 1}, "n2-standard-2", "bandwidth"),
            ({"vcpus": 60}, "n1-standard-2", "vcpus"),
            ({"memory_gib": 300.0}, "c4n-standard-8", "memory"),
            ({"destination": "external"}, "z4d-highmem-8-highlssd", "cap"),
            (
                {"destination": "external", "min_flow_gbps": 4.0, "gbps": 5.0},
                "c4n-standard-8",
                "flow",
            ),
            ({"usage": "cud-1y"}, "t2a-standard-16", "price"),
        ],
    )
    def test_each_loser_has_its_own(
        self, more: dict[str, object], machine_type: str, expected: str
    ) -> None:
        found = CHOOSER.choose(a_need(more))
        assert reason(found, machine_type) == expected

    def test_flags_let_gpus_and_shared_cores_in(self) -> None:
        found = plan(0.5, allow_gpu=True, allow_shared_core=True)
        types = {c.machine_type for c in found.ranked}
        assert {"a2-highgpu-1g", "e2-medium", "f1-micro"} <= types
        # The unpriced are never proposed.
        assert not {c.machine_type for c in plan(1, allow_gpu=True).ranked} & UNPRICED
        assert {"t2a"} == NO_COMMITMENT


class TestPayment:
    def test_a_share_of_the_month_lowers_hours(self) -> None:
        whole, half = plan(10, series=["e2"]), plan(10, series=["e2"], month_ratio=0.5)
        assert half.ranked[0].usd_per_month == (whole.ranked[0].usd_per_month or 0) / 2

    def test_a_commitment_is_paid_whether_used_or_not(self) -> None:
        whole = plan(10, series=["n2"], usage="cud-1y")
        half = plan(10, series=["n2"], usage="cud-1y", month_ratio=0.5)
        assert half.ranked[0].usd_per_month == whole.ranked[0].usd_per_month

    def test_sustained_use_over_a_whole_and_a_part_month(self) -> None:
        def hourly(month_ratio: float) -> Decimal:
            found = plan(
                12, max_count=1, series=["n2"], usage="sustained-use", month_ratio=month_ratio
            )
            return found.ranked[0].line_items[0].unit_price_usd

        assert hourly(1.0) == Decimal("0.05") * 8 * Decimal("0.8")
        assert hourly(0.5) == Decimal("0.05") * 8 * Decimal("0.9")

    def test_series_without_sustained_use_keep_their_price(self) -> None:
        best = plan(12, max_count=1, series=["e2"], usage="sustained-use").ranked[0]
        assert best.line_items[0].unit_price_usd == Decimal("0.03") * 8

    def test_the_region_decides_the_price(self) -> None:
        assert (plan(10, EAST).ranked[0].usd_per_month or 0) > (
            plan(10, WEST).ranked[0].usd_per_month or 0
        )


class TestInfeasible:
    @pytest.mark.parametrize(
        ("more", "binding", "text"),
        [
            ({"gbps": 700.0, "max_count": 8}, "bandwidth",
             "8 × c4a-standard-72 with Tier_1 reach 640 of 700"),
            ({"gbps": 81.0, "max_count": 1}, "bandwidth", "80 of 81 Gbit/s, after headroom"),
            ({"vcpus": 1000, "max_count": 8}, "vcpus", "reach 640 of 1000 vCPUs"),
            ({"memory_gib": 9000.0, "max_count": 8}, "memory", "5120 of 9000 GiB"),
            ({"series": ["x9"]}, "series", "no type offered in made-west1 fits"),
            ({"region": "nowhere1"}, "not-offered", "no machine type is offered in nowhere1"),
            ({"gbps": 50.0, "max_count": 1, "series": ["n2", "c4n"], "memory_gib": 640.0,
              "destination": "external"}, "bandwidth", "20 of 50"),
        ],
    )  # fmt: skip
    def test_says_what_binds_and_by_how_much(
        self, more: dict[str, object], binding: str, text: str
    ) -> None:
        found = CHOOSER.choose(a_need(more))
        assert isinstance(found, model.Infeasible)
        assert found.binding == binding
        assert text in found.shortfall

    def test_amounts_that_no_type_has_together(self) -> None:
        found = CHOOSER.choose(need(39, max_count=1, series=["c4n", "n1"], vcpus=16))
        assert isinstance(found, model.Infeasible)
        assert found.binding == "bandwidth"
        both = CHOOSER.choose(need(30, max_count=1, series=["c4n", "n1"], vcpus=16))
        assert isinstance(both, model.Infeasible)
        assert both.binding == "combination"
        assert "no type has enough bandwidth, vCPUs and memory" in both.shortfall


@listed(
    "more",
    [{"gbps": -1.0}, {"gbps": math.nan}, {"gbps": math.inf}, {"vcpus": -1}, {"memory_gib": -1.0},
      {"headroom_ratio": 1.0}, {"headroom_ratio": -0.1}, {"max_count": 0},
     {"month_ratio": 0.0}, {"month_ratio": 1.5}],
)  # fmt: skip
def test_a_need_that_cannot_be_is_refused(more: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        CHOOSER.choose(a_need(more))


class TestTrafficToTheOutside:
    def test_the_outside_part_must_fit_its_own_cap(self) -> None:
        known = [c for c in plan(1, max_count=1).ranked if not c.machine_type.startswith("z4d")]
        assert list(plan(1, max_count=1, outside_gbps=1.0).ranked) == known
        more = plan(12, max_count=1, outside_gbps=12.0)
        caps = [CAPS.cap(c.machine_type, tier1=c.is_tier1) for c in more.ranked]
        # As of all that is sent, a fifth of the cap stays free.
        assert all(cap and cap.external_gbps and cap.external_gbps * 0.8 >= 12 for cap in caps)
        assert len(more.ranked) < len(plan(12, max_count=1).ranked)
        assert reason(more, "n2-standard-16") == "bandwidth"
        details = {r.machine_type: r.detail for r in more.rejected if not r.is_tier1}
        assert (
            details["n2-standard-16"] == "carries 5.6 Gbit/s to external addresses after headroom"
        )

    def test_several_machines_share_it(self) -> None:
        found = plan(11, max_count=2, outside_gbps=11.0)
        assert (2, "n2-standard-16", False) in [brief(c) for c in found.ranked]
        # Two caps of 7 Gbit/s are 11.2 Gbit/s after headroom.
        more = plan(12, max_count=2, outside_gbps=12.0)
        assert (2, "n2-standard-16", False) not in [brief(c) for c in more.ranked]

    def test_a_cap_that_no_source_states_does_not_count_as_enough(self) -> None:
        early = Chooser(PRICES, load_caps(date(2017, 7, 27)))
        answer = early.choose(need(1, outside_gbps=0.5, max_count=1))
        assert isinstance(answer, model.Infeasible)
        assert reason(answer, "n1-standard-4") == "cap"
