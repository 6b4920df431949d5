"""From what is known of a machine to an end of a path, and to the cap that the machine has.

Every end of every path is made here: of a machine of the inventory, of a machine type on paper, of
what somebody described, of what a run recorded. What the machine's network and type say is in all
of them alike; what somebody says of the path goes before it.
"""

import re

import msgspec

from netplan_planner import model
from netplan_planner.throughput.limits import bounds
from netplan_planner.throughput.limits.tables import platform_conditions

OWN_CLOUD = "gcp"
CUBIC = "cubic"
"""Linux's congestion control."""
ANYBODY = model.PathEnd(machine_type=None)
"""An end that holds nothing back: nobody knows which machine it is."""
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-(?:[a-z]|ai\d{1,2}[a-z])")


def instance_cap(
    instance: model.Instance, caps: model.CapsBook, *, tier1: bool | None = None
) -> model.EgressCap | None:
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
        tier1 = is_offered and instance.bandwidth_tier is model.BandwidthTier.TIER_1
    return caps.cap(instance.machine_type, tier1=tier1, cpu_platform=platform)


def outside_gbps(facts: model.Facts, instance: model.Instance) -> float:
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


def image_of(instance: model.Instance) -> str:
    """Return what a machine was made of: as declared, else its licences; empty: not known."""
    licenses = sorted({one.rpartition("/")[2] for one in instance.licenses})
    return instance.set_up.image or "+".join(licenses)


def instance_end(instance: model.Instance) -> model.PathEnd:
    """Return a machine as one end of a path, as it is set up, whatever its network and shape."""
    return model.taken(
        model.PathEnd,
        instance,
        is_tier1=instance.bandwidth_tier is model.BandwidthTier.TIER_1,
        cpu_platform=deciding_platform(instance),
        set_up=msgspec.structs.replace(without_stock(instance.set_up), image=image_of(instance)),
    )


def machine_end(
    facts: model.Facts,
    instance: model.Instance,
    *,
    mtu_bytes: int | None = None,
    vcpus: int | None = None,
    is_tier1: bool | None = None,
    cpu_platform: str | None = None,
) -> model.PathEnd:
    """Return a machine as one end of a path: as it is set up, with its network's MTU and its vCPUs.

    Args:
        facts: The machine's networks and shapes.
        instance: The machine.
        mtu_bytes: In place of its network's; so the others, where somebody or a run says them.
        vcpus: In place of its type's.
        is_tier1: In place of its setting.
        cpu_platform: In place of its own.
    """
    end = instance_end(instance)
    shape = facts.shape(instance.machine_type)
    return msgspec.structs.replace(
        end,
        mtu_bytes=mtu_bytes or network_mtu_bytes(facts, instance),
        vcpus=vcpus or (shape.vcpus if shape is not None else None),
        is_tier1=end.is_tier1 if is_tier1 is None else is_tier1,
        cpu_platform=cpu_platform or end.cpu_platform,
    )


def network_mtu_bytes(facts: model.Facts, instance: model.Instance) -> int | None:
    """Return the MTU of a machine's first network, None where that was not read."""
    link = instance.primary_network
    network = facts.inventory.network_by_link.get(link) if link is not None else None
    return network.mtu_bytes if network is not None else None


def type_end(
    machine_type: str,
    *,
    is_tier1: bool = False,
    cpu_platform: str | None = None,
    beside: model.Instance | None = None,
) -> model.PathEnd:
    """Return a machine that does not exist yet as one end of a path.

    Args:
        machine_type: What it would be.
        is_tier1: Whether with Tier_1.
        cpu_platform: The least one that is asked for; empty: none is.
        beside: The machine that it would replace, where it would stand.
    """
    return model.PathEnd(
        machine_type=machine_type,
        is_tier1=is_tier1,
        cpu_platform=cpu_platform or None,
        zone=beside.zone if beside is not None else None,
        region=beside.region if beside is not None else None,
        set_up=instance_end(beside).set_up if beside is not None else model.STOCK,
    )


