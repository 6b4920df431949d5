"""Machines with several physical NICs, and doubts that stay where they belong."""

import msgspec
import pytest

from netplan_planner.model import LimitKind, PathQuery
from netplan_planner.throughput import load_caps
from netplan_planner.throughput.limits.senders import (
    most_vnics,
    nic_limit,
    physical_nics,
    why_too_many_vnics,
)
from support.listed import listed
from support.paths.queries import DAY, end, estimate, path


def steady(path_class: str, machine_type: str, nic_count: int = 1) -> PathQuery:
    sender = end(machine_type, nic_count=nic_count)
    return path(path_class, sender, streams=None, rtt_ms=None)


class TestDoubts:
    def test_a_doubtful_cap_inside_does_not_widen_the_rule_for_the_outside(self) -> None:
        found = estimate(steady("same-zone-external", "c4-standard-4"))
        sure = estimate(steady("same-zone-external", "n2-standard-4"))
        assert found.gbps == 7
        assert found.high_gbps == pytest.approx(7.14)
        assert found.low_gbps == pytest.approx(sure.low_gbps or 0, rel=0.01)

    @listed("path_class", ["same-zone-internal", "same-zone-external"])
    def test_no_interval_ends_beyond_a_documented_cap(self, path_class: str) -> None:
        types = load_caps(DAY).machine_types
        found = {name: estimate(steady(path_class, name)) for name in types}
        # Of the others no source states a cap.
        known = {name: one for name, one in found.items() if one.gbps is not None}
        # Of e2-small Google's own pages state two: the interval holds both.
        caps = {
            name: min(limit.gbps for limit in one.limits if limit.kind is LimitKind.DOCUMENTED)
            for name, one in known.items()
        } | {"e2-small": 2.0}
        assert len(known) > 550
        assert {
            name: (one.high_gbps, caps[name])
            for name, one in known.items()
            if not (one.high_gbps or 0) <= 1.02 * caps[name] * (1 + 1e-9)
        } == {}


class TestPhysicalNics:
    def test_one_pair_of_addresses_uses_one_of_them(self) -> None:
        found = estimate(steady("same-zone-internal", "a3-ultragpu-8g"))
        assert found.gbps == 200
        assert found.high_gbps == pytest.approx(204)
        assert found.limits[0].name == "nic-egress"
        assert "1 of 2 for TCP/IP" in found.limits[0].detail
        assert "--nics" in found.limits[0].lifted_by
        assert found.limits[1].gbps == 3600

    @pytest.mark.parametrize(
        ("machine_type", "nic_count", "gbps"),
        [
            ("a3-ultragpu-8g", 2, 400),
            ("a3-ultragpu-8g", 10, 400),
            ("a4-highgpu-8g", 1, 200),
            ("a3-megagpu-8g", 9, 1800),
            ("a3-highgpu-8g", 1, 200),
            ("c4n-highcpu-192", 2, 400),
            ("tpu7x-standard-4t", 1, 200),
            ("m4n-megamem-224", 1, 200),
            ("m4n-ultramem-224", 2, 400),
        ],
    )
    def test_more_of_them_carry_more_up_to_the_machine_s_cap(
        self, machine_type: str, nic_count: int, gbps: float
    ) -> None:
        assert estimate(steady("same-zone-internal", machine_type, nic_count)).gbps == gbps

    def test_a_machine_with_one_has_no_such_limit(self) -> None:
        assert nic_limit("n2-standard-32", 1) is None
        assert nic_limit("a3-highgpu-4g", 1) is None

    def test_the_sum_of_a_table_row_is_no_more_than_the_documented_cap(self) -> None:
        for name, nics in physical_nics().items():
            (cap,) = load_caps(DAY).variants(name)
            assert nics.nic_gbps * nics.vpc_nic_count <= cap.egress_gbps
            assert nics.source
            assert nics.basis in {"documented", "derived"}
            assert nics.nic_count <= most_vnics(cap.vcpus)

    def test_every_machine_whose_cap_is_a_sum_is_in_the_table(self) -> None:
        caps = load_caps(DAY)
        for name in caps.machine_types:
            for cap in caps.variants(name):
                if "physical NICs" in cap.caution or "with 2 NICs" in cap.caution:
                    assert name in physical_nics()


class TestVnics:
    @pytest.mark.parametrize(
        ("machine_type", "most"),
        [
            ("f1-micro", 2),
            ("n1-standard-1", 2),
            ("n2-standard-2", 2),
            ("n2-standard-4", 4),
            ("n2-standard-8", 8),
            ("n4-custom-10-20480", 10),
            ("n2-standard-128", 10),
        ],
    )
    def test_a_machine_takes_one_a_vcpu(self, machine_type: str, most: int) -> None:
        caps = load_caps(DAY)
        assert why_too_many_vnics(end(machine_type, nic_count=most), caps) == ""
        why = why_too_many_vnics(end(machine_type, nic_count=most + 1), caps)
        assert why == f"{machine_type} supports at most {most} vNICs, not {most + 1}"

    def test_of_an_unknown_type_the_given_vcpus_count(self) -> None:
        caps = load_caps(DAY)
        assert why_too_many_vnics(end(None, nic_count=4, vcpus=4), caps) == ""
        assert "at most 4 vNICs" in why_too_many_vnics(end(None, nic_count=5, vcpus=4), caps)
        assert why_too_many_vnics(end(None, nic_count=10), caps) == ""


class TestOneFlow:
    def test_it_never_has_more_than_all_flows_together(self) -> None:
        caps = load_caps(DAY)
        for name in caps.machine_types:
            for cap in caps.variants(name):
                if cap.external_gbps is not None and cap.external_flow_gbps is not None:
                    assert cap.external_flow_gbps <= cap.external_gbps
        h3 = caps.cap("h3-standard-88")
        assert h3 is not None
        assert h3.external_flow_gbps == 1

    def test_the_answer_names_no_greater_limit_of_one_flow(self) -> None:
        query = path("internet", "h3-standard-88", rtt_ms=1.0)
        found = estimate(msgspec.structs.replace(query, window_bytes=2**30))
        flows = {limit.name: limit.gbps for limit in found.limits}
        assert flows["external-flow"] == 1
        assert (found.high_gbps or 0) <= 1.02
