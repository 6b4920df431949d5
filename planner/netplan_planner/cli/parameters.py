"""A verb's parameters as one frozen value, which the verb's function takes instead of each of them.

A field that says how it is asked for (`Ask`, in `netplan_planner.asks`) is a parameter of the
command line, and so is one annotated with `typer.Option` or `typer.Argument`. A field whose type is
such a value itself is a bundle: its parameters stand among the others, and several verbs share it.

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
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import typer
from msgspec import NODEFAULT

from netplan_planner import asks
from netplan_planner.cli.options import only_numbers
from netplan_planner.errors import UsageError
from netplan_planner.input_files import Given, check_output, give, reserve_output
from netplan_planner.writing import usable_target

_URL = re.compile(r"(?:[\w-]+:)?(https?|s?ftps?):/", re.IGNORECASE)
"""Of an output behind its format; a path has one of the two strokes."""

Parameters = asks.Request


Asked = TypeVar("Asked", bound=msgspec.Struct)


class Field(NamedTuple):
    """A field of a request: a parameter of the command line, or a bundle of such."""

    name: str
    parameter: str
    """Its name as a parameter, which files and variables are named after."""
    annotation: Any
    """For typer; of a bundle its type."""
    default: Any
    """Of the command line; `NODEFAULT`: it must be given."""
    value: Any
    """What the field is where nothing is given; `NODEFAULT` as above."""
    is_bundle: bool = False
    option: str = ""
    reading: asks.Reading | None = None

    def read(self, given: Any) -> Any:
        """Return the value of what the command line took.

        Raises:
            UsageError: If it is none, or is missing.
        """
        if self.reading is not None and given is not None and given != []:
            return self.reading.read(self.option, given)
        if self.reading is None and given is not None:
            return given
        if self.value is NODEFAULT:
            raise UsageError(f"give {self.option}")
        return self.value


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
        raise TypeError(f"{function.__name__}: {', '.join(twice)} is given twice")
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


def fields_of(kind: type[msgspec.Struct]) -> Iterator[Field]:
    """Yield the fields of a value that are parameters, those of its bundles where they stand."""
    for field in _fields(kind):
        if field.is_bundle:
            yield from fields_of(field.annotation)
        else:
            yield field


def parameters_of(kind: type[msgspec.Struct]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a value, those of its bundles where they stand."""
    for field in fields_of(kind):
        is_open = field.default is NODEFAULT
        yield inspect.Parameter(
            field.parameter,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if is_open else field.default,
            annotation=_numbers_only(field.annotation),
        )


def asked_of(kind: type[Asked], values: Mapping[str, Any]) -> Asked:
    """Return the value of what the command line said; what it reads is remembered.

    Raises:
        UsageError: If a text cannot be read, or something that must be said is missing.
    """
    _remember([*parameters_of(kind)], values)
    return built(kind, values)


def built(kind: type[Asked], values: Mapping[str, Any]) -> Asked:
    """Return the value of what the command line said, with its bundles.

    Raises:
        UsageError: If a text cannot be read, or something that must be said is missing.
    """
    return kind(
        **{
            field.name: built(field.annotation, values)
            if field.is_bundle
            else field.read(values[field.parameter])
            for field in _fields(kind)
        }
    )


def path_use(annotation: Any) -> asks.Use | None:
    """Return what a verb does with the path that a parameter takes; None if it takes none."""
    kind, *about = get_args(annotation) or (annotation,)
    own = next((one for one in about if isinstance(one, asks.Use)), None)
    takes_path = any(one is Path for outer in (kind, *get_args(kind)) for one in _parts(outer))
    return own or (asks.READ if takes_path else None)


def _parts(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) or (kind,)


