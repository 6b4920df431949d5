"""Bundles: the same report as from what was collected, under other names too, and no socket."""

import json
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from netplan_planner.bundle_file import manifest_of, part_of
from netplan_planner.cli.app import app
from netplan_planner.machines.groups import name_stem
from netplan_planner.readers import read_inventory
from support.commands.audits import collected, report_of
from support.commands.in_process import Done, netplan
from support.commands.verbs import commands
from support.flows.entries import around, entries
from support.prices.billing_export import usage, write_flat_csv
from support.projects import one_project
from support.rules.no_io import no_sockets

INVENTORY = one_project.FOLDER / "gcloud"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with flow logs between all machines of the shared project."""
    folder = tmp_path_factory.mktemp("collect")
    inventory = read_inventory([INVENTORY])
    lines = entries(inventory, {"minutes": 5, "flows": around(inventory)})
    (folder / "flows.json").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return folder


@pytest.fixture(scope="module")
def given(place: Path) -> tuple[str, ...]:
    return ("--inventory", str(INVENTORY), "--traffic", str(place / "flows.json"))


@pytest.fixture(scope="module")
def bundle(place: Path, given: tuple[str, ...]) -> Path:
    return collected(place, *given)


@pytest.fixture(scope="module")
def hidden(place: Path, given: tuple[str, ...]) -> Path:
    """Return a bundle under other names."""
    folder = place / "hidden"
    folder.mkdir()
    return collected(folder, *given, "--pseudonymise")


@pytest.fixture(scope="module")
def whole(place: Path, given: tuple[str, ...]) -> dict[str, Any]:
    """Return the report on what was collected."""
    return report_of(place, *given)


def test_the_report_is_the_same_letter_by_letter_and_the_bundle_too(
    place: Path, whole: dict[str, Any], bundle: Path, tmp_path: Path, given: tuple[str, ...]
) -> None:
    assert whole["findings"]
    found = report_of(place, "--bundle", str(bundle))
    # Old prices of a bundle stay what they are: other ones are named beside it.
    updated = "netplan prices refresh"
    said = f"{updated} --out prices, then --prices prices"
    again = {**whole, "price_age": whole["price_age"].replace(updated, said)}
    assert again["price_age"] != whole["price_age"]
    assert found == again
    parts = ("--inventory", str(bundle), "--traffic", str(bundle), "--prices", str(bundle))
    assert report_of(place, *parts) == again
    assert collected(tmp_path, *given).read_bytes() == bundle.read_bytes()


def test_under_other_names_the_findings_are_the_same(
    tmp_path: Path, given: tuple[str, ...], hidden: Path, whole: dict[str, Any]
) -> None:
    other = report_of(tmp_path, "--bundle", str(hidden))

    def told(found: dict[str, Any]) -> Counter[tuple[object, ...]]:
        rows = ((f["rule"], f["severity"], f["saving_usd_per_month"]) for f in found["findings"])
        return Counter(rows)

    assert told(other) == told(whole)
    for table in ("traffic_by_class", "zone_pairs"):
        volumes = [sorted(row["gib_per_month"] for row in found[table]) for found in (whole, other)]
        assert volumes[0] == volumes[1]
    assert collected(tmp_path, *given, "--pseudonymise").read_bytes() != hidden.read_bytes()


def test_no_name_or_address_is_in_it(hidden: Path, place: Path, given: tuple[str, ...]) -> None:
    held = read_inventory([INVENTORY])
    fields = ("instances", "networks", "subnetworks", "addresses", "routers", "instance_groups")
    names = {value.name for field in fields for value in getattr(held, field)}
    names |= {f"{nic.external_ipv4}" for i in held.instances for nic in i.interfaces}
    names |= {one_project.PROJECT, str(INVENTORY), "flows.json"}
    assert len(names) > 20
    # Words that tell copies apart stay: a name of nothing but these says nothing.
    kept = {"default", "None", *(name for name in names if name_stem(f"x-{name}") == "x")}
    words = names - kept
    assert len(kept) < 8
    found = _held(hidden, words)
    if found:
        # In a block of 256 addresses one that is drawn may be another one's: not twice.
        again = place / "hidden-again"
        again.mkdir()
        found &= _held(collected(again, *given, "--pseudonymise"), words)
    assert not found
    assert manifest_of(hidden).is_pseudonymised


def _held(bundle: Path, words: set[str]) -> set[str]:
    text = b"".join(parts_of(bundle)).decode("utf-8", "replace")
    return {name for name in words if f'"{name}"' in text or f"/{name}" in text}


def parts_of(bundle: Path) -> Iterator[bytes]:
    for part in manifest_of(bundle).parts:
        if part.name.endswith(".json"):
            yield part_of(bundle, part.name) or b""


def verbs(bundle: Path, folder: Path) -> Iterator[tuple[str, ...]]:
    first, second = (one.name for one in read_inventory([INVENTORY]).instances[:2])
    bill = write_flat_csv(
        folder / "bill.csv",
        [
            usage(
                "DE9E-AFBC-A15A",
                "Network Inter Zone Data Transfer Out",
                245.0,
                2.45,
                project=one_project.PROJECT,
            )
        ],
    )
    given = ("--bundle", str(bundle))
    yield ("audit", *given, "--fail-on", "never", "--output", f"sarif:{folder / 'a.sarif'}")
    yield ("baseline", *given, "--out", str(folder / "baseline.json"))
    yield ("graph", *given, "--output", "dot")
    yield ("recommend", *given, "--vm", first)
    yield ("fleet", *given, "--commitments", "none")
    yield ("forecast", *given)
    yield ("place", *given)
    yield ("whatif", *given, "--vm", first, "--growth", "2")
    yield ("predict", first, second, *given)
    yield ("probe", "plan", *given)
    yield ("prices", "reconcile", *given, "--billing-export", str(bill))
    yield ("flow-logs", "cost", *given)
    yield ("flow-logs", "plan", *given)
    yield ("collect", *given, "--out", str(folder / "again.tar.zst"))
    # Verbs that read nothing of a project take its prices.
    yield ("price", "machine", "n2-standard-4", "--region", "us-central1", "--prices", str(bundle))
    yield ("prices", "verify", "--prices", str(bundle))


READS_A_PROJECT = {"inventory", "traffic", "metrics"}
"""Parameters of verbs that read a project from files."""
WITHOUT_BUNDLE = {
    ("flows", "aggregate"): "it sums flow logs: a bundle holds sums already",
    ("probe", "run"): "it measures: what it is for is to connect machines",
}


def test_every_verb_of_a_project_takes_a_bundle(bundle: Path, tmp_path: Path) -> None:
    tree = {
        path: {parameter.name for parameter in command.params}
        for path, command in commands(get_group(app))
        if not getattr(command, "commands", {})
    }
    reading = {path for path, names in tree.items() if names & READS_A_PROJECT}
    assert all("bundle" in tree[path] for path in reading)
    asked = list(verbs(bundle, tmp_path))
    ran = {path for path in tree for words in asked if words[: len(path)] == path}
    assert reading - set(WITHOUT_BUNDLE) <= ran
    assert not ran & set(WITHOUT_BUNDLE)
    assert set(WITHOUT_BUNDLE) <= reading
    for words in verbs(bundle, tmp_path):
        with no_sockets():
            done: Done = netplan(*words)
        assert done.status in {0, 1}, (words, done.err)
    assert (tmp_path / "again.tar.zst").read_bytes() == bundle.read_bytes()


def test_a_socket_that_is_opened_is_seen() -> None:
    with no_sockets(), pytest.raises(AssertionError, match="somebody is asked"):
        socket.socket()
    with no_sockets(), pytest.raises(AssertionError, match="somebody is asked"):
        socket.create_connection(("127.0.0.1", 9))


@pytest.mark.parametrize("verb", ["cost", "plan"])
def test_flow_logs_cost_the_same_from_it(verb: str, bundle: Path, given: tuple[str, ...]) -> None:
    of_files = netplan("flow-logs", verb, *given, "--output", "json")
    assert of_files.status == 0, of_files.err
    found = netplan("flow-logs", verb, "--bundle", str(bundle), "--output", "json")
    whole, other = (json.loads(done.out) for done in (of_files, found))
    assert whole["writers"]
    for answer in (whole, other):
        # Which prices, by the file they are from.
        del answer["price_age"]
    assert other == whole


def test_it_holds_series_of_greater_machines(bundle: Path, given: tuple[str, ...]) -> None:
    words = ("flow-logs", "plan", "--p95-from", "0.35", "--output", "json")
    whole, other = (
        json.loads(netplan(*words, *more).out)["writers"]
        for more in (given, ("--bundle", str(bundle)))
    )
    assert other == whole
    counts = {(one["proposed"] or {}).get("p95_machine_count") for one in whole}
    assert any(counts)
    less = netplan("flow-logs", "plan", "--p95-from", "0.01", "--bundle", str(bundle))
    assert less.status == 2
    assert "has the series of VMs from 0.1 Gbit/s on" in less.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["audit", "--bundle", "FILE", "--since", "2026-01-01"], 2, "collect again"),
        (["audit", "--bundle", "FILE", "--reporter", "destination"], 2, "has sums for source"),
        (
            ["audit", "--bundle", "FILE", "--traffic", "FLOWS"],
            3,
            "which cannot be combined with other traffic",
        ),
        (["audit", "--bundle", "FLOWS"], 3, "not a bundle"),
        (["audit", "--bundle", "NONE"], 3, "No such file"),
        (["collect", "--demo", "gecko", "--out", "x.tar"], 2, "ends in .tar.zst"),
        (["collect", "--out", "x.tar.zst"], 2, "nothing to read"),
    ],
)
def test_what_cannot_be_is_said(
    words: list[str], status: int, said: str, bundle: Path, place: Path
) -> None:
    named = {"FILE": bundle, "FLOWS": place / "flows.json", "NONE": place / "none.tar.zst"}
    done = netplan(*(str(named.get(word, word)) for word in words))
    assert done.status == status
    assert said in done.err


def test_without_traffic_there_is_none_and_that_is_not_idleness(tmp_path: Path) -> None:
    made = collected(tmp_path, "--inventory", str(INVENTORY))
    assert manifest_of(made).part("traffic.json") is None
    assert report_of(tmp_path, "--bundle", str(made))["window"] is None
