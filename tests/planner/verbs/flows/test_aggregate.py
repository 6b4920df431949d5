"""`netplan flows aggregate`: the same answers from the sums, and nothing lost in their folder."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError, UsageError
from netplan_planner.readers import read_inventory
from netplan_planner.traffic.aggregates import MANIFEST
from netplan_planner.traffic.spark import submitted
from netplan_planner.writing import folder_written_whole
from support.commands.in_process import Done, netplan
from support.commands.run import begun
from support.flows import aggregated
from support.flows.entries import around, entries
from support.flows.kinds import BAD
from support.projects import one_project
from support.projects.traffic_formats import inventory_files

INVENTORY = one_project.FOLDER / "gcloud"
GIVEN = ("--inventory", str(INVENTORY))


@pytest.fixture(scope="module")
def flows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return flow logs between all machines of the shared project, some of them damaged."""
    folder = tmp_path_factory.mktemp("flows")
    inventory = read_inventory([INVENTORY])
    made = [*entries(inventory, {"minutes": 90, "flows": around(inventory)}), *BAD.values()]
    text = "\n".join([*map(json.dumps, made), "{broken"])
    (folder / "flows.jsonl").write_text(text + "\n", "utf-8")
    return folder / "flows.jsonl"


def aggregated_to(out: Path, *words: str) -> Done:
    done = netplan("flows", "aggregate", *words, "--out", str(out))
    assert done.status == 0, done.err
    return done


@pytest.fixture(scope="module")
def sums(flows: Path) -> Path:
    out = flows.parent / "sums"
    aggregated_to(out, *GIVEN, "--traffic", str(flows), "--log-volume")
    return out


VERBS = (
    ("audit", "--explain", "--today", "2026-11-20", "--fail-on", "never"),
    ("graph",),
    ("flow-logs", "cost"),
    ("flow-logs", "plan"),
    ("forecast", "--horizon", "7d"),
    ("recommend", "--vm", "plain-1"),
    ("whatif", "--vm", "plain-1", "--machine-type", "n2-standard-8"),
)
FORMS = ("text", "json", "md", "csv")


def answers(folder: Path, *words: str) -> dict[str, bytes]:
    """Return an answer in every form."""
    folder.mkdir()
    files = {form: folder / form for form in FORMS}
    outputs = [f"--output={form}:{file}" for form, file in files.items()]
    done = netplan(*words, *outputs)
    assert done.status in {0, 1}, done.err
    return {form: file.read_bytes() for form, file in files.items()}


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_the_same_answer(words: tuple[str, ...], flows: Path, sums: Path, tmp_path: Path) -> None:
    by_records, by_sums = (
        answers(tmp_path / path.name, *words, *GIVEN, "--traffic", str(path))
        for path in (flows, sums)
    )
    assert all(by_records.values())
    assert by_sums == by_records


def test_examples_of_left_out_records_are_told(flows: Path, sums: Path, tmp_path: Path) -> None:
    words = ("audit", "--today", "2026-11-20", "--fail-on", "never")
    found = answers(tmp_path / "out", *words, *GIVEN, "--traffic", str(sums))
    report = json.loads(found["json"])
    line = len(flows.read_text("utf-8").splitlines())
    told = [one["source"] for one in report["coverage"]["traffic"]["examples"]]
    assert told[-1] == f"{flows}:{line}"


def test_a_bundle_of_them_is_a_bundle_of_the_records(flows: Path, sums: Path) -> None:
    found = []
    for number, path in enumerate((flows, sums)):
        bundle = flows.parent / f"{number}.tar.zst"
        done = netplan("collect", *GIVEN, "--traffic", str(path), "--out", str(bundle))
        assert done.status == 0, done.err
        found.append(bundle.read_bytes())
    assert found[0] == found[1]


def test_without_the_volume_of_logs(flows: Path) -> None:
    out = flows.parent / "little"
    told = aggregated_to(out, *GIVEN, "--traffic", str(flows)).out
    assert "need it: --log-volume" in " ".join(told.split())
    done = netplan("flow-logs", "cost", *GIVEN, "--traffic", str(out))
    assert done.status == 2
    assert "aggregates without --log-volume" in done.err


