"""Carries out an audit's "do first" as listed on made projects, and compares it with the bill.

    python benchmarks/apply_advice.py --projects 100 --seed 0

Each project is made from a seed (`advice_worlds.py`) and written as an inventory of the Compute API
with flow logs (`advice_pages.py`, `advice_logs.py`). What its months cost before and after, and
what its flows carry, are computed by programs of their own (`advice_truth.py`, `advice_rates.py`),
which import nothing of netplan and read the tables beside the checkout (`NETPLAN_TEST_DATA`,
default `../shared`). `netplan audit` runs as a process; the entries of its list are carried out one
after another (`advice_judge.py`, `advice_follow.py`), by the commands of the script that it writes
(`advice_script.py`): the changes of an entry where it has some, else all places of its finding.
Then the logs are made anew and audited again.

The saving of an entry is the bill before it less the bill after it, in dollars per month. For each
k from 1 to 10 the saving of the first k entries counts as right within 1% or $1 of the stated sum.
The worst examples of each kind are printed with their seed; `--keep` leaves their files.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import advice_logs
import advice_outputs
import advice_script
import advice_worlds
from advice_bulk import as_logged, held_back
from advice_changes import Key
from advice_follow import of_change, rule_of, steps_of_entry, steps_of_finding, with_clients
from advice_judge import KINDS, Entry, Example, Judge, agree
from advice_prices import Prices, data_folder
from advice_rates import Caps
from advice_state import Project
from advice_truth import bill

NETPLAN = "from netplan_planner.cli import main; main()"
FORMS = ("json:report.json", "text:report.txt", "csv:report.csv", "sarif:report.sarif")
OUTPUTS = tuple(f"--output={one}" for one in (*FORMS, "commands:plan.sh"))
ALL = ("-v", "--max-findings=0")
"""So that the text names every place of an entry, and every finding."""
OF_CAPS = frozenset({"egress-cap-saturated", "external-cap-saturated", "tier1-missing"})
"""Rules that ask for a larger machine."""
MOST = 10
"""Entries whose sums are judged."""


class Outcome(NamedTuple):
    """What one project showed."""

    seed: int
    machines: int
    before: float
    said: float
    saved: float
    sums: int
    right: int
    steps: int
    entries: tuple[Entry, ...]
    promised: tuple[bool, ...]
    faults: tuple[Example, ...]
    left_out: frozenset[str]


def audit(folder: Path) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return the report of an audit of a folder, its commands those of the script that it wrote.

    With it comes where the script is not what the report says, and where its other forms differ.

    Raises:
        SystemExit: If it fails.
    """
    asked = ("audit", "--inventory", "inventory", "--traffic", "flows", "--fail-on", "never")
    done = subprocess.run(
        [sys.executable, "-c", NETPLAN, *asked, *ALL, *OUTPUTS],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"netplan audit ended with {done.returncode}: {done.stderr[-2000:]}")
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    forms = advice_outputs.differing(report, folder)
    script = (folder / "plan.sh").read_text(encoding="utf-8")
    return report, advice_script.taken_into(report, script), forms


