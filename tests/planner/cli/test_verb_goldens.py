"""What verbs print, whole: on the embedded snapshot, on a day of limits and with a pinned today.

Those of audit, of probes, of evaluations and of snapshots stand beside their renderers' tests.
"""

import json
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.commands import answers
from support.commands.in_process import netplan
from support.forecasts import made

Golden = Callable[[str, str], None]
TODAY = date(2026, 11, 21)
ASK_FOR_TODAY = ("cli.commands", "planning.project")
"""Modules that look at the calendar; prices are old or not by it."""
MOST_LINES = 175
FIRST_ROWS = 40
"""Of CSV: with its head."""
_ON = f"--as-of {TODAY}"
_SERIES = f"--region us-central1 --series n2,c3 --top 3 {_ON}"
_ZONES = "--src-place us-central1-a --dst-place us-central1-b"
_PRICE = "price machine n2-standard-8 --region us-central1"
_JOB = f"job --bytes-in 2TB --bytes-out 200GB --cpu-seconds 20000 --start-up 40s {_SERIES}"
_WHATIF = "whatif --demo gecko --vm transcoder"
_PLACES = f"--vms FOLDER/vms.csv --edges FOLDER/edges.csv --today {TODAY}"
_MOVE = "transfer --from us-central1 --bytes 10TB"
_N2 = f"--series n2,c3d --max-count 4 --top 5 {_ON}"
LINES = {
    "caps": f"caps n1-standard-16 {_ON}",
    "caps-list": f"caps --series h3,t2a {_ON}",
    "recommend": f"recommend --gbps 20 {_SERIES}",
    "recommend-infeasible": f"recommend --gbps 5000 {_SERIES}",
    "job": f"job --demo dobermanifesto {_ON}",
    "job-deadline": f"{_JOB} --deadline 1h --runs-per-day 4 --baseline n2-standard-2",
    "job-spot": f"{_JOB} --spot --spot-interruptions-per-day 2 --overlap in,compute",
    "job-infeasible": f"{_JOB} --deadline 45s",
    "whatif": f"{_WHATIF}-[1-4] --address internal --machine-type n1-highcpu-8",
    "whatif-growth": f"{_WHATIF}-1 --growth 2 --by 2027-11-21",
    "forecast": f"forecast --series FOLDER/series.csv {_ON}",
    "forecast-too-short": f"forecast --demo interzone --top 2 {_ON}",
    "place": f"place {_PLACES}",
    "place-infeasible": f"place {_PLACES} --zones FOLDER/small-zones.csv",
    "transfer": f"{_MOVE} --to europe-west4 --start-up 40s --deadline 2h {_N2}",
    "transfer-relay": f"transfer --from me-west1 --to us-east1 --bytes 10TB {_N2}",
    "transfer-several": f"{_MOVE} --to europe-west4,europe-west1,us-east1 --goal time {_N2}",
    "transfer-internet": f"{_MOVE} --to internet --area Japan {_N2}",
    "transfer-infeasible": f"{_MOVE} --to europe-west4 --quota us-central1=5 --deadline 1h {_N2}",
    "predict": f"predict n2-standard-8 n2-standard-4 {_ZONES} --bytes 2TiB {_ON}",
    "predict-unknown": f"predict n4-custom-96-393216 {_ON}",
    "predict-plugins": f"predict n2-standard-8 --plugin calico --plugin cilium {_ON}",
    "predict-service": f"predict n2-standard-8 --service percona-xtradb-sysbench-oltp {_ON}",
    "predict-batch": f"predict --batch FOLDER/paths.csv {_ON}",
    "price-machine": _PRICE,
    "price-machine-all": f"{_PRICE} --usage all",
    "price-machine-batch": "price machine --batch FOLDER/machines.csv",
    "price-traffic": "price traffic --from us-central1 --to internet --area Japan --gib 2000",
    "price-address": "price address --region us-central1",
    "price-sku": "price sku D011-1819-740D",
    "price-nat": "price nat --region us-central1 --vms 3 --gib 100",
    "price-vpn": "price vpn --region us-central1 --gib 100 --to europe-west1",
    "price-lb": "price lb --region us-central1 --kind internal-application --proxies 2 --gib 9",
    "price-flow-logs": "price flow-logs --records 100000000",
    "calibrate": f"calibrate FOLDER/probes.jsonl --out FOLDER/calibration.json {_ON}",
    "graph": f"graph --demo interzone --today {TODAY}",
    "rules": "rules",
    "rules-one": "rules vpc-mtu-mismatch",
}
OWN_FORMATS = {
    # Its JSON is that of the short window, with more of each.
    "forecast": ("text", "csv"),
    "predict-batch": ("csv",),
    "price-machine-batch": ("csv", "json"),
    **dict.fromkeys(("whatif", "whatif-growth"), ("text", "csv")),
    **dict.fromkeys(("place", "place-infeasible"), ("text", "csv")),
    **dict.fromkeys(("job", "job-deadline", "job-spot", "job-infeasible"), ("text", "csv")),
    **dict.fromkeys((name for name in LINES if name.startswith("transfer")), ("text", "csv")),
}
"""Of tables that are not read by people, and of plans whose JSON is long; the others are written as
text, JSON and CSV."""

