"""VPC spokes of Network Connectivity Center over which nothing goes."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.ledger.guards import EVIDENCE_H
from netplan_planner.units import HOURS_PER_MONTH, SECONDS_PER_HOUR, counted
from netplan_rules.base import Threshold, rule_of
from netplan_rules.shared.flow_logs import reporting_subnetworks
from netplan_rules.shared.trust import Doubts
from netplan_rules.wording import command
from netplan_rules.work import GATEWAY

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.SPOKES, model.Need.FLOW_RECORDS}),
    work=GATEWAY,
    since="0.1.0",
    thresholds=(
        Threshold(
            name="min_window_hours",
            default=float(EVIDENCE_H),
            unit="hours",
            about="minimum observed time: two weeks include a weekly job twice",
        ),
    ),
)

_BESIDE = frozenset({model.PathClass.INTERNET, model.PathClass.NAT, model.PathClass.GOOGLE_APIS})
"""Ways that pass no hub, besides those by external addresses."""
_WANTED = "its VMs reach those of another spoke at external addresses, and may use the hub instead"
"""Advice of other rules sends them over the hub: a spoke that they need is not deleted."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each active VPC spoke that is paid for and carried nothing."""
    traffic = facts.traffic
    if traffic is None:
        return
    hours = traffic.observed_seconds / SECONDS_PER_HOUR
    least = facts.threshold(RULE.id, "min_window_hours")
    reporting = reporting_subnetworks(facts)
    for spoke in facts.inventory.spokes:
        if spoke.kind is not model.SpokeKind.VPC or not spoke.is_active or spoke.network is None:
            continue
        sent = (edge for edge in traffic.edges if edge.wire_bytes)
        found = [one for one in sent if _may_pass(facts, one, spoke.network)]
        if not all(one.path_class.is_external_address for one in found):
            continue
        why = _why_not_known(facts, spoke.network, reporting, hours, least)
        if why := why or (_WANTED if found else ""):
            yield model.Gap(resource=spoke.ref, reason=why)
        else:
            yield _hit(facts, spoke, hours)


def _is_in(machine: model.Instance, network: model.SelfLink) -> bool:
    return any(nic.network == network for nic in machine.interfaces)


def _may_pass(facts: model.Facts, edge: model.Edge, network: model.SelfLink) -> bool:
    """Return whether traffic of a network goes over its hub, or may at internal addresses."""
    src, dst = facts.instance(facts.src(edge)), facts.instance(facts.dst(edge))
    ends = [one for one in (src, dst) if one is not None and _is_in(one, network)]
    if not ends or edge.path_class in _BESIDE:
        return False
    if src is None or dst is None:
        return not edge.path_class.is_external_address
    nets = [[nic.network for nic in one.interfaces] for one in (src, dst)]
    return bool(facts.inventory.hub_seen(*nets))


def _why_not_known(
    facts: model.Facts,
    network: model.SelfLink,
    reporting: frozenset[model.SelfLink],
    hours: float,
    least: float,
) -> str:
    """Return why the traffic does not show that nothing goes over a spoke, or nothing."""
    if hours < least:
        said = f"{hours:,.0f} h of traffic do not prove that it is unused"
        return f"{said}: wait for {least:,.0f} h"
    subnetworks = [one for one in facts.inventory.subnetworks if one.network == network]
    if not subnetworks:
        return "no subnetwork of its network is in the inventory"
    silent = [one.name for one in subnetworks if not facts.inventory.logging_of(one)]
    if silent:
        return f"the subnetwork {min(silent)} has no flow logs"
    used = {
        nic.subnetwork
        for machine in facts.inventory.instances
        for nic in machine.interfaces
        if machine.is_running and nic.network == network
    }
    unseen = sorted(model.last_part(link or "(unknown)") for link in used - reporting)
    return f"the input has no records of the subnetwork {unseen[0]}" if unseen else ""


def _hit(facts: model.Facts, spoke: model.Spoke, hours: float) -> model.Hit:
    network, hub = model.last_part(spoke.network or ""), model.last_part(spoke.hub)
    doubts = Doubts()
    off = [
        one
        for one in facts.inventory.instances
        if one.is_off and _is_in(one, spoke.network or model.SelfLink(""))
    ]
    if off:
        doubts.add(f"{counted(len(off), 'stopped or suspended VM')} may use it again")
    return model.Hit(
        resources=(spoke.ref,),
        subject=f"{spoke.name} (hub {hub})",
        message=f"no traffic used the spoke {spoke.name} of the hub {hub} in {hours:,.0f} h",
        evidence=(
            model.Evidence(name="network", value=network, source="inventory"),
            model.Evidence(name="window", value=round(hours, 1), unit="hours", source="flow logs"),
        ),
        saving=_saving(facts, spoke),
        fix=_fix(spoke),
        doubts=doubts.reasons,
    )


def _saving(facts: model.Facts, spoke: model.Spoke) -> model.Saving:
    try:
        tiers = facts.prices.service_price("ncc_spoke", "", spoke.kind.value)
    except MissingDatum as missing:
        return model.Saving(unknown=str(missing))
    name = f"spoke of the hub {model.last_part(spoke.hub)}"
    return model.Saving(items=model.bill(name, Decimal(HOURS_PER_MONTH), tiers))


def _fix(spoke: model.Spoke) -> model.Fix:
    spokes = ("gcloud", "network-connectivity", "spokes")
    where = ("--global", f"--project={spoke.project}")
    network = spoke.network or model.SelfLink("")
    link = f"projects/{model.project_of(network)}/global/networks/{model.last_part(network)}"
    kept = [f"--include-export-ranges={','.join(spoke.exported)}"]
    if spoke.not_exported:
        kept.append(f"--exclude-export-ranges={','.join(spoke.not_exported)}")
    group = f" in the group {spoke.group}" if spoke.group not in {None, "default"} else ""
    return model.Fix(
        label="delete the spoke",
        text=f"Delete the spoke {spoke.name}, once no one needs the path through the hub.",
        commands=(command(*spokes, "delete", spoke.name, *where),),
        verify=model.Instruction(text="The VMs of its network still reach what they need."),
        undo=model.Instruction(
            text=f"Create the spoke again{group}. The hub of another project must accept it.",
            commands=(
                command(
                    *(*spokes, "linked-vpc-network", "create", spoke.name, f"--hub={spoke.hub}"),
                    *(f"--vpc-network={link}", *kept, *where),
                ),
            ),
        ),
        documents=(
            "https://docs.cloud.google.com/network-connectivity/docs/network-connectivity-center/how-to/working-with-hubs-spokes",
        ),
        caution="Serverless services and VPNs of other spokes have no VM in the flow logs: they may"
        " use the spoke unseen.",
    )
