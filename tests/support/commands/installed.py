"""Asks installed netplans for the answer of every verb, and reads what comes on standard output.

python -m support.commands.installed [--with-extras] ENVIRONMENT...

Each environment is a folder with `bin/netplan` in it. Every verb writes JSON, in a process of its
own, and one more of its formats, in a forked one (`forked`): another one in each environment. Verbs
and formats are those that the command names: a new verb is asked without being named here, and one
without a row in `lines.VERBS` fails.
"""

import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import typer

from netplan_planner.cli.app import app
from support.commands import answers
from support.commands.in_process import netplan
from support.commands.lines import VERBS, made, success
from support.commands.run import SECONDS
from support.commands.verbs import leaves

JSON = "json"
_ALL_SECONDS = 10 * SECONDS
"""Of all forked answers together."""
_READ_BY_PYTHON = ("PYTHON", "NETPLAN_")
_SET = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": str(Path(__file__).parents[2]),
    # As the command sets it, before it loads anything.
    "OPENBLAS_NUM_THREADS": "1",
}
_MODULES_OF_EXTRAS = ("netplan_planner.google.bigquery.read", "netplan_planner.traffic.spark.read")
"""What imports a library of an extra, and needs a server for more."""
_ASKS_MCP = """
import sys
import anyio
from mcp import Client, StdioServerParameters
async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"])
    async with Client(server) as client:
        answer = await client.call_tool("caps", {"machine_type": "n2-standard-16"})
        assert not answer.is_error and answer.structured_content, answer
anyio.run(main)
"""
"""Asks the installed command as the SDK's own client does."""
_TABLES = {"predict --batch": answers.path_table, "price machine --batch": answers.price_table}
"""Whose answers are written by DuckDB, row by row."""
Make = Callable[[Path, ExitStack], list[str]]


class Asked(NamedTuple):
    """What is asked of an environment."""

    name: str
    make: Make
    """Makes the words, and what they name in a folder."""
    formats: tuple[str, ...]


class Unreadable(Exception):
    """What came is not what was asked for."""


def asked_of_all() -> Iterator[Asked]:
    """Yield every verb that the command has, and the two that answer a whole table.

    Raises:
        Unreadable: If nobody says what a verb is asked.
    """
    root: Any = typer.main.get_command(app)
    for verb in map(" ".join, leaves(root)):
        if verb not in VERBS:
            raise Unreadable(f"{verb}: give it a row in tests/support/commands/lines.toml")
        yield _with_formats(verb, partial(success, verb))
    for name, make in _TABLES.items():
        yield Asked(name, made(make), (JSON, "csv"))


