"""Where in the input a resource was read, when that is a file."""

import re
from urllib.parse import quote

from netplan_planner.model import Value

_FILE = re.compile(
    r"(?P<path>.+?\.(?:json|jsonl|ndjson|log|txt|csv|parquet|toml|yaml|yml|tfstate|tf)(?:\.gz|\.zst)?)"
    r"(?::(?P<line>[1-9][0-9]{0,8}))?(?::(?P<pointer>/.*)?|: (?P<address>.+))?",
    re.DOTALL | re.IGNORECASE,
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


MESSAGE_LENGTH = 2000
"""Letters of what is said of a finding beside code: a choice, without a source."""
ROOT = "ROOT"
"""The base of URIs that lead out of the folder in which netplan ran: the file system's root."""


class FilePlace(Value, frozen=True, kw_only=True):
    """A file, and the line, the JSON pointer or the Terraform address in it."""

    path: str
    line: int | None = None
    pointer: str = ""
    address: str = ""

    @property
    def uri(self) -> str:
        """The file as a relative URI reference, to `ROOT` where the path is absolute.

        >>> FilePlace(path="a b/instances.json").uri, FilePlace(path="/data/x.json").uri
        ('a%20b/instances.json', 'data/x.json')
        """
        path = self.path.replace("\\", "/")
        encoded = quote(path.encode("utf-8", "replace"), safe="/")
        if self.is_absolute:
            return encoded.lstrip("/")
        return encoded.removeprefix("./") or encoded

    @property
    def is_absolute(self) -> bool:
        """Whether the path begins at a root or a drive."""
        return self.path.startswith(("/", "\\")) or _DRIVE.match(self.path) is not None


def file_place(source: str) -> FilePlace | None:
    """Return the file that a source names, or None for an API method and anything else.

    >>> file_place("inventory/instances.json:/3")
    FilePlace(path='inventory/instances.json', line=None, pointer='/3', address='')
    >>> file_place("flows.json.gz:118").line, file_place("compute.instances.aggregatedList")
    (118, None)
    >>> file_place("recorded/http.log:40:/items/0").pointer
    '/items/0'
    >>> file_place('plan.json: google_compute_instance.vm["a"]').address
    'google_compute_instance.vm["a"]'
    """
    match = _FILE.fullmatch(source)
    if match is None or "://" in match["path"]:
        return None
    return place_in(match)


def place_in(match: re.Match[str]) -> FilePlace:
    """Return the place that the parts of a source name."""
    line = int(match["line"]) if match["line"] else None
    return FilePlace(
        path=match["path"],
        line=line,
        pointer=match["pointer"] or "",
        address=match["address"] or "",
    )
