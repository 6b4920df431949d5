"""Transfers between Google's regions, at list prices and by the throughput model."""

from decimal import Decimal
from typing import Any

import pytest

from netplan_planner.model import PathClass, Usage
from netplan_planner.verbs.transfer import ask
from netplan_planner.verbs.transfer.answer import TransferPlan
from netplan_planner.verbs.transfer.plan import plan_transfer
from support.known import known
from support.transfers import reckoned
from support.transfers.made import CAPS, PRICES, UNBOUND

CENT = Decimal("0.01")
TEN_TB = 10**13
N2 = ("n2-standard-4", "n2-standard-8", "n2-standard-16")


def plan(source: str, *targets: str, **more: Any) -> TransferPlan:
    told: dict[str, Any] = {"volume_bytes": TEN_TB, "machine_types": N2, "max_count": 4, **UNBOUND}
    return plan_transfer(
        ask.TransferNeed(source=source, targets=targets, **(told | more)), PRICES, CAPS
    )


def test_ten_terabytes_by_hand() -> None:
    """80,000 Gbit at 10 Gbit/s a machine; 9,657 GiB with headers at 5 cents, one of them free."""
    only = plan("us-central1", "europe-west4", machine_types=("n2-standard-4",), max_count=1)
    found = known(only.plan)
    assert found.transfer_s == pytest.approx(8_000, rel=1e-3)
    gib = Decimal(TEN_TB) * 1460 / 1408 / 2**30
    assert abs(found.traffic_usd - (gib - 1) * Decimal("0.05")) < CENT
    hour = (
        PRICES.machine("us-central1", "n2-standard-4").usd
        + PRICES.machine("europe-west4", "n2-standard-4").usd
    )
    assert found.machine_usd is not None
    assert abs(found.machine_usd - hour * found.billed_s / 3600) < CENT
    assert found.usd_total == found.traffic_usd + found.machine_usd
    assert not found.relays
    assert "no relay saves money" in str(only.relay_verdict)


@pytest.mark.parametrize(
    "ends",
    [
        ("us-central1", "europe-west4"),
        ("me-west1", "us-east1"),
        ("us-central1", "europe-west4", "europe-west1", "us-east1"),
    ],
)
def test_the_bill_is_that_of_another_reckoning_to_the_cent(ends: tuple[str, ...]) -> None:
    found = plan(*ends, deadline_s=7200.0)
    for option in (known(found.plan), found.direct, *found.front):
        if option is not None:
            own = reckoned.listed_usd(found.need, option, PRICES)
            assert own.quantize(CENT) == option.usd_total.quantize(CENT)


def test_a_relay_is_taken_where_the_list_prices_make_it_pay() -> None:
    def rate(src: str, dst: str) -> Decimal:
        steps = PRICES.traffic(PathClass.INTER_REGION_INTERNAL, src_region=src, dst_region=dst)
        return steps[-1].price.usd

    by = "northamerica-south1"
    assert rate("me-west1", by) + rate(by, "us-east1") < rate("me-west1", "us-east1")
    types = {"machine_types": ("t2d-standard-1", "c3d-highcpu-4")}
    found = plan("me-west1", "us-east1", **types)
    assert found.plan is not None
    assert found.direct is not None
    assert found.plan.relays == (by,)
    assert found.plan.usd_total < found.direct.usd_total
    alone = plan("me-west1", "us-east1", relays=(), **types)
    assert abs(known(alone.plan).usd_total - found.direct.usd_total) <= CENT


def test_of_several_targets_one_passes_on_to_another() -> None:
    """Within Europe a GiB costs less than across the ocean."""
    found = plan("us-central1", "europe-west4", "europe-west1")
    assert found.plan is not None
    (relay,) = found.plan.relays
    assert relay in {"europe-west4", "europe-west1"}
    assert found.plan.traffic_usd < known(found.direct).traffic_usd - 200