def _with_formats(name: str, make: Make) -> Asked:
    """Return what is asked with the formats that the verb itself names."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        told = netplan(*make(Path(folder), stack), "--output", "?").err
    found = re.search(r"(?:use|is) one of ([a-z, -]+)", told)
    if found is None:
        raise Unreadable(f"{name}: names no formats: {told}")
    formats = tuple(found[1].split(", "))
    if unread := set(formats) - set(READ):
        raise Unreadable(f"{name}: nothing here reads {', '.join(sorted(unread))}")
    return Asked(name, make, formats)


def asked_with_extras(folder: Path, stack: ExitStack) -> Iterator[list[str]]:
    """Yield words that need what an extra brings."""
    yield [*answers.evaluation(folder), "--plot", str(folder / "plot.svg")]
    yield [*success("prices refresh", folder / "prices", stack), "--api-client", "google"]


def _json(text: str) -> None:
    document = json.loads(text)
    if not document["schema"].startswith("netplan."):
        raise Unreadable("names no schema")


def _csv(text: str) -> None:
    header, *rows = csv.reader(text.splitlines(keepends=True), strict=True)
    if not all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in header):
        raise Unreadable(f"no header: {header}")
    if wrong := [row for row in rows if len(row) != len(header)]:
        raise Unreadable(f"a row of {len(wrong[0])} cells under {len(header)} names")


class _Page(HTMLParser):
    """The elements of a page that are open."""

    _VOID = frozenset({"meta", "br", "hr", "input", "col", "wbr", "img", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        # The end of a row, a cell or an item may be left out.
        while self.open and self.open.pop() != tag:
            pass


def _html(text: str) -> None:
    _begins("<!doctype html>\n<html", "</html>\n")(text)
    if still := _Page(text).open:
        raise Unreadable(f"{still[-1]} has no end")


def _begins(start: str, end: str = "\n") -> Callable[[str], None]:
    def read(text: str) -> None:
        if re.match(start, text) is None or not text.endswith(end):
            raise Unreadable(f"does not begin with {start} and end with {end!r}")

    return read


def _sarif(text: str) -> None:
    if json.loads(text)["version"] != "2.1.0":
        raise Unreadable("no SARIF of 2.1.0")


def _script(text: str) -> None:
    _begins("#!/bin/sh\n")(text)
    subprocess.run(["bash", "-n"], input=text, text=True, check=True, timeout=SECONDS)


def _xml(name: str) -> Callable[[str], None]:
    def read(text: str) -> None:
        # Written by netplan itself.
        if not ElementTree.fromstring(text).tag.endswith(f"}}{name}"):
            raise Unreadable(f"no <{name}>")

    return read


READ: Mapping[str, Callable[[str], None]] = {
    "text": _begins(r"\S"),
    JSON: _json,
    "csv": _csv,
    "md": _begins(r"\S"),
    "html": _html,
    "sarif": _sarif,
    "machines-csv": _csv,
    "concise": _begins(r"\S"),
    "github": _begins(r"::\w+ |\d"),
    "github-comment": _begins("<!-- netplan:"),
    "gitlab-comment": _begins("<!-- netplan:"),
    "commands": _script,
    "terraform": _json,
    "dot": _begins(r"digraph \w+ \{", "}\n"),
    "graphml": _xml("graphml"),
    "mermaid": _begins(r"flowchart "),
    "svg": _xml("svg"),
}
"""By format, what reads it; an answer that is none ends with an error."""


class Line(NamedTuple):
    """A command line, which writes the same to the standard output and to a file."""

    words: list[str]
    form: str
    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / "file"

    @property
    def answer(self) -> Path:
        """Takes what came on the standard output."""
        return self.folder / "answer"

    @property
    def all_words(self) -> list[str]:
        outputs = ["--output", self.form, "--output", f"{self.form}:{self.file}"]
        return [*self.words, "--quiet", *outputs]


class Environment:
    """An environment with netplan in it, asked from an empty folder."""

    def __init__(self, folder: Path, inputs: Path) -> None:
        self.name = folder.name
        self.faults: list[str] = []
        self._bin = folder.resolve() / "bin"
        self._inputs = inputs
        self.empty = inputs / f"empty-{self.name}"
        self.empty.mkdir()

    def ask(self, asked: Asked) -> None:
        """Ask for one answer as JSON, and note what is wrong with it."""
        with tempfile.TemporaryDirectory(dir=self._inputs) as folder, ExitStack() as stack:
            self._read(asked.make(Path(folder), stack), Path(folder))

    def ask_each(self, forms: Mapping[Asked, str]) -> None:
        """Ask for answers in their formats, and note what is wrong with them."""
        with tempfile.TemporaryDirectory(dir=self._inputs) as inputs, ExitStack() as stack:
            lines = []
            for number, (asked, form) in enumerate(forms.items()):
                folder = Path(inputs) / str(number)
                folder.mkdir()
                lines.append(Line(asked.make(folder, stack), form, folder))
            wanted = json.dumps([(line.all_words, str(line.answer)) for line in lines])
            done = self._run("python", ["-m", "support.commands.forked"], wanted)
            for line, status in zip(lines, json.loads(done.stdout), strict=True):
                self._check(line, status, line.answer.read_bytes())

    def ask_with_extras(self) -> None:
        """Ask what extras are for, and import what would ask a server."""
        imports = "; ".join(f"import {name}" for name in _MODULES_OF_EXTRAS)
        self._note(f"python -c {imports!r}", self._run("python", ["-c", imports]))
        asked = self._run("python", ["-c", _ASKS_MCP, str(self._bin / "netplan")])
        self._note("netplan mcp", asked)
        with tempfile.TemporaryDirectory(dir=self._inputs) as folder, ExitStack() as stack:
            for words in asked_with_extras(Path(folder), stack):
                self._read(words, Path(folder))

    def versions(self) -> str:
        """Return what is installed."""
        script = (
            "import importlib.metadata as m; print(*sorted(f'{one.name} {one.version}'"
            " for one in m.distributions()), sep=', ')"
        )
        return self._run("python", ["-c", script]).stdout.decode().strip()

    def _read(self, words: list[str], folder: Path) -> None:
        """Read an answer as JSON."""
        line = Line(words, JSON, folder)
        done = self._run("netplan", line.all_words)
        self._note(" ".join(words), done)
        self._check(line, done.returncode, done.stdout)

    def _check(self, line: Line, status: int, content: bytes) -> None:
        """Note it if what came is not what was asked for, or not what was written to the file."""
        try:
            if status:
                raise Unreadable(f"status {status}")
            READ[line.form](content.decode("utf-8"))
            if content != line.file.read_bytes():
                raise Unreadable("not what stands in the file")
        except Exception as exc:
            told = f"{' '.join(line.all_words)}: {exc!r}; it begins {content[:200]!r}"
            self.faults.append(f"{self.name}: {told}")

    def _note(self, line: str, done: "subprocess.CompletedProcess[bytes]") -> None:
        if done.returncode or done.stderr:
            told = f"status {done.returncode}: {done.stderr[:400]!r}"
            self.faults.append(f"{self.name}: {line}: {told}")

    def _run(
        self, program: str, words: Sequence[str], given: str = ""
    ) -> "subprocess.CompletedProcess[bytes]":
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_READ_BY_PYTHON)}
        return subprocess.run(
            [self._bin / program, *words],
            cwd=self.empty,
            env=kept | _SET,
            input=given.encode(),
            capture_output=True,
            timeout=_ALL_SECONDS if given else SECONDS,
            check=False,
        )


def _other(asked: Asked, number: int) -> str:
    """Return a format that is not JSON, another one for each number."""
    others = [form for form in asked.formats if form != JSON]
    return others[number % len(others)]


def _cpu_s() -> float:
    """Return the CPU time of this process and of those that it ran."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in usages)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Ask all environments, and end with 1 if any answer is not what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environments", nargs="*", type=Path)
    parser.add_argument("--with-extras", action="store_true", help="ask only what extras are for")
    options = parser.parse_args()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="installed-") as inputs:
        all_asked = () if options.with_extras else tuple(asked_of_all())
        for number, folder in enumerate(options.environments):
            before_s = _cpu_s()
            environment = Environment(folder, Path(inputs))
            _say(f"{environment.name}: {environment.versions()}")
            for asked in all_asked:
                environment.ask(asked)
            others = {asked: _other(asked, at + number) for at, asked in enumerate(all_asked)}
            environment.ask_each(others)
            if options.with_extras:
                environment.ask_with_extras()
            if left := sorted(path.name for path in environment.empty.iterdir()):
                environment.faults.append(f"{environment.name}: left behind: {', '.join(left)}")
            faults += environment.faults
            _say(f"{environment.name}: {_cpu_s() - before_s:.0f} CPU s")
    for fault in faults:
        _say(fault)
    count = f"{len(all_asked)} verbs" if all_asked else "extras"
    _say(f"{count} in {len(options.environments)} environments: {_cpu_s():.0f} CPU s")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
