"""Traffic prices: every row of the catalogue's table, bills by hand, traps, and refusals."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import MissingDatum
from netplan_planner.model import LineItem, PathClass, PriceTier, total_usd
from netplan_planner.paths.spans import span
from netplan_pricing import open_snapshot
from netplan_pricing.container import FILE_NAME
from netplan_pricing.schema import NetworkKind
from support.listed import listed
from support.prices.inputs import built, read_csv
from support.projects.shared_data import needs_shared, shared

BOOK = open_snapshot()
CENTRAL = "us-central1"
NO_TIERS = "no-tiers-in-catalogue"
Steps = list[tuple[str, str]]


def steps(tiers: Iterable[PriceTier]) -> Steps:
    return [(str(tier.start), str(tier.price.usd)) for tier in tiers]


def bill(path_class: PathClass, gib: str, **route: str) -> tuple[LineItem, ...]:
    src = route.pop("src_region", CENTRAL)
    return BOOK.traffic_line_items("t", path_class, Decimal(gib), src_region=src, **route)


def refusal(path_class: PathClass, **route: str) -> str:
    src = route.pop("src_region", CENTRAL)
    with pytest.raises(MissingDatum) as caught:
        BOOK.traffic(path_class, src_region=src, **route)
    return str(caught.value)


def catalogue() -> dict[tuple[str, ...], Steps]:
    """Return the steps of every price in the catalogue's table, by kind and ends."""
    found: dict[tuple[str, ...], Steps] = defaultdict(list)
    cells = ("kind", "source_place_or_item", "source_regions", "destination_place")
    for row in read_csv(shared("data/catalog/network_prices.csv.gz")):
        key = (*(row[cell] for cell in cells), row["destination_regions"])
        if row["unit"] == NO_TIERS:
            assert not row["usd_per_unit"]
            assert found[key] == []
        else:
            found[key].append((row["tier_start"], row["usd_per_unit"]))
    return {key: sorted(of, key=lambda step: Decimal(step[0])) for key, of in found.items()}


@needs_shared
def test_every_row_of_the_catalogue_is_answered_as_it_stands() -> None:
    expected = catalogue()
    answered = {
        (
            *(kind.value, entry.source_place, "|".join(entry.source_regions)),
            *(entry.destination_place, "|".join(entry.destination_regions)),
        ): steps(BOOK.network.tiers(entry))
        for kind in NetworkKind
        for entry in BOOK.network.entries(kind)
    }
    assert answered == expected
    assert sum(max(1, len(of)) for of in answered.values()) == 7_383


@needs_shared
def test_every_ordered_pair_of_open_regions_has_the_price_of_its_row() -> None:
    by_pair: dict[tuple[str, str], Steps] = {}
    vpn: dict[tuple[str, str], Steps] = {}
    for (kind, _, sources, _, destinations), of in catalogue().items():
        target = {"interregion_out": by_pair, "vpn_interregion_out": vpn}.get(kind)
        if target is not None:
            for src in sources.split("|"):
                target.update({(src, dst): of for dst in destinations.split("|") if src != dst})
    regions = BOOK.regions()
    pairs = [(src, dst) for src in regions for dst in regions if src != dst]
    assert len(pairs) == 1_806
    for src, dst in pairs:
        for path_class in (
            PathClass.INTER_REGION_INTERNAL,
            PathClass.INTER_REGION_EXTERNAL,
            PathClass.INTER_REGION_INTERNAL_POD,
        ):
            tiers = BOOK.traffic(path_class, src_region=src, dst_region=dst)
            assert steps(tiers) == by_pair[src, dst]
            assert tiers[0].price.region == src
        assert steps(BOOK.vpn_traffic(src_region=src, dst_region=dst)) == vpn[src, dst]


