"""Runs a list of commands on two checkouts and prints what they answer otherwise.

    python benchmarks/same_answers.py BEFORE [AFTER] [--only WORD] [--keep FOLDER]

BEFORE and AFTER (this checkout without a word) are folders with the sources. Each command is a
process of its own in an empty folder, with the same interpreter and the same inputs: its status,
what it prints and every file that it writes are compared to the byte. Inputs are the demos,
projects of 400 and 1,500 machines with their flow logs (`generate.py`), the tables of
`docs/examples`, and each recorded file beside the checkout (`NETPLAN_TEST_DATA`, default
`../shared`), where there are any. A checkout without changes is run once where `--keep` names a
folder for its answers. The exit status is 1 if anything differs.
"""

import argparse
import difflib
import hashlib
import os
import pickle
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
DEMOS = ("gecko", "dobermanifesto", "interzone", "percona")
ALL = ("text", "json", "csv", "md", "html")
PLAN = (*ALL, "commands", "terraform")
FORMATS: Mapping[str, tuple[str, ...]] = {
    "audit": (*ALL, "sarif", "machines-csv"),
    "graph": (*ALL, "dot", "graphml", "mermaid", "svg"),
    **dict.fromkeys(("fleet", "forecast", "job", "place", "transfer", "whatif"), PLAN),
}
"""Of a verb; of all others every answer's."""
OF_A_PROJECT = (
    "audit",
    "--explain audit",
    "flow-logs cost",
    "flow-logs plan",
    "fleet",
    "fleet --series e2,n2",
    "forecast",
    "graph",
    "job",
    "place",
    "probe plan",
    "whatif --growth 1.5",
    "whatif --address internal",
    "whatif --machine-type n2-standard-8",
)
WITHOUT_A_PROJECT = """
caps
caps n2-standard-8
caps --series c3 --as-of 2026-04-01
config show
fleet --needs {docs}/needs.csv
forecast --series {docs}/series.csv
job --bytes-in 2TB --cpu-seconds 90000 --series n1,n2 --deadline 1h --region us-central1
job --bytes-out 500GB --to internet --region europe-west1 --series c3 --spot
place --vms {docs}/vms.csv --edges {docs}/edges.csv --zones {docs}/zones.csv
predict n2-standard-8 n2-standard-8
predict c3-standard-176 n1-standard-1 --streams 16
predict n2-standard-8 n2-standard-8 --bytes 10GB
predict n2-standard-8 n2-standard-8 --plugin calico --plugin cilium
predict --src-type n2-standard-8 --path google-apis
price address --region us-central1
price lb --region us-central1 --gib 1000 --rules 7
price machine n2-standard-4 --region us-central1
price machine n2-standard-4 --all
price nat --region us-central1 --vms 3 --gib 100 --hours 9
price sku 015F-5732-FFF0
price traffic --from us-central1 --to europe-west1 --gib 100
price vpn --region us-central1 --gib 100
recommend --gbps 10 --region us-central1
recommend --gbps 100000 --region us-central1
recommend --gbps 20 --region europe-west4 --arch any --spot
rules
rules egress-cap-undersized-for-target
transfer --from us-central1 --to europe-west4 --bytes 1TB --series n2 --deadline 10m
transfer --from us-central1 --to europe-west4 --to asia-east1 --bytes 10TB --series n2 --deadline 2h
transfer --from us-central1 --to internet --bytes 2TB --series e2
"""
WORLDS: Mapping[str, tuple[str, ...]] = {
    "g400": ("--vms", "400", "--records", "300000"),
    "g1500": ("--vms", "1500", "--records", "600000"),
}
RECORDED = (
    "cai", "compute_api", "gcloud_output", "gke_api", "kubernetes",
    "terraform_plan", "terraform_plan_generated", "terraform_state",
)  # fmt: skip
START = "from netplan_planner.cli import main\nmain()"
SECONDS = 900
"""Of one command; the longest take one."""
_SHOWN_LINES = 12


