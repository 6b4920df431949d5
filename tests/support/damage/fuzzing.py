"""Runs commands on damaged inputs, by seeds, each in a process of bounded memory and time.

    make fuzz                                      five minutes over all kinds of input
    make fuzz MINUTES=60 SEED=1                    as long as asked
    PYTHONPATH=tests python -m support.damage.fuzzing --kind snapshot --seed 17 --count 1

A command must end by itself, with an exit status of its own and without a trace. Whatever does not
is a finding: the damaged input is written into `tests/data/broken/KIND/`, small enough to be
committed, and the suite reads it ever after.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.damage.bombs import SHARE, swollen
from support.damage.examples import GCLOUD, served
from support.damage.kinds import KINDS, Kind, Words
from support.damage.mutations import damaged
from support.servers.hostile import Asked, HostileServer, answer

BROKEN = Path(__file__).resolve().parents[2] / "data" / "broken"
COMMAND_FILE = "command.json"
MEMORY_BYTES = 4 * 2**30
"""Of addresses: an audit takes one, and most of that is of libraries."""
CPU_S = 40
WALL_S = 240
"""Far more than a case takes; the machine may be busy with others."""
STATUSES = frozenset({0, 1, 2, 3, 4})
_UNFORESEEN = ("Traceback", "unexpected error", "not enough memory", "shows the stack trace")
_FRAME = 'File "'
_CRASHED = re.compile(r"the rule crashed: [^\n]{0,120}")
_SHOWN = 3000
_TOLD_EVERY = 200
"""Cases between two lines on how far a search is."""
_LARGEST = 200_000
"""Bytes of a finding that is kept in the repository."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    """Of its exit; negative: the signal that ended it."""
    stderr: str
    left: tuple[str, ...] = ()
    """What it left in the folder for temporary files."""
    crashed: str = ""
    """What a report says of a rule that crashed: the others go on, and the status is as ever."""

    @property
    def fault(self) -> str:
        """What is wrong with it, in a word that tells alike findings; empty if nothing is."""
        if self.status not in STATUSES:
            return f"status {self.status}"
        if any(word in self.stderr for word in _UNFORESEEN):
            frames = [line for line in self.stderr.splitlines() if _FRAME in line]
            ours = [line for line in frames if "netplan_" in line] or frames or ["?"]
            last = self.stderr.strip().splitlines()[-2:]
            return f"{ours[-1].strip().rpartition('/')[2]}: {last[0].strip()[:60]}"
        if self.crashed:
            return self.crashed
        return f"left {self.left[0]}" if self.left else ""


class Served:
    """A server in this process that answers from the folder of the case under way."""

    def __init__(self) -> None:
        self._folder = Path()
        self._server = HostileServer(self._answer)

    def url(self, folder: Path) -> str:
        """Serve a folder from now on, and return where."""
        self._folder = folder
        if not self._server.is_open:
            self._server.__enter__()
        return self._server.url

    def _answer(self, asked: Asked) -> bytes:
        body = served(self._folder, asked.path, asked.query.get("pageToken", ""))
        packing = {"Content-Encoding": "gzip"} if body.startswith(b"\x1f\x8b") else {}
        return answer(body, headers=packing)


_served = Served()


def run_bounded(words: Sequence[str], folder: Path, prepare: Callable[[], None]) -> Ended:
    """Return how `netplan WORDS` ended, in a child process with bounds and an empty folder.

    Args:
        words: The command line.
        folder: Where it runs; its output goes there too.
        prepare: What to do in the child before.
    """
    out, err, temporary = folder / "stdout", folder / "stderr", folder / "tmp"
    temporary.mkdir()
    child = os.fork()
    if child == 0:
        status = 99
        try:
            prepare()
            status = _netplan(["--debug", *words], folder, out, err, temporary)
        except BaseException:
            with err.open("a") as file:
                traceback.print_exc(file=file)
        finally:
            os._exit(status)
    status = _awaited(child)
    text = err.read_text("utf-8", "replace") if err.exists() else ""
    left = tuple(sorted(path.name for path in temporary.iterdir()))
    report = out.read_text("utf-8", "replace") if out.exists() else ""
    crashed = _CRASHED.search(report)
    return Ended(status, text, left, crashed[0] if crashed else "")


def _awaited(child: int) -> int:
    """Return the exit status of a child; one that takes too long is ended."""
    deadline = time.monotonic() + WALL_S
    delay_s = 0.002
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(delay_s)
        delay_s = min(delay_s * 1.5, 0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


def _netplan(words: Sequence[str], folder: Path, out: Path, err: Path, temporary: Path) -> int:
    """Run the command in this process and return its exit status."""
    for stream, path in ((1, out), (2, err)):
        target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(folder)
    os.environ.update(TMPDIR=str(temporary), NO_COLOR="1", COLUMNS="100")
    tempfile.tempdir = None
    sys.argv = ["netplan", *words]
    from netplan_planner.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


@dataclass(frozen=True)
class Case:
    """One damaged example and the command that reads it, as a seed decides."""

    kind: Kind
    seed: int
    bombs: float = SHARE
    """How many of the cases are inputs that go on and on."""

    def run(self, examples: Path, folder: Path) -> tuple[Ended, Path, Words]:
        """Return how it ended, the damaged file, and the command with its places."""
        rng = random.Random(f"{self.kind.name} {self.seed}")
        found = sorted(path for path in examples.iterdir() if path.is_file())
        example, command = rng.choice(found), rng.choice(self.kind.commands)
        inside = folder / self.kind.inside
        target = inside / example.name

        def prepare() -> None:
            inside.mkdir(parents=True)
            for path in found if self.kind.is_folder else ():
                shutil.copy(path, inside / path.name)
            data = example.read_bytes()
            # By a seed of its own: what other cases do to their files stays what it was.
            other = random.Random(f"bomb {self.kind.name} {self.seed}")
            if not self.kind.is_served and other.random() < self.bombs:
                target.unlink(missing_ok=True)
                swollen(target, data, other)
            else:
                target.write_bytes(damaged(data, self.kind.form(example), rng))

        words = filled(command, case=folder, folder=inside, file=target, example=examples)
        return run_bounded(words, folder, prepare), target, command


def filled(command: Words, **places: Path) -> list[str]:
    """Return a command whose places are named; `{url}` serves `folder`."""
    url = _served.url(places["folder"]) if "{url}" in command else ""
    return [
        word.format(project=GCLOUD, url=url, **places) if "{" in word else word for word in command
    ]


def keep(case: Case, target: Path, command: Words, fault: str) -> str:
    """Write a finding where the suite reads it; return what to say of it."""
    is_endless = target.exists() and not target.is_file()
    data = target.read_bytes() if target.exists() and not is_endless else b""
    if is_endless:
        return f"a device without an end: --kind {case.kind.name} --seed {case.seed}"
    if len(data) > _LARGEST:
        return f"{len(data):,} bytes, too large to keep: --kind {case.kind.name} --seed {case.seed}"
    folder = BROKEN / case.kind.name / f"seed-{case.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / target.name).write_bytes(data)
    told = {"command": command, "fault": fault}
    (folder / COMMAND_FILE).write_text(json.dumps(told, indent=1) + "\n")
    return str(folder)


def replay(folder: Path, examples: Path, work: Path) -> Ended:
    """Return how the command of a kept finding ends today.

    `examples` are whole ones of its kind.
    """
    kind = KINDS[folder.parent.name]
    command = tuple(json.loads((folder / COMMAND_FILE).read_text())["command"])
    (target,) = [path for path in folder.iterdir() if path.name != COMMAND_FILE]
    inside = work / kind.inside
    inside.mkdir(parents=True, exist_ok=True)
    for path in sorted(examples.iterdir()) if kind.is_folder else ():
        shutil.copy(path, inside / path.name)
    shutil.copy(target, inside / target.name)
    words = filled(command, case=work, folder=inside, file=inside / target.name, example=examples)
    return run_bounded(words, work, lambda: None)


def write_examples(kind: Kind, folder: Path) -> Path:
    """Write the whole examples of a kind, in a child: libraries start threads for it."""
    folder.mkdir(parents=True)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            kind.write(folder)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status:
        raise RuntimeError(f"the examples of {kind.name} could not be written")
    return folder


def load() -> None:
    """Import what the commands need, so that no case has to."""
    import duckdb  # noqa: F401
    import numpy as np  # noqa: F401
    import requests  # noqa: F401
    from typer.main import get_group

    import netplan_planner.traffic.read  # noqa: F401
    from netplan_planner.cli.app import app
    from netplan_rules.registry import all_rules

    all_rules()
    for command in get_group(app).commands.values():
        getattr(command, "commands", {}).values()


def _cases(kinds: Sequence[Kind], seed: int, bombs: float) -> Iterator[Case]:
    """Yield cases for ever, one of each kind in turn."""
    while True:
        for kind in kinds:
            yield Case(kind, seed, bombs)
        seed += 1


def tell(text: str) -> None:
    """Write a line to stdout at once: a run is watched."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Look for findings for as long as asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--count", type=int, default=10**9, help="of cases")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="repeat it")
    parser.add_argument(
        "--bombs", type=float, default=SHARE, help="share of inputs that go on and on, 0 to 1"
    )
    parser.add_argument("--show", action="store_true", help="what a finding wrote to stderr")
    parser.add_argument("--replay", action="store_true", help="the kept findings, as JSON lines")
    parser.add_argument("--whole", action="store_true", help="undamaged inputs, as JSON lines")
    given = parser.parse_args()
    load()
    kinds = [KINDS[name] for name in given.kind or KINDS]
    if given.replay or given.whole:
        _tell_all(kinds, is_whole=given.whole)
        return
    _search(kinds, given)


