"""A copy of the facts that changes are made to, part by part; the facts stay as they are.

Which machines a change is about, and whether two changes want different things of one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import starmap
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import near
from netplan_planner.ledger.state import NEW_ADDRESS, State
from netplan_planner.machines.groups import with_groups
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField

_LABEL, _GROUP = "label:", "group:"
_LISTED = 3


class Scenario(NamedTuple):
    """Facts after changes, and what they have no place for."""

    facts: model.Facts
    """Edges and owners stand where they stood before."""
    pods: dict[model.SelfLink, tuple[str, model.PodNetwork]]
    """Plugin and network of nodes whose traffic is taken for that of pods."""
    notes: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    """Changes that no advice makes, and why."""


def unchanged(facts: model.Facts) -> Scenario:
    """Return facts to which nothing was done."""
    return Scenario(facts, {})


class Draft:
    """What changes work on; whatever no change touches is shared with the facts."""

    def __init__(self, facts: model.Facts) -> None:
        self.facts = facts
        self.instances = dict(facts.inventory.instance_by_link)
        self.networks: dict[model.SelfLink, model.Network] = dict(facts.inventory.network_by_link)
        traffic = facts.traffic
        self.owners: list[model.Owner] = list(traffic.owners) if traffic is not None else []
        self.edges: list[model.Edge] = list(traffic.edges) if traffic is not None else []
        self.vms: dict[int, model.VmTraffic] = (
            {vm.owner: vm for vm in traffic.vms} if traffic is not None else {}
        )
        self.owner_of: dict[model.SelfLink, int] = {
            owner.link: number for number, owner in enumerate(self.owners) if owner.link
        }
        self.metrics: model.Metrics | None = facts.metrics
        self.pod_traffic: PodTraffic | None = facts.pod_traffic
        self.pods: dict[model.SelfLink, tuple[str, model.PodNetwork]] = {}
        self.state = State(facts)
        """Where machines stand after the moves so far, which guards ask."""
        self._notes: dict[str, list[str]] = {}
        self._against: dict[str, list[str]] = {}
        self._leaving: set[int] = set()
        self._left: set[str] = set()
        """Reserved addresses that nothing has any longer: they are paid on."""

    def note(self, text: str) -> None:
        """Say something of the answer, once."""
        self._notes.setdefault(text, [])

    def note_of(self, name: str, text: str) -> None:
        """Say the same of several machines, once for all of them."""
        self._notes.setdefault(text, []).append(name)

    def against(self, name: str, what: str, why: str) -> None:
        """Say why no advice makes a change: no reason to refuse whoever asks for it."""
        text = f"netplan recommends no {what} of it: {why}."
        self._against.setdefault(text, []).append(name)

    def machines(self, before: Iterable[model.Instance]) -> list[model.Instance]:
        """Return machines as they are after the changes so far."""
        return [self.instances[one.ref.self_link] for one in before]

    def put(self, instance: model.Instance) -> None:
        """Take a machine in place of the one of its link."""
        self.instances[instance.ref.self_link] = instance

    def without_reserved(self, nic: model.NetworkInterface) -> model.NetworkInterface:
        """Return an interface with another address where it had a reserved one, which stays."""
        if nic.external_ipv4 not in self.facts.inventory.address_by_ip:
            return nic
        self._left.add(nic.external_ipv4)
        return replace(nic, external_ipv4=NEW_ADDRESS)

    def owner_numbers(self, machines: Iterable[model.Instance]) -> set[int]:
        """Return the owners that machines are."""
        links = (one.ref.self_link for one in machines)
        return {self.owner_of[link] for link in links if link in self.owner_of}

    def replace_edges(self, made: Callable[[model.Edge], model.Edge]) -> None:
        """Put what a function makes of each edge into its place."""
        self.edges = [made(edge) for edge in self.edges]

    def outside_changes(self, owners: Iterable[int]) -> None:
        """Say that other edges of owners leave the VPC than before."""
        self._leaving.update(owners)

    def without_metrics(self, is_void: Callable[[model.MetricSeries], bool]) -> None:
        """Leave series out that say nothing of the machines as they are now."""
        if self.metrics is not None:
            kept = tuple(one for one in self.metrics.series if not is_void(one))
            self.metrics = model.Metrics(series=kept, coverage=self.metrics.coverage)

    def scenario(self) -> Scenario:
        """Return the facts after the changes."""
        self._settle_outside()
        facts, inventory = self.facts, self.facts.inventory
        instances = tuple(self.instances[one.ref.self_link] for one in inventory.instances)
        networks = tuple(self.networks[one.ref.self_link] for one in inventory.networks)
        is_same = _same(instances, inventory.instances) and _same(networks, inventory.networks)
        if not is_same:
            inventory = replace(inventory, instances=instances, networks=networks)
        if self._left:
            inventory = replace(inventory, addresses=tuple(self._addresses()))
            self.replace_edges(self._to_new_address)
        traffic = facts.traffic
        if traffic is not None:
            owners, edges = tuple(self.owners), tuple(self.edges)
            vms = tuple(self.vms[vm.owner] for vm in traffic.vms)
            new = (owners, edges, vms)
            old = (traffic.owners, traffic.edges, traffic.vms)
            if not all(_same(one, other) for one, other in zip(new, old, strict=True)):
                traffic = replace(traffic, owners=owners, edges=edges, vms=vms)
        changed = replace(
            facts,
            inventory=inventory,
            traffic=traffic,
            pod_traffic=self.pod_traffic,
            metrics=self.metrics,
        )
        said = (tuple(starmap(_said, of.items())) for of in (self._notes, self._against))
        return Scenario(changed, self.pods, *said)

    def _addresses(self) -> Iterator[model.Address]:
        for one in self.facts.inventory.addresses:
            is_left = one.address in self._left
            yield replace(one, status="RESERVED", users=()) if is_left else one

    def _to_new_address(self, edge: model.Edge) -> model.Edge:
        is_left = edge.dst_address in self._left
        return replace(edge, dst_address=NEW_ADDRESS) if is_left else edge

    def _settle_outside(self) -> None:
        """Work out again what machines send outside the VPC, where other edges leave it now.

        Nothing leaves, all does, or one edge: that is exact. Of several, minutes are not known one
        by one: the shape of all that the machine sends stands in, with the bytes of the edges.
        """
        leaving: dict[int, list[model.Edge]] = {owner: [] for owner in self._leaving}
        for edge in self.edges:
            if edge.src in leaving and edge.path_class.leaves_vpc:
                leaving[edge.src].append(edge)
        for owner, edges in leaving.items():
            vm = self.vms.get(owner)
            if vm is None:
                continue
            series = _outside(vm, edges, self.edges)
            if len(edges) > 1 and series is not vm.egress:
                self.note(
                    "Paths outside the VPC that share a limit are assumed to follow the VM's "
                    "total egress over time, because minutes of single paths are not stored."
                )
            self.vms[owner] = replace(vm, egress_outside_vpc=series)


def _outside(
    vm: model.VmTraffic, leaving: Sequence[model.Edge], edges: Sequence[model.Edge]
) -> model.Series:
    if not leaving:
        return model.NO_TRAFFIC
    if len(leaving) == 1:
        return leaving[0].series
    sent = sum(edge.wire_bytes for edge in edges if edge.src == vm.owner)
    outside = sum(edge.wire_bytes for edge in leaving)
    return vm.egress if outside == sent else scaled_series(vm.egress, outside / sent)


def scaled_series(series: model.Series, factor: float) -> model.Series:
    """Return a series whose every minute is a factor greater."""
    if factor == 1:
        return series
    return model.Series(
        p50_gbps=series.p50_gbps * factor,
        p95_gbps=series.p95_gbps * factor,
        p99_gbps=series.p99_gbps * factor,
        max_gbps=series.max_gbps * factor,
        byte_count=round(series.byte_count * factor),
        active_minutes=series.active_minutes,
        top_gbps=tuple(one * factor for one in series.top_gbps),
    )


def _same(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _said(text: str, names: Sequence[str]) -> str:
    """Return a note with those of whom it is said, the first by name."""
    distinct = list(dict.fromkeys(names))
    if not distinct:
        return text
    more = f" and {len(distinct) - 1:,} more" if len(distinct) > 1 else ""
    return f"{distinct[0]}{more}: {text}"


class Aimed(NamedTuple):
    """A change and its machines."""

    change: WhatifChange
    machines: tuple[model.Instance, ...]
    named_count: int = 0
    """Of a change that a template makes: machines that it names, others change with them."""


OF_TEMPLATE = frozenset(
    {
        WhatifField.MACHINE_TYPE,
        WhatifField.TIER_1,
        WhatifField.NIC,
        WhatifField.NETWORK_TIER,
    }
)
"""What a managed group's template says of its machines: changed of one, it changes of all."""


