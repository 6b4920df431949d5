"""The need of a machine that exists, and the machine itself as the baseline of a plan."""

from datetime import date
from decimal import Decimal

import msgspec
import pytest

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.optimise.vm_today import baseline_of, with_baseline
from netplan_planner.throughput import load_caps
from support.prices.book import SmallPriceBook, make_shape

TODAY = date(2026, 11, 21)
PRICES = SmallPriceBook()
N2_STANDARD_32 = Decimal("0.05") * 32 * 730
"""A month of it at list price in the small price book."""
CAPS = load_caps(TODAY)


def machine(machine_type: str, **more: object) -> model.Instance:
    base = model.Instance(
        ref=model.ResourceRef(
            self_link=model.SelfLink("projects/p/zones/made-west1-a/instances/vm-1")
        ),
        project=model.ProjectId("p"),
        zone=model.Zone("made-west1-a"),
        name="vm-1",
        machine_type=machine_type,
        status="RUNNING",
    )
    return msgspec.structs.replace(base, **more)


def shape(machine_type: str) -> model.MachineShape:
    found = PRICES.shape(machine_type)
    assert found is not None
    return found


class TestNeed:
    def test_its_vcpus_and_memory_are_floors(self) -> None:
        need = model.need_for_vm(machine("n2-standard-8"), 3.5, shape("n2-standard-8"))
        assert (need.gbps, need.region, need.vcpus, need.memory_gib) == (3.5, "made-west1", 8, 32)
        assert (need.max_count, need.usage) == (1, model.Usage.SUSTAINED_USE)
        assert (need.allow_gpu, need.allow_shared_core) == (False, False)

    def test_the_user_may_say_otherwise(self) -> None:
        need = model.need_for_vm(
            machine("n2-standard-8"),
            3.5,
            shape("n2-standard-8"),
            vcpus=2,
            memory_gib=4.0,
            usage=model.Usage.CUD_1Y,
            series=("e2",),
            destination=model.Destination.EXTERNAL,
        )
        assert (need.vcpus, need.memory_gib) == (2, 4)
        assert (need.usage, need.series, need.destination) == ("cud-1y", ("e2",), "external")

    def test_a_floor_of_zero_is_not_no_answer(self) -> None:
        need = model.need_for_vm(machine("n2-standard-8"), 1, shape("n2-standard-8"), vcpus=0)
        assert need.vcpus == 0

    def test_spot_stays_spot_and_arm_stays_arm(self) -> None:
        need = model.need_for_vm(
            machine("t2a-standard-16", is_spot=True), 1, shape("t2a-standard-16")
        )
        assert (need.usage, need.architecture) == (model.Usage.SPOT, "ARM64")

    @pytest.mark.parametrize(
        ("instance", "own"),
        [
            (machine("a2-highgpu-1g"), shape("a2-highgpu-1g")),
            (machine("n1-standard-8", gpu_count=1), shape("n1-standard-8")),
        ],
    )
    def test_gpus_keep_the_series(self, instance: model.Instance, own: model.MachineShape) -> None:
        need = model.need_for_vm(instance, 1, own)
        assert need.allow_gpu
        assert need.series == (instance.series,)

    def test_shared_cores_may_stay(self) -> None:
        own = make_shape("e2-medium", 2, 4, is_shared_core=True)
        assert model.need_for_vm(machine("e2-medium"), 0.5, own).allow_shared_core


