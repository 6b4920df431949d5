"""Machine prices: every listed row, bills worked by hand, and every reason for having none."""

from datetime import date
from decimal import Decimal
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import MissingDatum
from netplan_planner.model import PriceBook, Usage
from netplan_pricing import open_snapshot
from support.listed import listed
from support.prices.inputs import read_csv
from support.projects.shared_data import needs_shared, shared

BOOK = open_snapshot()
CENTRAL = "us-central1"
CELLS = {
    Usage.ON_DEMAND: "on_demand_usd_hour",
    Usage.SPOT: "spot_usd_hour",
    Usage.CUD_1Y: "cud_1y_usd_hour",
    Usage.CUD_3Y: "cud_3y_usd_hour",
    Usage.SUSTAINED_USE: "sud_full_month_usd_hour",
}


OTHER_SUMS = {"a3-megagpu-8g", "g4-standard-6", "g4-standard-12", "g4-standard-24"}
"""Where the list sums other rates than their SKUs': A3's for A3Plus (docs/adr/0008), and cores,
memory and an eighth of a GPU for a slice that is sold whole."""
NO_SLICE = {("europe-west10", f"g4-standard-{size}") for size in (6, 12, 24)}
"""The catalogue has no slice there: what the list sums instead is not taken."""


def usd(machine_type: str, usage: Usage = Usage.ON_DEMAND, region: str = CENTRAL) -> Decimal:
    return BOOK.machine(region, machine_type, usage).usd


def refusal(region: str, machine_type: str, usage: Usage = Usage.ON_DEMAND) -> str:
    with pytest.raises(MissingDatum) as caught:
        BOOK.machine(region, machine_type, usage)
    return str(caught.value)


def test_it_is_a_price_book() -> None:
    book: PriceBook = BOOK
    assert book.regions()


def agree(found: Decimal, listed: str) -> bool:
    """Return whether two prices are one: the list rounds the rates that it sums."""
    return abs(found - Decimal(listed)) <= Decimal("1e-6") * Decimal(listed)


@needs_shared
def test_the_price_list_of_another_source_is_reproduced() -> None:
    """On demand and commitments on at least 99.9 % of the pairs that both price and offer."""
    rows = read_csv(shared("data/catalog/prices.csv.gz"))
    assert len(rows) == 17_533
    differ: dict[tuple[str, str], list[Usage]] = {}
    compared: set[tuple[str, str]] = set()
    for row in rows:
        region, name = row["region"], row["machine_type"]
        if row["available_in_region"] == "0":
            assert "is not offered there" in refusal(region, name)
            continue
        for usage, cell in CELLS.items():
            if not row[cell] or (usage is Usage.SUSTAINED_USE and (region, name) in NO_SLICE):
                continue
            if (region, name) in NO_SLICE:
                assert "no " + usage.value + " rate for g4-eighth-slice" in refusal(
                    region, name, usage
                )
                continue
            price = BOOK.machine(region, name, usage)
            assert price.region == region
            if usage is Usage.SPOT and name in OTHER_SUMS:
                continue
            if usage is Usage.SPOT:
                # It moves within weeks: the youngest stands, which is this list.
                assert str(price.usd) == row[cell]
                assert price.as_of.isoformat() == row["as_of"]
                continue
            compared.add((region, name))
            if not agree(price.usd, row[cell]):
                differ.setdefault((region, name), []).append(usage)
            else:
                assert price.as_of.isoformat() in {"2026-04-30", row["as_of"]}
    assert {name for _, name in differ} == OTHER_SUMS
    assert len(compared) == 12_801
    a3_count = len([name for _, name in differ if name == "a3-megagpu-8g"])
    assert (a3_count, len(differ) - a3_count) == (9, 57)
    assert 1 - a3_count / len(compared) >= 0.999


