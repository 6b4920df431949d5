"""The grammar of descriptions: what `category` cannot say of a machine's part.

A description is a sentence of known words around one unknown, the place:

    [Spot Preemptible] [premium for] [Reserved | DWS … | Commitment …:] SERIES [Custom [Extended]]
    [Sole Tenancy] [Instance] (Core | Ram | Local SSD) [attached to … VMs] (running in | in) PLACE

Everything before the place has to be understood, and nothing of what sells a machine otherwise may
follow it, or nothing is: a surcharge with a new name must not pass for the price of a machine.
"""

import re
from enum import StrEnum

import msgspec


class Part(StrEnum):
    """What of a machine a price is for."""

    CORE = "core"
    RAM = "ram"
    LOCAL_SSD = "local_ssd"


class Offer(StrEnum):
    """How a part is sold besides by the hour; the values are the kinds of the mapping."""

    CUD_PREMIUM = "cud_premium"
    SOLE_TENANCY_OVERCOMMIT = "sole_tenancy_overcommit"
    SOLE_TENANCY_PREMIUM = "sole_tenancy_premium"
    M2_UPGRADE_PREMIUM = "m2_upgrade_premium"
    RESERVED_CAPACITY = "reserved_capacity"
    DWS = "dws"
    SOLE_TENANCY = "sole_tenancy"
    COMMITMENT = "commitment"


class Wording(msgspec.Struct, frozen=True, kw_only=True):
    """What a description says of a machine's part."""

    offer: Offer | None
    is_spot: bool
    part: Part | None
    series: str
    """Empty where none is named."""
    is_custom: bool
    is_extended: bool


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """A description without offer, way of payment and place."""

    offer: Offer | None
    is_spot: bool
    rest: str
    years: int | None = None
    """Of a commitment, where the end of the description says."""
    is_clear: bool = True
    """Whether what follows `in` is a place and nothing else."""


_OFFERS: tuple[tuple[Offer, re.Pattern[str]], ...] = tuple(
    (offer, re.compile(pattern, re.IGNORECASE))
    for offer, pattern in (
        (Offer.CUD_PREMIUM, r"^committed use discounts? premium for\b"),
        (Offer.SOLE_TENANCY_OVERCOMMIT, r"^sole[ -]tenancy overcommit premium for\b"),
        (Offer.SOLE_TENANCY_PREMIUM, r"^sole[ -]tenancy premium for\b"),
        (Offer.M2_UPGRADE_PREMIUM, r"^(?:memory[ -]optimized )?upgrade premium for\b"),
        (Offer.RESERVED_CAPACITY, r"^reserved\b"),
        # Three modes so far, of two words each: Defined Duration, Calendar Mode, Flex Start.
        (Offer.DWS, r"^dws \w+ (?:duration|mode|start)\b|\battached to dws\b.*$|^dws\b"),
        (Offer.COMMITMENT, r"^commitment(?: v\d+)?:"),
        (Offer.SOLE_TENANCY, r"\bsole[ -]tenancy\b"),
    )
)
"""The first that is found decides: a premium for sole tenancy is the premium."""

_SPOT = re.compile(
    r"^(?:spot preemptible|preemptible|spot)\b"
    r"|\battached to (?:spot preemptible|preemptible|spot) (?:vms?|instances?)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\s+(?:running\s+in|in)\s(?P<place>.*)$", re.IGNORECASE)
_YEARS = re.compile(r"\s+for\s+(\d+)\s+years?$", re.IGNORECASE)
_CALENDAR_MODE = re.compile(r"\s+in\s+calendar\s+mode$", re.IGNORECASE)
_BY_CALENDAR = frozenset({Offer.RESERVED_CAPACITY, Offer.DWS})
_NO_PLACE = re.compile(
    r"\b(?:mode|flex|start|reserv\w*|years?|months?|premium|commit\w*|spot|preemptible|for|vms?)\b"
    r"|[()]",
    re.IGNORECASE,
)
"""Words that are in the name of no place, and in those of ways to sell a machine."""
_NAMED_PLACE = re.compile(
    r"\s(?:running\s+in|in)\s+(.+?)(?:\s+in\s+calendar\s+mode|\s+for\s+\d+\s+years?)?$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s-]+")

