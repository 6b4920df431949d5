"""Flow logs that are too thin for what is said from them."""

from collections.abc import Iterator

from netplan_planner.model import (
    Evidence,
    Facts,
    Fix,
    Hit,
    Instruction,
    Need,
    SelfLink,
    Severity,
    Subnetwork,
)
from netplan_rules.base import Rule, Threshold
from netplan_rules.wording import command

RULE = Rule(
    id="flow-logs-thin",
    title="Flow logs are off or thin",
    severity=Severity.INFO,
    needs=frozenset({Need.INVENTORY}),
    rationale="Rates come from sampled records: a low rate misses small and short flows, an"
    " interval above a minute hides bursts, and a subnetwork without logs shows only what its"
    " peers report.",
    remediation="Raise the sampling rate and shorten the interval for the time of a review; logs"
    " are billed per GiB, so set them back afterwards.",
    guards="Subnetworks without machines keep the rule silent, as do proxy-only and other special"
    " purposes. A subnetwork whose input says nothing of logs is reported as unknown, not as off.",
    references=(
        "https://cloud.google.com/vpc/docs/using-flow-logs",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    since="0.1.0",
    thresholds=(
        Threshold(
            name="min_sampling_ratio",
            default=0.5,
            unit="ratio",
            about="sampling rate below which logs count as thin (0.5 is the API's default)",
        ),
        Threshold(
            name="coarse_ratio",
            default=0.5,
            unit="ratio",
            about="share of bytes in records of more than a minute from which confidence is"
            " lowered",
        ),
        Threshold(
            name="min_record_count",
            default=10.0,
            unit="records",
            about="records of a pair below which the confidence of its findings is lowered",
        ),
    ),
    group_message="{count} subnetworks in use keep no flow logs or thin ones; the first: {why}",
)

_FINE_INTERVALS = frozenset({"INTERVAL_5_SEC", "INTERVAL_30_SEC", "INTERVAL_1_MIN"})


@RULE
def check(facts: Facts) -> Iterator[Hit]:
    """Yield each subnetwork with machines whose logs are off, unknown or thin."""
    used = {
        nic.subnetwork
        for instance in facts.inventory.instances
        for nic in instance.interfaces
        if nic.subnetwork and instance.is_running
    }
    for subnetwork in facts.inventory.subnetworks:
        if subnetwork.ref.self_link in used:
            why = _thin(facts, subnetwork, used)
            if why:
                yield _hit(subnetwork, why)


def _thin(facts: Facts, subnetwork: Subnetwork, used: set[SelfLink]) -> str:
    logs = subnetwork.flow_logs
    if logs is None:
        return "the input does not say whether it keeps flow logs"
    if not logs.enabled:
        return "it keeps no flow logs"
    low = facts.threshold(RULE.id, "min_sampling_ratio")
    if logs.sampling_ratio is not None and logs.sampling_ratio < low:
        return f"it samples {logs.sampling_ratio:g} of the flows"
    if logs.aggregation_interval is not None and logs.aggregation_interval not in _FINE_INTERVALS:
        return f"its records cover {logs.aggregation_interval}"
    return ""


def _hit(subnetwork: Subnetwork, why: str) -> Hit:
    logs = subnetwork.flow_logs
    return Hit(
        resources=(subnetwork.ref,),
        subject=f"{subnetwork.name} ({subnetwork.region})",
        message=f"subnetwork {subnetwork.name}: {why}",
        evidence=(
            Evidence(name="why", value=why, source="inventory"),
            Evidence(
                name="sampling",
                value=logs.sampling_ratio
                if logs and logs.sampling_ratio is not None
                else "not stated",
                unit="ratio",
                source="inventory",
            ),
        ),
        fix=Fix(
            label="fuller flow logs",
            verify=Instruction(text="The next audit's coverage names the subnetwork's records."),
            undo=Instruction(
                text="Set the rate and the interval back after the review, or switch logs off with"
                " --no-enable-flow-logs."
            ),
            text="For a review, log everything at a fine interval with metadata.",
            commands=(
                command(
                    "gcloud",
                    "compute",
                    "networks",
                    "subnets",
                    "update",
                    subnetwork.name,
                    f"--region={subnetwork.region}",
                    f"--project={subnetwork.project}",
                    "--enable-flow-logs",
                    "--logging-aggregation-interval=interval-1-min",
                    "--logging-flow-sampling=1.0",
                    "--logging-metadata=include-all",
                ),
            ),
            documents=RULE.references,
            caution="Log volume is billed per GiB.",
        ),
    )