def test_a_quota_holds_and_a_greater_one_is_named() -> None:
    quota = (ask.PlaceLimit(place="us-central1", gbps=5.0),)
    found = known(plan("us-central1", "europe-west4", inside_quotas=quota).plan)
    assert found.gbps == pytest.approx(5.0)
    assert found.binding[0].name == "region-quota"
    late = plan("us-central1", "europe-west4", inside_quotas=quota, deadline_s=8_000.0)
    (change,) = [str(one) for one in known(late.infeasible).changes if "--quota" in str(one)]
    enough = float(change.rpartition("=")[2])
    grown = (ask.PlaceLimit(place="us-central1", gbps=enough),)
    kept = plan("us-central1", "europe-west4", inside_quotas=grown, deadline_s=8_000.0)
    assert kept.plan is not None
    # The quota of what leaves the VPC is another one.
    other = plan("us-central1", "europe-west4", outside_quotas=quota)
    assert known(other.plan).gbps > 5
    # A quota that holds a transfer back is named, and the greater one is enough.
    lower = ask.PlaceLimit(place="us-central1", gbps=20.0)
    told: dict[str, Any] = {"machine_types": (*N2, "n2-standard-32"), "max_count": 16}
    told["deadline_s"] = 600.0
    held = known(plan("us-central1", "europe-west4", inside_quotas=(lower,), **told).infeasible)
    assert known(held.held_back_by).name == "region-quota"
    (change,) = [str(one) for one in held.changes if "--quota" in str(one)]
    greater = ask.PlaceLimit(place="us-central1", gbps=float(change.rpartition("=")[2]))
    assert 20 < greater.gbps < 150
    in_time = known(plan("us-central1", "europe-west4", inside_quotas=(greater,), **told).plan)
    assert in_time.duration_s <= 600 * (1 + 1e-6)
    # Of machines the place that may have no more holds back.
    held = known(plan("us-central1", "europe-west4", deadline_s=10.0).infeasible)
    assert known(held.held_back_by).is_most


def test_external_addresses_bind_earlier_and_take_no_more_than_is_sent() -> None:
    inside = known(plan("us-central1", "europe-west4", goal=ask.TransferGoal.TIME).plan)
    outside = known(
        plan(
            "us-central1",
            "europe-west4",
            goal=ask.TransferGoal.TIME,
            address=ask.AddressKind.EXTERNAL,
        ).plan
    )
    assert outside.gbps <= 4 * 7.0 * (1 + 1e-9)
    assert outside.duration_s > inside.duration_s
    assert any("external address" in one.name for one in outside.line_items)
    # A small machine takes no more from outside than it sends.
    # The documented 30 Gbit/s and 1.8 million packets a second hold for machines of any size.
    many = known(
        plan(
            "us-central1",
            "europe-west4",
            machine_types=("t2d-standard-1",),
            address=ask.AddressKind.EXTERNAL,
        ).plan
    )
    (receivers,) = [one.count for one in many.machines if one.role == "receiver"]
    assert many.gbps <= 10 * receivers * (1 + 1e-9)


def test_the_internet_by_two_tiers() -> None:
    premium = plan("us-central1", "internet", area="Europe", network_tier=ask.NetworkTier.PREMIUM)
    standard = known(
        plan("us-central1", "internet", area="Europe", network_tier=ask.NetworkTier.STANDARD).plan
    )
    assert standard.usd_total < known(premium.plan).usd_total
    (way,) = [one for one in premium.ways if one.name == "Standard Tier"]
    assert abs(known(way.option).usd_total - standard.usd_total) <= CENT


def test_a_bucket_is_written_from_its_own_region() -> None:
    found = known(plan("us-central1", "storage:europe-west4", storage_gbps=6.0).plan)
    by_place = {one.place: one.count for one in found.machines}
    assert found.gbps <= 6.0 * by_place["europe-west4"] * (1 + 1e-9)
    (last,) = [one for one in found.flows if one.dst.startswith("storage:")]
    assert (last.src, last.usd) == ("europe-west4", Decimal(0))


def test_spot_machines_cost_less_and_take_longer() -> None:
    asked = {"interruptions_per_day": 2.0, "lost_work_s": 300.0, "startup_s": 60.0}
    plain = plan("us-central1", "europe-west4", **asked)
    spot = known(plan("us-central1", "europe-west4", usage=Usage.SPOT, **asked).plan)
    assert plain.plan is not None
    assert known(spot.machine_usd) < known(plain.plan.machine_usd)
    assert spot.duration_s > 60 + spot.ramp_s + spot.transfer_s
    assert any(one.name == "Spot VMs" and one.option for one in plain.ways)


