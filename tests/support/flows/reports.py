"""Reports of an audit in several formats, to hold one source of flow logs against another."""

from collections.abc import Sequence
from pathlib import Path

from support.commands.run import run_verbs

FORMATS = ("text", "json", "md")


def reports_of(folder: Path, arguments: Sequence[str]) -> dict[str, str]:
    """Return an audit's reports by format.

    Args:
        folder: Where they are written; it is made.
        arguments: What the audit reads.
    """
    folder.mkdir()
    outputs = [f"--output={name}:{folder / name}" for name in FORMATS]
    fixed = ["--full", "--fail-on", "never", "--today", "2026-11-01", "--width", "120"]
    done = run_verbs(arguments=["audit", "--anonymous", *fixed, *outputs, *arguments])
    assert done.returncode == 0, done.stderr
    return {name: (folder / name).read_text(encoding="utf-8") for name in FORMATS}
