"""Stand-ins for `ssh` and `gcloud`: they record their words and run the far side's text here.

The far side gets a session of its own, and its input through a `cat` that is the connection:
killing that `cat` loses the connection, stopping it makes the connection stand still.
"""

import os
from pathlib import Path

import pytest

_SCRIPT = """#!/bin/bash
printf '%s\\0' "$@" >>"$0.words"
printf '\\n' >>"$0.words"
far="${!#}"
cat | setsid bash -c "${far#--command=}"
exit "${PIPESTATUS[1]}"
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put both before everything else on the PATH."""
    for name in ("ssh", "gcloud"):
        script = folder / name
        script.write_text(_SCRIPT)
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def recorded(folder: Path, name: str) -> list[list[str]]:
    """Return the words of every call."""
    path = folder / f"{name}.words"
    if not path.exists():
        return []
    calls = path.read_bytes().decode().split("\0\n")
    return [call.split("\0") for call in calls if call]
