"""Countries by name and code: people write Germany or DE where flow records write `deu`."""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

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
    with _FILE.open(encoding="utf-8", newline="") as file:
        return {
            name: row["code3"]
            for row in csv.DictReader(file)
            for name in (row["code3"], row["code2"], *row["names"].split("|"))
        }
