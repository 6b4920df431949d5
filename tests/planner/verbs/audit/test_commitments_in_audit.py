"""An audit of machines under a commitment never says that what raises the bill saves."""

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import CommitmentScope, Finding, SavingBasis
from netplan_planner.renderers import RenderOptions, markdown, terminal
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.audit.run import run_audit
from netplan_planner.world.request import InputRequest
from support.commands.cases import schema as published
from support.commands.run import run_verbs
from support.projects.compute_json import machine

Json = dict[str, Any]
TODAY = date(2026, 11, 20)
HOURS = 730
N1_VCPU, N1_GIB = Decimal("0.031611"), Decimal("0.004237")
"""On demand in us-central1: SKUs 2E27-4F75-95CD, 6C71-E844-38BC."""
N1_ALL_MONTH = Decimal("0.7")
N2_VCPU, N2_GIB = Decimal("0.031611"), Decimal("0.004237")
"""BB77-5FDA-69D9, 5B01-D157-A097."""
N2D_VCPU, N2D_GIB = Decimal("0.027502"), Decimal("0.003686")
"""A03E-E620-7389, 5535-6D2D-4B50."""
N2_ALL_MONTH = Decimal("0.8")
"""What the sustained-use discount leaves of N2 and N2D."""


def link(path: str, project: str = "shop") -> str:
    return f"https://www.googleapis.com/compute/v1/projects/{project}/{path}"


def vm(name: str, machine_type: str, project: str = "shop", **more: Any) -> Json:
    about = {"cpuPlatform": "Intel Cascade Lake", **more}
    return machine(name, machine_type, project=project, **about)


def committed(vcpus: int, gib: int, kind: str, project: str = "shop") -> Json:
    return {
        "kind": "compute#commitment",
        "name": "three-years",
        "region": link("regions/us-central1", project),
        "selfLink": link("regions/us-central1/commitments/three-years", project),
        "plan": "THIRTY_SIX_MONTH",
        "category": "MACHINE",
        "type": kind,
        "status": "ACTIVE",
        "endTimestamp": "2028-06-01T00:00:00.000-07:00",
        "resources": [
            {"type": "VCPU", "amount": str(vcpus)},
            {"type": "MEMORY", "amount": str(gib * 1024)},
        ],
    }


@pytest.fixture
def audit(tmp_path: Path) -> Any:
    def run(
        *resources: Json, scope: CommitmentScope = CommitmentScope.UNKNOWN, **more: Any
    ) -> Report:
        file = tmp_path / "compute.json"
        file.write_text(json.dumps(resources), "utf-8")
        request = InputRequest(today=TODAY, inventory=(file,), commitment_scope=scope, **more)
        return run_audit(request)

    return run


