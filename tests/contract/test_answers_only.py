"""What writes to the standard output says so: everything else there is a library's."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from support.commands.run import ROOTS

HOLDS = "netplan_planner/streams.py"


@cache
def nodes() -> tuple[tuple[str, ast.AST], ...]:
    return tuple((name, node) for name, tree in trees() for node in ast.walk(tree))


def trees() -> Iterator[tuple[str, ast.AST]]:
    for root in ROOTS:
        for file in sorted(root.rglob("*.py")):
            name = str(file.relative_to(root))
            text = file.read_text("utf-8")
            if not name.startswith("scripts/") and ("stdout" in text or "echo" in text):
                yield name, ast.parse(text)


def is_stream(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr in {"stdout", "__stdout__"}
        and ast.unparse(node) in {"sys.stdout", "sys.__stdout__"}
    )


def is_bare_echo(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(("typer.echo", "typer.secho", "click.echo"))
        and not {"err", "file"} & {keyword.arg for keyword in node.keywords}
    )


def test_one_room_knows_the_standard_output() -> None:
    found = {name for name, node in nodes() if is_stream(node)}
    assert found == {HOLDS}, "write to streams.standard_output()"


def test_every_line_says_where_it_goes() -> None:
    found = [f"{name}: {ast.unparse(node)}" for name, node in nodes() if is_bare_echo(node)]
    assert found == [], "say file=standard_output(), or err=True"


def test_it_would_find_them() -> None:
    walked = [*ast.walk(ast.parse("typer.echo(a)\nsys.stdout.write(a)"))]
    assert [sum(map(one, walked)) for one in (is_stream, is_bare_echo)] == [1, 1]
    assert Path(ROOTS[0] / HOLDS).is_file()
