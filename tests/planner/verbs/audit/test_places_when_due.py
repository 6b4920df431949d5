"""A finding names its places and commands as they are once the fixes before it are made."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from support.commands.run import run_verbs
from support.projects.compute_json import machine

PLACES = {"ant": "us-central1-a", "bee": "us-central1-b", "cow": "us-central1-b"}
CRITICAL = {"netplan-latency": "critical"}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the options of three days in which `ant` sends much to `bee` in another zone."""
    folder = tmp_path_factory.mktemp("days")
    machines = [
        machine(name, zone=zone, address=f"10.0.0.{at}", labels={} if name == "cow" else CRITICAL)
        for at, (name, zone) in enumerate(PLACES.items(), 2)
    ]
    (folder / "instances.json").write_text(json.dumps(machines), encoding="utf-8")
    start = datetime(2026, 11, 2, tzinfo=UTC)
    rows = [
        f"{src},{dst},{count},{at:%Y-%m-%dT%H:%M:%SZ},{at + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
        for at in (start + timedelta(hours=hour) for hour in range(72))
        for src, dst, count in (("ant", "bee", 6 * 10**10), ("cow", "bee", 10**9))
    ]
    (folder / "traffic.csv").write_text("\n".join(["src,dst,bytes,start,end", *rows]), "utf-8")
    files = (f"--inventory={folder / 'instances.json'}", f"--traffic={folder / 'traffic.csv'}")
    return [*files, "--fail-on=never"]


def said(inputs: list[str], *more: str) -> str:
    done = run_verbs(arguments=["audit", *inputs, *more])
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("form", ["text", "md"])
def test_a_place_is_named_where_the_fixes_before_it_put_it(inputs: list[str], form: str) -> None:
    shown = said(inputs, "--full", "--explain=cheaper-series", "--width=200", f"--output={form}")
    rows = [line for line in shown.splitlines() if "ant (us-central1-a, n2-standard-8)" in line]
    assert "ant (us-central1-b, n2-standard-8)" in rows[-1]
    # The move takes the machine along: no command of the type looks for it where it was.
    fix = " ".join(shown.partition("VMs cost more than")[2].split())
    assert "instances stop ant --zone=us-central1-a" not in fix
    assert "The move of fix 1 includes it: one stop." in fix


def test_two_findings_that_ask_for_one_move_say_so(inputs: list[str]) -> None:
    report = json.loads(said(inputs, "--output=json"))
    of_rule = {finding["rule"]: finding for finding in report["findings"]}
    move = of_rule["chatty-inter-zone-pair"]
    assert of_rule["latency-critical-split"]["same_as"] == move["fingerprint"]
    assert move["rank"] is not None
    shown = said(inputs, "--full").partition("latency-critical-split")[2]
    assert "another finding, which asks for the same change" in shown
