"""The dearest pairs of pods and what near endpoints would save, as the report shows them."""

from netplan_planner.model import Facts
from netplan_planner.model.pod_costs_report import NearSaving, PodPair
from netplan_planner.paths.pod_costs import PodCost, pod_costs
from netplan_rules.near_services import NearService, near_services

MOST_PAIRS = 20


def pod_pairs(facts: Facts, most: int = MOST_PAIRS) -> tuple[PodPair, ...]:
    """Return the pairs of pods that cost most, the dearest first; what is free is left out."""
    paid = [cost for cost in pod_costs(facts) if cost.unknown or cost.usd_per_month]
    return tuple(_pair(cost) for cost in paid[:most])


def _pair(cost: PodCost) -> PodPair:
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


def near_savings(facts: Facts) -> tuple[NearSaving, ...]:
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
