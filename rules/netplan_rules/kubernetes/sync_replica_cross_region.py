"""Databases whose members commit together across regions."""

from collections.abc import Iterator, Sequence

from netplan_planner import model
from netplan_planner.clusters.databases import DatabaseSign, database_of
from netplan_planner.model.project.kubernetes import Kubernetes, Pod
from netplan_planner.throughput.round_trips.of_path import path_round_trip
from netplan_planner.throughput.round_trips.rtt import RoundTrip
from netplan_rules.base import rule_of
from netplan_rules.shared.trust import Doubts
from netplan_rules.work import DATABASE_PLACES

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.PODS, model.Need.NODES}),
    work=DATABASE_PLACES,
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each database that commits together and has members in several regions."""
    kubernetes = facts.inventory.kubernetes
    if kubernetes is None:
        return
    seen = _regions_of_flows(facts)
    for name, pods in sorted(kubernetes.pods_by_workload.items()):
        sign = database_of(pods[0])
        if sign is None or not sign.is_synchronous:
            continue
        regions = {*_regions(kubernetes, pods), *seen.get(name, ())}
        lost = [pod for pod in pods if kubernetes.zone_of(pod) is None]
        if len(regions) > 1:
            yield _hit(name, pods, sign, sorted(regions))
        else:
            for pod in lost:
                yield model.Gap(resource=pod.ref, reason="the zone of its node is unknown")


def _regions(kubernetes: Kubernetes, pods: Sequence[Pod]) -> set[model.Region]:
    return {model.region_of(zone) for pod in pods if (zone := kubernetes.zone_of(pod)) is not None}


def _regions_of_flows(facts: model.Facts) -> dict[str, set[model.Region]]:
    """Return between which regions workloads of one name talk; those of another cluster too."""
    found: dict[str, set[model.Region]] = {}
    for flow in facts.pod_traffic.flows if facts.pod_traffic is not None else ():
        if flow.src.workload == flow.dst.workload and flow.regions is not None:
            found.setdefault(flow.src.workload, set()).update(flow.regions)
    return found


def _hit(
    name: str, pods: Sequence[Pod], sign: DatabaseSign, regions: Sequence[model.Region]
) -> model.Hit:
    pairs = [(a, b) for index, a in enumerate(regions) for b in regions[index + 1 :]]
    times = [(path_round_trip(a, b), a, b) for a, b in pairs]
    trip, src, dst = max(times, key=lambda one: one[0].rtt_ms or 0.0)
    doubts = Doubts()
    doubts.add("whether its members wait for each other is unknown")
    wait, evidence = _waits(trip, src, dst)
    return model.Hit(
        resources=tuple(pod.ref for pod in pods),
        subject=f"{name} ({sign.database})",
        message=f"{sign.database} {name} has members in {', '.join(regions)}, which commit"
        f" together{wait}",
        evidence=(
            model.Evidence(name="database", value=sign.database, source=sign.reason),
            model.Evidence(name="regions", value=", ".join(regions), source="zones of its nodes"),
            *evidence,
        ),
        fix=RULE.fix(
            label="members in one region",
            text=f"Keep the members of {name} in zones of one region, and use asynchronous"
            " replicas elsewhere.",
            verify="The commit time that the database reports is one round trip between zones.",
            undo="Let the members of the other region rejoin.",
            caution="An asynchronous replica loses the last commits when a region fails. Keep the"
            " current setup if you chose the wait to prevent that.",
        ),
        doubts=doubts.reasons,
    )


def _waits(
    trip: RoundTrip, src: model.Region, dst: model.Region
) -> tuple[str, tuple[model.Evidence, ...]]:
    """Return what a commit waits for, in words and as evidence; none where it is not known."""
    if trip.rtt_ms is None:
        return "", ()
    text = f": each commit waits at least {trip.rtt_ms:.0f} ms between {src} and {dst}"
    rtt = model.Evidence(name="rtt", value=round(trip.rtt_ms, 1), unit="ms", source=trip.source)
    return text, (rtt,)
