"""Pages of the Compute API, decoded straight into the fields that are needed.

`msgspec` reads a page's bytes into the wire types of its kind in one pass. A page with a resource
that has a field of a wrong type is read again the careful way, resource by resource.
"""

from typing import Any, NamedTuple

import msgspec

from netplan_planner.google.paging import Page as AnyPage
from netplan_planner.google.paging import page_of
from netplan_planner.input_files import decode_json
from netplan_planner.model import SelfLink
from netplan_planner.readers import compute_json
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.compute.kinds import Kind
from netplan_planner.readers.compute.wire import Wire, WireWarning


class Page(NamedTuple):
    """What a page says besides its resources."""

    next_page_token: str
    """Empty on the last page."""
    resource_count: int
    signature: tuple[int, str, str] | None
    """Number of resources and the first and last of them: a page that comes again has the same.
    None where there are none."""
    warnings: tuple[str, ...]
    """Why results are missing, if any are."""


class PageReader:
    """Reads the pages of one list method."""

    def __init__(self, kind: Kind, *, is_aggregated: bool) -> None:
        self._kind = kind
        self._is_aggregated = is_aggregated
        self._strict = self._page_type(list[kind.wire])  # type: ignore[name-defined]
        self._loose = self._page_type(list[Any])

    def _page_type(self, resources: Any) -> Any:
        items = resources
        if self._is_aggregated:
            fields: list[Any] = [
                (self._kind.collection, resources, []),
                ("warning", WireWarning | None, None),
            ]
            items = dict[str, msgspec.defstruct("Scope", fields, gc=False)]  # type: ignore[misc]
        return msgspec.defstruct(
            "Page",
            [
                ("items", items, {} if self._is_aggregated else []),
                ("warning", WireWarning | None, None),
                ("unreachables", list[str], []),
            ],
            bases=(AnyPage,),
            gc=False,
        )

    def read(self, body: bytes, source: str, into: Collector) -> Page:
        """Take a page's resources and return what else it says.

        Raises:
            NotWhole: If the body is no whole JSON document, or no page.
        """
        try:
            page = decode_json(body, self._strict)
        except msgspec.MsgspecError:
            page = page_of(body, self._loose)
            links = self._take_carefully(page, source, into)
        else:
            links = into.add(self._kind, self._resources(page), source)
        warnings = [_text(page.warning)]
        warnings += [f"{place} unreachable" for place in page.unreachables]
        if self._is_aggregated:
            warnings += [_text(scope.warning) for scope in page.items.values()]
        return Page(page.next_page_token, len(links), _signature(links), _sorted(warnings))

    def _resources(self, page: Any) -> list[Wire]:
        if not self._is_aggregated:
            return list(page.items)
        wires: list[Wire] = []
        for scope in page.items.values():
            wires += getattr(scope, self._kind.collection)
        return wires

    def _take_carefully(self, page: Any, source: str, into: Collector) -> list[SelfLink]:
        parts = {"/items": page.items}
        if self._is_aggregated:
            collection = self._kind.collection
            parts = {
                compute_json.scope_pointer(name, collection): getattr(scope, collection)
                for name, scope in page.items.items()
            }
        return compute_json.read_parts(parts, self._kind, Origin(source, f"{source}:"), into)


def _text(warning: WireWarning | None) -> str | None:
    if warning is None:
        return None
    return compute_json.warning_text({"code": warning.code, "message": warning.message})


def _sorted(texts: list[str | None]) -> tuple[str, ...]:
    return tuple(sorted({text for text in texts if text}))


def _signature(links: list[SelfLink]) -> tuple[int, str, str] | None:
    return (len(links), links[0], links[-1]) if links else None