@needs_shared
def test_every_internet_row_answers_for_its_region_and_area() -> None:
    wanted = 0
    for (kind, _, sources, area, _), of in catalogue().items():
        if kind == "internet_standard_out":
            for src in sources.split("|"):
                answer = BOOK.traffic(PathClass.INTERNET, src_region=src, network_tier="STANDARD")
                assert steps(answer) == of
        if kind in {"internet_premium_out", "vpn_internet_out"}:
            for src in sources.split("|"):
                wanted += 1
                if kind == "vpn_internet_out":
                    assert steps(BOOK.vpn_traffic(src_region=src, area=area)) == of
                elif of:
                    answer = BOOK.traffic(PathClass.INTERNET, src_region=src, area=area)
                    assert steps(answer) == of
                else:
                    said = refusal(PathClass.INTERNET, src_region=src, area=area)
                    assert "without a price" in said
    assert wanted > 1_000


def test_two_regions_are_never_swapped() -> None:
    there = BOOK.traffic(
        PathClass.INTER_REGION_INTERNAL, src_region=CENTRAL, dst_region="southamerica-east1"
    )
    back = BOOK.traffic(
        PathClass.INTER_REGION_INTERNAL, src_region="southamerica-east1", dst_region=CENTRAL
    )
    assert (there[0].price.region, back[0].price.region) == (CENTRAL, "southamerica-east1")
    assert there[0].price.sku_id != back[0].price.sku_id
    assert "Americas to Sao Paulo" in there[0].price.description
    assert "Sao Paulo to Americas" in back[0].price.description
    uneven = {
        (src, dst)
        for src in BOOK.regions()
        for dst in BOOK.regions()
        if src < dst
        and steps(BOOK.traffic(PathClass.INTER_REGION_INTERNAL, src_region=src, dst_region=dst))
        != steps(BOOK.traffic(PathClass.INTER_REGION_INTERNAL, src_region=dst, dst_region=src))
    }
    assert uneven, "if every pair cost the same both ways, a swap would not show"


def test_no_two_path_classes_share_a_price_by_accident() -> None:
    """Zone, region, continent, internet by area and tier, NAT: one first paid price each."""

    def price(path_class: PathClass, **route: str) -> Decimal:
        tiers = BOOK.traffic(path_class, src_region=CENTRAL, **route)
        return max(tier.price.usd for tier in tiers)

    matrix = {
        "zone": price(PathClass.SAME_ZONE_INTERNAL),
        "zones": price(PathClass.INTER_ZONE_INTERNAL),
        "continent": price(PathClass.INTER_REGION_INTERNAL, dst_region="us-east4"),
        "ocean": price(PathClass.INTER_REGION_INTERNAL, dst_region="europe-west1"),
        "far": price(PathClass.INTER_REGION_INTERNAL, dst_region="asia-southeast1"),
        "internet": price(PathClass.INTERNET, area="usa"),
        "china": price(PathClass.INTERNET, area="Asia/chn"),
        "standard": price(PathClass.INTERNET, network_tier="STANDARD"),
        "nat": price(PathClass.NAT, area="usa"),
    }
    assert len(set(matrix.values())) == len(matrix), matrix
    assert price(PathClass.SAME_ZONE_EXTERNAL) == matrix["zones"] != matrix["zone"] == 0
    assert price(PathClass.INTER_ZONE_EXTERNAL) == matrix["zones"]
    assert price(PathClass.GOOGLE_APIS, dst_region=CENTRAL) == 0


@pytest.mark.parametrize(
    ("pod", "base"),
    [
        (PathClass.SAME_NODE_POD, PathClass.SAME_ZONE_INTERNAL),
        (PathClass.SAME_ZONE_INTERNAL_POD, PathClass.SAME_ZONE_INTERNAL),
        (PathClass.INTER_ZONE_INTERNAL_POD, PathClass.INTER_ZONE_INTERNAL),
    ],
)
def test_pods_cost_what_their_base_class_costs(pod: PathClass, base: PathClass) -> None:
    of_pods, of_machines = (BOOK.traffic(one, src_region=CENTRAL) for one in (pod, base))
    assert steps(of_pods) == steps(of_machines)


