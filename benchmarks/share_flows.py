"""Max-min fair rates of a million flows, beside two rivals that compute the same.

    python benchmarks/share_flows.py [--flows 1000000] [--vms 10000] [--repeat 3]
    python benchmarks/share_flows.py --scaling 100000 1000000 10000000

The rivals are in this file, without a compiler as netplan is. `heap`: a priority queue of links
whose keys may be out of date, one link at a time, with heapq and NumPy. `textbook`: progressive
filling, one level a round over all flows with NumPy; on a hundredth of the flows, for it takes
their square. Rates that differ by more than 1e-9 of a rate end the run.

Traffic is made from a pinned seed: each VM has an egress cap, one for external addresses and one of
ingress; 30 % of the flows go to external addresses; both ends are drawn by popularity, so that a
few VMs have ten thousand flows. `demands`: most flows want little; `elastic`: all want everything.
Every run is a process of its own; the time is that of the call alone, the peak that of the process.
"""

import argparse
import heapq
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netplan_planner.throughput.sharing.rates import fair_rates

HERE = Path(__file__)
SEED = 5
TEXTBOOK_PART = 100
SAME_RATE = 1e-9
EXTERNAL_RATIO = 0.3
FLOW_GBPS, EXTERNAL_FLOW_GBPS = 12.0, 3.0
SHAPES = ("demands", "elastic")
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Run = dict[str, Any]


class Traffic(NamedTuple):
    """Flows over the links of VMs: egress, external egress and ingress of each."""

    capacity_gbps: Floats
    links: Ints
    bound_gbps: Floats


def traffic(flow_count: int, vm_count: int, shape: str) -> Traffic:
    """Return made traffic; the same arguments give the same."""
    chance = np.random.default_rng(SEED)
    egress = chance.choice([1.0, 2, 4, 8, 10, 16, 32, 50, 100], vm_count)
    external = np.minimum(egress, chance.choice([1.0, 3, 7, 25], vm_count))
    ingress = chance.permutation(egress) * chance.uniform(0.8, 1.2, vm_count)
    popularity = 1 / np.arange(1, vm_count + 1) ** 0.8
    popularity /= popularity.sum()
    src, dst = (
        chance.permutation(vm_count)[chance.choice(vm_count, flow_count, p=popularity)]
        for _ in range(2)
    )
    is_external = chance.random(flow_count) < EXTERNAL_RATIO
    links = np.stack((src, np.where(is_external, vm_count + src, -1), 2 * vm_count + dst), axis=1)
    if shape == "elastic":
        bound = np.full(flow_count, np.inf)
    else:
        bound = np.where(is_external, EXTERNAL_FLOW_GBPS, FLOW_GBPS)
        bound = np.minimum(bound, chance.lognormal(-3, 2, flow_count))
    return Traffic(np.concatenate((egress, external, ingress)), links, bound)


def netplan(asked: Traffic) -> Floats:
    """Return netplan's rates."""
    return fair_rates(**asked._asdict()).gbps


def textbook(asked: Traffic) -> Floats:
    """Return the rates by progressive filling: the next level, then all flows that stop there."""
    none = asked.capacity_gbps.size
    rows = np.where(asked.links < 0, none, asked.links)
    left = np.append(asked.capacity_gbps, np.inf)
    gbps = np.zeros(len(rows))
    still = np.arange(len(rows))
    while still.size:
        count = np.bincount(rows[still].ravel(), minlength=none + 1)
        level = np.where(count > 0, left / np.maximum(count, 1), np.inf)
        level[none] = np.inf
        reached = np.minimum(level[rows[still]].min(axis=1), asked.bound_gbps[still])
        stops = reached <= reached.min()
        flows = still[stops]
        gbps[flows] = reached.min()
        taken = np.bincount(rows[flows].ravel(), np.repeat(gbps[flows], rows.shape[1]), none + 1)
        left = np.maximum(left - taken, 0)
        still = still[~stops]
    return gbps


