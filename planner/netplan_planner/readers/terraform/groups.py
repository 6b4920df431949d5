"""Machines that Terraform does not name: the members of managed groups, made from a template.

A group's target size and its template say how many machines there are to be and what they have.
Each becomes a machine whose name is the group's base name and its number in parentheses, which no
machine can be called; where the machines themselves were read as well, these give way
(`collector`). A regional group's zones are those of its distribution policy; without one, each
machine's zone is its region and the number in parentheses.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from netplan_planner.model import InstanceGroup, SelfLink, canonical_link, instance_link, last_part
from netplan_planner.readers.links import Unusable, place_of, resolve
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns
from netplan_planner.readers.terraform.context import Context
from netplan_planner.readers.terraform.layout import Entry
from netplan_planner.readers.terraform.machine_parts import Disks, with_networks
from netplan_planner.readers.terraform.machines import JsonObject, template_machine, with_unknown
from netplan_planner.readers.terraform.networks import bare_template
from netplan_planner.readers.terraform.types import TYPES

MOST_MEMBERS = 4000
"""Machines of the largest regional group, after its limit was raised
(cloud.google.com/compute/docs/instance-groups, read 2026-11-23)."""

_LIMITS, _OFF = ("min_replicas", "max_replicas"), "OFF"
_MACHINES = TYPES["google_compute_instance"]


class Groups:
    """The groups of a document, and the templates from which their machines are made."""

    def __init__(
        self,
        context: Context,
        templates: Mapping[SelfLink, Entry],
        networks: Mapping[SelfLink, str],
        disks: Disks,
    ) -> None:
        self._context, self._templates, self._networks = context, templates, networks
        self._disks = disks
        self._used: set[SelfLink] = set()
        self._scaled: dict[SelfLink, list[object]] = {}
        self._managers: list[tuple[Entry, SelfLink, JsonObject, list[str]]] = []

    def over_template(self, held: Attributes, notes: Unknowns) -> Attributes:
        """Return the attributes of a machine that is made from a template, with the template's."""
        link = held.link("source_instance_template")
        entry = self._template(bare_template(link)) if link else None
        return held if entry is None else held.over(self._context.attributes(entry, notes))

    def _template(self, link: str) -> Entry | None:
        own = canonical_link(link)
        self._used.add(own)
        return self._templates.get(own)

    def members(self, held: Attributes, link: SelfLink) -> Callable[[InstanceGroup], InstanceGroup]:
        """Return what gives an unmanaged group its members."""
        found = [text for text in held.texts("instances") or [] if isinstance(text, str)]
        project = link.split("/")[1]
        links = tuple(sorted({resolve(text, project) for text in found}))
        return lambda group: replace(group, members=links)

    def join(self, entry: Entry) -> None:
        """Take what puts one machine into an unmanaged group."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        group, machine = held.link("instance_group"), held.link("instance")
        if group and machine and "/" in group and "/" in machine:
            links = [resolve(link, held.text("project") or "") for link in (group, machine)]
            self._context.into.member(*links)
        elif group and machine:
            self._context.note(entry, "not read: its group or VM has no zone")
        self._context.note_unknown(entry, None, notes)

    def manage(self, entry: Entry, held: Attributes, raw: JsonObject, link: SelfLink) -> None:
        """Take a manager, whose machines are made when all machines have been read."""
        zones = held.texts("distribution_policy_zones") or []
        self._managers.append((entry, link, raw, [z for z in zones if isinstance(z, str)]))

    def scale(self, entry: Entry) -> None:
        """Take an autoscaler: how many machines its group has, it decides."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        policy, group = held.block("autoscaling_policy"), held.link("target")
        limits = [policy.get(name) if policy else None for name in _LIMITS]
        if group and not (policy and policy.get("mode") == _OFF):
            self._scaled[canonical_link(group)] = limits
        self._context.note_unknown(entry, None, notes)

    def add_members(self) -> None:
        """Add the machines of every managed group that the document does not hold itself."""
        made = {machine.created_by for machine in self._context.into.found["instances"]}
        for entry, link, raw, zones in self._managers:
            size, scaled = raw.get("targetSize"), self._scaled.get(link)
            if size is None or (scaled and size == 0 and entry.is_changed):
                for version in raw["versions"]:
                    self._template(version["instanceTemplate"])
                self._context.note(entry, _why_unread(scaled), link)
            elif isinstance(size, int) and size > 0 and link not in made:
                self._add(entry, link, raw, zones, size)
        for link, entry in self._templates.items():
            if link not in self._used:
                self._context.into.skip(self._context.file, f"{entry.type} without VMs")

        groups = self._context.into.found["instance_groups"]
        groups[:] = [_scaled(group, self._scaled.get(group.ref.self_link)) for group in groups]

    def _add(
        self, entry: Entry, link: SelfLink, raw: JsonObject, zones: list[str], size: int
    ) -> None:
        versions = raw["versions"]
        stated = versions[0]["instanceTemplate"] if versions else ""
        template = self._template(stated)
        if template is None:
            reason = f"VMs not read: {size}; their template is not in the file"
            self._context.note(entry, reason, link)
            return
        if size > MOST_MEMBERS:
            self._context.note(entry, f"a target size of {size}: larger than any group", link)
            return
        try:
            project, scope, place, own = place_of(link)
        except Unusable:
            return
        notes = Unknowns()
        machine: dict[str, Any] = template_machine(self._context.attributes(template, notes))
        if not machine.get("machineType"):
            reason = f"VMs not read: {size}; their machine type is unknown"
            self._context.note(entry, reason, link)
            return
        machine["metadata"] = {"items": [{"key": "created-by", "value": link}]}
        base = raw.get("baseInstanceName") or own
        for number in range(1, size + 1):
            zone = place if scope == "zones" else _zone_of(number, place, zones)
            name = f"{base}-({number} of {size})"
            one = instance_link(project, zone, name)
            if number == 1:
                with_networks(machine, one, self._networks, notes)
            self._context.add(entry, _MACHINES, one, machine, with_unknown(machine, notes))
            self._disks.take_machine(entry, one, machine)
        self._context.note_unknown(template, link, notes)


def _why_unread(limits: list[object] | None) -> str:
    """Return why a group without a size has no machines here."""
    if limits is None:
        return "its number of VMs is not stated"
    low, high = ("an unknown number" if one is None else f"{one}" for one in limits)
    return f"its VMs are not read: an autoscaler keeps {low} to {high} of them"


def _scaled(group: InstanceGroup, limits: list[object] | None) -> InstanceGroup:
    """Return a group with the limits of its autoscaler."""
    if limits is None:
        return group
    low, high = (one if isinstance(one, int) else None for one in limits)
    return replace(group, is_autoscaled=True, min_size=low, max_size=high)


def _zone_of(number: int, region: str, zones: list[str]) -> str:
    return last_part(zones[(number - 1) % len(zones)]) if zones else f"{region}-({number})"
