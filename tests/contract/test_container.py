"""The container file: pinned bases, no root, nothing from the network at run time."""

import re

from support.commands.run import ROOTS

HOME = ROOTS[0].parent
TEXT = (HOME / "Dockerfile").read_text("utf-8").replace("\\\n", "")
STEPS = [line.split(maxsplit=1) for line in TEXT.splitlines() if line and line[0] != "#"]


def told(name: str) -> list[str]:
    """Return what the file says by instructions of a name, in order."""
    return [rest for found, rest in STEPS if found == name]


def test_bases_are_pinned_and_the_user_is_not_root() -> None:
    assert all(re.match(r"python:3\.\d+-slim( AS build)?$", base) for base in told("FROM"))
    assert told("USER") == ["10001"]
    assert "useradd --create-home --uid 10001 netplan" in told("RUN")[-1]
    names = [name for name, _ in STEPS]
    assert names.index("USER") > max(at for at, name in enumerate(names) if name in {"RUN", "COPY"})


def test_only_the_product_is_copied_at_the_locks_versions() -> None:
    copied = {one for words in told("COPY") for one in words.split()[:-1] if one[0] not in "-/"}
    assert copied == {
        *("pyproject.toml", "requirements.lock", "README.md", "LICENSE"),
        *("planner", "pricing", "rules"),
    }
    let_in = (HOME / ".dockerignore").read_text("utf-8").splitlines()
    assert {line[1:] for line in let_in if line.startswith("!")} == copied
    assert "--constraint requirements.lock" in told("RUN")[0]
    assert not told("ADD")
    assert told("ENTRYPOINT") == ['["netplan"]']
