"""What the members of a database exchange between zones, and what it costs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner.clusters.databases import DatabaseSign, database_of
from netplan_planner.model import Evidence, Facts, Gap, Hit, Need, Severity, worded
from netplan_planner.model.project.kubernetes import Pod
from netplan_planner.paths.edges import PodCost, pod_costs
from netplan_rules.base import Threshold, rule_of
from netplan_rules.wording import money, volume
from netplan_rules.work import NOTHING_TO_DO

RULE = rule_of(
    __name__,
    severity=Severity.INFO,
    needs=frozenset({Need.PODS, Need.POD_TRAFFIC, Need.PRICES}),
    work=NOTHING_TO_DO,
    thresholds=(
        Threshold(
            name="min_usd_per_month",
            default=1.0,
            unit="USD/month",
            about="minimum cost to report",
        ),
    ),
    summed=("exchanged",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each database whose members pay for traffic between zones."""
    kubernetes = facts.inventory.kubernetes
    if kubernetes is None:
        return
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    by_workload: defaultdict[str, list[PodCost]] = defaultdict(list)
    for cost in pod_costs(facts):
        if cost.flow.src.workload == cost.flow.dst.workload:
            by_workload[cost.flow.src.workload].append(cost)
    for name, costs in sorted(by_workload.items()):
        pods = kubernetes.pods_by_workload.get(name, ())
        sign = next((found for pod in pods if (found := database_of(pod)) is not None), None)
        if sign is None:
            continue
        for reason in sorted({cost.unknown for cost in costs if cost.unknown}):
            yield Gap(resource=pods[0].ref, reason=reason)
        paid = [cost for cost in costs if cost.usd_per_month]
        usd = sum((cost.usd_per_month or Decimal(0) for cost in paid), Decimal(0))
        if paid and usd >= floor:
            yield _hit(name, pods, sign, paid, usd)


def _hit(
    name: str, pods: Sequence[Pod], sign: DatabaseSign, paid: Sequence[PodCost], usd: Decimal
) -> Hit:
    gib = sum((cost.gib_per_month for cost in paid), Decimal(0))
    zones = {zone for cost in paid for end in (cost.flow.src, cost.flow.dst) if (zone := end.zone)}
    return Hit(
        resources=tuple(pod.ref for pod in pods),
        subject=f"{name} ({sign.database})",
        message=worded(
            f"copies of {name} in {', '.join(sorted(zones))} exchange {volume(gib)}, for ",
            money(usd),
            "/month: the cost of surviving a zone failure",
        ),
        evidence=(
            Evidence(
                name="exchanged",
                value=float(gib),
                unit="GiB/month",
                source="pod traffic of one workload with itself",
            ),
            Evidence(name="cost", value=float(usd), unit="USD/month", source="price list"),
            Evidence(name="database", value=sign.database, source=sign.reason),
        ),
    )
