"""Machines that reach a service of their own network by its public load balancer."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_rules.base import reaches_floor, rule_of, volume_floor
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import no_longer_addressed, pair_subject, volume

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.INVENTORY, model.Need.PEERS}),
    work=model.Work(
        effort="Create an internal load balancer and a private DNS zone.",
        restart="Nothing. Clients with a cached DNS answer follow when it expires.",
        undo="Resolve the name to the public address again.",
        window="None: the old path stays until DNS points to the new one.",
    ),
    thresholds=(volume_floor(1.0),),
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
        f" public address of your load balancer {front.name}",
        evidence=(
            model.Evidence(name="volume", value=float(gib), unit="GiB/month", source="flow logs"),
            model.Evidence(
                name="external_address", value=front.ip_address or "", source="inventory"
            ),
            model.Evidence(name="observed_p95", value=edge.series.p95_gbps, unit="Gbit/s"),
        ),
        saving=model.Saving(
            unknown="the share of the load balancer's charges that this traffic causes depends on"
            " its type; compare the bill before and after"
        ),
        gib_per_month=gib,
        fix=RULE.fix(
            label="internal load balancer",
            verify=no_longer_addressed(
                edge.dst_address or front.ip_address or "", src.project or ""
            ),
            undo="Resolve the name to the public address again.",
            text=f"Put an internal load balancer in front of the backends of {front.name}. Resolve"
            " its name to it for internal clients (a private DNS zone).",
            documents=("https://cloud.google.com/load-balancing/docs/internal",),
        ),
        doubts=doubts.reasons,
    )
