"""Machines that reach a service of their own network by its public load balancer."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_rules.base import Rule, reaches_floor, volume_floor
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import no_longer_addressed, pair_subject, volume

RULE = Rule(
    id="own-lb-hairpin",
    title="Machines reach their own service by its public load balancer",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.PEERS}),
    rationale="The packets leave the VPC to a public address of yours and come back in: the"
    " sender's cap for outside addresses applies, and the load balancer's processing is paid for"
    " traffic that never had to leave.",
    remediation="Give internal clients an internal load balancer (or an internal DNS view of the"
    " same name) in front of the same backends.",
    guards="Internal load balancers and those of projects that were not read are left alone, and"
    " volumes below the floor.",
    references=(
        "https://cloud.google.com/load-balancing/docs/internal",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=model.Work(
        effort="An internal load balancer and a private DNS zone.",
        restart="Nothing; clients that keep the old answer of DNS follow when it expires.",
        undo="Let the name resolve to the public address again.",
        window="None: the new way stands beside the old one until the name leads to it.",
    ),
    thresholds=(volume_floor(1.0),),
    group_message="{volume:,.0f} GiB a month from your machines go to public load balancers of your"
    " own ({count} pairs)",
    summed=("volume",),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each own machine that sends to an external forwarding rule of the inventory."""
    if facts.traffic is None:
        return
    public = {
        rule.ref.self_link: rule for rule in facts.inventory.forwarding_rules if rule.is_external
    }
    for edge in facts.traffic.edges:
        front = public.get(facts.dst(edge).link) if facts.dst(edge).link else None  # type: ignore[arg-type]
        if (
            edge.path_class is model.PathClass.LOAD_BALANCER
            and facts.src(edge).kind is model.OwnerKind.VM
            and front is not None
            and reaches_floor(facts, RULE.id, edge.wire_bytes)
        ):
            yield _hit(facts, edge, front)


def _hit(facts: model.Facts, edge: model.Edge, front: model.ForwardingRule) -> model.Hit:
    src = facts.src(edge)
    sender = facts.instance(src)
    gib = facts.gib_per_month(edge.wire_bytes)
    doubts = doubts_of_edge(facts, edge)
    return model.Hit(
        resources=((sender.ref,) if sender else ()) + (front.ref,),
        subject=pair_subject(src, facts.dst(edge)),
        message=f"{volume(gib)} from {src.name} go to {edge.dst_address or front.ip_address}, the"
        f" public address of your own load balancer {front.name}",
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="external_address", value=front.ip_address or "", source="inventory"
            ),
            model.Evidence(name="observed_p95", value=edge.series.p95_gbps, unit="Gbit/s"),
        ),
        saving=model.Saving(
            unknown="which share of the load balancer's charges this traffic causes depends on"
            " its kind; compare the bill before and after"
        ),
        gib_per_month=gib,
        fix=RULE.fix(
            label="internal load balancer",
            verify=no_longer_addressed(
                edge.dst_address or front.ip_address or "", src.project or ""
            ),
            undo="Let the name resolve to the public address again.",
            text=f"Put an internal load balancer in front of the backends of {front.name} and let"
            " internal clients resolve its name to that (a private DNS zone).",
            documents=("https://cloud.google.com/load-balancing/docs/internal",),
        ),
        doubts=doubts.reasons,
    )
