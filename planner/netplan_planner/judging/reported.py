"""What of an audit's report is compared with another one's, or accepted: read, or made."""

from collections.abc import Callable
from datetime import date

from netplan_planner import model
from netplan_planner.judging.judged import judged
from netplan_planner.judging.month import bounded_bill, committed, month_bill, tables_of
from netplan_planner.model import Facts, Value
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.planning.basis import resting
from netplan_planner.planning.traffic_bill import zone_pairs
from netplan_planner.version import tool_version
from netplan_planner.world.demos import projects_of, title_of
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.request import InputRequest


class Read(Value, frozen=True, kw_only=True):
    """How far the evidence was read."""

    incomplete: tuple[str, ...] = ()


class Reported(Value, frozen=True, kw_only=True):
    """The part of a report that is compared; its fields are those of the report, by name."""

    tool: str
    title: str
    limits_as_of: date
    prices_as_of: date
    network_prices_as_of: date
    prices_sha256: str = ""
    """Empty in reports of versions that did not write it."""
    price_age: str = ""
    coverage: Read
    bill: model.MonthBill
    findings: tuple[model.Finding, ...]
    suppressed: tuple[model.Suppressed, ...] = ()
    filtered: tuple[model.Filtered, ...] = ()
    not_evaluated: tuple[model.NotEvaluated, ...] = ()
    machines: tuple[model.MachineRow, ...] = ()
    traffic_by_class: tuple[model.ClassTotal, ...] = ()
    zone_pairs: tuple[model.ZonePair, ...] = ()


def reported(
    request: InputRequest, facts: Facts, say: Callable[[str], None] = lambda _: None
) -> Reported:
    """Return what an audit says of facts; the request's inputs are not looked at.

    Raises:
        NetplanError: If the file of suppressions or of accepted findings cannot be read.
    """
    found, tables, scope = judged(request, facts, say), tables_of(facts), request.commitment_scope
    uses = commitment_uses(facts.inventory, facts.prices, facts.today, scope)
    return resting(
        Reported,
        facts.prices,
        facts.caps,
        request.today,
        request.prices,
        has_spot=any(one.is_spot for one in facts.inventory.instances),
        tool=f"netplan {tool_version()}",
        title=title_of(None, projects_of(request, facts.inventory)),
        coverage=Read(incomplete=what_is_incomplete(facts, found.not_evaluated)),
        bill=bounded_bill(facts, month_bill(tables, committed(facts, uses, scope))),
        findings=found.findings,
        suppressed=found.suppressed,
        filtered=found.filtered,
        not_evaluated=found.not_evaluated,
        machines=tables.machines,
        traffic_by_class=tables.classes,
        zone_pairs=zone_pairs(facts),
    )
