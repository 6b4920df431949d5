"""Lists of Google's APIs: what a page is, and the way from page to page, within bounds.

Every reader of a list comes through here, so that none takes for whole what is not.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from netplan_planner.google.refusals import Refusal
from netplan_planner.google.transport import NotWhole
from netplan_planner.input_files import decode_json
from netplan_planner.readers.documents import NotText, documents_of

T = TypeVar("T")


class Page(msgspec.Struct, rename="camel"):
    """What a page of every list says; the kinds of pages add what their readers take."""

    next_page_token: str = ""
    """Empty on the last page."""


class _Linked(Protocol):
    @property
    def next_page_token(self) -> str:
        """Empty on the last page."""


P = TypeVar("P", bound=_Linked)


class CutOff(Refusal):
    """A list that is not whole; the pages before were yielded."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; the list is incomplete")


class Endless(CutOff):
    """A list whose pages lead in a circle, or are more than any list has."""


def each_page(
    get: Callable[[str], P], most: int, mark_of: Callable[[P], object] = lambda _: None
) -> Iterator[P]:
    """Yield the pages of a list.

    Args:
        get: Returns a page by its token, which is empty for the first one.
        most: Pages after which something is wrong.
        mark_of: Returns what a page is known by if it comes again under another token; None: by
            nothing.

    Raises:
        Refusal: If the first page cannot be had.
        CutOff: If a later one cannot, or the list does not end.
    """
    token = ""
    seen: set[object] = set()
    for number in range(1, most + 1):
        try:
            page = get(token)
        except Refusal as exc:
            if number == 1:
                raise
            raise CutOff(f"page {number}: {exc}") from exc
        yield page
        token = page.next_page_token
        marks = {token, mark_of(page)} - {"", None}
        # All of them: an answer may lead in a circle of several pages.
        if marks & seen:
            raise Endless(f"page {number} leads back to an earlier page")
        if not token:
            return
        seen |= marks
    raise Endless(f"more than {most:,} pages")


def page_of(body: bytes, kind: type[T]) -> T:
    """Return an answer as a type. A member that is null is one that is not there.

    Raises:
        NotWhole: If it is no JSON object, or a member has another type than documented.
    """
    try:
        return decode_json(body, kind)
    except msgspec.DecodeError:
        # The slow way is patient with text, and finds out what is wrong.
        stated = {name: value for name, value in object_of(body).items() if value is not None}
    try:
        return decode_json(msgspec.json.encode(stated), kind)
    except msgspec.DecodeError as exc:
        raise NotWhole(_named(exc)) from exc


def require_objects(name: str, values: Sequence[msgspec.Raw]) -> None:
    """Refuse a member whose values are kept as they are, where one is no object.

    Raises:
        NotWhole: If so.
    """
    for index, value in enumerate(values):
        if bytes(value)[:1] != b"{":
            raise NotWhole(f"{name}[{index}]: Expected `object`")


def object_of(body: bytes) -> dict[str, Any]:
    """Return an answer as a JSON object.

    Raises:
        NotWhole: If it is none.
    """
    try:
        documents, damaged = documents_of(body)
    except NotText as exc:
        raise NotWhole(str(exc)) from exc
    if damaged:
        raise NotWhole(str(damaged[0]))
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise NotWhole("it is no JSON object")
    return documents[0].value


def _named(exc: msgspec.DecodeError) -> str:
    """Return what is wrong with a member, its name first.

    >>> _named(msgspec.ValidationError("Expected `array`, got `int` - at `$.assets`"))
    'assets: Expected `array`, got `int`'
    """
    reason, _, place = str(exc).partition(" - at `$.")
    return f"{place.rstrip('`')}: {reason}" if place else reason
