"""Facts built from values: a few machines, edges between them, the real caps and prices."""

from datetime import UTC, date, datetime
from typing import Any

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.throughput import load_caps
from netplan_planner.units import bytes_from_gbps
from netplan_pricing import open_snapshot
from netplan_rules.registry import thresholds

TODAY = date(2026, 11, 20)
MINUTES = 60
NETWORK = model.SelfLink("projects/p/global/networks/default")


def machine(
    name: str,
    machine_type: str = "n2-standard-8",
    zone: str = "us-central1-a",
    labels: tuple[tuple[str, str], ...] = (),
    **more: Any,
) -> model.Instance:
    """Return a running machine of project `p` with one interface."""
    nic = model.NetworkInterface(name="nic0", network=NETWORK, internal_ipv4="10.0.0.1")
    return model.Instance(
        ref=model.ResourceRef(
            self_link=model.SelfLink(f"projects/p/zones/{zone}/instances/{name}"),
            source=f"instances.json:/items/{name}",
        ),
        project=model.ProjectId("p"),
        zone=model.Zone(zone),
        name=name,
        machine_type=machine_type,
        status="RUNNING",
        interfaces=(nic,),
        cpu_platform="Intel Cascade Lake",
        labels=labels,
        **more,
    )


def steady(gbps: float) -> model.Series:
    """Return the series of a rate that never changes."""
    return model.Series(
        p50_gbps=gbps,
        p95_gbps=gbps,
        p99_gbps=gbps,
        max_gbps=gbps,
        byte_count=int(bytes_from_gbps(gbps, 60 * MINUTES)),
        active_minutes=MINUTES,
        top_gbps=(gbps,) * 10,
    )


def facts_of(
    *machines: model.Instance,
    talk: tuple[tuple[str, str, model.PathClass, float], ...] | None = None,
    as_of: date = TODAY,
) -> model.Facts:
    """Return facts with these machines; `talk` holds (sender, receiver, class, Gbit/s)."""
    inventory = model.Inventory(
        instances=tuple(sorted(machines, key=lambda m: m.ref.self_link)),
        networks=(
            model.Network(
                ref=model.ResourceRef(self_link=NETWORK),
                project=model.ProjectId("p"),
                name="default",
            ),
        ),
    )
    prices, caps = open_snapshot(), load_caps(as_of)
    return model.Facts(
        inventory=inventory,
        traffic=None if talk is None else matrix(inventory, talk),
        prices=prices,
        caps=caps,
        machines=Chooser(prices, caps),
        today=TODAY,
        thresholds=thresholds({}),
    )


def holding(facts: model.Facts, **parts: Any) -> model.Facts:
    """Return facts whose inventory has other parts."""
    return replace(facts, inventory=replace(facts.inventory, **parts))


def matrix(
    inventory: model.Inventory, talk: tuple[tuple[str, str, model.PathClass, float], ...]
) -> model.TrafficMatrix:
    """Return a traffic matrix of steady rates between machines of an inventory."""
    owners = tuple(
        model.Owner(
            kind=model.OwnerKind.VM,
            key=i.ref.self_link,
            name=i.name,
            project=i.project,
            zone=i.zone,
            region=model.region_of(i.zone),
            network=NETWORK,
            link=i.ref.self_link,
        )
        for i in inventory.instances
    )
    number = {owner.name: n for n, owner in enumerate(owners)}
    edges = tuple(
        model.Edge(
            src=number[src],
            dst=number[dst],
            path_class=path_class,
            payload_bytes=steady(gbps).byte_count,
            header_bytes=0,
            packet_count=1000,
            record_count=1000,
            series=steady(gbps),
            dst_address=f"35.0.0.{number[dst]}" if path_class.is_external_address else None,
            certainty=model.Certainty.RECORDED,
        )
        for src, dst, path_class, gbps in talk
    )
    vms = tuple(
        model.VmTraffic(
            owner=n,
            egress=steady(sum(e.series.p95_gbps for e in edges if e.src == n)),
            egress_outside_vpc=steady(
                sum(e.series.p95_gbps for e in edges if e.src == n and e.path_class.leaves_vpc)
            ),
            ingress=steady(sum(e.series.p95_gbps for e in edges if e.dst == n)),
        )
        for n in range(len(owners))
    )
    return model.TrafficMatrix(
        start=datetime(2026, 11, 2, 8, tzinfo=UTC),
        end=datetime(2026, 11, 2, 9, tzinfo=UTC),
        observed_minutes=MINUTES,
        reporter=model.Reporter.SOURCE,
        owners=owners,
        edges=edges,
        vms=vms,
        coverage=model.TrafficCoverage(files=1, record_count=1000, used_count=1000),
    )


def facts_to_internet(
    *senders: tuple[str, str, str], area: str = "North America/usa"
) -> model.Facts:
    """Return facts whose machines (name, zone, tier) each send 0.1 Gbit/s to an area."""
    machines = []
    for name, zone, tier in senders:
        plain = machine(name, zone=zone)
        nic = replace(plain.interfaces[0], external_ipv4="34.1.2.3", network_tier=tier)
        machines.append(replace(plain, interfaces=(nic,)))
    talk = tuple((name, "peer", model.PathClass.INTERNET, 0.1) for name, _, _ in senders)
    facts = facts_of(*machines, machine("peer"), talk=talk)
    assert facts.traffic is not None
    owners = tuple(
        replace(owner, kind=model.OwnerKind.INTERNET, area=area, link=None, region=None)
        if owner.name == "peer"
        else owner
        for owner in facts.traffic.owners
    )
    return replace(facts, traffic=replace(facts.traffic, owners=owners))