def test_pods_of_a_cluster(tmp_path: Path, flows: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    words = [word for file in inventory_files(given) for word in ("--inventory", str(file))]
    out = tmp_path / "sums"
    aggregated_to(out, *words, "--traffic", str(flows))
    found = [
        netplan("audit", *words, "--traffic", str(path), "--fail-on", "never", "-o", "json").out
        for path in (flows, out)
    ]
    assert found[0] == found[1]


def test_the_answer_names_every_file(flows: Path) -> None:
    out = flows.parent / "named"
    answer: dict[str, Any] = json.loads(
        aggregated_to(out, *GIVEN, "--traffic", str(flows), "-o", "json").out
    )
    files = {path.name: path.stat().st_size for path in out.glob("*.parquet")}
    assert {one["file"]: one["byte_count"] for one in answer["tables"]} == files
    assert answer["byte_count"] == sum(files.values())
    assert answer["inventory_words"] == list(GIVEN)
    assert answer["record_count"] == answer["used_count"] + len(BAD) + 1


def test_strict_says_what_is_incomplete(flows: Path, tmp_path: Path) -> None:
    words = ("flows", "aggregate", *GIVEN, "--traffic", str(flows), "--strict")
    done = netplan(*words, "--out", str(tmp_path / "sums"))
    assert done.status == 4
    assert "the aggregates are incomplete and --strict is set" in done.err
    assert (tmp_path / "sums" / MANIFEST).is_file()


def test_sums_of_sums_of_nothing_or_of_no_job_are_refused(
    flows: Path, sums: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = flows.parent / "again.tar.zst"
    netplan("collect", *GIVEN, "--traffic", str(flows), "--out", str(bundle))
    for path in (sums, bundle):
        words = ("flows", "aggregate", *GIVEN, "--traffic", str(path), "--out", "x")
        done = netplan(*words)
        assert done.status == 2
        assert "these are aggregates already" in done.err
    # Nothing to sum.
    done = netplan("flows", "aggregate", *GIVEN, "--out", str(tmp_path / "sums"))
    assert done.status == 2
    assert "add --traffic" in done.err
    # Addresses are for jobs.
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    words = ("flows", "aggregate", *GIVEN, "--traffic", str(flows), "--out", "gs://bucket/sums")
    done = netplan(*words)
    assert done.status == 2
    assert "only a spark-submit job writes there" in done.err
    # No session where nobody started one.
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    with pytest.raises(UsageError, match="--spark-remote"), submitted.session():
        raise AssertionError("there is none")


def _with_a_file(folder: Path) -> None:
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")


def _sums_and_a_file(folder: Path) -> None:
    aggregated_sums = aggregated.written(folder.parent, aggregated.matrix_of(folder.parent))
    aggregated_sums.rename(folder)
    (folder / "notes.txt").write_text("mine")


def _sums_and_hidden(folder: Path) -> None:
    aggregated.written(folder.parent, aggregated.matrix_of(folder.parent)).rename(folder)
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("mine")


def _sums_and_a_hidden_file(folder: Path) -> None:
    aggregated.written(folder.parent, aggregated.matrix_of(folder.parent)).rename(folder)
    (folder / "_SUCCESSFUL-notes.txt").write_text("mine")


def _a_false_manifest(folder: Path) -> None:
    folder.mkdir()
    (folder / MANIFEST).write_text("{}")
    (folder / "edges.parquet").mkdir()


FOREIGN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file": (lambda path: path.write_text("mine"), "this is a file"),
    "a folder with a file": (_with_a_file, "did not write"),
    "aggregates and a file": (_sums_and_a_file, "contains notes.txt, which would be lost"),
    "aggregates and a hidden folder": (_sums_and_hidden, "contains .git, which would be lost"),
    "aggregates and a file that a reader passes over": (
        _sums_and_a_hidden_file,
        "contains _SUCCESSFUL-notes.txt, which would be lost",
    ),
    "a folder in a file's place": (_a_false_manifest, "contains edges.parquet"),
    "no folder above": (lambda path: path.parent.rmdir(), "does not exist"),
    "a link to itself": (lambda path: path.symlink_to(path), "not usable"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_not_its_own_is_not_overwritten(kind: str, flows: Path, tmp_path: Path) -> None:
    make, why = FOREIGN[kind]
    parent = tmp_path / "in"
    parent.mkdir()
    out = parent / "out"
    make(out)
    before = sorted(tmp_path.rglob("*"))
    done = netplan("flows", "aggregate", *GIVEN, "--traffic", str(flows), "--out", str(out))
    assert done.status == 2, done.err
    assert why in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_older_aggregates_make_way(flows: Path, tmp_path: Path) -> None:
    out = aggregated.written(tmp_path, aggregated.matrix_of(tmp_path))
    before = (out / "edges.parquet").read_bytes()
    link = tmp_path / "link"
    link.symlink_to(out, target_is_directory=True)
    for name in ("_SUCCESS", ".edges.parquet.crc", ".netplan-aggregates.json.crc", ".DS_Store"):
        (out / name).write_text("left by a copy")
    aggregated_to(link, *GIVEN, "--traffic", str(flows))
    assert (out / "edges.parquet").read_bytes() != before
    assert not (out / "pods.parquet").exists()
    assert link.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"sums", "link", "flows.jsonl"}


def test_an_empty_folder_is_filled(flows: Path, tmp_path: Path) -> None:
    aggregated_to(tmp_path, *GIVEN, "--traffic", str(flows))
    assert (tmp_path / MANIFEST).is_file()


def test_a_failure_leaves_the_older_ones(tmp_path: Path) -> None:
    out = tmp_path / "sums"
    out.mkdir()
    (out / "old").write_text("old")

    def fail() -> None:
        with folder_written_whole(out) as beside:
            (beside / "new").write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="cannot be written: No space left"):
        fail()
    assert [path.name for path in tmp_path.rglob("*")] == ["sums", "old"]


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    out = tmp_path / "sums"
    code = (
        "import sys, time; from pathlib import Path\n"
        "from netplan_planner.writing import folder_written_whole\n"
        "with folder_written_whole(Path(sys.argv[1])) as beside:\n"
        "    (beside / 'half').write_text('x'); time.sleep(60)\n"
    )
    process = begun("-c", code, out)
    while not any(tmp_path.glob(".sums.*.new/half")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (left,) = tmp_path.iterdir()
    left.with_suffix(".old").mkdir()
    with folder_written_whole(out) as beside:
        (beside / "whole").write_text("y")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["sums", "whole"]
