"""Damaged inputs that once ended in a trace, read again; and whole ones, which must be readable.

Found by `make fuzz`, or by hand; see `tests/support/damage/fuzzing.py`.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from support.commands.run import run_anew
from support.damage.fuzzing import BROKEN, STATUSES
from support.damage.kinds import KINDS
from support.listed import listed
from support.nightly import NIGHTLY

SECONDS = 600
BY_DAY = [*KINDS][::16]
BY_NIGHT = [kind for kind in KINDS if kind not in BY_DAY]
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


@listed(("kind", "name"), KEPT)
def test_a_broken_input_ends_in_a_clear_text(kind: str, name: str) -> None:
    (told,) = ends("--replay")[kind, name]
    assert told["fault"] == "", told["stderr"]
    assert told["status"] in STATUSES


@pytest.mark.parametrize("kinds", [BY_DAY, pytest.param(BY_NIGHT, marks=NIGHTLY)])
def test_whole_inputs_of_every_kind_are_read(kinds: Sequence[str]) -> None:
    """Else the damage would be done to what is refused anyhow."""
    words = (word for kind in kinds for word in ("--kind", kind))
    ended = [told for several in ends("--whole", *words).values() for told in several]
    assert {told["kind"] for told in ended} == {*kinds}
    assert all(told["fault"] == "" for told in ended), ended
    for kind in kinds:
        statuses = {told["status"] for told in ended if told["kind"] == kind}
        # Of a refresh nobody answers the rest.
        assert kind == "saved-pages" or 0 in statuses, kind
