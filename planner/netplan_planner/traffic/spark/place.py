"""Where a Spark server is, where it works, and what it reads, as the options take them.

Importing this is cheap: Spark's client is imported when a server is asked (`world.remote_traffic`).
"""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import PurePath
from urllib.parse import unquote

from netplan_planner.errors import UsageError
from netplan_planner.model import Value
from netplan_planner.traffic.spark.submitted import is_submitted


class FlowEngine(StrEnum):
    """What reads and sums flow logs."""

    DUCKDB = "duckdb"
    """In this process, from files of this machine."""
    SPARK = "spark"
    """A server of Spark Connect, from what it can read itself."""


SCHEMES = ("gs", "s3a", "file")
_FORMS = "gs://BUCKET/PATH, s3a://BUCKET/PATH or file:///PATH"
_PLACE = re.compile(r"(?P<scheme>gs|s3a|file):/+(?P<rest>[^/].*)", re.DOTALL)
"""A path has one slash where the address had two."""
_REMOTE = re.compile(r"sc://[^\s/:;?#]+(:[0-9]{1,5})?(/(;.*)?)?")
_NOT_PLAIN = re.compile(r"[?#*{}\[\]\\\x00-\x1f\x7f]")
"""In an address what ends the path (Sail), or makes it a pattern where files are read (Spark)."""
_REMOTE_FORM = "sc://HOST:15002"


class SparkPlace(Value, frozen=True, kw_only=True):
    """A server of Spark Connect, and a folder for its work files."""

    remote: str | None
    """`sc://host:port`; what follows `/;` may be a token, and is never shown. None: the session of
    the program that spark-submit started, which this is."""
    work: str
    """The server makes a folder of its own in it."""
    timeout_s: float = 60.0
    """For its first answer, and for cleaning up."""
    total_s: float = 1800.0
    """For all of its work."""
    max_attempts: int = 5
    """How often a call is made again to a server that is gone."""

    @property
    def shown(self) -> str:
        """The server as messages name it.

        >>> SparkPlace(remote="sc://host:443/;token=secret", work="gs://b/t").shown
        'sc://host:443'
        """
        return "the job's own Spark" if self.remote is None else self.remote.partition("/;")[0]

    @property
    def secrets(self) -> tuple[str, ...]:
        """What the address holds beside the server, as it stands there and as it is meant.

        >>> SparkPlace(remote="sc://host/;use_ssl=true;token=a%20b", work="gs://b/t").secrets
        ('a%20b', 'a b')
        """
        parts = (self.remote or "").partition("/;")[2].split(";")
        found = [part.partition("=") for part in parts]
        texts = [value for name, _, value in found if value and name != "use_ssl"]
        return tuple(dict.fromkeys(one for text in texts for one in (text, unquote(text))))


def is_server_path(path: PurePath) -> bool:
    """Return whether a path names what a server reads, and no file of this machine."""
    return path.parts[:1] in {(f"{scheme}:",) for scheme in SCHEMES}


def address(path: str) -> str | None:
    """Return a place of storage as an address with all its slashes; None if it is none.

    >>> address("gs:/logs/2026"), address("file:/tmp/logs"), address("logs/2026")
    ('gs://logs/2026', 'file:///tmp/logs', None)
    """
    found = _PLACE.fullmatch(path)
    if found is None:
        return None
    start = "file:///" if found["scheme"] == "file" else f"{found['scheme']}://"
    return start + found["rest"].rstrip("/")


def place_of(engine: FlowEngine, remote: str | None, work: str | None) -> SparkPlace | None:
    """Return the server that reads flow logs; None where this machine does.

    Raises:
        UsageError: If an option is missing, wrong, or has no use.
    """
    if engine is not FlowEngine.SPARK:
        for name, value in (("--spark-remote", remote), ("--spark-work", work)):
            if value is not None:
                raise UsageError(f"{name} needs --engine spark")
        return None
    if remote is None and not is_submitted():
        raise UsageError(
            f"--engine spark: give the Spark Connect server (--spark-remote {_REMOTE_FORM})"
        )
    if work is None:
        raise UsageError(
            "--engine spark: give a location for work files (--spark-work gs://BUCKET/tmp/); they"
            " are removed at the end"
        )
    if remote is not None and not _REMOTE.fullmatch(remote):
        shown = remote.partition("/;")[0]
        raise UsageError(f"--spark-remote {shown!r}: write the server as {_REMOTE_FORM}")
    folder = address(work)
    if folder is None:
        raise UsageError(
            f"--spark-work {work!r}: must be a folder that the server can write: write {_FORMS}"
        )
    if found := _NOT_PLAIN.search(folder):
        raise UsageError(
            f"--spark-work {work!r}: some servers interpret {found.group()!r} differently and"
            " would use another folder. Name a folder without it"
        )
    return SparkPlace(remote=remote, work=folder)


def server_paths(paths: Sequence[PurePath]) -> list[str]:
    """Return what a server is to read, as it names that, each once; none lies in another.

    Raises:
        UsageError: If a path is none of a server.
    """
    found = [_server_path(path) for path in paths]
    return [
        one
        for one in dict.fromkeys(found)
        if not any(one.startswith(f"{other}/") for other in found)
    ]


def _server_path(path: PurePath) -> str:
    found = address(str(path))
    if found is None:
        raise UsageError(
            f"--traffic {path}: with --engine spark the server reads the files: write {_FORMS}"
        )
    return found


def refuse_without_server(paths: Iterable[PurePath]) -> None:
    """Refuse what only a server reads.

    Raises:
        UsageError: If there is such a path.
    """
    for path in paths:
        if is_server_path(path):
            raise UsageError(
                f"--traffic {address(str(path)) or path}: needs --engine spark (with"
                " --spark-remote and --spark-work). Give local files as paths"
            )