@listed(
    "path_class, gib, route, lines",
    [
        (
            *(PathClass.INTER_REGION_INTERNAL, "500", {"dst_region": "europe-west1"}),
            [("1", "0"), ("499", "0.05")],
        ),
        (
            *(PathClass.INTERNET, "12000.5", {"area": "usa"}),
            [("1", "0"), ("1023", "0.12"), ("9216", "0.11"), ("1760.5", "0.08")],
        ),
        (PathClass.INTERNET, "300", {"network_tier": "STANDARD"}, [("200", "0"), ("100", "0.085")]),
        # Internet, and its own processing as a second kind of lines.
        (PathClass.NAT, "100", {"area": "usa"}, [("1", "0"), ("99", "0.12"), ("100", "0.045")]),
    ],
)
def test_bills_by_hand(
    path_class: PathClass, gib: str, route: dict[str, str], lines: list[tuple[str, str]]
) -> None:
    found = bill(path_class, gib, **route)
    assert [(str(line.quantity), str(line.unit_price_usd)) for line in found] == lines
    assert {line.unit for line in found} == {"GiB"}
    assert total_usd(found) == sum(Decimal(count) * Decimal(usd) for count, usd in lines)


def test_names_and_sums_of_lines() -> None:
    lines = bill(PathClass.INTER_REGION_INTERNAL, "500", dst_region="europe-west1")
    assert [line.name for line in lines] == ["t, from 0 to 1 GiB", "t, above 1 GiB"]
    tiers = BOOK.traffic(PathClass.NAT, src_region=CENTRAL, area="usa")
    assert steps(tiers)[:2] == [("0", "0.045"), ("1", "0.165")]


def test_tokyo_has_two_paid_steps_and_seoul_its_own_prices() -> None:
    tokyo = BOOK.traffic(PathClass.INTERNET, src_region="asia-northeast1", area="usa")
    assert len([tier for tier in tokyo if tier.price.usd]) == len(tokyo)
    seoul = BOOK.traffic(PathClass.INTERNET, src_region="asia-northeast3", network_tier="STANDARD")
    assert steps(seoul)[1:] == [("200", "0.119"), ("10240", "0.109"), ("153600", "0.097")]


def test_external_addresses_inside_a_zone_cost_what_zones_cost_and_say_why() -> None:
    price = BOOK.traffic(PathClass.SAME_ZONE_EXTERNAL, src_region=CENTRAL)[0].price
    assert price.usd == Decimal("0.01")
    assert price.sku_id == "DE9E-AFBC-A15A"
    assert "billed as if the VMs were in two zones" in price.note
    assert "confidence medium" in price.note


def test_free_is_free_because_its_row_says_so() -> None:
    here = "europe-west3"
    for path_class in (PathClass.SAME_ZONE_INTERNAL, PathClass.GOOGLE_APIS):
        price = BOOK.traffic(path_class, src_region=here, dst_region=here)[0].price
        assert price.usd == 0
        assert price.source == "Cloud Billing Catalog API, 2026-04-30"


SAO_PAULO = {"src_region": "southamerica-east1"}


