"""From the continent and country of a flow record to the destination areas of the catalogue.

The catalogue prices internet traffic by destination area and lists no countries. A name therefore
has one or more possible areas (facts/internet_areas.csv); where their prices are equal the answer
is certain all the same, and where they differ it is unknown. Two generations of areas overlap: the
older, coarser ones are asked only where a newer one is missing from a kind of traffic.

Countries by name and code: people write Germany or DE where flow records write `deu`.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from netplan_planner.shipped import shipped_rows
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile

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


_SEPARATORS = re.compile(r"[/|:;,]+")
_OLDER = {
    "western europe": "emea",
    "eastern europe": "emea",
    "middle east": "emea",
    "africa": "emea",
    "central america": "americas",
    "south america": "americas",
    "india": "apac",
    "indonesia": "apac",
    "south korea": "apac",
    "apac(excluding korea and indonesia)": "apac",
}
"""The older area that held each newer one."""

CONTINENTS = ("Africa", "America", "Antarctica", "Asia", "Europe", "Oceania")
"""As flow records name them."""


class InternetAreas:
    """The areas that each continent and country may belong to."""

    def __init__(self, file: SnapshotFile) -> None:
        table = file.table(schema.INTERNET_AREAS)
        self._by_name = {
            table["name"][row]: tuple(table["areas"][row].casefold().split("|"))
            for row in range(table.row_count)
        }

    def candidates(self, text: str, priced: set[str]) -> tuple[str, ...]:
        """Return the possible areas in lower case; empty when the text names no place.

        Args:
            text: A continent (`Asia`), a country (`jpn`, `JP`, `Japan`), both (`Asia/jpn`), or an
                area as the catalogue names it (`South Korea`).
            priced: Areas with a price, in lower case.
        """
        whole = " ".join(text.casefold().split())
        if whole in priced:
            return (whole,)
        parts = [part.strip() for part in _SEPARATORS.split(whole) if part.strip()]
        if len(parts) == 1 and self._known(whole) is None:
            # Codes of countries are words too ("and", "can"): only after a continent.
            words = whole.split()
            parts = words if len(words) == 2 and words[0] in self._by_name else []
        # Continent, then country: the country says more; anything after them is a place in it.
        for part in reversed(parts[:2]):
            name = self._known(part)
            if name is not None:
                return tuple(
                    dict.fromkeys(self._in_use(area, priced) for area in self._by_name[name])
                )
        return ()

    def _known(self, text: str) -> str | None:
        """Return a place as the table spells it: flow records' own code or a country's name."""
        name = text if text in self._by_name else country_code(text)
        return name if name in self._by_name else None

    @staticmethod
    def _in_use(area: str, priced: set[str]) -> str:
        return area if area in priced or area not in _OLDER else _OLDER[area]