class TestBaseline:
    def test_it_stands_beside_the_plan_in_the_same_terms(self) -> None:
        instance = machine("n2-standard-32")
        need = model.need_for_vm(instance, 20, shape("n2-standard-32"), vcpus=8, memory_gib=16)
        found = Chooser(PRICES, CAPS).choose(need)
        assert isinstance(found, model.MachinePlan)
        baseline, note = baseline_of(instance, shape("n2-standard-32"), need, PRICES, CAPS)
        plan = with_baseline(found, baseline, note)
        assert plan.baseline is not None
        assert (plan.baseline.cap_gbps, plan.baseline.usable_gbps) == (32, 25.6)
        assert plan.baseline.usd_per_month == N2_STANDARD_32 * Decimal("0.8")
        assert plan.baseline_note == ""
        best = plan.ranked[0].usd_per_month
        assert best is not None
        assert best < plan.baseline.usd_per_month
        assert plan.ranked == found.ranked

    @pytest.mark.parametrize(
        "asked",
        [{"usage": model.Usage.SPOT}, {"region": "elsewhere-east1"}],
        ids=["spot", "region"],
    )
    def test_it_is_priced_as_it_is_whatever_is_asked(self, asked: dict[str, object]) -> None:
        instance = machine("n2-standard-32")
        need = model.need_for_vm(instance, 20, shape("n2-standard-32"))
        other = msgspec.structs.replace(need, **asked)
        baseline, _ = baseline_of(instance, shape("n2-standard-32"), other, PRICES, CAPS)
        assert baseline is not None
        assert baseline.usd_per_month == N2_STANDARD_32 * Decimal("0.8")

    def test_a_commitment_that_is_asked_for_is_its_own_too(self) -> None:
        instance = machine("n2-standard-32")
        need = model.need_for_vm(instance, 20, shape("n2-standard-32"), usage=model.Usage.CUD_1Y)
        baseline, _ = baseline_of(instance, shape("n2-standard-32"), need, PRICES, CAPS)
        assert baseline is not None
        assert baseline.usd_per_month == N2_STANDARD_32 * Decimal("0.7")

    @pytest.mark.parametrize("usage", [model.Usage.CUD_1Y, model.Usage.ON_DEMAND, None])
    def test_a_spot_machine_costs_its_spot_price(self, usage: model.Usage | None) -> None:
        instance = machine("n2-standard-32", is_spot=True)
        need = model.need_for_vm(instance, 20, shape("n2-standard-32"), usage=usage)
        baseline, _ = baseline_of(instance, shape("n2-standard-32"), need, PRICES, CAPS)
        assert baseline is not None
        assert baseline.usd_per_month == N2_STANDARD_32 * Decimal("0.3")

    def test_tier1_has_its_line(self) -> None:
        instance = machine("n2-standard-32", bandwidth_tier=model.BandwidthTier.TIER_1)
        need = model.need_for_vm(instance, 20, shape("n2-standard-32"))
        baseline, _ = baseline_of(instance, shape("n2-standard-32"), need, PRICES, CAPS)
        assert baseline is not None
        assert baseline.is_tier1
        assert baseline.cap_gbps == 50
        assert len(baseline.line_items) == 2
        today = Chooser(PRICES, CAPS).cost_today(instance, need.usage)
        assert today == baseline.line_items

    def test_tier1_that_the_type_does_not_have_has_no_known_fee(self) -> None:
        instance = machine("n2-standard-8", bandwidth_tier=model.BandwidthTier.TIER_1)
        need = model.need_for_vm(instance, 5, shape("n2-standard-8"))
        baseline, note = baseline_of(instance, shape("n2-standard-8"), need, PRICES, CAPS)
        assert baseline is not None
        assert baseline.usd_per_month is None
        assert "no Tier_1 fee" in note
        with pytest.raises(MissingDatum, match="no Tier_1 fee"):
            Chooser(PRICES, CAPS).cost_today(instance, model.Usage.ON_DEMAND)

    def test_a_suspended_machine_has_the_price_that_it_has_when_it_runs(self) -> None:
        instance = machine("n2-standard-32", status="SUSPENDED")
        need = model.need_for_vm(instance, 20, shape("n2-standard-32"))
        baseline, note = baseline_of(instance, shape("n2-standard-32"), need, PRICES, CAPS)
        assert baseline is not None
        assert baseline.usd_per_month == N2_STANDARD_32 * Decimal("0.8")
        assert note == "suspended: pays now for its memory, disks and addresses alone"

    def test_the_cap_of_an_unknown_platform_is_unknown(self) -> None:
        instance = machine("n1-standard-16")
        need = model.need_for_vm(instance, 20, shape("n1-standard-16"))
        baseline, note = baseline_of(instance, shape("n1-standard-16"), need, PRICES, CAPS)
        assert baseline is None
        assert "depends on the CPU platform" in note

    def test_a_missing_price_is_said_and_not_zero(self) -> None:
        instance = machine("m4n-hypermem-16")
        need = model.need_for_vm(instance, 20, shape("m4n-hypermem-16"))
        baseline, note = baseline_of(instance, shape("m4n-hypermem-16"), need, PRICES, CAPS)
        assert baseline is not None
        assert baseline.usd_per_month is None
        assert baseline.line_items == ()
        assert "no price for m4n-hypermem-16" in note

    def test_a_custom_type_has_a_baseline(self) -> None:
        instance = machine("n2-custom-8-16384")
        need = model.need_for_vm(instance, 5, shape("n2-custom-8-16384"))
        baseline, note = baseline_of(instance, shape("n2-custom-8-16384"), need, PRICES, CAPS)
        assert baseline is not None
        assert (baseline.cap_gbps, note) == (16, "")