def _tell_all(kinds: Sequence[Kind], *, is_whole: bool) -> None:
    """Print how each kept finding ends today, or each command on whole inputs of its kind."""
    with tempfile.TemporaryDirectory(prefix="netplan-fuzz-") as name:
        for kind in kinds:
            kept = sorted((BROKEN / kind.name).glob("*"))
            if not is_whole and not kept:
                continue
            examples = write_examples(kind, Path(name, "examples", kind.name))
            if is_whole:
                ends = _whole(kind, examples, Path(name))
            else:
                ends = ((one.name, replay(one, examples, Path(name, one.name))) for one in kept)
            for what, ended in ends:
                told = {"kind": kind.name, "name": what, "status": ended.status}
                tell(json.dumps(told | {"fault": ended.fault, "stderr": ended.stderr[-_SHOWN:]}))


def _whole(kind: Kind, examples: Path, work: Path) -> Iterator[tuple[str, Ended]]:
    found = sorted(examples.iterdir())
    for number, command in enumerate(dict.fromkeys(kind.commands)):
        for example in found[:1] if kind.is_folder else found[:3]:
            folder = work / f"whole-{kind.name}-{number}-{example.name}"
            inside = folder / kind.inside
            inside.mkdir(parents=True)
            for path in found if kind.is_folder else [example]:
                shutil.copy(path, inside / path.name)
            places = {"case": folder, "folder": inside, "example": examples}
            words = filled(command, file=inside / example.name, **places)
            yield " ".join(command), run_bounded(words, folder, lambda: None)


