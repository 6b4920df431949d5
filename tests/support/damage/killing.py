"""Stops commands at random moments, takes their disk away, runs them twice at once.

    PYTHONPATH=tests python -m support.damage.killing --times 50        (make kills)
    PYTHONPATH=tests python -m support.damage.killing --times 3 --only audit --seed 7

Each command is first run to its end, to know how long it takes and what it writes. Then it is
stopped by each signal at moments that a seed decides. Whatever stopped it: a file that it writes is
as before or whole, nothing is in the folder for temporary files, no iperf3 runs. Only SIGKILL may
leave something; then the same command follows, and must clear it.
"""

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netplan_planner.readers import read_inventory
from support.calibrations import inputs as calibration_inputs
from support.commands.run import ROOTS
from support.damage.examples import GCLOUD
from support.flows.entries import write_entries
from support.prices.inputs import arguments, built, made_skus, write_inputs
from support.prices.skus import COMPUTE, NETWORKING
from support.probes.plans import instance, inventory_file
from support.servers.catalog import CatalogServer
from support.testbed.processes import free_ports, marked, processes

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
OLD = "as it was before\n"
SECONDS = 300
SOON_S = 1.0
"""How long a stopped command may take to end, on a machine that is not busy with others."""
_RUN = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
open(os.environ["NETPLAN_READY_FILE"], "w").close()
del os.environ["NETPLAN_READY_FILE"]
try:
    from netplan_planner.cli import main
except KeyboardInterrupt:
    os._exit(130)  # Nothing of netplan has begun.
main()
"""
"""A process that a test starts may have been told to ignore Ctrl-C; a user's has not."""
_REFUSED = "another refresh is at work"
_KINDS_OF_STATUS = {0, 1, 3, 130}


@dataclass
class Scene:
    """A command, what it writes, and what of that is whole."""

    name: str
    words: Callable[[Path], Sequence[str]]
    """For a folder of its own, with its inputs written there."""
    outputs: tuple[str, ...] = ()
    """Files that are replaced whole."""
    kept: tuple[str, ...] = ()
    """What may lie there besides, as the way to go on with."""
    expected: dict[str, bytes] = field(default_factory=dict)
    took_s: float = 0.0
    faults: list[str] = field(default_factory=list)
    slowest_s: float = 0.0


def _audit(folder: Path) -> Sequence[str]:
    inventory = read_inventory([GCLOUD])
    first, second = (machine.name for machine in inventory.instances[:2])
    flows = [{"src": first, "dst": second, "gbps": 1.0}]
    write_entries(folder / "flows.json", inventory, {"minutes": 400, "flows": flows})
    outputs = [f"--output={form}:{folder / 'out' / name}" for form, name in _REPORTS.items()]
    return [
        *("audit", "--inventory", str(GCLOUD), "--traffic", str(folder / "flows.json")),
        *("--today", "2026-11-20", "--fail-on", "never", "--threads", "1", *outputs),
    ]


_REPORTS = {"json": "a.json", "sarif": "a.sarif", "md": "a.md", "csv": "a.csv", "text": "a.txt"}


def _collect(folder: Path) -> Sequence[str]:
    inventory = read_inventory([GCLOUD])
    first, second = (machine.name for machine in inventory.instances[:2])
    flows = [{"src": first, "dst": second, "gbps": 1.0}]
    write_entries(folder / "flows.json", inventory, {"minutes": 400, "flows": flows})
    return [
        *("collect", "--inventory", str(GCLOUD), "--traffic", str(folder / "flows.json")),
        *("--threads", "1", "--out", str(folder / "out" / "b.tar.zst")),
    ]


def _aggregate(folder: Path) -> Sequence[str]:
    return [
        *("flows", "aggregate", *_collect(folder)[1:-1], str(folder / "out" / "sums")),
    ]


def _build(folder: Path) -> Sequence[str]:
    write_inputs(folder / "in")
    return ["prices", "build", "--out", str(folder / "out"), *arguments(folder / "in")]


def _refresh(server: CatalogServer) -> Callable[[Path], Sequence[str]]:
    def words(folder: Path) -> Sequence[str]:
        base = folder / "base"
        base.mkdir()
        (base / "prices.snapshot").write_bytes(built(folder / "in").content)
        return [
            *("prices", "refresh", "--out", str(folder / "out"), "--base", str(base)),
            *("--api-endpoint", server.url, "--anonymous", "--accept-changes"),
            *("--max-unrecognised", "1"),
        ]

    return words


def _calibrate(folder: Path) -> Sequence[str]:
    store = calibration_inputs.store(
        folder / "runs", [calibration_inputs.record(n, 18 + n % 3) for n in range(40)]
    )
    return ["calibrate", str(store), "--out", str(folder / "out" / "calibration.json")]


