"""Commands that change how flows are logged.

Flags as `gcloud compute networks subnets update --help` and `gcloud network-management
vpc-flow-logs-configs update --help` have them (read 2026-11-23).
"""

from netplan_planner.engine.flow_logs.writers import Writer, interval_word
from netplan_planner.model import FlowLogsConfiguration, Subnetwork
from netplan_planner.model.flow_log_bill import LogSettings

Told = tuple[tuple[str, ...], str]
"""A command, and in words what it does not do; one of them is empty."""

_NO_COMMAND = "change it where it is kept: what its name is there was not read"


def command_of(writer: Writer, now: LogSettings, wanted: LogSettings) -> Told:
    """Return the command that sets what differs of what is wanted."""
    assert wanted.sampling_ratio is not None
    assert wanted.interval_s is not None
    prefix, suffix = ("--logging-", "") if writer.subnetwork is not None else ("--", "-metadata")
    flags = []
    if wanted.interval_s != now.interval_s:
        flags.append(f"{prefix}aggregation-interval={interval_word(wanted.interval_s)}")
    if wanted.sampling_ratio != now.sampling_ratio:
        flags.append(f"{prefix}flow-sampling={wanted.sampling_ratio:g}")
    if wanted.has_metadata != now.has_metadata:
        flags.append(f"{prefix}metadata=exclude-all{suffix}")
    if wanted.filter_expr != now.filter_expr:
        flags.append(f"{prefix}filter-expr={wanted.filter_expr}")
    return _changed(writer, tuple(flags)) if flags else ((), "as it is today")


def switch_off(writer: Writer) -> Told:
    """Return the command that switches a writer off, where it writes of one place alone."""
    if writer.subnetwork is not None:
        return _changed(writer, ("--no-enable-flow-logs",))
    one = writer.configured
    if one is not None and one.subnetwork is None and one.gateway is None:
        return (), "it covers a network or more: leave this place out of it, or the other one"
    return _changed(writer, ("--state=disabled",))


def _changed(writer: Writer, flags: tuple[str, ...]) -> Told:
    if writer.subnetwork is not None:
        return (*_subnetwork(writer.subnetwork), *flags), ""
    if writer.configured is not None and writer.configured.project:
        return (*_configuration(writer.configured), *flags), ""
    return (), _NO_COMMAND


def _subnetwork(one: Subnetwork) -> tuple[str, ...]:
    command = ("gcloud", "compute", "networks", "subnets", "update", one.name)
    return (*command, f"--region={one.region}", f"--project={one.project}")


def _configuration(one: FlowLogsConfiguration) -> tuple[str, ...]:
    command = ("gcloud", "network-management", "vpc-flow-logs-configs", "update", one.name)
    return (*command, "--location=global", f"--project={one.project}")