@pytest.mark.nightly
def test_few_connections_bind_and_more_are_advised() -> None:
    few = known(plan("us-central1", "europe-west4", streams=1).plan)
    many = known(plan("us-central1", "europe-west4").plan)
    assert few.duration_s > 5 * many.duration_s
    assert few.flows[0].bound_by == "streams"
    assert (many.flows[0].streams or 0) > 1
    assert many.ramp_s > 0


def test_a_price_that_is_not_known_is_said_and_never_nothing() -> None:
    found = plan("us-central1", "internet", network_tier=ask.NetworkTier.PREMIUM)
    assert found.plan is None
    assert "no price is known" in known(found.infeasible).binding
    assert found.unpriced
    # That of Standard Tier is one for all areas: what was not held against it is said.
    other = plan("us-central1", "internet")
    assert known(other.plan).flows[0].network_tier == "STANDARD"
    assert any("us-central1 to internet" in one for one in other.unpriced)


def test_every_sender_carries_its_flows_by_the_caps_table() -> None:
    found = known(plan("us-central1", "europe-west4", "us-east1", deadline_s=3_000.0).plan)
    for one in found.machines:
        cap = known(CAPS.cap(one.machine_type, tier1=one.is_tier1))
        sent = sum(flow.gbps for flow in found.flows if flow.src == one.place)
        assert sent <= cap.egress_gbps * one.count * (1 + 1e-6)


@pytest.mark.nightly
def test_quotas_that_are_enough_together_alone() -> None:
    quotas = tuple(ask.PlaceLimit(place=one, gbps=5.0) for one in ("europe-west4", "us-central1"))
    late = known(
        plan(
            "us-central1",
            *("europe-west4", "europe-west1", "us-east1"),
            inside_quotas=quotas,
            relays=("europe-west4",),
            deadline_s=9_000.0,
        ).infeasible
    )
    assert any("--quota us-central1=" in str(one) for one in late.changes)


def test_free_gib_of_other_regions_are_nobodys_way_out() -> None:
    """Standard Tier: 200 GiB a region are free; a relay in each would cost less than no traffic."""
    out = plan(
        "us-central1",
        "internet",
        area="Europe",
        volume_bytes=10**12,
        network_tier=ask.NetworkTier.STANDARD,
        max_count=2,
    )
    assert out.plan is not None
    assert not any(one.relays for one in out.front)
    gib = Decimal(10**12) * 1460 / 1408 / 2**30
    assert abs(out.plan.traffic_usd - (gib - 200) * Decimal("0.085")) < CENT
    assert known(out.bound_usd) <= out.plan.usd_total


def test_less_than_the_minute_that_is_paid_for() -> None:
    """1 TB in 20 s: 8,000 Gbit by machines of 16 Gbit/s, each paid for a minute all the same."""
    told: dict[str, Any] = {"machine_types": ("n2-standard-8",), "volume_bytes": 10**12}
    found = known(plan("us-central1", "us-east1", deadline_s=20.0, max_count=40, **told).plan)
    assert found.duration_s <= 20 * (1 + 1e-6)
    assert found.billed_s == 60
    # 19.7 s are left after the start of the connections: 26 machines at either end are enough.
    assert {one.count for one in found.machines} == {26}
    fastest = known(
        plan("us-central1", "us-east1", goal=ask.TransferGoal.TIME, max_count=40, **told).plan
    )
    assert fastest.transfer_s == pytest.approx(8_000 / (16 * 40), rel=1e-3)


@pytest.mark.nightly
def test_more_machines_are_never_slower() -> None:
    fastest = [
        plan("us-central1", "us-east1", goal=ask.TransferGoal.TIME, max_count=count).plan
        for count in (4, 16, 40)
    ]
    times = [one.duration_s for one in fastest if one is not None]
    assert len(times) == 3
    assert times[0] > times[1] > times[2]
