"""The need of a machine that exists, and the machine itself as the baseline of a plan."""

from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.optimise.vm_today import baseline_of, lines_when_off, with_baseline
from netplan_planner.throughput import load_caps
from netplan_pricing.opening import open_snapshot
from support.listed import listed
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


N2 = machine("n2-standard-32")
STOCK, SPOT = N2_STANDARD_32 * Decimal("0.8"), N2_STANDARD_32 * Decimal("0.3")
TIER1 = model.BandwidthTier.TIER_1


def today_of(
    instance: model.Instance, gbps: float = 20, region: str = "", **asked: Any
) -> tuple[model.Candidate | None, str]:
    """Return a machine as the baseline of a plan that asks for more, and what is said of it."""
    own = shape(instance.machine_type)
    need = model.need_for_vm(instance, gbps, own, **asked)
    if region:
        need = msgspec.structs.replace(need, region=model.Region(region))
    return baseline_of(instance, own, need, PRICES, CAPS)


def test_the_baseline_stands_beside_the_plan_in_the_same_terms() -> None:
    need = model.need_for_vm(N2, 20, shape("n2-standard-32"), vcpus=8, memory_gib=16)
    found = Chooser(PRICES, CAPS).choose(need)
    assert isinstance(found, model.MachinePlan)
    plan = with_baseline(found, *today_of(N2, vcpus=8, memory_gib=16))
    assert plan.baseline is not None
    assert (plan.baseline.cap_gbps, plan.baseline.usable_gbps) == (32, 25.6)
    assert (plan.baseline.usd_per_month, plan.baseline_note) == (STOCK, "")
    best = plan.ranked[0].usd_per_month
    assert best is not None
    assert best < STOCK
    assert plan.ranked == found.ranked


@listed(
    "instance, asked, usd_per_month, note",
    [
        # It is priced as it is, whatever is asked; a commitment that is asked for is its own too.
        (N2, {"usage": model.Usage.SPOT}, STOCK, ""),
        (N2, {"region": "elsewhere-east1"}, STOCK, ""),
        (N2, {"usage": model.Usage.CUD_1Y}, N2_STANDARD_32 * Decimal("0.7"), ""),
        *(
            (machine("n2-standard-32", is_spot=True), {"usage": usage}, SPOT, "")
            for usage in (model.Usage.CUD_1Y, model.Usage.ON_DEMAND, None)
        ),
        (
            machine("n2-standard-32", status="SUSPENDED"),
            {},
            None,
            "the price of its memory in made-west1 is unknown",
        ),
        # What is not known is said and not zero.
        (machine("n2-standard-8", bandwidth_tier=TIER1), {"gbps": 5}, None, "no Tier_1 fee"),
        (machine("m4n-hypermem-16"), {}, None, "no price for m4n-hypermem-16"),
    ],
)
def test_what_a_machine_costs_today(
    instance: model.Instance, asked: dict[str, Any], usd_per_month: Decimal | None, note: str
) -> None:
    found, said = today_of(instance, **asked)
    assert found is not None
    assert found.usd_per_month == usd_per_month
    assert note in said
    assert bool(note) == bool(said)


def test_tier1_has_its_line_or_no_known_fee() -> None:
    instance = machine("n2-standard-32", bandwidth_tier=TIER1)
    found, _ = today_of(instance)
    assert found is not None
    assert (found.is_tier1, found.cap_gbps, len(found.line_items)) == (True, 50, 2)
    chooser = Chooser(PRICES, CAPS)
    assert chooser.cost_today(instance, model.Usage.SUSTAINED_USE) == found.line_items
    with pytest.raises(MissingDatum, match="no Tier_1 fee"):
        chooser.cost_today(machine("n2-standard-8", bandwidth_tier=TIER1), model.Usage.ON_DEMAND)
    unpriced, _ = today_of(machine("m4n-hypermem-16"))
    assert unpriced is not None
    assert unpriced.line_items == ()


def test_the_cap_of_an_unknown_platform_is_unknown_and_of_a_custom_type_known() -> None:
    found, note = today_of(machine("n1-standard-16"))
    assert found is None
    assert "depends on the CPU platform" in note
    custom, note = today_of(machine("n2-custom-8-16384"), 5)
    assert custom is not None
    assert (custom.cap_gbps, note) == (16, "")


def test_a_suspended_machine_costs_its_memory_today() -> None:
    suspended = machine("n2-standard-8", status="SUSPENDED", zone=model.Zone("us-central1-a"))
    prices = open_snapshot()
    own = prices.shape("n2-standard-8")
    assert own is not None
    found, note = baseline_of(suspended, own, model.need_for_vm(suspended, 8, own), prices, CAPS)
    assert found is not None
    assert found.line_items == lines_when_off(suspended, prices)
    assert found.usd_per_month == model.total_usd(found.line_items)
    assert note == "suspended: only its memory, disks and addresses are billed now"
