"""Which rule for interval factors: all that were tried, and a choice that never saw its campaign.

    python benchmarks/interval_rules.py MEASUREMENTS.csv … [--teacher CAMPAIGN] [--markdown]

A rule makes the factors of a place from how far the rows of campaigns lie out (`goodput.conformal`;
one way below 0.9, one from there on). Each is scored on each campaign with ten rows or more, fitted
on the others: the interval score over that of the best single ratio in hindsight, as a geometric
mean over campaigns. Then the choice is nested: for each campaign the rule is taken that scores best
on all others, fitted without both, and is scored on the one that had no say. Rules that narrow
measured bounds from 0.9 on are shown and may not be taken: figures that set the bounds would lie
outside. `--teacher` shows what one campaign teaches the others: their scores with the rule that
ships, fitted without it and with it. Nothing depends on time.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from accuracy import AS_OF, LEVELS, joined
from netplan_planner.planning.table_kinds import TableKinds, read_kinds
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput.batch import spread_columns
from netplan_planner.throughput.goodput import conformal
from netplan_planner.throughput.goodput.conformal import BOUNDS_HOLD, PHYSICAL, Scores, usable
from netplan_planner.throughput.goodput.intervals import PLACES, Factors, Spread, interval
from netplan_planner.throughput.limits.tables import campaigns_with_figures

LEAST_ROWS = 10
_RATIOS_TRIED = 201

Floats = NDArray[np.float64]
Ends = tuple[float, float]
Rule = Callable[[list[Scores], float], Ends]


def quantile(parts: Sequence[Floats], level: float) -> float:
    """Return the quantile over campaigns of one weight; at infinity the physical bound."""
    found = conformal.quantile(parts, level)
    return found if np.isfinite(found) else PHYSICAL


def either(parts: list[Scores]) -> list[Floats]:
    """Return how far rows lie out at the end where they lie farther out."""
    return [np.maximum(one.below, one.above) for one in parts]


def alike(distances: list[Floats], level: float) -> Ends:
    """Return one factor for both ends."""
    both = quantile(distances, level) if distances else PHYSICAL
    return both, both


def each(parts: list[Scores], level: float) -> Ends:
    """Return a factor for each end, a quantile over the campaigns."""
    side = 0.5 + level / 2
    below = quantile([one.below for one in parts], side)
    return below, quantile([one.above for one in parts], side)


def bounds(_: list[Scores], __: float) -> Ends:
    """Return physical bounds."""
    return PHYSICAL, PHYSICAL


def farthest(parts: list[Scores], level: float) -> Ends:
    """Each end as the campaign farthest out has it, with a share for one that lies farther."""
    if len(parts) < 2:
        return PHYSICAL, PHYSICAL
    level += (1 - level) / (2 * (len(parts) + 1))
    ends = [each([one], level) for one in parts]
    below, above = (max(side) or PHYSICAL for side in zip(*ends, strict=True))
    return below, above


def at_infinity(parts: list[Scores], level: float) -> Ends:
    """Return them with an unseen campaign at infinity, both ends alike."""
    return alike([*either(parts), np.array([np.inf])], level)


def none_unseen(parts: list[Scores], level: float) -> Ends:
    """Return them without an unseen campaign, both ends alike."""
    return alike(either(parts), level)


def physics_alike(parts: list[Scores], level: float) -> Ends:
    """Return them with an unseen campaign that is all physics, both ends alike."""
    steps = (np.arange(1000) + 1) / 1000
    unseen = np.where(steps > BOUNDS_HOLD, np.inf, steps / BOUNDS_HOLD)
    return alike([*either(parts), unseen], level)


def physics_each(parts: list[Scores], level: float) -> Ends:
    """Return the same, each end by itself: the rule that ships, below 0.9."""
    return conformal.ends(parts, level)


def pooled(parts: list[Scores], level: float) -> Ends:
    """Return them from all rows of one weight, whatever their campaign."""
    return alike([np.concatenate(either(parts))] if parts else [], level)


def of_quantiles(parts: list[Scores], level: float) -> Ends:
    """Return the conformal rank (of n + 1) among the campaigns' own quantiles."""
    own = sorted(quantile([one], level) for one in either(parts))
    rank = int(np.ceil((len(own) + 1) * level))
    both = own[rank - 1] if rank <= len(own) else max([PHYSICAL, *own])
    return both, both


def student(parts: list[Scores], level: float) -> Ends:
    """Student's interval of the next campaign's own quantile, no wider than what was seen."""
    own = np.array([quantile([one], level) for one in either(parts)])
    if len(own) < 2:
        return PHYSICAL, PHYSICAL
    spread = stats.t.ppf(level, len(own) - 1) * own.std(ddof=1) * np.sqrt(1 + 1 / len(own))
    both = float(min(own.mean() + spread, max(PHYSICAL, own.max())))
    return both, both


