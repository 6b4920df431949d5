"""Flow logs of subnetworks: which of them log, as records show, and the undo of a fix."""

from collections.abc import Iterator

from netplan_planner.model import Facts, FlowLogConfig, Instruction, SelfLink, Subnetwork
from netplan_rules.wording import command


def reporting_subnetworks(facts: Facts) -> frozenset[SelfLink]:
    """Return the subnetworks of which the input has a report of their own.

    Machines with several interfaces do not tell through which one they reported.
    """
    if facts.traffic is None:
        return frozenset()
    ends: set[int] = set()
    for edge in facts.traffic.edges:
        if edge.payload_bytes > edge.by_destination_bytes:
            ends.add(edge.src)
        if edge.by_destination_bytes:
            ends.add(edge.dst)
    owners = facts.traffic.owners
    machines = (facts.instance(owners[end]) for end in ends)
    return frozenset(
        machine.interfaces[0].subnetwork
        for machine in machines
        if machine and len(machine.interfaces) == 1 and machine.interfaces[0].subnetwork
    )


# The command that gives a subnetwork's flow logs back what they were, for the undo of a fix


_METADATA = {
    "INCLUDE_ALL_METADATA": "include-all",
    "EXCLUDE_ALL_METADATA": "exclude-all",
    "CUSTOM_METADATA": "custom",
}
"""`gcloud compute networks subnets update --help`, read 2026-11-23."""


def logs_again(subnetwork: Subnetwork) -> Instruction:
    """Return how a subnetwork logs again as it does now; without a command where that is unknown.

    Configurations of the Network Management API are no part of it.
    """
    logs = subnetwork.flow_logs
    if logs is None:
        return Instruction(
            text="Restore the old setting. The input does not include it: note it first."
        )
    if not logs.enabled:
        text = "Switch its flow logs off again."
        return Instruction(text=text, commands=(set_logs(subnetwork, "--no-enable-flow-logs"),))
    flags = tuple(_flags(logs))
    return Instruction(
        text="Restore the current flow log settings.",
        commands=(set_logs(subnetwork, "--enable-flow-logs", *flags),),
    )


def set_logs(subnetwork: Subnetwork, *flags: str) -> str:
    """Return the command that sets flags of a subnetwork's own flow logs."""
    return command(
        *("gcloud", "compute", "networks", "subnets", "update", subnetwork.name),
        f"--region={subnetwork.region}",
        f"--project={subnetwork.project}",
        *flags,
    )


def _flags(logs: FlowLogConfig) -> Iterator[str]:
    if logs.aggregation_interval is not None:
        word = logs.aggregation_interval.lower().replace("_", "-")
        yield f"--logging-aggregation-interval={word}"
    if logs.sampling_ratio is not None:
        yield f"--logging-flow-sampling={logs.sampling_ratio:g}"
    if logs.metadata in _METADATA:
        yield f"--logging-metadata={_METADATA[logs.metadata]}"
