"""Who shares a limit: by the documentation, and the same for probe plans and calibrations."""

import msgspec
import pytest

from netplan_planner.model import PathClass, PathEnd, PathQuery, PodNetwork, SetUp
from netplan_planner.throughput.goodput.mean import SHARED
from netplan_planner.throughput.limits import shared_by


def query(src: str = "n2-standard-32", dst: str = "c3-standard-8", **more: bool) -> PathQuery:
    return PathQuery(
        path_class=PathClass.SAME_ZONE_EXTERNAL,
        src=PathEnd(machine_type=src, is_tier1=more.get("is_tier1", False)),
        dst=PathEnd(machine_type=dst),
    )


@pytest.mark.parametrize(
    "name",
    ["external-egress", "external-flow", "external-ingress", "external-ingress-packets"],
)
def test_what_is_stated_for_every_vm_is_the_same_in_all_projects(name: str) -> None:
    assert shared_by.same_for(name, query()) == "all"
    assert shared_by.said_of(name, "all") == f"{name} (all VMs)"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("vm-egress", "n2"),
        ("internal-flow", "n2"),
        ("receiver-cores", "c3"),
        ("external-path", "same-zone-external"),
        ("window-over-rtt", "own machines"),
        ("send-buffer-over-rtt", "own machines"),
        ("slow-start-ramp", "own machines"),
    ],
)
def test_what_decides_a_value(name: str, wanted: str) -> None:
    assert shared_by.same_for(name, query()) == wanted
    assert shared_by.same_for(name, query(is_tier1=True)) == wanted


def test_a_stand_in_says_nothing_of_documented_caps() -> None:
    assert shared_by.same_for("vm-egress", query(), regime="carried") == "n2, by a later cap"


@pytest.mark.parametrize(
    ("receives", "sends", "window", "start"),
    [
        (
            SetUp(image="debian-12"),
            SetUp(image="sles-15"),
            " with image debian-12",
            " with image sles-15",
        ),
        (
            SetUp(receive_buffer_bytes=2**26, send_buffer_bytes=2**20),
            SetUp(receive_buffer_bytes=2**20, send_buffer_bytes=2**30 - 5),
            " with receive buffers of 64 MiB, send buffers of 1024 MiB",
            " with send buffers of 1024 MiB",
        ),
        (SetUp(), SetUp(congestion_control="bbr"), "", " with bbr"),
        (SetUp(congestion_control="bbr"), SetUp(congestion_control="cubic"), "", ""),
    ],
)
def test_how_the_ends_are_set_up_decides_windows_and_starts_and_nothing_else(
    receives: SetUp, sends: SetUp, window: str, start: str
) -> None:
    one = query()
    one = msgspec.structs.replace(
        one,
        src=msgspec.structs.replace(one.src, set_up=sends),
        dst=msgspec.structs.replace(one.dst, set_up=receives),
    )
    assert shared_by.same_for("window-over-rtt", one) == f"own machines{window}"
    assert shared_by.same_for("slow-start-ramp", one) == f"own machines{start}"
    assert shared_by.same_for("vm-egress", one) == shared_by.same_for("vm-egress", query()) == "n2"


def test_the_nearest_probes_tell_first() -> None:
    own, image = "own machines", "own machines with image a"
    sending = f"{image}, send buffers of 64 MiB"
    assert list(dict.fromkeys(shared_by.taught_by(image))) == [image, own]
    assert list(dict.fromkeys(shared_by.taught_by(sending))) == [
        sending,
        f"{own} with send buffers of 64 MiB",
        image,
        own,
    ]
    # What stock buffers at both ends show says nothing of greater ones at both.
    both = f"{image}, receive buffers of 64 MiB, send buffers of 64 MiB"
    assert not {own, image} & {*shared_by.taught_by(both)}
    assert not shared_by.has_buffers_of(sending, image, shared_by.SEND)
    assert shared_by.has_buffers_of(image, own, shared_by.SEND)
    hostile = SetUp(image="a, send buffers of 64 MiB")
    assert shared_by.sending_set_up(hostile) != shared_by.sending_set_up(
        SetUp(image="a", send_buffer_bytes=2**26)
    )


def test_a_cluster_network_decides_what_pods_have() -> None:
    pod = PodNetwork(encapsulation="vxlan", encryption="wireguard")
    path = PathQuery(
        path_class=PathClass.SAME_ZONE_INTERNAL_POD,
        src=PathEnd(machine_type="n2-standard-8"),
        dst=PathEnd(machine_type="n2-standard-8"),
        pod=pod,
    )
    assert shared_by.same_for("pod-stream", path) == "vxlan, wireguard"


def test_every_set_names_limits_that_flows_share() -> None:
    assert {*shared_by.OF_VM} < {*shared_by.OF_SENDER}
    assert {*shared_by.OF_SENDER, *shared_by.OF_RECEIVER, *shared_by.OF_PROJECT} <= {*SHARED}