def aimed(facts: model.Facts, changes: Sequence[WhatifChange]) -> tuple[Aimed, ...]:
    """Return changes with their machines, in the order in which they are made.

    What a template decides is changed of all machines of a managed group or node pool.

    Raises:
        NetplanError: If a selector fits no machine, or two changes contradict each other.
    """
    order = list(WhatifField)
    once = list({_listed(change): change for change in reversed(changes)}.values())
    found = [_aimed_at(facts, change) for change in reversed(once)]
    _check_contradictions(found)
    ranked = sorted(found, key=lambda one: (order.index(one.change.field), one.change.vms))
    return tuple(ranked)


def _aimed_at(facts: model.Facts, change: WhatifChange) -> Aimed:
    machines = machines_of(facts.inventory, change)
    if change.field not in OF_TEMPLATE:
        return Aimed(change, machines)
    return Aimed(change, with_groups(facts, machines), len(machines))


def _listed(change: WhatifChange) -> tuple[object, ...]:
    return change.vms, change.field, change.to, change.by


def machines_of(inventory: model.Inventory, change: WhatifChange) -> tuple[model.Instance, ...]:
    """Return the machines that a change's selector names.

    Raises:
        NetplanError: If it names none, or one name stands for several machines.
    """
    wanted = change.vms.strip().strip("/")
    if wanted.startswith(_LABEL):
        found = _of_label(inventory, wanted.removeprefix(_LABEL), change)
    elif wanted.startswith(_GROUP):
        found = _of_group(inventory, wanted.removeprefix(_GROUP))
    elif any(letter in wanted for letter in "*?["):
        found = [one for one in inventory.instances if _fits(one, wanted)]
    else:
        found = [one for one in inventory.instances if is_named(one, wanted)]
        if len(found) > 1:
            places = ", ".join(f"{one.project}/{one.zone}/{one.name}" for one in found[:_LISTED])
            raise change.refused(
                f"{len(found)} VMs are named {wanted!r}: {places}. Name one of them, or all"
                f" with a glob such as '*/{wanted}'",
                "--vm",
            )
    if not found:
        names = [one.name for one in inventory.instances]
        raise change.refused(f"no VM of the input is named {wanted!r}{near(wanted, names)}", "--vm")
    return tuple(found)


