"""The advice on generated projects of real size: what their owner would read first."""

import csv
import io
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from support.commands.run import run_verbs

GENERATE = Path(__file__).parents[3] / "benchmarks" / "generate.py"
Report = dict[str, Any]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of 400 machines with 60,000 flow records."""
    folder = tmp_path_factory.mktemp("generated")
    options = ("--records", "60000", "--vms", "400", "--format", "json", "--out", str(folder))
    subprocess.run([sys.executable, str(GENERATE), *options], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def answers(project: Path) -> dict[str, str]:
    """The audit of it in three formats at once, and its first screen."""
    names = {form: project / f"report.{form}" for form in ("text", "json", "csv")}
    outputs = [f"--output={form}:{path}" for form, path in names.items()]
    inputs = ["--inventory", str(project / "inventory"), "--traffic", str(project / "flows")]
    day = ["--today", "2026-05-20", "--fail-on", "never"]
    done = run_verbs(arguments=["audit", "--full", *inputs, *outputs, *day])
    assert done.returncode == 0, done.stderr
    screen = run_verbs(arguments=["audit", "--report", str(names["json"]), "--fail-on", "never"])
    texts = {form: path.read_text("utf-8") for form, path in names.items()}
    return {**texts, "screen": screen.stdout}


def test_its_first_screen(answers: dict[str, str], golden: Callable[[str, str], None]) -> None:
    lines = answers["screen"].splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    golden("audit-screen-400-vms.txt", answers["screen"])


_POOLS = {
    **dict.fromkeys(("machine-type", "tier-1", "no-tier-1", "spot"), "machines_usd"),
    "release-address": "addresses_usd",
    "delete-gateway": "services_usd",
}
"""The sum of the bill that a kind of change saves of; the others save of the traffic."""


def test_findings_are_short_ordered_and_add_up(answers: dict[str, str]) -> None:
    lines = answers["text"].splitlines()
    # The bill by kind, what its tails are of, and commitments by term take six of these.
    assert len(lines) <= 160
    found: Report = json.loads(answers["json"])
    assert max(Counter(f["rule"] for f in found["findings"]).values()) <= 2
    sums = [f["marginal_usd_per_month"] or 0 for f in found["findings"]]
    assert max(sums) > 100, "the project has something to save"
    ranked = [fix["saving_usd_per_month"] or 0 for fix in found["do_first"] if not fix["now"]]
    assert ranked == sorted(ranked, reverse=True)
    assert max(ranked) == max(sums)
    assert f"saving ${max(ranked):,.2f}/month" in " ".join(answers["text"].split())
    for finding in found["findings"]:
        if finding["severity"] == "high":
            used = [m["used_ratio"] or 0 for m in finding["members"]]
            assert (finding["marginal_usd_per_month"] or 0) >= 10 or max(used) >= 0.8
            assert finding["severity_reason"]
    saved: defaultdict[str, float] = defaultdict(float)
    for fix in found["do_first"]:
        for one in fix["changes"]:
            kind = one["change"]["kind"] if one["change"] is not None else "told"
            saved[_POOLS.get(kind, "traffic_usd")] += max(0.0, one["saving_usd_per_month"] or 0.0)
    assert saved
    for pool, usd in saved.items():
        assert usd <= found["bill"][pool], (
            "all that saves of one kind is at most what is paid of it"
        )
    rows = list(csv.DictReader(io.StringIO(answers["csv"])))
    assert len(rows) == sum(len(f["members"]) for f in found["findings"])
    for row in rows:
        name = row["subject"].split(" ")[0]
        if row["rule"].startswith(("external-ip-intra", "newer", "cheaper")):
            assert name in row["fix"] + row["commands"]
    fixes = Counter(row["fix"] for row in rows if row["rule"].startswith("external-ip-intra"))
    assert max(fixes.values(), default=1) == 1
    for finding in found["findings"]:
        stated = [Decimal(str(m["saving_usd_per_month"] or 0)) for m in finding["members"]]
        total = Decimal(str(finding["saving_usd_per_month"] or 0))
        assert abs(sum(stated, Decimal(0)) - total) < Decimal("0.01")
