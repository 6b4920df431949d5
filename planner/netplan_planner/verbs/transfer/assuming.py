"""What nobody told of a transfer, and its plan rests on."""

from collections.abc import Iterator, Sequence

from netplan_planner.machines.disks import on_machine
from netplan_planner.model import PathClass, Usage
from netplan_planner.verbs.transfer.ask import VCPU_GBPS, NetworkTier, TransferNeed
from netplan_planner.verbs.transfer.hops import Tables, region_of_bucket
from netplan_planner.verbs.transfer.machines import Machine
from netplan_planner.verbs.transfer.market import Market


def _grid_assumptions(need: TransferNeed, market: Market) -> Iterator[str]:
    if need.machine_egress_gbps is None:
        yield (
            "a VM's total egress is at most the highest rate of one edge from its place in the "
            "grid (--machine-egress-gbps)"
        )
    if need.machine_ingress_gbps is None:
        yield (
            "a VM's total ingress is at most the highest rate in the grid (--machine-ingress-gbps)"
        )
    if any(not one.prices for one in market.machines):
        yield (
            "the price of a VM is not given (--machine-usd-per-hour): the total is traffic "
            "only, and the plan uses as many VMs as allowed (--max-count)"
        )
    yield "the grid's rates apply from the first byte: connection start is not included"


def _machine_assumptions(need: TransferNeed, used: Sequence[Machine]) -> Iterator[str]:
    if need.vcpu_gbps is None and need.machine_gbps is None:
        yield (
            f"a vCPU moves {VCPU_GBPS:g} Gbit/s in each direction, the basis of Google's caps "
            "(change: --vcpu-gbps; measured: --machine-gbps)"
        )
    disk = need.own_disk
    held = [
        (one.offer.shape, one.disk, one.place == need.source)
        for one in used
        if one.offer and one.disk
    ]
    if disk is None or not disk.disk_type or not held:
        return
    if need.disk is None:
        yield (
            "each VM at an end uses a disk that holds its share of the bytes on "
            f"{need.max_count} VMs; its price and creation are not included: {disk.name} (--disk)"
        )
    known: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for shape, own, is_read in held:
        rate, does = (own.read_mib_per_s, "reads") if is_read else (own.write_mib_per_s, "writes")
        if rate is None:
            continue
        of = unknown if on_machine(disk, shape) is None else known
        of[f"{shape.machine_type} {does} at most {rate:,.0f} MiB/s"] = None
    if known:
        yield f"rate of {disk.name} from its size and Google's limits per VM: {', '.join(known)}"
    if unknown:
        yield (
            f"no limit of {disk.disk_type} is known for these machine types, so only its size "
            f"limits it: {', '.join(unknown)}; give your rate, such as for Hyperdisk: --disk RATE"
        )


def _outside_assumptions(need: TransferNeed, market: Market) -> Iterator[str]:
    if need.network_tier is None and any(
        one.network_tier is NetworkTier.STANDARD for one in market.hops
    ):
        yield (
            "Standard Tier has the documented caps of Premium Tier; the rate of its networks is "
            "not documented (--network-tier premium)"
        )
    if any(hop.path_class is PathClass.INTERNET for hop in market.hops):
        yield "the cost and rate of VMs at the other end are unknown"


def assumptions(
    need: TransferNeed, market: Market, tables: Tables, used: Sequence[Machine]
) -> Iterator[str]:
    """Yield what nobody told and the figures rest on.

    Args:
        need: What was asked.
        market: Ways and machines to choose from.
        tables: Given ones.
        used: The machines of the plan.
    """
    if tables.grid is not None:
        yield from _grid_assumptions(need, market)
    if need.startup_s is None:
        paid = ", but billed" if any(one.prices for one in market.machines) else ""
        yield f"start-up time is not given (--start-up) and not included{paid}"
    if tables.grid is None:
        if need.streams is None:
            yield "as many connections as needed (--streams)"
        yield from _machine_assumptions(need, used)
    yield "the bytes are split evenly over the VMs, and relays forward them on arrival"
    if need.usage is Usage.SPOT and need.lost_work_s is None:
        yield "an interruption loses the whole transfer so far (--spot-lost-work)"
    buckets = [one for one in (need.source, *need.targets) if region_of_bucket(one) != one]
    if buckets and not tables.has_own_names:
        yield (
            "traffic between VMs and a bucket of the same region is free; Cloud Storage bills "
            "operations, retrieval and storage"
        )
    yield from _outside_assumptions(need, market)
    free = any(hop.price is None and hop.path_class is not None and hop.usd for hop in market.hops)
    if free:
        yield "price steps and free GiB per month start at zero for this transfer"
