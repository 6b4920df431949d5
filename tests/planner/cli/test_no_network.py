"""No verb is silent where it has no credentials or no network: it stops, or names what it lacks."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from netplan_planner.google.assets import ASSETS_VARIABLE
from netplan_planner.google.logs.options import LOGGING_VARIABLE
from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.google.options import ANONYMOUS_VARIABLE, ENDPOINT_VARIABLE, LOGIN
from netplan_planner.google.other_apis import LOCATED_APIS
from netplan_planner.google.transport import Transport
from netplan_planner.world.remote_traffic import BIGQUERY_VARIABLE
from support.commands.asking import asked_of_a_project, verbs_with
from support.commands.in_process import netplan
from support.flows.records import entry, lines
from support.nightly import every
from support.projects.one_project import FOLDER, PROJECT, resources
from support.servers.compute import ComputeServer

FILES = ("--inventory", str(FOLDER / "gcloud"))
WINDOW = ("--since", "2026-11-01", "--until", "2026-11-02")
BIGQUERY = (*FILES, *WINDOW, "--traffic", "bigquery://one-project.logs")
LIVE = [verb for verb in verbs_with("--project") if verb not in {"init", "prices reconcile"}]
"""`init` writes the name of a project and asks nobody; `prices reconcile` reads a bill first."""
BESIDE = (MONITORING_VARIABLE, LOGGING_VARIABLE, *(one.variable for one in LOCATED_APIS))
ASKING_MONITORING = verbs_with("--project", "--live-metrics")
STRICT = verbs_with("--strict")
FLOWS = lines([entry("10.0.0.2", "10.0.0.3", 10**9)])
SOURCES = {
    "the logs in BigQuery": ("audit", *BIGQUERY),
    "their sums in BigQuery": ("flows", "aggregate", *BIGQUERY, "--out", "OUT/sums"),
    "the logs in Cloud Logging": ("audit", *FILES, "--traffic", "cloud-logging", *WINDOW),
    "an organization": ("audit", "--organization", "123"),
    "an organization's snapshot": ("collect", "--organization", "123", "--out", "OUT/b.tar.zst"),
}
"""What is asked of other APIs than Compute's."""


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.setattr(Transport, "_wait", lambda *_: None)


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """All of Google's APIs where nobody listens, asked without credentials."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        monkeypatch.setenv(ANONYMOUS_VARIABLE, "true")
        for one in (ENDPOINT_VARIABLE, ASSETS_VARIABLE, BIGQUERY_VARIABLE, *BESIDE):
            monkeypatch.setenv(one, address)
        yield address


def source(name: str, folder: Path) -> list[str]:
    words = [one.replace("OUT", str(folder)) for one in SOURCES[name]]
    return [*words, "--project", PROJECT] if "cloud-logging" in words else words


@pytest.mark.parametrize("verb", every(3, LIVE))
def test_without_credentials_a_verb_says_how_to_get_them(verb: str, tmp_path: Path) -> None:
    done = netplan(*asked_of_a_project(verb, tmp_path))
    assert done.status == (1 if verb == "doctor" else 3), done
    assert LOGIN in done.out + done.err


@pytest.mark.parametrize("verb", every(3, LIVE))
def test_without_a_network_a_verb_names_the_host(
    verb: str, tmp_path: Path, nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = asked_of_a_project(verb, tmp_path)
    if verb == "prices refresh":
        words += ["--api-endpoint", nobody, "--anonymous"]
    done = netplan(*words)
    assert done.status == (1 if verb == "doctor" else 3), done
    assert "is unreachable" in done.out + done.err
    assert nobody in done.out + done.err


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_needs_credentials_says_so(name: str, tmp_path: Path) -> None:
    done = netplan(*source(name, tmp_path))
    assert (done.status, done.out) == (3, "")
    assert LOGIN in done.err


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_out_of_reach_is_named(name: str, tmp_path: Path, nobody: str) -> None:
    done = netplan(*source(name, tmp_path))
    assert (done.status, done.out) == (3, "")
    assert nobody in done.err


@pytest.mark.parametrize("verb", every(4, ASKING_MONITORING))
def test_metrics_out_of_reach_are_said_beside_the_answer(
    verb: str, tmp_path: Path, nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = asked_of_a_project(verb, tmp_path, PROJECT)
    (tmp_path / "flows.json").write_text(FLOWS)
    words = ["mover-1" if one == "a" else one for one in words]
    with ComputeServer() as compute:
        compute.add_project(PROJECT, resources())
        monkeypatch.setenv(ENDPOINT_VARIABLE, compute.url)
        done = netplan(*words)
        strict = netplan(*words, "--strict") if verb in STRICT else None
    assert done.status == (3 if verb == "forecast" else 0), done
    assert "monitoring.projects.timeSeries.list" in done.out + done.err or verb == "audit"
    assert "is unreachable" in done.out + done.err
    assert strict is None or (strict.status, "is set" in strict.err) == (4, True)


@pytest.mark.parametrize("words", ["recommend --vm node-1", "flow-logs cost", "forecast"])
def test_who_needs_the_metrics_says_that_they_are_out_of_reach(
    words: str, nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ComputeServer() as compute:
        compute.add_project(PROJECT, resources())
        monkeypatch.setenv(ENDPOINT_VARIABLE, compute.url)
        done = netplan(*words.split(), "--project", PROJECT)
    assert (done.status, done.out) == (3, "")
    assert f"{nobody}/ is unreachable" in done.err
