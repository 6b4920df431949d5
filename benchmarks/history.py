"""How often `netplan history` names the change that was made, beside a threshold on daily totals.

    python benchmarks/history.py --first 0 --count 50

Each seed has one world a kind of change, and one without. *On day 2*: what is answered once two
days of the new level were recorded. The rival compares a day's total with the same weekdays of four
weeks and, above its limit, names the pair whose cost rose most: its group is right if it is the
changed one. A step that no change explains is a false alarm.
"""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from statistics import mean, pstdev

from history_worlds import DAYS, FIRST_DAY, KINDS, Truth, world_of
from netplan_planner.planning.run_record import RunPair, RunRecord
from netplan_planner.verbs.history.answer import Step
from netplan_planner.verbs.history.run import steps_of

NEAR_DAYS = 2
WARM_UP = 28
"""Days before which the rival, which needs four weeks, is not asked."""
DAYS_PER_MONTH = 30
LIMITS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Of the rival: shares of the usual total; the script shows each."""


def is_near(step: Step, truth: Truth) -> bool:
    """Return whether a step is dated within two days of the change."""
    return abs((step.day - (FIRST_DAY + timedelta(days=truth.day))).days) <= NEAR_DAYS


def is_right(step: Step, truth: Truth) -> bool:
    """Return whether the first answer is the change: its kind and its group."""
    first = step.causes[0]
    return first.kind.value == truth.kind and first.name == truth.name


def rival(runs: Sequence[RunRecord], limit: float) -> list[tuple[int, str]]:
    """Return the days whose total is above a limit, with the group of the pair that rose most."""
    totals = [float(run.bill.traffic_usd or 0) for run in runs]
    found: list[tuple[int, str]] = []
    for day in range(WARM_UP, len(runs)):
        usual = mean(totals[day - 7 * week] for week in range(1, 5))
        if abs(totals[day] / usual - 1) <= limit:
            continue
        if found and day - found[-1][0] <= 7:
            # One alarm a week: the new level is not yet the usual one.
            continue
        before = {(one.src, one.dst): float(one.usd_per_month) for one in runs[day - 7].dear_pairs}
        risen = max(runs[day].dear_pairs, key=partial(_moved, before))
        found.append((day, f"{risen.src_group},{risen.dst_group}"))
    return found


def _moved(before: Mapping[tuple[str, str], float], one: RunPair) -> float:
    return abs(float(one.usd_per_month) - before.get((one.src, one.dst), 0.0))


def main() -> None:
    """Print the table of both."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--first", type=int, default=0)
    asked.add_argument("--count", type=int, default=50)
    asked.add_argument("--verbose", action="store_true")
    options = asked.parse_args()
    seeds = range(options.first, options.first + options.count)
    counts: Counter[str] = Counter()
    rivals: Counter[tuple[float, str]] = Counter()
    false_alarms, months, sizes = 0, 0.0, []
    for seed in seeds:
        for kind in (*KINDS, None):
            world, runs = world_of(seed, kind)
            truth = world.truth
            steps = list(steps_of(runs))
            others = [one for one in steps if truth is None or not is_near(one, truth)]
            false_alarms += len(others)
            months += DAYS / DAYS_PER_MONTH
            for limit in LIMITS:
                alarms = rival(runs, limit)
                near = [one for one in alarms if truth and 0 <= one[0] - truth.day <= 1]
                rivals[limit, "false"] += len(alarms) - len(near)
                if truth and near and truth.name in near[0][1].split(","):
                    rivals[limit, truth.kind] += 1
            if truth is None:
                continue
            counts[f"{kind} all"] += 1
            before, after = (
                float(runs[at].bill.traffic_usd or 0) for at in (truth.day - 7, truth.day)
            )
            sizes.append(abs(after / before - 1))
            early = [one for one in steps_of(runs[: truth.day + 2]) if is_near(one, truth)]
            late = [one for one in steps if is_near(one, truth)]
            counts[f"{kind} seen on day 2"] += bool(early)
            counts[f"{kind} right on day 2"] += any(is_right(one, truth) for one in early)
            counts[f"{kind} right in three"] += any(
                (cause.kind.value, cause.name) == (truth.kind, truth.name)
                for one in early
                for cause in one.causes[:3]
            )
            counts[f"{kind} seen later"] += bool(late)
            counts[f"{kind} right later"] += any(is_right(one, truth) for one in late)
            if options.verbose and not any(is_right(one, truth) for one in early):
                told = [(c.kind.value, c.name, c.share_ratio) for one in early for c in one.causes]
                print(seed, truth, f"{before:,.0f} -> {after:,.0f}", told)
    print(
        f"seeds {seeds.start}-{seeds.stop - 1}; a day's total moves by"
        f" {mean(sizes):.0%} (sd {pstdev(sizes):.0%}) against the week before"
    )
    names = ("seen on day 2", "right on day 2", "right in three", "seen later", "right later")
    print("| change |", " | ".join(names), "| worlds |")
    for kind in KINDS:
        cells = [counts[f"{kind} {name}"] for name in names]
        print(f"| {kind} |", " | ".join(map(str, cells)), f"| {counts[f'{kind} all']} |")
    for name in names:
        right = sum(counts[f"{kind} {name}"] for kind in KINDS)
        print(f"{name}: {right} of {len(seeds) * len(KINDS)}")
    print(f"false alarms a month: {false_alarms / months:.2f} ({false_alarms} in {months:.0f})")
    rival_months = len(seeds) * (len(KINDS) + 1) * (DAYS - WARM_UP) / DAYS_PER_MONTH
    for limit in LIMITS:
        by_kind = [rivals[limit, kind] for kind in KINDS]
        print(
            f"rival at {limit:.0%}: right {sum(by_kind)} {by_kind},"
            f" false alarms a month {rivals[limit, 'false'] / rival_months:.2f}"
        )


if __name__ == "__main__":
    main()