def told_by_two(rule: Rule) -> Rule:
    """Return a rule that leaves physical bounds where fewer than two campaigns tell."""
    return lambda parts, level: rule(parts, level) if len(parts) > 1 else (PHYSICAL, PHYSICAL)


def outwards(rule: Rule) -> Rule:
    """Return the same, which never narrows them."""

    def widened(parts: list[Scores], level: float) -> Ends:
        below, above = told_by_two(rule)(parts, level)
        return max(PHYSICAL, below), max(PHYSICAL, above)

    return widened


WIDER = outwards(none_unseen)
SHIPS = "**an unseen one of physics, each end by itself**"
RULES: Mapping[str, tuple[Rule, Rule]] = {
    "physical bounds": (bounds, bounds),
    "the farthest campaign (until 2026-11-28)": (farthest, outwards(each)),
    "an unseen campaign at infinity": (at_infinity, WIDER),
    "an unseen one of physics, both ends alike (2026-11-28)": (physics_alike, WIDER),
    "an unseen one of physics, each end by itself, wider by each end": (
        physics_each,
        outwards(each),
    ),
    SHIPS: (physics_each, WIDER),
    "the conformal rank among campaigns' quantiles": (of_quantiles, outwards(of_quantiles)),
    "Student's interval of the next campaign's quantile": (student, outwards(student)),
}
"""How factors are made below 0.9, and from there on; these leave measured bounds as they are."""
NARROWING: Mapping[str, tuple[Rule, Rule]] = {
    "no unseen campaign": (none_unseen, none_unseen),
    "no unseen campaign, two at least": (told_by_two(none_unseen), told_by_two(none_unseen)),
    "no unseen campaign, each end by itself": (told_by_two(each), told_by_two(each)),
    "all rows alike": (pooled, pooled),
    "physics at every level, both ends alike": (physics_alike, physics_alike),
    "physics below 0.9, both ends alike": (physics_alike, told_by_two(none_unseen)),
    "physics below 0.9, each end by itself": (physics_each, told_by_two(none_unseen)),
    "the same, also from 0.9 on": (physics_each, told_by_two(each)),
}
"""The same of rules that narrow them at 0.9 and above."""
LATER = frozenset(
    {
        SHIPS,
        "no unseen campaign, two at least",
        "no unseen campaign, each end by itself",
        "physics below 0.9, each end by itself",
        "the same, also from 0.9 on",
    }
)
"""Rules that were added after a first choice among the others."""


class Campaign:
    """Rows of a campaign with senders of Google, predicted without what rests on it."""

    def __init__(self, name: str, kinds: TableKinds, rows: NDArray[np.bool_], value: Floats):
        """Keep the rows that have an answer without the campaign."""
        self._name, self._kinds, self._rows = name, kinds, rows.copy()
        self._rows[rows] = ~np.isnan(self._spread(frozenset({name})).means.gbps)
        self.row_count = int(self._rows.sum())
        self.value_gbps = value[self._rows]
        self._scores: dict[frozenset[str], Scores] = {}
        if self.row_count:
            self.spread = self._spread(frozenset({name}))
            self.single_scores = _singles(self.spread, self.value_gbps)

    def scores(self, *others: str) -> Scores:
        """Return how far its rows lie out, without what rests on it or on some others."""
        left_out = campaigns_with_figures().intersection((self._name, *others))
        if left_out not in self._scores:
            spread = self._spread(left_out)
            every = ~np.isnan(spread.means.gbps)
            found = conformal.scores(self._name, spread, every, self.value_gbps[every])
            self._scores[left_out] = found
        return self._scores[left_out]

    def _spread(self, left_out: frozenset[str]) -> Spread:
        return spread_columns(*self._kinds.of_rows(self._rows, left_out))


def interval_score(value: Floats, ends: tuple[Floats, Floats], level: float) -> float:
    """Return the mean interval score in Gbit/s (Gneiting and Raftery, 2007)."""
    missed = np.maximum(ends[0] - value, 0.0) + np.maximum(value - ends[1], 0.0)
    return float((ends[1] - ends[0] + 2 / (1 - level) * missed).mean())


def campaigns(path: Path) -> dict[str, Campaign]:
    """Return the campaigns of a table that have enough rows with an answer."""
    with PathTable(path) as table:
        names, which = table.texts("source")
        value = table.values_gbps()
        kinds = read_kinds(table, as_of=AS_OF)
    is_own = np.array([kind.src.cloud == "gcp" for kind in kinds.kinds])
    usable_rows = is_own[kinds.columns.kind] & (value > 0)
    found = {
        name: Campaign(name, kinds, (which == number) & usable_rows, value)
        for number, name in enumerate(names)
        if name not in conformal.CONSTANTS_ONLY
    }
    return {name: one for name, one in found.items() if one.row_count >= LEAST_ROWS}


