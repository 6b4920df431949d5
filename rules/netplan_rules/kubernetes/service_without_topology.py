"""Services whose clients cross zones although an endpoint is near."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner.model import Facts, Gap, Hit, Need, Severity
from netplan_rules.base import Rule, Threshold
from netplan_rules.kubernetes._near import near_hit, prefer_near
from netplan_rules.shared.near_services import near_services
from netplan_rules.work import SERVICE

RULE = Rule(
    id="service-without-topology",
    title="Clients of a Service cross zones to endpoints that are not the nearest",
    severity=Severity.MEDIUM,
    needs=frozenset({Need.SERVICES, Need.POD_TRAFFIC, Need.PRICES}),
    rationale="Without a preference every client uses every endpoint alike, so that of three zones"
    " two thirds of the bytes cross, and are billed per GiB in both directions.",
    remediation="Set trafficDistribution: PreferClose (PreferSameZone from Kubernetes 1.34 on).",
    guards="Silent for Services that prefer near endpoints, that are headless or keep their traffic"
    " on the node, in namespaces of GKE's ambient networking, which does not support the field,"
    " where no zone with clients has an endpoint, and where the fullest endpoint would carry too"
    " many times what it does: more endpoints come first there. A single endpoint in a zone lowers"
    " the confidence: all clients there depend on it until it is not ready. Without slices of"
    " endpoints or zones a Service is listed as not judged.",
    references=(
        "https://kubernetes.io/docs/reference/networking/virtual-ips/",
        "https://kubernetes.io/docs/concepts/services-networking/service/",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=SERVICE,
    thresholds=(
        Threshold(
            name="min_usd_per_month",
            default=10.0,
            unit="USD/month",
            about="what near endpoints must save",
        ),
        Threshold(
            name="max_overload_times",
            default=2.0,
            unit="times",
            about="what the fullest endpoint would carry, in times of what the fullest carries now",
            least=1.0,
        ),
    ),
    group_message="clients of {count} Services cross zones with {saved:,.0f} GiB a month that"
    " endpoints in their own zones would take",
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
                f"{service.full_name}: of what its clients exchange with it"
                f" {one.crossing_gib:,.0f} GiB a month cross zones",
                prefer_near(facts.inventory.kubernetes, service, RULE.references),
            )
