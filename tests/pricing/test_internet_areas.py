"""From places as flow records spell them to the destination areas of the catalogue."""

import csv
from decimal import Decimal

import pytest

from netplan_planner.errors import MissingDatum
from netplan_planner.model import PathClass, bill, total_usd
from netplan_planner.paths.spans import span
from netplan_pricing import open_snapshot
from netplan_pricing.building.assemble import FACTS
from netplan_pricing.internet_areas import InternetAreas
from netplan_pricing.schema import NetworkKind
from support.listed import listed

BOOK = open_snapshot()
AREAS = InternetAreas(BOOK.file)
CENTRAL = "us-central1"
PRICED = BOOK.network.by_area(NetworkKind.INTERNET_PREMIUM, CENTRAL)
REST_OF_ASIA = "apac(excluding korea and indonesia)"


def rows() -> list[dict[str, str]]:
    with (FACTS / "internet_areas.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@listed(
    "areas, spellings",
    [
        (["americas"], ["America/usa", "usa", "America usa", "America, can"]),
        (["americas"], ["America/usa/California/Mountain View"]),
        (["americas", "central america"], ["America:mex"]),
        (["americas", "central america", "south america"], ["America/zzz"]),
        (["south america"], ["America/bra", "  south   america "]),
        (["china"], ["Asia/chn"]),
        (["india"], ["Asia/ind", "in"]),
        (["indonesia"], ["Asia/idn"]),
        (["south korea"], ["Asia/kor", "South Korea"]),
        ([REST_OF_ASIA], ["Asia/jpn", "Asia/sgp", "Japan", "JP", "Asia/Japan"]),
        ([REST_OF_ASIA], ["Apac(Excluding Korea and Indonesia)"]),
        (["middle east"], ["Asia/isr"]),
        (["australia"], ["Oceania/aus"]),
        (["australia", REST_OF_ASIA], ["Oceania/nzl", "new  zealand"]),
        (["western europe", "eastern europe"], ["EUROPE", "Europe/deu", "Germany", "UK"]),
        (["africa"], ["Africa"]),
        ([], ["", "/", "Atlantis", "everywhere and nowhere", "\x1b[31m"]),
    ],
)
def test_possible_areas(areas: list[str], spellings: list[str]) -> None:
    for text in spellings:
        assert list(AREAS.candidates(text, set(PRICED))) == areas, text


def test_every_area_of_the_table_has_a_price_from_every_open_region() -> None:
    named = {area.casefold() for row in rows() for area in row["areas"].split("|")}
    for region in BOOK.regions():
        priced = BOOK.network.by_area(NetworkKind.INTERNET_PREMIUM, region)
        assert named <= {area for area, entry in priced.items() if BOOK.network.tiers(entry)}


def test_vpn_traffic_uses_the_older_area_where_no_newer_one_is_priced() -> None:
    priced = set(BOOK.network.by_area(NetworkKind.VPN_INTERNET, CENTRAL))
    assert AREAS.candidates("Asia/jpn", priced) == ("apac",)
    assert BOOK.vpn_traffic(src_region=CENTRAL, area="Asia/jpn")[0].price.description.endswith(
        "Americas to APAC"
    )


def test_names_stand_once_and_in_the_spelling_of_flow_records() -> None:
    names = [row["name"] for row in rows()]
    assert len(names) == len(set(names))
    continents = {"africa", "america", "asia", "europe", "oceania"}
    assert continents <= set(names)
    assert all(len(name) == 3 for name in set(names) - continents)


def test_a_country_never_costs_what_its_continent_could_not() -> None:
    """Germany's price is among Europe's, Japan's among Asia's, from every region."""
    for region in BOOK.regions():
        for text in ("Europe/deu", "Asia/jpn", "Asia/chn", "America/usa", "Africa/zaf"):
            tiers = BOOK.traffic(PathClass.INTERNET, src_region=region, area=text)
            gib = Decimal(5000)
            low, high = span(BOOK.possible_prices(PathClass.INTERNET, src_region=region), gib)
            assert low <= total_usd(bill("t", gib, tiers)) <= high


def test_a_continent_is_answered_where_all_its_areas_cost_the_same() -> None:
    sydney = BOOK.traffic(PathClass.INTERNET, src_region="australia-southeast1", area="America")
    assert str(sydney[0].price.usd) == "0.19"
    with pytest.raises(MissingDatum):
        BOOK.traffic(PathClass.INTERNET, src_region=CENTRAL, area="America")


def test_every_country_of_the_areas_has_a_name_and_a_code() -> None:
    codes = {row["name"] for row in rows() if len(row["name"]) == 3}
    with (FACTS / "country_codes.csv").open(newline="", encoding="utf-8") as file:
        countries = list(csv.DictReader(file))
    assert {row["code3"] for row in countries} == codes
    spellings = [
        text for row in countries for text in (row["code3"], row["code2"], *row["names"].split("|"))
    ]
    assert len(spellings) == len(set(spellings))
    assert all(text == text.casefold() and text for text in spellings)


def test_a_mistyped_country_is_met_with_its_name() -> None:
    with pytest.raises(MissingDatum, match=r"Western Europe.*germany"):
        BOOK.traffic(PathClass.INTERNET, src_region=CENTRAL, area="Germny")
