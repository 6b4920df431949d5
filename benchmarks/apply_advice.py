"""Carries out an audit's "do first" as listed on made projects, and compares it with the bill.

    python benchmarks/apply_advice.py --projects 100 --seed 0

Each project is made from a seed (`advice_worlds.py`) and written as an inventory of the Compute API
with flow logs (`advice_pages.py`). What its months cost before and after is computed by a program
of its own (`advice_truth.py`), which imports nothing of netplan and reads the price tables beside
the checkout (`NETPLAN_TEST_DATA`, default `../shared`). `netplan audit` runs as a process; the
entries of its list are carried out one after another (`advice_follow.py`): the changes of an entry
where it has some, else all places of its finding. Then the logs are made anew and audited again.

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

import advice_pages
import advice_worlds
from advice_follow import (
    Key,
    Step,
    carry_out,
    rule_of,
    steps_of_entry,
    steps_of_finding,
    with_clients,
)
from advice_prices import Prices, data_folder
from advice_state import Cut, Project, cuts, drawn_together, taken_away, without_flows
from advice_truth import bill

NETPLAN = "from netplan_planner.cli import main; main()"
MOST = 10
"""Entries whose sums are judged."""
CENTS = 0.05
"""What rounding may do to an entry."""


class Example(NamedTuple):
    """One fault: where, and what was said."""

    kind: str
    seed: int
    entry: str
    said: float
    true: float
    note: str = ""

    @property
    def weight(self) -> float:
        """How far off it is, in dollars a month."""
        return abs(self.said - self.true)


class Entry(NamedTuple):
    """What one entry of a list said, and what it brought."""

    rule: str
    said: float
    true: float

    @property
    def is_right(self) -> bool:
        """Whether both agree."""
        return agree(self.said, self.true)


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
    faults: tuple[Example, ...]
    left_out: frozenset[str]


KINDS = {
    "off": "cumulative savings off by more",
    "entry": "single entries off by more",
    "loses": "entries that lose money but claim a saving (target 0)",
    "stale": "commands that name a missing resource (target 0)",
    "cut": "used addresses or last internet paths cut (target 0)",
    "together": "replicas moved into fewer zones (target 0)",
    "survives": "changes proposed again after they were made (target 0)",
    "above": "stated totals above the bill (target 0)",
    "refused": "changes that cannot be carried out (target 0)",
}


def agree(said: float, true: float) -> bool:
    """Return whether an amount is within 1 % or $1 of what was said."""
    return abs(true - said) <= max(1.0, 0.01 * abs(said))


def audit(folder: Path) -> dict[str, Any]:
    """Return the report of an audit of a folder's inventory and flow logs.

    Raises:
        SystemExit: If it fails.
    """
    asked = ("audit", "--inventory", "inventory", "--traffic", "flows", "--fail-on", "never")
    done = subprocess.run(
        [sys.executable, "-c", NETPLAN, *asked, "--output", "json:report.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"netplan audit ended with {done.returncode}: {done.stderr[-2000:]}")
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return report


def audited(project: Project, seed: int, keep: Path | None) -> dict[str, Any]:
    """Return the report of a made project, whose files are gone afterwards unless kept."""
    with tempfile.TemporaryDirectory(prefix="advice-") as name:
        folder = keep or Path(name)
        advice_pages.write(project, folder, seed)
        return audit(folder)


class _Follower:
    """Carries out one report, and notes what goes wrong."""

    def __init__(self, seed: int, project: Project, prices: Prices) -> None:
        self.seed, self.prices = seed, prices
        self.project = project
        self.asked: set[Key] = set()
        self.faults: list[Example] = []
        self.entries: list[Entry] = []
        self.steps = 0

    def follow(self, entry: Mapping[str, Any], steps: Sequence[Step]) -> float:
        """Carry out an entry and return what it saves."""
        said = float(entry["saving_usd_per_month"] or 0)
        name = f"{entry['rank']} {rule_of(entry)} ({entry['subject']}, {len(steps)} changes)"
        old = self.project
        problems: list[tuple[str, str]] = []
        for step in steps:
            done = carry_out(self.project, step, self.prices)
            self.project = done.project
            problems += [("stale", command) for command in done.stale]
            if done.refused:
                problems += [("refused", done.refused)] if step.kind or said else []
            else:
                self.asked.add(step.key)
        self.steps += len(steps)
        cut = list(cuts(self.project))
        problems += [("cut", _cut_text(one)) for one in cut]
        problems += [
            ("cut", f"{address}, which {holder} has")
            for address, holder in taken_away(old, self.project)
        ]
        problems += [("together", text) for text in drawn_together(old, self.project)]
        # What was cut is in neither bill: traffic that is lost is no saving.
        gone = {one.at for one in cut}
        before, self.project = without_flows(old, gone), without_flows(self.project, gone)
        true = bill(before, self.prices).total - bill(self.project, self.prices).total
        self.entries.append(Entry(rule_of(entry), said, true))
        if not agree(said, true):
            problems.append(("entry", ""))
        if said > 0 and true < -CENTS:
            problems.append(("loses", ""))
        self.faults += [Example(kind, self.seed, name, said, true, note) for kind, note in problems]
        return true


def _cut_text(cut: Cut) -> str:
    src, dst = cut.flow.src or "the internet", cut.flow.dst or "the internet"
    how_often = ", once a week" if cut.flow.is_weekly else ""
    return f"{src} to {cut.flow.service or dst}{how_often}: {cut.why}"


def tried(seed: int, prices: Prices, vms: int | None = None, keep: Path | None = None) -> Outcome:
    """Return what the project of a seed shows."""
    project = advice_worlds.project(seed, prices, vms)
    report = audited(project, seed, keep and keep / f"seed-{seed}")
    month = bill(project, prices)
    follower = _Follower(seed, project, prices)
    entries = report["do_first"]
    said = saved = 0.0
    right = 0
    for rank, entry in enumerate(entries, start=1):
        steps = with_clients(project, steps_of_entry(entry, report))
        saved += follower.follow(entry, steps)
        said += float(entry["saving_usd_per_month"] or 0)
        is_right = agree(said, saved)
        if rank <= MOST:
            right += is_right
            if not is_right:
                name = f"first {rank}, the last: {rule_of(entry)} ({entry['subject']})"
                follower.faults.append(Example("off", seed, name, said, saved))
    if said > month.total:
        follower.faults.append(Example("above", seed, "all entries", said, month.total))
    asked = _asked(
        follower.project, audited(follower.project, seed, keep and keep / f"seed-{seed}-after")
    )
    follower.faults += [
        Example("survives", seed, " ".join(filter(None, key)), asked[key], 0.0)
        for key in sorted(follower.asked & asked.keys())
    ]
    return Outcome(
        seed=seed,
        machines=len(project.machines),
        before=month.total,
        said=said,
        saved=saved,
        sums=min(len(entries), MOST),
        right=right,
        steps=follower.steps,
        entries=tuple(follower.entries),
        faults=tuple(follower.faults),
        left_out=month.left_out,
    )


def _asked(project: Project, report: Mapping[str, Any]) -> dict[Key, float]:
    """Return what a report asks for, in its list and in its findings, with what all of it saves."""
    found = {
        step.key: float(finding["saving_usd_per_month"])
        for finding in report["findings"]
        if finding["saving_usd_per_month"]
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
    prices = Prices(folder)
    outcomes = []
    for seed in range(options.seed, options.seed + options.projects):
        one = tried(seed, prices, options.vms, options.keep)
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