def described_end(
    machine_type: str | None,
    *,
    place: str | None = None,
    cloud: str = OWN_CLOUD,
    is_tier1: bool = False,
    cpu_platform: str | None = None,
    vcpus: int | None = None,
    mtu_bytes: int | None = None,
    nic_count: int = 1,
    set_up: model.SetUp = model.STOCK,
) -> model.PathEnd:
    """Return an end as somebody describes it: in words of a command, or in a row of a table.

    Args:
        machine_type: None for somebody else's machine.
        place: A zone or a region; None or empty where none is named.
        cloud: Whose machine it is.
        is_tier1: Whether with Tier_1.
        cpu_platform: Where the cap depends on it.
        vcpus: Where the type does not say.
        mtu_bytes: Of its network.
        nic_count: Physical NICs over which the flows spread.
        set_up: Image, congestion control and buffers.

    >>> named = ("us-east4-a", "us-south1-ai1b", "us-east4", "")
    >>> [described_end(None, place=one).region for one in named]
    ['us-east4', 'us-south1', 'us-east4', None]
    """
    zone = model.Zone(place) if place and _ZONE.fullmatch(place) else None
    return model.PathEnd(
        machine_type=machine_type,
        is_tier1=is_tier1,
        cpu_platform=cpu_platform,
        zone=zone,
        region=(model.region_of(zone) if zone else model.Region(place)) if place else None,
        mtu_bytes=mtu_bytes,
        vcpus=vcpus,
        nic_count=nic_count,
        cloud=cloud,
        set_up=set_up,
    )


def vcpus_of(end: model.PathEnd, caps: model.CapsBook) -> int | None:
    """Return the vCPUs of an end: of its type, else as somebody says; None: not known."""
    custom = model.shape_of_custom(end.machine_type or "")
    known = next((one.vcpus for one in caps.variants(end.machine_type or "") if one.vcpus), None)
    return known or (custom.vcpus if custom else None) or end.vcpus


def measured_end(end: model.MeasuredEnd, mtu_bytes: int | None) -> model.PathEnd:
    """Return an end as a run recorded it; its place is the run's, not the kind of path's.

    Where a run recorded what Linux has anyhow, nothing is set.
    """
    return model.PathEnd(
        machine_type=end.machine_type,
        is_tier1=bool(end.is_tier1),
        cpu_platform=end.cpu_platform,
        vcpus=end.vcpus,
        mtu_bytes=mtu_bytes,
        set_up=without_stock(
            model.SetUp(
                image=end.image or "",
                congestion_control=end.congestion_control or "",
                receive_buffer_bytes=end.receive_ceiling_bytes,
                send_buffer_bytes=end.send_ceiling_bytes,
            )
        ),
    )


def without_stock(one: model.SetUp) -> model.SetUp:
    """Return a set-up without what Linux has anyhow: to tell that is to tell nothing."""
    return msgspec.structs.replace(
        one,
        congestion_control="" if one.congestion_control == CUBIC else one.congestion_control,
        receive_buffer_bytes=_set(one.receive_buffer_bytes, bounds.RECEIVE_BUFFER_BYTES),
        send_buffer_bytes=_set(one.send_buffer_bytes, bounds.SEND_BUFFER_BYTES),
    )


def _set(byte_count: int | None, usual_bytes: int) -> int | None:
    return byte_count if byte_count and byte_count != usual_bytes else None


def sending_query(path_class: model.PathClass, end: model.PathEnd) -> model.PathQuery:
    """Return the path of all that a machine sends by a class, to whomever."""
    return model.PathQuery(path_class=path_class, src=end, dst=ANYBODY)


def edge_query(
    facts: model.Facts, edge: model.Edge, *, streams: int | None = None
) -> model.PathQuery:
    """Return the path of an observed edge: both ends, and the round-trip time seen on it.

    None was seen: none is taken. An audit says what the traffic shows.
    """
    return model.PathQuery(
        path_class=edge.path_class,
        src=_owner_end(facts, facts.src(edge)),
        dst=_owner_end(facts, facts.dst(edge)),
        streams=streams,
        rtt_ms=edge.rtt_ms,
    )


def deciding_platform(instance: model.Instance) -> str | None:
    """Return the CPU platform, or a least one that already decides the cap.

    A least platform below the one that the cap depends on decides nothing: the machine may well
    run on a newer one.
    """
    if instance.cpu_platform is not None or instance.min_cpu_platform is None:
        return instance.cpu_platform
    decides = platform_conditions().get(instance.series, frozenset())
    return instance.min_cpu_platform if instance.min_cpu_platform in decides else None


def _owner_end(facts: model.Facts, owner: model.Owner) -> model.PathEnd:
    instance = facts.instance(owner)
    if instance is None:
        return msgspec.structs.replace(ANYBODY, zone=owner.zone, region=owner.region)
    return machine_end(facts, instance)
