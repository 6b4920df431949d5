"""The guards over prices: what is not believed, alone and beside the snapshot before, by name."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError, MissingDatum
from netplan_planner.model import PathClass, RegionLack
from netplan_pricing import open_snapshot
from netplan_pricing.building.from_files import build_from_files, require_likeness
from netplan_pricing.building.sku_network import check_region_pairs
from netplan_pricing.container import FILE_NAME
from netplan_pricing.guards.alone import lacking_pairs
from netplan_pricing.guards.beside import doubts_beside
from netplan_pricing.guards.quotes import quotes
from netplan_pricing.verifying import verify
from support.commands.run import run_verbs
from support.nightly import NIGHTLY
from support.prices.inputs import LISTS, TODAY, arguments, built, made_skus, replaced
from support.prices.inputs import write_inputs as inputs_in
from support.prices.skus import sku, write_page
from support.projects.shared_data import needs_shared, shared

Skus = list[dict[str, Any]]


def rates(one: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = one["pricingInfo"][0]["pricingExpression"]["tieredRates"]
    return found


def times(factor: float, wanted: Callable[[dict[str, Any]], bool]) -> Skus:
    """Return the made SKUs, some of them so many times as dear."""
    found = made_skus()
    for one in found:
        if wanted(one):
            for rate in rates(one):
                price = rate["unitPrice"]
                nanos = round((int(price["units"]) * 10**9 + price["nanos"]) * factor)
                price["units"], price["nanos"] = str(nanos // 10**9), nanos % 10**9
    return found


def of_id(sku_id: str) -> Callable[[dict[str, Any]], bool]:
    return lambda one: one["skuId"] == sku_id


def is_traffic(one: dict[str, Any]) -> bool:
    return one["category"]["resourceFamily"] == "Network" and "Data Transfer" in one["description"]


def refusal(folder: Path, skus: Skus, **more: Any) -> str:
    """Return what the build of a changed catalogue says beside the unchanged one."""
    base = folder / FILE_NAME
    base.write_bytes(built(folder / "before").content)
    with pytest.raises(InputError) as refused:
        require_likeness(open_snapshot(folder).file, built(folder / "after", skus=skus), **more)
    return str(refused.value)


def test_nothing_is_doubted_of_what_did_not_change(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(built(tmp_path / "before").content)
    book = open_snapshot(tmp_path)
    assert doubts_beside(book, book) == ()
    require_likeness(book.file, built(tmp_path / "after"))


@pytest.mark.parametrize(
    ("skus", "said"),
    [
        (times(1.5, is_traffic), "all traffic: 0 of"),
        (times(4, of_id("NET0-0001")), "(NET0-0001): 0.04 USD, was 0.01, 4 times"),
        (times(3.5, of_id("REG-1-0")), "(REG-1-0): 0.735 USD, was 0.21"),
        (times(0.2, of_id("E20-CPU-COMMIT1YR")), "(E20-CPU-COMMIT1YR): 0.0096 USD, was 0.048"),
        (times(3.5, of_id("NET0-0007")), "cloud nat data (NET0-0007): 0.1575 USD, was 0.045"),
        (times(3.5, of_id("NET0-0008")), "vpn tunnel (NET0-0008): 0.175 USD, was 0.05"),
        (times(4, of_id("NET0-0006")), "Tier_1 fee of 50 Gbit/s, on_demand (NET0-0006): 2 USD"),
        (times(4, of_id("NET0-0009")), "vpc flow log generation (NET0-0009): 1 USD, was 0.25"),
        (times(4, of_id("NET0-0010")), "(NET0-0010): 0.032 USD, was 0.008"),
        (times(4, of_id("NET0-0004")), "from 720 on (NET0-0004): 0.02 USD, was 0.005"),
    ],
)
def test_a_kind_that_moves_and_a_single_price_that_jumps_are_named(
    tmp_path: Path, skus: Skus, said: str
) -> None:
    text = refusal(tmp_path, skus)
    assert said in text
    assert "nothing was changed" in text
    assert "--accept" in text


@pytest.mark.parametrize(
    ("sku_id", "said"),
    [
        ("NET0-0007", "cloud nat data (NET0-0007): 0 USD, of a kind that is never free"),
        ("NET0-0008", "vpn tunnel (NET0-0008): 0 USD"),
        ("NET0-0006", "Tier_1 fee of 50 Gbit/s, on_demand (NET0-0006): 0 USD"),
        ("NET0-0009", "vpc flow log generation"),
        ("NET0-0010", "lb data inbound"),
        ("STD-1", "a price of 0 where a price is expected"),
    ],
)
def test_what_is_paid_for_is_not_built_at_zero(tmp_path: Path, sku_id: str, said: str) -> None:
    with pytest.raises(InputError, match="0") as refused:
        built(tmp_path, skus=times(0, of_id(sku_id)))
    assert said in str(refused.value)


def test_a_middle_step_at_zero_is_not_built(tmp_path: Path) -> None:
    skus = made_skus()
    (one,) = (one for one in skus if one["skuId"] == "WEB-0-W")
    units = {"usageUnit": "GiBy", "baseUnit": "By", "baseUnitConversionFactor": 2**30}
    one["pricingInfo"] = sku("x", "CPU", usd=((0, "0.4"), (1024, "0"), (10240, "0.3")))[
        "pricingInfo"
    ]
    one["pricingInfo"][0]["pricingExpression"] |= units
    with pytest.raises(InputError, match="after a step that costs something"):
        built(tmp_path, skus=skus)


def test_absurd_prices_are_not_built_whatever_was_before(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="5 times the most expensive known of its kind"):
        built(tmp_path / "a", skus=times(10, is_traffic))
    with pytest.raises(InputError, match=r"n2 core on_demand \(N20-CPU-ONDEMAND\): 0.6 USD"):
        built(tmp_path / "b", skus=times(10, of_id("N20-CPU-ONDEMAND")))


def test_a_price_of_a_list_is_guarded_too(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(built(tmp_path / "before").content)
    dear = built(tmp_path / "after", replaced(LISTS, "0.9,0.3", "9,0.3"))
    with pytest.raises(InputError, match=r"c4n-standard-4 on_demand: 9 USD, was 0\.9, 10 times"):
        require_likeness(open_snapshot(tmp_path).file, dear)
    future = replaced(LISTS, "0.24,,1,a list,2026-07-30", "0.24,,1,a list,2031-07-30")
    with pytest.raises(InputError, match=r"listed_prices: \d+ rows dated after today, up to 2031"):
        built(tmp_path, future)


@pytest.mark.parametrize("accepted", ["NET0-0001", "interzone_out"])
def test_what_is_accepted_by_name_is_taken(tmp_path: Path, accepted: str) -> None:
    (tmp_path / FILE_NAME).write_bytes(built(tmp_path / "before").content)
    after = built(tmp_path / "after", skus=times(4, of_id("NET0-0001")))
    require_likeness(open_snapshot(tmp_path).file, after, accepted=(accepted,))


def test_a_new_region_far_from_its_area_is_named(tmp_path: Path) -> None:
    """Beside the embedded snapshot: `us-central9` is new, and its cores cost three times Iowa's."""
    dear = sku("N2 Instance Core running in Ay", "CPU", usd=((0, "0.1"),),
               regions=("us-central9",), sku_id="FAR-1")  # fmt: skip
    near = {**dear, "skuId": "NEAR-1", "serviceRegions": ["us-central8"], "pricingInfo": sku(
        "x", "CPU", usd=((0, "0.033"),))["pricingInfo"]}  # fmt: skip
    near["name"] = near["name"].replace("FAR-1", "NEAR-1")
    after = built(tmp_path, skus=[*made_skus(), dear, near])
    (tmp_path / FILE_NAME).write_bytes(after.content)
    doubts = doubts_beside(open_snapshot(), open_snapshot(tmp_path), counts_vanished=False)
    (line,) = (line for line in doubts if line.startswith("us-central"))
    assert line.startswith("us-central9: n2 core on_demand (FAR-1): 0.1 USD, new, but the median")
    assert "of its area is 0.0" in line


