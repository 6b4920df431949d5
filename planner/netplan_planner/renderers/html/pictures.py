"""Which pictures stand above an answer's page: those of its verb's folder."""

from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from netplan_planner.model import CurrencyRate


class Picture(NamedTuple):
    """A picture, and the macro of `charts.html.j2` that draws it."""

    macro: str
    drawn: object


def drawn(macro: str, *found: object | None) -> list[Picture]:
    """Return the pictures that there is something to draw of, drawn by one macro."""
    return [Picture(macro, one) for one in found if one]


def pictures_of(answer: object, currency: CurrencyRate | None) -> list[Picture]:
    """Return the pictures of an answer in their order; most answers have none."""
    package = type(answer).__module__.rpartition(".")[0]
    if package.startswith("netplan_planner.verbs.") and find_spec(f"{package}.pictures"):
        found: list[Picture] = import_module(f"{package}.pictures").pictures(answer, currency)
        return found
    return []
