"""Commands of fixes: their flags exist, and no name makes them do something else."""

import ast
import ipaddress
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.cli.verbs import VERBS
from netplan_rules.registry import all_rules
from netplan_rules.wording import command, gcloud_instance, resize_commands
from support.commands.gcloud import (
    GCLOUD,
    OF_EVERY_COMMAND,
    commands_in,
    faults_of,
    surface_of,
)
from support.commands.tree import ROOT
from support.listed import listed
from support.rules.facts import machine
from support.rules.hits import BAD_CASES, hits_of_bad_case, hits_of_bad_cases, hits_of_rule

IN_TEXTS = (
    {"network-performance-configs", "provisioning-model", "instance-termination-action"}
    | {"network-tier"}
    | OF_EVERY_COMMAND
)
"""Flags of `gcloud compute instances create` and such that sentences name."""

NAMING_IPERF3 = ("measured-below-model", "probe-not-comparable")
"""Rules whose fixes are runs of it."""


OTHER_TOOLS = ("iperf3", "kubectl")


def commands_of(hits: Iterable[model.Hit], tool: str = "gcloud") -> list[str]:
    """Return all commands of fixes: those of gcloud, or those of another tool."""
    found = [text for hit in hits if hit.fix for text in commands_in(hit.fix)]
    if tool in OTHER_TOOLS:
        return [text for text in found if text.startswith(f"{tool} ")]
    return [text for text in found if text.split()[0] not in OTHER_TOOLS]


def all_commands() -> list[str]:
    """Return the commands of gcloud of all bad fixtures."""
    return commands_of(hit for _, _, hit in hits_of_bad_cases())


def test_there_are_commands_to_look_at() -> None:
    names = {surface_of(shlex.split(text))[0] for text in all_commands()}
    assert len(all_commands()) > 20
    of_iperf3 = [of for of in hits_of_bad_cases() if commands_of([of[2]], "iperf3")]
    assert {rule for rule, _, _ in of_iperf3} == set(NAMING_IPERF3)
    of_instances = {
        f"compute instances {verb}" for verb in ("delete-access-config", "set-machine-type")
    }
    of_networks = {
        f"compute networks {verb}" for verb in ("peerings create", "subnets update", "update")
    }
    assert names >= {"compute addresses delete"} | of_instances | of_networks


@listed(("rule", "case"), BAD_CASES)
def test_gcloud_takes_the_commands(rule: str, case: str) -> None:
    for text in commands_of(hits_of_bad_case(rule, case)):
        assert faults_of(text) == [], text


@pytest.mark.parametrize("rule", NAMING_IPERF3)
def test_iperf3_takes_the_commands(rule: str) -> None:
    texts = commands_of(hits_of_rule(rule), "iperf3")
    assert texts
    for text in texts:
        words = shlex.split(text)
        assert words[:2] == ["iperf3", "-c"]
        assert str(ipaddress.ip_address(words[2])) == words[2]
        if shutil.which("iperf3") is None:
            pytest.skip("iperf3 is not installed: nothing reads its options")
        # It reads all options before it shows its version and ends.
        done = subprocess.run([*words, "--version"], capture_output=True, timeout=30, check=False)
        assert (done.returncode, done.stdout[:6]) == (0, b"iperf ")


def test_kubectl_takes_the_commands() -> None:
    """Flags of kubernetes.io/docs/reference/kubectl/generated, kubectl_patch and kubectl_get."""
    texts = commands_of((hit for _, _, hit in hits_of_bad_cases()), "kubectl")
    assert {shlex.split(text)[2] for text in texts} == {"get", "patch"}
    for text in texts:
        tool, namespace, verb, kind, *rest = shlex.split(text)
        assert tool == "kubectl"
        assert namespace.startswith("--namespace=")
        names = [word for word in rest if not word.startswith("-")]
        flags = dict(word[2:].split("=", 1) for word in rest if word.startswith("--"))
        assert len(names) + len(flags) == len(rest), "a flag with its value in one word"
        if verb == "get":
            assert (kind, len(names)) in {("pod", 1), ("endpointslices", 0)}
            assert flags.keys() <= {"output", "selector"}
            continue
        assert (verb, kind, len(names), list(flags)) == ("patch", "service", 1, ["patch"])
        (field,) = json.loads(flags["patch"])["spec"]
        assert field in {"externalTrafficPolicy", "trafficDistribution"}


