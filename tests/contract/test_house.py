"""The house does not grow: its figures may fall, and who lets one rise changes the limit here.

The aims stand in CONTRIBUTING ("Limits"). A figure that has fallen well below its limit lowers it.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from support.commands.run import ROOTS

MOST_CODE_LINES = 110_417
"""Of the product: neither blank, comment nor docstring."""
MOST_IMPORT_SHARE = 0.088
MOST_FILES_OF_A_FOLDER = 20
MOST_RETOLD_SHARE = 0.25
"""Of the fields of all types: those that stand with two more of their kind in a second type."""
LEAST_TOLD_TOGETHER = 3
MOST_LINES_OF_A_FILE = 400


class Lines(NamedTuple):
    """Of one file."""

    whole: int
    code: int
    imports: int


class Told(NamedTuple):
    """What one walk over a file tells of it."""

    documented: set[int]
    """Lines of docstrings, those below the fields of a value included."""
    texts: set[int]
    """Lines of texts over several: what looks like a comment or is blank in one is code."""
    imports: set[int]
    fields: list[frozenset[tuple[str, str]]]
    """Of each type by name and kind; those of its bases are not its own."""


def span(node: ast.stmt | ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


@cache
def told(file: Path) -> Told:
    found = Told(set(), set(), set(), [])
    for node in ast.walk(ast.parse(file.read_bytes())):
        body = getattr(node, "body", ())
        for one in body if isinstance(body, list) else ():
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
                found.documented.update(span(one))
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno:
            found.texts.update(span(node))
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.imports.update(span(node))
        elif isinstance(node, ast.ClassDef):
            found.fields.append(fields_of(node))
    return found


def fields_of(kind: ast.ClassDef) -> frozenset[tuple[str, str]]:
    return frozenset(
        (one.target.id, ast.unparse(one.annotation).replace("model.", ""))
        for one in kind.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    )


@cache
def lines_of(file: Path) -> Lines:
    lines, found = file.read_text("utf-8").splitlines(), told(file)
    is_code = (line.strip() and not line.lstrip().startswith("#") for line in lines)
    code = {at for at, one in enumerate(is_code, 1) if one} | found.texts
    code -= found.documented
    return Lines(len(lines), len(code), len(found.imports & code))


def files() -> Iterator[tuple[str, Path]]:
    """Yield the product's modules, with their paths below the root of their package."""
    for root in ROOTS:
        for file in sorted(root.glob("**/*.py")):
            yield file.relative_to(root).as_posix(), file


def test_the_product_has_no_more_code_than_its_limit() -> None:
    assert sum(lines_of(file).code for _, file in files()) <= MOST_CODE_LINES


def test_imports_take_no_more_of_it_than_their_limit() -> None:
    counted = [lines_of(file) for _, file in files()]
    share = sum(one.imports for one in counted) / sum(one.code for one in counted)
    assert share <= MOST_IMPORT_SHARE


def test_folders_hold_no_more_files_than_the_limit() -> None:
    own = Counter(name.rpartition("/")[0] for name, _ in files())
    assert {one: n for one, n in own.items() if n > MOST_FILES_OF_A_FOLDER} == {}


def test_files_are_no_longer_than_the_limit() -> None:
    whole = {name: lines_of(file).whole for name, file in files()}
    assert {one: n for one, n in whole.items() if n > MOST_LINES_OF_A_FILE} == {}


def test_types_share_no_more_fields_than_the_limit() -> None:
    types = [fields for _, file in files() for fields in told(file).fields]
    retold: list[set[tuple[str, str]]] = [set() for _ in types]
    for (i, one), (j, other) in combinations(enumerate(types), 2):
        both = one & other
        if len(both) >= LEAST_TOLD_TOGETHER:
            retold[i] |= both
            retold[j] |= both
    assert sum(map(len, retold)) <= MOST_RETOLD_SHARE * sum(map(len, types))