def _remember(parameters: list[inspect.Parameter], values: Mapping[str, Any]) -> None:
    """Remember what a verb is going to read and to write.

    Raises:
        UsageError: If a path is a URL, an output cannot be written, or it is an input.
    """
    outputs: list[tuple[str, str, asks.Use]] = []
    for parameter in parameters:
        use = path_use(parameter.annotation)
        found = values[parameter.name] if use is not None else None
        if use is None or found is None:
            continue
        option = _option(parameter)
        for one in found if isinstance(found, list | tuple) else [found]:
            if url := _URL.match(str(one)):
                # Not repeated: it may hold a password.
                raise UsageError(f"{option} takes a path, not a URL ({url[1]}://…)")
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


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[Field, ...]:
    """Return the fields of a request that are parameters or bundles of such, its own first."""
    hints = get_type_hints(kind, include_extras=True)
    mark = getattr(kind, "PANEL", None), getattr(kind, "IS_EXPERT", False)
    own = inspect.get_annotations(kind)
    # What it shares with other verbs comes last on its help page.
    fields = sorted(msgspec.structs.fields(kind), key=lambda one: one.name not in own)
    found = (_field(one, hints[one.name], *mark) for one in fields)
    return tuple(one for one in found if one is not None)


def _field(field: Any, annotation: Any, panel: str | None, is_expert: bool) -> Field | None:
    name, default = field.name, field.default
    ask = asks.ask_of(annotation)
    if ask is not None:
        marks = get_args(annotation)
        is_expert = asks.COMMON not in marks and (
            is_expert or ask.is_expert or asks.EXPERT in marks
        )
        ask = ask._replace(panel=ask.panel or panel, is_expert=is_expert)
        return _asked(name, annotation, default, ask)
    if get_origin(annotation) is Annotated:
        if is_expert:
            annotation = Annotated[annotation, asks.Ask("", is_expert=True)]
        return Field(name, name, annotation, default, default)
    if not _is_bundle(annotation):
        return None
    return Field(name, name, annotation, default, default, is_bundle=True)


def _asked(name: str, annotation: Any, value: Any, ask: asks.Ask) -> Field:
    """Return the parameter of a field that says how it is asked for."""
    option, reading = asks.option_of(name, ask), asks.reading_of(annotation)
    kind, *about = get_args(annotation)
    default = value
    if reading is not None:
        kind = reading.kind
        is_choice = isinstance(kind, type) and issubclass(kind, Enum)
        default = (
            reading.written(value)
            if reading.written and value is not None
            else next(
                (one for one in kind if reading.read(option, one) == value)
                if is_choice
                else iter(()),
                None,
            )
        )
    if default is NODEFAULT and reading is not None:
        default = None
    if default is None:
        kind = kind | None
    said: Any = typer.Argument(help=ask.help, metavar=ask.metavar, show_default=False)
    if not ask.is_argument:
        said = typer.Option(
            ask.name or option,
            *ask.also,
            help=ask.help,
            metavar=ask.metavar,
            min=ask.least,
            max=ask.most,
            formats=ask.formats,
            count=ask.is_counted,
            envvar=ask.variable,
            case_sensitive=not ask.is_any_case,
            show_default=True if ask.shown_default is None else ask.shown_default,
            hidden=ask.is_hidden,
            exists=ask.is_folder,
            file_okay=not ask.is_folder,
            rich_help_panel=ask.panel,
        )
    others = [one for one in about if not isinstance(one, asks.Ask | asks.Reading)]
    return Field(
        name=name,
        parameter=asks.parameter_of(name, ask),
        # The help page reads from the last what it shows of it.
        annotation=Annotated[(kind, said, *others, ask)],
        default=default,
        value=value,
        option=option,
        reading=reading,
    )


def _numbers_only(annotation: Any) -> Any:
    """Return an annotation whose option refuses what is no quantity, if it takes a number."""
    kind, *about = get_args(annotation) or (annotation,)
    if kind is not float and float not in get_args(kind):
        return annotation
    for one in about:
        if isinstance(one, typer.models.ParameterInfo):
            one.callback = one.callback or only_numbers
    return annotation


def _is_bundle(kind: Any) -> bool:
    """Return whether a type is a value with parameters."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return False
    return issubclass(kind, asks.Request) or any(
        asks.ask_of(one) is not None for one in get_type_hints(kind, include_extras=True).values()
    )
