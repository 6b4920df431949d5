"""A verb's parameters as one frozen value, which the verb's function takes instead of each of them.

A field annotated with `typer.Option` or `typer.Argument` is a parameter of the command line. A
field whose type is such a value itself is a bundle: its parameters stand among the others, and
several verbs share it.

    class Output(Parameters, frozen=True, kw_only=True):
        output: Annotated[list[str] | None, typer.Option("--output", "-o")] = None

    class Caps(Parameters, frozen=True, kw_only=True):
        machine_type: Annotated[str, typer.Argument()]
        where: Output = Output()

    @app.command()
    @taking
    def caps(asked: Caps) -> None: ...

Positional arguments are typer's business as before: they keep the order of the fields.

A parameter that is a path is something to read, unless its annotation says otherwise by a `Use`:
before the verb begins, what it reads and what it writes are remembered, and no output may be one of
its inputs.
"""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import typer
from msgspec import NODEFAULT

from netplan_planner.cli.wrong_values import only_numbers
from netplan_planner.input_files import Given, check_output, give, reserve_output
from netplan_planner.writing import usable_target


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """What a verb is asked, or a part of it that verbs share."""


class Use(NamedTuple):
    """What a verb does with the path that a parameter takes, where it is not only read."""

    is_walked: bool = False
    """Whether every file of a folder is read."""
    is_own: bool = False
    """Whether the verb goes on with what is there: reads it, and writes it."""
    is_written: bool = False
    is_folder: bool = False
    """Whether what is written is a folder."""
    file: str = ""
    """Which file of the folder alone is replaced."""
    is_answer: bool = False
    """Whether it takes `FORMAT:PATH`."""


READ = Use()
WALKED = Use(is_walked=True)
KEPT = Use(is_own=True)
KEPT_FOLDER = Use(is_own=True, is_walked=True)
WRITTEN = Use(is_written=True)
WRITTEN_FOLDER = Use(is_written=True, is_folder=True)
ANSWER = Use(is_written=True, is_answer=True)

Asked = TypeVar("Asked", bound=Parameters)


def taking(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command with one parameter for each of the value's that a function takes first.

    What else the function takes, such as a context, stays as it is.

    Raises:
        TypeError: If two of the parameters have one name.
    """
    first, *own = inspect.signature(function).parameters.values()
    kind = first.annotation
    listed = [*own, *parameters_of(kind)]
    names = [one.name for one in listed]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TypeError(f"{function.__name__}: {', '.join(twice)} is there twice")
    own_names = [one.name for one in own]

    def command(**values: Any) -> None:
        _remember(listed, values)
        kept = {name: values.pop(name) for name in own_names}
        function(built(kind, values), **kept)

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__module__, command.__qualname__ = function.__module__, function.__qualname__
    command.__annotations__ = {one.name: one.annotation for one in listed}
    # `inspect` and typer read the parameters from here, `written` where a command is from.
    command.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    command.written = function  # type: ignore[attr-defined]
    return command


def parameters_of(kind: type[Parameters]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a value, those of its bundles where they stand."""
    for name, annotation, default in _fields(kind):
        if _is_bundle(annotation):
            yield from parameters_of(annotation)
            continue
        is_open = default is NODEFAULT
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if is_open else default,
            annotation=_numbers_only(annotation),
        )


def built(kind: type[Asked], values: dict[str, Any]) -> Asked:
    """Return the value of what the command line said, with its bundles."""
    return kind(
        **{
            name: built(annotation, values) if _is_bundle(annotation) else values[name]
            for name, annotation, _ in _fields(kind)
        }
    )


def given_in(value: Parameters) -> Iterator[str]:
    """Yield the names of the parameters of a value, and of its bundles, that are not as by default.

    An option that may be repeated is an empty list where a file gives one: nothing is said by it.
    """
    for name, annotation, default in _fields(type(value)):
        own = getattr(value, name)
        if _is_bundle(annotation):
            yield from given_in(own)
        elif own not in (default, []):
            yield name


def spelling(ctx: typer.Context, name: str) -> str:
    """Return how people write a parameter of a command: its option, or its name in capitals."""
    parameter = next(one for one in ctx.command.params if one.name == name)
    option = parameter.opts[0]
    return option if option.startswith("-") else name.upper()


def own_count(kind: type[Parameters]) -> int:
    """Return how many parameters are a value's own, without those of its bundles."""
    return sum(not _is_bundle(annotation) for _, annotation, _ in _fields(kind))


def path_use(annotation: Any) -> Use | None:
    """Return what a verb does with the path that a parameter takes; None if it takes none."""
    kind, *about = get_args(annotation) or (annotation,)
    own = next((one for one in about if isinstance(one, Use)), None)
    takes_path = any(one is Path for outer in (kind, *get_args(kind)) for one in _parts(outer))
    return own or (READ if takes_path else None)


def _parts(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) or (kind,)


def _remember(parameters: list[inspect.Parameter], values: dict[str, Any]) -> None:
    """Remember what a verb is going to read and to write.

    Raises:
        UsageError: If an output cannot be written, or is an input.
    """
    outputs: list[tuple[str, str, Use]] = []
    for parameter in parameters:
        use = path_use(parameter.annotation)
        found = values[parameter.name] if use is not None else None
        if use is None or found is None:
            continue
        option = _option(parameter)
        for one in found if isinstance(found, list | tuple) else [found]:
            if not use.is_written:
                give(Given(option, Path(one), use.is_walked, use.is_own))
            elif use.is_answer or "://" not in str(one):
                outputs.append((option, str(one), use))
    for option, text, use in outputs:
        asked = f"{option} {text}"
        if use.is_answer:
            # Whether it can be written is said by its format's verb, with the other formats.
            check_output(asked, Path(text.partition(":")[2] or "-"))
        elif use.is_folder:
            reserve_output(asked, Path(text, use.file), is_own=use.is_own)
        else:
            usable_target(asked, Path(text))


def _option(parameter: inspect.Parameter) -> str:
    """Return how people write a parameter: its long option, or its name in capitals."""
    _, *about = get_args(parameter.annotation)
    said = next(one for one in about if hasattr(one, "param_decls"))
    if isinstance(said, typer.models.ArgumentInfo):
        return str(said.metavar or parameter.name.upper())
    # Of an annotation the first name is where a default value would be.
    spelled = (str(one) for one in (said.default, *(said.param_decls or ())))
    names = [one for one in spelled if one.startswith("--")]
    return names[0] if names else f"--{parameter.name.replace('_', '-')}"


def _fields(kind: type[Parameters]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, the annotation and the default of each field."""
    hints = get_type_hints(kind, include_extras=True)
    defaults = kind.__struct_defaults__
    required = len(kind.__struct_fields__) - len(defaults)
    for at, name in enumerate(kind.__struct_fields__):
        yield name, hints[name], defaults[at - required] if at >= required else NODEFAULT


def _numbers_only(annotation: Any) -> Any:
    """Return an annotation whose option refuses what is no quantity, if it takes a number."""
    kind, *about = get_args(annotation) or (annotation,)
    if kind is not float and float not in get_args(kind):
        return annotation
    for one in about:
        one.callback = one.callback or only_numbers
    return annotation


def _is_bundle(annotation: Any) -> bool:
    return (
        get_origin(annotation) is not Annotated
        and isinstance(annotation, type)
        and issubclass(annotation, Parameters)
    )