def starting(effective: str, sku_id: str) -> Skus:
    """Return the made SKUs, one of them with a price from another time on."""
    found = made_skus()
    for one in found:
        if one["skuId"] == sku_id:
            one["pricingInfo"][0]["effectiveTime"] = effective
    return found


def test_a_price_of_the_future_is_none_yet_and_does_not_date_the_snapshot(tmp_path: Path) -> None:
    skus = starting("2031-01-01T00:00:00Z", "N21-CPU-ONDEMAND")
    made = built(tmp_path / "a", skus=skus, most_unrecognised_ratio=0.1)
    (tmp_path / FILE_NAME).write_bytes(made.content)
    assert open_snapshot(tmp_path).file.header.as_of == date(2026, 4, 29)
    (unread,) = made.unread
    assert unread.sku_id == "N21-CPU-ONDEMAND"
    assert unread.reason == "its price begins on 2031-01-01, after today"
    # Beside today's price it is only announced: today's stands.
    both = made_skus()
    (core,) = (one for one in both if one["skuId"] == "N21-CPU-ONDEMAND")
    later = sku("x", "CPU", usd=((0, "0.09"),))["pricingInfo"][0]
    core["pricingInfo"].append({**later, "effectiveTime": "2031-01-01T00:00:00Z"})
    (tmp_path / FILE_NAME).write_bytes(built(tmp_path / "b", skus=both).content)
    book = open_snapshot(tmp_path)
    assert str(book.machine("bb-two2", "n2-standard-4").parts[0].unit_price_usd) == "0.12"


