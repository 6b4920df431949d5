"""A plan carried out: bytes as a fluid along its trees, step by step, at the rates of a given grid.

Shares no code with the planner. In each step a hop passes on, at the pace of its tree, what has
arrived and not been passed on yet; where hops together want more than an edge or a machine lets
through, each gets its part, and the plan is late.
"""

from collections.abc import Mapping

from netplan_planner.verbs.transfer.answer import TransferOption
from netplan_planner.verbs.transfer.ask import TransferNeed

STEPS = 400
Edge = tuple[str, str]


def finished_s(need: TransferNeed, option: TransferOption, gbps: Mapping[Edge, float]) -> float:
    """Return when the last target has all bytes; infinite: long after the plan says."""
    step_s = option.transfer_s / STEPS
    counts = {one.place: one.count for one in option.machines}
    gbit = need.volume_bytes * 8 / 1e9
    trees = [(one.share_ratio * gbit, one.hops) for one in option.routes]
    have = [{need.source: volume} for volume, _ in trees]
    sent: list[dict[Edge, float]] = [dict.fromkeys(hops, 0.0) for _, hops in trees]
    longest = max(len(hops) for _, hops in trees)
    for step in range(1, STEPS + longest + 2):
        want = {
            (tree, hop): min(have[tree].get(hop[0], 0.0) - sent[tree][hop], volume / STEPS)
            for tree, (volume, hops) in enumerate(trees)
            for hop in hops
        }
        for (tree, hop), part in _let_through(want, counts, gbps, step_s).items():
            sent[tree][hop] += part
            have[tree][hop[1]] = have[tree].get(hop[1], 0.0) + part
        got = [sum(one.get(target, 0.0) for one in have) for target in need.targets]
        if min(got) >= gbit * (1 - 1e-9):
            return step * step_s
    return float("inf")


def _let_through(
    want: Mapping[tuple[int, Edge], float],
    counts: Mapping[str, int],
    gbps: Mapping[Edge, float],
    step_s: float,
) -> dict[tuple[int, Edge], float]:
    """Return what passes in one step, within edges and machines, each hop in proportion."""
    part = dict(want)
    groups: list[tuple[list[tuple[int, Edge]], float]] = []
    for edge in {hop for _, hop in want}:
        most = gbps[edge] * min(counts[edge[0]], counts[edge[1]])
        groups.append(([key for key in want if key[1] == edge], most))
    for side in (0, 1):
        for place in {hop[side] for _, hop in want}:
            most = max(rate for edge, rate in gbps.items() if edge[side] == place) * counts[place]
            groups.append(([key for key in want if key[1][side] == place], most))
    for keys, most in groups:
        total = sum(part[key] for key in keys)
        if total > most * step_s:
            for key in keys:
                part[key] *= most * step_s / total
    return part
