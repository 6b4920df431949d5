"""Values that cost much to work out: one worker of a run of the tests does, others read them."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

Value = TypeVar("Value")

FOLDER = "NETPLAN_TEST_RUN_FOLDER"
"""The variable that names a folder of the run; without it every process is on its own."""


def made_once(name: str, make: Callable[[], Value]) -> Value:
    """Return what `make` gives, or gave in another worker.

    Args:
        name: Of the value, as a file can have it.
        make: Works the value out; always the same one.
    """
    if FOLDER not in os.environ:
        return make()
    file = Path(os.environ[FOLDER], name)
    if not file.exists():
        new = file.with_suffix(f".{os.getpid()}")
        new.write_bytes(pickle.dumps(make()))
        new.replace(file)
    return cast(Value, pickle.loads(file.read_bytes()))
