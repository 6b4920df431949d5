"""The action, the hook and the template, run as their hosts run them, with netplan of this tree."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.commands.run import ROOTS
from support.projects.plan_of_vms import write_plan
from support.servers.review import ReviewServer

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "ghs_t0k3n-Zq8vX1kPw9LmT4"
SECONDS = 120
_EXPRESSION = re.compile(r"\$\{\{ ([\w.]+) \}\}")


@pytest.fixture
def server() -> Iterator[ReviewServer]:
    made = ReviewServer(TOKEN)
    yield made
    made.close()


@pytest.fixture
def netplan(tmp_path: Path) -> Path:
    """Return a command that is netplan of this tree."""
    script = tmp_path / "bin" / "netplan"
    script.parent.mkdir()
    roots = os.pathsep.join(map(str, ROOTS))
    run = "from netplan_planner.cli import main; main()"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={roots!r} exec {sys.executable} -c {run!r} "$@"\n')
    script.chmod(0o755)
    return script


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


class Job:
    """Runs the steps of the action as GitHub's runner does."""

    def __init__(self, folder: Path, inputs: dict[str, str], **environment: str) -> None:
        self.action = loaded("action.yml")
        known = {name: one.get("default", "") for name, one in self.action["inputs"].items()}
        self.values = {f"inputs.{name}": value for name, value in {**known, **inputs}.items()}
        self.folder, self.log, self.status = folder, "", 0
        self.environment = {
            **{name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ},
            "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(ROOT),
            **environment,
        }

    def run(self) -> "Job":
        for step in self.action["runs"]["steps"]:
            if not self.status and self._is_due(step.get("if")):
                self._run(step)
        return self

    def _is_due(self, condition: str | None) -> bool:
        if condition is None:
            return True
        found = re.fullmatch(r"(inputs\.\w+) (==|!=) ''", condition)
        assert found, condition
        is_empty = not self.values[found[1]]
        return is_empty is (found[2] == "==")

    def _run(self, step: dict[str, Any]) -> None:
        assert step["shell"] == "bash"
        assert "uses" not in step
        # Nothing that others write is a part of a script.
        assert "${{" not in step["run"]
        own = {
            name: _EXPRESSION.sub(lambda found: self.values.get(found[1], ""), value)
            for name, value in step.get("env", {}).items()
        }
        output = self.folder / "output"
        output.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env={**self.environment, **own, "GITHUB_OUTPUT": str(output)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        self.log += done.stdout + done.stderr
        self.status = done.returncode
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step['id']}.outputs.{name}"] = value


def event(folder: Path) -> str:
    file = folder / "event.json"
    file.write_text(json.dumps({"pull_request": {"number": 7}}))
    return str(file)


def job(folder: Path, netplan: Path, server: ReviewServer, args: str, **more: str) -> Job:
    write_plan(folder / "plan.json")
    inputs = {"args": args, "netplan": str(netplan), "token": TOKEN, **more}
    where = {"GITHUB_API_URL": server.url, "GITHUB_REPOSITORY": "o/r"}
    return Job(folder, inputs, GITHUB_EVENT_PATH=event(folder), **where).run()


def test_the_action_audits_annotates_and_comments(
    tmp_path: Path, netplan: Path, server: ReviewServer
) -> None:
    found = job(tmp_path, netplan, server, "audit --inventory 'plan.json' --fail-on medium")
    assert found.status == 1
    assert re.search(r"^::(error|warning) file=plan\.json,line=\d+,title=", found.log, re.MULTILINE)
    assert found.values["steps.run.outputs.status"] == "1"
    (comment,) = server.comments.values()
    assert comment["body"].startswith("<!-- netplan:audit ")
    assert TOKEN not in found.log
    job(tmp_path, netplan, server, "audit --inventory plan.json")
    assert len(server.comments) == 1


def test_the_action_says_what_a_plan_changes(
    tmp_path: Path, netplan: Path, server: ReviewServer
) -> None:
    found = job(tmp_path, netplan, server, "diff plan.json --fail-on-increase 100")
    assert found.status == 1
    (comment,) = server.comments.values()
    # What `tests/planner/verbs/diff` reckons by hand.
    assert "$1,031.58" in comment["body"]
    assert "::warning file=plan.json,line=1,title=new medium%3A cheaper-series::" in found.log


def test_words_of_the_action_are_no_script(
    tmp_path: Path, netplan: Path, server: ReviewServer
) -> None:
    found = job(tmp_path, netplan, server, "audit --inventory $(touch${IFS}made);touch made `id`")
    assert found.status == 3
    assert not (tmp_path / "made").exists()
    assert server.comments == {}


