"""What a plan of probes promises, beside what its calibration delivers: fleets of real rows.

    python benchmarks/promised_probes.py MEASUREMENTS.csv [--fleet NAME …] [--paths 120]
        [--seeds 20] [--markdown]

A fleet is drawn with a pinned seed from rows of a published campaign with a sender on Google; of
two whose receivers had different images, half of it from each, between Google's regions. Its truth
is known. Probes are those of the plan that `netplan probe plan` makes, ten that are picked by what
they are expected to tell, and ten at random (the mean over pinned seeds). Expected is the half
width that the plan states for all paths after it, in the mean, and promised the one that it states
for nine of ten cases at most; delivered is that of the intervals under the calibration by those
very rows, and the share of the others inside. Constants that rest on the first campaign of a fleet
are left out; nothing depends on time.
"""

import argparse
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from netplan_planner.model import Instance, PathQuery, ResourceRef
from netplan_planner.model.base import ProjectId, SelfLink, Zone
from netplan_planner.throughput import load_caps, predict
from netplan_planner.throughput.calibration.learning.calibration import calibrate
from netplan_planner.throughput.goodput.intervals import factors_at, interval
from netplan_planner.verbs.probe.answer import (
    Probe,
    ProbeCost,
    ProbeFlow,
    ProbePath,
    ProbeWay,
    half_width_of,
)
from netplan_planner.verbs.probe.choice import ProbeCaps, choose_probes
from netplan_planner.verbs.probe.forecast import ProbeRules
from netplan_planner.verbs.probe.information import (
    limit_shares,
    width_and_reach,
    width_others_leave,
)
from netplan_planner.verbs.probe.promise import promised
from replay_probes import LEVEL, Rows, World, informative, predicted, world

FLEETS = (
    "cloudpilot-2021+doit-intercloud-2022-02",
    "cloudpilot-2021",
    "doit-intercloud-2022-02",
    "skyplane-grid-2022-01-24",
    "skyplane-grid-2022-01-29",
    "skyplane-gcp-2022-04-20",
)
COUNT = 10
"""Probes."""
RULES = ProbeRules(ways=(), min_runs=1, max_runs=1, tolerance_ratio=0.1)
"""A row is one run; the tolerance is that of `netplan probe plan`."""


class Outcome(NamedTuple):
    """After some probes: the median error of the other rows, widths, and what is inside."""

    error_ratio: float
    expected_log_width: float
    most_log_width: float
    delivered_log_width: float
    inside_ratio: float


