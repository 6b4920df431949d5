"""The published JSON Schemas: one for each kind of answer, as today's types make it."""

import json
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NotRequired, TypedDict, cast

from jsonschema import Draft202012Validator

from netplan_planner.renderers.content import Content, modules_by_kind
from netplan_planner.renderers.schema import pages, schema, schema_of
from support.commands.cases import schema as published
from support.listed import listed

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs" / "schemas"
GOLDENS = sorted((ROOT / "tests" / "golden").rglob("*.json"))


@cache
def made_pages() -> dict[str, str]:
    return pages()


def test_what_is_published_is_what_is_generated() -> None:
    held = {
        path.relative_to(DOCS).as_posix(): path.read_text("utf-8")
        for path in DOCS.rglob("*")
        if path.is_file()
    }
    made = made_pages()
    assert sorted(held) == sorted(made), "run `make docs`"
    for name, text in made.items():
        assert held[name] == text, f"{name}: run `make docs`"


def test_the_module_writes_them(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "netplan_planner.renderers.schema", str(tmp_path)]
    subprocess.run(command, cwd=ROOT / "planner", check=True, timeout=60)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")}
    assert written == set(made_pages())


@listed("kind", modules_by_kind())
def test_every_schema_is_closed_described_and_says_more_than_its_id(kind: str) -> None:
    made = schema(kind)
    Draft202012Validator.check_schema(made)
    roots = made.get("anyOf", [made])
    for root in roots:
        assert root["properties"]["schema"] == {"const": modules_by_kind()[kind].SCHEMA}
        assert len(root["properties"]) > 1, f"say what `record` of {kind} returns by its type"
    objects = [*roots, *(part for part in made["$defs"].values() if "properties" in part)]
    for part in objects:
        assert part["additionalProperties"] is False
        assert set(part["required"]) <= set(part["properties"])
        assert part["description"]


@listed("path", GOLDENS, ids=lambda path: path.name)
def test_every_golden_follows_its_schema(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    published(document["schema"]).validate(document)


def test_an_answer_of_two_shapes_is_one_of_them() -> None:
    feasible, not_feasible = schema("Recommendation")["anyOf"]
    assert "ranked" in feasible["required"]
    assert "shortfall" in not_feasible["required"]
    assert "is_feasible" in set(feasible["required"]) & set(not_feasible["required"])


def test_a_currency_adds_sums_by_its_code() -> None:
    document = {
        "schema": "netplan.price/1",
        "prices_sha256": "0",
        "prices": [],
        "total_eur_per_month": 1.5,
    }
    validator = published(document["schema"])
    assert validator.is_valid(document)
    assert not validator.is_valid({**document, "total_eur_per_month": "1.5"})
    assert not validator.is_valid({**document, "total_of_all": 1.5})


class Volume(TypedDict):
    """How much."""

    gib: Decimal
    note: NotRequired[str]


class Loss(TypedDict):
    """How much was lost."""

    ratio: float


def content(record: Callable[[Any], object]) -> Content:
    """Return a module of an answer, as far as its schema asks for it."""
    kinds = {"Volume": Volume, "Loss": Loss}
    return cast(Content, SimpleNamespace(SCHEMA="netplan.made/1", record=record, **kinds))


def of_volume(answer: Any) -> Volume:
    return {"gib": answer}


def of_loss(answer: Any) -> Loss:
    return {"ratio": answer}


def of_both(answer: Any) -> tuple[Volume, Loss]:
    return of_volume(answer), of_loss(answer)


def of_anything(answer: Any) -> object:
    return answer


def test_kinds_of_one_id_share_a_schema_that_allows_each() -> None:
    alike = schema_of([content(of_volume), content(of_volume)])
    assert alike["required"] == ["schema", "gib"]
    either = Draft202012Validator(schema_of([content(of_volume), content(of_loss)]))
    assert either.is_valid({"schema": "netplan.made/1", "gib": 1.5})
    assert either.is_valid({"schema": "netplan.made/1", "ratio": 0.5})
    assert not either.is_valid({"schema": "netplan.made/1", "gib": 1.5, "ratio": 0.5})


def test_values_of_one_record_stand_in_one_object() -> None:
    made = schema_of([content(of_both)])
    assert list(made["properties"]) == ["schema", "gib", "note", "ratio"]
    assert made["required"] == ["schema", "gib", "ratio"]
    assert made["properties"]["gib"] == {"type": "number"}


def test_a_record_of_no_told_type_promises_its_id_alone() -> None:
    made = schema_of([content(of_anything)])
    assert made["properties"] == {"schema": {"const": "netplan.made/1"}}
    assert Draft202012Validator(made).is_valid({"schema": "netplan.made/1", "more": [1]})
    assert not Draft202012Validator(made).is_valid({"schema": "netplan.other/1"})