@listed(
    "path_class, route, said",
    [
        # Between zones of Sao Paulo it is unknown, and not the general rate.
        *(
            (path_class, SAO_PAULO, why)
            for why in ("4B15-30EF-FEEB", "without a price")
            for path_class in (
                *(PathClass.INTER_ZONE_INTERNAL, PathClass.INTER_ZONE_EXTERNAL),
                *(PathClass.INTER_ZONE_INTERNAL_POD, PathClass.SAME_ZONE_EXTERNAL),
            )
        ),
        (
            PathClass.GOOGLE_APIS,
            {},
            "to Google APIs depends on the region of the bucket or service",
        ),
        (PathClass.UNKNOWN, {}, "with an unknown end"),
        (PathClass.HYBRID, {}, "depends on its carrier"),
        (PathClass.INTERNET, {}, "depends on its destination.*China 0.23"),
        (PathClass.INTERNET, {"area": ""}, "depends on its destination"),
        (PathClass.INTERNET, {"area": "America"}, "several destination areas.*South America 0.19"),
        (PathClass.INTERNET, {"area": "Asia"}, "several destination areas"),
        (PathClass.INTERNET, {"area": "Asia/hkg"}, "several destination areas"),
        (PathClass.INTERNET, {"area": "Atlantis"}, "no destination area"),
        (PathClass.INTERNET, {"area": "APAC"}, "without a price"),
        (PathClass.INTERNET, {"area": "usa", "network_tier": "GOLD"}, "PREMIUM or STANDARD"),
        (PathClass.NAT, {}, "depends on its destination"),
        (PathClass.LOAD_BALANCER, {"src_region": "europe-west4"}, "several prices: 0.008 USD"),
        (PathClass.INTER_REGION_INTERNAL, {}, "depends on the other region"),
        (PathClass.INTER_REGION_INTERNAL, {"dst_region": CENTRAL}, "is one region"),
        (PathClass.INTER_REGION_EXTERNAL, {"dst_region": "europe-west0"}, "near: europe-west"),
        (
            PathClass.INTER_ZONE_INTERNAL,
            {"dst_region": "us-east1"},
            "crosses regions, but its path class is inside one region",
        ),
        (
            PathClass.SAME_ZONE_INTERNAL,
            {"dst_region": "us-east1"},
            "crosses regions, but its path class is inside one region",
        ),
        (
            PathClass.GOOGLE_APIS,
            {"dst_region": "us-east1"},
            "the catalog frees only Google services of the same region, not from",
        ),
        (PathClass.SAME_ZONE_INTERNAL, {"src_region": "us-centrall1"}, "near: us-central1"),
        (PathClass.INTERNET, {"src_region": "moon-west1", "area": "usa"}, "no region"),
    ],
)
def test_each_reason_for_no_price_says_which(
    path_class: PathClass, route: dict[str, str], said: str
) -> None:
    with pytest.raises(MissingDatum, match=said):
        BOOK.traffic(path_class, **{"src_region": CENTRAL, **route})


def test_every_path_class_is_priced_or_needs_more_than_an_area() -> None:
    refused = set()
    for path_class in PathClass:
        try:
            tiers = BOOK.traffic(path_class, src_region=CENTRAL, area="usa")
        except MissingDatum:
            refused.add(path_class)
            continue
        assert tiers[0].start == 0
        assert list(tiers) == sorted(tiers, key=lambda tier: tier.start)
    between_regions = {one for one in PathClass if one.distance == "inter-region"}
    elsewhere = {PathClass.HYBRID, PathClass.UNKNOWN, PathClass.GOOGLE_APIS}
    assert refused == elsewhere | between_regions


def first_paid(choices: tuple[tuple[PriceTier, ...], ...]) -> list[Decimal]:
    return [next(tier.price.usd for tier in tiers if tier.price.usd) for tiers in choices]


def possible(path_class: PathClass, **route: str) -> tuple[tuple[PriceTier, ...], ...]:
    return BOOK.possible_prices(path_class, src_region=CENTRAL, **route)


def test_internet_traffic_of_unknown_area_may_have_the_price_of_any() -> None:
    prices = first_paid(possible(PathClass.INTERNET))
    assert (min(prices), max(prices)) == (Decimal("0.12"), Decimal("0.23"))
    (standard,) = possible(PathClass.INTERNET, network_tier="STANDARD")
    assert first_paid((standard,)) == [Decimal("0.085")]
    both = possible(PathClass.INTERNET, network_tier="PREMIUM and STANDARD")
    assert first_paid(both) == [*prices, Decimal("0.085")]
    assert len(possible(PathClass.INTERNET, area="Asia")) < len(prices)
    assert BOOK.possible_prices(PathClass.INTERNET, src_region="nowhere1") == ()


def test_google_apis_cost_nothing_in_the_same_region_and_are_unknown_elsewhere() -> None:
    (same,) = BOOK.traffic(PathClass.GOOGLE_APIS, src_region=CENTRAL, dst_region=CENTRAL)
    assert same.price.usd == 0
    least, most = span(possible(PathClass.GOOGLE_APIS), Decimal(100))
    assert least == 0
    assert most > 1
    # Through a VPN it may go to any area.
    assert min(first_paid(possible(PathClass.HYBRID))) > 0
    assert possible(PathClass.UNKNOWN) == ()


