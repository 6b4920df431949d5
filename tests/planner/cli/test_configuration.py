"""netplan.toml as the command reads it: what it does not know or take, it refuses and names."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from netplan_planner.cli.app import _as_parameters
from netplan_planner.cli.options import said_of
from netplan_planner.config import option_defaults
from netplan_planner.errors import UsageError
from support.commands.run import run_verbs
from support.commands.tree import ROOT

Setting = tuple[tuple[str, ...], Any, Any]
"""Verb, its context, and one of its parameters."""


def show(folder: Path, text: str, **environment: str) -> tuple[int, str, str]:
    config = folder / "netplan.toml"
    config.write_text(text, "utf-8")
    done = run_verbs(arguments=["--config", str(config), "config", "show"], **environment)
    return done.returncode, done.stdout, done.stderr


WRITTEN = {
    "true": "true",
    "whole number": "7",
    "fraction": "1.5",
    "infinite": "inf",
    "no number": "nan",
    "text": '"such a thing there is not"',
    "date": "2026-01-02",
    "moment": "2026-01-02T03:04:05Z",
    "time": "03:04:05",
    "list of flags": "[true]",
    "list in a list": '[["a"]]',
    "list of tables": "[{a = 1}]",
    "table": "{a = 1}",
}
"""A value of every kind that TOML has."""
NUMBERS = {"whole number", "fraction"}
TEXTS = {"text", "date", "moment", "time"}
TAKEN: dict[object, set[str]] = {
    bool: {"true"},
    int: {"whole number"},
    float: NUMBERS,
    datetime: {"date", "moment"},
    str: TEXTS | NUMBERS,
    Path: TEXTS | NUMBERS,
}
"""What an option of each type may take of them; of a choice, none."""


def settings(command: Any, above: Any = None, path: tuple[str, ...] = ()) -> Iterator[Setting]:
    """Yield every option and argument of every verb that a file may set."""
    context = command.context_class(command, info_name=(*path, "netplan")[-1], parent=above)
    for name, inner in getattr(command, "commands", {}).items():
        if (*path, name) != ("rules",):  # A section of its own: thresholds.
            yield from settings(inner, context, (*path, name))
    if path and not getattr(command, "commands", {}):
        for parameter in command.params:
            if parameter.name != "help":
                yield path, context, parameter


@cache
def all_settings() -> tuple[Setting, ...]:
    """Return them for all tests: to make every verb takes seconds."""
    return tuple(settings(ROOT))


def said_of_setting(where: Setting, given: object) -> tuple[str, object]:
    """Return what is said of a value, and the value where nothing is."""
    path, context, parameter = where
    table: dict[str, Any] = {parameter.name.replace("_", "-"): given}
    for name in reversed(path):
        table = {name: table}
    try:
        found: Any = _as_parameters(table, context.find_root().command, "netplan.toml", ())
        for name in path:
            found = found[name]
        return "", parameter.process_value(context, found[parameter.name])
    except UsageError as error:
        return str(error), None
    except typer.BadParameter as error:
        # The verb adds the option and the file, as below.
        return said_of(error), None


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_setting_takes_its_own_kind_of_value(tmp_path: Path, kind: str) -> None:
    found = all_settings()
    assert len(found) > 900
    file = tmp_path / "netplan.toml"
    file.write_text(f"[audit]\nx = {WRITTEN[kind]}\n", "utf-8")
    given = option_defaults(file)["audit"]["x"]
    for where in found:
        annotation = where[2].type_descriptor.annotation
        (inner,) = get_args(annotation) or (annotation,)
        said, value = said_of_setting(where, given)
        key = ".".join((*where[0], where[2].name.replace("_", "-")))
        if kind not in TAKEN.get(inner, set()):
            assert said, (where[0], where[2].name, value)
        elif "takes" in said:
            # A whole number is a year where an option has dates of a form.
            assert inner is datetime, said
        if "takes" in said:
            assert said.startswith(f"netplan.toml: {key} takes ")
        assert "nput should" not in said
        assert "Input is" not in said


@pytest.mark.parametrize("kind", ["true", "table"])
def test_a_wrong_kind_of_value_ends_a_verb_as_wrong_usage(tmp_path: Path, kind: str) -> None:
    """One setting of every type of option, as a user meets it."""
    by_type = {
        (str(where[2].type_descriptor.annotation), bool(where[2].type_descriptor.is_choice)): where
        for where in all_settings()
    }
    assert len(by_type) > 20
    for (annotation, _), (path, _context, parameter) in by_type.items():
        if kind == "true" and "bool" in annotation:
            continue
        key = parameter.name.replace("_", "-")
        status, _, errors = show(tmp_path, f"[{'.'.join(path)}]\n{key} = {WRITTEN[kind]}\n")
        assert status == 2, (annotation, errors)
        assert "netplan.toml" in errors
        assert f"{'.'.join(path)}.{key}" in errors
        assert "unexpected error" not in errors


def test_the_settings_are_data_too(tmp_path: Path) -> None:
    config = tmp_path / "netplan.toml"
    config.write_text('[audit]\nselect = ["address", "price"]\n', "utf-8")
    words = ["--config", str(config), "config", "show"]
    done = run_verbs(arguments=[*words, "--output", "json"], NETPLAN_AUDIT_FAIL_ON="low")
    found = json.loads(done.stdout)
    assert found["schema"] == "netplan.settings/1"
    settings = {one["setting"]: (one["value"], one["origin"]) for one in found["settings"]}
    assert settings["audit.select"] == (["address", "price"], "netplan.toml")
    assert settings["audit.fail-on"] == ("low", "environment")
    assert settings["quiet"] == (False, "default")
    assert (
        run_verbs(arguments=[*words, "--json"], NETPLAN_AUDIT_FAIL_ON="low").stdout == done.stdout
    )


def test_each_variable_that_is_read_is_listed_with_what_it_sets() -> None:
    done = run_verbs(
        arguments=["config", "show", "--env", "--output", "csv"],
        NETPLAN_PRICES_REFRESH_API_KEY="secret",
    )
    listed = list(csv.DictReader(io.StringIO(done.stdout)))
    rows = {row["variable"]: row for row in listed}
    assert rows["NETPLAN_PRICE_TRAFFIC_FROM"]["sets"] == "netplan price traffic --from"
    assert rows["NETPLAN_QUIET"]["sets"] == "netplan --quiet"
    assert rows["NETPLAN_PRICES_REFRESH_API_KEY"]["is_given"] == "true"
    assert rows["CLOUDSDK_AUTH_DISABLE_CREDENTIALS"]["is_given"] == "false"
    assert "secret" not in done.stdout
    text = run_verbs(arguments=["config", "show", "--env"]).stdout
    assert [line.split()[0] for line in text.splitlines()] == [
        *("variable", *(row["variable"] for row in listed))
    ]
