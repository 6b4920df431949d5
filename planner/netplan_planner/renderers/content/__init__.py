"""What answers say: one module for each kind of answer, whatever the format.

`blocks` is for formats that are read, `table` for CSV; JSON holds the whole answer, unless a
`record` says otherwise. A module has the name of its answer's type, and is imported when that is
written. From the type of the answer, or of what `record` returns, the JSON Schema in docs/schemas
is made.
"""

import inspect
import pkgutil
import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import Any, NamedTuple, Protocol, cast

from msgspec.structs import astuple

from netplan_planner.model import Value
from netplan_planner.renderers.document import Block, Role, blocks_in, para, say
from netplan_planner.renderers.options import DEFAULT_WIDTH, RenderOptions

Cell = str | int | float | Decimal | bool | date | None | tuple[str, ...]
"""A value of a data table; None is not known, several texts of one value are a tuple."""


class DataTable(NamedTuple):
    """Rows for data formats; the name of a column of numbers ends in their unit."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]


def data_table(kind: type[Value], values: Iterable[Value]) -> DataTable:
    """Return values of a kind as rows, a column a field."""
    return DataTable(kind.__struct_fields__, map(astuple, values))


class Content(Protocol):
    """What a module of this package holds for its kind of answer."""

    SCHEMA: str
    """The id of its JSON form."""

    def blocks(self, answer: Any, options: RenderOptions) -> Iterable[Block]:
        """Return the answer as a document."""

    def table(self, answer: Any) -> DataTable:
        """Return the answer as rows."""


_VERBS = "netplan_planner.verbs"
"""In its folders `show` says what `answer` does, and `show_results` what `results` does."""


@cache
def modules_by_kind() -> Mapping[str, Content]:
    """Return the module that says what a kind of answer does, of all by the names of their types.

    Every module of them is imported for that.
    """
    own = (f"{__name__}.{one.name}" for one in pkgutil.iter_modules(__path__))
    folders = pkgutil.iter_modules(import_module(_VERBS).__path__)
    packages = [import_module(f"{_VERBS}.{one.name}") for one in folders if one.ispkg]
    shown = (
        f"{package.__name__}.{one.name}"
        for package in packages
        for one in pkgutil.iter_modules(package.__path__)
        if one.name.partition("_")[0] == "show"
    )
    modules = [one for one in map(import_module, (*own, *shown)) if _is_content(one)]
    return {_kind_of(one): cast(Content, one) for one in sorted(modules, key=_kind_of)}


def _is_content(module: ModuleType) -> bool:
    """Return whether a module says what a kind of answer does; others are parts of such."""
    return all(hasattr(module, name) for name in ("SCHEMA", "blocks", "table"))


def _kind_of(module: ModuleType) -> str:
    """Return the kind of answer that a module's `table` takes."""
    (answer,) = inspect.signature(module.table).parameters.values()
    return str(answer.annotation.__name__)


def content_of(answer: object) -> Content:
    """Return the module that knows what an answer says.

    It stands beside the answer's in the verb's folder, else in this package under the name of the
    answer's type: `RuleList` is `rule_list`, `PriceAnswer` is `price`.
    """
    kind = type(answer)
    package, _, own = kind.__module__.rpartition(".")
    if package.startswith(_VERBS):
        shown = "show" if own == "answer" else f"show_{own}"
        return cast(Content, import_module(f"{package}.{shown}"))
    words = re.findall("[A-Z][a-z0-9]*", kind.__name__.removesuffix("Answer"))
    return cast(Content, import_module(f"{__name__}.{'_'.join(words).lower()}"))


def record(answer: object) -> object:
    """Return what JSON holds of any answer behind `schema`: its module's `record`, else all of it.

    That is a value, a mapping, or a tuple of values, whose fields stand in one object.
    """
    made = getattr(content_of(answer), "record", None)
    return answer if made is None else made(answer)


def blocks(answer: object, options: RenderOptions) -> Iterable[Block]:
    """Return any answer as a document, with its amounts as they are shown; old prices end it."""
    own = content_of(answer).blocks(answer, options)
    age = getattr(answer, "price_age", "")
    width = options.width or DEFAULT_WIDTH
    if options.is_screen and len(age) > width:
        # A screen has one line for it.
        age = f"{age[: width - 1]}…"
    end = (para(say(age, Role.DIM)),) if age else ()
    return blocks_in(chain(own, end), options.currency)


def asides(answer: object) -> Iterable[str]:
    """Return what stands beside any answer, on stderr: its module's `asides`, where it has one."""
    found = getattr(content_of(answer), "asides", None)
    return found(answer) if found is not None else ()


def tells_beside_files(answer: object) -> bool:
    """Return whether that is told beside a table in a file too: `TELLS_BESIDE_FILES`, else yes."""
    return bool(getattr(content_of(answer), "TELLS_BESIDE_FILES", True))


def beside_table(answer: object) -> Iterable[str]:
    """Return what an answer's data table has no place for: `beside_table`, else old prices."""
    found = getattr(content_of(answer), "beside_table", None)
    if found is not None:
        return cast(Iterable[str], found(answer))
    age = getattr(answer, "price_age", "")
    return (age,) if age else ()
