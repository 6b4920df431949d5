"""Every command line of `tests/cases` ends, says and writes what stands beside it."""

from pathlib import Path

import pytest

from support.commands.cases import CASES, cases, check

FILES = sorted(CASES.rglob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_each_does_what_stands_beside_it(file: Path, tmp_path: Path) -> None:
    failed = []
    for number, (line, case) in enumerate(cases(file)):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            check(line, case, folder)
        except (AssertionError, LookupError) as exc:
            failed.append(f"netplan {line}: {type(exc).__name__}: {exc}")
    assert not failed, "\n".join(failed)


def test_there_are_some() -> None:
    assert FILES
    assert all([*cases(file)] for file in FILES)
