"""How rules name things and write commands, so that all of them read alike.

How a change is verified and undone, said alike by all rules.
"""

import shlex
from collections.abc import Callable, Sequence
from decimal import Decimal

from netplan_planner import model, units


def place(owner: model.Owner) -> str:
    """Return where an owner stands: its zone, else region, else kind."""
    return owner.zone or owner.region or owner.kind.value


_NAMED = 5
"""Names that a sentence has room for; the rest is counted."""


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """Return the first few names for a sentence, and how many more there are.

    >>> listed(["a", "b"]), listed([str(n) for n in range(8)])
    ('a, b', '0, 1, 2, 3, 4 and 3 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def pair_subject(src: model.Owner, dst: model.Owner) -> str:
    """Return `a → b (zone)`, or with both zones where they differ."""
    where = place(src) if place(src) == place(dst) else f"{place(src)} → {place(dst)}"
    return f"{src.name} → {dst.name} ({where})"


def vm_subject(instance: model.Instance) -> str:
    """Return `name (zone, type)`."""
    return f"{instance.name} ({instance.zone}, {instance.machine_type})"


gbps = units.rate


def volume(gib_per_month: Decimal) -> str:
    """Return a monthly volume for a sentence.

    >>> volume(Decimal(64307)), volume(Decimal("3.25"))
    ('62.8 TiB/month', '3.25 GiB/month')
    """
    return f"{units.volume(gib_per_month)}/month"


def money(usd: Decimal) -> model.Amount:
    """Return an amount for a sentence."""
    return model.Amount(usd=usd)


def machines(candidate: model.Candidate) -> str:
    """Return `n2-standard-8`, `2 × n2-standard-4`, or either `with Tier_1`."""
    count = "" if candidate.count == 1 else f"{candidate.count} × "
    tier = " with Tier_1" if candidate.is_tier1 else ""
    platform = f" on {candidate.cpu_platform} or later" if candidate.cpu_platform else ""
    return f"{count}{candidate.machine_type}{tier}{platform}"


def rate_evidence(name: str, value: float, source: str = "flow logs") -> model.Evidence:
    """Return a rate as evidence."""
    return model.Evidence(name=name, value=value, unit="Gbit/s", source=source)


def command(*words: str) -> str:
    """Return a shell command whose words are quoted where they need it.

    >>> command("gcloud", "compute", "instances", "stop", "a b")
    "gcloud compute instances stop 'a b'"
    """
    return shlex.join(words)


FAR = (
    "Another region: check data residency, latency to clients, Cloud NAT, quotas and firewall"
    " rules. Reserved addresses and load balancers stay behind. Copying the disks costs"
    " inter-region traffic once."
)


def far(machine: model.Instance, zone: model.Zone) -> str:
    """Return what a move to another region needs a look at; nothing within a region."""
    return FAR if model.region_of(zone) != machine.region else ""


STEPS_BY = "Steps and commands:"
"""Begins what a fix says of where its commands are to be had; left out once it has them."""
_NO_PROJECT = {"", model.UNKNOWN_PROJECT}
"""What inputs name where they name none: gcloud takes the one that it is set to."""


def gcloud_instance(verb: str, instance: model.Instance, *flags: str) -> str:
    """Return `gcloud compute instances VERB NAME --zone=… --project=… FLAGS`.

    A name that a flag could be mistaken for, which no real machine has, is written with its path.
    """
    run = gcloud_of("instances", instance.project, f"--zone={instance.zone}")
    name = instance.ref.self_link if instance.name.startswith("-") else instance.name
    return run(verb, name, *flags)


def gcloud_of(kind: str, project: str, *where: str) -> Callable[..., str]:
    """Return what writes a command of `gcloud compute` on resources of a kind and place.

    Args:
        kind: Such as `instances`.
        project: Empty or not known: the one that gcloud is set to, as the input names none.
        where: Such as `--zone=…`.

    >>> gcloud_of("commitments", "p", "--region=us-east1")("describe", "one", "--format=json")
    'gcloud compute commitments describe one --region=us-east1 --project=p --format=json'
    """

    def written(*words: str) -> str:
        flags = [word for word in words if word.startswith("--")]
        names = [word for word in words if not word.startswith("--")]
        of_project = [f"--project={project}"] if project not in _NO_PROJECT else []
        return command("gcloud", "compute", *kind.split(), *names, *where, *of_project, *flags)

    return written


def gcloud_ssh(instance: model.Instance) -> str:
    """Return the command that logs in to a machine through IAP and ends at once."""
    where = [f"--zone={instance.zone}"]
    if instance.project not in _NO_PROJECT:
        where.append(f"--project={instance.project}")
    name = instance.ref.self_link if instance.name.startswith("-") else instance.name
    return command(
        "gcloud", "compute", "ssh", name, *where, "--tunnel-through-iap", "--command=true"
    )


_GCLOUDS_ACCESS_CONFIG = "external-nat"
"""The name that gcloud gives, and looks for when it is told none; the console's is another one."""


