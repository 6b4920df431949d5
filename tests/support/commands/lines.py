"""Command lines of every verb by the exit status that they end with, as `lines.toml` has them."""

import json
import tomllib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from support.commands import answers
from support.places import tables as places
from support.prices.inputs import arguments, made_skus, write_inputs
from support.prices.skus import COMPUTE, NETWORKING
from support.projects import one_project
from support.projects.compute_json import machine
from support.servers.catalog import CatalogServer
from support.servers.compute import ComputeServer

FILE = "FILE"
"""Stands for an input that is missing, or damaged."""
OUT = "OUT"
"""Stands for a folder of the test's own."""


class Lines(NamedTuple):
    """What one verb is asked; each text is split at blanks."""

    success: str | Callable[[Path, ExitStack], list[str]]
    """Ends with 0."""
    nothing: tuple[str | Callable[[Path], list[str]], ...] = ()
    """Ends with 1: found nothing, or found what is wrong."""
    unreadable: tuple[str, ...] = ()
    """Ends with 3: an input that is missing or damaged."""
    lacking: tuple[str, ...] = ()
    """Ends with 3: a figure that netplan does not have."""
    incomplete: Callable[[Path, ExitStack], list[str]] | None = None
    """Ends with 4: with `--strict`, and a part that is missing."""
    files: tuple[str, ...] = ()
    """Options of files that the verb writes beside its answer."""


def made(source: Callable[[Path], list[str]]) -> Callable[[Path, ExitStack], list[str]]:
    """Return what makes the words of a verb that needs a folder and no server."""
    return lambda folder, _: source(folder)


def _refreshed(folder: Path, stack: ExitStack) -> list[str]:
    skus = made_skus()
    services = {
        service: [one for one in skus if one["name"].split("/")[1] == service]
        for service in (COMPUTE, NETWORKING)
    }
    shape = {"name": "n2-standard-4", "guestCpus": 4, "memoryMb": 16384}
    zones = {zone: [shape] for zone in ("aa-one1-a", "bb-two2-a", "cc-three3-a")}
    server = stack.enter_context(CatalogServer(services, zones))
    words = f"prices refresh --api-endpoint {server.url} --project p --anonymous --accept-changes"
    return [*words.split(), "--out", str(folder)]


def _built(folder: Path, _: ExitStack) -> list[str]:
    inputs = write_inputs(folder / "in")
    return ["prices", "build", *arguments(inputs), "--out", str(folder), "--accept-changes"]


def iperf2(path: Path, rate: str = "9.41") -> Path:
    """Write what a client of iperf 2 prints."""
    rule = "-" * 60
    path.write_text(
        f"{rule}\nClient connecting to 10.0.0.2, TCP port 5001\n"
        f"TCP window size: 85.0 KByte (default)\n{rule}\n"
        "[  3] local 10.0.0.1 port 50000 connected with 10.0.0.2 port 5001\n"
        "[ ID] Interval       Transfer     Bandwidth\n"
        f"[  3]  0.0-10.0 sec  11.0 GBytes  {rate} Gbits/sec\n",
        "utf-8",
    )
    return path


def _imported(folder: Path, _: ExitStack) -> list[str]:
    output, store = iperf2(folder / "run.txt"), str(folder / "store.jsonl")
    return ["probe", "import", "--store", store, "--src-type", "n2-standard-8", str(output)]


def _half_imported(folder: Path, stack: ExitStack) -> list[str]:
    other = folder / "other.txt"
    other.write_text("no tool printed this\n", "utf-8")
    return [*_imported(folder, stack), str(other), "--strict"]


def _without_page(folder: Path) -> list[str]:
    inventory = folder / "instances.json"
    page = {"kind": "compute#instanceList", "items": [machine()], "nextPageToken": "more"}
    inventory.write_text(json.dumps(page), "utf-8")
    return ["--inventory", str(inventory), "--strict"]


def _nowhere(folder: Path) -> list[str]:
    vms = tuple(places.Vm(f"db-{n}", places.ZONES[0], 4, "db", is_spread=True) for n in range(3))
    flows = (places.Flow("db-0", "db-1", 10),)
    return ["place", *places.written(places.Case(vms, flows, {places.ZONES[0]: 4}), folder)]


def _fleet_without_a_type(folder: Path) -> list[str]:
    needs = folder / "needs.csv"
    needs.write_text(
        "name,zone,count,gbps,vcpus,memory_gib\nweb,us-central1-a,1,9000,4,16\n", "utf-8"
    )
    return ["fleet", "--needs", str(needs)]


