"""The first screen of an audit, one finding by itself, and a report that was stored."""

import json
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from netplan_planner.model import CommitmentLever, NotEvaluated, Severity
from netplan_planner.renderers import RenderOptions
from netplan_planner.renderers.terminal import render
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.run import report_on
from netplan_planner.verbs.audit.screen.overview import skipped
from netplan_planner.world.request import InputRequest
from support.commands.audits import NEVER, audit
from support.known import known
from support.nightly import every
from support.projects.compute_json import machine
from support.reports import made
from support.rules.fixtures import FIXTURES, facts_of

DEMOS = ("gecko", "dobermanifesto", "interzone", "percona")
SCREEN = RenderOptions(width=100, is_screen=True)
ROWS, COLUMNS = 40, 100
AMOUNT = r"\$([\d,]+(?:\.\d\d)?)"


def beyond_the_screen(text: str) -> list[str]:
    """Return what of a text is not on a screen: its lines beyond the last row or column."""
    lines = text.splitlines()
    return [*lines[ROWS:], *(one for one in lines if cell_len(one) > COLUMNS)]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The JSON report of gecko."""
    file = tmp_path_factory.mktemp("stored") / "report.json"
    code, _, err = audit("--demo", "gecko", *NEVER, "-o", f"json:{file}")
    assert code == 0, err
    return file


# The screen


@pytest.mark.parametrize("demo", DEMOS)
def test_the_screen_says_what_the_json_of_the_same_run_does(demo: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    code, text, err = audit("--demo", demo, *NEVER, "-o", "text", "-o", f"json:{file}")
    assert (code, err) == (0, "")
    assert beyond_the_screen(text) == []
    found = json.loads(file.read_text("utf-8"))
    bill = found["bill"]
    parts = ("machines_usd", "addresses_usd", "services_usd", "traffic_usd", "commitments_usd")
    paid = sum(bill[name] or 0 for name in parts) + bill["unpriced_low_usd"]
    total = re.search(rf"^Paid per month: (?:at least )?{AMOUNT}", text, re.MULTILINE)
    assert (total is not None) == bool(paid)
    assert total is None or number(total[1]) == pytest.approx(paid, abs=0.006)
    assert stated(one_line(text, "All advice: ")) == pytest.approx(
        sums(found["do_first"]), abs=0.006
    )
    order = found["do_first"][:5]
    advice = re.findall(r"^(#\d+ .*)\n {3}fix: (.*)$", text, re.MULTILINE)
    assert len(advice) == len(order)
    for (head, fix), entry in zip(advice, order, strict=True):
        finding = found["findings"][int(head[1 : head.index(" ")]) - 1]
        assert finding["fingerprint"] == entry["finding"]
        assert f"confidence: {finding['confidence']}" in head
        own = {what.removeprefix("low confidence: "): usd for what, usd in sums([entry]).items()}
        assert stated(head) == pytest.approx(own, abs=0.006)
        assert (entry["now"] is not None) == (" → " in head)
        assert fix.startswith(f"{entry['label']} · ")
        assert fix.endswith(f" · {entry['rule']}")
    shown = {entry["finding"] for entry in order}
    rest = Counter(f["severity"] for f in found["findings"] if f["fingerprint"] not in shown)
    others = one_line(text, "Other findings: ")
    counts = {
        severity: int(n) for n, severity in re.findall(r"(\d+) (high|medium|low|info)", others)
    }
    assert counts == rest


def number(text: str) -> float:
    """Return an amount as it is shown."""
    return float(text.replace(",", ""))


def one_line(text: str, start: str) -> str:
    """Return the only line that begins so."""
    (found,) = (line for line in text.splitlines() if line.startswith(start))
    return found


def stated(text: str) -> dict[str, float]:
    """Return the amounts of a line of advice, by what is said of them."""
    said = r"((?:low confidence: )?(?:saving|cost)(?: up to)?)"
    return {what: number(usd) for what, usd in re.findall(rf"{said} {AMOUNT}", text)}


def sums(fixes: list[dict[str, Any]]) -> dict[str, float]:
    """Return what entries of the order save and cost, and what is in no sum."""
    found: Counter[str] = Counter()
    for fix in fixes:
        usd = fix["saving_usd_per_month"] or 0
        what = "saving" if usd > 0 else "cost"
        found[what if fix["is_sure"] else f"low confidence: {what} up to"] += abs(usd)
    return {what: usd for what, usd in found.items() if usd}


def test_golden(golden: Callable[[str, str], None], stored: Path) -> None:
    golden("audit-screen-gecko.txt", audit("--report", stored, *NEVER)[1])
    golden("audit-show-gecko.txt", audit("--report", stored, *NEVER, "--show", "2")[1])


CASES = sorted(FIXTURES.glob("*/*.json"))


@pytest.mark.parametrize(
    "path", every(12, CASES), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_every_case_of_a_rule_fits(path: Path, tmp_path: Path) -> None:
    facts = facts_of(json.loads(path.read_text("utf-8")), tmp_path)
    report = report_on(InputRequest(today=facts.today), facts)
    text = render(report, SCREEN)
    assert beyond_the_screen(text) == []
    assert all(f"\n#{n} " in text for n in advised(report))


def advised(report: Report) -> set[int]:
    """Return the numbers of the findings that come first."""
    numbers = {one.fingerprint: at for at, one in enumerate(report.findings, 1)}
    return {numbers[fix.finding] for fix in report.do_first[:5]}


LONG = "a-name-that-has-as-many-letters-as-google-lets-a-resource-have0"


LEVER = CommitmentLever(
    years=3,
    unpriced_machine_count=0,
    paid_usd_per_month=Decimal(999999999),
    usd_per_month=Decimal(123456789),
    most_usd_per_month=Decimal(123456789),
    after_plan_usd_per_month=Decimal(123456789),
    machine_count=400,
)


def crowded() -> Report:
    """Return a report in which all that a screen shows is as long, and as much, as it may be."""
    report = made.crowded_report(400)
    (entry, *_) = made.gecko_report().do_first
    fixes = tuple(
        replace(
            entry,
            rank=n,
            finding=report.findings[n].fingerprint,
            subject=f"{LONG} → {LONG} (northamerica-northeast1-a → northamerica-northeast2-b)",
            label=f"{LONG}, {LONG} or 12 others",
            place_count=123456,
            finding_place_count=123456,
            saving_usd_per_month=Decimal((-1) ** n * 123456789),
            is_sure=n % 4 < 2,
        )
        for n in range(1, 12)
    )
    findings = tuple(
        replace(one, rule=f"a-rule-with-a-name-of-usual-length-{n % 50}")
        for n, one in enumerate(report.findings)
    )
    coverage = replace(
        report.coverage, is_complete=False, incomplete=(f"{LONG}/{LONG}.json:1: {LONG}",) * 90
    )
    reasons = ("no traffic given (--traffic)", "no metrics given (--metrics, or --project)")
    gaps = tuple(
        NotEvaluated(rule=f"r{n}", reason=reason, kind="missing-evidence")
        for n, reason in enumerate([*reasons * 20, "; ".join(reasons), "no runs (--measurements)"])
    )
    return replace(
        report,
        title=f"{LONG} {LONG}",
        findings=findings,
        do_first=fixes,
        coverage=coverage,
        not_evaluated=gaps,
        commitment_lever=replace(LEVER, years=1),
        commitment_lever_any_term=LEVER,
        price_age=f"Prices of 2026-04-30 are old. Update them: {'netplan prices refresh ' * 4}",
    )


def test_a_crowd_of_long_names_fits() -> None:
    text = render(crowded(), SCREEN)
    assert beyond_the_screen(text) == []
    assert len(text.splitlines()) > 30
    assert "6 more (4 low confidence) · saving " in text
    assert "Then commitments save $123,456,789.00/month (1 year), $" in text
    assert "; 89 more: --full" in text
    assert "skipped    --traffic would check 20 more rules, --metrics 20" in text


def wide(text: str) -> str:
    """Return a text of the same length in letters of two cells."""
    return "漢" * len(text)


def test_wide_letters_and_escape_sequences_fit() -> None:
    for change in (wide, lambda text: f"\x1b[2J{text}\u202e"):
        # Letters of words that the program says itself are not those of a project.
        report = crowded()
        fixes = tuple(replace(one, subject=change(one.subject)) for one in report.do_first)
        text = render(replace(report, do_first=fixes, title=change(report.title)), SCREEN)
        assert "\x1b" not in text
        assert [line for line in text.splitlines() if cell_len(line) > COLUMNS] == []


def test_nothing_found_is_no_good_news_by_itself() -> None:
    empty = made.empty_report()
    text = render(empty, SCREEN)
    assert "No findings" in text
    assert "--show" not in text
    bare = replace(empty, window=None, bill=replace(empty.bill, traffic_usd=None))
    text = render(bare, SCREEN)
    assert re.search(r"not included +unknown +traffic \(give --traffic\)", text)
    assert "traffic is missing" in text
    assert re.search(r"Paid per month: \S+ and unknown parts", text)
    hidden = replace(empty, suppressed=made.gecko_report().suppressed)
    assert "No findings (1 suppressed)" in render(hidden, SCREEN)


def test_parts_that_could_not_be_read_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "in.json"
    broken = [{**machine(f"vm-{n}"), "networkInterfaces": n} for n in range(30)]
    file.write_text(json.dumps([machine(), *broken]), "utf-8")
    code, text, err = audit("--inventory", file, *NEVER)
    assert code == 0, err
    assert beyond_the_screen(text) == []
    assert len(re.findall(r"^ {3}incomplete ", text, re.MULTILINE)) == 1


def test_a_project_without_machines_costs_an_unknown_sum(tmp_path: Path) -> None:
    file = tmp_path / "in.json"
    link = "https://www.googleapis.com/compute/v1/projects/p/global/networks/n"
    file.write_text(json.dumps([{"kind": "compute#network", "name": "n", "selfLink": link}]))
    code, text, err = audit("--inventory", file, *NEVER)
    assert code == 0, err
    assert beyond_the_screen(text) == []
    assert "Paid per month: unknown, no VMs were read" in text
    assert "--traffic would check " in text
    assert "gateway" not in text
    assert "cluster" not in text


@pytest.mark.parametrize(
    "words", [("--full",), ("-v",), ("--explain",), ("--max-findings", "0"), ("--max-members", "5")]
)
def test_who_asks_for_more_than_a_screen_gets_the_report(words: tuple[str, ...]) -> None:
    out = audit("--demo", "interzone", *NEVER, *words)[1]
    assert "Inputs and coverage" in out
    assert "Not on this screen" not in out


def test_other_formats_hold_everything(stored: Path) -> None:
    for form in ("json", "csv", "md", "html", "sarif"):
        short = audit("--report", stored, *NEVER, "-o", form)[1]
        assert short == audit("--report", stored, *NEVER, "--full", "-o", form)[1]
        assert "Not on this screen" not in short


def test_a_rule_counts_for_what_lets_it_judge() -> None:
    def lacking(rule: str, *reasons: str) -> NotEvaluated:
        return NotEvaluated(rule=rule, reason="; ".join(reasons), kind="missing-evidence")

    metrics, traffic = "no metrics given (--metrics, or --project)", "none given (--traffic)"
    entries = (
        lacking("a", traffic),
        lacking("b", traffic),
        lacking("c", metrics),
        lacking("d", metrics, traffic),
        # No evidence shows what is not there.
        lacking("e", "no Cloud NAT gateways in the inventory", traffic),
        lacking("f", "no Kubernetes objects given (--inventory)"),
        NotEvaluated(rule="g", reason="it was not selected", kind="deselected"),
        NotEvaluated(rule="h", reason="no CPU (--metrics)", kind="gap", resource_count=2),
    )
    said = "--traffic would check 2 more rules, --metrics 1, --metrics with --traffic 1"
    assert skipped(entries) == f"{said}; 1 rule checked in part"
    assert skipped(()) == ""


# One finding


def test_a_finding_by_number_and_by_fingerprint_is_one(stored: Path) -> None:
    found = json.loads(stored.read_text("utf-8"))["findings"]
    assert Severity(found[2]["severity"]) is Severity.INFO
    by_number = audit("--report", stored, *NEVER, "--show", "3")
    assert by_number == audit("--report", stored, *NEVER, "--show", found[2]["fingerprint"])
    assert by_number == audit("--report", stored, *NEVER, "--show", found[2]["fingerprint"][:8])
    assert by_number == audit("--demo", "gecko", *NEVER, "--show", "3")
    for command in found[2]["fix"]["commands"]:
        assert command in by_number[1]
    assert not any(f"{n}. " in by_number[1] for n in (1, 2, 4, 5))
    # With the places that the report cuts, and sources where they are asked for.
    first = audit("--report", stored, *NEVER, "--show", "1")[1]
    assert all(member["subject"] in first for member in found[0]["members"])
    assert "medium.com/@duhroach" not in first
    assert "medium.com/@duhroach" in audit("--report", stored, *NEVER, "--show", "1", "-v")[1]
    second = audit("--report", stored, *NEVER, "--show", "2")[1]
    assert "n1-highcpu-8 alone brings nothing" in second
    assert re.search(r"with +--show 1\n", second)


@pytest.mark.parametrize("asked", ["0", "6", "-1", "x", "2c19", "99999999999"])
def test_a_finding_that_is_not_there(asked: str, stored: Path) -> None:
    code, out, err = audit("--report", stored, *NEVER, f"--show={asked}")
    assert (code, out) == (2, "")
    assert "findings are 1 to 4" in err


# A stored report


def test_a_stored_report_is_shown_as_the_run_did(stored: Path) -> None:
    assert audit("--report", stored) == audit("--demo", "gecko")
    assert audit("--report", stored, "-o", "json", *NEVER)[1] == stored.read_text("utf-8")
    assert audit("--report", stored, "--full", *NEVER) == audit("--demo", "gecko", "--full", *NEVER)
    code, out, err = audit("--report", stored, *NEVER, "--select", "nic", "--demo", "percona")
    assert code == 0
    assert out == audit("--report", stored, *NEVER)[1]
    assert "unused: --demo, --select" in err


def damaged(report: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return texts that are no report, each with what is said of it."""
    return {
        "no JSON": ("hello", "JSON is malformed"),
        "cut": (json.dumps(report)[:-9], "truncated"),
        "empty": ("", "truncated"),
        "another shape": ("[1]", "it names no schema"),
        "no schema": ("{}", "it names no schema, not netplan.report/1"),
        "another answer": (json.dumps({"schema": "netplan.place/1"}), "'netplan.place/1'"),
        "older schema": (json.dumps({**report, "schema": "netplan.report/0"}), "netplan.report/0"),
        "a field less": (
            json.dumps({k: v for k, v in report.items() if k != "bill"}),
            "missing required field `bill`",
        ),
        "another type": (json.dumps({**report, "findings": 3}), "$.findings"),
        "no severity": (
            json.dumps(
                {
                    **report,
                    "filtered": [
                        {
                            "rule": "a",
                            "subject": "b",
                            "severity": "grave",
                            "saving_usd_per_month": None,
                            "why": "",
                            "fingerprint": "",
                        }
                    ],
                }
            ),
            "'grave'",
        ),
        "no number": (
            re.sub(r'"machines_usd": [\d.]+', '"machines_usd": 1e999999', json.dumps(report)),
            "out of range",
        ),
    }


def test_a_file_that_is_no_report_of_this_version(stored: Path, tmp_path: Path) -> None:
    file = tmp_path / "old.json"
    for name, (text, said) in damaged(json.loads(stored.read_text("utf-8"))).items():
        file.write_text(text, "utf-8")
        code, out, err = audit("--report", file, "--show", "1")
        assert (code, out) == (3, ""), name
        assert f"{file}: no report of this version" in err, name
        assert said in known(err), name
        assert "write it again: netplan audit" in err, name
    assert audit("--report", tmp_path / "nowhere")[0] == 3


def test_the_stored_report_is_not_written_over(stored: Path) -> None:
    before = stored.read_bytes()
    code, _, err = audit("--report", stored, *NEVER, "-o", f"json:{stored}")
    assert code == 2
    assert str(stored) in err
    assert stored.read_bytes() == before
