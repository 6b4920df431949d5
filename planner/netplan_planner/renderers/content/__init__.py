"""What answers say: one module for each kind of answer, whatever the format.

`blocks` is for formats that are read, `record` for JSON, `table` for CSV. A module is imported when
its answer is written.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from netplan_planner.renderers.document import Block
from netplan_planner.renderers.options import RenderOptions

Cell = str | int | float | Decimal | bool | date | None | tuple[str, ...]
"""A value of a data table; None is not known, several texts of one value are a tuple."""


class DataTable(NamedTuple):
    """Rows for data formats; a column's name ends in its unit."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]


class Content(Protocol):
    """What a module of this package holds for its kind of answer."""

    SCHEMA: str
    """The id of its JSON form."""

    def blocks(self, answer: Any, options: RenderOptions) -> Iterable[Block]:
        """Return the answer as a document."""

    def record(self, answer: Any) -> object:
        """Return what JSON holds behind `schema`: a value of the model, or a mapping."""

    def table(self, answer: Any) -> DataTable:
        """Return the answer as rows."""


_MODULES: Mapping[str, str] = {
    "CalibrationReport": "calibration_report",
    "CapsAnswer": "caps",
    "Evaluation": "evaluation",
    "PluginTable": "plugin_table",
    "Prediction": "prediction",
    "PriceAnswer": "price",
    "PriceTable": "price_table",
    "ProbeImport": "probe_import",
    "ProbePlan": "probe_plan",
    "ProbeResults": "probe_results",
    "Recommendation": "recommendation",
    "Report": "report",
}


def content_of(answer: object) -> Content:
    """Return the module that knows what an answer says."""
    name = _MODULES[type(answer).__name__]
    return cast(Content, import_module(f"{__name__}.{name}"))


def blocks(answer: object, options: RenderOptions) -> Iterable[Block]:
    """Return any answer as a document."""
    return content_of(answer).blocks(answer, options)