NOT_COMPLETED = {("compute instance-groups managed rolling-action start-update", "version")}
"""Flags that `--help` has and completion has not: the name is one of gcloud's own too."""


def _installed() -> dict[str, Any]:
    """Return the commands of the installed gcloud, which `--help` and completion are made of."""
    found = shutil.which("gcloud")
    if found is None:
        pytest.skip("gcloud is not installed: nothing else tells its flags")
    tree = Path(found).resolve().parents[1] / "data" / "cli" / "gcloud_completions.py"
    if not tree.is_file():
        pytest.skip("the installed gcloud has no list of its commands")
    (value,) = (
        one.value
        for one in ast.parse(tree.read_text(encoding="utf-8")).body
        if isinstance(one, ast.Assign)
    )
    commands: dict[str, Any] = ast.literal_eval(value)
    return commands


def test_the_installed_gcloud_has_the_flags() -> None:
    root = _installed()
    missing = []
    for name, surface in GCLOUD.items():
        command_tree = root
        for word in name.split():
            command_tree = command_tree["commands"].get(word, {"commands": {}, "flags": {}})
        has = command_tree["flags"]
        valued = surface.others | {part for one in surface.needed for part in one.split("|")}
        # `--no-…` of a switch is not listed apart.
        switches = {flag.removeprefix("no-") for flag in surface.switches}
        missing += [
            f"{name} --{flag}"
            for flag in sorted(valued - surface.switches)
            if has.get(f"--{flag}", "bool") == "bool" and (name, flag) not in NOT_COMPLETED
        ]
        missing += [
            f"{name} --{flag} (switch)"
            for flag in sorted(switches)
            if has.get(f"--{flag}") != "bool" and has.get(f"--no-{flag}") != "bool"
        ]
    assert missing == []


STOP, UPDATE = "gcloud compute instances stop a", "gcloud compute networks update n"


@listed(
    "text, fault",
    [
        (f"{STOP} --zone=us-east1-b", "the project is left to chance"),
        (f"{STOP} --project=p", "compute instances stop needs --zone"),
        (f"{STOP} --zone=us-east1-b --project=p --now", "compute instances stop has no --now"),
        (f"{STOP} --zone=us-east1-b --project=p --async=1", "--async takes no value"),
        (f"{STOP} --zone --project=p", "--zone needs a value"),
        (f"{UPDATE} m --project=p --mtu=1460", "2 resources are named"),
        (f"{UPDATE} --project=p --mtu=9000", "--mtu does not take '9000'"),
        ("gcloud compute addresses delete a --project=p", "needs --region|global"),
    ],
)
def test_the_look_at_commands_finds_what_is_wrong(text: str, fault: str) -> None:
    assert any(found.endswith(fault) for found in faults_of(text))


def test_an_access_config_is_named_when_it_is_not_gclouds_default() -> None:
    # What a fix adds under gcloud's default name goes by it again.
    hits = [hit for _, _, hit in hits_of_bad_cases() if hit.fix]
    given = [
        hit for hit in hits if hit.fix and " add-access-config " not in "".join(hit.fix.commands)
    ]
    found = [text for text in commands_of(given) if " delete-access-config " in text]
    assert found
    for text in found:
        assert "--access-config-name=External NAT" in shlex.split(text)


def _own_options(command: Any) -> set[str]:
    """Return the names of all options of a command and of those below it."""
    names = {name[2:] for p in command.params for name in p.opts if name.startswith("--")}
    return names.union(*map(_own_options, getattr(command, "commands", {}).values()))


def test_flags_in_sentences_exist() -> None:
    assert VERBS, "their import adds them to the command"
    known = set(IN_TEXTS) | _own_options(ROOT)
    assert {"inventory", "vm", "out"} <= known
    for surface in GCLOUD.values():
        known |= surface.others | surface.switches
        known |= {part for one in surface.needed for part in one.split("|")}
    rules = [(c.rule.id, c.rule) for c in all_rules()]
    texts = [(n, " ".join((r.rationale, r.remediation, r.guards))) for n, r in rules]
    for rule, _, hit in hits_of_bad_cases():
        if hit.fix is not None:
            texts.append((rule, f"{hit.fix.text} {hit.fix.caution} {hit.saving.unknown}"))
    named = {(rule, flag) for rule, text in texts for flag in re.findall(r"--([a-z][a-z-]+)", text)}
    assert named
    assert {(rule, flag) for rule, flag in named if flag not in known} == set()


