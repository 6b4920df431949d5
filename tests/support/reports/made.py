"""Hand-made reports for the renderers: the gecko story, an empty one, crowds and hostile names.

The figures are of the size that the story has; they are not results of the program.
"""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from netplan_planner import model
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.recommend.answer import Recommendation

DATA = Path(__file__).parents[2] / "data" / "made" / "gecko.yaml"
PROJECT, ZONE = "gecko-demo", "us-central1-a"


@cache
def _made() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(DATA.read_bytes(), yaml.CSafeLoader)
    return found


@cache
def gecko_report() -> Report:
    """Return a report of the gecko story with every section filled."""
    return msgspec.convert(_made()["report"], Report, strict=False)


@cache
def job_plan() -> model.JobPlan:
    """Return a job for which the bigger machine is dearer in total."""
    return msgspec.convert(_made()["job"], model.JobPlan, strict=False)


RULES = msgspec.convert(_made()["rules"], tuple[model.RulePage, ...])
NOW = gecko_report().fix_sets[0].now


def line(
    name: str, quantity: str, unit: str, price: str, *, sku: str | None = None
) -> model.LineItem:
    """Return a line of a bill."""
    day = gecko_report().prices_as_of
    return model.LineItem(
        name=name,
        quantity=Decimal(quantity),
        unit=unit,
        unit_price_usd=Decimal(price),
        usd_per_month=Decimal(quantity) * Decimal(price),
        as_of=day,
        source=f"price snapshot of {day.isoformat()}",
        sku_id=model.SkuId(sku) if sku else None,
    )


def machine_plan() -> model.MachinePlan:
    """Return a ranked answer with an unknown price at its end."""
    plan = gecko_report().recommendations[0]
    assert isinstance(plan, model.MachinePlan)
    return plan


def empty_report() -> Report:
    """Return a report that found nothing, with traffic and every rule evaluated."""
    return msgspec.structs.replace(
        gecko_report(),
        findings=(),
        do_first=(),
        fix_sets=(),
        recommendations=(),
        jobs=(),
        assumptions=(),
        suppressed=(),
        filtered=(),
        expired_suppressions=(),
        not_evaluated=(),
        coverage=msgspec.structs.replace(
            gecko_report().coverage, unread=(), notes=(), is_complete=True, projects=()
        ),
    )


def report_without_traffic() -> Report:
    """Return a report of an inventory alone."""
    full = gecko_report()
    return msgspec.structs.replace(
        full,
        window=None,
        findings=(full.findings[3],),
        do_first=(),
        fix_sets=(),
        traffic_by_class=(),
        zone_pairs=(),
        recommendations=(),
        jobs=(),
        assumptions=(),
        coverage=msgspec.structs.replace(full.coverage, traffic=None),
    )


def _machine(name: str, index: int) -> model.ResourceRef:
    link = model.SelfLink(f"projects/{PROJECT}/zones/{ZONE}/instances/{name}")
    return model.ResourceRef(self_link=link, source=f"inventory/instances.json:/{index}")


def crowded_report(finding_count: int, member_count: int = 1) -> Report:
    """Return a report with many findings of many members each."""
    template = gecko_report().findings[2]
    members = tuple(
        model.Member(
            resources=(_machine(f"vm-{n:05}", n),),
            subject=f"vm-{n:05} ({ZONE}, n1-standard-16)",
            message=f"machine {n}",
            saving_usd_per_month=Decimal("1.5"),
        )
        for n in range(member_count)
    )
    severities = tuple(model.Severity)
    findings = tuple(
        msgspec.structs.replace(
            template,
            severity=severities[4 * n // finding_count],
            subject=f"vm-{n:05} ({ZONE}, n1-standard-16)",
            members=members,
            saving_usd_per_month=Decimal("1.5") * member_count,
            fingerprint=f"{n:020x}",
        )
        for n in range(finding_count)
    )
    return msgspec.structs.replace(gecko_report(), findings=findings, do_first=(), fix_sets=())


def with_text(value: object, change: Callable[[str], str]) -> Any:
    """Return a report in which every text but the schema's name went through `change`."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        return tuple(with_text(item, change) for item in value)
    if not isinstance(value, msgspec.Struct):
        return value
    fields = {
        name: with_text(getattr(value, name), change)
        for name in value.__struct_fields__
        if not (isinstance(value, Report) and name == "schema")
    }
    return type(value)(**fields)


def hostile_report(text: str) -> Report:
    """Return the gecko report with `text` in place of every text."""
    report: Report = with_text(gecko_report(), lambda _: text)
    return report


def recommendation(plan: model.MachinePlan | model.Infeasible | None = None) -> Recommendation:
    """Return the answer of `netplan recommend` with a plan."""
    return Recommendation(
        is_feasible=not isinstance(plan, model.Infeasible),
        plan=plan if plan is not None else machine_plan(),
        limits_as_of=date(2026, 9, 24),
        calibration=None,
        prices_as_of=date(2026, 4, 30),
        network_prices_as_of=date(2026, 4, 30),
        prices_sha256="0" * 64,
        price_terms="",
        price_age="",
    )
