"""Every method that netplan asks of Google, and what it needs, is written in one table.

`netplan doctor --role` is made of it, so that the role is enough for all that is ever asked.
"""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from netplan_planner import google
from netplan_planner.google import compute_methods
from netplan_planner.google.compute_methods import (
    METHODS,
    PRIVATE_ENTRIES_PERMISSION,
    QUERY_METHODS,
)
from netplan_planner.google.refusals import POSTED, READS_BY_POST
from netplan_planner.verbs.doctor.run import role_yaml

ROOM = Path(google.__file__).parent
TABLE = Path(compute_methods.__file__)
_NAMED = re.compile(
    r"(compute|monitoring|logging|cloudasset|networkmanagement|networkconnectivity|cloudbilling"
    r"|bigquery)"
    r"\.[A-Za-z]+(\.[A-Za-z]+)*\.(get[A-Za-z]*|list[A-Za-z]*|aggregatedList|insert|cancel)"
)


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(ROOM.rglob("*.py")):
        yield path, ast.parse(path.read_text("utf-8"))


def test_ids_and_permissions_stand_in_the_table_alone() -> None:
    elsewhere = [
        (path.name, node.value)
        for path, tree in modules()
        if path != TABLE
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _NAMED.fullmatch(node.value)
    ]
    assert elsewhere == []
    own = {
        value
        for name, value in vars(compute_methods).items()
        if name.endswith("_ID") and isinstance(value, str)
    }
    assert own == {
        one for one in METHODS if not any(one == item.id for item in compute_methods.LISTS)
    }
    assert all(map(_NAMED.fullmatch, METHODS))


def asked() -> Iterator[tuple[str, ast.expr]]:
    """Yield what stands for the method of each request that is made."""
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                for word in node.keywords:
                    if word.arg == "method":
                        place = path.relative_to(ROOM).with_suffix("").parts
                        yield ".".join([google.__name__, *place]), word.value


def test_every_request_names_a_method_of_the_table() -> None:
    found = list(asked())
    assert len(found) >= 8
    for module, value in found:
        text = ast.unparse(value)
        # Of a list in the table, or of one whose own method is written with its name.
        if text not in {"method.id", "wanted.method"}:
            assert attrgetter(text)(import_module(module)) in METHODS, (module, text)


def test_the_role_is_enough_for_every_method() -> None:
    listed = {line.removeprefix("- ") for line in role_yaml().splitlines()}
    for method, needed in METHODS.items():
        assert set(needed) <= listed, method
    assert set(METHODS) >= READS_BY_POST
    assert {*METHODS, *(one.id for one in QUERY_METHODS)} >= POSTED
    assert all(_NAMED.fullmatch(one.id) for one in QUERY_METHODS)


def test_the_role_asks_for_nothing_that_holds_personal_data() -> None:
    """Data Access logs are in private views; flow logs are none of them."""
    assert PRIVATE_ENTRIES_PERMISSION not in role_yaml()


@pytest.mark.parametrize("word", ["set", "create", "delete", "update", "write", "insert"])
def test_the_role_changes_nothing(word: str) -> None:
    assert not any(one.rpartition(".")[2].casefold().startswith(word) for one in METHODS)
