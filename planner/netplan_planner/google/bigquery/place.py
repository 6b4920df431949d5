"""Names of datasets and tables, as `--traffic` takes them."""

import re
from pathlib import PurePath

from netplan_planner.errors import UsageError
from netplan_planner.google.options import PROJECT_ID
from netplan_planner.model import Value

SCHEME = "bigquery:"
_FORM = "bigquery://PROJECT.DATASET or bigquery://PROJECT.DATASET.TABLE"
_PROJECT = rf"(?P<project>{PROJECT_ID})"
_DATASET = r"(?P<dataset>[A-Za-z0-9_]{1,1024})"
_ROLLUP = re.compile(rf"(?:{_PROJECT}\.)?{_DATASET}")
_PLACE = re.compile(
    r"bigquery:/{1,2}"
    rf"{_PROJECT}\.{_DATASET}"
    r"(?:\.(?P<table>[A-Za-z0-9_-]{1,1024}))?/?"
)
"""A path has one slash where the address had two."""


class Place(Value, frozen=True, kw_only=True):
    """A dataset with flow logs, or one table of it."""

    project: str
    dataset: str
    table: str | None = None

    def __str__(self) -> str:
        """Return the address, as it is given."""
        table = f".{self.table}" if self.table else ""
        return f"bigquery://{self.project}.{self.dataset}{table}"


def is_place(path: PurePath) -> bool:
    """Return whether a path names BigQuery, and no file."""
    return path.parts[:1] == (SCHEME,)


def parse_place(text: str) -> Place:
    """Return the place that an address names.

    Raises:
        UsageError: If it is not of the form.

    >>> str(parse_place("bigquery:/my-project.logs"))
    'bigquery://my-project.logs'
    >>> parse_place("bigquery://my-project.logs._AllLogs").table
    '_AllLogs'
    """
    found = _PLACE.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{_as_given(text)!r} is not a place in BigQuery. Write {_FORM}; PROJECT is a project"
            " ID of 6 to 30 letters, digits and hyphens"
        )
    return Place(project=found["project"], dataset=found["dataset"], table=found["table"])


def parse_rollup(text: str, project: str) -> Place:
    """Return the dataset that keeps the sums of days.

    Args:
        text: Its name, with its project or without.
        project: The project of one without.

    Raises:
        UsageError: If it names no dataset.

    >>> parse_rollup("sums", "my-project").dataset, parse_rollup("own-proj.sums", "p").project
    ('sums', 'own-proj')
    """
    found = _ROLLUP.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--rollup {text}: not a dataset in BigQuery. Write PROJECT.DATASET or DATASET"
        )
    return Place(project=found["project"] or project, dataset=found["dataset"])


def _as_given(text: str) -> str:
    """Return an address with both slashes, of which a path keeps one."""
    return text if text.startswith(f"{SCHEME}//") else text.replace(f"{SCHEME}/", f"{SCHEME}//", 1)
