"""A pull request from Terraform's plan to its comment, by the one command that the guide shows."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import post_comment
from support.commands.in_process import Done, netplan
from support.projects.sample_repository import CODE, REPORT, write_sample
from support.servers.review import ReviewServer

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs/how-to/running/pull-requests.md"
EXAMPLE = ROOT / "docs/examples/pull-request"
TOKEN = "ghs_t0k3n-Zq8vX1kPw9LmT4"
BLOCK = 'resource "google_compute_instance" "vm" {'


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("made") / "shop")


def of_guide(comment: Path) -> list[str]:
    """Return the words of the guide's command, as they are in the repository itself."""
    (command,) = re.findall(r"^\$ netplan (.+)$", GUIDE.read_text("utf-8"), re.MULTILINE)
    told = command.replace(f"{EXAMPLE.relative_to(ROOT)}/", "")
    return shlex.split(told.replace("/tmp/netplan-comment.md", str(comment)))


@pytest.fixture
def comment(tmp_path: Path) -> Path:
    return tmp_path / "comment.md"


@pytest.fixture
def done(sample: Path, comment: Path, monkeypatch: pytest.MonkeyPatch) -> Done:
    monkeypatch.chdir(sample)
    return netplan(*of_guide(comment))


def test_the_repository_has_a_change(sample: Path) -> None:
    words = ["git", "diff", "--name-only", "main..larger-database"]
    told = subprocess.run(words, cwd=sample, capture_output=True, text=True, timeout=60, check=True)
    assert set(told.stdout.split()) == {CODE, REPORT, "plan.json"}
    changes = json.loads((sample / "plan.json").read_bytes())["resource_changes"]
    actions = [one["change"]["actions"][0] for one in changes]
    assert sorted(actions) == ["create", "create", "no-op", "update"]


def test_new_findings_are_annotations_of_the_configuration(sample: Path, done: Done) -> None:
    assert done.status == 0, done.err
    line = (sample / CODE).read_text("utf-8").splitlines().index(BLOCK) + 1
    *annotations, summary = done.out.splitlines()
    assert len(annotations) == 3
    for one in annotations:
        assert one.startswith(f"::warning file={CODE},line={line},title="), one
    # Of web-0, which the change does not touch, nothing is said.
    assert "web-0" not in done.out
    assert summary == "findings: 2 new, 1 changed, 1 unchanged · cost per month: +$612.10"


def test_the_comment_tells_money_rates_and_findings(done: Done, comment: Path) -> None:
    assert done.status == 0, done.err
    text = comment.read_text("utf-8")
    assert "web-0" not in text
    # Reckoned by hand in `tests/planner/verbs/diff`.
    assert "| **total** | $419.48 | $1,031.58 | +$612.10 |" in text
    # The live db-1 sends 9.2 Gbit/s, which its new type still has to carry.
    assert "| `db-1` | n2-highmem-8 → n2-highmem-16 | 16 → 32 Gbit/s | 9.2 Gbit/s |" in text
    assert "**new** **MEDIUM** `cheaper-series`" in text


def test_it_is_posted_once_and_then_updated(
    done: Done, comment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert done.status == 0, done.err
    event = comment.with_name("event.json")
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    server = ReviewServer(TOKEN)
    known = {
        "GITHUB_API_URL": server.url,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_TOKEN": TOKEN,
    }
    try:
        said = [post_comment.main([str(comment)], known) for _ in range(2)]
        assert said == [0, 0]
        (posted,) = server.comments.values()
        assert posted["body"] == comment.read_text("utf-8")
        assert server.asked.count("POST") == 1
    finally:
        server.close()
    assert TOKEN not in "".join(capsys.readouterr())


def test_the_example_of_the_guide_is_what_is_written(sample: Path) -> None:
    for name in (CODE, "plan.json"):
        assert (EXAMPLE / name).read_bytes() == (sample / name).read_bytes(), name
    rates = [
        {one["name"]: one["egress_p95_gbps"] for one in json.loads(path.read_bytes())["machines"]}
        for path in (EXAMPLE / REPORT, sample / REPORT)
    ]
    assert rates[0] == rates[1] != {}
