"""`netplan history`: steps and what made them, advice that was carried out, text and page."""

import json
import math
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from netplan_planner.model import PathClass, Severity
from netplan_planner.model.finding import ChangeKind
from netplan_planner.planning.run_file import add_run
from netplan_planner.planning.run_record import (
    RunChange,
    RunFinding,
    RunMachine,
    RunPair,
    RunRecord,
)
from netplan_planner.verbs.history.answer import CauseKind, Step
from netplan_planner.verbs.history.run import history_of, steps_of
from support.commands.answers import recorded
from support.commands.run import run_anew, run_verbs
from support.history import FIRST, pair, run_of, runs_of

STEP = 30


def step_of(before: list[RunPair], after: list[RunPair], days: int = 34) -> Step:
    """Return the one step of a project that goes over from some pairs to others."""
    steady = pair(50.0, "app-1", "db-9", src_group="app", dst_group="db9")
    runs = [
        run_of(number, [*(after if number >= STEP else before), steady]) for number in range(days)
    ]
    (step,) = steps_of(runs)
    assert step.day == FIRST + timedelta(days=STEP)
    return step


def test_a_weekend_is_no_step() -> None:
    usd = [100.0 - 50.0 * (number % 7 >= 5) for number in range(63)]
    assert not list(steps_of(list(runs_of(usd))))


def test_neither_is_a_burst_of_a_day_or_slow_growth() -> None:
    burst = [100.0 + 300.0 * (number == 40) for number in range(63)]
    growth = [100.0 * 1.002**number for number in range(90)]
    assert not list(steps_of(list(runs_of(burst))))
    assert not list(steps_of(list(runs_of(growth))))


@pytest.mark.parametrize("last", [STEP + 2, STEP + 3, STEP + 20])
def test_a_step_in_a_week_is_dated_and_stays(last: int) -> None:
    usd = [
        (100.0 + 40.0 * (number >= STEP)) * (1 - 0.5 * (number % 7 >= 5)) for number in range(last)
    ]
    (step,) = steps_of(list(runs_of(usd)))
    assert step.day == FIRST + timedelta(days=STEP)
    assert step.seen_day <= FIRST + timedelta(days=STEP + 2)
    assert step.causes[0].name == "web-1 → db-1"


def test_weekly_runs_need_no_weekdays() -> None:
    runs = [run_of(7 * number, [pair(100.0 + 60.0 * (number >= 12))]) for number in range(16)]
    (step,) = steps_of(runs)
    assert step.day == FIRST + timedelta(days=7 * 12)


def test_a_failover_is_named_with_both_places() -> None:
    gone = pair(80.0, dst="db-1", dst_group="db", src_group="web")
    other = pair(20.0, dst="db-2", dst_group="db", src_group="web", dst_place="us-central1-c")
    took = pair(160.0, dst="db-7", dst_group="db", src_group="web", dst_place="us-east1-b")
    first = step_of([gone, other], [took, other]).causes[0]
    assert (first.kind, first.name) == (CauseKind.FAILOVER, "db")
    assert "db-1 in us-central1-b fell silent; db-7 in us-east1-b took over" in first.text
    assert first.usd_per_month == Decimal("80.00")


def test_a_new_replica_is_told_from_a_failover() -> None:
    old = pair(80.0, dst="db-1", dst_group="db", src_group="web")
    less = pair(70.0, dst="db-1", dst_group="db", src_group="web")
    new = pair(60.0, dst="db-7", dst_group="db", src_group="web", dst_place="us-central1-c")
    first = step_of([old], [less, new]).causes[0]
    assert (first.kind, first.name) == (CauseKind.NEW_REPLICA, "db")
    assert first.text.endswith("in us-central1-c, where db had no VM")


def test_a_deployment_is_named_though_all_its_vms_have_new_names() -> None:
    old = [pair(40.0, f"web-{n}", src_group="web", src_version="v1") for n in range(3)]
    new = [pair(80.0, f"web-{n}x", src_group="web", src_version="v2") for n in range(3)]
    first = step_of(old, new).causes[0]
    assert (first.kind, first.name) == (CauseKind.DEPLOYMENT, "web")
    assert first.text == "web runs v2 instead of v1"
    assert first.share_ratio == 1.0


def test_a_route_through_nat_is_seen_by_its_path() -> None:
    before = replace(pair(100.0, dst="internet"), path_class=PathClass.INTERNET, dst_place="")
    after = replace(before, path_class=PathClass.NAT, usd_per_month=Decimal("137.5"))
    runs = []
    for number in range(STEP + 4):
        one = after if number >= STEP else before
        run = run_of(number, [one, pair(50.0, "app-1", "db-9")])
        sent = replace(run.traffic_by_class[0], usd_per_month=Decimal(50))
        outside = replace(sent, path_class=one.path_class, usd_per_month=one.usd_per_month)
        runs.append(replace(run, traffic_by_class=(sent, outside)))
    (step,) = steps_of(runs)
    assert step.causes[0].kind is CauseKind.NAT_ROUTE
    assert step.causes[0].text == "Cloud NAT now carries the traffic of 1 VM of web-1"
    assert step.difference_usd_per_month == Decimal("37.50")


