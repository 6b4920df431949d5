"""An answer of every kind as JSON and as CSV: from a command, or made where that would measure."""

import ast
import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from netplan_planner.model import Value
from netplan_planner.planning.run_file import add_run
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import FORMATS, parse_output, write_outputs
from netplan_pricing.container import FILE_NAME
from support.calibrations.inputs import record, store
from support.commands.run import run_verbs
from support.history import runs_of
from support.prices.billing_export import usage, write_flat_csv
from support.prices.inputs import LISTS, TABLES, arguments, built, write_inputs
from support.probes import answers as probe_answers


class Written(NamedTuple):
    """What one command wrote."""

    document: dict[str, Any]
    csv: str

    @property
    def rows(self) -> list[dict[str, str]]:
        """The table by column."""
        return list(csv.DictReader(self.csv.splitlines(keepends=True), strict=True))


def calibration(folder: Path) -> list[str]:
    probes = store(folder / "probes.jsonl", [record(n, 24.0 + 0.1 * n) for n in range(8)])
    return ["calibrate", str(probes), "--out", str(folder / "calibration.json")]


def recorded(folder: Path) -> list[str]:
    """Return what shows a history of some runs with a step in it."""
    for run in runs_of([*[100.0] * 24, *[150.0] * 6]):
        add_run(folder / "runs.duckdb", run)
    return ["history", str(folder / "runs.duckdb")]


def price_table(folder: Path) -> list[str]:
    table = folder / "machines.csv"
    table.write_text("machine_type,region,note\nn2-standard-4,us-central1,=1+1\nn9-odd,nowhere,\n")
    return ["price", "machine", "--batch", str(table)]


def snapshot(folder: Path, changed: Mapping[str, str | None] | None = None) -> Path:
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(built(folder / "in", changed).content)
    return folder


def build(folder: Path) -> list[str]:
    inputs = write_inputs(folder / "in")
    return ["prices", "build", *arguments(inputs), "--out", str(folder), "--accept-changes"]


def changes(folder: Path) -> list[str]:
    fewer = "".join(row for row in TABLES[LISTS].splitlines(True) if ",c4n-standard-4," not in row)
    old, new = snapshot(folder / "old"), snapshot(folder / "new", {LISTS: fewer})
    return ["prices", "diff", str(old), str(new)]


def check(folder: Path) -> list[str]:
    return ["prices", "verify", "--prices", str(snapshot(folder / "made"))]


def sku_map(folder: Path) -> list[str]:
    return ["prices", "map", str(write_inputs(folder / "in") / "skus.json")]


def collected(folder: Path) -> list[str]:
    return ["collect", "--demo", "gecko", "--out", str(folder / "made.tar.zst")]


def accepted(folder: Path) -> list[str]:
    return ["baseline", "--demo", "gecko", "--out", str(folder / "accepted.json")]


def written_settings(folder: Path) -> list[str]:
    (folder / "rates.csv").write_text("src,dst,gbps\na,b,1\n")
    return ["init", "--dir", str(folder), "--project", "demo-project", "--force"]


def aggregated(folder: Path) -> list[str]:
    return ["flows", "aggregate", "--demo", "gecko", "--out", str(folder / "sums")]


def reconciled(folder: Path) -> list[str]:
    zones = usage("DE9E-AFBC-A15A", "Network Inter Zone Data Transfer Out", 245_000, 2450.0)
    bill = write_flat_csv(folder / "bill.csv", [zones, usage("1111-1111-1111", "Core", 10, 17.0)])
    return ["prices", "reconcile", "--demo", "gecko", "--billing-export", str(bill)]


def evaluation(folder: Path) -> list[str]:
    table = folder / "measured.csv"
    table.write_text(
        "machine_type,dst_machine_type,path_class,value,unit\n"
        "n2-standard-8,n2-standard-8,same-zone-internal,15.1,gbps\n"
        "n2-standard-4,n2-standard-8,same-zone-internal,9.2,gbps\n"
    )
    return ["model", "evaluate", str(table)]


