"""Lines of the first screen: what is missing, the total, a lower limit, the other rules."""

import re
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import Evidence, Severity
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.terminal import render
from support.reports import made

SCREEN = RenderOptions(width=100, is_screen=True)


def test_what_is_missing_is_named_without_its_file() -> None:
    place = "a/very/long/folder/of/clusters.json:/clusters/6/nodePools/0 default-pool (and 2 more)"
    why = f"{place}: the input has none of its nodes: initially 1 per zone, and so on for long"
    gecko = made.gecko_report()
    coverage = replace(gecko.coverage, is_complete=False, incomplete=(why, "b"))
    text = render(replace(gecko, coverage=coverage), SCREEN)
    assert re.search(
        r"incomplete default-pool \(and 2 more\): the input has none .*…; 1 more: --full", text
    )


def test_a_total_that_free_hours_may_lessen_is_no_minimum() -> None:
    gecko = made.gecko_report()
    said = r"Paid per month: [^ ]+ and unknown parts"
    for free in (Decimal(0), Decimal("3.6")):
        bill = replace(gecko.bill, addresses_free_usd=free, unpriced_machine_count=1)
        text = render(replace(gecko, bill=bill), SCREEN)
        assert re.search(said, text)
        assert ("up to $3.60 less (free hours)" in text) is bool(free)
        full = render(replace(gecko, bill=bill), replace(SCREEN, is_screen=False))
        assert re.search(said, full)


def test_advice_that_lowers_a_limit_says_so() -> None:
    gecko = made.gecko_report()
    (fix, *_), numbers = gecko.do_first, gecko.numbers
    at = numbers[fix.finding] - 1
    rate = gecko.fix_sets[0].now
    finding = replace(
        gecko.findings[at],
        subject=fix.subject,
        throughput_now=replace(rate, gbps=32.0),
        throughput_fixed=replace(rate, gbps=16.0),
    )
    findings = (*gecko.findings[:at], finding, *gecko.findings[at + 1 :])
    unused = replace(fix, now=None, fixed=None, lost="", used_ratio=None)
    report = replace(gecko, findings=findings, do_first=(unused, *gecko.do_first[1:]))
    assert " · lower limit: 32 → 16 Gbit/s · " in render(report, SCREEN)
    raised = replace(
        finding, throughput_now=finding.throughput_fixed, throughput_fixed=replace(rate, gbps=32.0)
    )
    rest = (*findings[:at], raised, *findings[at + 1 :])
    assert "lower limit" not in render(replace(report, findings=rest), SCREEN)


def test_little_advice_leaves_room_for_the_names_of_all_rules() -> None:
    gecko = made.gecko_report()
    (one, *_) = gecko.findings
    rules: tuple[str, ...] = (
        "external-ip-inter-region",
        "external-ip-intra-region",
        "traffic-price-unknown",
    )
    rules += ("external-ip-intra-zone", "flow-logs-thin")
    others = tuple(
        replace(one, rule=rule, fingerprint=rule, severity=Severity.INFO) for rule in rules
    )
    text = render(replace(gecko, findings=others, do_first=()), SCREEN)
    assert all(rule in text for rule in rules)
    assert len(text.splitlines()) <= 40


def test_a_key_of_evidence_is_shown_in_plain_words() -> None:
    gecko = made.gecko_report()
    (one, *_) = gecko.findings
    evidence = (Evidence(name="to_own_machines", value=1, unit="ratio", source="flow logs"),)
    text = render(
        replace(gecko, findings=(replace(one, evidence=evidence),), do_first=()),
        RenderOptions(width=100, verbosity=1),
    )
    assert "to own VMs = 1 ratio" in text
