"""What of an audit's report is compared with another one's, or accepted: read, or made."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TypeVar

import msgspec

from netplan_planner import model
from netplan_planner.asks import quoted
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import decode_json, opened, reading, unreadable, whole
from netplan_planner.judging.judged import judged
from netplan_planner.judging.month import bounded_bill, committed, month_bill, tables_of
from netplan_planner.model import Facts, Value
from netplan_planner.model.report_rows import SCHEMA
from netplan_planner.optimise.commitment_table import commitment_uses
from netplan_planner.planning.basis import resting
from netplan_planner.planning.traffic_bill import zone_pairs
from netplan_planner.version import tool_version
from netplan_planner.world.demos import projects_of, title_of
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.request import InputRequest

Report = TypeVar("Report", bound=Value)


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


def is_report(path: Path) -> bool:
    """Return whether a file says that it is a report; what cannot be read is none."""
    try:
        if not path.is_file():
            return False
        with opened(path) as file:
            return SCHEMA.encode() in file.read(_HEAD_BYTES)
    except OSError:
        return False


_HEAD_BYTES = 200
"""The schema is what a report begins with."""


def stored_report(path: Path, kind: type[Report]) -> Report:
    """Return the report that `--output json:FILE` wrote, as far as a kind has fields for it.

    Raises:
        InputError: If the file cannot be read, is no report, or one of another version.
    """
    shown = inert_line(str(path))
    again = f"write it again: netplan audit … --output json:{shown}"
    with reading(path):
        try:
            data = whole(path)
            # Numbers that no machine can show are refused here, for a decimal takes them.
            about = decode_json(data)
            schema = about.get("schema") if isinstance(about, dict) else None
            if schema != SCHEMA:
                told = f"its schema is {quoted(schema)}" if schema else "it names no schema"
                raise ValueError(f"{told}, not {SCHEMA}")
            report = decode_json(data, kind)
            for one in report.filtered:  # type: ignore[attr-defined]
                model.Severity(one.severity)
        except OSError as exc:
            raise unreadable(path, exc) from exc
        except (msgspec.DecodeError, ValueError, OverflowError) as exc:
            why = inert_line(str(exc))
            raise InputError(f"{shown}: no report of this version: {why}; {again}") from exc
    return report
