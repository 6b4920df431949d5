"""What a lesser machine takes in: its vCPUs at one core's figure, never below its own cap."""

from datetime import date

import msgspec
import pytest

from netplan_planner.model import Estimate, Limit, PathQuery
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.senders import RECEIVER_CORES, core_flow
from support.listed import listed
from support.paths.queries import DAY, TYPES, end, estimate, path

SENDER = "n2-standard-32"


def to(receiver: str, src: str = SENDER, **more: object) -> PathQuery:
    made = path("same-zone-internal", src, dst=end(receiver), streams=None, rtt_ms=None)
    return msgspec.structs.replace(made, **more)


def limit_of(found: Estimate) -> Limit | None:
    return next((one for one in found.limits if one.name == RECEIVER_CORES), None)


class TestWhenItCounts:
    @listed("machine_type", TYPES)
    def test_never_between_equal_machines(self, machine_type: str) -> None:
        found = estimate(to(machine_type, machine_type))
        assert limit_of(found) is None
        assert not [said for said in found.assumed if "receives" in said]

    def test_not_where_its_vcpus_take_more_than_is_sent_or_nobody_knows_it(self) -> None:
        for receiver in ("n2-standard-4", "n2-standard-32", "c4n-highmem-8"):
            assert limit_of(estimate(to(receiver))) is None
        unknown = path("same-zone-internal", SENDER, dst=end(None), streams=None)
        elsewhere = path("internet", SENDER, dst=end("e2-micro", cloud="aws"), streams=None)
        assert limit_of(estimate(unknown)) is limit_of(estimate(elsewhere)) is None


class TestSendersElsewhere:
    @pytest.mark.parametrize("day", [date(2016, 6, 1), date(2021, 6, 1), DAY])
    def test_a_receiver_bounds_them_on_any_day(self, day: date) -> None:
        src = end(None, cloud="aws")
        for receiver in ("e2-custom-2-4096", "n1-standard-1", "n2-standard-8"):
            query = path("internet", src, dst=end(receiver), streams=512, rtt_ms=0.2)
            limit = limit_of(estimate(query, day))
            assert limit is not None
            assert limit.gbps < 8 * 20

    def test_it_bounds_a_host_s_link_too(self) -> None:
        host = msgspec.structs.replace(
            path("internet", end(None), dst=end("e2-micro"), streams=128, rtt_ms=2.0),
            host_link_gbps=100.0,
        )
        found = estimate(host)
        assert limit_of(found) is not None
        assert (found.gbps or 0) < 10
        assert "external-ingress" in {one.name for one in found.limits}


class TestSharedCores:
    @pytest.mark.parametrize(
        ("receiver", "sustained"),
        [("e2-micro", 0.25), ("e2-custom-micro-2048", 0.25), ("e2-small", 0.5), ("e2-medium", 1.0)],
    )
    def test_the_limit_is_its_share_of_a_vcpu_and_bursts_to_both(
        self, receiver: str, sustained: float
    ) -> None:
        limit, one = limit_of(estimate(to(receiver))), core_flow(DAY, vcpus=1)
        assert limit is not None
        assert one is not None
        assert limit.gbps == pytest.approx(sustained * one.gbps)
        assert limit.low_gbps == pytest.approx(sustained * (one.low_gbps or 0))
        assert limit.high_gbps == pytest.approx(2 * (one.high_gbps or 0))

    @pytest.mark.parametrize("frames", [(1460, 1300), (1300, 1460)])
    def test_frames_are_those_that_both_ends_take(self, frames: tuple[int, int]) -> None:
        src, dst = (end(o, mtu_bytes=f) for o, f in zip((SENDER, "e2-micro"), frames, strict=True))
        found = limit_of(estimate(path("same-zone-internal", src, dst=dst, streams=None)))
        one = core_flow(DAY, vcpus=1, mtu_bytes=1300)
        assert found is not None
        assert one is not None
        assert found.gbps == pytest.approx(0.25 * one.gbps)

    def test_the_answer_says_that_no_document_states_it(self) -> None:
        found = estimate(to("e2-micro"))
        assert found.binding == limit_of(found)
        assert found.gbps == pytest.approx(4.54, abs=0.01)
        assert found.low_gbps == pytest.approx(2.83, abs=0.01)
        assert found.high_gbps == pytest.approx(1.02 * 32)
        assert any(
            "no document states the ingress rate of e2-micro" in one for one in found.assumed
        )

    def test_a_greater_receiver_never_takes_less(self) -> None:
        rising = ("e2-micro", "e2-small", "e2-medium", "n2-standard-2", "n2-standard-4")
        rates = [estimate(to(one)).gbps or 0.0 for one in rising]
        assert rates == sorted(rates)
        assert rates[-1] == 32
        # All flows share it.
        query = to("e2-micro", rtt_ms=0.1)
        shared = [estimate(msgspec.structs.replace(query, streams=n)).gbps for n in (8, 64)]
        assert shared[0] == pytest.approx(shared[1])


class TestWholeVcpus:
    @pytest.mark.parametrize("streams", [None, 16])
    @pytest.mark.parametrize(
        ("receiver", "vcpus"), [("t2d-standard-1", 1), ("n1-standard-1", 1), ("n1-standard-2", 2)]
    )
    def test_each_takes_in_what_one_core_carries(
        self, receiver: str, vcpus: int, streams: int | None
    ) -> None:
        query = to(receiver, "c3-standard-176", streams=streams, rtt_ms=0.1)
        found, one = estimate(query), core_flow(DAY, vcpus=1)
        assert one is not None
        assert limit_of(found) == found.binding
        assert found.gbps == pytest.approx(vcpus * one.gbps, rel=0.02)
        assert (found.high_gbps or 0) <= 1.02 * vcpus * (one.high_gbps or 0)
        assert (found.low_gbps or 99) <= vcpus * (one.low_gbps or 0)
        assert any(f"no document states the ingress rate of {receiver}" in o for o in found.assumed)

    def test_few_flows_have_as_many_cores_as_they_are(self) -> None:
        query = to("n2-standard-4", "c3-standard-176", rtt_ms=0.1)
        core = core_flow(DAY)
        assert core is not None
        rates = [estimate(msgspec.structs.replace(query, streams=n)).gbps or 0 for n in (1, 2, 64)]
        assert rates[0] <= core.gbps
        assert rates[1] <= 2 * core.gbps
        assert rates[2] == pytest.approx(4 * (core_flow(DAY, vcpus=1) or core).gbps, rel=0.02)

    @listed("machine_type", load_caps(DAY).machine_types)
    def test_no_sender_is_said_to_send_more_than_its_vcpus_carry(self, machine_type: str) -> None:
        one, types = core_flow(DAY, vcpus=1), load_caps(DAY).variants(machine_type)
        vcpus = next((cap.vcpus for cap in types if cap.vcpus), None)
        query = path("same-zone-internal", machine_type, dst=end(None), streams=None, rtt_ms=None)
        assert one is not None
        if vcpus is not None:
            assert (estimate(query).gbps or 0) <= vcpus * one.gbps

    @pytest.mark.parametrize("receiver", ["e2-standard-2", "n4-standard-2", "c4-standard-2"])
    def test_the_interval_never_reaches_below_what_it_may_send_itself(self, receiver: str) -> None:
        found, own = estimate(to(receiver, "c4n-standard-192")), load_caps(DAY).cap(receiver)
        assert own is not None
        assert found.low_gbps is not None
        assert found.low_gbps >= own.egress_gbps
