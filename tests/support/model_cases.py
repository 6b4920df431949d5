"""Values of the model as data: what is read, and all that is expected of what it comes to.

A file of `tests/data/inventories` or `tests/data/traffic` is a list of tables `case` under texts,
which documents hold as `$NAME` (`[text]`); `always` has members that each case has unless it says
otherwise. Beside what its runner reads a case has:

- `name`: what holds;
- `found`: values by their place: fields and properties by name (`networks.0.mtu_bytes`), `#` for a
  number of values, `*` for every value (a list as what is expected is that of all), `[web]` for the
  one of that name, `[ref.self_link=x]` for the one of which that is so;
- `near`: the same for a value and how far from it a part of it may be;
- `null`: places where it is said that nothing is known; `lacks`: places where nothing stands;
- `holds`: a text, or several, in what stands at a place; `hides`: a text that stands nowhere;
- `error`: a text of the input error in which the reading ends, or several.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import Enum
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import NetplanError

DATA = Path(__file__).parents[1] / "data"
EXPECTED = {"name", "found", "near", "null", "lacks", "holds", "hides", "error"}
_STEP = re.compile(r"\[[^\]]*\]|[^.\[]+")
_NAMED = re.compile(r"\$([A-Z]+)|\$\{([A-Z]+)\}")

Case = dict[str, Any]


def cases(folder: str, members: Collection[str]) -> list[Any]:
    """Return the cases of a folder's files as parameters, each with its file and name."""
    found = []
    for file in sorted((DATA / folder).glob("*.toml")):
        table = tomllib.loads(file.read_text("utf-8"))
        texts = table.get("text", {})
        for case in table["case"]:
            whole = {**table.get("always", {}), **case}
            assert whole.keys() <= {*members, *EXPECTED}, f"{file}: {sorted(whole)}"
            assert whole.keys() & (EXPECTED - {"name"}), f"{file}: {case['name']} expects nothing"
            found.append(pytest.param(named(whole, texts), id=f"{file.stem}: {case['name']}"))
    assert found, folder
    return found


def named(value: Any, texts: Mapping[str, str]) -> Any:
    """Return a document in which texts stand for their names."""
    if isinstance(value, dict):
        return {named(name, texts): named(held, texts) for name, held in value.items()}
    if isinstance(value, list):
        return [named(held, texts) for held in value]
    return _NAMED.sub(lambda n: texts[n[1] or n[2]], value) if isinstance(value, str) else value


def check(case: Case, read: Callable[[], Any]) -> None:
    """Read what a case reads, and compare."""
    if "error" in case:
        with pytest.raises(NetplanError) as caught:
            read()
        for text in [case["error"]] if isinstance(case["error"], str) else case["error"]:
            assert text in str(caught.value)
        return
    seen = read()

    def at(place: str) -> list[Any]:
        return [plain(one) for one in _at(seen, _STEP.findall(place))]

    for place, value in case.get("found", {}).items():
        wanted = value if "*" in place and isinstance(value, list) else [value] * len(at(place))
        assert at(place), f"nothing at {place}"
        assert at(place) == wanted, f"{place}: {at(place)}"
    for place, (value, rel) in case.get("near", {}).items():
        assert at(place) == [pytest.approx(value, rel=rel)], place
    for place in case.get("null", ()):
        assert set(at(place)) == {None}, f"{place}: {at(place)}"
    for place in case.get("lacks", ()):
        assert not any(at(place)), f"{place}: {at(place)}"
    assert "hides" not in case or case["hides"] not in repr(seen)
    for place, texts in case.get("holds", {}).items():
        for text in [texts] if isinstance(texts, str) else texts:
            assert all(text in one for one in at(place) or [""]), f"{place}: {at(place)}"


def plain(value: Any) -> Any:
    """Return a value of the model as TOML has it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, frozenset | set):
        return sorted(plain(one) for one in value)
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value


def _at(value: Any, steps: list[str]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    step, *rest = steps
    held: Iterable[Any]
    if step == "#":
        held = [len(value)]
    elif step == "*":
        held = value.values() if isinstance(value, Mapping) else value
    elif step.startswith("["):
        held = [_named(value, step[1:-1])]
    elif isinstance(value, Mapping):
        held = [value[step]]
    else:
        held = [value[int(step)] if isinstance(value, tuple | list) else getattr(value, step)]
    for one in held:
        yield from _at(one, rest)


def _named(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return value[step]
    field, _, wanted = step.rpartition("=")
    named = attrgetter(field or "name")
    (one,) = [held for held in value if str(named(held)) == wanted]
    return one
