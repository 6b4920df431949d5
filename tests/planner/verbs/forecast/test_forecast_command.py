"""`netplan forecast` as a process: answers, what is not claimed, and bad input."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

from netplan_planner.units import bytes_from_gbps
from support.commands.run import run_verbs
from support.flows.project import host
from support.flows.records import entry, lines
from support.forecasts.made import daily, hourly, series, table
from support.projects.compute_json import machine

COMMANDS_BY_ANSWER = {"ForecastAnswer": ("forecast --demo gecko", "forecast --demo interzone")}
"""Commands whose JSON and CSV `test_every_answer` looks at."""


def forecast(folder: Path, text: str, *arguments: str) -> CompletedProcess[str]:
    path = folder / "series.csv"
    path.write_text(text, "utf-8")
    return run_verbs(arguments=["forecast", "--series", str(path), *arguments])


def answer(folder: Path, text: str, *arguments: str) -> dict[str, Any]:
    found = forecast(folder, text, "--output", "json", *arguments)
    assert found.returncode in {0, 1}, found.stderr
    return dict(json.loads(found.stdout))


def growing(name: str = "web", /, size: float = 5.0, **more: str) -> str:
    days = series("ratio", 70, 0, np.random.default_rng(16)) * size
    return table(daily(list(days), name), **more)


MACHINE = {"machine_type": "n2-standard-8", "zone": "us-central1-a"}


def test_it_says_when_a_cap_is_reached_and_what_carries_it(tmp_path: Path) -> None:
    found = forecast(tmp_path, growing(size=8.0, **MACHINE))
    assert found.returncode == 1, found.stderr
    for text in ("reaches 90% of its cap of 16 Gbit/s in", "probability", "growing by", "carries"):
        assert text in " ".join(found.stdout.split())
    assert max(map(len, found.stdout.splitlines())) <= 100


def test_a_type_of_the_same_cap_is_no_way_out(tmp_path: Path) -> None:
    """Level at the line, n2d-standard-4 with its 10 Gbit/s would carry 9 with the headroom."""
    days = 8.5 * np.exp(0.03 * np.random.default_rng(3).standard_normal(56))
    given = {"machine_type": "n2-standard-4", "zone": "us-central1-a"}
    (machine,) = answer(tmp_path, table(daily(list(days)), **given))["machines"]
    assert (machine["status"], machine["now_gbps"] < 9) == ("within", True)
    assert machine["cap_gbps"] == 10
    assert machine["next_machine"]["usable_gbps"] > 9


def test_not_within_the_horizon_already_there_and_among_others(tmp_path: Path) -> None:
    found = answer(tmp_path, growing(size=0.5, **MACHINE))
    (machine,) = found["machines"]
    assert (machine["status"], machine["week"]) == ("beyond", None)
    assert machine["probability"] < 0.05
    found = answer(tmp_path, growing(size=15.0, **MACHINE))
    (machine,) = found["machines"]
    assert (machine["status"], machine["week"]) == ("there", 0)
    assert machine["next_machine"]["usable_gbps"] >= machine["next_machine"]["needs_gbps"]
    # One machine at its cap among others ends with 1.
    full, idle = growing("web", 15.0, **MACHINE), growing("idle", 0.1, **MACHINE)
    done = forecast(tmp_path, full + idle.partition("\n")[2], "-o", "json")
    machines = {one["name"]: one["status"] for one in json.loads(done.stdout)["machines"]}
    assert machines == {"web": "there", "idle": "beyond"}
    assert done.returncode == 1


def test_a_short_window_claims_nothing(tmp_path: Path) -> None:
    rows = hourly(9, lambda hour: 1 + hour / 50)
    found = answer(tmp_path, table(rows, cap_gbps="10"))
    (machine,) = found["machines"]
    assert machine["status"] == "unforeseen"
    assert machine["probability"] is None
    assert machine["end_gbps"]["low"] is None
    assert machine["basis"]["growth_per_week"] is None
    text = forecast(tmp_path, table(rows, cap_gbps="10"))
    assert text.returncode == 0
    assert "Too short to forecast" in text.stdout
    assert "probability" not in text.stdout.replace("without intervals or probabilities", "")
    # Less than a day is what was seen.
    found = answer(tmp_path, table(hourly(1, lambda _: 2.0)[:5], cap_gbps="10"))
    assert found["machines"][0]["now_gbps"] == 2.0


def test_paths_have_money_and_csv_a_row_each(tmp_path: Path) -> None:
    text = growing("replica", 0.2, src_region="us-central1", dst_region="europe-west1")
    found = answer(tmp_path, text)
    (path,) = found["paths"]
    assert float(found["low_usd"]) < float(found["usd"]) < float(found["high_usd"])
    assert path["usd"] == found["usd"]
    assert [month["month"] for month in found["months"]] == [1, 2, 3]
    rows = list(csv.DictReader(io.StringIO(forecast(tmp_path, text, "-o", "csv").stdout)))
    assert [row["kind"] for row in rows] == ["path"]


def test_the_order_of_rows_and_the_scale_change_nothing(tmp_path: Path) -> None:
    head, *rows = growing("web", 5.0, **MACHINE).splitlines()
    one = answer(tmp_path, growing("web", 5.0, **MACHINE))
    assert answer(tmp_path, "\n".join([head, *rows[::-1]]) + "\n") == one
    # Scaling series and cap leaves the weeks.
    one = answer(tmp_path, growing(size=8.0, cap_gbps="16"))["machines"][0]
    ten = answer(tmp_path, growing(size=80.0, cap_gbps="160"))["machines"][0]
    for name in ("status", "week", "low_week", "high_week", "probability"):
        assert one[name] == ten[name]
    for end in ("low", "middle", "high"):
        assert ten["end_gbps"][end] == pytest.approx(10 * one["end_gbps"][end], rel=1e-4)


def test_the_page_has_a_picture_with_the_cap(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    found = forecast(tmp_path, growing("web", 5.0, **MACHINE), "-o", f"html:{page}")
    assert found.returncode in {0, 1}, found.stderr
    html = page.read_text("utf-8")
    assert 'class="band"' in html
    assert "cap 16 Gbit/s" in html


def test_flow_logs_of_weeks_are_forecast(tmp_path: Path) -> None:
    """An inventory with three weeks of records, one an hour: both machine and path have one."""
    sender, receiver = host("web", "10.0.0.1"), host("db", "10.0.0.2")
    records = [
        entry("10.0.0.1", "10.0.0.2", 10**9 + 10**6 * (hour % 24), packets=1000,
              start=3600 * hour, end=3600 * hour + 300, src_vm=sender, dst_vm=receiver)
        for hour in range(24 * 21)
    ]  # fmt: skip
    flows = tmp_path / "flows.json"
    flows.write_text(lines(records), "utf-8")
    inventory = tmp_path / "instances.json"
    inventory.write_text(json.dumps([machine("web", address="10.0.0.1")]), "utf-8")
    done = run_verbs(
        arguments=["forecast", "--inventory", str(inventory), "--traffic", str(flows), "-o", "json"]
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    found_one = next(one for one in found["machines"] if one["name"] == "web")
    assert found_one["status"] == "beyond"
    assert found_one["basis"]["known_days"] >= 20
    assert found_one["basis"]["has_week_shape"]


def test_an_old_input_says_that_weeks_count_from_its_end(tmp_path: Path) -> None:
    found = forecast(tmp_path, growing())
    said = " ".join(found.stdout.split())
    assert "ends on 2026-10-12, over a week ago. Weeks and dates count from that day" in said


def test_a_gap_of_months_is_borne_in_silence(tmp_path: Path) -> None:
    rows = [row for at, row in enumerate(daily([5 + day / 10 for day in range(170)]))
            if at < 20 or at > 150]  # fmt: skip
    found = forecast(tmp_path, table(rows, cap_gbps="40"))
    assert found.returncode in {0, 1}
    assert "Warning" not in found.stderr


def test_a_machine_of_an_inventory_gets_its_step_before_its_day(tmp_path: Path) -> None:
    demo = Path(__file__).parents[4] / "planner" / "netplan_planner" / "demos" / "gecko"
    start = datetime(2026, 8, 3, tzinfo=UTC)
    rows = ["src,dst,start,end,bytes"]
    for hour in range(24 * 35):
        begins, ends = (start + timedelta(hours=at) for at in (hour, hour + 1))
        sent = bytes_from_gbps(1.2 * (1 + 0.01 * hour / 24), 3600)
        times = ",".join(f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in (begins, ends))
        rows.append(f"transcoder-1,transcoder-2,{times},{int(sent)}")
    traffic = tmp_path / "flows.csv"
    traffic.write_text("\n".join(rows) + "\n")
    given = ["forecast", "--inventory", str(demo / "inventory"), "--traffic", str(traffic)]
    found = run_verbs(arguments=[*given, "-o", "commands", "-o", f"json:{tmp_path / 'a.json'}"])
    assert found.returncode == 1, found.stderr
    # 0.9 of the cap of 2 Gbit/s is reached on day 50, in the third week after the 35 days.
    (machine,) = (m for m in json.loads((tmp_path / "a.json").read_text())["machines"]
                  if m["status"] == "within")  # fmt: skip
    assert machine["week"] == 3
    # The days have passed, so it is due.
    told = "Now, because it has likely been at its cap since the week of 2026-09-21: change"
    assert f"{told} transcoder-1" in (found.stdout)
    assert "set-machine-type transcoder-1" in found.stdout