@needs_shared
def test_every_price_that_the_catalogue_knows_has_a_sku_id_for_each_part() -> None:
    of_skus = listed = 0
    for region in BOOK.regions():
        for shape in BOOK.offered(region):
            try:
                price = BOOK.machine(region, shape.machine_type)
            except MissingDatum:
                continue
            if price.parts:
                of_skus += 1
                assert all(part.sku_id for part in price.parts)
                assert sum(part.usd for part in price.parts) == price.usd
                for part in price.parts:
                    entry = BOOK.skus.entry(part.sku_id or "")
                    assert entry.description == part.description
                    assert region in entry.regions
            else:
                listed += 1
                assert price.sku_id is None
                assert price.as_of == date(2026, 7, 30)
    assert (of_skus, listed) == (12_573, 243)


@needs_shared
def test_every_row_is_listed_in_a_batch_in_the_order_asked_for() -> None:
    rows = read_csv(shared("data/catalog/prices.csv.gz"))
    pairs = [(row["region"], row["machine_type"]) for row in reversed(rows)]
    for row, found in zip(reversed(rows), BOOK.machine_batch(pairs), strict=True):
        assert (found.region, found.machine_type) == (row["region"], row["machine_type"])
        cells = {
            "on_demand_usd_hour": found.on_demand_usd_per_hour,
            "spot_usd_hour": found.spot_usd_per_hour,
            "cud_1y_usd_hour": found.cud_1y_usd_per_hour,
            "cud_3y_usd_hour": found.cud_3y_usd_per_hour,
            "sud_full_month_usd_hour": found.sustained_use_usd_per_hour,
        }
        for cell, usd_per_hour in cells.items():
            if row[cell] and row["machine_type"] not in OTHER_SUMS:
                assert usd_per_hour is not None, (row, cell)
                assert agree(usd_per_hour, row[cell]), (row, cell)
        assert found.as_of is not None or (found.region, found.machine_type) in NO_SLICE
        if row["spot_usd_hour"] and row["machine_type"] not in OTHER_SUMS:
            assert found.spot_as_of == date.fromisoformat(row["as_of"])
        assert found.is_offered == (row["available_in_region"] == "1")
        is_priced = (found.region, found.machine_type) not in NO_SLICE
        assert bool(found.reason) != (found.is_offered and is_priced)


def test_a_batch_answers_custom_and_unknown_types_too() -> None:
    names = ["custom-4-8192", "e2-custom-2-4096", "n4-custom-4-65536-ext", "n2-standard-44"]
    pairs = [(CENTRAL, name) for name in names] + [("moon-west1", name) for name in names]
    n1, e2, extended, unknown, *elsewhere = BOOK.machine_batch(pairs)
    assert n1.on_demand_usd_per_hour == usd("custom-4-8192")
    assert n1.sustained_use_usd_per_hour == usd("custom-4-8192", Usage.SUSTAINED_USE)
    assert (n1.cud_1y_usd_per_hour, n1.reason) == (usd("custom-4-8192", Usage.CUD_1Y), "")
    assert e2.spot_usd_per_hour == usd("e2-custom-2-4096", Usage.SPOT)
    assert e2.sustained_use_usd_per_hour is None
    assert "pays for extended memory is not in this snapshot" in extended.reason
    assert unknown.reason == "unknown machine type"
    assert all("region" in row.reason for row in elsewhere)
    assert all(row.on_demand_usd_per_hour is None for row in (extended, unknown, *elsewhere))


@needs_shared
def test_every_offered_pair_is_priced_or_refused_as_unpriced() -> None:
    offers = read_csv(shared("data/catalog/machine_type_regions.csv.gz"))
    listed = read_csv(shared("data/catalog/prices.csv.gz"))
    priced = {(row["region"], row["machine_type"]) for row in listed}
    unpriced, new = 0, set()
    for row in offers:
        pair = (row["region"], row["machine_type"])
        assert BOOK.is_offered(*pair)
        (found,) = BOOK.machine_batch([pair])
        if found.on_demand_usd_per_hour is None:
            unpriced += 1
            assert "no price for it is known" in refusal(*pair)
            assert pair not in priced - NO_SLICE
        else:
            assert BOOK.machine(*pair).usd == found.on_demand_usd_per_hour > 0
            new |= {pair[1]} if pair not in priced else set()
    # The SKUs price a family that the list does not, and Mega where its GPU is called Plus.
    g4 = {f"g4-standard-{size}" for size in (6, 12, 24)}
    assert new == {"a3-ultragpu-8g", "a3-ultragpu-8g-nolssd", "a3-megagpu-8g", *g4}
    assert (len(offers), unpriced) == (13_987, 1_171)


