"""`netplan probe` as a user calls it: the plan, the order to run it, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands.run import run_verbs
from support.probes.plans import instance, inventory_file

FAR = "europe-west1-b"


@pytest.fixture
def inventory(tmp_path: Path) -> str:
    return str(
        inventory_file(
            tmp_path / "instances.json",
            instance("near", "10.0.0.1", machine_type="n2-standard-8"),
            instance("far", "10.0.0.2", machine_type="n2-standard-8", zone=FAR),
            instance("alone", "10.0.0.3", labels={"netplan-no-probe": ""}),
            instance("off", "10.0.0.4", status="TERMINATED"),
        )
    )


def probe(*arguments: str, **environment: str) -> tuple[int, str, str]:
    done = run_verbs(arguments=["probe", *arguments], **environment)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def flat(text: str) -> str:
    """Return a text as if no line had been broken."""
    return " ".join(text.split())


def document(*arguments: str) -> dict[str, Any]:
    status, out, errors = probe(*arguments, "--format", "json")
    assert status == 0, errors
    found: dict[str, Any] = json.loads(out)
    return found


ROUNDED_USD = 5e-6
"""Each shown amount is rounded to a millionth of a dollar."""


def test_the_document_has_every_figure_of_the_plan() -> None:
    found = document("plan", "--demo", "gecko", "--max-usd", "0.60")
    assert found["schema"] == "netplan.probe-plan/1"
    assert found["id"].startswith("probe-")
    assert found["results"] is None
    assert found["most"]["usd"] <= 0.60
    assert found["expected"]["usd"] == pytest.approx(
        sum(one["expected"]["usd"] for one in found["probes"]), abs=ROUNDED_USD
    )
    for one in found["probes"]:
        lines = one["expected"]["line_items"]
        assert one["expected"]["usd"] == pytest.approx(
            sum(line["usd"] for line in lines), abs=ROUNDED_USD
        )
        for line in lines:
            assert line["usd"] == pytest.approx(line["gib"] * line["usd_per_gib"], abs=1e-6)
        assert one["expected"]["vm_usd_billed"] == 0
        assert one["expected"]["vm_usd_in_ranking"] > 0
        assert {each["way"] for each in one["predictions"]} >= {"forward", "reverse"}
    # With less money some do not fit into it.
    left_out = [
        *found["left_out"],
        *document("plan", "--demo", "gecko", "--max-usd", "0.30")["left_out"],
    ]
    assert {one["kind"] for one in left_out} == {"known", "limit"}
    assert all(one["reason"] for one in left_out)
    assert found["impacts"][0]["has_flow_logs"] is True


def test_named_pairs_are_planned_and_refused_ones_listed(inventory: str, tmp_path: Path) -> None:
    pairs = ("--pair", "near:far", "--pair", "near:alone", "--pair", "off:near")
    found = document("plan", "--inventory", inventory, *pairs)
    assert {(one["src"], one["dst"]) for one in found["probes"]} == {("near", "far")}
    assert found["probes"][0]["expected"]["usd"] > 0
    reasons = {one["reason"] for one in found["left_out"] if one["kind"] == "refused"}
    assert reasons == {
        "alone has the label netplan-no-probe",
        "off is not running (TERMINATED); netplan starts no VM",
    }
    _, out, _ = probe("plan", "--inventory", inventory, *pairs)
    assert "alone has the label netplan-no-probe" in flat(out)
    assert "no flow logs (--traffic)" in flat(out)
    # Local ends must be said.
    asked = ["--inventory", inventory, "--pair", "near:far", "--transport", "local", "--yes"]
    status, _, errors = probe("run", *asked, "--store", str(tmp_path / "s"))
    assert status == 2
    assert "state how a command runs on near" in errors


def touched(tmp_path: Path) -> tuple[str, Path]:
    """A way to an end that leaves a file when it is used."""
    mark = tmp_path / "used"
    script = tmp_path / "enter"
    script.write_text(f'#!/bin/sh\ntouch "{mark}"\nexit 1\n', "utf-8")
    script.chmod(0o755)
    return str(script), mark


@pytest.mark.parametrize("verb", [["plan"], ["run"], []])
def test_nothing_runs_without_yes(inventory: str, tmp_path: Path, verb: list[str]) -> None:
    words, mark = touched(tmp_path)
    store = tmp_path / "store.jsonl"
    asked = ["--inventory", inventory, "--pair", "near:far", "--store", str(store)]
    local = ["--transport", "local", "--local-src", words, "--local-dst", words]
    status, out, _ = probe(*verb, *asked, *local)
    assert status == 0
    assert "Nothing was run" in out
    assert not mark.exists()
    assert not store.exists()
    # The same words with the order to run them do use the way.
    status, out, errors = probe("run", *asked, *local, "--yes")
    assert status == 3
    assert mark.exists()
    assert "nothing was measured" in errors


def test_yes_comes_from_nobody_but_the_user(inventory: str, tmp_path: Path) -> None:
    words, mark = touched(tmp_path)
    config = tmp_path / "netplan.toml"
    config.write_text("[probe.run]\nyes = true\n", "utf-8")
    asked = ["run", "--inventory", inventory, "--pair", "near:far", "--transport", "local"]
    asked += ["--local-src", words, "--local-dst", words, "--store", str(tmp_path / "s")]
    by_variable = run_verbs(arguments=["probe", *asked], NETPLAN_PROBE_RUN_YES="1")
    by_file = run_verbs(arguments=["--config", str(config), "probe", *asked])
    for done in (by_variable, by_file):
        assert done.returncode == 2
        assert (
            "--yes is accepted on the command line only, not from a file or a variable"
            in done.stderr
        )
    assert not mark.exists()


@pytest.mark.parametrize("label", ["true", "false", ""])
def test_a_labelled_machine_is_not_touched_by_yes(tmp_path: Path, label: str) -> None:
    words, mark = touched(tmp_path)
    file = inventory_file(
        tmp_path / "i.json",
        instance("a", "10.0.0.1"),
        instance("b", "10.0.0.2", zone=FAR, labels={"netplan-no-probe": label}),
    )
    asked = ["--inventory", str(file), "--transport", "local", "--yes"]
    ends = ["--local-src", words, "--local-dst", words]
    for pair in ("a:b", "b:a"):
        status, out, _ = probe("run", *asked, *ends, "--pair", pair)
        assert status == 0
        assert "b has the label netplan-no-probe" in flat(out)
        status, _, errors = probe("run", *asked, *ends, "--pair", pair, "--strict")
        assert status == 4
        assert "none of the requested paths can be measured" in errors
    assert not mark.exists()


def test_told_buffers_are_windows_of_their_own_in_the_plan(tmp_path: Path) -> None:
    zones = ("us-central1-a", FAR, "asia-east1-a")
    made = [
        instance(f"{role}-{at}", f"10.0.{at}.{host}", machine_type="n2-standard-8", zone=zone)
        for host, role in enumerate(("db", "web"), 1)
        for at, zone in enumerate(zones)
    ]
    inventory = inventory_file(tmp_path / "instances.json", *made)
    pairs = [
        f"--pair={role}-{one}:{role}-{other}"
        for role in ("db", "web")
        for one, other in ((0, 1), (1, 2), (0, 2))
    ]
    config = tmp_path / "netplan.toml"
    size = 2**26

    def windows(text: str) -> tuple[int, set[str]]:
        config.write_text(text, "utf-8")
        words = ("plan", "--inventory", str(inventory), "--streams", "1", *pairs)
        found = document(*words, "--config", str(config))
        shown = {one["limit"] for probe in found["probes"] for one in probe["tells"]}
        return len(found["probes"]), {one for one in shown if one.startswith("window")}

    count, alike = windows("")
    both = f"{{ receive_buffer_bytes = {size}, send_buffer_bytes = {size} }}"
    more, apart = windows(f'[tcp]\n"db-*" = {both}\n')
    assert alike == {"window-over-rtt (to own machines)"}
    assert apart == alike | {
        "window-over-rtt (to own machines with receive buffers of 64 MiB, send buffers of 64 MiB)",
    }
    assert more == 2 * count
