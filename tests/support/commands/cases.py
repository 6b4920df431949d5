"""Command lines as data: what each is asked, and all that is expected of it.

A file of `tests/cases/VERB` is a table of these members:

- `verb`: the words before those of each case.
- `always`: members that each case has unless it says otherwise.
- `case`: a list of tables with
  - `words`: the rest of the command line, split as a shell does;
  - `status`: the exit status, 0 unless said;
  - `out`, `err`: texts that the streams hold, blanks and line ends taken together;
  - `not_out`, `not_err`: texts that they do not hold; `begins`: how the error does;
  - `json`: values by their place in the answer as JSON (`prices.0.usd`): equal, a number as it is
    written; `*` stands for every one of a list, `#` for their count;
  - `holds`: texts in what stands at such a place; `told`: places where nothing is empty; `lacks`:
    places that are not there, or empty;
  - `sum`: the same for sums of all that a place with `*` has;
  - `csv`: values of the first row of the answer as CSV, by column.

Whatever a case says, a status of 2 or 3 leaves the standard output empty and tells why in a line,
nothing shows a trace or steers a terminal, and JSON follows its published schema.
"""

import csv
import json
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from support.commands.run import run_verbs

CASES = Path(__file__).parents[2] / "cases"
SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
OF_JSON = {"json", "holds", "told", "lacks", "sum"}
MEMBERS = {"words", "status", "out", "err", "not_out", "not_err", "begins", "csv"} | OF_JSON
ERRORS = (2, 3)


def cases(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the cases of a file with the whole command line of each."""
    table = tomllib.loads(file.read_text("utf-8"), parse_float=Decimal)
    assert table.keys() <= {"verb", "always", "case"}, f"{file}: {sorted(table)}"
    for case in table["case"]:
        whole = {**table.get("always", {}), **case}
        assert whole.keys() <= MEMBERS, f"{file}: {sorted(whole.keys() - MEMBERS)}"
        yield f"{table['verb']} {case['words']}".strip(), whole


def check(line: str, case: Mapping[str, Any]) -> None:
    """Run a command line, once for each form that is looked at, and compare."""
    status = case.get("status", 0)
    done = run_verbs(arguments=shlex.split(line), COLUMNS="200")
    assert done.returncode == status, done.stderr
    for stream, name in ((done.stdout, "out"), (done.stderr, "err")):
        text = " ".join(stream.replace("│", " ").split())
        for word in case.get(name, ()):
            assert word in text, f"std{name} lacks {word!r}: {text}"
        for word in case.get(f"not_{name}", ()):
            assert word not in text, f"std{name} has {word!r}: {text}"
        assert "\x1b" not in stream
        assert "Traceback" not in stream
    if status in ERRORS:
        assert done.stdout == ""
        assert done.stderr.strip()
    assert done.stderr.startswith(case.get("begins", "")), done.stderr
    if OF_JSON & case.keys():
        check_json(line, case, status)
    if "csv" in case:
        again = run_verbs(arguments=[*shlex.split(line), "--format", "csv"])
        assert again.returncode == status, again.stderr
        first = next(csv.DictReader(again.stdout.splitlines(keepends=True), strict=True))
        assert {name: first[name] for name in case["csv"]} == case["csv"]


def check_json(line: str, case: Mapping[str, Any], status: int) -> None:
    """Compare what a command writes as JSON."""
    done = run_verbs(arguments=[*shlex.split(line), "--format", "json"])
    assert done.returncode == status, done.stderr
    document = json.loads(done.stdout)
    schema(document["schema"]).validate(document)
    exact = json.loads(done.stdout, parse_float=Decimal)
    for place, value in case.get("json", {}).items():
        found = [*at(exact, place.split("."))]
        assert found, f"nothing at {place}"
        assert all(one == value for one in found), f"{place}: {found}, not {value!r}"
    for place, text in case.get("holds", {}).items():
        assert all(text in one for one in at(exact, place.split("."))), f"{place}: no {text!r}"
    for place in case.get("told", ()):
        assert all(at(exact, place.split("."))), f"{place} is empty"
    for place in case.get("lacks", ()):
        assert not exact.get(place), f"{place} is there"
    for place, value in case.get("sum", {}).items():
        assert sum(at(exact, place.split("."))) == value, place


@cache
def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text("utf-8")))


def at(value: Any, steps: list[str]) -> Iterator[Any]:
    """Yield what stands at a place of an answer."""
    if not steps:
        yield value
    elif steps[0] == "#":
        yield len(value)
    elif steps[0] == "*":
        for one in value:
            yield from at(one, steps[1:])
    else:
        key = int(steps[0]) if isinstance(value, list) else steps[0]
        yield from at(value[key], steps[1:])