@needs_shared
def test_component_rates_are_those_of_an_independent_reading_of_the_catalogue() -> None:
    """Spot apart, where the younger source stands: 11,241 rates, a few of them rounded there."""
    usages = {"on_demand": Usage.ON_DEMAND, "cud_1y": Usage.CUD_1Y, "cud_3y": Usage.CUD_3Y}
    renamed = {"a3-mega": "a3plus", "a3-ultra": "a3ultra"}
    rows = read_csv(shared("data/catalog/component_prices.csv.gz"))
    zeros = same = 0
    for row in rows:
        usage = usages.get(row["usage"])
        if usage is None:
            continue
        series = renamed.get(row["series"], row["series"])
        asked = (row["region"], series, row["component"], usage)
        if row["note"].startswith("duplicate-skus"):
            continue  # two live SKUs for one thing
        if Decimal(row["usd_per_unit"]):
            price = BOOK.rates.price(*asked)
            assert agree(price.usd, row["usd_per_unit"]), row
            assert price.unit == row["unit"]
            same += 1
        else:
            zeros += 1
            with pytest.raises(MissingDatum, match="lists it at 0"):
                BOOK.rates.price(*asked)
    assert (same, zeros) == (7_801, 57)


MONTH, SPOT, CUD_1Y, CUD_3Y = Usage.SUSTAINED_USE, Usage.SPOT, Usage.CUD_1Y, Usage.CUD_3Y
PLAIN = Usage.ON_DEMAND


def summed(products: str) -> Decimal:
    """Return a sum of products, written with `x` and `+`."""
    return sum(
        (
            prod(map(Decimal, product.split(" x ")), start=Decimal(1))
            for product in products.split(" + ")
        ),
        Decimal(0),
    )


@listed(
    "name, usage, by_hand",
    [
        ("n1-standard-4", PLAIN, "4 x 0.031611 + 15 x 0.004237"),
        # Custom types.
        ("custom-4-8192", PLAIN, "4 x 0.03319155 + 8 x 0.004446"),
        ("n1-custom-4-8192", PLAIN, "4 x 0.03319155 + 8 x 0.004446"),
        ("n2-custom-8-16384", PLAIN, "8 x 0.03319155 + 16 x 0.00444885"),
        ("n2-custom-8-131072-ext", PLAIN, "8 x 0.03319155 + 64 x 0.00444885 + 64 x 0.00955"),
        ("custom-2-20480-ext", PLAIN, "2 x 0.03319155 + 13 x 0.004446 + 7 x 0.00955"),
        ("n4-custom-4-8448", PLAIN, "4 x 0.03275 + 8.25 x 0.003717"),
        ("e2-custom-micro-1024", PLAIN, "0.25 x 0.02290217 + 0.003069707"),
        ("e2-custom-medium-4096", PLAIN, "0.02290217 + 4 x 0.003069707"),
        ("g2-custom-48-196608", PLAIN, "48 x 0.02623762 + 192 x 0.003073821 + 4 x 0.560040239"),
        # A committed one pays the commitment and its premium.
        ("n2-custom-8-16384", CUD_3Y, "8 x 0.01493625 + 16 x 0.00200235"),
        # M2 is billed as M1 and a premium that no commitment covers; a committed machine runs all
        # month: the premium gets the sustained-use discount, 30 %.
        ("m2-ultramem-208", PLAIN, "208 x 0.039324 + 5888 x 0.005763"),
        ("m2-ultramem-208", CUD_1Y, "208 x 0.0237168 + 5888 x 0.0034841"),
        # An A4 has the prices of its slices where the catalogue has them.
        ("a4-highgpu-8g", SPOT, "8 x 4.0758"),
        ("a4-highgpu-8g", CUD_1Y, "8 x 11.1159"),
    ],
)
def test_prices_by_hand(name: str, usage: Usage, by_hand: str) -> None:
    price = BOOK.machine(CENTRAL, name, usage)
    assert price.usd == summed(by_hand)
    if "custom" in name:
        assert "custom_core" in price.description
        assert price.as_of == date(2026, 4, 30)
    if (name, usage) == ("n2-custom-8-16384", CUD_3Y):
        parts = [part.component for part in price.parts]
        assert parts == ["core", "cud_premium_custom_core", "ram", "cud_premium_custom_ram"]


