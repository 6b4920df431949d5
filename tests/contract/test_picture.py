"""The picture of layers in CONTRIBUTING is what import-linter holds and what modules import."""

import re
import tomllib
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
PLANNER = "netplan_planner"
PACKAGES = (PLANNER, "netplan_rules", "netplan_pricing")
CONTRACT = "Arrows point towards the model"
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def picture() -> list[str]:
    """Return the lines of the picture, the uppermost layer first."""
    found = re.search(r"^## Layers\n.*?^```text\n(.*?)^```", TEXT, re.M | re.S)
    assert found is not None
    return [line.strip() for line in found[1].splitlines()]


def rooms(line: str) -> list[str]:
    """Return the rooms of a layer."""
    return line.split(" | ")


def room_of(module: str) -> str:
    """Return the room of a module: a part of the planner, or another package whole."""
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == PLANNER and rest else package


@cache
def imports() -> frozenset[tuple[str, str]]:
    """Return which room imports which other one; the planner as such only lets modules wait."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    pairs = (
        (room_of(module), room_of(imported))
        for module in graph.modules - {PLANNER}
        for imported in graph.find_modules_directly_imported_by(module)
    )
    return frozenset((one, other) for one, other in pairs if one != other)


def wrong(lines: list[str]) -> list[tuple[str, str]]:
    """Return the imports that a picture does not allow: to the own line, or upwards."""
    level = {room: at for at, line in enumerate(lines) for room in rooms(line)}
    return [(one, other) for one, other in sorted(imports()) if level[one] >= level[other]]


def test_the_picture_is_the_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = (
        one for one in project["tool"]["importlinter"]["contracts"] if one["name"] == CONTRACT
    )
    assert picture() == [line.replace(f"{PLANNER}.", "") for line in contract["layers"]]


def test_the_picture_has_every_room_once() -> None:
    shown = [room for line in picture() for room in rooms(line)]
    held = {
        path.stem
        for path in (ROOT / "planner" / PLANNER).iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert sorted(shown) == sorted({*held, *PACKAGES} - {PLANNER, "__init__"})


def test_rooms_import_downwards_only() -> None:
    assert wrong(picture()) == []


@pytest.mark.parametrize("at", range(len(picture()) - 1))
def test_no_layer_could_change_places_with_the_next(at: int) -> None:
    lines = picture()
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    assert wrong(lines), f"{lines[at + 1]} needs nothing of {lines[at]}: one layer"


def test_every_room_is_told_of() -> None:
    """One line a folder; the modules beside them are told of in the last."""
    told = TEXT.partition("## Where things are")[2].partition("\n## ")[0]
    for line in picture():
        for room in rooms(line):
            assert re.search(rf"[`/]{room}[`/]", told), room
