"""Reads commands of gcloud and carries them out on a made project, by a small parser of its own.

Each must name machines, zones, images, addresses and gateways that are there at that moment.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from advice_state import PREMIUM, Address, Gateway, Machine, Project, region_of


class Command(NamedTuple):
    """A command of gcloud, taken apart."""

    words: tuple[str, ...]
    flags: Mapping[str, str]

    def flag(self, name: str) -> str:
        """Return a flag's value, or nothing."""
        return self.flags.get(name, "")


@dataclass
class Made:
    """What the commands of a step have made so far; it grows."""

    images: dict[str, str] = field(default_factory=dict)
    """Machine images with the machine that each is of, by its name here."""
    copies: dict[tuple[str, str], Machine] = field(default_factory=dict)
    """Machines that were made from images, by their names and zones."""
    old: set[tuple[str, str]] = field(default_factory=set)
    """Names and zones of the machines that the images are of, until they are deleted."""
    templates: dict[str, Machine] = field(default_factory=dict)
    """A machine like those that each template makes, by its name."""

    def settled(self, project: Project) -> Project:
        """Return a project in which what was made stands in for what it was made from."""
        for (name, _), copy in self.copies.items():
            project = project.with_machine(copy)
            if name != copy.name:
                project = replace(project, aliases={**project.aliases, name: copy.name})
        return project


def last(link: str) -> str:
    """Return the name at the end of a link."""
    return link.rpartition("/")[2]


def parsed(text: str) -> Command:
    """Return a command's words behind `gcloud`, and its flags.

    >>> parsed("gcloud compute addresses delete one --region=us-east1").words
    ('compute', 'addresses', 'delete', 'one')
    """
    words = shlex.split(text)[1:]
    flags = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))
    return Command(tuple(word for word in words if not word.startswith("--")), flags)


def run(project: Project, command: Command, made: Made) -> Project:
    """Return the project after a command.

    Raises:
        LookupError: If it names what is not there.
        ValueError: If Google would refuse it.
    """
    words = tuple(word for word in command.words if word not in ("beta", "alpha"))
    if words[:2] == ("compute", "instances"):
        return _on_machines(project, words, command, made)
    if words[:2] == ("compute", "machine-images"):
        _on_image(project, words[2:], command, made)
        return project
    if words[:2] == ("compute", "instance-templates"):
        _on_template(project, words[2:], command, made)
        return project
    if words[:3] == ("compute", "instance-groups", "managed"):
        return _on_group(project, words[3:], command, made)
    for start, act in _KINDS.items():
        if words[: len(start)] == start:
            return act(project, words[len(start) :], command)
    return project


def _on_machines(project: Project, words: tuple[str, ...], command: Command, made: Made) -> Project:
    zone = command.flag("zone")
    for name in words[3:]:
        if words[2] == "create":
            _create(project, name, command, made)
        elif words[2] == "delete" and (name, zone) in made.old:
            made.old.remove((name, zone))
        elif (name, zone) not in made.copies:
            project = _on_machine(project, words[2], name, command)
    return project


def _create(project: Project, name: str, command: Command, made: Made) -> None:
    """Make a machine from an image; an image keeps its disks, type and networks."""
    zone, image = command.flag("zone"), command.flag("source-machine-image")
    if image not in made.images:
        raise LookupError(f"there is no image {image or 'named'} for {name}")
    key = made.images[image]
    source = project.machines[key]
    standing = {(one.name, one.zone) for one in project.machines.values()}
    standing |= {(new, project.machines[old].zone) for new, old in project.aliases.items()}
    if (name, zone) in standing:
        raise ValueError(f"{zone} has a machine {name} already")
    copy = replace(source, zone=zone, is_running=True)
    if region_of(zone) != source.region:
        copy = _elsewhere(project, copy, command)
    if command.flag("machine-type"):
        copy = replace(copy, machine_type=command.flag("machine-type"))
    if tier := command.flag("network-performance-configs"):
        copy = replace(copy, is_tier1=tier.endswith("=TIER_1"))
    if command.flag("provisioning-model") == "SPOT":
        copy = replace(copy, is_spot=True)
    made.copies[name, zone] = copy


