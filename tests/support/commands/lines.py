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
Words = tuple[str, ...]
Wrong = tuple[str, str]
"""Words, and what the error names as the nearest."""


class Lines(NamedTuple):
    """What one verb is asked; each text is split at blanks."""

    success: str | Callable[[Path, ExitStack], list[str]]
    """Ends with 0."""
    wrong: tuple[Wrong, ...]
    """Ends with 2: a word that names nothing."""
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
_NO_REGION = "--region us-centrall1"
_BOOK = ("--prices FILE", "--billing-export FILE")


def _priced(line: str, *wrong: Wrong) -> Lines:
    """Return the row of a verb on one price, whose options of prices are those of all."""
    return Lines(
        success=line,
        wrong=((f"{line} --currency EURO", "EUR"), *wrong),
        unreadable=tuple(f"{line} {option}" for option in _BOOK),
        lacking=(f"{line} --currency CHF",),
    )


VERBS: Mapping[str, Lines] = {
    "audit": Lines(
        success="audit --demo gecko --fail-on never",
        wrong=(
            ("audit --demo gekko", "gecko"),
            ("audit --demo gecko --select vpc-mtu-mismach", "vpc-mtu-mismatch"),
            ("audit --demo gecko --ignore placment", "placement"),
            ("audit --demo gecko --fail-on hihg", "high"),
            ("audit --demo gecko --currency EURO", "EUR"),
        ),
        nothing=("audit --demo gecko",),
        unreadable=("audit --inventory FILE", "audit --traffic FILE --demo gecko"),
        lacking=("audit --demo gecko --currency CHF",),
        incomplete=lambda folder, _: ["audit", *_without_page(folder), "--fail-on", "never"],
    ),
    "graph": Lines(
        success="graph --demo gecko",
        wrong=(
            ("graph --demo gekko", "gecko"),
            ("graph --demo gecko --level zoen", "zone"),
            ("graph --demo gecko --edges dolars", "dollars"),
            ("graph --demo gecko --output dott", "dot"),
            ("graph --demo gecko --currency EURO", "EUR"),
            ("graph", "--traffic"),
        ),
        unreadable=("graph --inventory FILE --traffic FILE", "graph --demo gecko --traffic FILE"),
        lacking=("graph --demo gecko --currency CHF",),
    ),
    "collect": Lines(
        success=lambda folder, _: [
            *("collect", "--demo", "gecko", "--out", str(folder / "made.tar.zst"))
        ],
        wrong=(
            ("collect --demo gekko --out OUT/b.tar.zst", "gecko"),
            ("collect --demo gecko --out OUT/b.zip", ".tar.zst"),
        ),
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
        wrong=(
            ("flows aggregate --demo gekko --out OUT/sums", "gecko"),
            ("flows aggregate --demo gecko --reporter sourse --out OUT/sums", "source"),
            ("flows aggregate --demo gecko --out gs://bucket/sums", "spark-submit"),
        ),
        unreadable=("flows aggregate --inventory FILE --traffic FILE --out OUT/sums",),
        incomplete=lambda folder, _: [
            *("flows", "aggregate", "--demo", "gecko", "--strict", "--out", str(folder / "sums"))
        ],
    ),
    "doctor": Lines(
        success=lambda _, stack: _examined(stack),
        wrong=(("doctor --project p --output cvs", "csv"),),
        nothing=("doctor --project p --anonymous --api-endpoint http://127.0.0.1:9",),
        unreadable=("doctor --prices FILE",),
        incomplete=lambda _, stack: [*_examined(stack), "--strict"],
    ),
    "rules": Lines("rules", wrong=(("rules vpc-mtu-mismach", "vpc-mtu-mismatch"),)),
    "recommend": Lines(
        success=f"recommend --gbps 10 {_REGION}",
        wrong=(
            (f"recommend --gbps 10 {_NO_REGION}", "us-central1"),
            (f"recommend --gbps 10 {_REGION} --series q9", "n2d"),
            (f"recommend --gbps 10 {_REGION} --to us-esst1", "us-east1"),
            (f"recommend --gbps 10 {_REGION} --currency EURO", "EUR"),
            ("recommend --demo gecko --vm transcodr-8", "transcoder-8"),
            ("recommend --demo gekko --vm transcoder-8", "gecko"),
        ),
        nothing=(f"recommend --gbps 100000 {_REGION}",),
        unreadable=(
            "recommend --vm a --inventory FILE",
            f"recommend --gbps 10 {_REGION} --prices FILE",
        ),
        lacking=(f"recommend --gbps 10 {_REGION} --currency CHF",),
    ),
    "place": Lines(
        success="place --demo gecko",
        wrong=(
            ("place --demo gekko", "gecko"),
            ("place --demo gecko --output cvs", "csv"),
            ("place --demo gecko --zone-growth 25", "25%"),
            ("place --demo gecko --between-regions", "--vms"),
            ("place --demo gecko --currency EURO", "EUR"),
        ),
        nothing=(_nowhere,),
        unreadable=(
            "place --vms FILE --edges FILE",
            "place --inventory FILE --traffic FILE",
        ),
        lacking=("place --demo gecko --currency CHF",),
    ),
    "job": Lines(
        success="job --demo dobermanifesto",
        wrong=(
            (f"job --bytes-in 2TB {_NO_REGION}", "us-central1"),
            (f"job --bytes-in 2TB {_REGION} --series q9", "n2d"),
            (f"job --bytes-in 2TB {_REGION} --machine-type n2-standrd-8", "n2-standard-8"),
            (f"job --bytes-in 2TB {_REGION} --from us-esst1", "us-east1"),
            (f"job --bytes-in 2TB {_REGION} --overlap in,ot", "out"),
            (f"job --bytes-in 2TB {_REGION} --currency EURO", "EUR"),
            ("job --demo dobermanifest", "dobermanifesto"),
        ),
        nothing=(f"job --bytes-in 2TB {_REGION} --deadline 1s",),
        unreadable=(
            f"job --bytes-in 2TB {_REGION} --prices FILE",
            f"job --bytes-in 2TB {_REGION} --calibration FILE",
        ),
        lacking=(f"job --bytes-in 2TB {_REGION} --currency CHF",),
    ),
    "transfer": Lines(
        success=_TRANSFER,
        wrong=(
            ("transfer --from us-centrl1 --to us-east1 --bytes 1TB", "us-central1"),
            ("transfer --from us-central1 --to us-esst1 --bytes 1TB", "us-east1"),
            (f"{_TRANSFER} --relay us-esst4", "us-east4"),
            (f"{_TRANSFER} --quota us-esst4=5", "us-east4"),
            (f"{_TRANSFER} --series q9", "n2d"),
            (f"{_TRANSFER} --machine-type n2-standrd-8", "n2-standard-8"),
            (f"{_TRANSFER} --currency EURO", "EUR"),
        ),
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
        wrong=(
            ("fleet --demo gecko --series q9", "n2d"),
            ("fleet --demo gecko --quota us-centrl1/n2=8", "us-central1"),
            ("fleet --demo gecko --move-price rstart=5", "restart"),
            ("fleet --demo gecko --currency EURO", "EUR"),
            ("fleet --demo gekko", "gecko"),
        ),
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
        wrong=(
            ("whatif --demo gecko --vm transcodr-1 --zone us-central1-b", "transcoder-1"),
            ("whatif --demo gecko --vm transcoder-1 --zone us-centrall1-b", "us-central1"),
            (
                "whatif --demo gecko --vm transcoder-1 --machine-type n1-standrd-8",
                "n1-standard-8",
            ),
            ("whatif --demo gecko --vm transcoder-1 --plugin calicoo", "calico"),
            ("whatif --demo gecko --vm transcoder-1 --address intrnal", "internal"),
            ("whatif --demo gecko --growth 2 --currency EURO", "EUR"),
            ("whatif --demo gekko --growth 2", "gecko"),
        ),
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
        wrong=(
            ("forecast --demo gekko", "gecko"),
            ("forecast --demo gecko --horizon 13", "13w"),
            ("forecast --demo gecko --currency EURO", "EUR"),
        ),
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
        wrong=(
            ("predict n2-standrd-8", "n2-standard-8"),
            ("predict --src-type n2-standrd-8 --path same-zone-internal", "n2-standard-8"),
            ("predict n2-standard-8 n2-standrd-4", "n2-standard-4"),
            ("predict n2-standard-8 --path same-zone-intrnal", "same-zone-internal"),
            ("predict n2-standard-8 --src-place us-centrall1", "us-central1"),
            ("predict n2-standard-8 --plugin calicoo", "calico"),
            ("predict n2-standard-8 --service percona-sysbench", "percona-xtradb-sysbench-oltp"),
        ),
        nothing=("predict n4-custom-96-393216",),
        unreadable=(
            "predict --batch FILE",
            "predict n2-standard-8 --calibration FILE",
            "predict a b --inventory FILE",
        ),
    ),
    "caps": Lines(
        success="caps n2-standard-8",
        wrong=(("caps n2-standrd-8", "n2-standard-8"), ("caps --series q9", "n2d")),
        nothing=("caps --series c4 --as-of 2017-07-20",),
        lacking=("caps n2-standard-8 --as-of 2017-07-20", "caps n4-custom-96-393216"),
    ),
    "price machine": Lines(
        success=f"price machine n2-standard-8 {_REGION}",
        wrong=(
            (f"price machine n2-standrd-8 {_REGION}", "n2-standard-8"),
            (f"price machine n2-standard-8 {_NO_REGION}", "us-central1"),
            (f"price machine n2-standard-8 {_NO_REGION} --usage all", "us-central1"),
            (f"price machine n2-standard-8 {_REGION} --usage spto", "spot"),
            (f"price machine n2-standard-8 {_REGION} --currency EURO", "EUR"),
        ),
        unreadable=(
            "price machine --batch FILE",
            *(f"price machine n2-standard-8 {_REGION} {option}" for option in _BOOK),
        ),
        lacking=(f"price machine n2-standard-8 {_REGION} --currency CHF",),
    ),
    "price sku": _priced("price sku BB77-5FDA-69D9", ("price sku BB77-5FDA-69D8", "69D9")),
    "price traffic": _priced(
        "price traffic --from us-central1 --to us-east1 --gib 9",
        ("price traffic --from us-centrall1 --to us-east1 --gib 9", "us-central1"),
        ("price traffic --from us-central1 --to us-esst1 --gib 9", "us-east1"),
        ("price traffic --from us-central1 --to internett --gib 9", "internet"),
        ("price traffic --from us-central1 --to internet --gib 9 --area Jappan", "EMEA"),
        ("price traffic --from us-central1 --to internet --gib 9", "--area"),
    ),
    "price address": _priced(
        f"price address {_REGION}",
        (f"price address {_NO_REGION}", "us-central1"),
        (f"price address {_REGION} --use spot", "spot-vm"),
    ),
    "price nat": _priced(f"price nat {_REGION}", (f"price nat {_NO_REGION}", "us-central1")),
    "price vpn": _priced(
        f"price vpn {_REGION}",
        (f"price vpn {_NO_REGION}", "us-central1"),
        (f"price vpn {_REGION} --to us-esst1", "us-east1"),
        (f"price vpn {_REGION} --area Jappan", "EMEA"),
    ),
    "price lb": _priced(
        f"price lb {_REGION} --kind global-external-proxy",
        (f"price lb {_NO_REGION} --kind internal-proxy", "us-central1"),
        (f"price lb {_REGION} --kind internal-prxy", "internal-proxy"),
    ),
    "price flow-logs": _priced(
        "price flow-logs --records 1000000", ("price flow-logs --records 0", "every amount is 0")
    ),
    "flow-logs cost": Lines(
        success="flow-logs cost --demo gecko",
        wrong=(
            ("flow-logs cost --demo gekko", "gecko"),
            ("flow-logs cost --demo gecko --output cvs", "csv"),
        ),
        unreadable=(
            "flow-logs cost --records FILE",
            "flow-logs cost --inventory FILE --traffic FILE",
        ),
    ),
    "flow-logs plan": Lines(
        success="flow-logs plan --demo gecko",
        wrong=(
            ("flow-logs plan --demo gekko", "gecko"),
            ("flow-logs plan --demo gecko --dollar-error much", "5%"),
        ),
        unreadable=("flow-logs plan --inventory FILE --traffic FILE",),
    ),
    "prices map": Lines(
        made(answers.sku_map),
        wrong=(("prices map FILE --output cvs", "csv"),),
        unreadable=("prices map FILE",),
    ),
    "prices build": Lines(
        _built,
        wrong=(("prices build --skus FILE --machine-types FILE --oout x", "--out"),),
        unreadable=("prices build --skus FILE --machine-types FILE --out OUT",),
    ),
    "prices refresh": Lines(
        _refreshed,
        wrong=(("prices refresh --out OUT --currency EURO", "EUR"),),
        unreadable=("prices refresh --out OUT --base FILE --project p --anonymous",),
    ),
    "prices diff": Lines(
        made(answers.changes),
        wrong=(("prices diff FILE FILE --output cvs", "csv"),),
        unreadable=("prices diff FILE FILE",),
    ),
    "prices verify": Lines(
        "prices verify",
        wrong=(("prices verify --prics FILE", "--prices"),),
        # A made snapshot is nothing like the embedded one.
        nothing=(answers.check,),
        unreadable=("prices verify --prices FILE", "prices verify --against FILE"),
    ),
    "prices reconcile": Lines(
        made(answers.reconciled),
        wrong=(("prices reconcile --demo gekko --billing-export FILE", "gecko"),),
        unreadable=("prices reconcile --demo gecko --billing-export FILE",),
    ),
    "probe plan": Lines(
        "probe plan --demo gecko",
        wrong=(("probe plan --demo gekko", "gecko"),),
        unreadable=("probe plan --inventory FILE", "probe plan --demo gecko --calibration FILE"),
        incomplete=lambda folder, _: ["probe", "plan", *_without_page(folder)],
    ),
    "probe run": Lines(
        "probe run --demo gecko",
        wrong=(("probe run --demo gekko", "gecko"),),
        unreadable=("probe run --inventory FILE",),
        incomplete=lambda folder, _: ["probe", "run", *_without_page(folder), "--yes"],
    ),
    "probe import": Lines(
        _imported,
        wrong=(("probe import FILE --store OUT/s --path same-zone-intrnal", "same-zone-internal"),),
        unreadable=("probe import FILE --store OUT/s",),
        incomplete=_half_imported,
    ),
    "calibrate": Lines(
        made(answers.calibration),
        wrong=(("calibrate FILE --oout OUT/c.json", "--out"),),
        unreadable=("calibrate FILE --out OUT/c.json",),
        files=("--out",),
    ),
    "model evaluate": Lines(
        made(answers.evaluation),
        wrong=(("model evaluate FILE --output cvs", "csv"),),
        unreadable=("model evaluate FILE",),
        files=("--plot",),
    ),
    "config show": Lines(
        "config show",
        wrong=(("config show --config FILE", "cannot be read"),),
    ),
}
"""By the words that lead to the verb."""


def success(verb: str, folder: Path, stack: ExitStack) -> list[str]:
    """Return words that a verb answers; what they name is made in the folder."""
    line = VERBS[verb].success
    return line.split() if isinstance(line, str) else line(folder, stack)
