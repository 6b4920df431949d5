"""`netplan config show`: every setting, its value and where the value comes from."""

from typing import Annotated, Any

import typer

from netplan_planner.cli.app import app
from netplan_planner.cli.state import state
from netplan_planner.engine.settings import target_settings, threshold_settings
from netplan_planner.errors import UsageError
from netplan_planner.renderers.json_report import Plain, document

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
    rows = [*_options(ctx), *threshold_settings(state.config_path)]
    rows += target_settings(state.config_path)
    if as_json:
        listed: list[Plain] = [
            {"origin": origin, "setting": name, "value": _plain(value)}
            for name, value, origin in rows
        ]
        typer.echo(document(listed), nl=False)
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, origin in rows:
        typer.echo(f"{name:<{width}}  {_shown(value)}  ({origin})")


def _plain(value: Any) -> Plain:
    """Return a value in the types of JSON: paths and dates as text."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


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
