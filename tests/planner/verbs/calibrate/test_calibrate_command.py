"""`netplan calibrate` as a process, and its file in the hands of other verbs."""

import json
import re
import unicodedata
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from netplan_planner.errors import InputError
from netplan_planner.world.calibration import read_calibration
from support.calibrations.inputs import AWAY, ROWS, WALL, record, store, table
from support.commands.run import run_verbs
from support.examples import sized
from support.paths.tables import read

Json = dict[str, Any]
FILE = "calibration.json"


def calibrate(*arguments: str | Path, **environment: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["calibrate", *map(str, arguments)], **environment)


def answer(*arguments: str | Path, **environment: str) -> str:
    """Return what a calibration that was made prints."""
    found = calibrate(*arguments, **environment)
    assert found.stderr == ""
    assert found.returncode == 0
    return found.stdout


def assert_inert(text: str) -> None:
    """Assert that a text holds nothing that a terminal or a text direction obeys."""
    assert not [one for one in text if one != "\n" and unicodedata.category(one) in {"Cc", "Cf"}]


@pytest.fixture
def probes(tmp_path: Path) -> Path:
    """Return a store of runs of four pairs that reach three quarters of their wall."""
    return store(tmp_path / "probes.jsonl", [record(n, 24.0 + 0.1 * n) for n in range(8)])


class TestText:
    def test_of_a_store_it_says_what_was_gained(self, probes: Path, tmp_path: Path) -> None:
        lines = [line.strip() for line in answer(probes, "--out", tmp_path / FILE).splitlines()]
        assert lines[0] == ("8 of 8 measurements, 4 paths and setups, ages counted from 2026-11-20")
        (cap,) = [line for line in lines if line.startswith("vm-egress")]
        assert cap.split()[1] == "n2"
        assert 0.7 < float(cap.split()[2]) < 0.8
        at = next(at for at, line in enumerate(lines) if line.startswith("not in fit "))
        head, score = (re.split(r" {2,}", line) for line in lines[at : at + 2])
        told_of = dict(zip(head, score, strict=True))
        assert (told_of["not in fit"], told_of["results"]) == ("all", "8")
        before, after = (
            float(told_of[f"error {when}"].rstrip("%")) for when in ("before", "after")
        )
        assert after < 5 < before
        said = " ".join(lines)
        assert "determines: path-class, vm-egress" in said
        assert "without probes 32, with them 24" in said

    def test_it_says_what_was_read_and_what_not(self, tmp_path: Path, probes: Path) -> None:
        text = answer(table(tmp_path / "t.csv"), "--out", tmp_path / FILE)
        assert text.startswith(f"{len(ROWS)} of {len(ROWS)} measurements, ")
        for words in ("receive-window ", "vm-egress ", "internet to aws", "determines: "):
            assert words in text
        assert text.endswith("\n")
        # One pair only is said.
        text = answer(table(tmp_path / "t.csv", [WALL, WALL]), "--out", tmp_path / FILE)
        assert "only one pair of places" in text
        # What was not used is named.
        store(probes, [record(20 + n, 1.0, protocol="udp") for n in range(7)])
        text = answer(probes, "--out", tmp_path / FILE)
        assert text.startswith("8 of 15 measurements")
        assert text.count("not used: ") == 6
        assert "udp, not TCP" in text
        assert "not used: 2 more" in text
        # Many lessons are cut with a count.
        rows = [AWAY | {"streams": str(count)} for count in range(1, 26)]
        text = answer(table(tmp_path / "t.csv", rows), "--out", tmp_path / FILE)
        assert text.count("without probes") == 20
        assert "\n5 more" in text

    def test_hostile_names_are_inert(self, tmp_path: Path) -> None:
        odd = "gcp:\x1b[31m\u202ezone"
        rows = [WALL | {"src_location": f"{odd}-{n}", "dst_location": odd} for n in range(3)]
        text = answer(table(tmp_path / "t.csv", rows), "--out", tmp_path / FILE)
        assert_inert(text)
        assert_inert((tmp_path / FILE).read_text("utf-8"))


class TestJson:
    def test_it_is_whole_and_says_what_the_text_says(self, probes: Path, tmp_path: Path) -> None:
        found: Json = json.loads(answer(probes, "--out", tmp_path / FILE, "--format", "json"))
        assert found["schema"] == "netplan.calibration-answer/1"
        assert found["record_count"] == 8
        assert found["level"] == 0.9
        written = json.loads((tmp_path / FILE).read_text("utf-8"))
        assert written.pop("schema") == "netplan.calibration/1"
        assert found["calibration"] == written
        assert [one["group"] for one in found["left_out"]] == [
            "",
            "same-zone-internal to own machines",
        ]
        for score in found["left_out"]:
            assert 0 <= score["median_error_ratio"] < score["plain_median_error_ratio"]
            assert 0 <= score["coverage_ratio"] <= 1
        assert len(found["lessons"]) == 4
        assert found["faults"] == []
        text = answer(probes, "--out", tmp_path / FILE)
        for one in found["calibration"]["latents"]:
            if one["value_count"]:
                assert f"{one['ratio']:.3f}" in text
                assert f"{one['low_ratio']:.3f} to {one['high_ratio']:.3f}" in text


