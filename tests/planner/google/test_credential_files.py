"""A file of credentials that cannot be used is named with what is wrong, and never quoted."""

import json
import os
import socket
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from netplan_planner.errors import AccessError
from netplan_planner.google.credentials import default_credentials, default_project
from support.commands.run import run_verbs

SECRET = "sk-live-hunter2hunter2"
NAMED = "GOOGLE_APPLICATION_CREDENTIALS"
LOGIN = "run `gcloud auth application-default login`"
OTHER = "a value in the file is missing or invalid"
TYPES = {"type": "external_account", "audience": "//iam.googleapis.com/x"}
POOL = TYPES | {
    "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
    "token_url": "https://sts.googleapis.com/v1/token",
}
AWS = {"subject_token_type": "urn:ietf:params:aws:token-type:aws4_request"}
ACCOUNT = {"type": "service_account", "private_key": SECRET}
USER = {"type": "authorized_user", "client_id": SECRET}
BROKEN: dict[str, tuple[object, str]] = {
    "text": (SECRET, "the file is not JSON"),
    "empty": ("", "the file is empty"),
    "bytes": (b"\xff\xfe" + SECRET.encode(), "the file is not JSON"),
    "list": (json.dumps([SECRET]), OTHER),
    "number": ("5", OTHER),
    "deep": ("[" * 100_000, OTHER),
    "type": ({"type": SECRET}, "the file has no"),
    "account": (ACCOUNT, "the file has no client_email, token_uri"),
    "key": (ACCOUNT | {"client_email": SECRET, "token_uri": SECRET}, OTHER),
    "user": (USER, "the file has no client_secret, refresh_token"),
    "expiry": (USER | {"client_secret": "x", "refresh_token": "x", "expiry": SECRET}, OTHER),
    "external": (TYPES, OTHER),
    "source": (TYPES | {"credential_source": SECRET}, OTHER),
    "amazon": (TYPES | AWS, OTHER),
    "program": (
        POOL | {"credential_source": {"executable": {"command": SECRET}}},
        "the token server returned no token",
    ),
    "token": (
        POOL | {"credential_source": {"file": f"/none/{SECRET}"}},
        "the token server returned no token",
    ),
    "other": ({"type": "impersonated_service_account", "source_credentials": SECRET}, OTHER),
}


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.delenv(NAMED, raising=False)


def written(path: Path, content: object) -> Path:
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(text if isinstance(text, bytes) else str(text).encode())
    return path


def refusal() -> str:
    with pytest.raises(AccessError) as caught:
        default_credentials(["scope"])
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named_with_its_fault(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    content, fault = BROKEN[name]
    file = written(tmp_path / "key.json", content)
    monkeypatch.setenv(NAMED, str(file))
    said = refusal()
    assert said.startswith(f"the Google credentials in {file} cannot be used: ")
    assert fault in said
    assert said.endswith(f"; set {NAMED} to another file, or unset it and {LOGIN}")
    file.rename(written(tmp_path / "gcloud" / "application_default_credentials.json", ""))
    monkeypatch.delenv(NAMED)
    said = refusal()
    assert f"{Path('gcloud', 'application_default_credentials.json')} cannot be used" in said
    assert fault in said
    assert said.endswith(f"; {LOGIN}")


def test_a_folder_and_a_file_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for path, fault in ((tmp_path, "Is a directory"), (tmp_path / "a.json", "not exist")):
        monkeypatch.setenv(NAMED, str(path))
        assert f"the Google credentials in {path} cannot be read: " in refusal()
        assert fault in refusal()
        with pytest.raises(AccessError, match="cannot be read"):
            default_project()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = written(tmp_path / "key.json", "{}")
    file.chmod(0)
    monkeypatch.setenv(NAMED, str(file))
    assert "cannot be read: Permission denied" in refusal()


def test_an_error_of_the_system_is_told_in_its_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def denied(**_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setenv(NAMED, str(written(tmp_path / "key.json", "{}")))
    monkeypatch.setattr("google.auth.default", denied)
    assert "key.json cannot be read: Permission denied; set " in refusal()


@pytest.mark.parametrize("value", [json.dumps(ACCOUNT), SECRET, f'{{"k": "{SECRET}"}}.json'])
def test_a_key_in_place_of_its_path_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(NAMED, value)
    assert (
        f"the Google credentials that {NAMED} names cannot be read: the file does not exist"
        in refusal()
    )


def test_without_any_they_are_not_found() -> None:
    assert refusal() == f"no Google credentials found; {LOGIN}, or set {NAMED}"
    assert default_project() is None


def test_the_command_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = str(tmp_path / "none.json")
    words = ["audit", "--project", "p", "--api-endpoint", "http://127.0.0.1:9"]
    done = run_verbs(arguments=words, **{NAMED: file})
    assert done.returncode == 3
    assert (
        f"the Google credentials in {file} cannot be read: the file does not exist" in done.stderr
    )


def test_without_a_network_the_file_is_not_to_blame(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        server = {"token_uri": f"http://127.0.0.1:{held.getsockname()[1]}/token"}
        account = ACCOUNT | server | {"client_email": SECRET, "private_key": key.decode()}
        file = written(tmp_path / "key.json", account)
        monkeypatch.setenv(NAMED, str(file))
        assert refusal() == (
            f"the Google credentials in {file} cannot be used: the token server does not answer;"
            " check the network connection"
        )
