"""A library that prints on the standard output, in every way there is, in the middle of a verb.

python -m support.commands.loud NOTE WORD...   one command line, loud where it loads its modules
python -m support.commands.loud                every one of the list on the standard input
"""

import ctypes
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from support.commands import forked

SAID = "a library says"
_LOUD = (
    "netplan_planner.cli.",
    "netplan_planner.verbs.",
    "netplan_planner.world.",
    "netplan_planner.renderers.",
)
"""What is imported where a verb begins."""
_BEFORE_ALL = "netplan_planner.cli.interrupts"
"""Is imported before the stream is held."""


def say(note: Path) -> None:
    """Print by the system, by C, by Python, and by a program that is started; note that it was."""
    os.write(1, f"{SAID}: write\n".encode())
    # C holds it back until the process ends, where no terminal reads it.
    ctypes.CDLL(None).puts(f"{SAID}: puts".encode())
    for stream in (sys.stdout, sys.__stdout__):
        assert stream is not None
        stream.write(f"{SAID}: print\n")
        stream.buffer.write(f"{SAID}: bytes\n".encode())
        stream.flush()
    subprocess.run(["echo", f"{SAID}: echo"], check=True)
    note.touch()


def before_answers(note: Path) -> None:
    """Be loud before each answer is written."""
    output: Any = import_module("netplan_planner.renderers.output")
    render = output.render

    def loudly(*given: Any) -> str:
        say(note)
        return str(render(*given))

    output.render = loudly


def run_one(note: Path) -> None:
    """Run the command line, loud where it loads its modules and before its answer."""
    heard: set[str] = set()

    def hear(event: str, given: tuple[Any, ...]) -> None:
        part = next((one for one in _LOUD if event == "import" and given[0].startswith(one)), None)
        if part is not None and part not in heard and given[0] != _BEFORE_ALL:
            heard.add(part)
            say(note)

    main = import_module("netplan_planner.cli").main
    before_answers(note)
    sys.addaudithook(hear)
    sys.argv[0] = "netplan"
    main()


def run_each() -> None:
    """Run every command line in a process of its own, loud before each of its answers."""
    lines = json.load(sys.stdin)
    found = forked.run_each(lines, lambda answer: before_answers(Path(f"{answer}.loud")))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:]:
        given = Path(sys.argv.pop(1))
        run_one(given)
    else:
        run_each()
