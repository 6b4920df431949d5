"""How many examples a property gets, and how large a world is: by day less than by night."""

from typing import TypeVar

from hypothesis import settings

_BY_DAY = 100
"""Examples of a property from which on the profile is that of the night."""
Size = TypeVar("Size")


def examples(share: float) -> int:
    """Return a share of the profile's number, for examples that cost much each; at least two."""
    return max(2, round(settings().max_examples * share))


def sized(by_day: Size, by_night: Size) -> Size:
    """Return the size of what a test makes, under the profile of the run."""
    return by_night if settings().max_examples > _BY_DAY else by_day
