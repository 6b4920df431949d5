"""The base of every value: frozen, compared by content, cheap to make by the hundred thousand.

`msgspec.Struct` instead of a frozen dataclass: ten times cheaper to build, and the report's JSON
Schema comes from the types themselves (docs/adr/0001-msgspec-values.md).
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from enum import StrEnum
from typing import Any, Generic, NewType, TypeVar

import msgspec

ProjectId = NewType("ProjectId", str)
Zone = NewType("Zone", str)
Region = NewType("Region", str)
SkuId = NewType("SkuId", str)
SelfLink = NewType("SelfLink", str)
"""A resource path without host and version: `projects/p/zones/z/instances/n`."""


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen value with keyword-only fields."""


@contextmanager
def collection_paused() -> Iterator[None]:
    """Keep the garbage collector from walking a hundred thousand new values again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


Of = TypeVar("Of")
Other = TypeVar("Other")


class Interval(Value, Generic[Of], frozen=True, kw_only=False):
    """What is most likely, between the ends of its interval; the field that holds it has the unit.

    Each of the three is a figure, or what is made of figures, such as a column of a table.
    """

    low: Of
    middle: Of
    high: Of

    def __iter__(self) -> Iterator[Of]:
        """Yield the three, the low end first."""
        yield from (self.low, self.middle, self.high)

    def each(self, made: Callable[[Of], Other]) -> "Interval[Other]":
        """Return the interval of what is made of each of the three."""
        return Interval(*map(made, self))


Kind = TypeVar("Kind", bound=Value)


def taken(kind: type[Kind], source: object, /, **more: Any) -> Kind:
    """Return a value of a kind with `more`, and the fields of `source` that have its names.

    Raises:
        TypeError: If it needs a field that neither gives.
    """
    names = (name for name in kind.__struct_fields__ if name not in more and hasattr(source, name))
    return kind(**{name: getattr(source, name) for name in names}, **more)


class ResourceRef(Value, frozen=True, kw_only=True, gc=False):
    """A resource, and where in the input it was read (`file:/json/pointer`, or the API method)."""

    self_link: SelfLink
    source: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.self_link.rpartition("/")[2]


class Resource(Value, frozen=True, kw_only=True):
    """What every resource of the Compute and Network Connectivity APIs has."""

    ref: ResourceRef
    project: ProjectId
    name: str


def canonical_link(link: str) -> SelfLink:
    """Return `link` without scheme, host and API version, so that every source spells it alike.

    >>> canonical_link("https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/i")
    'projects/p/zones/z/instances/i'
    >>> canonical_link("projects/p/global/networks/default")
    'projects/p/global/networks/default'
    """
    start = link.find("projects/")
    return SelfLink(link[start:] if start > 0 else link)


def last_part(link: str) -> str:
    """Return what stands after the last slash of `link`.

    >>> last_part("projects/p/zones/us-central1-a")
    'us-central1-a'
    """
    return link.rpartition("/")[2]


def instance_link(project: str, zone: str, name: str) -> SelfLink:
    """Return the link of a VM, by its name or number."""
    return SelfLink(f"projects/{project}/zones/{zone}/instances/{name}")


def project_of(link: str) -> ProjectId:
    """Return the project of a canonical link, or an empty id when the link names none.

    >>> project_of("projects/p/zones/z/instances/i")
    'p'
    """
    parts = link.split("/", 2)
    return ProjectId(parts[1] if len(parts) > 1 and parts[0] == "projects" else "")


def region_of(zone: str) -> Region:
    """Return the region of a zone.

    >>> region_of("us-central1-a")
    'us-central1'
    """
    return Region(zone.rpartition("-")[0])


# Text that may hold amounts of money: the amounts stay typed until a renderer writes them


class AmountKind(StrEnum):
    """How many digits of an amount are worth reading."""

    SUM = "sum"
    """Of a bill: to the cent, however large."""
    LIMIT = "limit"
    """In whole units: what a threshold asks for."""
    UNIT_PRICE = "unit-price"
    """Every digit."""


class Amount(Value, frozen=True, kw_only=True, gc=False):
    """US dollars within a text, whatever currency the text will be shown in."""

    usd: Decimal
    kind: AmountKind = AmountKind.SUM


class Words(Value, frozen=True, kw_only=True):
    """A text that holds amounts; `worded` makes it."""

    parts: tuple[str | Amount, ...]


Text = str | Words


def spaced(*texts: Text) -> Text:
    """Return sentences as one text, those that say nothing left out.

    >>> spaced("Look.", "", "Then move.")
    'Look. Then move.'
    """
    said = [one for one in texts if one]
    return worded(*[part for one in said for part in (" ", one)][1:])


def worded(*parts: Text | Amount) -> Text:
    """Return the parts as one text; without an amount it is a plain string.

    >>> worded("costs ", "more")
    'costs more'
    >>> len(worded("costs ", Amount(usd=Decimal(2)), " a month", " more").parts)
    3
    """
    found: list[str | Amount] = []
    for part in parts:
        for one in part.parts if isinstance(part, Words) else (part,):
            last = found[-1] if found else None
            if isinstance(one, str) and isinstance(last, str):
                found[-1] = last + one
            elif one:
                found.append(one)
    if not any(isinstance(one, Amount) for one in found):
        return "".join(one for one in found if isinstance(one, str))
    return Words(parts=tuple(found))