BY_NIGHT = frozenset({"transfer-internet"})
"""It takes as long as ten others; `test_google.py` has its kind."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the inputs, and pin today."""

    class Pinned(date):
        @classmethod
        def today(cls) -> "Pinned":
            return cls(TODAY.year, TODAY.month, TODAY.day)

    for name in ASK_FOR_TODAY:
        monkeypatch.setattr(import_module(f"netplan_planner.{name}"), "date", Pinned)
    answers.calibration(tmp_path)
    answers.price_table(tmp_path)
    (tmp_path / "series.csv").write_text(forecasts(), "utf-8")
    (tmp_path / "paths.csv").write_text(
        "path_class,machine_type,streams,rtt_ms,mtu\n"
        "same-zone-internal,n2-standard-8,1,,\n"
        "inter-region-internal,n2-standard-8,8,100,\n"
        "same-zone-internal,n9-odd,,,\n"
        "same-zone-internal,n2-standard-8,,,8896\n",
        "utf-8",
    )
    (tmp_path / "vms.csv").write_text(
        "name,zone,vcpus,group,is_spread,is_pinned,machine_type\n"
        "web-1,us-central1-a,8,web,true,,\nweb-2,us-central1-b,8,web,true,,\n"
        "cache,us-central1-b,,,,,n2-standard-16\ndb,us-central1-a,32,,,true,\n"
        "log,us-central1-b,4,,,,\n",
        "utf-8",
    )
    (tmp_path / "edges.csv").write_text(
        "src,dst,gib_per_month,max_rtt_ms\n"
        "web-1,cache,9000,\nweb-2,cache,9500,\ncache,db,40000,1.0\nlog,db,300,\n"
        "web-1,web-2,800,\n",
        "utf-8",
    )
    (tmp_path / "small-zones.csv").write_text(
        "zone,capacity_vcpus\nus-central1-a,30\nus-central1-b,20\n", "utf-8"
    )
    return tmp_path


def forecasts() -> str:
    """Return days of a machine that grows, of one that does not, and of a path with an outage."""
    dice = np.random.default_rng(16)
    head = "name,time,gbps,machine_type,zone,src_region,dst_region"
    rows = [head]
    for name, kind, size, more in (
        ("web", "ratio", 5.0, "n2-standard-8,us-central1-a,,"),
        ("db", "level", 2.0, "n2-standard-8,us-central1-a,,"),
        ("replica", "outage", 0.2, ",,us-central1,europe-west1"),
    ):
        values = made.series(kind, 70, 0, dice) * size
        rows += [f"{name},{time},{rate:.4f},{more}" for _, time, rate in made.daily(list(values))]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[pytest.mark.nightly] if one in BY_NIGHT else []) for one in LINES],
)
def test_golden(name: str, place: Path, golden: Golden) -> None:
    formats = OWN_FORMATS.get(name, ("text", "json", "csv"))
    files = {form: place / f"answer.{form}" for form in formats}
    outputs = [word for form, file in files.items() for word in ("-o", f"{form}:{file}")]
    done = netplan(*LINES[name].replace("FOLDER", str(place)).split(), *outputs)
    assert done.status in {0, 1}, done.err
    for form, file in files.items():
        text = file.read_text("utf-8").replace(str(place), "FOLDER")
        if form == "json":
            text = shortened(text)
        elif form == "csv":
            text = "".join(text.splitlines(keepends=True)[:FIRST_ROWS])
        assert text.count("\n") <= MOST_LINES
        golden(f"verbs/{name}.{'txt' if form == 'text' else form}", text)


def shortened(text: str) -> str:
    """Return JSON with so many items of each list that it can be read: all, two, or one."""
    for most in (2, 1):
        if text.count("\n") > MOST_LINES:
            text = f"{json.dumps(_cut(json.loads(text), most), indent=2, ensure_ascii=False)}\n"
    return text


def _cut(value: Any, most: int) -> Any:
    if isinstance(value, list):
        return [_cut(one, most) for one in value[:most]]
    if isinstance(value, dict):
        return {name: _cut(one, most) for name, one in value.items()}
    return value


def test_the_settings_of_one_verb(golden: Golden) -> None:
    """Of all settings those of `caps`: a golden of all would change with every option."""
    done = netplan("config", "show")
    kept = [line for line in done.out.splitlines() if line.startswith(("setting", "caps."))]
    assert len(kept) > 1
    golden("verbs/config-show-caps.txt", "".join(f"{' '.join(line.split())}\n" for line in kept))
