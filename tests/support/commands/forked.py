"""Runs command lines of the netplan that its Python has, each in a process of its own.

python -m support.commands.forked < LINES

A line is the words and a file, which takes what comes on descriptor 1. The processes are forked
from one that has loaded all verbs, for most of the time of a command line is the loading. Their
statuses come back.
"""

import gc
import json
import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module

from support.commands.verbs import leaves

Lines = Iterable[tuple[list[str], str]]


def _nothing(_: str) -> None:
    pass


def run_each(lines: Lines, begin: Callable[[str], None] = _nothing) -> list[int]:
    """Return the status of each; `begin` is called with the file at the beginning of each."""
    main = import_module("netplan_planner.cli").main
    app = import_module("netplan_planner.cli.app").app
    assert list(leaves(import_module("typer").main.get_command(app)))
    # What is loaded is not looked through again by each.
    gc.collect()
    gc.freeze()
    try:
        return [_status(words, file, main, begin) for words, file in lines]
    finally:
        # In this process and each of the others: what is frozen at their end is told as leaked.
        gc.unfreeze()


def _status(
    words: list[str], file: str, main: Callable[[], None], begin: Callable[[str], None]
) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    begin(file)
    os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), 1)
    sys.argv = ["netplan", *words]
    main()
    # Out of the whole script, as a process ends.
    sys.exit()


if __name__ == "__main__":
    found = run_each(json.load(sys.stdin))
    sys.stdout.write(json.dumps(found))
