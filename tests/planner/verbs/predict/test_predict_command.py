"""`netplan predict` as a process: one path, tables, and what it refuses."""

import json
import os
from pathlib import Path
from subprocess import CompletedProcess

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from support.commands.run import run_verbs
from support.paths.tables import ADDED, PLAIN, as_parquet, read, written

N2 = ("--src-type", "n2-standard-8", "--as-of", "2026-11-21")
SCHEMAS = Path(__file__).parents[4] / "docs" / "schemas"
ZONE = (*N2, "--path", "same-zone-internal")
FAR = (*N2, "--path", "inter-region-internal", "--streams", "16", "--rtt-ms", "100")


def predict(*arguments: str | Path) -> CompletedProcess[str]:
    return run_verbs(arguments=["predict", *map(str, arguments)])


def answer(*arguments: str | Path) -> str:
    """Return what a question with an answer prints."""
    return printed(0, *arguments)


def printed(status: int, *arguments: str | Path) -> str:
    """Return what a question prints that ends with a status, and nothing beside it."""
    found = predict(*arguments)
    assert found.stderr == ""
    assert found.returncode == status
    return found.stdout


class TestOnePath:
    def test_all_forms_say_the_same_whole_answer(self) -> None:
        found = json.loads(answer(*FAR, "--duration", "5s", "--format", "json"))
        assert found["schema"] == "netplan.prediction/1"
        estimate = found["estimate"]
        assert 0 < estimate["low_gbps"] <= estimate["gbps"] <= estimate["high_gbps"]
        assert estimate["level"] == 0.9
        assert found["binding_limit"] == estimate["limits"][0]["name"]
        assert found["next_limit"] == estimate["limits"][1]["name"]
        assert sum(estimate["probabilities"]) == pytest.approx(1)
        for limit in estimate["limits"]:
            assert limit["source"]
            assert limit["as_of"]
            assert limit["lifted_by"]
        (row,) = read(answer(*FAR, "--duration", "5s", "--format", "csv"))
        assert row["path_class"] == "inter-region-internal"
        assert float(row["low_gbps"]) <= float(row["predicted_gbps"]) <= float(row["high_gbps"])
        assert row["binding_limit"]
        assert row["next_limit"]
        assert row["reason"] == ""
        estimate = json.loads(answer(*FAR, "--format", "json"))["estimate"]
        (row,) = read(answer(*FAR, "--format", "csv"))
        assert float(row["predicted_gbps"]) == pytest.approx(estimate["gbps"], rel=1e-5)
        assert f"  {estimate['gbps']:.3g} Gbit/s [" in answer(*FAR)
        text = " ".join(answer(*FAR, "--explain").split())
        for limit in estimate["limits"]:
            assert f"{limit['name']}: " in text
            assert f"{limit['source']}, {limit['as_of']}" in text
        assert "(offered^-3 + cap^-3)^(-1/3)" in text

    def test_bytes_give_a_time(self) -> None:
        arguments = (*FAR, "--bytes", "2TiB")
        estimate = json.loads(answer(*arguments, "--format", "json"))["estimate"]
        gbit = 2 * 2**40 * 8 / 1e9
        assert estimate["duration_s"] * estimate["gbps"] == pytest.approx(gbit)
        assert estimate["low_duration_s"] <= estimate["duration_s"] <= estimate["high_duration_s"]
        assert "  takes " in answer(*arguments)
        assert "  takes " not in answer(*FAR)

    def test_a_greater_level_is_wider(self) -> None:
        outside = [
            word if word != "inter-region-internal" else "inter-region-external" for word in FAR
        ]
        narrow, wide = (
            json.loads(answer(*outside, "--level", level, "--format", "json"))["estimate"]
            for level in ("0.5", "0.99")
        )
        assert wide["low_gbps"] < narrow["low_gbps"] <= narrow["high_gbps"] <= wide["high_gbps"]


HOSTILE = (
    PLAIN | {"note": "=1+1"},
    PLAIN | {"note": "\x1b[31mred\u202e"},
    PLAIN | {"note": 'a "quoted", cell\nwith a line end'},
    PLAIN | {"note": "", "path_class": "\x1b[31m\u202eclass"},
    PLAIN | {"note": "", "machine_type": "=cmd()|'\x1b"},
    PLAIN | {"note": "", "date": "=now()\u2066"},
    PLAIN | {"note": "plain"},
)