def _evaluate(folder: Path) -> Sequence[str]:
    from support.paths.tables import written

    rows = [calibration_inputs.WALL | {"source": f"s{n % 3}"} for n in range(60)]
    table = written(folder / "paths.csv", *rows)
    return ["model", "evaluate", str(table), "--leave-out", "--plot", str(folder / "out/p.svg")]


def _predict(folder: Path) -> Sequence[str]:
    from support.paths.tables import PLAIN, written

    table = written(folder / "paths.csv", *[PLAIN] * 3000)
    return ["predict", "--batch", str(table), "--output", str(folder / "out" / "p.csv")]


def _probe(folder: Path) -> Sequence[str]:
    machines = [instance(name, "127.0.0.1") for name in ("a", "b")]
    inventory = inventory_file(folder / "i.json", *machines)
    first, last = free_ports(20)
    return [
        *("probe", "run", "--inventory", str(inventory), "--pair", "a:b", "--streams", "1"),
        *("--transport", "local", "--local-src", "", "--local-dst", "", "--time-scale", "0.05"),
        *("--min-runs", "2", "--max-runs", "2", "--tolerance", "0.01", "--bitrate", "1"),
        *("--ports", f"{first}-{last}", "--store", str(folder / "out" / "store"), "--yes"),
    ]


@contextlib.contextmanager
def scenes() -> Iterator[list[Scene]]:
    """Yield every command with its server, if it has one."""
    skus = made_skus()
    services = {
        service: [one for one in skus if service in one["name"]]
        for service in (COMPUTE, NETWORKING)
    }
    with CatalogServer(services, page_size=20) as server:
        found = [
            Scene("audit", _audit, tuple(_REPORTS.values())),
            Scene("collect", _collect, ("b.tar.zst",)),
            Scene("aggregate", _aggregate, kept=("sums",)),
            Scene("build", _build, ("prices.snapshot",)),
            Scene("refresh", _refresh(server), ("prices.snapshot",), kept=(".refresh",)),
            Scene("calibrate", _calibrate, ("calibration.json",)),
            Scene("evaluate", _evaluate, ("p.svg",)),
            Scene("predict", _predict, ("p.csv",)),
        ]
        if shutil.which("iperf3") is not None:
            found.append(Scene("probe", _probe, kept=("store",)))
        yield found


class Run:
    """One run of a scene's command in a folder of its own."""

    def __init__(self, scene: Scene, folder: Path, mark: str) -> None:
        self.scene = scene
        self.folder = folder
        self.temporary = folder / "tmp"
        self.out = folder / "out"
        for one in (folder, self.temporary, self.out):
            one.mkdir()
        self.words = [str(word) for word in scene.words(folder)]
        self._mark = mark

    def start(self, *, file_bytes: int | None = None) -> "subprocess.Popen[str]":
        """Start the command, and return when it is about to begin."""
        ready = self.folder / f"ready-{time.monotonic_ns()}"

        def bound() -> None:
            if file_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))

        process = subprocess.Popen(
            [sys.executable, "-c", _RUN, *self.words],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(str, ROOTS)),
                "TMPDIR": str(self.temporary),
                "NETPLAN_READY_FILE": str(ready),
                "MPLCONFIGDIR": str(self.folder),
            },
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=bound,
        )
        while not ready.exists() and process.poll() is None:
            time.sleep(0.001)
        return process

    def finished(self, process: "subprocess.Popen[str]") -> tuple[int, str]:
        """Return the exit status and what was told."""
        _, errors = process.communicate(timeout=SECONDS)
        return process.returncode, errors

    def put_old(self) -> None:
        """Put an older file in the place of each output."""
        for name in self.scene.outputs:
            if name != "prices.snapshot":
                (self.out / name).write_text(OLD)

    def litter(self) -> list[str]:
        """Return what should not be there."""
        allowed = {*self.scene.outputs, *self.scene.kept}
        found = [f"tmp/{path.name}" for path in self.temporary.iterdir()]
        found += [f"out/{path.name}" for path in self.out.iterdir() if path.name not in allowed]
        found += [f"out/{path.parent.name}/{path.name}" for path in self.out.glob("*/.*.new")]
        found += [f"process {line}" for line in processes(self._mark).values()]
        return found

    def half_written(self) -> list[str]:
        """Return the outputs that are neither as before nor whole."""
        return [
            name
            for name, content in self.scene.expected.items()
            if (path := self.out / name).exists()
            and path.read_bytes() not in (content, OLD.encode())
        ]


def learn(scene: Scene, folder: Path, mark: str) -> None:
    """Run a scene to its end, twice: what it writes the same each time must be whole later."""
    contents: list[dict[str, bytes]] = []
    for number in range(2):
        run = Run(scene, folder / f"whole-{number}", mark)
        began = time.monotonic()
        status, errors = run.finished(run.start())
        scene.took_s = time.monotonic() - began
        if status not in {0, 1} or run.litter():
            raise RuntimeError(f"{scene.name}: {status} {errors} {run.litter()}")
        contents.append({name: (run.out / name).read_bytes() for name in scene.outputs})
    scene.expected = {
        name: content for name, content in contents[0].items() if contents[1][name] == content
    }


