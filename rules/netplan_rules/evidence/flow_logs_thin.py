"""Flow logs that are too thin for what is said from them."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_rules.base import Threshold, ratio_limit, rule_of
from netplan_rules.shared.flow_logs import logs_again, reporting_subnetworks, set_logs
from netplan_rules.work import LOGGING

RULE = rule_of(
    __name__,
    severity=model.Severity.INFO,
    needs=frozenset({model.Need.INVENTORY}),
    work=LOGGING,
    thresholds=(
        ratio_limit(
            "min_sampling_ratio",
            0.5,
            "minimum sampling rate (0.5 is the API's default)",
        ),
        ratio_limit(
            "coarse_ratio",
            0.5,
            "share of bytes in records longer than a minute from which confidence is lowered",
        ),
        Threshold(
            name="min_record_count",
            default=10.0,
            unit="records",
            about="minimum records of a pair for full confidence",
        ),
        Threshold(
            name="month_bounds_times",
            default=2.0,
            unit="times",
            about="maximum ratio of the highest to the lowest estimate of the monthly volume before"
            " confidence of money is lowered",
        ),
    ),
)

_FINE_INTERVALS = frozenset({"INTERVAL_5_SEC", "INTERVAL_30_SEC", "INTERVAL_1_MIN"})


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each subnetwork with machines whose logs are off, unknown or thin."""
    used = {
        nic.subnetwork
        for instance in facts.inventory.instances
        for nic in instance.interfaces
        if nic.subnetwork and instance.is_to_run
    }
    reporting = reporting_subnetworks(facts)
    for subnetwork in facts.inventory.subnetworks:
        if subnetwork.ref.self_link in used:
            logs = facts.inventory.logging_of(subnetwork)
            # The fullest one is what there is to see; what it lacks, the others lack as well.
            fullest = max(logs, key=_fullness, default=None)
            if fullest is None and subnetwork.ref.self_link in reporting:
                continue  # Its own reports are there: something logs it.
            why = _off(subnetwork) if fullest is None else _thin(facts, fullest)
            if why:
                yield _hit(facts, subnetwork, fullest, why)


def _fullness(logs: model.FlowLogConfig) -> tuple[bool, float, bool]:
    is_fine = logs.aggregation_interval is None or logs.aggregation_interval in _FINE_INTERVALS
    ratio = 1.0 if logs.sampling_ratio is None else logs.sampling_ratio
    return not logs.filter_expr, ratio, is_fine


def _off(subnetwork: model.Subnetwork) -> str:
    if subnetwork.flow_logs is None:
        return "the input does not state whether it has flow logs"
    return "it has no flow logs"


def _thin(facts: model.Facts, logs: model.FlowLogConfig) -> str:
    low = facts.threshold(RULE.id, "min_sampling_ratio")
    if logs.sampling_ratio is not None and logs.sampling_ratio < low:
        return f"it samples {logs.sampling_ratio:g} of the flows"
    if logs.aggregation_interval is not None and logs.aggregation_interval not in _FINE_INTERVALS:
        said = logs.aggregation_interval.removeprefix("INTERVAL_").replace("_", " ").lower()
        return f"each record covers {said}"
    return ""


def _doubts(facts: model.Facts, subnetwork: model.Subnetwork) -> tuple[str, ...]:
    """Return what speaks against that a subnetwork without known logs does not log."""
    if subnetwork.flow_logs is None:
        return ("its flow log settings are unknown",)
    if facts.inventory.flow_log_configurations:
        return ()
    return (
        "configurations of the Network Management API are unknown; they log without this setting"
        " (gcloud network-management vpc-flow-logs-configs list)",
    )


def _hit(
    facts: model.Facts, subnetwork: model.Subnetwork, logs: model.FlowLogConfig | None, why: str
) -> model.Hit:
    is_unread = logs is None and subnetwork.flow_logs is None
    return model.Hit(
        resources=(subnetwork.ref,),
        subject=f"{subnetwork.name} ({subnetwork.region})",
        message=f"subnetwork {subnetwork.name}: {why}",
        evidence=(
            model.Evidence(name="why", value=why, source="inventory"),
            model.Evidence(
                name="sampling",
                value=logs.sampling_ratio
                if logs and logs.sampling_ratio is not None
                else "not stated",
                unit="ratio",
                source="inventory",
            ),
        ),
        fix=RULE.fix(
            label="fuller flow logs",
            verify="The next audit's coverage lists the subnetwork's records.",
            undo=logs_again(subnetwork),
            text="For a review, log all flows with metadata at a short interval.",
            commands=(
                set_logs(
                    subnetwork,
                    "--enable-flow-logs",
                    "--logging-aggregation-interval=interval-1-min",
                    "--logging-flow-sampling=1.0",
                    "--logging-metadata=include-all",
                ),
            ),
            caution="Logs are billed per GiB.",
        ),
        doubts=_doubts(facts, subnetwork) if logs is None else (),
        at_most=model.Confidence.LOW if is_unread else model.Confidence.HIGH,
    )