def drawn(one: World, count: int, seed: int) -> World:
    """Return some rows of a world, as many of each image of its receivers."""
    measured = one.measured
    images = np.array([kind.dst.set_up.image or "" for kind in measured.kinds])
    image = images[measured.columns.kind]
    random = np.random.default_rng(seed)
    names = np.unique(image)
    parts = [random.permutation(np.flatnonzero(image == name)) for name in names]
    rows = np.sort(np.concatenate([part[: count // len(names)] for part in parts]))
    return one._replace(measured=measured.rows(rows))


def probes_of(one: World) -> list[Probe]:
    """Return each row as a path that may be probed; all cost the same."""
    caps = load_caps(one.as_of)
    columns = one.measured.columns
    found = []
    for row, kind in enumerate(columns.kind.tolist()):
        query = replace(
            _with_places(one, row, one.measured.kinds[kind]),
            streams=int(columns.streams[row]),
            rtt_ms=float(columns.rtt_ms[row]),
            duration_s=float(columns.duration_s[row]),
            omit_s=float(columns.omit_s[row]),
            is_sender_count=bool(columns.is_sender_count[row]),
        )
        estimate = predict(query, caps, may_assume=True, weigh=True)
        server = _machine(f"receiver-{row}", query)
        width, reach = width_and_reach(estimate, None)
        flow = ProbeFlow(
            way=ProbeWay.FORWARD,
            is_back=False,
            estimate=estimate,
            log_width=width,
            informative_ratio=reach,
            shares=limit_shares(query, estimate),
            shared_log_width=width_others_leave(query, caps),
        )
        found.append(_probe(row, query, flow, server))
    return found


def _with_places(one: World, row: int, kind: PathQuery) -> PathQuery:
    """Return a kind of path between the places of a row."""
    if one.measured.pair[row] < 0:
        return kind
    ends = one.measured.pairs[one.measured.pair[row]].removeprefix(f"{kind.path_class} ")
    src, dst = (end.partition(":")[2] for end in ends.split(" > "))
    return replace(kind, src=replace(kind.src, zone=src), dst=replace(kind.dst, zone=dst))


def _probe(row: int, query: PathQuery, flow: ProbeFlow, server: Instance) -> Probe:
    cost = ProbeCost(
        runs=1,
        seconds=1.0,
        gib=Decimal(1),
        usd=Decimal(1),
        line_items=(),
        vm_seconds=2.0,
        vm_usd_in_ranking=Decimal(0),
    )
    path = ProbePath(
        name=str(row),
        client=_machine(f"sender-{row}", query),
        server=server,
        path_class=query.path_class,
        address="192.0.2.1",
        there=query,
        back=query,
    )
    return Probe(path=path, streams=query.streams or 1, flows=(flow,), expected=cost, most=cost)


def _machine(name: str, query: PathQuery) -> Instance:
    zone = query.src.zone or "us-central1-a"
    link = SelfLink(f"projects/p/zones/{zone}/instances/{name}")
    return Instance(
        ref=ResourceRef(self_link=link, source="measurements"),
        project=ProjectId("p"),
        zone=Zone(zone),
        name=name,
        machine_type=query.src.machine_type or "",
        status="RUNNING",
        interfaces=(),
    )


def outcome(one: World, probes: Sequence[Probe], picked: Rows) -> Outcome:
    """Return what some probes promise, and what they deliver."""
    caps = load_caps(one.as_of)
    promise = promised(probes, [probes[row] for row in picked], caps, RULES)
    measured = one.measured
    learnt = calibrate(measured.rows(np.sort(picked)), as_of=one.as_of) if len(picked) else None
    spread = predicted(one, np.arange(len(probes)), learnt)
    low, high = interval(spread, factors_at(LEVEL))
    rest = np.setdiff1d(np.arange(len(probes)), picked)
    value = measured.gbps
    inside = (low <= value) & (value <= high)
    return Outcome(
        float(np.median(np.abs(spread.means.gbps[rest] / value[rest] - 1))),
        sum(map(sum, promise.by_probe)) / len(probes),
        promise.most / len(probes),
        float(np.log(high / low).mean()),
        float(inside[rest].mean()),
    )


def planned(probes: Sequence[Probe], as_of: date) -> Rows:
    """Return the rows that a plan measures, ten at most."""
    limits = ProbeCaps(max_seconds=COUNT)
    chosen = choose_probes(probes, rules=RULES, caps=limits, known=load_caps(as_of)).probes
    return np.array([int(one.probe.path.name) for one in chosen], dtype=np.intp)


def at_random(one: World, probes: Sequence[Probe], seeds: int) -> Outcome:
    """Return the mean outcome of ten probes picked at random."""
    size = len(probes)
    picks = [np.random.default_rng(seed).permutation(size)[:COUNT] for seed in range(seeds)]
    return Outcome._make(np.mean([outcome(one, probes, pick) for pick in picks], axis=0).tolist())


def figures(path: Path, fleet: str, count: int, seeds: int) -> Iterator[tuple[str, ...]]:
    """Yield a row for no probes, for ten random ones, and for a plan."""
    whole = world(path, fleet, ())
    if whole is None:
        raise SystemExit(f"{fleet}: too few rows")
    one = drawn(whole, count, 0)
    probes = probes_of(one)
    plan, ten = planned(probes, one.as_of), informative(one, COUNT)
    ways = (
        ("none", 0, outcome(one, probes, np.array([], dtype=np.intp))),
        ("random", COUNT, at_random(one, probes, seeds)),
        ("plan", len(plan), outcome(one, probes, plan)),
        ("informative", len(ten), outcome(one, probes, ten)),
    )
    for name, size, found in ways:
        yield (
            fleet,
            f"{len(probes)}",
            name,
            f"{size}",
            f"{100 * found.error_ratio:.1f} %",
            f"{half_width_of(found.expected_log_width):.3f}",
            f"{half_width_of(found.most_log_width):.3f}",
            f"{half_width_of(found.delivered_log_width):.3f}",
            f"{100 * found.inside_ratio:.0f} %",
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("measurements", type=Path)
    parser.add_argument("--fleet", action="append")
    parser.add_argument("--paths", type=int, default=120)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    titles = ("fleet", "paths", "picked", "probes", "median error")
    widths = ("half width expected", "promised at most", "delivered", "inside")
    rows: list[tuple[str, ...]] = [(*titles, *widths)]
    for fleet in asked.fleet or FLEETS:
        rows += figures(asked.measurements, fleet, asked.paths, asked.seeds)
    if asked.markdown:
        rows.insert(1, tuple("---" for _ in rows[0]))
    for cells in rows:
        print(f"| {' | '.join(cells)} |" if asked.markdown else "  ".join(cells))


if __name__ == "__main__":
    main()
