"""How many examples a property gets: a share of what the profile of the run gives each."""

from hypothesis import settings


def examples(share: float) -> int:
    """Return a share of the profile's number, for examples that cost much each; at least two."""
    return max(2, round(settings().max_examples * share))