def is_named(instance: model.Instance, wanted: str) -> bool:
    """Return whether a machine has a name, `project/zone/name` or the end of a self link."""
    full = f"{instance.project}/{instance.zone}/{instance.name}"
    return wanted in {instance.name, full} or instance.ref.self_link.endswith(f"/{wanted}")


def _fits(instance: model.Instance, glob: str) -> bool:
    link = instance.ref.self_link
    return (
        fnmatchcase(instance.name, glob)
        or fnmatchcase(link, glob)
        or fnmatchcase(link, f"*/{glob}")
    )


def _of_label(inventory: model.Inventory, text: str, change: WhatifChange) -> list[model.Instance]:
    key, equals, value = text.partition("=")
    if not equals:
        raise change.refused(f"{_LABEL}{text} is not label:KEY=VALUE", "--vm")
    return [one for one in inventory.instances if one.label(key) == value]


def _of_group(inventory: model.Inventory, name: str) -> list[model.Instance]:
    groups = inventory.group_by_member
    return [
        one
        for one in inventory.instances
        if (group := groups.get(one.ref.self_link)) is not None and group.name == name
    ]


def _check_contradictions(found: Sequence[Aimed]) -> None:
    """Refuse two different values of one thing of one machine."""
    said: dict[tuple[model.SelfLink, WhatifField], WhatifChange] = {}
    for change, machines, _ in found:
        for machine in machines:
            key = machine.ref.self_link, change.field
            other = said.setdefault(key, change)
            # A growth that is said twice of a machine would be made twice.
            is_twice = change.field is WhatifField.GROWTH and other is not change
            if other.to != change.to or is_twice:
                raise change.refused(
                    f"{machine.name} gets {change.field.value} {change.to} here and {other.to} "
                    f"from {other.source}: leave one of them out"
                )
