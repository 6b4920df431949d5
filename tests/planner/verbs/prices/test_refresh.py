"""`netplan prices refresh` against a local server: whole, broken off, refused, repeated."""

import gzip
import re
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import pytest
from msgspec import structs

from netplan_pricing import open_snapshot
from netplan_pricing.container import FILE_NAME
from support.commands.run import MAIN, begun, run_verbs
from support.prices.inputs import TODAY, made_skus
from support.prices.skus import COMPUTE, NETWORKING, sku
from support.servers.catalog import API_KEY, CatalogServer, Trouble

N2: dict[str, Any] = {"name": "n2-standard-4", "guestCpus": 4, "memoryMb": 16384}
TYPES = {
    "aa-one1-a": [N2],
    "aa-one1-b": [{**N2, "name": "n2-standard-8", "guestCpus": 8, "memoryMb": 32768}],
    "bb-two2-a": [N2],
    "cc-three3-a": [N2],
}


def by_service(skus: list[dict[str, Any]] | None = None) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {COMPUTE: [], NETWORKING: []}
    for one in skus if skus is not None else made_skus():
        found[one["name"].split("/")[1]].append(one)
    return found


def server(skus: list[dict[str, Any]] | None = None, **more: Any) -> CatalogServer:
    return CatalogServer(by_service(skus), TYPES, **more)


