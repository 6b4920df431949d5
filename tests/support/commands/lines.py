"""Command lines of every verb by the exit status that they end with; a row for each verb.

A new verb gets its row here, and its line in docs/statuses.md.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

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


def _imported(folder: Path, _: ExitStack) -> list[str]:
    output = folder / "run.txt"
    output.write_text(
        "------------------------------------------------------------\n"
        "Client connecting to 10.0.0.2, TCP port 5001\n"
        "TCP window size: 85.0 KByte (default)\n"
        "------------------------------------------------------------\n"
        "[  3] local 10.0.0.1 port 50000 connected with 10.0.0.2 port 5001\n"
        "[ ID] Interval       Transfer     Bandwidth\n"
        "[  3]  0.0-10.0 sec  11.0 GBytes  9.41 Gbits/sec\n",
        encoding="utf-8",
    )
    store = str(folder / "store.jsonl")
    return ["probe", "import", "--store", store, "--src-type", "n2-standard-8", str(output)]


def _half_imported(folder: Path, stack: ExitStack) -> list[str]:
    other = folder / "other.txt"
    other.write_text("no tool printed this\n", encoding="utf-8")
    return [*_imported(folder, stack), str(other), "--strict"]


def _without_page(folder: Path) -> list[str]:
    inventory = folder / "instances.json"
    page = {"kind": "compute#instanceList", "items": [machine()], "nextPageToken": "more"}
    inventory.write_text(json.dumps(page), encoding="utf-8")
    return ["--inventory", str(inventory), "--strict"]


def _nowhere(folder: Path) -> list[str]:
    vms = tuple(places.Vm(f"db-{n}", places.ZONES[0], 4, "db", is_spread=True) for n in range(3))
    flows = (places.Flow("db-0", "db-1", 10),)
    return ["place", *places.written(places.Case(vms, flows, {places.ZONES[0]: 4}), folder)]


def _fleet_without_a_type(folder: Path) -> list[str]:
    needs = folder / "needs.csv"
    needs.write_text(
        "name,zone,count,gbps,vcpus,memory_gib\nweb,us-central1-a,1,9000,4,16\n",
        encoding="utf-8",
    )
    return ["fleet", "--needs", str(needs)]


def _forecast_at_its_cap(folder: Path) -> list[str]:
    series = folder / "series.csv"
    series.write_text(
        "name,time,gbps,cap_gbps\nweb,2026-11-01T00:00:00Z,9.9,10\nweb,2026-11-02T00:00:00Z,9.9,10\n",
        encoding="utf-8",
    )
    return ["forecast", "--series", str(series)]


def _examined(stack: ExitStack) -> list[str]:
    server = stack.enter_context(ComputeServer())
    server.add_project(one_project.PROJECT, one_project.resources())
    words = f"doctor --project {one_project.PROJECT} --anonymous --today 2026-05-10"
    return [*words.split(), "--api-endpoint", server.url]


_TRANSFER = "transfer --from us-central1 --to us-east1 --bytes 1TB --series n2 --max-count 2"
_REGION = "--region us-central1"
_BOOK = ("--prices FILE", "--billing-export FILE")


def _priced(line: str) -> Lines:
    """Return the row of a verb on one price, whose options of prices are those of all."""
    return Lines(
        success=line,
        unreadable=tuple(f"{line} {option}" for option in _BOOK),
        lacking=(f"{line} --currency CHF",),
    )


VERBS: Mapping[str, Lines] = {
    "audit": Lines(
        success="audit --demo gecko --fail-on never",
        nothing=("audit --demo gecko",),
        unreadable=("audit --inventory FILE", "audit --traffic FILE --demo gecko"),
        lacking=("audit --demo gecko --currency CHF",),
        incomplete=lambda folder, _: ["audit", *_without_page(folder), "--fail-on", "never"],
    ),
    "graph": Lines(
        success="graph --demo gecko",
        unreadable=("graph --inventory FILE --traffic FILE", "graph --demo gecko --traffic FILE"),
        lacking=("graph --demo gecko --currency CHF",),
    ),
    "collect": Lines(
        success=lambda folder, _: [
            *("collect", "--demo", "gecko", "--out", str(folder / "made.tar.zst"))
        ],
        unreadable=("collect --inventory FILE --out OUT/b.tar.zst",),
        incomplete=lambda folder, _: [
            *("collect", *_without_page(folder), "--out", str(folder / "made.tar.zst"))
        ],
        files=("--out",),
    ),
    "flows aggregate": Lines(
        success=lambda folder, _: [
            *("flows", "aggregate", "--demo", "gecko", "--out", str(folder / "sums"))
        ],
        unreadable=("flows aggregate --inventory FILE --traffic FILE --out OUT/sums",),
        incomplete=lambda folder, _: [
            *("flows", "aggregate", "--demo", "gecko", "--strict", "--out", str(folder / "sums"))
        ],
    ),
    "doctor": Lines(
        success=lambda _, stack: _examined(stack),
        nothing=("doctor --project p --anonymous --api-endpoint http://127.0.0.1:9",),
        unreadable=("doctor --prices FILE",),
        incomplete=lambda _, stack: [*_examined(stack), "--strict"],
    ),
    "rules": Lines(
        "rules",
    ),
    "recommend": Lines(
        success=f"recommend --gbps 10 {_REGION}",
        nothing=(f"recommend --gbps 100000 {_REGION}",),
        unreadable=(
            "recommend --vm a --inventory FILE",
            f"recommend --gbps 10 {_REGION} --prices FILE",
        ),
        lacking=(f"recommend --gbps 10 {_REGION} --currency CHF",),
    ),
    "place": Lines(
        success="place --demo gecko",
        nothing=(_nowhere,),
        unreadable=(
            "place --vms FILE --edges FILE",
            "place --inventory FILE --traffic FILE",
        ),
        lacking=("place --demo gecko --currency CHF",),
    ),
    "job": Lines(
        success="job --demo dobermanifesto",
        nothing=(f"job --bytes-in 2TB {_REGION} --deadline 1s",),
        unreadable=(
            f"job --bytes-in 2TB {_REGION} --prices FILE",
            f"job --bytes-in 2TB {_REGION} --calibration FILE",
        ),
        lacking=(f"job --bytes-in 2TB {_REGION} --currency CHF",),
    ),
    "transfer": Lines(
        success=_TRANSFER,
        nothing=(f"{_TRANSFER} --deadline 1s",),
        unreadable=(
            f"{_TRANSFER} --grid FILE",
            f"{_TRANSFER} --edge-prices FILE",
            f"{_TRANSFER} --prices FILE",
            f"{_TRANSFER} --calibration FILE",
        ),
        lacking=(f"{_TRANSFER} --currency CHF",),
    ),
    "fleet": Lines(
        success="fleet --demo gecko",
        incomplete=made(lambda _: ["fleet", "--demo", "gecko", "--strict"]),
        nothing=(_fleet_without_a_type,),
        unreadable=(
            "fleet --needs FILE",
            "fleet --demo gecko --prices FILE",
            "fleet --demo gecko --calibration FILE",
        ),
        lacking=("fleet --demo gecko --currency CHF",),
    ),
    "whatif": Lines(
        success="whatif --demo gecko --vm transcoder-1 --machine-type n1-standard-8",
        incomplete=made(lambda _: ["whatif", "--demo", "gecko", "--growth", "1.5", "--strict"]),
        nothing=("whatif --demo interzone --growth 20",),
        unreadable=(
            "whatif --demo gecko --change FILE",
            "whatif --demo gecko --growth 2 --prices FILE",
            "whatif --demo gecko --growth 2 --calibration FILE",
        ),
        lacking=("whatif --demo gecko --growth 2 --currency CHF",),
    ),
    "forecast": Lines(
        success="forecast --demo gecko --top 3",
        nothing=(_forecast_at_its_cap,),
        unreadable=(
            "forecast --series FILE",
            "forecast --demo gecko --prices FILE",
            "forecast --demo gecko --calibration FILE",
        ),
        lacking=("forecast --demo gecko --currency CHF",),
    ),
    "predict": Lines(
        success="predict n2-standard-8 n2-standard-4",
        nothing=("predict n4-custom-96-393216",),
        unreadable=(
            "predict --batch FILE",
            "predict n2-standard-8 --calibration FILE",
            "predict a b --inventory FILE",
        ),
    ),
    "caps": Lines(
        success="caps n2-standard-8",
        nothing=("caps --series c4 --as-of 2017-07-20",),
        lacking=("caps n2-standard-8 --as-of 2017-07-20", "caps n4-custom-96-393216"),
    ),
    "price machine": Lines(
        success=f"price machine n2-standard-8 {_REGION}",
        unreadable=(
            "price machine --batch FILE",
            *(f"price machine n2-standard-8 {_REGION} {option}" for option in _BOOK),
        ),
        lacking=(f"price machine n2-standard-8 {_REGION} --currency CHF",),
    ),
    "price sku": _priced("price sku BB77-5FDA-69D9"),
    "price traffic": _priced(
        "price traffic --from us-central1 --to us-east1 --gib 9",
    ),
    "price address": _priced(
        f"price address {_REGION}",
    ),
    "price nat": _priced(f"price nat {_REGION}"),
    "price vpn": _priced(
        f"price vpn {_REGION}",
    ),
    "price lb": _priced(
        f"price lb {_REGION} --kind global-external-proxy",
    ),
    "price flow-logs": _priced("price flow-logs --records 1000000"),
    "flow-logs cost": Lines(
        success="flow-logs cost --demo gecko",
        unreadable=(
            "flow-logs cost --records FILE",
            "flow-logs cost --inventory FILE --traffic FILE",
        ),
    ),
    "flow-logs plan": Lines(
        success="flow-logs plan --demo gecko",
        unreadable=("flow-logs plan --inventory FILE --traffic FILE",),
    ),
    "prices map": Lines(
        made(answers.sku_map),
        unreadable=("prices map FILE",),
    ),
    "prices build": Lines(
        _built,
        unreadable=("prices build --skus FILE --machine-types FILE --out OUT",),
    ),
    "prices refresh": Lines(
        _refreshed,
        unreadable=("prices refresh --out OUT --base FILE --project p --anonymous",),
    ),
    "prices diff": Lines(
        made(answers.changes),
        unreadable=("prices diff FILE FILE",),
    ),
    "prices verify": Lines(
        "prices verify",
        # A made snapshot is nothing like the embedded one.
        nothing=(answers.check,),
        unreadable=("prices verify --prices FILE", "prices verify --against FILE"),
    ),
    "prices reconcile": Lines(
        made(answers.reconciled),
        unreadable=("prices reconcile --demo gecko --billing-export FILE",),
    ),
    "probe plan": Lines(
        "probe plan --demo gecko",
        unreadable=("probe plan --inventory FILE", "probe plan --demo gecko --calibration FILE"),
        incomplete=lambda folder, _: ["probe", "plan", *_without_page(folder)],
    ),
    "probe run": Lines(
        "probe run --demo gecko",
        unreadable=("probe run --inventory FILE",),
        incomplete=lambda folder, _: ["probe", "run", *_without_page(folder), "--yes"],
    ),
    "probe import": Lines(
        _imported,
        unreadable=("probe import FILE --store OUT/s",),
        incomplete=_half_imported,
    ),
    "calibrate": Lines(
        made(answers.calibration),
        unreadable=("calibrate FILE --out OUT/c.json",),
        files=("--out",),
    ),
    "model evaluate": Lines(
        made(answers.evaluation),
        unreadable=("model evaluate FILE",),
        files=("--plot",),
    ),
    "model atlas": Lines(
        "model atlas --as-of 2026-11-22",
        unreadable=("model atlas --measurements FILE",),
    ),
    "config show": Lines(
        "config show",
    ),
}
"""By the words that lead to the verb."""


def success(verb: str, folder: Path, stack: ExitStack) -> list[str]:
    """Return words that a verb answers; what they name is made in the folder."""
    line = VERBS[verb].success
    return line.split() if isinstance(line, str) else line(folder, stack)