def audited(
    project: Project, logged: Project, caps: Caps, keep: Path | None
) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return what `audit` does of a made project, whose files are gone afterwards unless kept."""
    with tempfile.TemporaryDirectory(prefix="advice-") as name:
        folder = keep or Path(name)
        advice_logs.write(project, logged, folder, caps)
        return audit(folder)


def tried(
    seed: int, prices: Prices, caps: Caps, vms: int | None = None, keep: Path | None = None
) -> Outcome:
    """Return what the project of a seed shows."""
    project = advice_worlds.project(seed, prices, caps, vms)
    report, differing, forms = audited(
        project, as_logged(project), caps, keep and keep / f"seed-{seed}"
    )
    month = bill(project, prices)
    judge = Judge(seed, project, prices, caps)
    judge.faults += [Example("script", seed, "all entries", 0, 0, text) for text in differing]
    judge.faults += [Example("forms", seed, "report", 0, 0, text) for text in forms]
    joined = advice_script.with_joined(report)
    entries = report["do_first"]
    findings = {one["fingerprint"]: one for one in report["findings"]}
    said = saved = 0.0
    right = 0
    for rank, entry in enumerate(entries, start=1):
        steps = with_clients(judge.project, steps_of_entry(entry, report))
        saved += judge.follow(entry, steps, findings[entry["finding"]])
        there = joined[entry["rank"]]
        judge.look_at_joined(entry, [(of_change(one["rule"], one), one["fixed"]) for one in there])
        said += float(entry["saving_usd_per_month"] or 0)
        is_right = agree(said, saved)
        if rank <= MOST:
            right += is_right
            if not is_right:
                name = f"first {rank}, the last: {rule_of(entry)} ({entry['subject']})"
                judge.faults.append(Example("off", seed, name, said, saved))
    if said > month.total:
        judge.faults.append(Example("above", seed, "all entries", said, month.total))
    after = judge.project
    again, _, forms = audited(after, after, caps, keep and keep / f"seed-{seed}-after")
    judge.faults += [Example("forms", seed, "report after", 0, 0, text) for text in forms]
    asked = _asked(after, again)
    judge.faults += [
        Example("survives", seed, " ".join(filter(None, key)), asked[key], 0.0)
        for key in sorted(judge.asked & asked.keys())
        # A bulk transfer wants more than any machine carries: each asks for a larger one.
        if key[0] not in OF_CAPS or key[1] not in held_back(after)
    ]
    return Outcome(
        seed=seed,
        machines=len(project.machines),
        before=month.total,
        said=said,
        saved=saved,
        sums=min(len(entries), MOST),
        right=right,
        steps=judge.steps,
        entries=tuple(judge.entries),
        promised=tuple(judge.promised),
        faults=tuple(judge.faults),
        left_out=month.left_out,
    )


def _asked(project: Project, report: Mapping[str, Any]) -> dict[Key, float]:
    """Return what a report asks for, in its list and in its findings, with what all of it saves.

    What a finding says to leave for now, whatever else is done, it does not ask for.
    """
    found = {
        step.key: float(finding["saving_usd_per_month"])
        for finding in report["findings"]
        if finding["saving_usd_per_month"] and not finding["is_held"]
        for step in with_clients(project, steps_of_finding(finding))
    }
    listed = {
        step.key: float(entry["saving_usd_per_month"] or 0)
        for entry in report["do_first"]
        for step in with_clients(project, steps_of_entry(entry, report))
    }
    return found | listed


def figures(outcomes: Sequence[Outcome], worst: int) -> Iterator[str]:
    """Yield the figures of all projects, and the worst examples of each kind."""
    sums, right = sum(one.sums for one in outcomes), sum(one.right for one in outcomes)
    share = right / sums if sums else 1.0
    entries, steps = [one for of in outcomes for one in of.entries], sum(o.steps for o in outcomes)
    yield f"{len(outcomes)} projects, {len(entries):,} entries, {steps:,} changes"
    yield f"cumulative savings within 1% or $1: {right} of {sums}, {share:.1%} (target 99%)"
    promised = [is_right for one in outcomes for is_right in one.promised]
    kept = f"{sum(promised)} of {len(promised)}"
    yield f"promised Gbit/s within 1% of the limits or with them in the interval: {kept}"
    faults = [fault for one in outcomes for fault in one.faults]
    counts = Counter(fault.kind for fault in faults)
    seeds = {kind: {fault.seed for fault in faults if fault.kind == kind} for kind in KINDS}
    for kind, title in KINDS.items():
        yield f"{title}: {counts[kind]:,} in {len(seeds[kind])} projects"
    yield ""
    yield "single entries off by more than 1% and $1, by rule"
    for rule, count in sorted(Counter(one.rule for one in entries).items()):
        off = [one for one in entries if one.rule == rule and not one.is_right]
        usd = sum(abs(one.said - one.true) for one in off)
        yield f"  {rule}: {len(off)} of {count}, {usd:,.2f} together"
    for kind, title in KINDS.items():
        found = _worst([one for one in faults if one.kind == kind])
        if found:
            yield ""
            yield f"worst {title}"
        for one in found[:worst]:
            yield f"  seed {one.seed}: {one.entry}: said {one.said:,.2f}, true {one.true:,.2f}"
            if one.note:
                yield f"    {one.note}"
    left_out = sorted({name for one in outcomes for name in one.left_out})
    yield ""
    yield f"not in the bill, no price: {'; '.join(left_out)}"


def _worst(faults: Sequence[Example]) -> list[Example]:
    """Return the worst of each entry first; of sums, of each project."""
    best: dict[tuple[int, str], Example] = {}
    for one in sorted(faults, key=lambda one: one.weight):
        best[one.seed, "" if one.kind == "off" else one.entry] = one
    return sorted(best.values(), key=lambda one: -one.weight)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--projects", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first project")
    parser.add_argument("--vms", type=int, help="machines (30 to 400, by seed)")
    parser.add_argument("--worst", type=int, default=3, help="examples of each kind")
    parser.add_argument("--keep", type=Path, help="leave projects and reports in this new folder")
    parser.add_argument("--json", type=Path, help="write all examples there")
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        print(
            "left out: the price tables are not beside this checkout (NETPLAN_TEST_DATA)",
            file=sys.stderr,
        )
        return 1
    prices, caps = Prices(folder), Caps(folder)
    outcomes = []
    for seed in range(options.seed, options.seed + options.projects):
        one = tried(seed, prices, caps, options.vms, options.keep)
        outcomes.append(one)
        print(
            f"seed {seed}: {one.machines} machines, {one.before:,.2f} a month;"
            f" {len(one.entries)} entries said {one.said:,.2f}, saved {one.saved:,.2f};"
            f" {one.right} of {one.sums} right",
            file=sys.stderr,
            flush=True,
        )
    for line in figures(outcomes, options.worst):
        print(line)
    if options.json:
        found = [fault._asdict() for one in outcomes for fault in one.faults]
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
