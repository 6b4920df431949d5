"""NAT gateways whose machines run out of ports."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.gateway._nat_ports import (
    ADDRESSES,
    MAPPING,
    PAGES,
    PORTS_PER_ADDRESS,
    STATIC_PORTS,
    NatUse,
    least_ports,
    ports_fix,
    ports_of,
    use_of,
)
from netplan_rules.shared.trust import Doubts

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY, model.Need.METRICS, model.Need.NAT_GATEWAYS}),
    references=PAGES,
    work=model.Work(
        effort="One command per gateway.",
        restart="No VM. Connections through the gateway may break and are reopened.",
        undo="Restore the old ports and allocation. Connections may break once more.",
        window="A quiet time, for connections that do not reopen by themselves.",
    ),
    thresholds=(
        ratio_limit(
            "used_ratio",
            0.8,
            "minimum share of the busiest VM's ports in use to one destination at the 95th"
            " percentile",
            least=0.1,
        ),
        ratio_limit(
            "rare_ratio",
            0.01,
            "share of intervals with drops below which severity is MEDIUM",
        ),
        Threshold(
            name="min_days",
            default=7.0,
            unit="days",
            about="days with data points below which confidence is lowered (a weekly peak may be"
            " missing)",
        ),
    ),
)

_FULL = "OUT_OF_RESOURCES"
"""Reasons of the label `reason`: docs.cloud.google.com/nat/docs/monitoring, 2026-04-08."""
_CONFLICT = "ENDPOINT_INDEPENDENCE_CONFLICT"
_DROPPED = model.Metric.NAT_DROPPED_SENT.value
_USED = model.Metric.NAT_PORT_USAGE.value


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each gateway that drops packets, or whose busiest machine is near its last port."""
    for router in facts.inventory.routers:
        for gateway in router.nats:
            use = use_of(facts, gateway)
            if use is None:
                yield model.Gap(
                    resource=router.ref, reason=f"no metrics of its gateway {gateway.name}"
                )
                continue
            cause = _cause(facts, gateway, use)
            if cause is not None:
                yield _hit(facts, router, gateway, use, cause)
            elif use.used_p95 is None:
                reason = f"no metric shows the ports in use of its gateway {gateway.name}"
                yield model.Gap(resource=router.ref, reason=reason)
    yield from _without_router(facts)


def _without_router(facts: model.Facts) -> Iterator[model.Gap]:
    assert facts.metrics is not None
    for metric in (
        model.Metric.NAT_DROPPED_SENT,
        model.Metric.NAT_ALLOCATION_FAILED,
        model.Metric.NAT_PORT_USAGE,
    ):
        for one in facts.metrics.of_kind(model.MeasuredKind.NAT, metric):
            if one.resource.link is None and not one.labels:
                of = one.resource
                place = f"projects/{of.project}/regions/{of.location}/routers/-/nats/{of.name}"
                yield model.Gap(
                    resource=model.ResourceRef(self_link=model.SelfLink(place)),
                    reason="the inventory does not have exactly one router with this gateway",
                )


def _cause(facts: model.Facts, gateway: model.NatGateway, use: NatUse) -> str | None:
    """Return what is at fault, empty for the ports of machines; None: nothing."""
    if use.failed_ratio > 0:
        return ADDRESSES
    if use.dropped(_CONFLICT):
        return MAPPING
    limit = facts.threshold(RULE.id, "used_ratio") * ports_of(gateway)
    is_near = use.used_p95 is not None and use.used_p95 > limit
    return "" if is_near or use.dropped(_FULL) or use.dropped("") else None


def _hit(
    facts: model.Facts, router: model.Router, gateway: model.NatGateway, use: NatUse, cause: str
) -> model.Hit:
    ports = ports_of(gateway)
    is_dropping = bool(use.drops)
    used = use.used_p95 / ports if use.used_p95 is not None else None
    is_rare = is_dropping and use.drop_ratio < facts.threshold(RULE.id, "rare_ratio")
    doubts = _doubts(facts, gateway, use)
    return model.Hit(
        resources=(router.ref,),
        subject=f"{gateway.name} ({gateway.region}, {router.name})",
        message=_message(gateway, use, cause),
        cause=cause,
        evidence=tuple(_evidence(gateway, use)),
        # Who waits for a port that is not there is not among those that have one.
        used_ratio=used if not is_dropping and cause != ADDRESSES else None,
        lost=_lost(use, cause),
        severity=model.Severity.MEDIUM if is_rare and cause != ADDRESSES else None,
        fix=ports_fix(router, gateway, use, cause),
        doubts=doubts.reasons,
    )


def _lost(use: NatUse, cause: str) -> str:
    if cause == ADDRESSES:
        return "VMs without a port to the internet"
    return "packets dropped because no port was free" if use.drops else ""


def _doubts(facts: model.Facts, gateway: model.NatGateway, use: NatUse) -> Doubts:
    doubts = Doubts()
    if not gateway.is_dynamic and gateway.min_ports_per_vm is None:
        doubts.add(f"the input does not state its ports; {STATIC_PORTS} are the default")
    if use.dropped(""):
        doubts.add("the metrics do not show the reason for the drops")
    if not use.drops and not use.failed_ratio and use.days < facts.threshold(RULE.id, "min_days"):
        doubts.add(f"the metrics cover {use.days:.1f} days and may miss a weekly peak")
    return doubts


def _message(gateway: model.NatGateway, use: NatUse, cause: str) -> str:
    if cause == ADDRESSES:
        return (
            f"{gateway.name} has no addresses and ports left for some VMs: each VM needs"
            f" {least_ports(gateway):,}, and an address has {PORTS_PER_ADDRESS:,}"
        )
    parts = []
    if use.drops:
        packets = ", ".join(f"{reason or 'no reason told'}" for reason, _ in use.drops)
        parts.append(f"{gateway.name} drops packets ({packets})")
    if use.used_p95 is not None:
        parts.append(
            f"its busiest VM has {use.used_p95:,.0f} connections to one destination at the 95th"
            f" percentile, of {ports_of(gateway):,} ports"
        )
    return "; ".join(parts) if use.drops else f"{gateway.name}: {parts[0]}"


def _evidence(gateway: model.NatGateway, use: NatUse) -> Iterator[model.Evidence]:
    if use.used_p95 is not None:
        yield model.Evidence(name="ports_p95", value=use.used_p95, unit="ports", source=_USED)
    yield model.Evidence(name="ports", value=ports_of(gateway), unit="ports", source="inventory")
    for reason, count in use.drops:
        name = f"dropped_{reason.lower()}" if reason else "dropped"
        yield model.Evidence(name=name, value=round(count, 3), unit="packets", source=_DROPPED)
    if use.failed_ratio:
        source = model.Metric.NAT_ALLOCATION_FAILED.value
        yield model.Evidence(name="failed", value=use.failed_ratio, unit="ratio", source=source)
