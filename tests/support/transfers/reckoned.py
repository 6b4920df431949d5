"""What a transfer costs and whether it can be, reckoned from its flows and machines alone.

Shares no code with the planner: prices are the price book's or the table's, all else is worked out
here in exact numbers.
"""

import math
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal

from netplan_planner.model import PathClass, PriceBook, Usage
from netplan_planner.verbs.transfer.answer import TransferOption
from netplan_planner.verbs.transfer.ask import TransferNeed

HEADERS = Decimal(1460) / Decimal(1408)
"""A full packet over what it carries: 40 bytes of headers, 12 of options."""


def billed_gib(volume_bytes: int, share: float, *, with_headers: bool) -> Decimal:
    """Return the GiB that are billed, in thousandths."""
    gib = Decimal(volume_bytes) * Decimal(str(round(share, 9))) / 2**30
    gib *= HEADERS if with_headers else 1
    return gib.quantize(Decimal("0.001"), ROUND_HALF_EVEN)


def shares(option: TransferOption) -> dict[tuple[str, str], float]:
    """Return what share of the bytes crosses between two places, by the routes."""
    found: dict[tuple[str, str], float] = {}
    for route in option.routes:
        for hop in route.hops:
            found[hop] = found.get(hop, 0.0) + route.share_ratio
    return found


def seconds_paid(option: TransferOption) -> int:
    """Return for how long each machine is paid."""
    return max(math.ceil(round(option.duration_s, 1)), 60)


def machine_usd(option: TransferOption, usd_per_hour: Mapping[str, Decimal]) -> Decimal:
    """Return what the machines cost, by the price of one in each place."""
    hours = Decimal(seconds_paid(option)) / 3600
    return sum((one.count * usd_per_hour[one.place] * hours for one in option.machines), Decimal(0))


def table_usd(
    need: TransferNeed,
    option: TransferOption,
    usd_per_gib: Mapping[tuple[str, str], Decimal],
    usd_per_hour: Decimal | None,
) -> Decimal:
    """Return the cost where all prices are those of tables."""
    usd = sum(
        (
            billed_gib(need.volume_bytes, share, with_headers=False) * usd_per_gib[hop]
            for hop, share in shares(option).items()
        ),
        Decimal(0),
    )
    if usd_per_hour is None:
        return usd
    return usd + machine_usd(option, {one.place: usd_per_hour for one in option.machines})


def listed_usd(need: TransferNeed, option: TransferOption, prices: PriceBook) -> Decimal:
    """Return the cost between regions, over internal addresses and on demand, by list prices.

    Hops that are billed as one SKU share its steps.
    """
    usd = Decimal(0)
    sold: dict[str | None, Decimal] = {}
    for (src, dst), share in shares(option).items():
        gib = billed_gib(need.volume_bytes, share, with_headers=True)
        steps = prices.traffic(PathClass.INTER_REGION_INTERNAL, src_region=src, dst_region=dst)
        starts = [step.start for step in steps]
        sku_id = steps[0].price.sku_id
        before = sold.get(sku_id, Decimal(0))
        sold[sku_id] = before + gib
        for step, start, end in zip(steps, starts, [*starts[1:], None], strict=True):
            reached = before + gib if end is None else min(before + gib, end)
            usd += max(reached - max(start, before), Decimal(0)) * step.price.usd
    hourly = {}
    for one in option.machines:
        hourly[one.place] = prices.machine(one.place, one.machine_type, Usage.ON_DEMAND).usd
        if one.is_tier1:
            fee = _tier1_fee(one.place, one.machine_type, prices)
            hourly[one.place] += fee
    return usd + machine_usd(option, hourly)


def _tier1_fee(place: str, machine_type: str, prices: PriceBook) -> Decimal:
    for gbps in (50.0, 75.0, 100.0, 150.0, 200.0):
        try:
            return prices.tier1_fee(place, machine_type, gbps).usd
        except LookupError:
            continue
    raise AssertionError(f"no Tier_1 fee of {machine_type}")


def wrong(need: TransferNeed, option: TransferOption, gbps: Mapping[tuple[str, str], float]) -> str:
    """Return what of a plan cannot be on a network of given rates; empty: nothing.

    Each edge carries no more than its machines at either end, each machine no more in all than is
    told of it, else than the greatest rate of its edges, and every target gets all bytes in time.
    """
    counts = {one.place: one.count for one in option.machines}
    for flow in option.flows:
        most = gbps[flow.src, flow.dst] * min(counts[flow.src], counts[flow.dst])
        if flow.gbps > most * (1 + 1e-6):
            return f"{flow.src} to {flow.dst}: {flow.gbps} of {most} Gbit/s"
    for place, count in counts.items():
        for side, told in enumerate((need.machine_egress_gbps, need.machine_ingress_gbps)):
            own = [f.gbps for f in option.flows if (f.src, f.dst)[side] == place]
            rates = [rate for edge, rate in gbps.items() if edge[side] == place]
            if own and sum(own) > (told or max(rates)) * count * (1 + 1e-6):
                return f"{place} moves {sum(own)} Gbit/s"
    for target in need.targets:
        got = 0.0
        for route in option.routes:
            reached = {need.source}
            for _ in route.hops:
                reached |= {dst for src, dst in route.hops if src in reached}
            got += route.share_ratio if target in reached else 0.0
        if abs(got - 1) > 1e-9:
            return f"{target} gets {got:.6f} of the bytes"
    moved = need.volume_bytes * 8 / 1e9 / option.transfer_s
    return "" if abs(moved / option.gbps - 1) < 1e-6 else f"{moved} is not {option.gbps} Gbit/s"