class TestTable:
    def test_rows_order_and_own_columns_stay_and_predictions_follow(self, tmp_path: Path) -> None:
        rows = [
            PLAIN | {"value": "9", "note": "first"},
            PLAIN | {"machine_type": "n9", "value": "9", "note": 'a "b", c'},
            PLAIN | {"streams": "1", "value": "", "note": "ümlaut"},
        ]
        found = read(answer("--batch", written(tmp_path / "t.csv", *rows)))
        assert list(found[0]) == [*rows[0], *ADDED]
        assert [{name: row[name] for name in rows[0]} for row in found] == rows
        known, unknown, single = found
        assert float(known["low_gbps"]) <= float(known["predicted_gbps"])
        assert known["binding_limit"] == "external-egress"
        assert known["reason"] == ""
        assert [unknown[name] for name in ADDED[:5]] == [""] * 5
        assert "the machine series 'n9' is unknown" in unknown["reason"]
        assert single["binding_limit"] == "window-over-rtt"
        assert single["next_limit"]

    def test_the_measured_value_is_not_read(self, tmp_path: Path) -> None:
        ones, twos = (
            read(answer("--batch", written(tmp_path / f"{cell}.csv", PLAIN | {"value": cell})))
            for cell in ("1", "a word")
        )
        assert [ones[0][name] for name in ADDED] == [twos[0][name] for name in ADDED]

    def test_json_and_parquet_have_the_same_rows(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.csv", PLAIN, PLAIN | {"machine_type": "n9"})
        found = json.loads(answer("--batch", path, "--format", "json"))
        assert found["schema"] == "netplan.predictions/1"
        published = json.loads((SCHEMAS / "netplan.predictions" / "1.json").read_text("utf-8"))
        Draft202012Validator(published).validate(found)
        rows = read(answer("--batch", path))
        assert len(found["predictions"]) == len(rows) == 2
        first, second = found["predictions"]
        assert first["predicted_gbps"] == pytest.approx(float(rows[0]["predicted_gbps"]), rel=1e-5)
        assert first["machine_type"] == PLAIN["machine_type"]
        assert second["predicted_gbps"] is second["binding_limit"] is None
        assert second["reason"] == rows[1]["reason"]
        # Parquet gives what csv gives.
        path = written(tmp_path / "t.csv", PLAIN, PLAIN | {"machine_type": "n9", "streams": "1"})
        csv_rows, parquet_rows = (read(answer("--batch", one)) for one in (path, as_parquet(path)))
        assert [[row[name] for name in ADDED] for row in csv_rows] == [
            [row[name] for name in ADDED] for row in parquet_rows
        ]

    def test_a_row_is_what_the_single_path_gets(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {"duration_s": "5"})
        row = json.loads(answer("--batch", path, "--format", "json"))["predictions"][0]
        single = json.loads(
            answer(
                *("--src-type", "n2-standard-32", "--path", "inter-region-external"),
                *("--streams", "64", "--rtt-ms", "80", "--duration", "5s"),
                *("--as-of", "2022-11-01", "--format", "json"),
            )
        )
        assert row["predicted_gbps"] == pytest.approx(single["estimate"]["gbps"], rel=1e-12)
        assert row["low_gbps"] == pytest.approx(single["estimate"]["low_gbps"], rel=1e-12)
        assert row["high_gbps"] == pytest.approx(single["estimate"]["high_gbps"], rel=1e-12)
        assert row["binding_limit"] == single["binding_limit"]
        assert row["next_limit"] == single["next_limit"]

    def test_several_formats_are_written_at_once(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.csv", *HOSTILE)
        parquet, data = tmp_path / "out.parquet", tmp_path / "out.json"
        said = answer(
            "--batch", path, "-o", f"parquet:{parquet}", "-o", f"json:{data}", "-o", "csv"
        )
        assert said == answer("--batch", path)
        listed = json.loads(data.read_text("utf-8"))["predictions"]
        rows = pq.read_table(parquet).to_pylist()
        for row, one in zip(rows, listed, strict=True):
            found, wanted = row["predicted_gbps"], one["predicted_gbps"]
            assert found is wanted is None or found == pytest.approx(wanted, rel=1e-5)
        # No spreadsheet reads it: the table's own cells stay as they are.
        assert [row["note"] or "" for row in rows] == [row["note"] for row in HOSTILE]

    def test_a_pipe_is_refused_for_it_is_looked_at_twice(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        # Both ends are open: a command that reads it waits for ever, one that looks first does not.
        held = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        try:
            found = predict("--batch", pipe)
        finally:
            os.close(held)
        assert found.returncode in {2, 3}
        assert "pipe" in found.stderr.replace(str(pipe), "")

    def test_nothing_is_left_of_a_file_that_was_refused(self, tmp_path: Path) -> None:
        path = written(tmp_path / "t.csv", PLAIN | {"streams": "many"})
        target = tmp_path / "out.csv"
        target.write_text("kept", "utf-8")
        assert predict("--batch", path, "--output", target).returncode == 3
        assert target.read_text("utf-8") == "kept"
        assert sorted(one.name for one in tmp_path.iterdir()) == ["out.csv", "t.csv"]


class TestPlugins:
    TALK = (
        *("--host-link-gbps", "10", "--plugin", "kube-router,calico", "--plugin", "flannel@1"),
        *("--plugin", "cilium@1", "--plugin", "weave@1", "--plugin", "sr-iov"),
        *("--service", "percona-xtradb-sysbench-oltp", "--as-of", "2019-11"),
    )
    """The host's link, and the plugins of the talk; three used the interface of 1 Gbit/s."""

    def test_one_command_answers_transactions_for_each(self) -> None:
        rows = {row["plugin"]: row for row in read(answer(*self.TALK, "--format", "csv"))}
        assert list(rows) == ["", "kube-router", "calico", "flannel", "cilium", "weave", "sr-iov"]
        tps = {name: float(row["tps"]) for name, row in rows.items()}
        # Told of the servers without Kubernetes: 7,300 a second over 10 Gbit/s, 2,700 over 1.
        assert tps[""] == pytest.approx(7300, rel=0.01)
        assert tps["kube-router"] == max(tps[name] for name in tps if name)
        for name in ("flannel", "cilium", "weave"):
            assert tps[name] == pytest.approx(2700, rel=0.1)
            assert float(rows[name]["low_tps"]) <= 2700 <= 1.05 * float(rows[name]["high_tps"])
            assert rows[name]["binding_limit"] == "pod-interface"
        found = json.loads(answer(*self.TALK, "--format", "json"))
        assert found["schema"] == "netplan.prediction-by-plugin/1"
        text = answer(*self.TALK)
        for row in found["plugins"]:
            assert f"{row['tps']:,.0f} [" in text
        assert "flannel @1 " in text
        assert max(map(len, text.splitlines())) <= 100