@listed(
    "name, published, near",
    [
        # Shared-core E2 is billed by its fraction.
        ("e2-micro", "0.25 x 0.02181159 + 0.00292353", "1e-6"),
        ("e2-small", "0.5 x 0.02181159 + 2 x 0.00292353", "1e-6"),
        ("e2-medium", "0.02181159 + 4 x 0.00292353", "1e-6"),
        # Of us-central1 on Google's price page, which none of the tables holds.
        ("a3-megagpu-8g", "93.400712807", "1e-8"),
        ("a3-ultragpu-8g", "84.806908493", "1e-8"),
    ],
)
def test_prices_as_published(name: str, published: str, near: str) -> None:
    assert abs(usd(name) - summed(published)) < Decimal(near)


@listed(
    "name, ratio, note",
    [
        ("n1-standard-4", "0.7", ""),
        ("custom-4-8192", "0.7", ""),
        ("n2-custom-8-16384", "0.8", ""),
        ("e2-custom-2-4096", "1", "no sustained-use discount"),
        ("c3-standard-8", "1", "no sustained-use discount"),
    ],
)
def test_a_month_has_the_discount_of_its_series(name: str, ratio: str, note: str) -> None:
    price = BOOK.machine(CENTRAL, name, MONTH)
    assert price.usd == usd(name) * Decimal(ratio)
    assert note in price.note


def test_z3_pays_its_own_rate_for_its_disks() -> None:
    ssd = Decimal("0.0282") / 730
    price = BOOK.machine(CENTRAL, "z3-highmem-88-standardlssd", Usage.SPOT)
    (disks,) = (part for part in price.parts if part.component == "local_ssd")
    assert (int(disks.quantity), disks.unit) == (18_000, "gib-hour")
    assert abs(disks.unit_price_usd - ssd) < Decimal("1e-11")
    assert disks.description == "Spot Preemptible Z3 Instance Local SSD running in Americas"


@pytest.mark.parametrize(("years", "left"), [(1, "0.72"), (3, "0.54")])
def test_a_flexible_commitment_takes_its_share_off_cores_and_memory(years: int, left: str) -> None:
    """28 and 46 per cent, as the catalogue prices the commitment for a cent of spend."""
    for name in ("n2-standard-16", "n2-custom-8-131072-ext", "e2-micro"):
        price = BOOK.flexible_commitment(CENTRAL, name, years)
        assert price.usd == usd(name) * Decimal(left)
        assert "billed every hour of the term" in price.note
    # Not what no source says it covers, nor a whole machine of one SKU.
    for name in ("m3-ultramem-32", "f1-micro", "a2-highgpu-1g"):
        with pytest.raises(MissingDatum, match="no flexible-commitment price"):
            BOOK.flexible_commitment(CENTRAL, name, years)