def _search(kinds: Sequence[Kind], given: argparse.Namespace) -> None:
    ends: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="netplan-fuzz-") as name:
        examples = {
            kind.name: write_examples(kind, Path(name, "examples", kind.name)) for kind in kinds
        }
        for number, case in enumerate(_cases(kinds, given.seed, given.bombs)):
            if number and number % _TOLD_EVERY == 0:
                minutes = (time.monotonic() - started) / 60
                tell(f"{number:,} cases in {minutes:.1f} minutes, up to seed {case.seed}")
            if number >= given.count or time.monotonic() - started > given.minutes * 60:
                break
            folder = Path(name, "case")
            folder.mkdir()
            began = time.monotonic()
            ended, target, command = case.run(examples[case.kind.name], folder)
            ends[f"{case.kind.name}: {ended.status}"] += 1
            if ended.fault:
                faults[f"{case.kind.name}: {ended.fault}"] += 1
                if faults[f"{case.kind.name}: {ended.fault}"] == 1:
                    took = time.monotonic() - began
                    where = keep(case, target, command, ended.fault)
                    tell(f"FOUND {case.kind.name} seed {case.seed}: {ended.fault} ({took:.1f} s)")
                    tell(f"      {where}")
                    if given.show:
                        tell(f"{ended.stderr[-_SHOWN:]}{ended.crashed}")
            shutil.rmtree(folder, ignore_errors=True)
        minutes = (time.monotonic() - started) / 60
        tell(
            f"{sum(ends.values()):,} cases in {minutes:.1f} minutes, seeds {given.seed} to"
            f" {case.seed}; {len(faults)} kinds of finding, {sum(faults.values())} in all"
        )
        for text, count in sorted(ends.items()):
            tell(f"  {count:6,}  exit status of {text}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