def kill(scene: Scene, folder: Path, mark: str, number: signal.Signals, at_s: float) -> None:
    """Stop a scene by a signal after some time, and note what is wrong then."""
    run = Run(scene, folder, mark)
    run.put_old()
    process = run.start()
    time.sleep(at_s)
    process.send_signal(number)
    began = time.monotonic()
    status, errors = run.finished(process)
    took_s = time.monotonic() - began
    what = f"{number.name} after {at_s:.3f} s"
    faults = [f"half written: {name}" for name in run.half_written()]
    if "Traceback" in errors or "Exception ignored" in errors or "unexpected error" in errors:
        faults.append(f"told {errors[-600:]!r}")
    if number != signal.SIGKILL:
        scene.slowest_s = max(scene.slowest_s, took_s)
        faults += [f"left {one}" for one in run.litter()]
        # When all is done, Python gives the signals back to the system before it ends.
        if status not in _KINDS_OF_STATUS | {-number}:
            faults.append(f"status {status}")
    else:
        time.sleep(1.0)  # What runs elsewhere hears of it by and by.
        status, errors = run.finished(run.start())
        if status not in {0, 1}:
            faults.append(f"the next run: status {status}, {errors[-600:]!r}")
        faults += [f"the next run left {one}" for one in run.litter()]
        faults += [f"the next run: half written {name}" for name in run.half_written()]
    scene.faults += [f"{scene.name}, {what}: {fault}" for fault in faults]


def fill_disk(scene: Scene, folder: Path, mark: str, file_bytes: int) -> None:
    """Run a scene where no file may grow beyond some bytes."""
    run = Run(scene, folder, mark)
    run.put_old()
    status, errors = run.finished(run.start(file_bytes=file_bytes))
    faults = [f"half written: {name}" for name in run.half_written()]
    faults += [f"left {one}" for one in run.litter()]
    if "Traceback" in errors or "unexpected error" in errors or status not in {0, 1, 2, 3}:
        faults.append(f"status {status}, told {errors[-600:]!r}")
    scene.faults += [f"{scene.name}, files of {file_bytes:,} bytes: {fault}" for fault in faults]


def twice(scene: Scene, folder: Path, mark: str) -> None:
    """Run a scene twice at once in one folder."""
    run = Run(scene, folder, mark)
    both = [run.start(), run.start()]
    ends = [run.finished(process) for process in both]
    faults = [
        f"status {status}, told {errors[-600:]!r}"
        for status, errors in ends
        if status not in {0, 1} and _REFUSED not in errors
    ]
    faults += [f"half written: {name}" for name in run.half_written()]
    faults += [f"left {one}" for one in run.litter()]
    scene.faults += [f"{scene.name}, two at once: {fault}" for fault in faults]


def disturb(scene: Scene, folder: Path, rng: random.Random, times: int) -> None:
    """Do everything to a scene, `times` of it."""
    with marked() as mark:
        learn(scene, folder, mark)
        largest = max([len(one) for one in scene.expected.values()], default=20_000)
        for number in range(times):
            stop = SIGNALS[number % len(SIGNALS)]
            where = folder / f"kill-{number}"
            kill(scene, where, mark, stop, rng.uniform(0, scene.took_s))
            shutil.rmtree(where)
        for number in range(max(1, times // 5)):
            where = folder / f"full-{number}"
            fill_disk(scene, where, mark, rng.randint(0, 2 * largest))
            shutil.rmtree(where)
        for number in range(max(1, times // 10)):
            twice(scene, folder / f"twice-{number}", mark)


def main() -> None:
    """Disturb all commands and print what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=50, help="of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", help="a command's name; repeat it")
    given = parser.parse_args()
    told: list[dict[str, Any]] = []
    with scenes() as found, tempfile.TemporaryDirectory(prefix="kills-") as name:
        known = {scene.name for scene in found}
        if unknown := set(given.only or ()) - known:
            parser.error(f"no command {', '.join(unknown)}; there are {', '.join(sorted(known))}")
        for scene in found:
            if given.only and scene.name not in given.only:
                continue
            folder = Path(name, scene.name)
            folder.mkdir()
            disturb(scene, folder, random.Random(f"{given.seed} {scene.name}"), given.times)
            told.append(
                {
                    "command": scene.name,
                    "took_s": round(scene.took_s, 2),
                    "slowest_end_s": round(scene.slowest_s, 2),
                    "compared": sorted(scene.expected),
                    "faults": scene.faults,
                }
            )
            sys.stdout.write(json.dumps(told[-1]) + "\n")
            sys.stdout.flush()
    sys.exit(1 if any(one["faults"] for one in told) else 0)


if __name__ == "__main__":
    main()