def pages_of(skus: list[dict[str, Any]]) -> int:
    return sum(-(-len(listed) // 7) for listed in by_service(skus).values())


def arguments(one: CatalogServer, out: Path, *more: str) -> list[str]:
    # The made catalogue is nothing like the embedded snapshot before it.
    is_first = not (out / FILE_NAME).exists()
    return [
        *("prices", "refresh", "--out", str(out), "--api-endpoint", one.url),
        *("--project", "p", "--anonymous", *(("--accept-changes",) if is_first else ()), *more),
    ]


def run(one: CatalogServer, out: Path, *more: str, **environment: str) -> Any:
    return run_verbs(arguments=arguments(one, out, *more), **environment)


class Refreshed(NamedTuple):
    """A snapshot that was made once, and the server that answered."""

    folder: Path
    one: CatalogServer
    said: str

    def copied(self, folder: Path) -> bytes:
        """Put it into a folder, and return what it holds."""
        copytree(self.folder, folder, dirs_exist_ok=True)
        return (folder / FILE_NAME).read_bytes()


RATES = {"EUR": 0.875, "IDR": 16250.5}
CURRENCIES = ("--currency", "EUR", "--currency", "IDR")


@pytest.fixture(scope="module")
def refreshed(tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    """Return a snapshot of every page, with rates of currencies, asked for by an API key."""
    out = tmp_path_factory.mktemp("refreshed")
    with server(rates=RATES) as one:
        done = run(one, out, *CURRENCIES, NETPLAN_PRICES_REFRESH_API_KEY=API_KEY)
    assert done.returncode == 0, done.stderr
    return Refreshed(out, one, done.stdout + done.stderr)


def test_a_refresh_reads_every_page_and_swaps_the_snapshot_in(refreshed: Refreshed) -> None:
    book = open_snapshot(refreshed.folder)
    price = book.machine("aa-one1", "n2-standard-8")
    assert str(price.usd) == "0.80"
    assert [part.sku_id for part in price.parts] == ["N20-CPU-ONDEMAND", "N20-RAM-ONDEMAND"]
    assert book.file.header.sku_count == len(made_skus())
    assert [path.name for path in refreshed.folder.iterdir()] == [FILE_NAME]
    first, *rest = refreshed.one.catalog_calls()
    assert first == {"currencyCode": "USD", "pageSize": "5000"}
    of_rates = [query for query in rest if query["currencyCode"] != "USD"]
    assert {query["currencyCode"] for query in of_rates} == set(RATES)
    assert len(rest) - len(of_rates) == pages_of(made_skus()) - 1
    # What the catalogue does not say is taken over, with its date: here from the embedded one.
    assert book.services.one("same_zone_external_ip").as_of.year == 2020
    # Rates of currencies are those that the API returns.
    table = book.file.table("currency_rates")
    rates = dict(zip(table["currency"].texts(), table["per_usd"].texts(), strict=True))
    assert {name: float(rate) for name, rate in rates.items()} == RATES


def test_an_api_key_goes_through_the_auth_library_and_nowhere_else(refreshed: Refreshed) -> None:
    headers = [found for path, _, found in refreshed.one.calls if path.startswith("/v1/")]
    assert {found.get("x-goog-api-key") for found in headers} == {API_KEY}
    assert all("key" not in query for query in refreshed.one.catalog_calls())
    assert API_KEY not in refreshed.said
    shown = run_verbs(arguments=["config", "show"], NETPLAN_PRICES_REFRESH_API_KEY=API_KEY)
    assert API_KEY not in shown.stdout
    assert "(set, not shown)" in shown.stdout


def test_a_killed_refresh_goes_on_where_it_was(refreshed: Refreshed, tmp_path: Path) -> None:
    old, before = tmp_path / FILE_NAME, refreshed.copied(tmp_path)
    dearer = [sku("Reserved N2 Core in Ay", "CPU", sku_id="NEW-1"), *made_skus()]
    with server(dearer, trouble=Trouble(from_request=4, hang_s=60)) as one:
        process = begun("-c", MAIN, *arguments(one, tmp_path), stderr=subprocess.PIPE)
        until = time.monotonic() + 30
        while len(one.calls) < 4 and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        assert old.read_bytes() == before
        assert len(list((tmp_path / ".refresh").glob("*.json.gz"))) == 3
        asked = len(one.catalog_calls())
        one.trouble = None
        done = run(one, tmp_path)
        assert done.returncode == 0, done.stderr
        # The three pages that were there are not asked for again.
        assert len(one.catalog_calls()) - asked == pages_of(dearer) - 3
    assert open_snapshot(tmp_path).file.header.sku_count == len(dearer)
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Trouble(status=403), "Cloud Billing API"),
        (Trouble(from_request=3, repeat=True), "points back to an earlier page"),
        (Trouble(from_request=3, body=b'{"skus": ['), "answer is incomplete"),
        (Trouble(status=404), "no service"),
    ],
)
def test_trouble_of_the_api_is_told_and_leaves_the_old_snapshot(
    tmp_path: Path, trouble: Trouble, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from netplan_planner.errors import InputError
    from netplan_planner.verbs.prices.ask import RefreshAsk
    from netplan_planner.verbs.prices.refreshing import refresh

    (tmp_path / FILE_NAME).write_bytes((open_snapshot().file.path).read_bytes())
    before = (tmp_path / FILE_NAME).read_bytes()
    with server(trouble=trouble) as one:
        ask = RefreshAsk(out=tmp_path, project="p", endpoint=one.url, is_anonymous=True)
        quick = structs.replace(ask.api, backoff_initial_s=0.01)
        monkeypatch.setattr(RefreshAsk, "api", property(lambda _: quick))
        with pytest.raises(InputError, match=said):
            refresh(ask, TODAY, environment={})
        assert len(one.calls) < 30
    assert (tmp_path / FILE_NAME).read_bytes() == before
    # Whole pages stay, for the next refresh; nothing that was begun and not ended.
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or not path.name.endswith(".new")
        assert path.suffix != ".gz" or gzip.decompress(path.read_bytes()).endswith(b"}")


def n2_changed(**more: Any) -> list[dict[str, Any]]:
    """Return the made SKUs without N2's, or with others in their place."""
    kept = [one for one in made_skus() if not one["skuId"].startswith("N2")]
    dearer = [one for one in made_skus() if one["skuId"].startswith("N2")]
    for one in dearer:
        for rate in one["pricingInfo"][0]["pricingExpression"]["tieredRates"]:
            price = rate["unitPrice"]
            price["nanos"] = price["nanos"] * 3 // 2
    return [*kept, *dearer] if more.get("is_dearer") else kept


@pytest.mark.parametrize(
    ("skus", "said"),
    [
        (n2_changed(), r"core: [1-9]\d* of \d+ prices are gone and 0 moved"),
        (n2_changed(is_dearer=True), r"core: 0 of \d+ .* are gone and [1-9]\d* moved"),
    ],
)
def test_an_answer_that_nobody_would_believe_is_not_taken_unless_told(
    refreshed: Refreshed, tmp_path: Path, skus: list[dict[str, Any]], said: str
) -> None:
    before = refreshed.copied(tmp_path)
    with server(skus) as one:
        done = run(one, tmp_path)
        assert (done.returncode, done.stdout) == (3, "")
        assert re.search(said, done.stderr), done.stderr
        assert (tmp_path / FILE_NAME).read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
        assert run(one, tmp_path, "--accept-changes").returncode == 0
    assert (tmp_path / FILE_NAME).read_bytes() != before


def test_trouble_that_passes_is_asked_again_and_keeps_no_pages(tmp_path: Path) -> None:
    with server() as one:
        one.trouble = Trouble(from_request=2, body=b"{}")
        assert run(one, tmp_path).returncode == 3
        one.trouble = None
        done = run(one, tmp_path)
    assert done.returncode == 0, done.stderr
    # A refusal that passes is asked again.
    with server(trouble=Trouble(from_request=2, times=2, status=503)) as one:
        done = run(one, tmp_path)
    assert done.returncode == 0, done.stderr


def test_an_expired_key_says_so(tmp_path: Path) -> None:
    with server(expired_keys=frozenset({API_KEY})) as one:
        done = run(one, tmp_path, "--api-key", API_KEY)
    assert (done.returncode, done.stdout) == (3, "")
    assert "API key expired" in done.stderr
    assert API_KEY not in done.stderr
    assert not (tmp_path / FILE_NAME).exists()


def test_without_a_project_types_stay(refreshed: Refreshed, tmp_path: Path) -> None:
    refreshed.copied(tmp_path)
    with server() as one:
        command = arguments(one, tmp_path)
        without = [word for word in command if word not in {"--project", "p"}]
        done = run_verbs(arguments=without)
        assert done.returncode == 0, done.stderr
    assert open_snapshot(tmp_path).is_offered("aa-one1", "n2-standard-8")


def test_what_is_no_currency_is_refused(tmp_path: Path) -> None:
    with server() as one:
        wrong = run(one, tmp_path, "--currency", "euro")
    assert wrong.returncode == 2
    assert "is not a currency code" in wrong.stderr


def test_machine_types_come_or_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import json

    from netplan_planner.verbs.prices import refreshing as verb
    from netplan_planner.verbs.prices.ask import RefreshAsk

    # What `gcloud compute machine-types list --format=json` writes.
    listed = tmp_path / "types.json"
    big = {"name": "n2-standard-16", "guestCpus": 16, "memoryMb": 65536, "zone": "aa-one1-a"}
    small = {**N2, "zone": "bb-two2-a"}
    listed.write_text(json.dumps([big, small, {**N2, "zone": "cc-three3-a"}]))

    def refreshed(folder: str, **more: Any) -> verb.Refreshed:
        wanted = RefreshAsk(
            out=tmp_path / folder, endpoint=one.url, is_anonymous=True, accepts_changes=True, **more
        )
        return verb.refresh(wanted, TODAY, environment={})

    with server() as one:
        found = refreshed("a", machine_types=(listed,))
        assert found.kept_types == ""
        book = open_snapshot(tmp_path / "a")
        assert book.is_offered("aa-one1", "n2-standard-16")
        # Nobody names a project: the types stay, with their date and the way to newer ones.
        base = tmp_path / "a"
        kept = refreshed("b", base=base).kept_types
        assert kept.startswith("Machine types stay as of 2026-")
        assert "gcloud compute machine-types list --format=json" in kept
        # The default credentials name one.
        monkeypatch.setattr(verb, "_project", lambda *_: "mine")
        assert refreshed("c", base=base).kept_types == ""
        assert open_snapshot(tmp_path / "c").is_offered("aa-one1", "n2-standard-8")
        asked = [path for path, _, _ in one.calls if "machineTypes" in path]
        assert asked == ["/compute/v1/projects/mine/aggregated/machineTypes"] * len(asked) != []


def test_googles_clients_make_the_same_snapshot(tmp_path: Path) -> None:
    """The catalogue, a currency's rate and machine types, by `--api-client google`."""
    for client in ("rest", "google"):
        out = tmp_path / client
        with server(rates={"EUR": 0.9}) as one:
            done = run(one, out, "--currency", "EUR", "--api-client", client)
        assert done.returncode == 0, done.stderr
        assert {"x-goog-api-client" in headers for _, _, headers in one.calls} == {
            client == "google"
        }
    ours, theirs = ((tmp_path / one / FILE_NAME).read_bytes() for one in ("rest", "google"))
    assert theirs == ours


@pytest.mark.parametrize(
    "trouble",
    [Trouble(status=403), Trouble(status=404), Trouble(from_request=3, repeat=True)],
    ids=["403", "404", "points back to an earlier page"],
)
def test_googles_client_is_refused_in_the_same_words(trouble: Trouble, tmp_path: Path) -> None:
    said = []
    for client in ("rest", "google"):
        with server(trouble=replace(trouble)) as one:
            said.append(run(one, tmp_path / client, "--api-client", client).stderr)
    assert said[0]
    assert said[1] == said[0].replace("/rest", "/google")


def test_googles_client_sends_the_api_key_as_a_header(tmp_path: Path) -> None:
    with server() as one:
        done = run(one, tmp_path, "--api-key", API_KEY, "--api-client", "google")
    assert done.returncode == 0, done.stderr
    assert all(API_KEY not in str((path, query)) for path, query, _ in one.calls)
    assert {headers.get("x-goog-api-key") for path, _, headers in one.calls if "/skus" in path} == {
        API_KEY
    }
