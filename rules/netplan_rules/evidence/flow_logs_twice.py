"""Flows that several configurations of flow logs write down, each for money."""

from collections.abc import Iterator

from netplan_planner.errors import MissingDatum
from netplan_planner.model import (
    Evidence,
    Facts,
    Fix,
    Hit,
    Instruction,
    LogOverlap,
    Need,
    ResourceRef,
    Saving,
    Severity,
    bill,
    last_part,
)
from netplan_planner.model.log_volume import GENERATION, STORAGE, record_bytes
from netplan_planner.units import counted
from netplan_rules.base import Rule
from netplan_rules.work import LOGGING

RULE = Rule(
    id="flow-logs-twice",
    title="Flows are logged by two configurations",
    severity=Severity.LOW,
    needs=frozenset({Need.FLOW_RECORDS}),
    rationale="A subnetwork's own setting and every configuration of the Network Management API"
    " that covers it write records of their own of the same flow. Each is billed, and who sums"
    " them counts every byte twice.",
    remediation="Keep the one that covers what is needed, and switch the other off for this place.",
    guards="Fires only where both have records of one place in one hour; netplan counts one of"
    " them. A configuration with a filter may have been left out although it logs what the other"
    " does not.",
    references=("https://docs.cloud.google.com/vpc/docs/using-flow-logs",),
    work=LOGGING,
    since="0.1.0",
    group_message="{count} places are logged by two configurations of flow logs",
)


@RULE
def check(facts: Facts) -> Iterator[Hit]:
    """Yield each place of whose flows several configurations have records."""
    if facts.traffic is None:
        return
    for overlap in facts.traffic.coverage.overlaps:
        yield _hit(facts, overlap)


def _saving(facts: Facts, overlap: LogOverlap) -> Saving:
    """Return what the records of the second configuration cost a month, made and stored."""
    assert facts.traffic is not None
    if facts.traffic.is_steady or not facts.traffic.month_seconds:
        return Saving(unknown="what records there are in a month is not known")
    has_metadata = facts.traffic.coverage.has_metadata
    size = overlap.record_count * record_bytes(has_metadata=has_metadata)
    gib = facts.gib_per_month(size)
    try:
        return Saving(
            items=tuple(
                line
                for name, service in (("made", GENERATION), ("stored for 30 days", STORAGE))
                for line in bill(f"flow logs, {name}", gib, facts.prices.service_price(service))
            )
        )
    except MissingDatum as error:
        return Saving(unknown=str(error))


def _hit(facts: Facts, overlap: LogOverlap) -> Hit:
    name, left_out = last_part(overlap.place), last_part(overlap.left_out)
    counts = last_part(overlap.counted)
    saving = _saving(facts, overlap)
    return Hit(
        resources=(ResourceRef(self_link=overlap.place),),
        subject=f"{name}: {left_out}",
        message=f"{name} is logged by {counts} and by {left_out} as well:"
        f" {counted(overlap.record_count, 'record')} of the second, of"
        f" {counted(overlap.payload_bytes, 'byte')}, were left out here",
        evidence=(
            Evidence(
                name="records", value=overlap.record_count, unit="records", source="flow logs"
            ),
            Evidence(name="payload", value=overlap.payload_bytes, unit="B", source="flow logs"),
            Evidence(name="counted", value=overlap.counted, source="flow logs"),
            Evidence(name="left_out", value=overlap.left_out, source="flow logs"),
        ),
        saving=saving,
        fix=Fix(
            label="one configuration of flow logs",
            verify=Instruction(
                text="The next audit leaves no record of another configuration out.",
            ),
            undo=Instruction(text="Switch the configuration on again."),
            text=f"Keep {counts} or {left_out}, and switch the other off for {name}.",
            documents=RULE.references,
            caution="A configuration may cover other places too, and feed other readers.",
        ),
    )