class TestSameBytes:
    def test_in_another_order_and_over_two_files(self, tmp_path: Path, probes: Path) -> None:
        whole = table(tmp_path / "whole.csv")
        some, others = table(tmp_path / "a.csv", ROWS[:2:-1]), table(tmp_path / "b.csv", ROWS[:3])
        found = set()
        for paths in ((whole,), (some, others)):
            answer(*paths, "--out", tmp_path / FILE)
            found.add((tmp_path / FILE).read_bytes())
        assert len(found) == 1
        # Of a store in another order.
        lines = probes.read_text("utf-8").splitlines(keepends=True)
        back = tmp_path / "back.jsonl"
        # A store may begin with a line of its own; what follows it are records.
        heads = [line for line in lines if '"run_id"' not in line]
        back.write_text(
            "".join([*heads, *(line for line in lines[::-1] if line not in heads)]), "utf-8"
        )
        texts = set()
        for path in (probes, back):
            answer(path, "--out", tmp_path / FILE)
            texts.add((tmp_path / FILE).read_bytes())
        assert len(texts) == 1
        # Ages can be counted from a given day.
        answer(table(tmp_path / "t.csv"), "--out", tmp_path / FILE, "--as-of", "2026-12-24")
        assert read_calibration(tmp_path / FILE).as_of.isoformat() == "2026-12-24"

    def test_in_every_process_with_one_thread_and_with_two(self, tmp_path: Path) -> None:
        path = table(tmp_path / "t.csv")
        found = set()
        ways = (("0", "1"), ("random", "2"), ("1", "2"))
        for seed, threads in ways[: sized(2, 3)]:
            told = {"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads}
            said = answer(path, "--out", tmp_path / FILE, **told)
            found.add((said, (tmp_path / FILE).read_bytes()))
        assert len(found) == 1


class TestRefused:
    def test_an_older_file_stays_when_nothing_is_learnt(self, probes: Path, tmp_path: Path) -> None:
        answer(probes, "--out", tmp_path / FILE)
        before = (tmp_path / FILE).read_bytes()
        found = calibrate(
            table(tmp_path / "t.csv", [WALL | {"value": ""}]), "--out", tmp_path / FILE
        )
        assert found.returncode == 3
        assert (tmp_path / FILE).read_bytes() == before


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the calibration of the rows of the table."""
    folder = tmp_path_factory.mktemp("made")
    answer(table(folder / "t.csv"), "--out", folder / FILE)
    return folder / FILE


class TestInOtherVerbs:
    def predict(self, *arguments: str | Path) -> CompletedProcess[str]:
        return run_verbs(arguments=["predict", *map(str, arguments)])

    def test_predict_follows_it_for_a_path_and_for_a_table(self, made: Path) -> None:
        path = (
            *("--src-type", "n2-standard-32", "--path", "same-zone-internal"),
            *("--streams", "16", "--rtt-ms", "0.2", "--duration", "10s", "--mtu", "1460"),
            *("--as-of", "2026-11-20", "--format", "json"),
        )
        plain, found = (
            json.loads(self.predict(*path, *more).stdout)["estimate"]
            for more in ((), ("--calibration", made))
        )
        assert found["gbps"] < 0.8 * plain["gbps"]
        row = WALL | {"src_location": "", "dst_location": ""}
        batch = table(made.with_name("ask.csv"), [row])
        (cells,) = read(self.predict("--batch", batch, "--calibration", made).stdout)
        assert float(cells["predicted_gbps"]) == pytest.approx(found["gbps"], rel=1e-5)
        assert float(cells["low_gbps"]) == pytest.approx(found["low_gbps"], rel=1e-5)
        assert float(cells["high_gbps"]) == pytest.approx(found["high_gbps"], rel=1e-5)

    def test_what_no_probe_touched_is_as_before(self, made: Path) -> None:
        row = WALL | {"machine_type": "e2-standard-8", "path_class": "inter-region-internal"}
        row |= {"streams": "", "rtt_ms": "", "duration_s": "", "dst_location": "gcp:us-east1-b"}
        batch = table(made.with_name("ask.csv"), [row])
        plain, found = (
            self.predict("--batch", batch, *more).stdout for more in ((), ("--calibration", made))
        )
        assert plain == found

    def test_recommend_follows_it_for_the_series_that_were_measured(self, made: Path) -> None:
        asked = ("recommend", "--gbps", "20", "--region", "us-central1", "--to", "zone")
        one = ("--max-count", "1", "--series", "n2,n2d", "--as-of", "2026-11-20", "--format")
        plain, found = (
            json.loads(run_verbs(arguments=[*asked, *one, "json", *more]).stdout)
            for more in ((), ("--calibration", str(made)))
        )
        assert plain["calibration"] is None
        assert "calibration of 2026-11-20" in found["calibration"]
        caps = [
            {r["machine_type"]: r["cap_gbps"] for r in answer["ranked"] if not r["is_tier1"]}
            for answer in (plain, found)
        ]
        assert caps[0]["n2-standard-32"] == 32
        assert caps[1].get("n2-standard-32", 0) < 27
        kept = [name for name in caps[1] if name.startswith("n2d-")]
        assert kept
        assert all(caps[1][name] <= caps[0][name] for name in kept)

    @pytest.mark.parametrize("verb", [("audit", "--full"), ("probe", "plan")])
    def test_audit_and_plan_take_it(self, made: Path, verb: tuple[str, ...]) -> None:
        asked = (*verb, "--demo", "gecko", "--calibration", str(made))
        found = run_verbs(arguments=list(asked))
        assert found.returncode in (0, 1)
        assert "Traceback" not in found.stderr
        if verb[0] == "audit":
            text = " ".join(found.stdout.split())
            assert "Predictions follow a calibration of 2026-11-20 by 6 measurements" in text


class TestWhereItIsWritten:
    def test_a_table_is_no_store(self, tmp_path: Path) -> None:
        path = table(tmp_path / "t.csv")
        before = path.read_bytes()
        with pytest.raises(InputError, match="not a store of measurements"):
            store(path, [record(0, 20.0)])
        assert path.read_bytes() == before