def heap(asked: Traffic) -> Floats:
    """Return the rates by a heap of links; a key that turns out too low goes back, corrected.

    Flows are sorted by their bounds: those below the level stop as one slice.
    """
    none = asked.capacity_gbps.size
    order = np.argsort(asked.bound_gbps)
    rows = np.where(asked.links < 0, none, asked.links).take(order, axis=0)
    bound = asked.bound_gbps[order]
    by_link = np.argsort(rows.ravel(), kind="stable")
    members = by_link // rows.shape[1]
    count = np.bincount(rows.ravel(), minlength=none + 1)
    end = np.cumsum(count).tolist()
    left = np.append(asked.capacity_gbps, np.inf)
    gbps, is_open, next_bound = np.zeros(len(rows)), np.ones(len(rows), dtype=np.bool_), 0

    def stop(flows: npt.NDArray[np.intp], rates: Floats) -> None:
        gbps[flows] = rates
        is_open[flows] = False
        touched = rows.take(flows, axis=0).ravel()
        np.subtract.at(left, touched, np.repeat(rates, rows.shape[1]))
        np.subtract.at(count, touched, 1)

    queue = [(left[link] / count[link], link) for link in range(none) if count[link]]
    heapq.heapify(queue)
    while queue:
        _, link = heapq.heappop(queue)
        if not count[link]:
            continue
        level = max(left[link], 0.0) / count[link]
        if queue and level > queue[0][0]:
            heapq.heappush(queue, (level, link))
            continue
        upto = next_bound + int(np.searchsorted(bound[next_bound:], level, side="right"))
        if upto > next_bound:
            flows = next_bound + np.flatnonzero(is_open[next_bound:upto])
            next_bound = upto
            if flows.size:
                stop(flows, bound[flows])
                heapq.heappush(queue, (max(level, left[link] / max(count[link], 1)), link))
                continue
        flows = members[end[link - 1] if link else 0 : end[link]]
        flows = flows[is_open[flows]]
        stop(flows, np.full(flows.size, level))
    rest = np.flatnonzero(is_open)
    gbps[rest] = bound[rest]
    found = np.empty(len(rows))
    found[order] = gbps
    return found


TASKS = {"netplan": netplan, "heap": heap, "textbook": textbook}


def measured(task: str, flows: int, vms: int, shape: str, folder: Path) -> Run:
    """Run a task in a process of its own; return its seconds, peak GiB and rates."""
    rates = folder / "rates.npy"
    command = [sys.executable, str(HERE), "--task", task, "--rates", str(rates)]
    command += ["--flows", str(flows), "--vms", str(vms), "--shape", shape]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{task} failed")
    return {**json.loads(text), "peak_gib": usage.ru_maxrss / 2**20, "rates": np.load(rates)}


def in_turn(rival: str, flows: int, vms: int, shape: str, repeat: int, folder: Path) -> None:
    """Measure netplan and a rival in turn; print both and their ratio."""
    pairs = []
    for _ in range(repeat):
        ours, theirs = (measured(task, flows, vms, shape, folder) for task in ("netplan", rival))
        rates, rival_rates = ours.pop("rates"), theirs.pop("rates")
        difference = np.abs(rates - rival_rates) / np.maximum(rates, 1e-30)
        if not difference.max() <= SAME_RATE:
            raise SystemExit(f"netplan and {rival} differ by {difference.max():g} of a rate")
        pairs.append((ours, theirs))
    print(f"{shape}, {flows:,} flows, {vms:,} VMs, {3 * vms:,} links")
    for runs in zip(*pairs, strict=True):
        print(line(runs[0]["task"], runs))
    ratio = spread([theirs["took_s"] / ours["took_s"] for ours, theirs in pairs], 1)
    print(f"  {rival} / netplan: {ratio} times the time")


def line(name: str, runs: Sequence[Run]) -> str:
    """Return one line of figures."""
    took = spread([run["took_s"] for run in runs], 3)
    return f"  {name:<9} {took} s, peak {max(run['peak_gib'] for run in runs):.2f} GiB"


def spread(values: Sequence[float], digits: int) -> str:
    """Return the median, with the least and the greatest."""
    text = f"{statistics.median(values):.{digits}f}"
    if len(values) == 1:
        return text
    return f"{text} [{min(values):.{digits}f} to {max(values):.{digits}f}]"


def run_task(options: argparse.Namespace) -> None:
    """Compute the rates once, write them, print the time."""
    asked = traffic(options.flows, options.vms, options.shape)
    start = time.perf_counter()
    rates = TASKS[options.task](asked)
    took_s = time.perf_counter() - start
    np.save(options.rates, rates)
    print(json.dumps({"task": options.task, "took_s": took_s}))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--flows", type=int, default=1_000_000)
    parser.add_argument("--vms", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--scaling", type=int, nargs="*", default=[], help="flows; 100 a VM")
    parser.add_argument("--task", choices=tuple(TASKS), help=argparse.SUPPRESS)
    parser.add_argument("--shape", choices=SHAPES, help=argparse.SUPPRESS)
    parser.add_argument("--rates", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        run_task(options)
        return 0
    flows, vms, repeat = options.flows, options.vms, options.repeat
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="netplan-benchmark-") as name:
        folder = Path(name)
        for shape in SHAPES:
            in_turn("heap", flows, vms, shape, repeat, folder)
            few_flows, few_vms = flows // TEXTBOOK_PART, max(1, vms // TEXTBOOK_PART)
            in_turn("textbook", few_flows, few_vms, shape, repeat, folder)
        for count in options.scaling:
            for shape in SHAPES:
                runs = [
                    measured("netplan", count, max(1, count // 100), shape, folder)
                    for _ in range(repeat)
                ]
                print(line(f"{count:,} {shape}", runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
