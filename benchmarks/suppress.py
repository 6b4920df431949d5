"""An ignore file of growing length beside many findings, and a rival that tries entry by entry.

    python benchmarks/suppress.py [--entries 100 1000 10000] [--findings 10000]

Entries name machines whole, by a glob over the end of their path, and by one with a wildcard in
the middle, of rules and of areas in turn; the tenth part of them suppresses something. The rival
holds each finding against each entry by `fnmatch`, as the file's documentation says it; it gets as
many findings as take it a second. Both must name the same entry for all that it gets. Seconds are
of the CPU, in one process; the exponent is the slope between the shortest and the longest file.
"""

import argparse
import tempfile
import time
from fnmatch import fnmatchcase
from math import log
from pathlib import Path

from growth_worlds import machines_and_pairs
from netplan_planner.judging.suppressions import Suppression, Suppressions, read_suppressions
from netplan_planner.model import Facts, Hit
from netplan_rules.base import Check
from netplan_rules.registry import all_rules

GLOBS = (
    "projects/growth/zones/us-central1-a/instances/vm{:07d}x",
    "instances/vm{:07d}*",
    "projects/growth/zones/*/instances/vm{:07d}?",
)
SHARE_THAT_MATCHES = 10
RIVAL_SECONDS = 1.0
Finding = tuple[Check, Hit]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--findings", type=int, default=10_000)
    options = parser.parse_args()
    facts = machines_and_pairs(options.findings)
    findings = _findings(facts)
    seconds = []
    for entry_count in options.entries:
        found, cost = _netplan(entry_count, facts, findings)
        seconds.append(cost)
        rival_cost, tried = _rival(found, findings)
        print(
            f"{entry_count:>7,} entries: {cost:6.2f} s for {len(findings):,} findings;"
            f" one by one {rival_cost:8.2f} s (of {tried:,} findings):"
            f" {rival_cost / cost:,.0f} times"
        )
    if len(seconds) > 1:
        slope = log(seconds[-1] / seconds[0]) / log(options.entries[-1] / options.entries[0])
        print(f"exponent {slope:.2f}")


def _findings(facts: Facts) -> list[Finding]:
    """Return a finding on each machine and the next one, of all rules in turn."""
    checks, machines = all_rules(), facts.inventory.instances
    return [
        (
            checks[n % len(checks)],
            Hit(resources=(one.ref, machines[n - 1].ref), subject=one.name, message=""),
        )
        for n, one in enumerate(machines)
    ]


def _text(entry_count: int, machine_count: int) -> str:
    checks = all_rules()
    lines = []
    for n in range(entry_count):
        machine = n if n % SHARE_THAT_MATCHES == 0 else n + machine_count
        check = checks[n % len(checks)]
        rule = check.rule.id if n % 2 else check.area
        glob = GLOBS[n % len(GLOBS)].format(machine)
        lines.append(f'[[ignore]]\nrule = "{rule}"\nresource = "{glob}"\nreason = "known"\n')
    return "\n".join(lines)


def _netplan(entry_count: int, facts: Facts, findings: list[Finding]) -> tuple[Suppressions, float]:
    """Return the suppressions, and what reading them and holding all findings to them takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ignore.toml"
        path.write_text(_text(entry_count, len(findings)), encoding="utf-8")
        start = time.process_time()
        found = read_suppressions(path, facts)
        for check, hit in findings:
            found.find(check, hit)
        return found, time.process_time() - start


def _rival(found: Suppressions, findings: list[Finding]) -> tuple[float, int]:
    """Return what all findings would take one by one, and how many of them it was measured on."""
    start = time.process_time()
    tried = 0
    for check, hit in findings:
        tried += 1
        theirs = next((each for each in found.active if _covers(each, check, hit)), None)
        if theirs != found.find(check, hit):
            raise SystemExit(f"they differ on {hit.subject}: {theirs}")
        if time.process_time() - start > RIVAL_SECONDS:
            break
    return (time.process_time() - start) / tried * len(findings), tried


def _covers(entry: Suppression, check: Check, hit: Hit) -> bool:
    return entry.rule in {check.rule.id, *check.rule.aliases, check.area} and any(
        fnmatchcase(ref.self_link, entry.resource)
        or fnmatchcase(ref.self_link, f"*/{entry.resource}")
        for ref in hit.resources
    )


if __name__ == "__main__":
    main()