def _elsewhere(project: Project, copy: Machine, command: Command) -> Machine:
    """Return a copy in another region, where it needs a subnetwork and other addresses."""
    nic = dict(part.partition("=")[::2] for part in command.flag("network-interface").split(","))
    _on_subnetwork(project, ("", nic.get("subnet", "")), copy.region)
    if nic["subnet"] != f"{copy.network}-{copy.region}":
        raise LookupError(f"{nic['subnet']} is no subnetwork of {copy.network}")
    ip = "" if "no-address" in nic else new_ip(project)
    return replace(
        copy,
        internal_ip=new_internal(project, copy.network, copy.region),
        external_ip=ip,
        tier=nic.get("network-tier", PREMIUM),
    )


def new_internal(project: Project, network: str, region: str) -> str:
    """Return an internal address of a network in a region that nobody has."""
    head = project.networks[network].ranges[region].removesuffix(".0.0/16")
    used = {one.internal_ip for one in project.machines.values()}
    return next(
        ip for n in range(51_200) if (ip := f"{head}.{n // 250 + 50}.{n % 250}") not in used
    )


def _of_subnetwork(project: Project, words: tuple[str, ...], command: Command) -> Project:
    return _on_subnetwork(project, words, command.flag("region"))


def _on_subnetwork(project: Project, words: tuple[str, ...], region: str) -> Project:
    known = {
        (f"{one.name}-{place}", place) for one in project.networks.values() for place in one.ranges
    }
    if (words[1], region) not in known:
        raise LookupError(f"there is no subnetwork {words[1] or 'named'} in {region}")
    return project


def _on_image(project: Project, words: tuple[str, ...], command: Command, made: Made) -> None:
    verb, name = words
    if verb == "create":
        source, zone = command.flag("source-instance"), command.flag("source-instance-zone")
        made.images[name] = _at(project, source, zone).name
        made.old.add((source, zone))
    elif made.images.pop(name, None) is None:
        raise LookupError(f"there is no image {name}")


def _at(project: Project, name: str, zone: str) -> Machine:
    machine = project.machines.get(project.aliases.get(last(name), last(name)))
    if machine is None:
        raise LookupError(f"there is no machine {name}")
    if machine.zone != zone:
        raise LookupError(f"{name} is in {machine.zone}, not in {zone}")
    return machine


def _on_machine(project: Project, verb: str, name: str, command: Command) -> Project:
    machine = _at(project, name, command.flag("zone"))
    if verb == "set-machine-type":
        return project.with_machine(replace(machine, machine_type=command.flag("machine-type")))
    if verb in ("stop", "start"):
        return project.with_machine(replace(machine, is_running=verb == "start"))
    if verb == "delete-access-config":
        if not machine.external_ip:
            raise LookupError(f"{name} has no external address")
        return project.with_machine(replace(machine, external_ip=""))
    if verb == "add-access-config":
        tier, ip = command.flag("network-tier") or PREMIUM, _stated_ip(project, command)
        return project.with_machine(replace(machine, external_ip=ip, tier=tier))
    return project


def _stated_ip(project: Project, command: Command) -> str:
    stated = command.flag("address")
    known = {one.name: one.ip for one in project.addresses.values()}
    if stated and stated not in (*known, *known.values()):
        raise LookupError(f"there is no address {stated}")
    return known.get(stated, stated) or new_ip(project)


def _on_address(project: Project, words: tuple[str, ...], command: Command) -> Project:
    verb, name = words
    if verb == "create":
        made = Address(name, command.flag("region"), new_ip(project))
        return replace(project, addresses={**project.addresses, name: made})
    address = project.addresses.get(name)
    if address is None or address.region != command.flag("region"):
        raise LookupError(f"there is no address {name} in {command.flag('region') or 'no region'}")
    return released(project, name) if verb == "delete" else project


