"""How a change is verified and undone, said alike by all rules."""

from netplan_planner.model import Candidate, Instance, Instruction
from netplan_rules.wording import command, gcloud_instance

_SENT = "compute.googleapis.com/instance/network/sent_bytes_count"


def no_longer_addressed(address: str, project: str) -> Instruction:
    """Return how to see in the flow logs that nobody sends to an address any more."""
    wanted = (
        f'log_id("compute.googleapis.com/vpc_flows") AND jsonPayload.connection.dest_ip="{address}"'
    )
    return Instruction(
        text=f"An hour later the flow logs have no record to {address}.",
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


def sends(instance: Instance, gbps_text: str) -> Instruction:
    """Return how to see what a machine sends after its limit was raised."""
    return Instruction(
        text=f"The metric {_SENT} of {instance.name} may pass {gbps_text} under load; `netplan"
        " predict` says what a path then carries.",
    )


def has_type(instance: Instance, machine_type: str) -> Instruction:
    """Return how to see that a machine has its new type and runs."""
    return Instruction(
        text=f"It runs as {machine_type} and passes its own health check under load.",
        commands=(
            gcloud_instance("describe", instance, "--format=value(machineType.basename(),status)"),
        ),
    )


def back_to_type(instance: Instance, candidate: Candidate) -> Instruction:
    """Return how a machine gets its old type, and its old CPU platform, back."""
    return back_to(instance, candidate.machine_type, candidate.cpu_platform)


def back_to(instance: Instance, wanted: str, cpu_platform: str = "") -> Instruction:
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
        text = f"Give it {instance.machine_type} back while it is stopped."
        return Instruction(text=text, commands=(*machine_type, *platform))
    return Instruction(
        text=f"Give it {instance.machine_type} back, with one more stop.",
        commands=(
            gcloud_instance("stop", instance),
            *machine_type,
            *platform,
            gcloud_instance("start", instance),
        ),
    )


def keep_the_old(what: str) -> Instruction:
    """Return the way back of a change that makes something new beside the old."""
    return Instruction(text=f"Keep {what} stopped until the new one is proven; start it again.")