@pytest.mark.parametrize(("name", "slices"), [("6", 1), ("12", 2), ("24", 4)])
def test_a_part_of_a_g4_is_sold_by_the_whole_slice(name: str, slices: int) -> None:
    """Cores and memory are in the slice: its SKU is 1.15 times an eighth of the whole machine."""
    rates = {
        Usage.ON_DEMAND: ("0.64688", "D5C5-C5F4-086C"),
        Usage.SPOT: ("0.25875", "C6E1-AD56-EDD6"),
        Usage.CUD_1Y: ("0.44634", "6BE9-B219-3DF0"),
        Usage.CUD_3Y: ("0.28463", "643F-1AA2-DF25"),
    }
    for usage, (rate, sku_id) in rates.items():
        price = BOOK.machine(CENTRAL, f"g4-standard-{name}", usage)
        assert price.usd == slices * Decimal(rate)
        (part,) = price.parts
        assert (part.quantity, str(part.sku_id)) == (Decimal(slices), sku_id)
        assert "sold by the slice" in price.note
    # What a list says where no slice is sold is the sum of the wrong parts, and not taken.
    assert "no on-demand rate for g4-eighth-slice" in refusal("europe-west10", "g4-standard-6")
    whole = usd("g4-standard-48")
    assert usd("g4-standard-6") / whole * 8 == pytest.approx(Decimal("1.15"), rel=Decimal("1e-4"))


@listed(
    "region, name, usage, said",
    [
        (CENTRAL, "n2-standard-4", SPOT, "a Spot price changes within weeks"),
        (CENTRAL, "n2-standard-4", CUD_3Y, "used or not"),
        (
            CENTRAL,
            "m2-ultramem-208",
            CUD_1Y,
            "usage without commitment has the sustained-use discount",
        ),
        (CENTRAL, "a2-ultragpu-1g", CUD_1Y, "sales"),
        (
            "us-east4",
            "m1-megamem-96",
            PLAIN,
            "the catalog has two current rates for a part of it in this region",
        ),
        ("us-east4", "a4-highgpu-8g", SPOT, "none for A4's local SSD"),
    ],
)
def test_caveats_stand_in_the_note(region: str, name: str, usage: Usage, said: str) -> None:
    assert said in BOOK.machine(region, name, usage).note
    assert BOOK.machine(CENTRAL, "n2-standard-4").note == ""
    # An A4 has prices elsewhere too.
    assert usd("a4-highgpu-8g", CUD_3Y, "europe-west4") == 8 * Decimal("7.79724")
    assert BOOK.machine("us-east4", "a4-highgpu-8g", SPOT).sku_id == "3674-3FF9-A854"


@listed(
    "region, name, usage, said",
    [
        (CENTRAL, "n2-standrd-4", PLAIN, "no machine type.*near: n2-standard-4"),
        (CENTRAL, "", PLAIN, "no machine type"),
        (CENTRAL, "n2-standard-04", PLAIN, "no machine type"),
        (CENTRAL, "N2-STANDARD-4", PLAIN, "no machine type"),
        ("us-centrall1", "n2-standard-4", PLAIN, "no region.*near: us-central1"),
        ("", "n2-standard-4", PLAIN, "no region"),
        ("us-west8", "n2-standard-4", PLAIN, "no region"),
        ("africa-south1", "a2-highgpu-1g", PLAIN, "has a list price.*not offered"),
        (CENTRAL, "c4-highcpu-288-metal", PLAIN, "has a list price.*not offered"),
        (CENTRAL, "a4-highgpu-8g", PLAIN, "is offered in.*no price for it is known"),
        ("africa-south1", "a4-highgpu-8g", PLAIN, "is not offered or priced in africa-south1"),
        *(
            (CENTRAL, name, usage, f"no {usage.value} price")
            for name in ("f1-micro", "g1-small", "t2a-standard-4")
            for usage in (CUD_1Y, CUD_3Y)
        ),
        (CENTRAL, "a4-highgpu-8g", PLAIN, "no on-demand rate for nvidia-b200-slice"),
        ("us-east4", "a4-highgpu-8g", CUD_1Y, "no cud-1y rate for nvidia-b200-slice"),
        (CENTRAL, "m2-ultramem-208", SPOT, "no spot rate for upgrade_core"),
        (CENTRAL, "n2-custom-8-131072-ext", CUD_1Y, "no commitment for extended memory"),
        (CENTRAL, "z3-highmem-88", PLAIN, "cannot be computed.*local SSDs"),
        (CENTRAL, "n2-custom-2-32768", PLAIN, "at most 8 GiB per vCPU.*-ext"),
        (CENTRAL, "e2-custom-2-32768", PLAIN, "at most 8 GiB per vCPU"),
        (CENTRAL, "e2-custom-2-32768-ext", PLAIN, "no extended memory"),
        (
            CENTRAL,
            "n4-custom-4-65536-ext",
            PLAIN,
            "pays for extended memory is not in this snapshot",
        ),
        (CENTRAL, "g2-custom-10-40960", PLAIN, "its number of GPUs is unknown"),
        (CENTRAL, "c2-custom-4-8192", PLAIN, "no on-demand rate for custom_core"),
        ("africa-south1", "n4a-custom-4-8192", PLAIN, "series n4a is not offered"),
        (CENTRAL, "x9-custom-4-8192", PLAIN, "series x9 is not offered"),
        (CENTRAL, "custom-0-1024", PLAIN, "no machine type"),
        (CENTRAL, "custom-4-0", PLAIN, "no machine type"),
        (CENTRAL, "n2-custom-3-8192", PLAIN, "have 1 vCPU or an even number"),
        (CENTRAL, "n2-custom-micro-1024", PLAIN, "no machine type"),
    ],
)
def test_each_reason_for_no_price_says_which(
    region: str, name: str, usage: Usage, said: str
) -> None:
    with pytest.raises(MissingDatum, match=said):
        BOOK.machine(region, name, usage)