def test_a_load_balancer_of_unknown_kind_may_be_of_any() -> None:
    kinds = possible(PathClass.LOAD_BALANCER, dst_region="asia-southeast2")
    assert {steps[0].price.usd for steps in kinds} == {Decimal("0.008"), Decimal("0.00981")}
    assert len(kinds) == 10


def test_a_negative_volume_is_a_mistake_and_none_is_an_empty_bill() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        bill(PathClass.INTER_ZONE_INTERNAL, "-1")
    for path_class in (PathClass.INTER_ZONE_INTERNAL, PathClass.NAT):
        assert bill(path_class, "0", area="usa") == ()


def test_a_closed_region_has_traffic_prices_but_no_machines() -> None:
    assert BOOK.traffic(PathClass.INTERNET, src_region="us-west8", area="usa")
    assert "us-west8" not in BOOK.regions()


ROUTES: list[tuple[PathClass, dict[str, str]]] = [
    (PathClass.SAME_ZONE_INTERNAL, {}),
    (PathClass.SAME_ZONE_EXTERNAL, {}),
    (PathClass.INTER_REGION_INTERNAL, {"dst_region": "europe-west1"}),
    (PathClass.INTERNET, {"area": "usa"}),
    (PathClass.INTERNET, {"network_tier": "STANDARD"}),
    (PathClass.NAT, {"area": "Europe"}),
    (PathClass.LOAD_BALANCER, {}),
]
volumes = st.decimals(0, 400_000, places=6, allow_nan=False, allow_infinity=False)


@given(route=st.sampled_from(ROUTES), gib=volumes, more=volumes)
def test_more_traffic_never_costs_less_and_lines_are_the_whole(
    route: tuple[PathClass, dict[str, str]], gib: Decimal, more: Decimal
) -> None:
    path_class, ends = route
    lines = bill(path_class, str(gib), **ends)
    tiers = BOOK.traffic(path_class, src_region=CENTRAL, **ends)
    starts = [tier.start for tier in tiers] + [Decimal("Infinity")]
    whole = sum(
        (
            (min(gib, end) - tier.start) * tier.price.usd
            for tier, end in zip(tiers, starts[1:], strict=True)
            if gib > tier.start
        ),
        Decimal(0),
    )
    assert total_usd(lines) == whole
    assert total_usd(bill(path_class, str(gib + more), **ends)) >= whole


def test_an_area_with_two_prices_is_refused_and_with_one_is_answered(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(built(tmp_path / "inputs").content)
    book = open_snapshot(tmp_path)
    same = book.traffic(PathClass.INTERNET, src_region="aa-one1", area="Europe")
    assert same[0].price.sku_id is None
    assert "Western Europe or Eastern Europe" in same[0].price.note
    with pytest.raises(MissingDatum, match=r"Eastern Europe 0\.5, Western Europe 0\.4"):
        book.traffic(PathClass.INTERNET, src_region="bb-two2", area="Europe")


def test_the_receiver_of_traffic_has_a_price_of_its_own() -> None:
    """Free today, by SKUs of its own: a price of both sides."""
    for path_class, dst, sku_id in (
        (PathClass.SAME_ZONE_INTERNAL, None, "intrazone_in"),
        (PathClass.SAME_ZONE_EXTERNAL, None, "interzone_in"),
        (PathClass.INTER_ZONE_INTERNAL, None, "interzone_in"),
        (PathClass.INTER_REGION_INTERNAL, "europe-west1", "interregion_in"),
    ):
        price = BOOK.received(path_class, CENTRAL, dst)
        assert price.usd == 0
        assert BOOK.skus.entry(price.sku_id or "").kind == sku_id
    there = BOOK.received(PathClass.INTER_REGION_EXTERNAL, "europe-west1", CENTRAL)
    back = BOOK.received(PathClass.INTER_REGION_EXTERNAL, CENTRAL, "europe-west1")
    assert there.sku_id != back.sku_id
    with pytest.raises(MissingDatum, match="the price of"):
        BOOK.received(PathClass.INTERNET, CENTRAL, None)
