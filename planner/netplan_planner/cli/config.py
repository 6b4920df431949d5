"""`netplan config show`: every setting, its value and where the value comes from."""

import json
from typing import Annotated, Any

import typer

from netplan_planner.cli.app import app, state
from netplan_planner.errors import UsageError

_SECRETS = frozenset({"api_key"})
"""Options whose values are never printed."""

config_app = typer.Typer(help="The configuration and where its values come from.")
app.add_typer(config_app, name="config")


@config_app.command("show")
def show(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Print every option of every verb and every threshold of every rule, with its origin."""
    rows = [*_options(ctx), *_thresholds(), *_targets()]
    if as_json:
        listed = [dict(zip(("setting", "value", "origin"), row, strict=True)) for row in rows]
        typer.echo(json.dumps(listed, indent=2, sort_keys=True, default=str))
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, origin in rows:
        typer.echo(f"{name:<{width}}  {_shown(value)}  ({origin})")


def _shown(value: object) -> str:
    if value is None or value == []:
        return "not set"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _options(ctx: typer.Context) -> list[tuple[str, Any, str]]:
    """Return the options of every verb, resolved as they would be without flags."""
    root = ctx.find_root()
    rows: list[tuple[str, Any, str]] = []

    def walk(command: Any, context: Any, path: tuple[str, ...]) -> None:
        for parameter in command.params:
            if not parameter.name or parameter.name in {"help", "version"} or not parameter.opts:
                continue
            if getattr(parameter, "is_eager", False) or not parameter.opts[0].startswith("-"):
                continue
            value, origin = parameter.consume_value(context, {})
            if isinstance(value, dict):
                # The section of the verb `config`, not the option of the same name.
                value, origin = None, None
            name = ".".join((*path, parameter.opts[0].lstrip("-")))
            file = state.config_path.name if state.config_path else "file"
            named = {
                "ENVIRONMENT": "environment",
                "DEFAULT_MAP": file,
                "DEFAULT": "default",
            }.get(getattr(origin, "name", ""), "default")
            if named != "default":
                _check(parameter, context, value, f"{name} ({named})")
            if value and parameter.name in _SECRETS:
                value = "(set, not shown)"
            rows.append((name, value, named))
        for verb, sub in sorted(getattr(command, "commands", {}).items()):
            walk(sub, type(context)(sub, info_name=verb, parent=context), (*path, verb))

    walk(root.command, root, ())
    return rows


def _check(parameter: Any, context: Any, value: object, name: str) -> None:
    """Refuse a value that the verb would refuse.

    Raises:
        UsageError: With the setting, where it comes from, and what it may be.
    """
    try:
        parameter.process_value(context, value)
    except typer.BadParameter as error:
        why = error.message.removeprefix("Value error, ")
        raise UsageError(f"{name} = {value!r}: {why}") from error


def _thresholds() -> list[tuple[str, Any, str]]:
    from netplan_planner.config import rule_thresholds
    from netplan_rules.registry import declared_thresholds, thresholds
    from netplan_rules.severity import SECTION

    given = rule_thresholds(state.config_path) if state.config_path else ()
    overrides: dict[str, dict[str, float]] = {}
    for rule, name, value in given:
        overrides.setdefault(rule, {})[name] = value
    thresholds(overrides)  # refuses names that no rule has
    units = {(section, t.name): t for section, declared in declared_thresholds() for t in declared}
    return [
        (
            f"{rule if rule == SECTION else f'rules.{rule}'}.{name}",
            f"{overrides.get(rule, {}).get(name, threshold.default):g} {threshold.unit}",
            (state.config_path.name if state.config_path else "")
            if name in overrides.get(rule, {})
            else "default",
        )
        for (rule, name), threshold in units.items()
    ]


def _targets() -> list[tuple[str, Any, str]]:
    from netplan_planner.config import declared_targets

    if state.config_path is None:
        return []
    return [
        (f"targets.{pattern}", f"{gbps:g} Gbit/s", source)
        for pattern, gbps, source in declared_targets(state.config_path)
    ]
