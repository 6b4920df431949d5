"""The events of `iperf3 --json-stream`, joined into the document that `-J` would have written."""

from collections.abc import Iterable, Iterator
from typing import Any

from netplan_planner.measuring.outputs.json_text import Document

_MEMBERS = frozenset({"start", "end", "error", "server_output_json"})
"""Events whose data is the document's member of that name."""


def joined_events(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents, with the events of each `--json-stream` test joined into one.

    A test without its `end` event stays without that member, and so is refused later.
    """
    test: dict[str, Any] = {}
    line = 0
    for document in documents:
        event = _event(document.value)
        if test and event in ("", "start"):
            yield Document(test, line)
            test = {}
        if not event:
            yield document
            continue
        if not test:
            test, line = {"intervals": []}, document.line
        data = document.value.get("data")
        if event == "interval":
            test["intervals"].append(data)
        elif event in _MEMBERS:
            test[event] = data
    if test:
        yield Document(test, line)


def _event(value: Any) -> str:
    if isinstance(value, dict) and "data" in value and isinstance(value.get("event"), str):
        return str(value["event"])
    return ""
