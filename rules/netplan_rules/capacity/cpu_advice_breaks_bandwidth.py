"""Google's recommendations of machine types that cannot send what the machine sends."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.throughput import outside_gbps
from netplan_rules.base import ratio_limit, rule_of
from netplan_rules.capacity._resize import doubts_of_caps, type_evidence
from netplan_rules.shared.trust import doubts_of_rates
from netplan_rules.wording import command, gbps, rate_evidence, vm_subject

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY, model.Need.RATES, model.Need.TYPE_RECOMMENDATIONS}),
    work=model.Work(
        effort="One command per recommendation.",
        restart="Nothing: the VM does not change.",
        undo="Restore the dismissed recommendation in the console's recommendation history. The VM"
        " never changed.",
        window="None.",
    ),
    thresholds=(
        ratio_limit(
            "p95_ratio",
            0.9,
            "maximum share of the recommended type's cap at the 95th percentile",
            least=0.1,
        ),
    ),
)

_OPEN = frozenset({"ACTIVE", "CLAIMED", None})
"""States in which somebody may still follow it (cloud.google.com/recommender/docs/key-concepts)."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each open recommendation whose type is too small for the machine's traffic."""
    rates_of = {rates.link: rates for rates in facts.machine_rates}
    for advice in facts.inventory.type_recommendations:
        instance = facts.inventory.instance_by_link.get(advice.instance)
        if instance is None or advice.state not in _OPEN:
            continue
        if instance.machine_type == advice.machine_type:
            continue
        rates = rates_of.get(advice.instance)
        cap = facts.caps.cap(advice.machine_type)
        if rates is None:
            yield model.Gap(resource=instance.ref, reason="its egress is unknown")
        elif cap is None:
            reason = f"the cap of {advice.machine_type}, which Google recommends, is unknown"
            yield model.Gap(resource=instance.ref, reason=reason)
        else:
            yield from _judge(facts, advice, instance, rates, cap)


def _judge(
    facts: model.Facts,
    advice: model.TypeRecommendation,
    instance: model.Instance,
    rates: model.MachineRates,
    cap: model.EgressCap,
) -> Iterator[model.Hit]:
    share = facts.threshold(RULE.id, "p95_ratio")
    outside = outside_gbps(facts, instance)
    if rates.egress.p95_gbps > share * cap.egress_gbps:
        yield _hit(facts, advice, instance, rates, cap, rates.egress.p95_gbps, cap.egress_gbps)
    elif cap.external_gbps is not None and outside > share * cap.external_gbps:
        yield _hit(facts, advice, instance, rates, cap, outside, cap.external_gbps, " to outside")


def _hit(
    facts: model.Facts,
    advice: model.TypeRecommendation,
    instance: model.Instance,
    rates: model.MachineRates,
    cap: model.EgressCap,
    p95_gbps: float,
    cap_gbps: float,
    where: str = "",
) -> model.Hit:
    doubts = doubts_of_caps(facts, doubts_of_rates(facts, instance, rates), cap, None)
    return model.Hit(
        resources=(instance.ref, advice.ref),
        subject=vm_subject(instance),
        message=f"Google recommends {advice.machine_type} for {instance.name}, which sends"
        f" {gbps(p95_gbps)}{where} at the 95th percentile; that type sends at most"
        f" {gbps(cap_gbps)}",
        evidence=(
            rate_evidence("p95", p95_gbps, rates.source),
            rate_evidence("cap", cap_gbps, cap.source),
            type_evidence(instance),
            model.Evidence(name="recommended", value=advice.machine_type, source="Recommender"),
        ),
        fix=RULE.fix(
            label="dismiss the recommendation",
            text=f"Do not use {advice.machine_type}: dismiss the recommendation. `netplan recommend"
            f" --vm {instance.name}` shows the cheapest type that carries its traffic.",
            commands=_dismiss(advice),
            verify="The recommendation is no longer listed.",
            undo="Restore it in the console's recommendation history. The VM never changed.",
        ),
        doubts=doubts.reasons,
    )


def _dismiss(advice: model.TypeRecommendation) -> tuple[str, ...]:
    """Return the command; none where it was claimed, which is for who claimed it to end."""
    _, project, _, location, _, recommender, *_ = advice.ref.self_link.split("/")
    if advice.etag is None or advice.state == "CLAIMED":
        return ()
    return (
        command(
            *("gcloud", "recommender", "recommendations", "mark-dismissed"),
            model.last_part(advice.ref.self_link),
            f"--location={location}",
            f"--recommender={recommender}",
            f"--etag={advice.etag}",
            f"--project={project}",
        ),
    )
