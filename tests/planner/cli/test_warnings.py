"""Warnings of Python, of ours or of libraries: none reaches the user, all do with `--debug`."""

import pytest

from support.commands.run import run_anew

SCRIPT = """
import warnings
from netplan_planner.cli import answers, main
write = answers.write
def warned(*arguments):
    warnings.simplefilter("always")
    warnings.warn("wears out", FutureWarning)
    write(*arguments)
answers.write = warned
main()
"""


@pytest.mark.parametrize("is_shown", [False, True])
def test_a_warning_is_seen_with_debug_alone(is_shown: bool) -> None:
    words = ["--debug"] * is_shown + ["caps", "n2-standard-4", "--output", "csv"]
    done = run_anew("-c", SCRIPT, *words)
    assert done.returncode == 0, done.stderr
    assert ("FutureWarning: wears out" in done.stderr) is is_shown
    assert "wears out" not in done.stdout
    assert "n2-standard-4" in done.stdout