def released(project: Project, name: str) -> Project:
    """Return the project without an address; whoever has it loses it."""
    address = project.addresses[name]
    holder = project.holder_of(address)
    gateways = {
        key: replace(one, addresses=tuple(own for own in one.addresses if own != name))
        for key, one in project.gateways.items()
    }
    project = replace(project.without_address(name), gateways=gateways)
    machine = project.machines.get(holder)
    return project if machine is None else project.with_machine(replace(machine, external_ip=""))


def _on_gateway(project: Project, words: tuple[str, ...], command: Command) -> Project:
    verb, name = words
    gateway = project.gateways.get(name)
    if gateway is None or gateway.region != command.flag("region"):
        raise LookupError(f"there is no gateway {name} in {command.flag('region') or 'no region'}")
    return without_gateway(project, gateway) if verb == "delete" else project


def without_gateway(project: Project, gateway: Gateway) -> Project:
    """Return the project without a gateway."""
    rest = {key: one for key, one in project.gateways.items() if key != gateway.name}
    return replace(project, gateways=rest)


def _on_peering(project: Project, words: tuple[str, ...], command: Command) -> Project:
    network = project.networks.get(command.flag("network"))
    if network is None:
        raise LookupError(f"there is no network {command.flag('network')}")
    if words[0] != "create":
        return project
    peer = last(command.flag("peer-network"))
    if peer not in project.networks:
        raise LookupError(f"there is no network {peer}")
    return joined(project, network.name, peer)


def joined(project: Project, name: str, peer: str) -> Project:
    """Return the project with one side of a peering.

    Raises:
        ValueError: If ranges overlap with those of the peer, or of whom either is peered with.
    """
    network, other = project.networks[name], project.networks[peer]
    pairs = [(name, one) for one in (peer, *other.peers - {name})]
    pairs += [(one, peer) for one in network.peers - {peer}]
    for one, another in pairs:
        both = {*project.networks[one].ranges.values()} & {
            *project.networks[another].ranges.values()
        }
        if both:
            raise ValueError(f"{one} and {another} both have {min(both)}: no peering")
    made = replace(network, peers=network.peers | {peer})
    return replace(project, networks={**project.networks, name: made})


def _on_template(project: Project, words: tuple[str, ...], command: Command, made: Made) -> None:
    """Make a template of a machine: of what the machine has, its type alone can be another."""
    verb, name = words
    if verb != "create":
        raise LookupError(f"nobody says how to {verb} a template")
    source = _at(project, command.flag("source-instance"), command.flag("source-instance-zone"))
    machine_type = command.flag("machine-type") or source.machine_type
    made.templates[name] = replace(source, machine_type=machine_type)


def _on_group(project: Project, words: tuple[str, ...], command: Command, made: Made) -> Project:
    known = [word for word in words if word in project.groups]
    if not known:
        raise LookupError(f"there is no managed group in {' '.join(words)}")
    place, named = project.groups[known[0]], command.flag("zone") or command.flag("region")
    if named != place:
        raise LookupError(f"{known[0]} is in {place}, not in {named or 'no place'}")
    if "start-update" not in words:
        return project
    template = command.flag("version").partition("template=")[2]
    if template not in made.templates:
        raise LookupError(f"there is no template {template}")
    like = made.templates[template]
    for machine in project.machines.values():
        if machine.group == known[0]:
            project = project.with_machine(
                replace(machine, machine_type=like.machine_type, is_tier1=like.is_tier1)
            )
    return project


def new_ip(project: Project) -> str:
    """Return an external address that nobody has."""
    used = {one.external_ip for one in project.machines.values()}
    used |= {one.ip for one in project.addresses.values()}
    return next(ip for n in range(65_536) if (ip := f"34.24.{n >> 8}.{n & 255}") not in used)


_KINDS = {
    ("compute", "addresses"): _on_address,
    ("compute", "networks", "peerings"): _on_peering,
    ("compute", "networks", "subnets"): _of_subnetwork,
    ("compute", "routers", "nats"): _on_gateway,
}
"""What else is carried out, or held against what is there."""
