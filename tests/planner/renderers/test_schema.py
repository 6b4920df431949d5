"""The published JSON Schemas: one for each kind of answer, as today's types make it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from netplan_planner.renderers.content import answers, module_of
from netplan_planner.renderers.schema import pages, schema

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs" / "schemas"
GOLDENS = sorted((ROOT / "tests" / "golden").glob("*.json"))


def published(document: dict[str, Any]) -> Draft202012Validator:
    """Return what checks a document by the schema that it names."""
    found = json.loads((DOCS / f"{document['schema']}.json").read_text(encoding="utf-8"))
    return Draft202012Validator(found)


def test_what_is_published_is_what_is_generated() -> None:
    held = {
        path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
        for path in DOCS.rglob("*")
        if path.is_file()
    }
    made = dict(pages())
    assert len(made) == len(answers()), "two answers have one id"
    assert sorted(held) == sorted(made), "run `make docs`"
    for name, text in made.items():
        assert held[name] == text, f"{name}: run `make docs`"


def test_the_module_writes_them(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "netplan_planner.renderers.schema", str(tmp_path)]
    subprocess.run(command, cwd=ROOT / "planner", check=True, timeout=60)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")}
    assert written == {name for name, _ in pages()}


@pytest.mark.parametrize("kind", answers())
def test_every_schema_is_closed_described_and_says_more_than_its_id(kind: str) -> None:
    made = schema(kind)
    Draft202012Validator.check_schema(made)
    roots = made.get("anyOf", [made])
    for root in roots:
        assert root["properties"]["schema"] == {"const": module_of(kind).SCHEMA}
        assert len(root["properties"]) > 1, f"say what `record` of {kind} returns by its type"
    objects = [*roots, *(part for part in made["$defs"].values() if "properties" in part)]
    for part in objects:
        assert part["additionalProperties"] is False
        assert set(part["required"]) <= set(part["properties"])
        assert part["description"]


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.name)
def test_every_golden_follows_its_schema(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    published(document).validate(document)


def test_an_answer_of_two_shapes_is_one_of_them() -> None:
    feasible, not_feasible = schema("Recommendation")["anyOf"]
    assert "ranked" in feasible["required"]
    assert "shortfall" in not_feasible["required"]
    assert "is_feasible" in set(feasible["required"]) & set(not_feasible["required"])


def test_a_currency_adds_sums_by_its_code() -> None:
    document = {"schema": "netplan.price/1", "prices": [], "total_eur_per_month": 1.5}
    validator = published(document)
    assert validator.is_valid(document)
    assert not validator.is_valid({**document, "total_eur_per_month": "1.5"})
    assert not validator.is_valid({**document, "total_of_all": 1.5})
