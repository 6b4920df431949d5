"""What throughput depends on is decided in one place each; others ask there."""

import ast
import re
from collections.abc import Iterator

import pytest

from support.commands.run import ROOTS

PLACES = {
    "PathEnd": {"throughput/limits/ends.py"},
    "rtt_between": {
        "throughput/round_trips/of_path.py",
        # Whether a place is one at all.
        "planning/path_question.py",
        "verbs/predict/run.py",
    },
    "rtt_for_pairs": {
        "throughput/round_trips/of_path.py",
        # Between all zones of a placement at once; limits are of idle paths, not of a machine's.
        "verbs/place/numbers.py",
    },
}
"""By what is called, the modules that may call it."""


def callers(name: str) -> Iterator[str]:
    """Yield the modules of the product that call a function or class by its name."""
    for root in ROOTS:
        for file in sorted(root.glob("netplan_*/**/*.py")):
            source = file.read_bytes()
            if name.rpartition(".")[2].encode() not in source:
                continue
            for node in ast.walk(ast.parse(source)):
                called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
                # By its name, or as one of its room's: `model.PathEnd`.
                if called.removeprefix("model.").removeprefix("rtt.") == name:
                    yield file.relative_to(root).as_posix().partition("/")[2]


@pytest.mark.parametrize("name", PLACES)
def test_it_is_decided_in_one_place(name: str) -> None:
    assert set(callers(name)) == PLACES[name]


def test_the_version_with_threads_stands_once() -> None:
    found = [
        file.relative_to(root).as_posix()
        for root in ROOTS
        for file in root.glob("netplan_*/**/*.py")
        if re.search(rb"\b3\s*,\s*16\b", file.read_bytes())
        and any(
            isinstance(node, ast.Tuple) and ast.unparse(node) == "(3, 16)"
            for node in ast.walk(ast.parse(file.read_bytes()))
        )
    ]
    assert found == ["netplan_planner/throughput/transport/tools.py"]


OWN_FILES = {"cli/verbs.py", "renderers/html/page.py", "shipped.py"}
"""What reads files of the program itself."""


def test_whole_files_of_users_are_read_within_a_bound() -> None:
    found = {
        file.relative_to(root).as_posix().partition("/")[2]
        for root in ROOTS
        for file in root.glob("netplan_*/**/*.py")
        if b"read_bytes" in file.read_bytes() or b"read_text" in file.read_bytes()
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Attribute) and node.attr in {"read_bytes", "read_text"}
    }
    # The reader of outputs is called `read_text`, but not as an attribute.
    assert found == OWN_FILES, "use `whole` of input_files"
