"""Every kind of input that netplan reads: a whole example, and commands that read it.

A kind writes its examples into a folder once. A case takes one of them, damages one of its files,
and runs one of its commands in a folder of its own, with `{file}` and `{folder}` filled in.
"""

import random
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.damage.examples import (
    CATALOG_URL,
    GCLOUD,
    copied,
    save_aggregates,
    save_assets,
    save_batch,
    save_bundles,
    save_calibration,
    save_catalogue,
    save_catalogue_answers,
    save_changes,
    save_configuration,
    save_exports,
    save_flow_logs,
    save_flow_parquet,
    save_ignore,
    save_kubernetes,
    save_log_pages,
    save_metrics,
    save_needs,
    save_networks,
    save_outputs,
    save_paths,
    save_placement,
    save_report,
    save_saved_pages,
    save_series,
    save_snapshot,
    save_stores,
    save_tables,
    save_terraform,
    save_traffic_of_pods,
)
from support.projects.one_project import FOLDER

Words = tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """One kind of input."""

    name: str
    write: Callable[[Path], None]
    """Writes examples into an empty folder."""
    commands: tuple[Words, ...]
    form: Callable[[Path], str] = lambda path: {
        ".json": "json",
        ".jsonl": "lines",
        ".csv": "csv",
        ".snapshot": "snapshot",
        ".parquet": "parquet",
        ".tar": "bundle",
    }.get(path.suffixes[0] if path.suffixes else "", "bytes")
    """How the bytes of an example are built, as `mutations.damaged` takes it."""
    is_folder: bool = False
    """Whether a case takes all examples at once and damages one, or takes only that one."""
    is_served: bool = False
    """Whether the examples are what a server answers, at `{url}`."""
    inside: str = "in"
    """Where in the folder of a case the examples are."""


AUDIT = "--fail-on never --today 2026-11-20 --output json"
OF_PROJECT = f"audit {AUDIT} --inventory {{project}}"
BUILD = (
    "prices build --out {case}/out --max-unrecognised 1 --skus {folder}/skus.json"
    " --price-tables {folder}/prices.csv {folder}/rates.csv {folder}/pages.csv"
    " --machine-types {folder}/types.csv {folder}/regions.csv.gz {folder}/zones.csv"
    " {folder}/api-types.json"
)
PLACE = (
    "place --vms {folder}/vms.csv --edges {folder}/edges.csv --zones {folder}/zones.csv"
    " --least-saving 0 --output"
)
PATH = (
    "predict --src-type n2-standard-32 --dst-type n2-standard-32 --path same-zone-internal"
    " --src-place us-central1-a --format json"
)
WHATIF = "whatif --demo gecko --change {file} --output"
FORECAST = "forecast --series {file} --horizon 7d --output"
SNAPSHOT = (
    "prices verify",
    "prices diff {folder} {example}",
    "price machine n2-standard-4 --region aa-one1 --usage all",
    "price machine n2-custom-4-8192 --region aa-one1",
    "price traffic --from aa-one1 --to bb-two2 --gib 9",
    "price traffic --from aa-one1 --to internet --gib 9 --area 'Western Europe'",
    "price traffic --from aa-one1 --to nat --gib 9",
    "price sku REG-0-1",
    OF_PROJECT,
)
BUNDLE = (
    f"audit {AUDIT} --bundle {{file}}",
    f"audit {AUDIT} --inventory {{file}} --traffic {{file}} --metrics {{file}}",
    "graph --bundle {file} --output dot",
    "flow-logs cost --bundle {file}",
    "recommend --bundle {file} --vm plain-1",
    "probe plan --bundle {file}",
    "collect --bundle {file} --out {case}/b.tar.zst --pseudonymise",
)
MOVES = [
    f"transfer --from a --bytes 3GB --max-count 3 --output json --to {to}"
    f" --grid {{folder}}/grid.{form} --edge-prices {{folder}}/prices.{form}{paid}"
    for to in ("b", "b,c --goal time")
    for form in ("csv", "parquet")
    for paid in ("", " --machine-usd-per-hour 0.3")
]
PODS = [
    f"audit {AUDIT} --inventory {{folder}}/cluster.json --traffic {{folder}}/pods.csv"
    f" --traffic {{folder}}/hubble.jsonl{packing}"
    for packing in ("", ".gz", ".zst")
]
REFRESH = "prices refresh --out {case}/out --anonymous --accept-changes --max-unrecognised 1"


def _kind(name: str, write: Callable[[Path], None], *commands: str, **more: Any) -> Kind:
    """Return a kind with its command lines, as they are typed."""
    return Kind(name, write, tuple(tuple(shlex.split(line)) for line in commands), **more)