def delete_access_config(instance: model.Instance, nic: model.NetworkInterface) -> str:
    """Return the command that takes a machine's external address away."""
    flags = [f"--network-interface={nic.name}"]
    name = nic.access_config_name
    if name is not None and name != _GCLOUDS_ACCESS_CONFIG:
        flags.append(f"--access-config-name={name}")
    return gcloud_instance("delete-access-config", instance, *flags)


NAT_IPS = "--format=value(networkInterfaces[].accessConfigs[].natIP)"
"""Of `describe`: a machine's external addresses."""


def add_access_config(
    instance: model.Instance, nic: model.NetworkInterface, tier: str | None
) -> str:
    """Return the command that gives a machine an external address; no tier: the project's own.

    Source: docs.cloud.google.com/sdk/gcloud/reference/compute/instances/add-access-config.
    """
    flags = [f"--network-interface={nic.name}"]
    if tier:
        flags.append(f"--network-tier={tier}")
    return gcloud_instance("add-access-config", instance, *flags)


def resize_commands(instance: model.Instance, candidate: model.Candidate) -> tuple[str, ...]:
    """Return the commands that give a machine another type, or none when it takes a new machine.

    A type of another CPU architecture, Tier_1 and a bare-metal type need a new machine.
    """
    if candidate.is_tier1 or candidate.count > 1:
        return ()
    return type_commands(instance, candidate.machine_type, candidate.cpu_platform)


def stop_commands(instance: model.Instance) -> tuple[str, ...]:
    """Return the commands that stop a machine; one that is suspended is resumed first."""
    stop = gcloud_instance("stop", instance)
    return (gcloud_instance("resume", instance), stop) if instance.is_suspended else (stop,)


def type_commands(instance: model.Instance, wanted: str, cpu_platform: str = "") -> tuple[str, ...]:
    """Return the commands that give a machine another type, or least CPU platform, in place."""
    is_new = wanted != instance.machine_type
    change = f"--machine-type={wanted}"
    machine_type = (gcloud_instance("set-machine-type", instance, change),) if is_new else ()
    platform = (
        (gcloud_instance("update", instance, f"--min-cpu-platform={cpu_platform}"),)
        if cpu_platform
        else ()
    )
    if instance.is_off:
        # It takes the new type once it is stopped; whether it is to run is its owner's business.
        stop = stop_commands(instance) if instance.is_suspended else ()
        return (*stop, *machine_type, *platform)
    return (
        gcloud_instance("stop", instance),
        *machine_type,
        *platform,
        gcloud_instance("start", instance),
    )


def internal_dns_name(instance: model.Instance) -> str:
    """Return the zonal internal DNS name of a machine.

    A project id with a domain (`example.com:p`) puts the domain behind the project.

    Source: cloud.google.com/compute/docs/internal-dns, read 2026-04.
    """
    domain, _, name = instance.project.rpartition(":")
    project = f"{name}.{domain}" if domain else name
    return f"{instance.name}.{instance.zone}.c.{project}.internal"


