"""Groups of alike machines in one zone that all talk to each other, without compact placement."""

from collections import defaultdict
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.ledger.traffic import pair_of
from netplan_planner.machines import series_facts
from netplan_planner.machines.groups import HA_ROLES, is_managed, name_stem
from netplan_planner.units import SECONDS_PER_MINUTE, counted, gbps_from_bytes
from netplan_rules.base import Rule, Threshold, ratio_limit
from netplan_rules.capacity._resize import OF_A_GROUP
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import command, gbps, gcloud_instance, rate_evidence

RULE = Rule(
    id="compact-placement-missing",
    title="Machines that all talk to each other lack compact placement",
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS}),
    rationale="Machines of a computation that wait for each other gain from short ways; a compact"
    " placement policy puts them close together. No document states by how much, so no gain is"
    " stated here.",
    remediation="Create a compact placement policy and give it to all machines of the group.",
    guards="Silent below the rate floor, for sparse traffic, for machines with a high-availability"
    " role, for series without compact placement, and where a placement policy, compact or spread,"
    " is followed already. A machine whose policy was not read makes its group one that is not"
    " judged.",
    references=(
        "https://cloud.google.com/compute/docs/instances/placement-policies-overview",
        "https://cloud.google.com/compute/docs/instances/use-compact-placement-policies",
    ),
    work=model.Work(
        effort="One policy, and a stop, a command and a start for each machine.",
        restart="Every machine of the group.",
        undo="Take the policy off each machine, with one more restart, and delete it.",
        window="One in which all machines of the group may stand still together.",
    ),
    thresholds=(
        Threshold(
            name="min_machines",
            default=4.0,
            unit="machines",
            about="alike machines of one zone that make a group",
            least=2.0,
        ),
        ratio_limit("min_density_ratio", 0.8, "share of the group's pairs that exchange traffic"),
        Threshold(
            name="min_gbps",
            default=0.5,
            unit="Gbit/s",
            about="mean of what a machine sends to the others, over the minutes observed",
        ),
    ),
    group_message="{count} groups of machines in one zone talk all to all without compact"
    " placement; the first has {machines}",
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each group of alike machines that talk all to all."""
    if facts.traffic is None:
        return
    for machines, edges in _groups(facts):
        if not _is_dense(facts, machines, edges):
            continue
        policies = [_policies(facts, machine) for machine in machines]
        if any(policy is not None and policy.is_placement for one in policies for policy in one):
            continue
        lost = next((m for m, one in zip(machines, policies, strict=True) if None in one), None)
        if lost is not None:
            yield model.Gap(resource=lost.ref, reason="a resource policy of it was not read")
        else:
            yield _hit(facts, machines, edges)


def _groups(
    facts: model.Facts,
) -> Iterator[tuple[tuple[model.Instance, ...], tuple[model.Edge, ...]]]:
    """Yield sets of alike machines of one zone with the traffic among them.

    Alike: one type, one network, and one group or one name but for its end.
    """
    by_key: dict[tuple[str, ...], list[model.Instance]] = defaultdict(list)
    key_of: dict[str, tuple[str, ...]] = {}
    for machine in facts.inventory.instances:
        is_apart = machine.label(model.ROLE_LABEL) in HA_ROLES
        takes = series_facts(machine.series).compact_placement
        if not machine.is_running or is_apart or takes is False:
            continue
        group = facts.inventory.group_by_member.get(machine.ref.self_link)
        name = group.ref.self_link if group is not None else name_stem(machine.name)
        network = machine.primary_network or ""
        key = (*map(str, (machine.project, machine.zone, network, machine.machine_type, name)),)
        by_key[key].append(machine)
        key_of[machine.ref.self_link] = key
    within: dict[tuple[str, ...], list[model.Edge]] = defaultdict(list)
    for edge in facts.seen_traffic.edges:
        if edge.path_class.distance != "same-zone" or edge.path_class.is_external_address:
            continue
        src, dst = facts.src(edge).link, facts.dst(edge).link
        if src and dst and src != dst and key_of.get(src) == key_of.get(dst) is not None:
            within[key_of[src]].append(edge)
    for key, edges in sorted(within.items()):
        yield tuple(by_key[key]), tuple(edges)


def _is_dense(
    facts: model.Facts, machines: tuple[model.Instance, ...], edges: tuple[model.Edge, ...]
) -> bool:
    count = len(machines)
    if count < facts.threshold(RULE.id, "min_machines"):
        return False
    pairs = {pair_of(edge) for edge in edges}
    density = len(pairs) / (count * (count - 1) // 2)
    is_all = density >= facts.threshold(RULE.id, "min_density_ratio")
    return is_all and _mean_gbps(facts, machines, edges) >= facts.threshold(RULE.id, "min_gbps")


def _mean_gbps(
    facts: model.Facts, machines: tuple[model.Instance, ...], edges: tuple[model.Edge, ...]
) -> float:
    """Return what a machine of a group sends to the others on average, in Gbit/s."""
    seconds = facts.seen_traffic.observed_minutes * SECONDS_PER_MINUTE
    return gbps_from_bytes(sum(edge.wire_bytes for edge in edges), seconds) / len(machines)


def _policies(facts: model.Facts, machine: model.Instance) -> list[model.ResourcePolicy | None]:
    return [facts.inventory.policy_by_link.get(link) for link in machine.resource_policies]


def _hit(
    facts: model.Facts, machines: tuple[model.Instance, ...], edges: tuple[model.Edge, ...]
) -> model.Hit:
    first, mean = machines[0], _mean_gbps(facts, machines, edges)
    doubts = doubts_of_edge(facts, max(edges, key=lambda edge: edge.wire_bytes), of_month=False)
    doubts.add("whether these machines wait for each other is not known")
    if series_facts(first.series).compact_placement is None:
        doubts.add(f"whether {first.series} takes a compact placement policy is not known here")
    return model.Hit(
        resources=tuple(machine.ref for machine in machines),
        subject=f"{counted(len(machines), 'machine')} like {first.name}"
        f" ({first.zone}, {first.machine_type})",
        message=f"{counted(len(machines), 'machine')} like {first.name} in {first.zone} talk all to"
        f" all, {gbps(mean)} each on average, and follow no placement policy",
        evidence=(
            model.Evidence(name="machines", value=len(machines), source="inventory"),
            rate_evidence("mean_sent", mean),
        ),
        fix=_fix(facts, machines),
        doubts=doubts.reasons,
    )


def _fix(facts: model.Facts, machines: tuple[model.Instance, ...]) -> model.Fix:
    first = machines[0]
    name = f"{name_stem(first.name)}-compact"
    where = (f"--region={first.region}", f"--project={first.project}")
    policy = ("gcloud", "compute", "resource-policies")
    create = command(*policy, "create", "group-placement", name, *where, "--collocation=collocated")
    has_owner = any(is_managed(facts, machine) for machine in machines)
    follow = f"--resource-policies={name}"
    steps = [
        step
        for machine in machines
        for step in (
            gcloud_instance("stop", machine),
            gcloud_instance("add-resource-policies", machine, follow),
            gcloud_instance("start", machine),
        )
    ]
    back = [gcloud_instance("remove-resource-policies", machine, follow) for machine in machines]
    return RULE.fix(
        label="compact placement",
        text=f"Create the policy {name} and give it to all {len(machines)} machines, each with a"
        " restart.",
        commands=(create,) if has_owner else (create, *steps),
        verify=model.Instruction(
            text="Each machine names the policy, and the round-trip times in the next flow logs are"
            " no longer than before.",
            commands=(gcloud_instance("describe", first, "--format=value(resourcePolicies)"),),
        ),
        undo=model.Instruction(
            text="Take the policy off each machine, with one more restart, and delete it.",
            commands=() if has_owner else (*back, command(*policy, "delete", name, *where)),
        ),
        caution="All of them then fail together more easily, and the zone must have room for them"
        " close together: with too little of it a machine does not start again."
        + (f" {OF_A_GROUP}" if has_owner else ""),
    )
