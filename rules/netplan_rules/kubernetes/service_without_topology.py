"""Services whose clients cross zones although an endpoint is near."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import Threshold, rule_of
from netplan_rules.kubernetes._near import near_hit, prefer_near
from netplan_rules.shared.near_services import near_services
from netplan_rules.work import SERVICE

RULE = rule_of(
    __name__,
    severity=Severity.MEDIUM,
    needs=frozenset({Need.SERVICES, Need.POD_TRAFFIC, Need.PRICES}),
    work=SERVICE,
    thresholds=(
        Threshold(
            name="min_usd_per_month",
            default=10.0,
            unit="USD/month",
            about="minimum saving of near endpoints",
        ),
        Threshold(
            name="max_overload_times",
            default=2.0,
            unit="times",
            about="maximum load of the fullest endpoint, as a multiple of the fullest now",
            least=1.0,
        ),
    ),
    summed=("saved",),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each Service for which near endpoints save enough without too much imbalance."""
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    most = facts.threshold(RULE.id, "max_overload_times")
    for one in near_services(facts):
        service, near = one.traffic.service, one.traffic.near
        if service.prefers_near:
            continue
        if near is None:
            if one.traffic.is_unknown:
                yield Gap(resource=service.ref, reason=one.traffic.why_not)
        elif one.saved_gib <= 0 or near.overload_ratio > most:
            continue
        elif one.saving.unknown:
            yield Gap(resource=service.ref, reason=one.saving.unknown)
        elif one.saving.usd_per_month >= floor:
            yield near_hit(
                one,
                f"{service.full_name}: {one.crossing_gib:,.0f} GiB/month of its client traffic"
                " cross zones",
                prefer_near(facts.inventory.kubernetes, service, RULE.references),
            )
