"""From machines and observed edges to the ends of a path, and to the cap that a machine has."""

from netplan_planner.model import (
    BandwidthTier,
    CapsBook,
    Edge,
    EgressCap,
    Facts,
    Instance,
    Owner,
    PathEnd,
    PathQuery,
)
from netplan_planner.throughput.limits.tables import platform_conditions


def instance_cap(
    instance: Instance, caps: CapsBook, *, tier1: bool | None = None
) -> EgressCap | None:
    """Return the cap of a machine as it is set up, or None when it is not known.

    Args:
        instance: The machine.
        caps: The caps table at a date.
        tier1: True asks for the cap with Tier_1, None for a type that has none; False for the
            default one. None takes what is set; Tier_1 on a type without it changes nothing.
    """
    platform = deciding_platform(instance)
    if tier1 is None:
        is_offered = any(cap.is_tier1 for cap in caps.variants(instance.machine_type))
        tier1 = is_offered and instance.bandwidth_tier is BandwidthTier.TIER_1
    return caps.cap(instance.machine_type, tier1=tier1, cpu_platform=platform)


def outside_gbps(facts: Facts, instance: Instance) -> float:
    """Return the 95th percentile of what a machine sends to addresses outside the VPC, in Gbit/s.

    At most the cap for them: what is counted above it is the noise of counting. 0 without traffic,
    and where no source states that cap (before 2018): a need that no type is known to meet helps
    nobody.
    """
    cap = instance_cap(instance, facts.caps)
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    if seen is None or cap is None or cap.external_gbps is None:
        return 0.0
    return min(seen.egress_outside_vpc.p95_gbps, cap.external_gbps)


def instance_end(instance: Instance, *, mtu_bytes: int | None = None) -> PathEnd:
    """Return a machine as one end of a path, as it is set up now."""
    return PathEnd(
        machine_type=instance.machine_type,
        is_tier1=instance.bandwidth_tier == "TIER_1",
        cpu_platform=deciding_platform(instance),
        zone=instance.zone,
        region=instance.region,
        mtu_bytes=mtu_bytes,
    )


def edge_query(facts: Facts, edge: Edge, *, streams: int | None = None) -> PathQuery:
    """Return the path of an observed edge: both ends, the network's MTU, the observed RTT."""
    return PathQuery(
        path_class=edge.path_class,
        src=_owner_end(facts, facts.src(edge)),
        dst=_owner_end(facts, facts.dst(edge)),
        streams=streams,
        rtt_ms=edge.rtt_ms,
    )


def deciding_platform(instance: Instance) -> str | None:
    """Return the CPU platform, or a least one that already decides the cap.

    A least platform below the one that the cap depends on decides nothing: the machine may well
    run on a newer one.
    """
    if instance.cpu_platform is not None or instance.min_cpu_platform is None:
        return instance.cpu_platform
    decides = platform_conditions().get(instance.series, frozenset())
    return instance.min_cpu_platform if instance.min_cpu_platform in decides else None


def _owner_end(facts: Facts, owner: Owner) -> PathEnd:
    instance = facts.instance(owner)
    if instance is None:
        return PathEnd(machine_type=None, zone=owner.zone, region=owner.region)
    link = instance.primary_network
    network = facts.inventory.network_by_link.get(link) if link is not None else None
    return instance_end(instance, mtu_bytes=network.mtu_bytes if network else None)
