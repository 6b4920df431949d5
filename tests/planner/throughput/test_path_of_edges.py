"""A path as the model of a project has it: the ends of machines, and edges of its traffic."""

from datetime import UTC, date, datetime

import msgspec
import pytest

from netplan_planner.model import (
    Edge,
    Facts,
    Instance,
    Inventory,
    Network,
    NetworkInterface,
    Owner,
    OwnerKind,
    PathClass,
    PathEnd,
    ProjectId,
    Region,
    Reporter,
    ResourceRef,
    SelfLink,
    Series,
    TrafficCoverage,
    TrafficMatrix,
    Zone,
)
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.throughput import (
    edge_query,
    instance_end,
    load_caps,
    predict,
)
from support.prices.book import SmallPriceBook

TODAY = date(2026, 11, 21)


def machine(name: str, **more: object) -> Instance:
    base = Instance(
        ref=ResourceRef(self_link=SelfLink(f"projects/p/zones/z-1-a/instances/{name}")),
        project=ProjectId("p"),
        zone=Zone("z-1-a"),
        name=name,
        machine_type="n1-standard-16",
        status="RUNNING",
        interfaces=(
            NetworkInterface(name="nic0", network=SelfLink("projects/p/global/networks/n")),
        ),
    )
    return msgspec.structs.replace(base, **more)


class TestFromTheModel:
    @pytest.mark.parametrize(
        ("platform", "least", "expected"),
        [
            ("Intel Broadwell", "Intel Skylake", "Intel Broadwell"),
            (None, "Intel Skylake", "Intel Skylake"),
            (None, "Intel Haswell", None),
            (None, None, None),
        ],
    )
    def test_a_least_platform_counts_only_where_it_decides(
        self, platform: str | None, least: str | None, expected: str | None
    ) -> None:
        instance = machine("a", cpu_platform=platform, min_cpu_platform=least)
        assert instance_end(instance).cpu_platform == expected

    def test_an_edge_becomes_a_path(self) -> None:
        found = edge_query(facts(), edges()[0], streams=4)
        assert found.path_class is PathClass.SAME_ZONE_EXTERNAL
        assert found.src.machine_type == "n1-standard-16"
        assert found.src.mtu_bytes == found.dst.mtu_bytes == 8896
        assert (found.src.zone, found.src.region) == ("z-1-a", "z-1")
        assert (found.streams, found.rtt_ms) == (4, 0.2)

    def test_a_peer_that_is_not_ours_has_no_type(self) -> None:
        found = edge_query(facts(), edges()[1])
        assert found.dst == PathEnd(machine_type=None, zone=None, region=Region("r"))
        assert predict(found, load_caps(TODAY)).gbps == 7


def facts() -> Facts:
    one, other = machine("a", cpu_platform="Intel Skylake"), machine("b")
    network = Network(
        ref=ResourceRef(self_link=SelfLink("projects/p/global/networks/n")),
        project=ProjectId("p"),
        name="n",
        mtu_bytes=8896,
    )
    series = Series(p50_gbps=1, p95_gbps=1, p99_gbps=1, max_gbps=1, byte_count=10, active_minutes=1)
    owners = (
        Owner(kind=OwnerKind.VM, key=one.ref.self_link, name="a", link=one.ref.self_link),
        Owner(kind=OwnerKind.VM, key=other.ref.self_link, name="b", link=other.ref.self_link),
        Owner(kind=OwnerKind.INTERNET, key="internet:eu", name="eu", region=Region("r")),
    )

    def edge(dst: int, path_class: PathClass) -> Edge:
        return Edge(
            src=0,
            dst=dst,
            path_class=path_class,
            payload_bytes=10,
            header_bytes=0,
            packet_count=1,
            record_count=1,
            series=series,
            rtt_ms=0.2,
        )

    return Facts(
        inventory=Inventory(instances=(one, other), networks=(network,)),
        traffic=TrafficMatrix(
            start=datetime(2026, 1, 1, tzinfo=UTC),
            end=datetime(2026, 1, 2, tzinfo=UTC),
            observed_minutes=1440,
            reporter=Reporter.SOURCE,
            owners=owners,
            edges=(edge(1, PathClass.SAME_ZONE_EXTERNAL), edge(2, PathClass.INTERNET)),
            vms=(),
            coverage=TrafficCoverage(files=1, record_count=1, used_count=1),
        ),
        prices=SmallPriceBook(),
        caps=load_caps(TODAY),
        machines=Chooser(SmallPriceBook(), load_caps(TODAY)),
        today=TODAY,
    )


def edges() -> tuple[Edge, ...]:
    traffic = facts().traffic
    assert traffic is not None
    return traffic.edges