def test_without_a_token_nothing_is_posted(
    tmp_path: Path, netplan: Path, server: ReviewServer
) -> None:
    assert job(tmp_path, netplan, server, "diff plan.json", token="").status == 0
    assert server.asked == []


def test_a_comment_that_is_refused_is_a_warning(
    tmp_path: Path, netplan: Path, server: ReviewServer
) -> None:
    found = job(tmp_path, netplan, server, "diff plan.json", token="another-t0k3n")
    assert found.status == 0
    assert "::warning::netplan's comment was not posted" in found.log
    assert "t0k3n" not in found.log


def test_the_action_installs_itself_by_its_lock(tmp_path: Path) -> None:
    calls, tools = tmp_path / "calls", tmp_path / "tools"
    tools.mkdir()
    stub = '#!/bin/sh\necho "$0 $*" >> "$CALLS"\n'
    made = 'mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp "$0" "$3/bin/uv"\n'
    (tools / "python3").write_text(f'{stub}if [ "$2" = venv ]; then {made}fi\n')
    (tools / "python3").chmod(0o755)
    found = Job(tmp_path, {"args": "audit"}, CALLS=str(calls))
    found.environment["PATH"] = f"{tools}:{found.environment['PATH']}"
    found._run(found.action["runs"]["steps"][0])
    assert found.status == 0
    assert f"--constraint {ROOT}/requirements.lock {ROOT}" in calls.read_text()


def test_the_hook_names_findings_of_a_plan(tmp_path: Path, netplan: Path) -> None:
    (hook,) = loaded(".pre-commit-hooks.yaml")
    assert (
        subprocess.run(
            [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"],
            cwd=ROOT,
            check=False,
            timeout=SECONDS,
        ).returncode
        == 0
    )
    # As pre-commit would, but for the installation.
    local = {**hook, "language": "system", "args": ["--fail-on", "medium"]}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    write_plan(folder / "plan.json")
    (folder / "other.json").write_text("{")
    environment = {
        **os.environ,
        "PATH": f"{netplan.parent}:{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
    }
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True, timeout=SECONDS)
    subprocess.run(["git", "add", "."], cwd=folder, check=True, timeout=SECONDS)
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files"],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert re.search(r"^plan\.json:\d+: medium cheaper-series: ", done.stdout, re.MULTILINE)
    assert "other.json" not in done.stdout


@pytest.mark.nightly
def test_the_hook_is_installed_from_the_repository_itself(tmp_path: Path) -> None:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if head.returncode:
        pytest.skip("no Git repository: the hook is installed from a commit")
    hooks = [{"id": "netplan", "args": ["--fail-on", "medium"]}]
    config = {"repos": [{"repo": f"file://{ROOT}", "rev": head.stdout.strip(), "hooks": hooks}]}
    (tmp_path / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    write_plan(tmp_path / "plan.json")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")}
    for words in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, timeout=SECONDS)

    def asked(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", *words],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=10 * SECONDS,
            check=False,
        )

    installed = asked("install-hooks")
    if "Could not find a version" in installed.stdout + installed.stderr:
        pytest.skip("packages are not to be had here")
    assert installed.returncode == 0, installed.stdout
    done = asked("run", "--all-files")
    assert done.returncode == 1
    assert re.search(r"^plan\.json:\d+: medium cheaper-series: ", done.stdout, re.MULTILINE)


def test_the_template_comments_on_a_merge_request(
    tmp_path: Path, netplan: Path, server: ReviewServer
) -> None:
    template = loaded("templates/netplan.gitlab-ci.yml")["netplan"]
    write_plan(tmp_path / "plan.json")
    done = subprocess.run(
        ["sh", "-ec", "\n".join(template["script"])],
        env={
            "PATH": f"{netplan.parent}:{os.environ['PATH']}",
            **template["variables"],
            "NETPLAN_SOURCE": str(ROOT),
            "NETPLAN_ARGS": "diff plan.json --fail-on-new medium",
            "GITLAB_CI": "true",
            "CI_API_V4_URL": server.url,
            "CI_PROJECT_ID": "5",
            "CI_MERGE_REQUEST_IID": "7",
            "NETPLAN_GITLAB_TOKEN": TOKEN,
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    (comment,) = server.comments.values()
    assert comment["body"].startswith("<!-- netplan:diff ")
    assert "&#8203;" in comment["body"]
    assert TOKEN not in done.stdout + done.stderr
