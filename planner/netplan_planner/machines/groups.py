"""Machines that something else makes or places, alone or as copies, and which change in one go."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from netplan_planner.machines.alike import service_of, sets_alike
from netplan_planner.model import (
    PIN_LABEL,
    ROLE_LABEL,
    Facts,
    Instance,
    Owner,
    SelfLink,
    Value,
    last_part,
    region_of,
)

# What keeps a machine in its zone: the guard of every move, whichever rule or plan proposes it.


GKE_NODE_LABEL = "goog-gke-node"
CLUSTER_LABEL = "goog-k8s-cluster-name"
POOL_LABEL = "goog-k8s-node-pool-name"


def is_managed(facts: Facts, instance: Instance) -> bool:
    """Return whether a managed instance group or GKE looks after a machine."""
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    return (
        instance.created_by is not None
        or (group is not None and group.is_managed)
        or instance.label(GKE_NODE_LABEL) is not None
    )


def changed_together(facts: Facts, instances: Iterable[Instance]) -> Iterator[tuple[Instance, ...]]:
    """Yield the machines that get another type in one go: of a node pool or group, else alone."""
    found: dict[tuple[str, ...], list[Instance]] = {}
    for instance in instances:
        found.setdefault(_maker(facts, instance), []).append(instance)
    yield from map(tuple, found.values())


def with_groups(facts: Facts, chosen: Iterable[Instance]) -> tuple[Instance, ...]:
    """Return machines and all others that get another type with them."""
    found = tuple(chosen)
    makers = {_maker(facts, one) for one in found}
    if makers == {(one.ref.self_link,) for one in found}:
        return found
    return tuple(one for one in facts.inventory.instances if _maker(facts, one) in makers)


def _maker(facts: Facts, instance: Instance) -> tuple[str, ...]:
    """Return what made a machine of its type; the machine itself where nothing is known to."""
    pool, cluster = instance.label(POOL_LABEL), instance.label(CLUSTER_LABEL)
    if pool is not None and cluster is not None:
        # A pool has a group in each zone, and one type.
        return instance.project, instance.region, cluster, pool
    group = facts.inventory.group_by_member.get(instance.ref.self_link)
    if group is not None and group.is_managed:
        return (group.ref.self_link,)
    return (instance.created_by or instance.ref.self_link,)


def made_by(facts: Facts, owner: Owner) -> tuple[str, str]:
    """Return the group of a machine and the version that it runs; each empty if not known.

    A rolling update makes machines with new names: the group stays, its version changes.
    """
    machine = facts.instance(owner)
    if machine is None:
        return "", ""
    group = facts.inventory.group_by_member.get(machine.ref.self_link)
    name = machine.label(POOL_LABEL) or (group.name if group is not None else "")
    name = name or last_part(machine.created_by or "") or machine.label("app") or ""
    return name, last_part(machine.template or "") or machine.label("version") or ""


HA_ROLES = frozenset({"standby", "quorum", "replica"})
"""Values of the label netplan-role that say: this machine stands elsewhere on purpose."""


def why_it_stays(facts: Facts, one: Instance) -> str:
    """Return why a machine stays in its zone; empty: it may move."""
    inventory, link = facts.inventory, one.ref.self_link
    policies = (inventory.policy_by_link.get(link) for link in one.resource_policies)
    disks = inventory.disks_by_user.get(link, ())
    own = {link, *(nic.internal_ipv4 for nic in one.interfaces if nic.internal_ipv4)}
    reasons = {
        "members of managed groups, which place them": is_managed(facts, one),
        f"label {PIN_LABEL}": one.label(PIN_LABEL) is not None,
        f"label {ROLE_LABEL}": one.label(ROLE_LABEL) in HA_ROLES,
        "a specific reservation": one.reservation is not None,
        "sole-tenant nodes": one.is_sole_tenant,
        "a compact placement policy, or one that was not read": any(
            policy is None or policy.is_compact for policy in policies
        ),
        "Local SSDs, which lose their data in a move": bool(one.local_ssd_count),
        "attached GPUs, whose zones are unknown": bool(one.gpu_count),
        "parts that are known only after apply": bool(one.unknown_parts),
        "regional disks, whose zones are unknown": any(
            "/regions/" in disk.ref.self_link for disk in disks
        ),
        "disks that other VMs also use": any(len(disk.users) > 1 for disk in disks),
        "the next hop of a route": not own.isdisjoint(inventory.next_hops),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def why_type_stays(facts: Facts, one: Instance) -> str:
    """Return why no advice gives a machine another type, Tier_1 or Spot; empty: it may.

    Source: docs.cloud.google.com/compute/docs/instance-groups/stateful-migs (a new template makes
    the machines of a group again, and of each only what its policy names is kept).
    """
    group = facts.inventory.group_by_member.get(one.ref.self_link)
    if group is None or not group.is_stateful:
        return ""
    return (
        f"its group {group.name} is stateful: a new template recreates its VMs and keeps only"
        " what the stateful policy names"
    )


def why_together(facts: Facts, chosen: Instance) -> str:
    """Return which VMs get another type together with one; empty: it gets it alone."""
    count = len(with_groups(facts, (chosen,)))
    if count == 1:
        return ""
    group = facts.inventory.group_by_member.get(chosen.ref.self_link)
    of = f"the group {group.name}" if group is not None else "its node pool or group"
    return f"all {count:,} VMs of {of} share one template and change together"


# Which machines stand apart on purpose: copies of one service that must not fail together


_COPY_WORDS = frozenset(
    [
        "primary",
        "secondary",
        "master",
        "slave",
        "main",
        "leader",
        "follower",
        "replica",
        "standby",
        "backup",
        "bak",
        "copy",
        "dr",
        "failover",
        "hot",
        "cold",
        "active",
        "passive",
        "rw",
        "ro",
        "read",
        "reader",
        "writer",
        "blue",
        "green",
        "mirror",
    ]
)
"""Parts of names that tell one copy of a service from another."""
_NUMBER = re.compile(r"[a-z]?\d{1,4}")
_DRAWN = re.compile(r"(?=.*\d)(?=.*[a-z])(?![a-z]+\d+$)[a-z\d]{4,5}")
"""What an instance group draws for the end of a name: `4b5g`, `889d`, but not `web1`."""
_SHORT_END = re.compile(r"[a-z\d]{1,5}")
_LETTER = re.compile(r"[a-f]")
"""Zones have letters from a to f; so have copies that are named after them."""
_ZONE_PARTS = frozenset(
    [
        "us",
        "europe",
        "asia",
        "africa",
        "me",
        "northamerica",
        "southamerica",
        "australia",
        "eu",
        "na",
        "sa",
        "au",
        "east",
        "west",
        "central",
        "north",
        "south",
        "northeast",
        "northwest",
        "southeast",
        "southwest",
    ]
)
_DIRECTED = re.compile(
    r"(?:us|eu|europe|asia|me|na|sa)?(?:east|west|central|north|south|northeast|northwest|southeast"
    r"|southwest)\d{1,2}[a-f]?"
)


_NOBODY: Mapping[SelfLink, Instance] = MappingProxyType({})


class ReplicaSets(Value, frozen=True, kw_only=True):
    """The sets of copies among the machines, each machine in at most one of each kind."""

    by_machine: dict[str, frozenset[str]]
    """Self link to the keys of its sets."""
    machines: dict[str, tuple[Instance, ...]]
    """Key of a set to its machines; sets of one are left out."""

    def why_copies(self, one: Instance, other: Instance) -> str:
        """Return why two machines look like copies of one service, or nothing."""
        shared = self._keys(one) & self._keys(other)
        return min(shared).partition("|")[2] if shared else ""

    def alike_beside_name(self, one: Instance, other: Instance) -> str:
        """Return why two machines look like copies whatever their names are, or nothing."""
        whys = (key.partition("|")[2] for key in sorted(self._keys(one) & self._keys(other)))
        return next((why for why in whys if not why.startswith("both are named")), "")

    def joined_by_move(
        self, machine: Instance, zone: str, moved: Mapping[SelfLink, Instance] = _NOBODY
    ) -> str:
        """Return which copy would stand in the same zone, or region, to the harm of all.

        Empty where the copies stay in as many zones and regions as they are in, and no place gets
        more than half of them: then the loss of one leaves no fewer than before, nor a minority.

        Args:
            machine: As it was read, or where it stands by now.
            zone: Where it would stand.
            moved: Machines that stand elsewhere by now.
        """
        for key in sorted(self._keys(machine)):
            others = [
                moved.get(one.ref.self_link, one)
                for one in self.machines[key]
                if one.ref.self_link != machine.ref.self_link
            ]
            copies = f"another copy ({key.partition('|')[2]})"
            for there, place in (("zone", zone), ("region", region_of(zone))):
                if _is_drawn_together(others, machine, there, place):
                    beside = next(one for one in others if getattr(one, there) == place)
                    return f"{beside.name}, {copies}, is in {place}"
        return ""

    def of(self, machine: Instance) -> Iterator[Instance]:
        """Yield the other copies of a machine, some of them more than once."""
        for key in sorted(self._keys(machine)):
            yield from (
                one for one in self.machines[key] if one.ref.self_link != machine.ref.self_link
            )

    def _keys(self, machine: Instance) -> frozenset[str]:
        return self.by_machine.get(machine.ref.self_link, frozenset())


def _is_drawn_together(
    others: Sequence[Instance], machine: Instance, there: str, place: str
) -> bool:
    """Return whether copies stand in fewer places after a move, or most of them in one."""
    here = getattr(machine, there)
    if here == place:
        return False
    before = Counter(getattr(one, there) for one in others)
    after = before + Counter([place])
    before += Counter([here])
    if place not in [getattr(one, there) for one in others]:
        return False
    is_most = 2 * after[place] > after.total() and after[place] > max(before.values())
    return len(after) < len(before) or is_most


def replica_sets(facts: Facts) -> ReplicaSets:
    """Return the sets of copies among the machines of facts, found once."""
    found = facts.memo.get(ReplicaSets)
    if not isinstance(found, ReplicaSets):
        found = facts.memo[ReplicaSets] = _replica_sets(facts)
    return found


def _replica_sets(facts: Facts) -> ReplicaSets:
    """Return the sets: members of one group, of one role label, of one name but for its end.

    And those that share signs enough, whatever their names (`sets_alike`).
    An end of letters alone counts among machines of one type, or labelled as of one service: doubt
    holds a move back.

    Names are compared within a project and network. Words such as primary and replica, numbers,
    single letters and names of zones do not tell services apart.
    """
    found: dict[str, list[Instance]] = defaultdict(list)
    groups = facts.inventory.group_by_member
    for machine in facts.inventory.instances:
        group = groups.get(machine.ref.self_link)
        if group is not None:
            found[f"{group.ref.self_link}|both are members of group {group.name}"].append(machine)
        role = machine.label(ROLE_LABEL)
        if role in HA_ROLES:
            where = f"{machine.project}|both have the label {ROLE_LABEL}={role}"
            found[where].append(machine)
        # A copy may bear the bare name: db beside db-replica.
        # Machines that are labelled as of two services are no copies, however they are named.
        service = service_of(machine)
        where = f"{machine.project}/{machine.primary_network}/{service}"
        found[f"{where}|both are named {name_stem(machine.name)}-…"].append(machine)
        # What a group draws may be letters alone, which a name may have as well: of one type then.
        begin, _, end = machine.name.rpartition("-")
        if begin and (tells_copies_apart(end) or is_drawn(end)):
            # Of db1-0 and db2-0 each may be a service of its own.
            found[f"{where}/{begin}|both are named {begin}-…"].append(machine)
        if begin and _SHORT_END.fullmatch(end):
            alike = "labelled alike" if service else f"of {machine.machine_type}"
            why = f"both are named {begin}-… and are {alike}"
            found[f"{where}|{why}"].append(machine)
    alone = (one for one in facts.inventory.instances if not is_managed(facts, one))
    for number, one in enumerate(sets_alike(facts, alone)):
        found[f"{one.where}/{number}|{one.why}"] += one.machines
    sets = {key: tuple(members) for key, members in found.items() if len(members) > 1}
    by_machine: dict[str, set[str]] = defaultdict(set)
    for key, members in sets.items():
        for machine in members:
            by_machine[machine.ref.self_link].add(key)
    return ReplicaSets(
        by_machine={link: frozenset(keys) for link, keys in by_machine.items()}, machines=sets
    )


def name_stem(name: str) -> str:
    """Return a name without what tells one copy of a service from another.

    >>> [name_stem(n) for n in ("kafka-a", "db-master", "db-replica-2", "zk1", "web-us-east1-b")]
    ['kafka', 'db', 'db', 'zk', 'web']
    >>> [name_stem(n) for n in ("orders-primary", "dr-orders", "api", "7")]
    ['orders', 'orders', 'api', '7']
    >>> drawn = "kafka-4b5g", "cassandra1a", "mongo-us-central1-a-x7k2", "app-db01"
    >>> [name_stem(n) for n in drawn]
    ['kafka', 'cassandra', 'mongo', 'app-db']
    """
    parts = [part for part in re.split(r"[-_]", name) if part]
    if len(parts) > 1 and is_drawn(parts[-1]):
        parts.pop()
    kept = [part for part in parts if not tells_copies_apart(part)]
    if not kept:
        return name
    last = re.sub(r"(?<=[a-z])\d+[a-f]?$", "", kept[-1])
    return "-".join([*kept[:-1], last])


def is_drawn(part: str) -> bool:
    """Return whether the end of a name is one that an instance group draws."""
    return _DRAWN.fullmatch(part) is not None


def tells_copies_apart(part: str) -> bool:
    """Return whether a part of a name is a word, number or zone that tells copies apart."""
    return (
        part in _COPY_WORDS
        or part in _ZONE_PARTS
        or any(form.fullmatch(part) for form in (_NUMBER, _LETTER, _DIRECTED))
    )
