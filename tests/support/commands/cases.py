"""Command lines as data: what each is asked, and all that is expected of it.

A file of `tests/cases/VERB` is a table of these members:

- `verb`: the words before those of each case.
- `always`: members that each case has unless it says otherwise; of its `file` each has all that it
  does not name itself.
- `case`: a list of tables with
  - `words`: the rest of the command line, split as a shell does; `@/` is the folder of the files;
  - `file`: what is written there first, by name: a text, `{ row, rows }` for a CSV whose rows have
    all of `row` that they do not say themselves, or `{ machines }`, of which only `machine_type`
    and what is unusual stand there, for a list of the Compute API, `{ bill }` for a billing export;
  - `env`: variables of the surroundings;
  - `status`: the exit status, 0 unless said;
  - `out`, `err`: texts that the streams hold, blanks and line ends taken together;
  - `not_out`, `not_err`: texts that they do not hold; `begins`: how the error does; `opens`,
    `closes`: how the answer begins and ends; `quiet`: the error is empty;
  - `width`: no line of the answer but commands is longer, where there is no terminal;
  - `json`: values by their place in the answer as JSON (`prices.0.usd`): equal, a number as it is
    written; `*` stands for every one of a list, `#` for their count, `[name=web]` for those of a
    list of which a member is so;
  - `near`: the same for a value and how far from it a part of it may be; `above`, `below`: bounds
    that are not reached;
  - `rising`: places at which all values are in order;
  - `null`: places where it is said that nothing is known;
  - `holds`: texts in what stands at such a place; `told`: places where nothing is empty; `lacks`:
    places that are not there, or empty;
  - `sum`: the same for sums of all that a place with `*` has;
  - `same`: another command line whose answer is alike, at the places of `alike` if these are named;
    `other`: one whose answer is not;
  - `csv`: values of the first row of the answer as CSV, by column; `columns`: those of all rows;
  - `counts`: how often texts stand in the answer.

Whatever a case says, a status of 2 or 3 leaves the standard output empty and tells why in a line,
nothing shows a trace or steers a terminal, and JSON follows its published schema.
"""

import csv
import io
import json
import shlex
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.commands.run import run_verbs
from support.prices.billing_export import usage, write_flat_csv, write_parquet
from support.projects.compute_json import machine

CASES = Path(__file__).parents[2] / "cases"
SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
OF_JSON = {
    "json",
    "holds",
    "told",
    "lacks",
    "sum",
    "near",
    "above",
    "below",
    "rising",
    "null",
    "alike",
}
MEMBERS = {
    *(
        "words",
        "status",
        "out",
        "err",
        "not_out",
        "not_err",
        "begins",
        "opens",
        "closes",
        "quiet",
        "width",
    ),
    *("csv", "columns", "counts", "file", "env", "same", "other"),
    *OF_JSON,
}
OF_TEXT = MEMBERS - OF_JSON - {"words", "status", "file", "env", "csv", "columns", "same"}
ERRORS = (2, 3)
STEERING = ("Cc", "Cf")
"""Categories of letters that a terminal or a direction of text obeys."""
FOLDER = "@/"
FORMATS = {"-o", "--output", "--format", "--batch"}
"""Options that say what a command writes; a batch has no text."""