def commands(worlds: Path) -> Iterator[str]:
    """Yield every command without its outputs."""
    docs, recorded = HERE / "docs" / "examples", data() / "data" / "recorded"
    for line in WITHOUT_A_PROJECT.split("\n"):
        if line:
            yield line.format(docs=docs)
    for demo in DEMOS:
        yield from (f"{verb} --demo {demo}" for verb in OF_A_PROJECT)
    for name in WORLDS:
        given = f"--inventory {worlds / name}/inventory --traffic {worlds / name}/flows"
        yield from (f"{verb} {given}" for verb in OF_A_PROJECT)
    for kind in RECORDED:
        for file in sorted((recorded / kind).glob("*")):
            yield f"audit --inventory {file}"
    for file in sorted((recorded / "vpc_flow_logs").glob("*")):
        yield f"audit --demo gecko --traffic {file}"
    for file in sorted((recorded / "monitoring").glob("*")):
        yield f"audit --demo gecko --metrics {file}"


def data() -> Path:
    """Return where recorded files are, if they are."""
    return Path(os.environ.get("NETPLAN_TEST_DATA", HERE.parent / "shared")).resolve()


def make_worlds(folder: Path, listed: Iterable[str]) -> None:
    """Write the projects that commands read, unless they are there."""
    script = str(HERE / "benchmarks" / "generate.py")
    for name, sizes in WORLDS.items():
        target = folder / name
        if not target.exists() and any(str(target) in command for command in listed):
            made = [*sizes, "--format", "json", "--out", str(target)]
            subprocess.run([sys.executable, script, *made], check=True, stdout=subprocess.DEVNULL)


def answer(checkout: Path, command: str) -> dict[str, bytes]:
    """Return the status of a command, its streams and its files, by name."""
    words = shlex.split(command)
    verb = next(word for word in words if not word.startswith("-"))
    outputs = [
        part for form in FORMATS.get(verb, ALL) for part in ("--output", f"{form}:answer.{form}")
    ]
    roots = [str(checkout / name) for name in ("planner", "rules", "pricing")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots), "NO_COLOR": "1"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / f"bytecode{checkout}")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", START, *words, *outputs],
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    made = {"status": str(done.returncode).encode(), "stdout": done.stdout, "stderr": done.stderr}
    # What a process is given for its own work has another name each time.
    return {name: text.replace(folder.encode(), b"FOLDER") for name, text in (made | files).items()}


def answers(checkout: Path, listed: list[str], kept: Path | None) -> dict[str, dict[str, bytes]]:
    """Return what a checkout answers to each command, from an earlier run where it is kept."""
    place = None if kept is None else kept / f"{state_of(checkout)}.pickle"
    found = pickle.loads(place.read_bytes()) if place is not None and place.exists() else {}
    for done, command in enumerate(listed):
        if command not in found:
            if done % 50 == 0:
                print(f"{checkout.name}: {done} of {len(listed)}", file=sys.stderr)
            found[command] = answer(checkout, command)
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(pickle.dumps(found))
    return found


def state_of(checkout: Path) -> str:
    """Return what names the sources of a checkout as they are."""
    digest = hashlib.sha256()
    for name in ("planner", "rules", "pricing"):
        for file in sorted((checkout / name).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(checkout)).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def differences(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the first lines in which two answers to a command differ."""
    for name in sorted({*before, *after}):
        texts = [one.get(name, b"").decode(errors="replace") for one in (before, after)]
        if texts[0] != texts[1]:
            old, new = (text.splitlines() for text in texts)
            told = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
            yield f"  {name}: {len(told)} lines"
            yield from (f"    {line[:300]}" for line in told[:_SHOWN_LINES])


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?", default=HERE)
    parser.add_argument("--only", default="", help="commands that hold this text")
    parser.add_argument("--keep", type=Path, help="folder for answers and generated projects")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        worlds = (asked.keep or Path(made)).resolve() / "worlds"
        worlds.mkdir(parents=True, exist_ok=True)
        listed = [one for one in commands(worlds) if asked.only in one]
        make_worlds(worlds, listed)
        checkouts = [asked.before.resolve(), asked.after.resolve()]
        with ThreadPoolExecutor(2) as pool:
            before, after = pool.map(lambda one: answers(one, listed, asked.keep), checkouts)
    other = [one for one in listed if before[one] != after[one]]
    for command in other:
        print(command, *differences(before[command], after[command]), sep="\n")
    files = sum(len(after[one]) - 3 for one in listed)
    print(f"{len(listed)} commands, {files} files: {len(other)} commands answer otherwise")
    sys.exit(1 if other else 0)


if __name__ == "__main__":
    main()
