"""Prices that `netplan prices refresh` keeps in the user's folder, and which verbs take them."""

import hashlib
import json
from datetime import date, timedelta
from pathlib import Path
from shutil import copytree
from typing import Any

import msgspec
import pytest

from netplan_planner.model.money.price_age import SHIPPED
from netplan_planner.verbs.prices.ask import RefreshAsk
from netplan_pricing import open_snapshot
from netplan_pricing.container import FILE_NAME, SCHEMA
from support.commands.run import run_verbs
from support.prices.inputs import made_skus
from support.prices.skus import COMPUTE, NETWORKING
from support.servers.catalog import CatalogServer

N2: dict[str, Any] = {"name": "n2-standard-8", "guestCpus": 8, "memoryMb": 32768}
TODAY = date.today().isoformat()
ASKED = ["price", "machine", "n2-standard-8", "--output", "json"]
MADE = [*ASKED, "--region", "aa-one1"]
REAL = [*ASKED, "--region", "us-central1"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of the data of a user who refreshed prices, from a made catalogue."""
    folder = tmp_path_factory.mktemp("data")
    skus: dict[str, list[dict[str, Any]]] = {COMPUTE: [], NETWORKING: []}
    for one in json.loads(json.dumps(made_skus()).replace("2026-04-29", TODAY)):
        skus[one["name"].split("/")[1]].append(one)
    with CatalogServer(skus, {"aa-one1-a": [N2]}) as server:
        source = ["--api-endpoint", server.url, "--project", "p", "--anonymous"]
        asked = ["prices", "refresh", "--accept-changes", *source]
        done = run_verbs(arguments=asked, XDG_DATA_HOME=str(folder))
    assert done.returncode == 0, done.stderr
    assert "Every verb now uses these prices" in done.stdout
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a user's own prices, which may be changed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(copytree(made, tmp_path / "data")))
    return RefreshAsk().folder / FILE_NAME


def test_every_verb_takes_the_newer_of_both(home: Path) -> None:
    own = run_verbs(arguments=MADE)
    assert json.loads(own.stdout)["prices"][0]["usd_per_hour"] == 0.8
    # No word of age: the prices are of today.
    assert "price_age" not in json.loads(own.stdout)
    assert run_verbs(arguments=REAL).returncode == 2
    folder = run_verbs(arguments=[*MADE, "--prices", str(home.parent)])
    assert folder.stdout == own.stdout


def test_shipped_prices_are_there_by_name_and_by_a_variable(home: Path) -> None:
    by_option = run_verbs(arguments=[*REAL, "--prices", "shipped"])
    by_variable = run_verbs(arguments=REAL, NETPLAN_PRICE_MACHINE_PRICES="shipped")
    home.unlink()
    alone = run_verbs(arguments=REAL)
    assert by_option.returncode == alone.returncode == 0
    named, without = json.loads(by_option.stdout), json.loads(alone.stdout)
    assert named["prices"] == without["prices"]
    assert named["price_age"].endswith("Run netplan prices refresh, omit --prices shipped")
    assert by_variable.stdout == by_option.stdout


def test_the_configuration_names_the_prices_of_all_verbs(home: Path, tmp_path: Path) -> None:
    settings = tmp_path / "netplan.toml"
    settings.write_text('[prices]\nsnapshot = "shipped"\n')
    asked = ["--config", str(settings)]
    told = run_verbs(arguments=[*REAL, *asked])
    assert told.stdout == run_verbs(arguments=[*REAL, "--prices", "shipped"]).stdout != ""
    # What is named for the verb, or on the command line, goes before.
    assert run_verbs(arguments=[*MADE, *asked, "--prices", str(home.parent)]).returncode == 0
    with settings.open("a") as file:
        file.write(f'[price.machine]\nprices = "{home.parent}"\n')
    assert run_verbs(arguments=[*MADE, *asked]).returncode == 0
    shown = run_verbs(arguments=["config", "show", "--output", "json", *asked]).stdout
    values = {one["setting"]: one["value"] for one in json.loads(shown)["settings"]}
    assert values["audit.prices"] == "shipped"
    assert values["price.machine.prices"] == str(home.parent)


def test_a_damaged_file_is_named_with_what_takes_its_place(home: Path) -> None:
    home.write_bytes(home.read_bytes()[:-1])
    done = run_verbs(arguments=MADE)
    assert done.returncode == 3
    assert str(home) in done.stderr
    assert "`--prices shipped`" in done.stderr
    assert run_verbs(arguments=[*REAL, "--prices", "shipped"]).returncode == 0


def test_a_folder_of_another_schema_is_not_looked_at(home: Path) -> None:
    home.parent.rename(home.parent.with_name("prices-1"))
    assert run_verbs(arguments=REAL).returncode == 0


def test_older_refreshed_prices_are_not_taken(home: Path) -> None:
    shipped = open_snapshot(SHIPPED).file.header
    older = msgspec.structs.replace(shipped, as_of=shipped.as_of - timedelta(days=1))
    body = (
        msgspec.json.encode(older) + b"\n" + open_snapshot(SHIPPED).file.content.split(b"\n", 3)[3]
    )
    digest = hashlib.sha256(body).hexdigest().encode()
    home.write_bytes(b"\n".join((SCHEMA.encode(), digest, body)))
    told = json.loads(run_verbs(arguments=REAL).stdout)["prices"][0]
    assert told["as_of"] == shipped.as_of.isoformat()


@pytest.mark.parametrize(("limit", "status"), [("90d", 4), ("30000d", 0)])
def test_a_limit_of_age_ends_with_status_4_after_the_answer(limit: str, status: int) -> None:
    done = run_verbs(arguments=[*REAL, "--max-price-age", limit])
    assert done.returncode == status
    assert json.loads(done.stdout)["prices"]
    assert ("--max-price-age. Update them: netplan prices refresh" in done.stderr) == (status == 4)


def test_doctor_names_the_snapshot(home: Path) -> None:
    told = run_verbs(arguments=["doctor", "--output", "json"])
    checks = {one["name"]: one for one in json.loads(told.stdout)["checks"]}
    assert checks["prices"]["status"] == "ok"
    assert str(home) in checks["prices"]["told"]
