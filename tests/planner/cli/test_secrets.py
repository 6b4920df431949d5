"""Keys, tokens and metadata values, planted wherever they can be, appear in no output."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from netplan_planner.bundle_file import manifest_of, part_of
from netplan_planner.readers import read_inventory
from netplan_planner.renderers import RENDERERS
from support.commands.run import ROOTS
from support.examples import sized
from support.flows.entries import entries
from support.nightly import every
from support.projects import one_cluster, one_project
from support.servers.compute import ComputeServer
from support.servers.hostile import HostileServer, json_answer

SECRET = "s3cr3t-Zq8vX1kPw9LmT4"
"""Planted in values; a part of it is as bad as the whole."""
OF_SURROUNDINGS = "3nv1r0n-Kd7Qw2ZtVb4Hj"
"""Another one: what the program knows to be a secret hides nothing of the first."""
MARKS = ("Zq8vX1kP", "s3cr3t", "Kd7Qw2Zt", "3nv1r0n")
SECONDS = 120
SURROUNDINGS = {
    "NETPLAN_PRICES_REFRESH_API_KEY": f"AIza{OF_SURROUNDINGS}",
    "GITHUB_TOKEN": f"ghp_{OF_SURROUNDINGS}",
    "AWS_SECRET_ACCESS_KEY": OF_SURROUNDINGS,
    "CLOUDSDK_AUTH_ACCESS_TOKEN": f"ya29.{OF_SURROUNDINGS}",
    "HTTPS_PROXY": f"http://user:{OF_SURROUNDINGS}@127.0.0.1:9",
    "NO_GCE_CHECK": "true",
}
_OF_MACHINES = {
    "metadata": {
        "items": [
            {"key": key, "value": f"{key} {SECRET}"}
            for key in ("ssh-keys", "startup-script", "kube-env", "windows-keys", "password")
        ],
        "fingerprint": SECRET,
    },
    "serviceAccounts": [{"email": f"{SECRET}@x.iam.gserviceaccount.com", "scopes": [SECRET]}],
    "description": f"log in with {SECRET}",
    "sourceMachineImageEncryptionKey": {"rawKey": SECRET},
    "fingerprint": SECRET,
}
_OF_OTHERS = {
    "sharedSecret": SECRET,
    "sharedSecretHash": SECRET,
    "md5AuthenticationKeys": [{"name": "k", "key": SECRET}],
    "description": f"the key is {SECRET}",
    "certificate": SECRET,
    "privateKey": SECRET,
}


def planted(value: Any, depth: int = 0) -> Any:
    """Return a value with an unknown field in each of its objects, and an encryption key."""
    if isinstance(value, list):
        return [planted(one, depth + 1) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: planted(one, depth + 1) for key, one in value.items()}
    return {**found, "token": SECRET, "diskEncryptionKey": {"rawKey": SECRET, "kmsKeyName": SECRET}}


def resources() -> dict[str, list[dict[str, Any]]]:
    """Return the made project with secrets; one machine has them where the API has none."""
    found: dict[str, list[dict[str, Any]]] = {}
    for collection, several in one_project.resources().items():
        more = _OF_MACHINES if collection == "instances" else _OF_OTHERS
        found[collection] = [{**planted(one), **more} for one in several]
    odd = {"metadata": SECRET, "canIpForward": SECRET, "scheduling": SECRET, "disks": [SECRET]}
    found["instances"][-1] |= odd
    found["instances"][-2] |= {"metadata": {"items": [SECRET, {"key": "a", "value": [SECRET]}]}}
    found["subnetworks"][-1] |= {"logConfig": SECRET, "enableFlowLogs": SECRET}
    found["networks"][-1] |= {"mtu": SECRET}
    return found


def write_inventory(folder: Path) -> Path:
    folder.mkdir()
    for collection, several in resources().items():
        (folder / f"{collection}.json").write_text(json.dumps(several))
    (folder / "damaged.json").write_text(f'{{"kind": "compute#instance", "token": "{SECRET}')
    (folder / "other.json").write_text(json.dumps({"private_key": SECRET, "client_secret": SECRET}))
    return folder


def cluster_objects() -> Iterator[dict[str, Any]]:
    """Yield the objects of the made cluster with secrets in all that they hold, and Secrets."""
    applied = "kubectl.kubernetes.io/last-applied-configuration"
    variables = [
        {"name": name, "value": SECRET}
        for name in ("WEAVE_PASSWORD", "CALICO_TOKEN", "FELIX_ETCDKEYFILE", "DB_URL")
    ]
    for one in one_cluster.objects():
        found = planted(one)
        found["metadata"]["annotations"] = {
            **one["metadata"].get("annotations", {}),
            applied: json.dumps({"spec": {"env": [{"value": SECRET}]}}),
            "description": SECRET,
        }
        spec = found.get("spec", {})
        for holder in (spec, spec.get("template", {}).get("spec", {})):
            for container in holder.get("containers", []):
                container["env"] = variables
                container["args"] = [*container.get("args", []), f"--password={SECRET}"]
                container["command"] = ["run", "--token", SECRET]
        if one["kind"] == "ConfigMap":
            found["data"]["password"] = SECRET
        yield found
    for kind, name in (("Secret", "login"), ("ConfigMap", "settings")):
        data = {"data": {"token": SECRET}, "stringData": {"password": SECRET}}
        metadata = {"name": name, "namespace": "shop"}
        yield {"apiVersion": "v1", "kind": kind, "metadata": metadata, **data}


def write_cluster(folder: Path) -> Path:
    folder.mkdir()
    listed = {"apiVersion": "v1", "kind": "List", "items": list(cluster_objects())}
    (folder / "all.json").write_text(json.dumps(listed))
    secrets = [one for one in cluster_objects() if one["kind"] == "Secret"]
    (folder / "secret.yaml").write_text(yaml.safe_dump_all(secrets))
    pool = planted(one_cluster.gke_cluster()) | {
        "masterAuth": {"clientKey": SECRET, "password": SECRET}
    }
    (folder / "clusters.json").write_text(json.dumps([pool]))
    return folder


def write_flows(path: Path) -> Path:
    inventory = read_inventory([one_project.FOLDER / "gcloud"])
    first, second = (machine.name for machine in inventory.instances[:2])
    flows = [{"src": first, "dst": second, "gbps": 0.5}]
    lines = [json.dumps(planted(one)) for one in entries(inventory, {"minutes": 3, "flows": flows})]
    bad = [
        json.dumps({"jsonPayload": {"reporter": SECRET, "bytes_sent": SECRET}, "logName": SECRET}),
        json.dumps({"jsonPayload": {"connection": {"src_ip": SECRET, "dest_ip": SECRET}}}),
        f'{{"jsonPayload": {{"start_time": "{SECRET}"',
        SECRET,
    ]
    path.write_text("\n".join([*lines, *bad, *lines]) + "\n")
    return path


def netplan(*words: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-c", "from netplan_planner.cli import main; main()", *words],
        env={
            **os.environ,
            **SURROUNDINGS,
            "PYTHONPATH": os.pathsep.join(map(str, ROOTS)),
            **environment,
        },
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )


def assert_told_nothing(done: "subprocess.CompletedProcess[bytes]", *files: Path) -> None:
    """Assert that no output holds a part of the secret, and that nothing broke."""
    texts = {"stdout": done.stdout, "stderr": done.stderr}
    texts |= {path.name: path.read_bytes() for path in files}
    for name, content in texts.items():
        text = content.decode("utf-8", "replace")
        for mark in MARKS:
            at = text.find(mark)
            assert at < 0, f"{name}: {text[max(at - 300, 0) : at + 60]}"
    assert b"Traceback" not in done.stderr
    assert b"unexpected error" not in done.stderr


def outputs(folder: Path) -> Iterator[tuple[str, Path]]:
    for form in RENDERERS:
        yield f"--output={form}:{folder / form}", folder / form


def test_files_are_read_without_their_secrets(tmp_path: Path) -> None:
    inventory, flows = write_inventory(tmp_path / "in"), write_flows(tmp_path / "flows.json")
    cluster = write_cluster(tmp_path / "cluster")
    out = dict(outputs(tmp_path))
    done = netplan(
        *("--debug", "audit", "--inventory", str(inventory), "--traffic", str(flows), "-vv"),
        *("--inventory", str(cluster)),
        *("--explain", "all", "--max-findings", "0", "--max-members", "0", "--fail-on", "never"),
        *out,
    )
    assert done.returncode == 0, done.stderr
    assert_told_nothing(done, *out.values())


@pytest.mark.parametrize("more", [(), ("--pseudonymise",)])
def test_a_bundle_holds_none_of_them(tmp_path: Path, more: tuple[str, ...]) -> None:
    inventory, flows = write_inventory(tmp_path / "in"), write_flows(tmp_path / "flows.json")
    cluster = write_cluster(tmp_path / "cluster")
    out = tmp_path / "made.tar.zst"
    done = netplan(
        *("--debug", "collect", "--inventory", str(inventory), "--traffic", str(flows)),
        *("--inventory", str(cluster), "--out", str(out), *more),
    )
    assert done.returncode == 0, done.stderr
    parts = [tmp_path / part.name for part in manifest_of(out).parts]
    for path in parts:
        path.write_bytes(part_of(out, path.name) or b"")
    names = {"inventory.json", "prices.snapshot", "traffic.json"}
    assert {path.name for path in parts} == names
    assert b"WEAVE_PASSWORD" in (tmp_path / "inventory.json").read_bytes()
    assert_told_nothing(done, out, *parts)


def test_the_api_is_read_without_its_secrets(tmp_path: Path) -> None:
    with ComputeServer() as server:
        server.add_project(one_project.PROJECT, one_project.resources())
        whole = json.dumps(resources()["instances"]).encode()
    assert SECRET.encode() in whole

    def answers(asked: Any) -> bytes:
        if asked.collection == "instances":
            return json_answer({"items": {"zones/us-central1-a": {"instances": json.loads(whole)}}})
        error = {"code": 403, "message": f"no access with {SECRET}", "errors": [{"reason": SECRET}]}
        return json_answer({"error": error}, status=403)

    out = dict(outputs(tmp_path))
    with HostileServer(answers) as hostile:
        done = netplan(
            *("--debug", "audit", "--project", one_project.PROJECT, "--api-endpoint", hostile.url),
            *("--anonymous", "-vv", "--explain", "all", "--fail-on", "never", *out),
        )
    assert done.returncode == 0, done.stderr
    assert_told_nothing(done, *out.values())


def test_settings_are_shown_without_their_secrets(tmp_path: Path) -> None:
    file = tmp_path / "netplan.toml"
    file.write_text(f'[prices.refresh]\napi-key = "{SECRET}"\n')
    for words in (["config", "show", "--json"], ["prices", "--help"], ["config", "show"])[
        : sized(2, 3)
    ]:
        assert_told_nothing(netplan("--config", str(file), *words))
    assert_told_nothing(netplan("prices", "refresh", "--help"))


@pytest.mark.parametrize(
    "words",
    every(
        3,
        [
            ["--api-endpoint", f"https://user:{SECRET}@127.0.0.1:9"],
            ["--api-endpoint", f"ftp://user:{SECRET}@127.0.0.1:9"],
            ["--api-endpoint", f"http://user:{SECRET}@127.0.0.1:x"],
            ["--api-endpoint", f"http://192.0.2.1/?key={SECRET}"],
            ["--api-endpoint", "http://127.0.0.1:9", "--api-key", SECRET],
            # The proxy of the surroundings, where nobody is.
            ["--api-key", f"{SECRET}-2"],
        ],
    ),
)
def test_a_refresh_that_fails_tells_no_secret(tmp_path: Path, words: list[str]) -> None:
    done = netplan("--debug", "prices", "refresh", "--out", str(tmp_path / "out"), *words)
    assert done.returncode in {2, 3}, done.stderr
    assert_told_nothing(done)


def test_an_error_that_was_not_foreseen_tells_no_secret(tmp_path: Path) -> None:
    inventory = write_inventory(tmp_path / "in")
    script = (
        "import netplan_planner.readers.files as f\n"
        "def broken(data):\n"
        "    raise KeyError(data.decode())\n"
        "f.documents_of = broken\n"
        "from netplan_planner.cli import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--debug", "audit", "--inventory", str(inventory)],
        env={**os.environ, **SURROUNDINGS, "PYTHONPATH": os.pathsep.join(map(str, ROOTS))},
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 3
    assert b"KeyError" in done.stderr
    assert not any(mark.encode() in done.stdout + done.stderr for mark in MARKS)
