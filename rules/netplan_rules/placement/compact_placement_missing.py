"""Groups of alike machines in one zone that all talk to each other, without compact placement."""

from collections import defaultdict
from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.ledger.traffic import pair_of
from netplan_planner.machines import series_facts
from netplan_planner.machines.groups import HA_ROLES, is_managed, name_stem
from netplan_planner.units import SECONDS_PER_MINUTE, counted, gbps_from_bytes
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.capacity._resize import OF_A_GROUP
from netplan_rules.shared.trust import doubts_of_edge
from netplan_rules.wording import command, gbps, gcloud_instance, rate_evidence

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY, model.Need.FLOW_RECORDS}),
    work=model.Work(
        effort="Create one policy, then stop, change and start each VM.",
        restart="Every VM of the group.",
        undo="Remove the policy from each VM, with one more restart, and delete it.",
        window="A time when all VMs of the group can be down together.",
    ),
    thresholds=(
        Threshold(
            name="min_machines",
            default=4.0,
            unit="VMs",
            about="minimum number of similar VMs in one zone",
            least=2.0,
        ),
        ratio_limit("min_density_ratio", 0.8, "minimum share of the group's pairs with traffic"),
        Threshold(
            name="min_gbps",
            default=0.5,
            unit="Gbit/s",
            about="minimum mean egress of a VM to the others in the observed minutes",
        ),
    ),
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
            yield model.Gap(resource=lost.ref, reason="its resource policy is not in the inventory")
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
    doubts.add("it is unknown whether these VMs wait for each other")
    if series_facts(first.series).compact_placement is None:
        doubts.add(f"it is unknown whether {first.series} supports a compact placement policy")
    return model.Hit(
        resources=tuple(machine.ref for machine in machines),
        subject=f"{counted(len(machines), 'VM')} like {first.name} ({first.zone},"
        f" {first.machine_type})",
        message=f"{counted(len(machines), 'VM')} like {first.name} in {first.zone} all exchange"
        f" traffic, {gbps(mean)} each on average, and have no placement policy",
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
        text=f"Create the policy {name} and apply it to all {len(machines)} VMs, each with a"
        " restart.",
        commands=(create,) if has_owner else (create, *steps),
        verify=model.Instruction(
            text="Each VM names the policy, and the round-trip times in the next flow logs are no"
            " longer than before.",
            commands=(gcloud_instance("describe", first, "--format=value(resourcePolicies)"),),
        ),
        undo=model.Instruction(
            text="Remove the policy from each VM, with one more restart, and delete it.",
            commands=() if has_owner else (*back, command(*policy, "delete", name, *where)),
        ),
        caution="All of them are then more likely to fail together. The zone needs capacity for"
        " them close together; without it, a VM does not start again."
        + (f" {OF_A_GROUP}" if has_owner else ""),
    )