def internal_target(
    client: model.Instance, target: model.Instance, nic: model.NetworkInterface
) -> str:
    """Return by what a client reaches an interface of a machine inside: its name, else its address.

    An internal DNS name resolves in the network of the machine's first interface only, to that
    interface's address; machines of a peered network do not resolve it.

    Args:
        client: Which opens the connection.
        target: The machine to reach.
        nic: The interface of it that the client reaches by an internal address.

    Source: cloud.google.com/compute/docs/internal-dns and cloud.google.com/vpc/docs/vpc-peering
    ("internal DNS names created in a network are not accessible to peered networks").
    """
    address = nic.internal_ipv4 or nic.internal_ipv6 or "its internal address"
    if nic.name != target.interfaces[0].name:
        return f"{address} ({nic.name}; the internal DNS name is of {target.interfaces[0].name})"
    if client.primary_network != nic.network:
        return f"{address} (internal DNS names do not resolve from another network by default)"
    return f"{internal_dns_name(target)}, currently {address}"


PRICE_STAYS = "The price does not change on this path, only the limit."
"""Said of an internal address where both prices are the same today."""
_SENT = "compute.googleapis.com/instance/network/sent_bytes_count"


def no_longer_addressed(address: str, project: str) -> model.Instruction:
    """Return how to see in the flow logs that nobody sends to an address any more."""
    wanted = (
        f'log_id("compute.googleapis.com/vpc_flows") AND jsonPayload.connection.dest_ip="{address}"'
    )
    return model.Instruction(
        text=f"After one hour, the flow logs have no record to {address}.",
        commands=(
            command(
                "gcloud",
                "logging",
                "read",
                wanted,
                "--freshness=1h",
                "--limit=5",
                f"--project={project}",
            ),
        ),
    )


def sends(instance: model.Instance, gbps_text: str) -> model.Instruction:
    """Return how to see what a machine sends after its limit was raised."""
    return model.Instruction(
        text=f"The metric {_SENT} of {instance.name} can exceed {gbps_text} under load. `netplan"
        " predict` shows what a path then carries.",
    )


def has_type(instance: model.Instance, machine_type: str) -> model.Instruction:
    """Return how to see that a machine has its new type and runs."""
    return model.Instruction(
        text=f"It runs as {machine_type} and passes its health check under load.",
        commands=(
            gcloud_instance("describe", instance, "--format=value(machineType.basename(),status)"),
        ),
    )


def back_to_type(instance: model.Instance, candidate: model.Candidate) -> model.Instruction:
    """Return how a machine gets its old type, and its old CPU platform, back."""
    return back_to(instance, candidate.machine_type, candidate.cpu_platform)


def back_to(instance: model.Instance, wanted: str, cpu_platform: str = "") -> model.Instruction:
    """Return how a machine of another type, or least CPU platform, gets its own back."""
    old = f"--machine-type={instance.machine_type}"
    is_new = wanted != instance.machine_type
    least = instance.min_cpu_platform or ""
    platform = (
        (gcloud_instance("update", instance, f"--min-cpu-platform={least}"),)
        if cpu_platform
        else ()
    )
    machine_type = (gcloud_instance("set-machine-type", instance, old),) if is_new else ()
    if instance.is_off:
        text = f"Change it back to {instance.machine_type} while it is stopped."
        return model.Instruction(text=text, commands=(*machine_type, *platform))
    return model.Instruction(
        text=f"Change it back to {instance.machine_type}, with one more stop.",
        commands=(
            gcloud_instance("stop", instance),
            *machine_type,
            *platform,
            gcloud_instance("start", instance),
        ),
    )


def keep_the_old(what: str) -> model.Instruction:
    """Return the way back of a change that makes something new beside the old."""
    return model.Instruction(
        text=f"Keep {what} stopped until the new one is proven. To undo, start it again."
    )
