"""Commands reach the far side word by word, whatever the words are."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import AccessError, UsageError
from netplan_planner.measuring.transports import (
    GcloudTransport,
    LocalTransport,
    SshTransport,
    Transport,
    run_to_end,
)
from support.listed import listed
from support.testbed import ssh as testbed_ssh

GCLOUD = GcloudTransport(vm="vm-1", zone="us-central1-a", project="example.com:my-project")
SSH = SshTransport(host="admin@10.0.0.2")
TRANSPORTS: list[Transport] = [LocalTransport(), LocalTransport(prefix=("env",)), SSH, GCLOUD]
HOSTILE = ["$(touch owned)", "`touch owned`", "; touch owned", "& touch owned &", "| touch owned"]
HOSTILE += ["' ; touch owned ; '", '"; touch owned; "', "\n touch owned \n", "> owned", "--help"]
HOSTILE += ["%h %USER%", "*", "~", ""]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1))
def test_the_far_shell_gets_the_same_words(words: list[str]) -> None:
    assert shlex.split(SSH.argv(words)[-1]) == words
    assert shlex.split(GCLOUD.argv(words)[-1].removeprefix("--command=")) == words


@pytest.mark.parametrize("transport", TRANSPORTS, ids=lambda transport: transport.label)
def test_hostile_words_stay_words(
    transport: Transport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    testbed_ssh.install(tmp_path, monkeypatch)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    argv = transport.argv(["printf", r"%s\0", *HOSTILE])
    session = run_to_end(argv, label=transport.label, deadline_s=20)
    assert session.output.decode().split("\0")[:-1] == HOSTILE
    assert list(work.iterdir()) == []


@listed(
    "host",
    ["-oProxyCommand=touch owned", "a b", "a;b", "$(a)", "`a`", "", "a\nb", "a/b", "host'"],
)
def test_a_host_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="host for ssh"):
        SshTransport(host=host)


@pytest.mark.parametrize("host", ["vm-1", "user@vm_1.example.com", "10.0.0.2", "fe80::1%eth0"])
def test_a_host_stands_behind_the_end_of_the_options(host: str) -> None:
    argv = SshTransport(host=host).argv(["true"])
    assert argv[argv.index("--") + 1] == host
    assert "-oBatchMode=yes" in argv[: argv.index("--")]


@listed(
    "field, names",
    [
        ("vm", ["--help", "vm 1", "VM", "vm-", "a" * 64, "$(id)"]),
        ("zone", ["-a", "us central1", "a,b"]),
        ("project", ["--quiet", "p;q", ""]),
    ],
)
def test_a_name_that_google_would_not_give_is_refused(field: str, names: list[str]) -> None:
    for name in names:
        fields: dict[str, Any] = {"vm": "vm-1", "zone": "us-a", "project": "p", field: name}
        with pytest.raises(UsageError, match="is not valid"):
            GcloudTransport(**fields)


def test_gcloud_is_asked_for_a_tunnel_and_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    testbed_ssh.install(tmp_path, monkeypatch)
    run_to_end(GCLOUD.argv(["echo", "a b"]), label=GCLOUD.label, deadline_s=20)
    (words,) = testbed_ssh.recorded(tmp_path, "gcloud")
    place = ["--zone=us-central1-a", "--project=example.com:my-project"]
    assert words[:6] == ["compute", "ssh", "vm-1", *place, "--tunnel-through-iap"]
    assert {"--quiet", "--ssh-flag=-oBatchMode=yes"} <= set(words)
    assert words[-1] == "--command=echo 'a b'"


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(
        AccessError, match=r"ssh a: /no/ssh cannot be started on this computer: No such file"
    ):
        run_to_end(["/no/ssh", "a"], label="ssh a", deadline_s=20)
