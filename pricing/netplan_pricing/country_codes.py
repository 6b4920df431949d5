"""Countries by name and code: people write Germany or DE where flow records write `deu`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from netplan_planner.shipped import shipped_rows

_FILE = Path(__file__).parent / "facts" / "country_codes.csv"


def country_code(text: str) -> str | None:
    """Return the code of a country in flow records (ISO 3166-1 alpha-3, lower case).

    >>> country_code("Germany"), country_code("DE"), country_code("deu"), country_code("Atlantis")
    ('deu', 'deu', 'deu', None)
    """
    return _by_name().get(" ".join(text.casefold().split()))


def country_names() -> tuple[str, ...]:
    """Return the names of all countries, without codes."""
    return tuple(name for name in _by_name() if len(name) > 3)


@cache
def _by_name() -> Mapping[str, str]:
    return {
        name: row["code3"]
        for row in shipped_rows(_FILE)
        for name in (row["code3"], row["code2"], *row["names"].split("|"))
    }