def _forecast_at_its_cap(folder: Path) -> list[str]:
    series = folder / "series.csv"
    series.write_text(
        "name,time,gbps,cap_gbps\nweb,2026-11-01T00:00:00Z,9.9,10\nweb,2026-11-02T00:00:00Z,9.9,10\n",
        "utf-8",
    )
    return ["forecast", "--series", str(series)]


def _started(folder: Path, _: ExitStack) -> list[str]:
    own = folder / "started"
    own.mkdir(exist_ok=True)
    return ["init", "--force", "--dir", str(own)]


def _examined(stack: ExitStack) -> list[str]:
    server = stack.enter_context(ComputeServer())
    server.add_project(one_project.PROJECT, one_project.resources())
    words = f"doctor --project {one_project.PROJECT} --anonymous --today 2026-05-10"
    return [*words.split(), "--api-endpoint", server.url]


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in row.items()}


def _diff_without_page(folder: Path, _: ExitStack) -> list[str]:
    words = _without_page(folder)
    inventory = words[words.index("--inventory") + 1]
    return ["diff", inventory, inventory, "--strict"]


_MADE: Mapping[str, Mapping[str, Any]] = {
    "audit": {
        "incomplete": lambda folder, _: ["audit", *_without_page(folder), "--fail-on", "never"]
    },
    "baseline": {
        "success": made(answers.accepted),
        "incomplete": lambda folder, _: [
            *("baseline", *_without_page(folder), "--strict", "--out", str(folder / "b.json"))
        ],
    },
    # By its whole path: an installed netplan is asked from an empty folder.
    "diff": {
        "success": lambda _, __: ["diff", str(Path("docs/examples/plan.json").resolve())],
        "incomplete": _diff_without_page,
    },
    "collect": {
        "success": lambda folder, _: [
            *("collect", "--demo", "gecko", "--out", str(folder / "made.tar.zst"))
        ],
        "incomplete": lambda folder, _: [
            *("collect", *_without_page(folder), "--out", str(folder / "made.tar.zst"))
        ],
    },
    "flows aggregate": {
        "success": lambda folder, _: [
            *("flows", "aggregate", "--demo", "gecko", "--out", str(folder / "sums"))
        ],
        "incomplete": lambda folder, _: [
            *("flows", "aggregate", "--demo", "gecko", "--strict", "--out", str(folder / "sums"))
        ],
    },
    "doctor": {
        "success": lambda _, stack: _examined(stack),
        "incomplete": lambda _, stack: [*_examined(stack), "--strict"],
    },
    "init": {"success": _started},
    "place": {"nothing": (_nowhere,)},
    "fleet": {
        "nothing": (_fleet_without_a_type,),
        "incomplete": made(lambda _: ["fleet", "--demo", "gecko", "--strict"]),
    },
    "whatif": {
        "incomplete": made(lambda _: ["whatif", "--demo", "gecko", "--growth", "1.5", "--strict"])
    },
    "forecast": {"nothing": (_forecast_at_its_cap,)},
    "prices map": {"success": made(answers.sku_map)},
    "prices build": {"success": _built},
    "prices refresh": {"success": _refreshed},
    "prices diff": {"success": made(answers.changes)},
    "prices verify": {"nothing": (answers.check,)},
    "prices reconcile": {"success": made(answers.reconciled)},
    "probe plan": {"incomplete": lambda folder, _: ["probe", "plan", *_without_page(folder)]},
    "probe run": {
        "incomplete": lambda folder, _: ["probe", "run", *_without_page(folder), "--yes"]
    },
    "probe import": {"success": _imported, "incomplete": _half_imported},
    "history": {"success": made(answers.recorded)},
    "calibrate": {"success": made(answers.calibration)},
    "model evaluate": {"success": made(answers.evaluation)},
}
"""Lines that need what is made first, by the words that lead to the verb."""

ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
VERBS = {verb: Lines(**_tuples(row), **_MADE.get(verb, {})) for verb, row in ROWS.items()}
"""By the words that lead to the verb."""


def success(verb: str, folder: Path, stack: ExitStack) -> list[str]:
    """Return words that a verb answers; what they name is made in the folder."""
    line = VERBS[verb].success
    return line.split() if isinstance(line, str) else line(folder, stack)
