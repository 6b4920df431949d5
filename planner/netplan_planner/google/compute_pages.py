"""Pages of the Compute API, decoded straight into the fields that are needed.

`msgspec` reads a page's bytes into the wire types of its kind in one pass. A page with a field of
a wrong type is read again the careful way, item by item.
"""

from typing import Any, NamedTuple

import msgspec

from netplan_planner.google.transport import NotWhole
from netplan_planner.model import SelfLink
from netplan_planner.readers import compute_json
from netplan_planner.readers.collector import Collector, Origin
from netplan_planner.readers.documents import NotText, documents_of
from netplan_planner.readers.kinds import Kind
from netplan_planner.readers.wire import Wire, WireWarning


class Page(NamedTuple):
    """What a page says besides its resources."""

    token: str | None
    """Of the next page, None on the last one."""
    signature: tuple[int, str, str]
    """Number of resources and the first and last of them: a page that comes again has the same."""
    warnings: tuple[str, ...]
    """Why results are missing, if any are."""


class PageReader:
    """Reads the pages of one list method."""

    def __init__(self, kind: Kind, *, is_aggregated: bool) -> None:
        self._kind = kind
        self._is_aggregated = is_aggregated
        item_list = list[kind.wire]  # type: ignore[name-defined]
        if is_aggregated:
            scope = msgspec.defstruct(
                "Scope",
                [(kind.collection, item_list, []), ("warning", WireWarning | None, None)],
                gc=False,
            )
            items: Any = dict[str, scope]  # type: ignore[valid-type]
        else:
            items = item_list
        page = msgspec.defstruct(
            "Page",
            [
                ("items", items, msgspec.field(default_factory=dict if is_aggregated else list)),
                ("nextPageToken", str | None, None),
                ("warning", WireWarning | None, None),
                ("unreachables", list[str], []),
            ],
            gc=False,
        )
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(page)

    def read(self, body: bytes, source: str, into: Collector) -> Page:
        """Take a page's resources and return what else it says.

        Raises:
            NotWhole: If the body is no whole JSON document.
        """
        try:
            page = self._decoder.decode(body)
        except msgspec.ValidationError:
            return self._read_carefully(body, source, into)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
            raise NotWhole(str(exc)) from exc
        warnings = [_text(page.warning)]
        warnings += [f"{place} could not be reached" for place in page.unreachables]
        if self._is_aggregated:
            wires: list[Wire] = []
            collection = self._kind.collection
            for scope in page.items.values():
                found = getattr(scope, collection)
                if found:
                    wires += found
                warnings.append(_text(scope.warning))
        else:
            wires = page.items
        links = into.add(self._kind, wires, source)
        return Page(page.nextPageToken or None, _signature(links), _sorted(warnings))

    def _read_carefully(self, body: bytes, source: str, into: Collector) -> Page:
        try:
            documents, damaged = documents_of(body)
        except NotText as exc:
            raise NotWhole(str(exc)) from exc
        if damaged or len(documents) != 1:
            raise NotWhole(str(damaged[0]) if damaged else "several documents")
        value = documents[0].value
        if not isinstance(value, dict):
            raise NotWhole("it is no JSON object")
        origin = Origin(source, f"{source}:")
        links = compute_json.read_page(value, self._kind, origin, into)
        token = value.get("nextPageToken")
        return Page(
            token if isinstance(token, str) and token else None,
            _signature(links),
            _sorted(compute_json.page_warnings(value)),
        )


def _text(warning: WireWarning | None) -> str | None:
    if warning is None or warning.code == compute_json.NO_RESULTS:
        return None
    return compute_json.warning_text({"code": warning.code, "message": warning.message})


def _sorted(texts: list[str | None]) -> tuple[str, ...]:
    return tuple(sorted({text for text in texts if text}))


def _signature(links: list[SelfLink]) -> tuple[int, str, str]:
    return (len(links), links[0], links[-1]) if links else (0, "", "")
