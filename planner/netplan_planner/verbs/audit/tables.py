"""Tables beside the findings: expensive pairs of machines, regions, and pairs of pods."""

from collections import defaultdict
from decimal import Decimal
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.judging.month import REGIONAL_QUOTAS
from netplan_planner.machines.groups import made_by
from netplan_planner.paths.edges import PodCost, pod_costs
from netplan_planner.paths.priced_paths import PricedPath, billed_edges
from netplan_planner.planning.traffic_bill import direction_of, mean_prices
from netplan_planner.verbs.audit.answer import DearPair, NearSaving, PodPair, RegionRow
from netplan_rules.shared.near_services import NearService, near_services

MOST_PAIRS = 20


class _Key(NamedTuple):
    src: int
    dst: int
    path_class: model.PathClass


class _Sent(NamedTuple):
    byte_count: int
    max_gbps: float


def dear_pairs(
    facts: model.Facts, most: int = MOST_PAIRS, *, has_free: bool = False
) -> tuple[DearPair, ...]:
    """Return what own machines send to whom at the greatest cost, the dearest first.

    Traffic of one price shares the price's steps: each pair has the mean price of it. What has no
    known price is in no pair, and what is free only with `has_free`.
    """
    if facts.traffic is None:
        return ()
    by_path: dict[PricedPath, dict[_Key, _Sent]] = defaultdict(dict)
    for edge, path in billed_edges(facts):
        if direction_of(facts, edge) is not model.Direction.SENT:
            continue
        pairs = by_path[path]
        key = _Key(edge.src, edge.dst, edge.path_class)
        known = pairs.get(key, _Sent(0, 0.0))
        pairs[key] = _Sent(
            known.byte_count + edge.wire_bytes, max(known.max_gbps, edge.series.max_gbps)
        )
    prices = mean_prices(facts)
    found = [
        (usd_per_byte * sent.byte_count, sent, key)
        for path, pairs in sorted(by_path.items(), key=itemgetter(0))
        if (usd_per_byte := prices[path].usd_per_byte) or (has_free and usd_per_byte is not None)
        for key, sent in pairs.items()
    ]
    dearest = nlargest(most, found, key=lambda one: (one[0], -one[2].src, -one[2].dst))
    return tuple(_pair(facts, key, sent, usd) for usd, sent, key in dearest)


def _pair(facts: model.Facts, key: _Key, sent: _Sent, usd: Decimal) -> DearPair:
    owners = facts.traffic.owners if facts.traffic is not None else ()
    src, dst = owners[key.src], owners[key.dst]
    src_group, src_version = made_by(facts, src)
    dst_group, dst_version = made_by(facts, dst)
    return DearPair(
        src=src.name,
        dst=dst.name,
        src_group=src_group,
        dst_group=dst_group,
        src_version=src_version,
        dst_version=dst_version,
        src_place=src.zone or src.region or "",
        dst_place=dst.zone or dst.region or "",
        path_class=key.path_class,
        gib_per_month=facts.gib_per_month(sent.byte_count),
        usd_per_month=usd,
        max_gbps=sent.max_gbps,
    )


def region_rows(rows: tuple[model.MachineRow, ...]) -> tuple[RegionRow, ...]:
    """Return each project and region with what its running machines could send together."""
    groups: dict[tuple[str, str], list[model.MachineRow]] = defaultdict(list)
    for row in rows:
        groups[row.project, row.region].append(row)
    return tuple(_region(*key, groups[key]) for key in sorted(groups))


def _region(project: str, region: str, rows: list[model.MachineRow]) -> RegionRow:
    running = [row for row in rows if not row.is_off]
    inside = [row.egress_gbps for row in running if row.egress_gbps is not None]
    outside = [row.external_gbps for row in running if row.external_gbps is not None]
    return RegionRow(
        project=project,
        region=region,
        machine_count=len(rows),
        running_count=len(running),
        egress_gbps=_sum(inside, running),
        external_gbps=_sum(outside, running),
        unknown_count=len(running) - len(inside),
        external_unknown_count=len(running) - len(outside),
        quotas=REGIONAL_QUOTAS,
    )


def _sum(known: list[float], running: list[model.MachineRow]) -> float | None:
    """Return the sum of what is known of machines; None: there are some, and it is of none."""
    return round(sum(known), 6) if known or not running else None


MOST_POD_PAIRS = 20


def pod_pairs(facts: model.Facts, most: int = MOST_POD_PAIRS) -> tuple[PodPair, ...]:
    """Return the pairs of pods that cost most, the dearest first; what is free is left out."""
    paid = [cost for cost in pod_costs(facts) if cost.unknown or cost.usd_per_month]
    return tuple(_pod_pair(cost) for cost in paid[:most])


def _pod_pair(cost: PodCost) -> PodPair:
    flow = cost.flow
    return PodPair(
        src=flow.src.workload,
        dst=flow.dst.workload,
        src_zone=flow.src.zone or "",
        dst_zone=flow.dst.zone or "",
        service=flow.service or "",
        path_class=flow.path_class,
        gib_per_month=cost.gib_per_month,
        usd_per_month=cost.usd_per_month,
        unknown=cost.unknown,
    )


def near_savings(facts: model.Facts) -> tuple[NearSaving, ...]:
    """Return what near endpoints would save of each Service that has traffic, by name."""
    return tuple(_saving(one) for one in near_services(facts))


def _saving(one: NearService) -> NearSaving:
    near, service = one.traffic.near, one.traffic.service
    if near is None:
        return NearSaving(
            service=service.full_name,
            prefers_near=service.prefers_near,
            crossing_gib_per_month=None,
            saved_gib_per_month=None,
            saving_usd_per_month=None,
            overload_times=None,
            fullest_zone=None,
            unknown=one.traffic.why_not,
        )
    return NearSaving(
        service=service.full_name,
        prefers_near=service.prefers_near,
        crossing_gib_per_month=one.crossing_gib,
        saved_gib_per_month=one.saved_gib,
        saving_usd_per_month=None if one.saving.unknown else one.saving.usd_per_month,
        overload_times=round(near.overload_ratio, 3),
        fullest_zone=near.fullest_zone_then,
        lone_zones=one.lone_zones,
        unknown=one.saving.unknown,
    )