_IN = f"audit {AUDIT} --inventory"
_FLOWS = f"{OF_PROJECT} --traffic {{file}} --threads 2"
KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        _kind("gcloud", copied(GCLOUD), f"{_IN} {{folder}}", is_folder=True),
        _kind("api", copied(FOLDER / "api"), f"{_IN} {{folder}}", is_folder=True),
        _kind("assets", save_assets, f"{_IN} {{file}}"),
        _kind("kubernetes", save_kubernetes, f"{_IN} {{file}}"),
        _kind("bundles", save_bundles, *BUNDLE),
        _kind(
            "aggregates",
            save_aggregates,
            f"{OF_PROJECT} --traffic {{folder}}",
            "flow-logs plan --inventory {project} --traffic {folder}",
            is_folder=True,
        ),
        _kind("traffic-of-pods", save_traffic_of_pods, *PODS, is_folder=True),
        _kind("metrics", save_metrics, f"{OF_PROJECT} --metrics {{file}}"),
        _kind(
            "terraform",
            save_terraform,
            f"{_IN} {{file}}",
            f"{_IN} {{file}} --output sarif:{{case}}/out.sarif",
        ),
        _kind(
            "log-pages",
            save_log_pages,
            f"{OF_PROJECT} --traffic cloud-logging --resume {{folder}} --logging-endpoint"
            f" {CATALOG_URL} --anonymous --max-attempts 1 --threads 2",
            is_folder=True,
        ),
        _kind("flow-logs", save_flow_logs, _FLOWS),
        _kind("flow-parquet", save_flow_parquet, _FLOWS),
        _kind("plain-tables", save_tables, _FLOWS),
        _kind(
            "measurements",
            save_stores,
            f"{OF_PROJECT} --measurements {{file}}",
            "calibrate {file} --out {case}/out.json",
        ),
        _kind("probe-outputs", save_outputs, "probe import {file} --store {case}/s"),
        _kind(
            "report",
            save_report,
            "audit --report {file} --fail-on never",
            "audit --report {file} --fail-on never --full --output html",
            "audit --report {file} --fail-on never --show 1 -v",
        ),
        _kind("calibration", save_calibration, f"{PATH} --calibration {{file}}"),
        _kind(
            "configuration",
            save_configuration,
            "--config {file} config show --json",
            "--config {file} audit --fail-on never",
            f"--config {{file}} {PATH}",
        ),
        _kind("ignore-file", save_ignore, f"audit {AUDIT} --demo interzone --ignore-file {{file}}"),
        _kind(
            "snapshot",
            save_snapshot,
            *(f"{line} --prices {{folder}}" if "diff" not in line else line for line in SNAPSHOT),
            is_folder=True,
        ),
        _kind(
            "catalogue",
            save_catalogue,
            BUILD,
            BUILD,
            "prices map {folder}/skus.json",
            is_folder=True,
        ),
        _kind(
            "saved-pages",
            save_saved_pages,
            f"{REFRESH} --api-endpoint {CATALOG_URL}",
            is_folder=True,
            inside="out/.refresh",
        ),
        _kind(
            "api-answers",
            copied(FOLDER / "api"),
            f"audit {AUDIT} --project one-project --api-endpoint {{url}} --anonymous"
            " --max-attempts 1 --timeout 20",
            is_folder=True,
            is_served=True,
        ),
        _kind(
            "catalogue-answers",
            save_catalogue_answers,
            f"{REFRESH} --api-endpoint {{url}} --base {{folder}}/base.snapshot"
            " --project one-project",
            is_folder=True,
            is_served=True,
        ),
        _kind(
            "billing-export",
            save_exports,
            "price traffic --from us-central1 --to us-east1 --gib 9 --billing-export {file}",
            "prices reconcile --demo gecko --billing-export {file}",
        ),
        _kind(
            "path-tables",
            save_paths,
            "predict --batch {file}",
            "predict --batch {file} --format json --together",
            "model evaluate {file}",
            "model atlas --measurements {file}",
            "calibrate {file} --out {case}/out.json",
        ),
        _kind(
            "changes", save_changes, f"{WHATIF} json", f"{WHATIF} html:{{case}}/a --output commands"
        ),
        _kind(
            "series", save_series, f"{FORECAST} json", f"{FORECAST} html:{{case}}/a --output csv"
        ),
        _kind("networks", save_networks, *MOVES, is_folder=True),
        _kind(
            "placement-tables",
            save_placement,
            *(f"{PLACE} {form}" for form in ("json", "commands", "text")),
            is_folder=True,
        ),
        _kind(
            "needs-tables",
            save_needs,
            "fleet --needs {file} --output json",
            "fleet --needs {file} --commitments none --output commands",
        ),
        _kind("price-batch", save_batch, "price machine --batch {file}"),
    )
}


def chosen(kind: Kind, folder: Path, rng: random.Random) -> tuple[Path, Words]:
    """Return the example to damage and the command to run, by a seed."""
    examples = sorted(path for path in folder.iterdir() if path.is_file())
    return rng.choice(examples), rng.choice(kind.commands)