def cases(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the cases of a file with the whole command line of each."""
    table = tomllib.loads(file.read_text("utf-8"), parse_float=Decimal)
    assert table.keys() <= {"verb", "always", "case"}, f"{file}: {sorted(table)}"
    always = table.get("always", {})
    for case in table["case"]:
        whole = {**always, **case, "file": _files(always.get("file", {}), case.get("file", {}))}
        assert whole.keys() <= MEMBERS, f"{file}: {sorted(whole.keys() - MEMBERS)}"
        joint = "" if table["verb"].endswith(FOLDER) else " "
        yield f"{table['verb']}{joint}{case['words']}".strip(), whole


def _files(always: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files of a case; of tables what it does not say is as in all cases."""
    found = {**always, **own}
    for name in always.keys() & own.keys():
        if not isinstance(always[name], str) and not isinstance(own[name], str):
            found[name] = {**always[name], **own[name]}
    return found


def write(content: Any, path: Path) -> None:
    """Write a file of a case."""
    if isinstance(content, str):
        path.write_bytes(content.encode())
    elif "machines" in content:
        path.write_text(json.dumps([machine("one", **one) for one in content["machines"]]), "utf-8")
    elif "bill" in content:
        bill = [usage(**{k: _plain(v) for k, v in row.items()}) for row in content["bill"]]
        (write_flat_csv if path.suffix == ".csv" else write_parquet)(path, bill)
    else:
        rows = [content.get("row", {}) | row for row in content["rows"]]
        names = list(dict.fromkeys(name for row in rows for name in row))
        out = io.StringIO()
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(out.getvalue(), "utf-8")


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


class Asked:
    """One case with its files; each command line is run once for the text and the JSON."""

    def __init__(self, line: str, case: Mapping[str, Any], folder: Path) -> None:
        self.line, self.case, self.folder = line, case, folder
        # Beside the folder, which may itself be what is read.
        self.beside = folder.with_name(f"{folder.name}-answer.json")
        for name, content in case.get("file", {}).items():
            write(content, folder / name)

    def run(self, line: str, *more: str, wide: bool = True) -> CompletedProcess[str]:
        words = [word.replace(FOLDER, f"{self.folder}/") for word in shlex.split(line)]
        width = {"COLUMNS": "200"} if wide else {}
        done = run_verbs(arguments=[*words, *more], **width, **self.case.get("env", {}))
        text = (done.stdout + done.stderr).replace("\n", "")
        assert not [one for one in text if unicodedata.category(one) in STEERING]
        return done

    def text(self) -> CompletedProcess[str]:
        """Return what the case's command does, and keep its JSON where that is looked at too."""
        is_both = OF_JSON & self.case.keys() and self.case.get("status", 0) not in ERRORS
        if not is_both or FORMATS & {*shlex.split(self.line)}:
            return self.run(self.line)
        return self.run(self.line, "-o", "text", "-o", f"json:{self.beside}")

    def texts(self, name: str) -> Iterator[str]:
        for text in self.case.get(name, ()):
            yield text.replace(FOLDER, f"{self.folder}/")

    def json(self, line: str, status: int | None = None) -> Any:
        """Return what a command writes as JSON, with every digit, held to its schema."""
        if line == self.line and self.beside.exists():
            text = self.beside.read_text("utf-8")
        else:
            done = self.run(line, "-o", "json")
            assert done.returncode in ({0, 1} if status is None else {status}), done.stderr
            text = done.stdout
        document = json.loads(text)
        schema(document["schema"]).validate(document)
        return json.loads(text, parse_float=Decimal)


def check(line: str, case: Mapping[str, Any], folder: Path) -> None:
    """Run a command line, once for each form that is looked at, and compare."""
    status = case.get("status", 0)
    asked = Asked(line, case, folder)
    is_like_another = "same" in case and "alike" not in case
    if OF_TEXT & case.keys() or is_like_another or status in ERRORS or not OF_JSON & case.keys():
        check_text(asked, status)
    if OF_JSON & case.keys():
        check_json(asked, status)
    if {"csv", "columns"} & case.keys():
        check_csv(asked, status)


def check_text(asked: Asked, status: int) -> None:
    """Compare what a command writes for people, and how it ends."""
    case, done = asked.case, asked.text()
    assert done.returncode == status, done.stderr
    for stream, name in ((done.stdout, "out"), (done.stderr, "err")):
        text = " ".join(stream.replace("│", " ").split())
        for word in asked.texts(name):
            assert word in text, f"std{name} lacks {word!r}: {text}"
        for word in asked.texts(f"not_{name}"):
            assert word not in text, f"std{name} has {word!r}: {text}"
        assert "Traceback" not in stream
    if status in ERRORS:
        assert done.stdout == ""
        assert done.stderr.strip()
    assert done.stderr.startswith(case.get("begins", "")), done.stderr
    assert done.stdout.startswith(case.get("opens", "")), done.stdout
    assert " ".join(done.stdout.split()).endswith(case.get("closes", "")), done.stdout
    assert not (case.get("quiet") and done.stderr), done.stderr
    if "width" in case:
        lines = asked.run(asked.line, wide=False).stdout.splitlines()
        assert max(len(one) for one in lines if "gcloud" not in one) <= case["width"]
    for text, count in case.get("counts", {}).items():
        assert done.stdout.count(text) == count, text
    if "alike" not in case and "same" in case:
        assert asked.run(case["same"]).stdout == done.stdout, case["same"]
    if "other" in case:
        assert asked.run(case["other"]).stdout != done.stdout, case["other"]


def check_csv(asked: Asked, status: int) -> None:
    """Compare what a command writes as CSV."""
    case, done = asked.case, asked.run(asked.line, "-o", "csv")
    assert done.returncode == status, done.stderr
    rows = list(csv.DictReader(done.stdout.splitlines(keepends=True), strict=True))
    formulas = [one for row in rows for one in row.values() if one.startswith(tuple("=@+\t"))]
    assert not formulas, formulas
    for name, value in case.get("csv", {}).items():
        assert rows[0][name] == value, f"{name}: {rows[0]}"
    for name, values in case.get("columns", {}).items():
        assert [row[name] for row in rows] == values, name


def check_json(asked: Asked, status: int) -> None:
    """Compare what a command writes as JSON."""
    case, exact = asked.case, asked.json(asked.line, status)

    def found(place: str) -> list[Any]:
        held = [*at(exact, place.split("."))]
        assert held, f"nothing at {place}"
        return held

    for place, value in case.get("json", {}).items():
        assert all(one == value for one in found(place)), f"{place}: {found(place)}, not {value!r}"
    for place, (value, rel) in case.get("near", {}).items():
        wanted = pytest.approx(float(value), rel=float(rel))
        assert all(float(one) == wanted for one in found(place)), f"{place}: {found(place)}"
    for place, value in case.get("above", {}).items():
        assert all(one > value for one in found(place)), f"{place}: {found(place)}"
    for place, value in case.get("below", {}).items():
        assert all(one < value for one in found(place)), f"{place}: {found(place)}"
    for place in case.get("rising", ()):
        assert all(one <= other for one, other in pairwise(found(place))), place
    for place in case.get("null", ()):
        assert all(one is None for one in found(place)), f"{place}: {found(place)}"
    for place, text in case.get("holds", {}).items():
        assert all(text in one for one in found(place)), f"{place}: no {text!r}"
    for place in case.get("told", ()):
        assert all(at(exact, place.split("."))), f"{place} is empty"
    for place in case.get("lacks", ()):
        assert not any(at(exact, place.split("."), may_lack=True)), f"{place} is there"
    for place, value in case.get("sum", {}).items():
        assert sum(at(exact, place.split("."))) == value, place
    if "alike" in case:
        other = asked.json(case["same"])
        for place in case["alike"]:
            assert [*at(other, place.split("."))] == found(place), place


@cache
def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text("utf-8")))


def at(value: Any, steps: list[str], *, may_lack: bool = False) -> Iterator[Any]:
    """Yield what stands at a place of an answer."""
    if not steps:
        yield value
        return
    step, *rest = steps
    if step == "#":
        held = [len(value)]
    elif step == "*":
        held = value
    elif step.startswith("["):
        name, _, wanted = step[1:-1].partition("=")
        held = [one for one in value if str(one[name]) == wanted]
    elif may_lack and isinstance(value, dict) and step not in value:
        held = []
    else:
        held = [value[int(step) if isinstance(value, list) else step]]
    for one in held:
        yield from at(one, rest, may_lack=may_lack)