def _singles(spread: Spread, value: Floats) -> Floats:
    mean = spread.means.gbps
    off = np.abs(np.log(value / mean))
    ratios = np.exp(np.unique(np.quantile(off, np.linspace(0, 1, _RATIOS_TRIED))))
    return np.array(
        [
            min(interval_score(value, (mean / one, mean * one), level) for one in ratios)
            for level in LEVELS
        ]
    )


class Judge:
    """Log scores of rules on campaigns, each worked out once."""

    def __init__(self, found: dict[str, Campaign], rules: Mapping[str, tuple[Rule, Rule]]) -> None:
        self._found, self._rules = found, rules
        self._known: dict[tuple[str, str, str], Floats] = {}

    def of(self, rule: str, name: str, also_without: str = "") -> Floats:
        """Return log scores over the best single ratio, by level, fitted without the campaign."""
        key = (rule, name, also_without)
        if key not in self._known:
            left = [
                one.scores(name, also_without)
                for other, one in self._found.items()
                if other not in (name, also_without)
            ]
            self._known[key] = self._scored(rule, self._found[name], left)
        return self._known[key]

    def mean(self, rule: str, without: str = "") -> Floats:
        """Return the mean over all campaigns, or over the others of one that has no say."""
        names = [name for name in self._found if name != without]
        return np.asarray(np.mean([self.of(rule, name, without) for name in names], axis=0))

    def chosen(self, names: Sequence[str], without: str) -> str:
        """Return the rule that scores best on the others of a campaign, over all levels."""
        return min(names, key=lambda rule: float(self.mean(rule, without).mean()))

    def _scored(self, rule: str, one: Campaign, left: list[Scores]) -> Floats:
        low, high = self._rules[rule]
        before = np.zeros((2, len(PLACES)))
        found = []
        for level, single in zip(LEVELS, one.single_scores, strict=True):
            made = low if level < BOUNDS_HOLD else high
            ends = [made(usable(left, place), level) for place in range(len(PLACES))]
            before = np.maximum(before, np.array(ends).T)
            ends_gbps = interval(one.spread, Factors(*before))
            found.append(np.log(interval_score(one.value_gbps, ends_gbps, level) / single))
        return np.array(found)


def figures(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield a row for each rule, then those of the nested choices."""
    found = campaigns(path)
    judge = Judge(found, {**RULES, **NARROWING})
    yield ("rule", *(f"{level:g}" for level in LEVELS), "all", "taken, of", "taken of all, of")
    every = [*RULES, *NARROWING]
    groups = (list(RULES), every, [rule for rule in every if rule not in LATER])
    taken = [{name: judge.chosen(group, name) for name in found} for group in groups]
    for rule in every:
        counts = [sum(one == rule for one in choice.values()) for choice in taken[:2]]
        shown = [f"{count} of {len(found)}" for count in counts]
        shown[0] = shown[0] if rule in RULES else "may not"
        yield (rule, *_scores(judge.mean(rule)), *shown)
    titles = (
        "nested choice",
        "nested choice of all",
        f"nested choice of the first {len(groups[2])}",
    )
    for title, choice in zip(titles, taken, strict=True):
        scored = np.mean([judge.of(rule, name) for name, rule in choice.items()], axis=0)
        yield (title, *_scores(scored), "", "")


def taught(path: Path, teacher: str) -> Iterator[tuple[str, ...]]:
    """Yield the scores of each other campaign, fitted without what one teaches and with it.

    Raises:
        SystemExit: If the table has too few rows of the teacher.
    """
    found = campaigns(path)
    if teacher not in found:
        raise SystemExit(f"{teacher}: too few rows")
    judge = Judge(found, RULES)
    yield ("campaign", *(f"{level:g}" for level in LEVELS), "all")
    for name in found:
        if name != teacher:
            both = (judge.of(SHIPS, name, teacher), judge.of(SHIPS, name))
            pairs = zip(*map(_scores, both), strict=True)
            yield (name, *(" to ".join(pair) for pair in pairs))


def _scores(logs: Floats) -> list[str]:
    return [f"{np.exp(one):.3f}" for one in (*logs, logs.mean())]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("measurements", type=Path, nargs="+")
    parser.add_argument("--teacher")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = joined(asked.measurements, Path(folder) / "all.csv")
        rows = list(taught(path, asked.teacher) if asked.teacher else figures(path))
    if asked.markdown:
        rows.insert(1, tuple("---" for _ in rows[0]))
    for cells in rows:
        print(f"| {' | '.join(cells)} |" if asked.markdown else "  ".join(cells))


if __name__ == "__main__":
    main()
