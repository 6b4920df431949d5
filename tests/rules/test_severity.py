"""Severity follows harm: steps of money, rate and volume, each at its edge, all configurable."""

from decimal import Decimal
from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.errors import UsageError
from netplan_planner.model import Severity
from netplan_planner.renderers.figures import shown
from netplan_rules.base import harm
from netplan_rules.registry import thresholds
from support.listed import listed
from support.rules.facts import facts_of, machine

FACTS = facts_of(machine("a"))


def severity(
    usd: str | None = None,
    used: float | None = None,
    gib: str | None = None,
    base: Severity = Severity.HIGH,
) -> tuple[str, str]:
    found = harm(
        FACTS,
        base,
        usd_per_month=None if usd is None else Decimal(usd),
        used_ratio=used,
        gib_per_month=None if gib is None else Decimal(gib),
    )
    return found.severity.value, shown(found.reason)


@listed(
    "measure, expected",
    [
        *(({"usd": usd}, "info") for usd in ("0.02", "9.99")),
        *(({"usd": usd}, "low") for usd in ("10", "99.99")),
        *(({"usd": usd}, "medium") for usd in ("100", "999.99")),
        ({"usd": "1000"}, "high"),
        *(({"used": used}, "info") for used in (0.0, 0.49)),
        ({"used": 0.5}, "medium"),
        *(({"used": used}, "high") for used in (0.8, 9)),
        ({"gib": "2.1"}, "info"),
        ({"gib": "1024"}, "low"),
        *(({"gib": gib}, "medium") for gib in ("102400", "1e9")),
    ],
)
def test_each_measure_has_its_steps(measure: dict[str, Any], expected: str) -> None:
    assert severity(**measure)[0] == expected


@listed(
    "measure, expected",
    [
        ({"usd": "0.02", "used": 0.01, "gib": "2.1"}, "info: saves $0.02/month (below $10)"),
        ({"usd": "0.02", "used": 0.97}, "high: uses 97% of its limit (HIGH from 80%)"),
        (
            {"usd": "250", "used": 0.1, "gib": "3"},
            "medium: saves $250.00/month (MEDIUM from $100)",
        ),
        ({"used": 7.5}, "high: needs 7.5x its limit (HIGH from 80%)"),
    ],
)
def test_the_gravest_measure_decides_and_is_named(measure: dict[str, Any], expected: str) -> None:
    assert ": ".join(severity(**measure)) == expected


@pytest.mark.parametrize("base", list(Severity))
def test_what_cannot_be_measured_keeps_the_severity_of_the_rule(base: Severity) -> None:
    assert severity(base=base)[0] == base.value
    assert severity(usd="-480", base=base)[0] == base.value, "a cost is no harm"
    assert "default severity" in severity(base=base)[1]


def test_the_steps_are_configured_in_one_section() -> None:
    steps = thresholds({"severity": {"high_usd_per_month": 200}})
    facts = replace(FACTS, thresholds=steps)
    measures: dict[str, Any] = {
        "usd_per_month": Decimal(250),
        "used_ratio": None,
        "gib_per_month": None,
    }
    found = harm(facts, Severity.LOW, **measures)
    assert found.severity is Severity.HIGH
    with pytest.raises(UsageError, match=r"\[severity\] has no threshold 'high'"):
        thresholds({"severity": {"high": 1}})


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("egress-cap-saturated", "p95_ratio", 9),
        ("egress-cap-saturated", "full_minutes", 11),
        ("egress-cap-undersized-for-target", "headroom_ratio", 1),
        ("single-flow-limited", "over_ratio", 0.5),
        ("severity", "high_used_ratio", 1.5),
    ],
)
def test_a_threshold_outside_its_range_is_refused(section: str, name: str, value: float) -> None:
    with pytest.raises(UsageError, match=rf"{name} = {value:g}: it must be "):
        thresholds({section: {name: value}})