# Hostile names

HOSTILE = (
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned #",
    "&& touch pwned",
    "| touch pwned",
    "> pwned",
    "a\ntouch pwned\n",
    "a' ; touch pwned ; '",
    'a" ; touch pwned ; "',
    "\\'; touch pwned",
    "${IFS}touch${IFS}pwned",
    "*",
    "-q",
    "~",
    "!!",
    "a b\tc",
    "",
    "\x1b[31mred",
    "名前",
    "x" * 10_000,
)

NAMES = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30),
)


def named(name: str, zone: str = "us-east1-b", project: str = "p") -> model.Instance:
    link = model.SelfLink(f"projects/{project}/zones/{zone}/instances/{name}")
    ref, there = model.ResourceRef(self_link=link), model.Zone(zone)
    return replace(machine(name), ref=ref, project=model.ProjectId(project), zone=there)


def written(instance: model.Instance) -> str:
    """Return how a command names a machine; a flag's name cannot be one."""
    return str(instance.ref.self_link) if instance.name.startswith("-") else instance.name


@given(NAMES, NAMES, NAMES, NAMES)
def test_whatever_comes_in_is_one_word_each(name: str, zone: str, project: str, flag: str) -> None:
    instance = named(name, zone, project)
    words = shlex.split(gcloud_instance("stop", instance, f"--x={flag}"))
    of_project = [f"--project={project}"] if project else []
    start = [*["gcloud", "compute", "instances", "stop"], written(instance), f"--zone={zone}"]
    assert words == [*start, *of_project, f"--x={flag}"]


@given(st.lists(NAMES, min_size=1, max_size=6))
def test_words_come_back_as_they_went_in(words: list[str]) -> None:
    assert shlex.split(command(*words)) == words


def test_a_shell_runs_nothing_of_a_name(tmp_path: Path) -> None:
    """A real shell takes the commands apart: every word comes back, nothing else happens."""
    commands = [gcloud_instance("stop", named(name)) for name in HOSTILE]
    script = "".join(f"set -- {text}\nprintf '%s\\0' \"$5\"\n" for text in commands)
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, capture_output=True, check=True, timeout=30
    )
    assert done.stdout.decode().split("\0")[:-1] == [written(named(name)) for name in HOSTILE]
    assert done.stderr == b""
    assert list(tmp_path.iterdir()) == []


@listed("name", ["--quiet", "--flags-file=/tmp/x", "-q"])
def test_a_name_is_no_flag(name: str) -> None:
    words = shlex.split(gcloud_instance("stop", named(name)))
    flags = words[4 : words.index("--")] if "--" in words else words[4:]
    assert name not in flags


@given(NAMES, st.sampled_from(["", "Intel Ice Lake", "$(x) 'y'"]))
def test_a_resize_quotes_the_name_and_the_platform(name: str, platform: str) -> None:
    candidate = proposal(platform)
    for text in resize_commands(named(name), candidate):
        words = shlex.split(text)
        assert words[4] == written(named(name))
        assert all(word.startswith("--") for word in words[5:])
    last = [shlex.split(text)[3] for text in resize_commands(named(name), candidate)]
    middle = ["update"] if platform else []
    assert last == ["stop", "set-machine-type", *middle, "start"]


def proposal(platform: str = "", *, count: int = 1, is_tier1: bool = False) -> model.Candidate:
    """Return a machine that a rule might propose."""
    limit = model.Limit(
        name="vm-egress",
        gbps=16.0,
        kind=model.LimitKind.DOCUMENTED,
        source="a page",
        as_of=date(2026, 1, 1),
    )
    return model.Candidate(
        machine_type="n2-standard-16",
        count=count,
        is_tier1=is_tier1,
        vcpus=16,
        memory_gib=64.0,
        cap_gbps=16.0,
        usable_gbps=16.0,
        usd_per_month=None,
        line_items=(),
        limit=limit,
        cpu_platform=platform,
    )


def test_a_resize_that_takes_a_new_machine_has_no_commands() -> None:
    one = machine("one")
    assert resize_commands(one, proposal(count=2)) == ()
    assert resize_commands(one, proposal(is_tier1=True)) == ()