def test_a_hostile_name_is_shown_short_and_inert() -> None:
    text = refusal(CENTRAL, "\x1b[31m" + "x" * 10_000)
    # A refusal is repeated and never becomes a price.
    assert refusal(CENTRAL, "\x1b[31m" + "x" * 10_000) == text
    assert "\x1b" not in text
    assert len(text) < 300


def test_four_vcpus_never_match_forty_four() -> None:
    assert usd("c3-standard-44") == 11 * usd("c3-standard-4")
    assert "no machine type" in refusal(CENTRAL, "n2-standard-44")
    assert "no machine type" in refusal(CENTRAL, "n2-standard-4 ")
    shape = BOOK.shape("c3-standard-44")
    assert shape is not None
    assert shape.vcpus == 44


def test_no_price_is_zero_and_no_usage_is_dearer_than_on_demand() -> None:
    for region in BOOK.regions():
        for shape in BOOK.offered(region):
            row = next(BOOK.machine_batch([(region, shape.machine_type)]))
            if row.on_demand_usd_per_hour is None:
                continue
            others = [row.spot_usd_per_hour, row.cud_1y_usd_per_hour, row.cud_3y_usd_per_hour]
            for price in (*others, row.sustained_use_usd_per_hour):
                assert price is None or 0 < price <= row.on_demand_usd_per_hour


series = st.sampled_from(["", "n2-", "n2d-", "n4-", "n4d-", "e2-"])


@given(prefix=series, vcpus=st.integers(1, 32), gib=st.integers(1, 64), more=st.integers(0, 64))
def test_more_of_a_custom_type_is_never_cheaper(
    prefix: str, vcpus: int, gib: int, more: int
) -> None:
    def cost(cores: int, memory_gib: int) -> Decimal | None:
        try:
            return usd(f"{prefix}custom-{cores}-{memory_gib * 1024}")
        except MissingDatum:
            return None

    base = cost(vcpus, gib)
    for bigger in (cost(vcpus + more, gib), cost(vcpus, gib + more)):
        if base is not None and bigger is not None:
            assert bigger >= base


@given(pairs=st.integers(1, 32), gib=st.integers(1, 600), more=st.integers(0, 100))
def test_extended_memory_is_never_cheaper_than_less_of_it(pairs: int, gib: int, more: int) -> None:
    vcpus = 2 * pairs
    for prefix in ("", "n2-", "n2d-"):
        less = usd(f"{prefix}custom-{vcpus}-{gib * 1024}-ext")
        assert usd(f"{prefix}custom-{vcpus}-{(gib + more) * 1024}-ext") >= less