def about(report: Report, rule: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


MOVES = "cheaper-series"
TWO = (vm("web-1", "n2-standard-16"), vm("web-2", "n2-standard-16"))
ONE_N2 = HOURS * N2_ALL_MONTH * (16 * N2_VCPU + 64 * N2_GIB)
ONE_N2D = HOURS * N2_ALL_MONTH * (16 * N2D_VCPU + 64 * N2D_GIB)


def test_the_bill_rises_under_a_commitment_and_falls_by_what_is_left_over(audit: Any) -> None:
    (finding,) = about(audit(*TWO), MOVES)
    assert finding.saving_usd_per_month == 2 * (ONE_N2 - ONE_N2D)
    assert (finding.saving_basis, finding.saving_note) == (SavingBasis.BILL, "")
    # Only what is left over may go.
    # Of two machines one is covered, whichever it is: the first to go saves, the second not.
    report = audit(*TWO, committed(16, 64, "GENERAL_PURPOSE_N2"))
    (finding,) = about(report, MOVES)
    assert [member.subject for member in finding.members] == [
        "web-1 (us-central1-a, n2-standard-16)"
    ]
    assert finding.saving_usd_per_month == ONE_N2 - ONE_N2D
    (kept,) = about(report, "cud-after-move")
    assert kept.subject.startswith("web-2")


def test_under_a_commitment_the_bill_would_rise(audit: Any) -> None:
    """The bill by hand, a month.

    Today: 32 vCPUs and 128 GiB committed for 3 years, 730 × (32 × 0.014225 + 128 × 0.001907) =
    $510.49, and nothing else, for the machines need just that. After the move: the same $510.49,
    and two n2d-standard-16, 2 × 730 × 0.8 × (16 × 0.027502 + 64 × 0.003686) = $789.49.
    """
    report = audit(*TWO, committed(32, 128, "GENERAL_PURPOSE_N2"))
    assert about(report, MOVES) == []
    (finding,) = about(report, "cud-after-move")
    by_name = {item.name: item.value for item in finding.evidence}
    assert by_name["on_the_bill"] == pytest.approx(789.49, abs=0.005)
    assert finding.saving_usd_per_month is None
    assert report.saving_usd_per_month == 0
    (use,) = report.commitments
    fee = sum((p.usd_per_month or Decimal(0) for p in use.parts), Decimal(0))
    assert round(fee, 2) == Decimal("510.49")
    for text in rendered(report):
        assert "saves $" not in text.replace("by price n2d-standard-16 saves $", "")
        assert "$789.49" in text
        assert "n2, us-central1" in text


def test_n1_under_a_commitment(audit: Any) -> None:
    """An N1 VM that needs more bandwidth: what it leaves unused of its commitment is no gain.

    By hand: n1-standard-4 costs 730 × 0.7 × (4 × 0.031611 + 15 × 0.004237) = $97.09 without the
    commitment and nothing beside its fee with it. A greater N1 pays for what is above it.
    """
    one = vm("old", "n1-standard-4", labels={"netplan-target-mbps": "20000"})
    rule = "egress-cap-undersized-for-target"
    (free,) = about(audit(one), rule)
    (covered,) = about(audit(one, committed(4, 15, "GENERAL_PURPOSE")), rule)
    today = HOURS * N1_ALL_MONTH * (4 * N1_VCPU + 15 * N1_GIB)
    assert round(today, 2) == Decimal("97.09")
    # Without the commitment another series is cheaper; with it a greater N1 goes on using it.
    assert free.changes[0].to == "n2d-highcpu-16"
    assert covered.changes[0].to == "n1-standard-16"
    more = HOURS * N1_ALL_MONTH * (12 * N1_VCPU + 45 * N1_GIB)
    assert covered.saving_usd_per_month == -more


def test_what_is_not_known_is_said_and_ranked_last(audit: Any) -> None:
    unclear = committed(32, 128, "GENERAL_PURPOSE_N2_SOME")
    report = audit(*TWO, unclear, vm("db-1", "t2d-standard-8"))
    first, last = about(report, MOVES)
    assert first.saving_usd_per_month is not None
    assert (last.saving_usd_per_month, last.saving_basis) == (None, SavingBasis.BEFORE_COMMITMENTS)
    assert last.saving_before_commitments_usd_per_month == 2 * (ONE_N2 - ONE_N2D)
    assert report.saving_usd_per_month == first.saving_usd_per_month
    for text in rendered(report):
        assert "saves $117.98/month before commitments" in " ".join(text.split())
        assert "which types of n2 commitment three-years" in " ".join(text.split())


@pytest.mark.parametrize(
    ("scope", "saved"),
    [
        (CommitmentScope.UNKNOWN, None),
        (CommitmentScope.PROJECT, 2 * (ONE_N2 - ONE_N2D)),
        (CommitmentScope.PROJECTS_READ, None),
        (CommitmentScope.BILLING_ACCOUNT, None),
    ],
)
def test_a_commitment_of_another_project(
    audit: Any, scope: CommitmentScope, saved: Decimal | None
) -> None:
    elsewhere = committed(32, 128, "GENERAL_PURPOSE_N2", project="platform")
    found = about(audit(*TWO, elsewhere, scope=scope), MOVES)
    assert [f.saving_usd_per_month for f in found if f.saving_usd_per_month is not None] == (
        [saved] if saved is not None else []
    )
    assert bool(found) == (scope is not CommitmentScope.PROJECTS_READ)


def test_the_cheapest_way_to_more_bandwidth_is_the_one_that_is_paid_already(audit: Any) -> None:
    """A bigger machine of the series costs nothing more while its commitment is not used up."""
    one = vm("a", "n2-standard-4", labels={"netplan-target-mbps": "12000"})
    rule = "egress-cap-undersized-for-target"
    (dear,) = about(audit(one), rule)
    (free,) = about(audit(one, committed(64, 256, "GENERAL_PURPOSE_N2")), rule)
    assert free.changes[0].to == "n2-standard-8"
    assert free.saving_usd_per_month == 0
    assert (dear.saving_usd_per_month or 0) < 0


def test_the_command_takes_the_scope_and_keeps_to_the_schema(tmp_path: Path) -> None:
    file = tmp_path / "compute.json"
    elsewhere = committed(32, 128, "GENERAL_PURPOSE_N2", project="platform")
    file.write_text(json.dumps([*TWO, elsewhere]), "utf-8")
    found = {}
    for scope in ("project", "billing-account"):
        verb = ["audit", "--inventory", str(file), "--today", "2026-11-20", "--output", "json"]
        done = run_verbs(arguments=[*verb, "--fail-on", "never", "--commitment-scope", scope])
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        published(report["schema"]).validate(report)
        (found[scope],) = (f for f in report["findings"] if f["rule"] == MOVES)
        assert [use["name"] for use in report["commitments"]] == ["three-years"]
    assert found["project"]["saving_basis"] == "bill"
    assert found["project"]["saving_usd_per_month"] == pytest.approx(117.98, abs=0.005)
    assert found["billing-account"]["saving_basis"] == "before-commitments"
    assert found["billing-account"]["saving_usd_per_month"] is None


def rendered(report: Report) -> Sequence[str]:
    options = RenderOptions(width=110)
    return terminal.render(report, options), markdown.render(report, options)