def test_a_sku_that_had_a_price_and_has_one_of_the_future_alone_is_refused(tmp_path: Path) -> None:
    """The share of its group that may be lacking says nothing of what it was."""
    (tmp_path / FILE_NAME).write_bytes(built(tmp_path / "before").content)
    base = open_snapshot(tmp_path).file
    skus = starting("2031-01-01T00:00:00Z", "N21-CPU-ONDEMAND")
    after = built(tmp_path / "after", skus=skus, most_unrecognised_ratio=0.1)
    said = r"'N2 Instance Core running in Bee' had a price before: its price begins on 20"
    with pytest.raises(InputError, match=said):
        require_likeness(base, after)
    require_likeness(base, after, accepted=("N21-CPU-ONDEMAND",))
    # What is new is only announced: it is named beside the answer.
    (tmp_path / FILE_NAME).write_bytes(after.content)
    require_likeness(open_snapshot(tmp_path).file, after)


def test_a_region_without_traffic_is_named_and_the_others_are_counted() -> None:
    regions = [f"r{n:02}" for n in range(30)]
    pairs = [(a, b) for a in regions for b in regions if a != b and "r07" not in (a, b)]
    network_columns = {
        "kind": ["interregion_out"] * len(pairs),
        "source_regions": [a for a, _ in pairs],
        "destination_regions": [b for _, b in pairs],
        "tier_start": ["0"] * len(pairs),
        "usd": ["0.05"] * len(pairs),
    }
    count, lacking = check_region_pairs(network_columns, {"region": regions})
    assert count == 29 * 28
    assert lacking == (
        RegionLack(region="r07", what="traffic to 29 and from 29 of the 29 other regions"),
    )
    assert lacking_pairs(regions, [("r01", "r02")])[0].region == "r01"
    # Of many regions it is a damaged answer.
    short = {name: cells[: len(cells) // 2] for name, cells in network_columns.items()}
    with pytest.raises(InputError, match="pairs have none"):
        check_region_pairs(short, {"region": regions})


CATALOG = "data/catalog/"


@needs_shared
@NIGHTLY
def test_of_the_real_catalogue_one_region_without_traffic_leaves_the_others(tmp_path: Path) -> None:
    import gzip
    import json

    skus = json.loads(gzip.decompress(shared(f"{CATALOG}skus_2026-04-30.json.gz").read_bytes()))
    # Mexico's machines are there, its traffic is not.
    kept = [
        one
        for one in skus["skus"]
        if one["category"]["resourceGroup"]
        not in {"InterregionEgress", "PremiumInternetEgress", "StandardInternetEgress"}
        or "Mexico" not in one["description"]
    ]
    assert len(kept) < len(skus["skus"])
    types = ("machine_types.csv", "machine_type_regions.csv.gz")
    made = build_from_files(
        [write_page(tmp_path / "skus.json", kept)],
        [shared(CATALOG + name) for name in types],
        today=TODAY,
    )
    assert {lack.region for lack in made.lacking} == {"northamerica-south1"}
    (tmp_path / FILE_NAME).write_bytes(made.content)
    book = open_snapshot(tmp_path)
    assert book.machine("northamerica-south1", "e2-standard-4").usd > 0
    between = PathClass.INTER_REGION_INTERNAL
    with pytest.raises(MissingDatum, match="the price of traffic from northamerica-south1"):
        book.traffic(between, src_region="northamerica-south1", dst_region="us-central1")
    assert book.traffic(between, src_region="us-east1", dst_region="us-central1")
    verdict = verify(book, TODAY)
    assert {lack.region for lack in verdict.lacking} == {"northamerica-south1"}
    assert verdict.faults == ()


def test_every_price_of_the_shipped_snapshot_is_looked_at() -> None:
    book = open_snapshot()
    seen = {one.sku_id for one in quotes(book) if one.sku_id}
    priced = {
        book.skus.entry_of(row).sku_id
        for row in range(len(book.skus))
        if any(tier.price.usd for tier in book.skus.entry_of(row).tiers)
    }
    assert priced <= seen
    table = book.file.table("skus")
    kinds = {table["kind"][row] for row in range(table.row_count) if table["sku_id"][row] in seen}
    assert kinds >= {"interregion_out", "vpn_tunnel", "cloud_nat", "tier1", "external_ip"}


def test_the_commands_refuse_and_accept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    inputs = inputs_in(tmp_path / "in")
    run = ["prices", "build", *arguments(inputs), "--out", str(out)]
    assert run_verbs(arguments=[*run, "--accept-changes"]).returncode == 0
    before = (out / FILE_NAME).read_bytes()
    write_page(inputs / "skus.json", times(4, of_id("NET0-0001")))
    done = run_verbs(arguments=run)
    assert (done.returncode, done.stdout) == (3, "")
    assert "NET0-0001" in done.stderr
    assert (out / FILE_NAME).read_bytes() == before
    done = run_verbs(arguments=[*run, "--accept", "NET0-0001"])
    assert done.returncode == 0, done.stderr
    old = tmp_path / "old"
    old.mkdir()
    (old / FILE_NAME).write_bytes(before)
    found = ["prices", "verify", "--prices", str(out), "--against", str(old)]
    done = run_verbs(arguments=found)
    assert done.returncode == 1
    assert "like_before" in done.stdout
    assert "NET0-0001" in done.stdout
