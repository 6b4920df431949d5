"""The shell completes what netplan knows: demos, rules, regions, machine types, path classes."""

import json
from typing import Any

import pytest

from support.commands.made_command import make
from support.commands.run import run_anew

SCRIPT = """
import json, os, sys
from importlib import import_module
from netplan_planner.cli import app, completion, main
from netplan_planner.world import known_names
for verb in ("audit", "caps", "price", "recommend", "rules"):
    import_module(f"netplan_planner.verbs.{verb}.run")
import typer._adapters
known_names.rules(), known_names.machine_types(), known_names.regions()
sys.argv[0] = "netplan"
for asked in json.load(sys.stdin):
    if not (child := os.fork()):
        os.environ.update(asked)
        main()
    os.waitpid(child, 0)
    print("", "end", flush=True)
"""
"""Each line in a process of its own, as a shell asks; what all of them import is imported once."""
OFFERED = {
    "netplan audit --demo g": ["gecko"],
    "netplan probe plan --demo d": ["dobermanifesto"],
    "netplan rules vpc-m": ["vpc-mtu-mismatch"],
    "netplan audit --select capacity,vpc-m": ["capacity,vpc-mtu-mismatch"],
    "netplan audit --explain al": ["all"],
    "netplan price machine --region africa": ["africa-south1"],
    "netplan price traffic --from africa": ["africa-south1"],
    "netplan price traffic --to goo": ["google-apis"],
    "netplan caps n2d-standard-2": ["n2d-standard-2", "n2d-standard-224"],
    "netplan predict --src-type n1-standard-1": ["n1-standard-1", "n1-standard-16"],
    "netplan predict --src-place africa-south1-a": ["africa-south1-a"],
    "netplan predict --path inter-region-i": ["inter-region-internal", "inter-region-internal-pod"],
    "netplan recommend --series c4d": ["c4d"],
    "netplan whatif --plugin flannel-u": ["flannel-udp"],
    "netplan predict --plugin flannel-u": ["flannel-udp"],
    "netplan recommend --series nothing": [],
}


def asked(line: str) -> dict[str, str]:
    """Return the variables with which bash asks for the end of a command line."""
    return {
        "_NETPLAN_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }


def test_values_are_offered() -> None:
    done = run_anew("-c", SCRIPT, input=json.dumps([asked(line) for line in OFFERED]))
    assert (done.returncode, done.stderr) == (0, "")
    texts = done.stdout.split(" end\n")
    assert {line: text.split() for line, text in zip(OFFERED, texts, strict=False)} == OFFERED


def test_nothing_is_attached_unless_a_shell_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    from netplan_planner.cli.app import app

    def completer() -> Any:
        verbs: dict[str, Any] = getattr(make(app), "commands", {})
        (series,) = (one for one in verbs["caps"].params if one.name == "series")
        return series._custom_shell_complete

    assert completer() is None
    monkeypatch.setenv("_NETPLAN_COMPLETE", "complete_zsh")
    assert completer() is not None