_PARTS = {
    **dict.fromkeys(("core", "cores", "cpu", "cpus", "vcpu", "vcpus"), Part.CORE),
    **dict.fromkeys(("ram", "memory"), Part.RAM),
}
_LOCAL_SSD = re.compile(r"(?:\blocal ssd|^ssd backed local storage)$", re.IGNORECASE)
_SAY_NOTHING = frozenset({"instance", "instances", "vm", "predefined", "standard"})
_MAKERS = frozenset({"amd", "arm", "intel", "ampere", "nvidia", "google"})
_SERIES = re.compile(r"([A-Z]\d{1,2}[A-Z]?)(?:([A-Z][a-z]+)(\d*))?")
_SERIES_OF_CLASS = {"memory": "m1", "compute": "c2"}
"""`Memory-optimized` and `Compute optimized` were the whole name when a class had one series."""


def read_sentence(description: str) -> Sentence:
    """Return the description with offer, Spot and place taken off.

    >>> read_sentence("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Ohio").rest
    'A4 Nvidia B200 (1 gpu slice)'
    """
    text = " ".join(description.split())
    found = None
    for offer, pattern in _OFFERS:
        stripped, hits = pattern.subn(" ", text, count=1)
        if hits:
            found, text = offer, " ".join(stripped.split())
            break
    if found is not Offer.SOLE_TENANCY:
        # The surcharges name the node that they are for: `… Premium for C4 Sole Tenancy Instance`.
        text = _OFFERS[-1][1].sub("", text)
    years = _YEARS.search(text)
    text = _YEARS.sub("", text)
    if found in _BY_CALENDAR:
        text = _CALENDAR_MODE.sub("", text)
    place = _PLACE.search(f" {text}")
    text = _PLACE.sub("", f" {text}").strip()
    stripped, hits = _SPOT.subn(" ", text)
    return Sentence(
        offer=found,
        is_spot=bool(hits),
        rest=" ".join(stripped.split()),
        years=int(years[1]) if years else None,
        is_clear=place is None or not _NO_PLACE.search(place["place"]),
    )


def place_of(description: str) -> str:
    """Return the place that a description of a machine's part names, empty where it names none.

    >>> place_of("Commitment v1: N1 Cpu in Salt Lake City for 3 Years")
    'Salt Lake City'
    """
    found = _NAMED_PLACE.search(" ".join(description.split()))
    return found[1] if found else ""


def read_machine_part(description: str) -> Wording | None:
    """Return what a description says of a core, memory or local SSD; None if not all is clear.

    >>> said = read_machine_part("Spot Preemptible N2D AMD Custom Extended Ram running in Paris")
    >>> said.series, said.part.value, said.is_spot, said.is_extended
    ('n2d', 'ram', True, True)
    >>> read_machine_part("Confidential premium for N2D AMD Instance Core running in Paris")
    """
    sentence = read_sentence(description)
    text, part = sentence.rest, None
    stripped, hits = _LOCAL_SSD.subn("", text)
    if hits:
        part = Part.LOCAL_SSD
    words = [word for word in _WORD.findall(stripped) if word.casefold() not in _SAY_NOTHING]
    if part is None and words and words[-1].casefold() in _PARTS:
        part = _PARTS[words.pop().casefold()]
    folded = [word.casefold() for word in words]
    is_extended = "extended" in folded
    is_custom = "custom" in folded
    named = [
        word
        for word, fold in zip(words, folded, strict=True)
        if fold not in _MAKERS and fold not in {"custom", "extended"}
    ]
    series = _series(named)
    if series is None:
        return None
    return Wording(
        offer=sentence.offer,
        is_spot=sentence.is_spot,
        part=part,
        series=series,
        is_custom=is_custom,
        is_extended=is_extended,
    )


def _series(words: list[str]) -> str | None:
    """Return the series that is named, an empty text where none is, None for other words.

    >>> _series(["M3", "Memory", "optimized"]), _series(["M4Ultramem224"]), _series(["A3Mega"])
    ('m3', 'm4-ultramem-224', 'a3mega')
    """
    if not words:
        return ""
    if len(words) > 1 and words[-1].casefold() == "optimized":
        of_class = words[-2].casefold()
        if len(words) == 2:
            return _SERIES_OF_CLASS.get(of_class)
        words = words[:-2]
    if len(words) != 1:
        return None
    found = _SERIES.fullmatch(words[0]) or _SERIES.fullmatch(words[0].upper())
    if found is None:
        return None
    series, variant, size = (group or "" for group in found.groups())
    # With a size it is one machine type, sold apart from its series.
    return "-".join((series, variant, size)).lower() if size else f"{series}{variant}".lower()
