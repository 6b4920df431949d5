"""Flows that several configurations of flow logs write down, each for money."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.model.evidence.log_volume import GENERATION, OWN_SETTING, STORAGE, record_bytes
from netplan_planner.units import counted
from netplan_rules.base import rule_of
from netplan_rules.shared.flow_logs import logs_again, set_logs
from netplan_rules.work import LOGGING

RULE = rule_of(
    __name__,
    aliases=("flow-logs-twice",),
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.INVENTORY}),
    work=LOGGING,
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each place whose flows several configurations log, by the records if there are any."""
    if facts.traffic is not None and facts.traffic.coverage.logged:
        for overlap in facts.traffic.coverage.overlaps:
            yield _hit(facts, overlap)
        return
    for subnetwork in facts.inventory.subnetworks:
        names = _settings_of(facts, subnetwork)
        for name in names[1:]:
            yield _stated(subnetwork, names[0], name)


def _settings_of(facts: model.Facts, subnetwork: model.Subnetwork) -> list[str]:
    """Return who logs all flows of a subnetwork now, by name; the first is to be kept.

    Configurations are the way that is recommended now, and go before the subnetwork's setting.
    """
    found = [
        one.name
        for one in facts.inventory.flow_log_configurations
        if one.logs.enabled and not one.logs.filter_expr and one.covers(subnetwork)
    ]
    own = subnetwork.flow_logs
    if own is not None and own.enabled and not own.filter_expr:
        found.append(OWN_SETTING)
    return found


def _stated(subnetwork: model.Subnetwork, kept: str, other: str) -> model.Hit:
    return model.Hit(
        resources=(subnetwork.ref,),
        subject=f"{subnetwork.name}: {other}",
        message=f"{subnetwork.name} is logged by both {kept} and {other}: each writes a record of"
        " every flow",
        evidence=(
            model.Evidence(name="kept", value=kept, source="inventory"),
            model.Evidence(name="second", value=other, source="inventory"),
        ),
        saving=model.Saving(unknown="without flow logs, the number of records is unknown"),
        fix=_fix(subnetwork.name, kept, other, subnetwork),
        doubts=("based on settings only: records would show whether both write",),
    )


def _switch_off(subnetwork: model.Subnetwork | None, other: str) -> tuple[str, ...]:
    """Return the command that ends a subnetwork's own setting; a configuration may cover more."""
    if subnetwork is None or other != OWN_SETTING:
        return ()
    return (set_logs(subnetwork, "--no-enable-flow-logs"),)


def _fix(name: str, kept: str, other: str, subnetwork: model.Subnetwork | None) -> model.Fix:
    commands = _switch_off(subnetwork, other)
    return RULE.fix(
        label="one configuration of flow logs",
        verify="The next audit ignores no records of another configuration.",
        undo=logs_again(subnetwork)
        if commands and subnetwork is not None
        else model.Instruction(text="Switch the configuration back on."),
        text=f"Keep {kept} or {other}, and switch the other one off for {name}.",
        commands=commands,
        caution="A configuration may cover other places and serve other readers.",
    )


def _saving(facts: model.Facts, overlap: model.LogOverlap) -> model.Saving:
    """Return what the records of the second configuration cost a month, made and stored."""
    if facts.seen_traffic.is_steady or not facts.seen_traffic.month_seconds:
        return model.Saving(unknown="the number of records per month is unknown")
    has_metadata = facts.seen_traffic.coverage.has_metadata
    size = overlap.record_count * record_bytes(has_metadata=has_metadata)
    gib = facts.gib_per_month(size)
    try:
        return model.Saving(
            items=tuple(
                line
                for name, service in (("made", GENERATION), ("stored for 30 days", STORAGE))
                for line in model.bill(
                    f"flow logs, {name}", gib, facts.prices.service_price(service)
                )
            )
        )
    except MissingDatum as error:
        return model.Saving(unknown=str(error))


def _hit(facts: model.Facts, overlap: model.LogOverlap) -> model.Hit:
    name, left_out = model.last_part(overlap.place), model.last_part(overlap.left_out)
    counts = model.last_part(overlap.counted)
    saving = _saving(facts, overlap)
    subnetwork = facts.inventory.subnetwork_by_link.get(overlap.place)
    return model.Hit(
        resources=(model.ResourceRef(self_link=overlap.place),),
        subject=f"{name}: {left_out}",
        message=f"{name} is logged by both {counts} and {left_out}:"
        f" {counted(overlap.record_count, 'record')} of {left_out} with"
        f" {counted(overlap.payload_bytes, 'byte')} were ignored",
        evidence=(
            model.Evidence(
                name="records", value=overlap.record_count, unit="records", source="flow logs"
            ),
            model.Evidence(
                name="payload", value=overlap.payload_bytes, unit="B", source="flow logs"
            ),
            model.Evidence(name="counted", value=overlap.counted, source="flow logs"),
            model.Evidence(name="left_out", value=overlap.left_out, source="flow logs"),
        ),
        saving=saving,
        fix=_fix(name, counts, left_out, subnetwork),
    )