def test_other_prices_are_no_change_of_the_project() -> None:
    runs = [
        replace(
            run_of(
                number, [replace(pair(100.0), usd_per_month=Decimal(100 + 30 * (number >= STEP)))]
            ),
            network_prices_as_of=FIRST + timedelta(days=STEP * (number >= STEP)),
        )
        for number in range(STEP + 3)
    ]
    (step,) = steps_of(runs)
    assert step.causes[0].kind is CauseKind.PRICES


def test_a_class_without_a_known_price_is_not_taken_for_free() -> None:
    runs = [run_of(number, [pair(100.0)]) for number in range(40)]
    runs[35:] = [
        replace(one, traffic_by_class=(replace(one.traffic_by_class[0], usd_per_month=None),))
        for one in runs[35:]
    ]
    assert not [one for one in steps_of(runs) if PathClass.INTER_ZONE_INTERNAL in one.series]


def machine(machine_type: str) -> RunMachine:
    return RunMachine(
        project="p",
        zone="z",
        name="vm",
        machine_type=machine_type,
        is_spot=False,
        is_tier1=False,
        external_addresses=(),
    )


FINDING = RunFinding(
    fingerprint="f",
    rule="cheaper-series",
    title="t",
    subject="vm (z)",
    severity=Severity.HIGH,
    saving_usd_per_month=Decimal(12),
    changes=(
        RunChange(
            kind=ChangeKind.MACHINE_TYPE,
            target="projects/p/zones/z/instances/vm",
            to="n2d-standard-8",
        ),
    ),
)


@pytest.mark.parametrize(
    ("after", "is_seen"), [(["n2d-standard-8"], True), (["n2-standard-8"], False), ([], False)]
)
def test_advice_is_carried_out_where_its_fix_is_seen(after: list[str], is_seen: bool) -> None:
    runs = [run_of(0, [], [machine("n2-standard-8")], [FINDING])]
    runs += [run_of(number, [], list(map(machine, after))) for number in (1, 2)]
    (one,) = history_of(runs).carried_out
    assert (one.is_seen, one.day) == (is_seen, runs[1].day)


def test_a_finding_that_comes_back_has_not_left() -> None:
    runs = [run_of(number, [], [], [FINDING] if number != 1 else []) for number in range(3)]
    assert not history_of(runs).carried_out


def test_of_a_day_the_last_run_counts_and_runs_without_traffic_are_unknown() -> None:
    answer = history_of([run_of(0, [pair(1.0)]), run_of(0, [pair(2.0)]), run_of(1, [])])
    assert [one.traffic_usd for one in answer.runs] == [Decimal(2), None]
    assert any("without traffic" in note for note in answer.notes)


def _reports(folder: Path) -> Path:
    reports = folder / "reports"
    reports.mkdir()
    for number in range(2):
        told = run_verbs(
            arguments=["audit", "--demo", "gecko", "--output", f"json:{reports}/{number}.json"]
        )
        assert told.returncode == 1
    (reports / "other.json").write_text("{}")
    return reports


def test_a_folder_of_reports_shows_what_a_file_of_runs_does(tmp_path: Path) -> None:
    shown = run_verbs(arguments=["history", str(_reports(tmp_path)), "--output", "json"])
    path = tmp_path / "h.duckdb"
    run_verbs(arguments=["audit", "--demo", "gecko", "--record", str(path)])
    other = run_verbs(arguments=["history", str(path), "--output", "json"])
    by_folder, by_file = json.loads(shown.stdout), json.loads(other.stdout)
    assert len(by_folder["runs"]) == 1
    assert math.isclose(
        float(by_folder["runs"][0].pop("usd_per_month")),
        float(by_file["runs"][0].pop("usd_per_month")),
    )
    assert by_folder["runs"][0]["finding_count"] == by_file["runs"][0]["finding_count"] == 4
    note = "1 other JSON file left out: no report of this version."
    assert by_folder["notes"][-1] == note
    assert note in run_verbs(arguments=["history", str(tmp_path / "reports")]).stdout
    # In a process of its own: what a library says at its end is said there.
    done = run_anew(Path(sys.executable).with_name("netplan"), "history", tmp_path / "reports")
    assert (done.returncode, done.stderr) == (0, "")


def _file(folder: Path, runs: list[RunRecord]) -> str:
    for one in runs:
        add_run(folder / "h.duckdb", one)
    return str(folder / "h.duckdb")


def test_text_fits_on_a_screen_and_the_page_has_marks(tmp_path: Path) -> None:
    words = recorded(tmp_path)
    text = run_verbs(arguments=words).stdout
    assert len(text.splitlines()) <= 40
    assert "+$50.00/month" in text
    assert "traffic of web-1 → db-1 costs more" in text
    page = run_verbs(arguments=[*words, "--output", "html"]).stdout
    assert 'class="need"' in page
    assert "inter-zone-internal" in page


def test_runs_of_two_projects_are_not_mixed(tmp_path: Path) -> None:
    runs = [run_of(0, []), replace(run_of(1, []), title="lab")]
    path = _file(tmp_path, runs)
    told = run_verbs(arguments=["history", path])
    assert (told.returncode, "lab, shop" in told.stderr) == (2, True)
    assert run_verbs(arguments=["history", path, "--title", "lab"]).returncode == 0
    assert "shop" in run_verbs(arguments=["history", path, "--title", "shp"]).stderr