def path_table(folder: Path) -> list[str]:
    table = folder / "paths.csv"
    table.write_text("machine_type,path_class\nn2-standard-8,same-zone-internal\nn9-odd,=1+1\n")
    return ["predict", "--batch", str(table)]


_PAIR = ["predict", "n2-standard-8", "n2-standard-8"]
Source = list[str] | Callable[[Path], list[str]] | Value
"""A command, or what makes one and its input, or an answer."""
_MADE: Mapping[str, tuple[Source, ...]] = {
    "Aggregated": (aggregated,),
    "BaselineAnswer": (accepted,),
    "CalibrationReport": (calibration,),
    "Collected": (collected,),
    "DiffAnswer": (["diff", "docs/examples/plan.json"],),
    "Diagnosis": (["doctor", "--anonymous"],),
    "Environment": (["config", "show", "--env"],),
    "HistoryAnswer": (recorded,),
    "InitAnswer": (written_settings,),
    "PluginTable": ([*_PAIR, "--plugin", "calico", "--plugin", "cilium"],),
    "Prediction": (
        [*_PAIR, "--bytes", "10GB"],
        ["predict", "--src-type", "n2-standard-8", "--path", "google-apis"],
    ),
    "PriceAnswer": (
        ["price", "machine", "n2-standard-4", "--region", "us-central1"],
        ["price", "traffic", "--from", "us-central1", "--to", "europe-west1", "--gib", "100"],
        ["price", "address", "--region", "us-central1"],
        ["price", "nat", "--region", "us-central1", "--vms", "3", "--gib", "100", "--hours", "9"],
        ["price", "sku", "015F-5732-FFF0"],
    ),
    "PriceChanges": (changes,),
    "PriceCheck": (check,),
    "PriceTable": (price_table,),
    "Evaluation": (evaluation,),
    "ProbeImport": (probe_answers.imported(),),
    "ProbePlan": (["probe", "plan", "--demo", "gecko"],),
    "ProbeResults": (probe_answers.results(),),
    "Recommendation": (
        ["recommend", "--gbps", "10", "--region", "us-central1"],
        ["recommend", "--gbps", "100000", "--region", "us-central1"],
    ),
    "Reconciliation": (reconciled,),
    "Report": (["audit", "--demo", "gecko", "--fail-on", "never"],),
    "RuleList": (["rules"],),
    "RulePage": (["rules", "egress-cap-undersized-for-target"],),
    "Settings": (["config", "show"],),
    "SkuMap": (sku_map,),
    "SnapshotBuilt": (build,),
    "TrafficGraph": (["graph", "--demo", "gecko"], ["graph", "--demo", "gecko", "--top", "1"]),
}
"""By the name of the answer's type, those that need an input, or of verbs with many tests."""
NAME = "COMMANDS_BY_ANSWER"


def _of_tests() -> Mapping[str, tuple[Source, ...]]:
    """Return the commands that a test of a verb names, by the type of their answer."""
    found: dict[str, tuple[Source, ...]] = {}
    for file in sorted(Path(__file__).parents[2].rglob("test_*.py")):
        text = file.read_text("utf-8")
        if f"\n{NAME} = {{" not in text:
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == NAME:
                lines = ast.literal_eval(node.value)
                found |= {name: tuple(map(str.split, told)) for name, told in lines.items()}
    return found


SOURCES = {**_MADE, **_of_tests()}
"""By the name of the answer's type."""


def written(source: Source, folder: Path) -> Written:
    """Return what a command writes as JSON and as CSV, or what stands for an answer."""
    paths = {form: folder / f"answer.{form}" for form in ("json", "csv")}
    asked = [f"{form}:{path}" for form, path in paths.items()]
    if isinstance(source, Value):
        write_outputs(source, [parse_output(text, FORMATS) for text in asked], RenderOptions())
    else:
        words = source if isinstance(source, list) else source(folder)
        outputs = [part for text in asked for part in ("--output", text)]
        done = run_verbs(arguments=[*words, *outputs])
        assert done.returncode in {0, 1}, done.stderr
    table = paths["csv"].read_bytes().decode()
    return Written(json.loads(paths["json"].read_text("utf-8")), table)
