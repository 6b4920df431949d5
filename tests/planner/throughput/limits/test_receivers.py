"""What a lesser machine takes in: its vCPUs at one core's figure, never below its own cap."""

import msgspec
import pytest

from netplan_planner.model import Estimate, Limit, PathQuery
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.host import core_flow
from netplan_planner.throughput.limits.receivers import RECEIVER_CORES
from support.predict_paths import DAY, TYPES, end, estimate, path

SENDER = "n2-standard-32"


def to(receiver: str, src: str = SENDER, **more: object) -> PathQuery:
    made = path("same-zone-internal", src, dst=end(receiver), streams=None, rtt_ms=None)
    return msgspec.structs.replace(made, **more)


def limit_of(found: Estimate) -> Limit | None:
    return next((one for one in found.limits if one.name == RECEIVER_CORES), None)


class TestWhenItCounts:
    @pytest.mark.parametrize("machine_type", TYPES)
    def test_never_between_equal_machines(self, machine_type: str) -> None:
        found = estimate(to(machine_type, machine_type))
        assert limit_of(found) is None
        assert not [said for said in found.assumed if "receives" in said]

    @pytest.mark.parametrize("receiver", ["n2-standard-4", "n2-standard-32", "c4n-highmem-8"])
    def test_not_where_its_vcpus_take_more_than_is_sent(self, receiver: str) -> None:
        assert limit_of(estimate(to(receiver))) is None

    def test_not_of_a_receiver_that_nobody_knows(self) -> None:
        unknown = path("same-zone-internal", SENDER, dst=end(None), streams=None)
        elsewhere = path("internet", SENDER, dst=end("e2-micro", cloud="aws"), streams=None)
        assert limit_of(estimate(unknown)) is limit_of(estimate(elsewhere)) is None


class TestItsFigure:
    @pytest.mark.parametrize(
        ("receiver", "sustained", "most"),
        [
            ("e2-micro", 0.25, 2),
            ("e2-custom-micro-2048", 0.25, 2),
            ("e2-medium", 1.0, 2),
            ("t2d-standard-1", 1.0, 1),
            ("n2-standard-2", 2.0, 2),
        ],
    )
    def test_is_its_vcpus_times_one(self, receiver: str, sustained: float, most: int) -> None:
        limit = limit_of(estimate(to(receiver)))
        one, enough = core_flow(DAY, vcpus=1), core_flow(DAY)
        assert limit is not None
        assert one is not None
        assert enough is not None
        assert limit.gbps == pytest.approx(sustained * one.gbps)
        assert limit.low_gbps == pytest.approx(sustained * (one.low_gbps or 0))
        assert limit.high_gbps == pytest.approx(most * (enough.high_gbps or 0))

    def test_is_never_below_what_it_may_send_itself(self) -> None:
        caps = load_caps(DAY)
        for receiver in ("e2-micro", "e2-standard-2", "n4-standard-2", "c4-standard-2"):
            limit = limit_of(estimate(to(receiver, "c4n-standard-192")))
            own = caps.cap(receiver)
            assert limit is not None
            assert own is not None
            assert limit.low_gbps is not None
            assert limit.low_gbps >= own.egress_gbps

    def test_the_answer_says_that_no_document_states_it(self) -> None:
        found = estimate(to("e2-micro"))
        assert found.binding == limit_of(found)
        assert found.gbps == pytest.approx(4.24, abs=0.01)
        assert found.low_gbps == pytest.approx(2.83, abs=0.01)
        assert found.high_gbps == pytest.approx(1.02 * 32)
        assert any("no document states what e2-micro receives" in one for one in found.assumed)

    def test_a_greater_receiver_never_takes_less(self) -> None:
        rising = ("e2-micro", "e2-small", "e2-medium", "n2-standard-2", "n2-standard-4")
        rates = [estimate(to(one)).gbps or 0.0 for one in rising]
        assert rates == sorted(rates)
        assert rates[-1] == 32


def test_all_flows_share_it() -> None:
    query = to("e2-micro", rtt_ms=0.1)
    shared = [estimate(msgspec.structs.replace(query, streams=n)).gbps for n in (8, 64)]
    assert shared[0] == pytest.approx(shared[1])
