"""What made projects consist of: regions, machine types, kinds of services, places outside."""

from typing import NamedTuple

ZONES = {
    "us-central1": "abcf",
    "us-east1": "bcd",
    "us-east4": "abc",
    "europe-west1": "bcd",
    "europe-west3": "abc",
    "asia-southeast1": "abc",
    "asia-northeast1": "abc",
}
NETWORKS = ("prod", "data", "edge")
"""A project has one of them or more, from the left."""
WINDOWS = (1, 1, 2, 8, 29)
"""Days of logs."""
SMALL = ("e2-standard-2", "e2-standard-4", "n2-standard-2", "n2d-standard-4", "n1-standard-2")
LARGE = (
    *("n2-standard-8", "n2-standard-16", "n2-standard-32", "n2-highmem-8", "n2d-standard-8"),
    *("n1-standard-8", "c2-standard-8", "c3-standard-8", "c3-standard-22"),
    *("e2-standard-8", "e2-standard-16", "n2-custom-6-24576", "e2-custom-8-16384"),
)
PLACES = (
    ("America", "usa"),
    ("America", "bra"),
    ("Europe", "deu"),
    ("Europe", "gbr"),
    ("Africa", "zaf"),
    ("Asia", "ind"),
    ("Asia", "jpn"),
    ("Oceania", "aus"),
)


class Kind(NamedTuple):
    """What the machines of a service are, and whom they send to."""

    stem: str
    types: tuple[str, ...]
    most: int
    to: tuple[str, ...]
    is_copied: bool = False
    """Its machines are copies of each other, one a zone."""
    may_be_grouped: bool = False
    share_external: float = 0.0
    """How many of its machines have an external address."""


KINDS = (
    Kind("web", SMALL, 24, ("api", "cache"), may_be_grouped=True, share_external=0.8),
    Kind("api", LARGE, 20, ("db", "cache", "kafka"), may_be_grouped=True, share_external=0.2),
    Kind("worker", LARGE, 40, ("db", "kafka", "store"), may_be_grouped=True, share_external=0.2),
    Kind("db", LARGE, 3, ("db",), is_copied=True),
    Kind("kafka", LARGE, 5, ("kafka",), is_copied=True, share_external=0.1),
    Kind("cache", SMALL, 6, ()),
    Kind("store", LARGE, 8, ("ingest",), share_external=0.4),
    Kind("ingest", LARGE, 10, ("store", "kafka"), share_external=0.6),
    Kind("cron", SMALL, 6, ("db",), share_external=0.5),
)
