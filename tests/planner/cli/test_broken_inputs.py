"""Damaged inputs that once ended in a trace, read again; and whole ones, which must be readable.

Found by `make fuzz`, or by hand; see `tests/support/damage/fuzzing.py`.
"""

import json
from functools import cache
from typing import Any

import pytest

from support.commands.run import run_anew
from support.damage.fuzzing import BROKEN, STATUSES
from support.damage.kinds import KINDS
from support.nightly import every

SECONDS = 600
KEPT = sorted((kind.name, one.name) for kind in BROKEN.iterdir() for one in kind.iterdir())


@cache
def ends(*mode: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return how every case of a mode ended, by kind and name: one process for all of it."""
    done = run_anew("-m", "support.damage.fuzzing", *mode, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        told = json.loads(line)
        found.setdefault((told["kind"], told["name"]), []).append(told)
    return found


@pytest.mark.parametrize(("kind", "name"), KEPT)
def test_a_broken_input_ends_in_a_clear_text(kind: str, name: str) -> None:
    (told,) = ends("--replay")[kind, name]
    assert told["fault"] == "", told["stderr"]
    assert told["status"] in STATUSES


@pytest.mark.parametrize("kind", every(14, KINDS))
def test_whole_inputs_of_every_kind_are_read(kind: str) -> None:
    """Else the damage would be done to what is refused anyhow."""
    found = [told for several in ends("--whole", "--kind", kind).values() for told in several]
    assert {told["kind"] for told in found} == {kind}
    assert found
    assert all(told["fault"] == "" for told in found)
    # Of a refresh nobody answers the rest.
    assert kind == "saved-pages" or any(told["status"] == 0 for told in found), found
