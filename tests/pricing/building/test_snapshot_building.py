"""The builder: byte-identical, and nothing that cannot be trusted becomes a snapshot."""

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError, MissingDatum
from netplan_planner.model import AddressUse, PathClass, Usage
from netplan_pricing import SnapshotPriceBook, open_snapshot
from netplan_pricing.container import FILE_NAME
from support.commands.run import run_verbs
from support.prices.inputs import (
    LISTS,
    OFFERS,
    PAGES,
    RATES,
    TABLES,
    TYPES,
    arguments,
    built,
    made_skus,
    network,
    replaced,
    write_inputs,
)
from support.prices.skus import NETWORKING, sku

AA = "aa-one1"


def book_of(folder: Path, changed: dict[str, str] | None = None, **more: Any) -> SnapshotPriceBook:
    content = built(folder / "inputs", changed, **more).content
    (folder / FILE_NAME).write_bytes(content)
    return open_snapshot(folder)


def test_two_builds_are_equal_whatever_the_order_of_rows_and_skus(tmp_path: Path) -> None:
    head, *rows = TABLES[LISTS].splitlines()
    turned = "\n".join([head, *reversed(rows)]) + "\n"
    first = built(tmp_path / "a").content
    assert first == built(tmp_path / "b", {LISTS: turned}, skus=made_skus()[::-1]).content


def test_a_machine_is_the_sum_of_its_skus_each_with_its_id(tmp_path: Path) -> None:
    price = book_of(tmp_path).machine(AA, "n2-standard-4")
    assert price.usd == 4 * Decimal("0.06") + 16 * Decimal("0.01")
    assert [(str(part.quantity), part.unit, part.sku_id) for part in price.parts] == [
        ("4", "vcpu-hour", "N20-CPU-ONDEMAND"),
        ("16", "gib-hour", "N20-RAM-ONDEMAND"),
    ]
    assert price.parts[0].description == "N2 Instance Core running in Ay"
    assert sum(part.usd for part in price.parts) == price.usd


def test_what_only_a_list_knows_has_its_date_and_no_sku_id(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    price = book.machine(AA, "c4n-standard-4")
    assert (price.usd, price.sku_id, price.parts) == (Decimal("0.9"), None, ())
    assert price.as_of.isoformat() == "2026-07-30"
    assert price.source == "a list, 2026-07-30"


def test_for_spot_the_younger_source_stands_and_for_the_rest_the_sku(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    spot = book.machine(AA, "n2-standard-4", Usage.SPOT)
    assert (spot.usd, spot.as_of.isoformat()) == (Decimal("0.07"), "2026-07-30")
    assert book.machine(AA, "n2-standard-4").as_of.isoformat() == "2026-04-29"
    older = replaced(LISTS, "0.24,,1,a list,2026-07-30", "0.24,,1,a list,2026-03-30")
    book = book_of(tmp_path / "older", older)
    spot = book.machine(AA, "n2-standard-4", Usage.SPOT)
    assert (spot.usd, spot.as_of.isoformat()) == (Decimal("0.1"), "2026-04-29")
    assert spot.parts[0].sku_id == "N20-CPU-PREEMPTIB"


def test_rates_of_others_fill_and_for_spot_replace_but_never_with_older_ones(
    tmp_path: Path,
) -> None:
    book = book_of(tmp_path)
    core = book.rates.price(AA, "n2", "custom_core", Usage.SPOT)
    assert (core.usd, core.sku_id) == (Decimal("0.02"), None)
    with pytest.raises(MissingDatum):
        book.rates.price(AA, "n2", "custom_ram", Usage.SPOT)
    assert book.rates.price(AA, "n2", "core", Usage.ON_DEMAND).usd == Decimal("0.06")


def test_a_list_that_differs_from_the_skus_is_reported(tmp_path: Path) -> None:
    same = built(tmp_path / "a").comparison
    differ = {(one.machine_type, one.is_offered) for one in same.differences}
    assert (same.compared_count, same.offered_count) == (6, 3)
    assert differ == {("n2-standard-44", False)}
    changed = replaced(LISTS, "0.4,0.07", "0.41,0.07")
    found = built(tmp_path / "b", changed).comparison.differences
    (one,) = (one for one in found if one.is_offered)
    assert (one.machine_type, one.usage, one.is_offered) == ("n2-standard-4", "on_demand", True)
    assert (one.listed_usd, one.summed_usd) == (Decimal("0.41"), Decimal("0.4"))


def test_the_catalogue_goes_before_the_pages_which_fill_what_it_lacks(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    unused = AddressUse.UNUSED_STATIC
    assert book.external_address(unused, AA).usd == Decimal("0.01")
    assert book.external_address(unused, "bb-two2").usd == Decimal("0.02")
    with pytest.raises(MissingDatum):
        book.external_address(unused, "cc-three3")
    nat = book.services.one("cloud_nat_data")
    assert (nat.usd, nat.sku_id) == (Decimal("0.045"), "NET0-0007")
    assert book.services.one("vpn_tunnel", AA).sku_id == "NET0-0008"
    assert book.services.one("psc_data").source == "a page (2026-07)"


def test_a_load_balancer_of_unknown_kind_has_the_price_that_all_kinds_share(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    (step,) = book.traffic(PathClass.LOAD_BALANCER, src_region=AA)
    assert (step.price.usd, step.price.sku_id) == (Decimal("0.008"), None)
    other = network(
        "Regional External Proxy Network Load Balancer Inbound Data Processing for Ay (aa-one1)",
        *("LoadBalancing", "NET0-0012", ((0, "0.009"),), (AA,)),
        service=NETWORKING,
    )
    book = book_of(tmp_path / "two", skus=[*made_skus(), other])
    with pytest.raises(MissingDatum, match="several prices"):
        book.traffic(PathClass.LOAD_BALANCER, src_region=AA)


def test_the_zone_price_holds_everywhere_but_where_a_sku_says_otherwise(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    price = book.traffic(PathClass.INTER_ZONE_INTERNAL, src_region="bb-two2")[0].price
    assert price.sku_id == "NET0-0001"
    with pytest.raises(MissingDatum, match="NET0-0002"):
        book.traffic(PathClass.INTER_ZONE_INTERNAL, src_region="cc-three3")


def test_pages_have_their_dates_and_steps_in_gib_and_a_rate_of_zero_is_absent(
    tmp_path: Path,
) -> None:
    book = book_of(tmp_path)
    # Never newer than what they say.
    assert book.services.one("psc_data").as_of.isoformat() == "2026-07-01"
    steps = book.services.tiers("network_log_storage")
    assert [int(step.start) for step in steps] == [0, 10 * 1024]
    with pytest.raises(MissingDatum, match="the catalog lists it at 0, which is not a price"):
        book.rates.price(AA, "gpu", "nvidia-l4", Usage.ON_DEMAND)


def test_a_part_of_machines_without_steps_is_named_first(tmp_path: Path) -> None:
    bare = next(one for one in made_skus() if one["skuId"] == "N20-CPU-ONDEMAND")
    bare["pricingInfo"][0]["pricingExpression"]["tieredRates"] = []
    made = built(tmp_path, skus=changed_sku("N20-CPU-ONDEMAND", by=bare))
    assert [one.sku_id for one in made.priceless] == ["N20-CPU-ONDEMAND", "CUST-3", "NET0-0002"]


def test_of_two_skus_for_one_thing_the_dearer_stands_and_it_is_said(tmp_path: Path) -> None:
    twin = sku(
        *("N2 Instance Core running in Ay", "CPU"),
        usd=((0, "0.07"),), regions=(AA,), sku_id="TWIN-1",
    )  # fmt: skip
    made = built(tmp_path / "a", skus=[*made_skus(), twin])
    (choice,) = made.choices
    assert (choice.taken, choice.others) == ("TWIN-1", ("N20-CPU-ONDEMAND",))
    book = book_of(tmp_path, skus=[*made_skus(), twin])
    price = book.machine(AA, "n2-standard-4")
    assert price.usd == 4 * Decimal("0.07") + 16 * Decimal("0.01")
    assert "the catalog has two current rates for a part of it in this region" in price.note


def test_unrecognised_skus_are_counted_and_many_of_them_stop_the_build(tmp_path: Path) -> None:
    odd = sku("N2 Instance Quantum Core running in Ay", "CPU", regions=(AA,), sku_id="ODD-1")
    with pytest.raises(InputError, match=r"(?s)CPU 1 of 2\d.*ODD-1.*Quantum"):
        built(tmp_path / "a", skus=[*made_skus(), odd])
    made = built(tmp_path / "b", skus=[*made_skus(), odd], most_unrecognised_ratio=0.05)
    assert [one.sku_id for one in made.unread] == ["ODD-1"]
    (tmp_path / FILE_NAME).write_bytes(made.content)
    header = open_snapshot(tmp_path).file.header
    assert (header.unread_count, header.sku_count) == (1, len(made_skus()) + 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (replaced(LISTS, "0.4,0.07,0.32", "0,0.07,0.32"), "a price of 0"),
        (replaced(LISTS, "0.4,0.07,0.32", "-0.4,0.07,0.32"), "not an amount"),
        (replaced(LISTS, "0.4,0.07,0.32", "1e400,0.07,0.32"), "not an amount"),
        (replaced(LISTS, "0.4,0.07,0.32", "nan,0.07,0.32"), "not an amount"),
        (replaced(LISTS, "0.4,0.07,0.32", ",0.07,0.32"), "no on-demand price"),
        (replaced(LISTS, "0.4,0.07,0.32", "0.4,0.5,0.32"), "above the on-demand price"),
        (replaced(LISTS, "bb-two2,n2-standard-44", "aa-one1,n2-standard-4"), "is given twice"),
        (replaced(LISTS, "2026-03-01,", "2026-03-01,,more"), "more or fewer cells"),
        (replaced(LISTS, "cud_3y_usd_hour,", ""), "not a table of prices"),
        (replaced(RATES, "custom_ram,spot", "custom_core,spot"), "a second rate"),
        (replaced(RATES, "0.002,gib", "free,gib"), "not an amount"),
        (replaced(TYPES, "n2,General,4,4,16", "n2,General,4,4,"), "no vCPUs or no memory"),
        (replaced(OFFERS, "e2-micro,bb-two2", "n2-standard-4,bb-two2"), "is given twice"),
        (replaced(PAGES, "cloud_nat_data,", "cloud_magic,"), "unknown price class"),
        (replaced(PAGES, "GiB,0.9", "GiB,0"), "a price of 0"),
        (replaced(PAGES, "medium,a page,2020-07-30", "medium,a page,long ago"), "no date"),
        ({PAGES: None}, "cannot be read"),
        ({LISTS: ""}, "not a table of prices"),
        ({OFFERS: "machine_type,region,deprecation\n"}, "no machine types with regions were given"),
    ],
)
def test_a_table_that_cannot_be_trusted_is_refused(
    tmp_path: Path, changed: dict[str, str | None], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        built(tmp_path, changed)


def changed_sku(sku_id: str, **more: Any) -> list[dict[str, Any]]:
    """Return the made SKUs with one replaced."""
    return [more["by"] if one["skuId"] == sku_id else one for one in made_skus()]


BETWEEN = "Network Inter Region Data Transfer Out from Ay to Bee"


@pytest.mark.parametrize(
    ("skus", "said"),
    [
        (changed_sku("NET0-0001", by=network("Network Inter Zone Data Transfer Out",
            "InterzoneEgress", "NET0-0001", ((0, "0"),), (AA,))), "a price of 0 where a"),
        (changed_sku("NET0-0001", by=network("Network Inter Zone Data Transfer Out",
            "InterzoneEgress", "NET0-0001", ((5, "0.01"),), (AA,))), "does not begin at 0"),
        (changed_sku("REG-0-1", by=network("Network Data Transfer Out sideways",
            "InterregionEgress", "REG-0-1", ((0, "0.1"),), (AA, "bb-two2"))), "not recognized"),
        (changed_sku("REG-0-1", by=network(BETWEEN, "InterregionEgress", "REG-0-1", (),
            (AA, "bb-two2"))), "0 prices for traffic from aa-one1 to bb-two2"),
        (changed_sku("REG-0-1", by=network(BETWEEN, "InterregionEgress", "REG-0-1",
            ((0, "0.1"),), ("cc-three3",))), "the SKU is for cc-three3"),
        ([*made_skus(), network(BETWEEN, "InterregionEgress", "REG-9", ((0, "0.1"),),
            (AA, "bb-two2"))], "two prices for one step"),
        (changed_sku("N20-RAM-ONDEMAND", by=sku("N2 Instance Ram running in Ay", "RAM", unit="h",
            regions=(AA,), sku_id="N20-RAM-ONDEMAND")), "priced per hour"),
        ([*made_skus(), network("On-demand fee for total VM network bandwidth up to 50 Gbps in Ay",
            "AdvancedNetworking", "T-2", ((0, "0.6"),), (AA,), unit="h")], "two Tier_1 fees"),
    ],
)  # fmt: skip
def test_a_catalogue_that_contradicts_itself_is_refused(
    tmp_path: Path, skus: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        built(tmp_path, skus=skus)


def run_build(inputs: Path, out: Path) -> tuple[int, str, str]:
    # The made catalogue is nothing like the embedded one before it.
    done = run_verbs(arguments=["prices", "build", *arguments(inputs), "--out", str(out),
                                          "--accept-changes"])  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_the_command_builds_and_leaves_the_old_snapshot_when_a_file_is_cut(tmp_path: Path) -> None:
    inputs, out = write_inputs(tmp_path / "in"), tmp_path / "out"
    status, said, _ = run_build(inputs, out)
    assert status == 0
    assert f"--prices {out}" in said
    before = (out / FILE_NAME).read_bytes()
    whole = (inputs / "skus.json").read_bytes()
    for broken in (whole[: len(whole) // 2], gzip.compress(whole)[:900], b"{}"):
        (inputs / "skus.json").write_bytes(broken)
        status, said, error = run_build(inputs, out)
        assert (status, said) == (3, "")
        assert "skus.json" in error
        assert (out / FILE_NAME).read_bytes() == before
        assert [path.name for path in out.iterdir()] == [FILE_NAME]


def test_machine_types_come_from_the_api_too(tmp_path: Path) -> None:
    def zone(name: str, *types: dict[str, Any]) -> dict[str, Any]:
        return {f"zones/{name}": {"machineTypes": [{**one, "zone": name} for one in types]}}

    n2 = {"name": "n2-standard-4", "guestCpus": 4, "memoryMb": 16384, "architecture": "X86_64"}
    e2 = {"name": "e2-micro", "guestCpus": 2, "memoryMb": 1024, "isSharedCpu": True}
    ssd = {**n2, "name": "n2-storage-4", "bundledLocalSsds": {"partitionCount": 2}}
    gone = {**n2, "deprecated": {"state": "DEPRECATED"}}
    items = {
        **zone("aa-one1-a", n2, e2, ssd),
        **zone("aa-one1-b", gone),
        **zone("bb-two2-a", gone),
        **zone("cc-three3-a", n2),
        "zones/dd-four4-a": {"warning": {"code": "NO_RESULTS_ON_PAGE"}},
    }
    inputs = write_inputs(tmp_path / "in")
    answer = inputs / "machineTypes.json"
    answer.write_text(json.dumps({"kind": "compute#machineTypeAggregatedList", "items": items}))
    read = ["--skus", str(inputs / "skus.json"), "--machine-types", str(answer)]
    done = run_verbs(
        arguments=["prices", "build", *read, "--out", str(tmp_path), "--accept-changes"]
    )
    assert done.returncode == 0, done.stderr
    book = open_snapshot(tmp_path)
    shape = book.shape("e2-micro")
    assert shape is not None
    assert (shape.vcpus, shape.memory_gib, shape.is_shared_core) == (2, 1.0, True)
    assert book.types.billed_vcpus("e2-micro") == Decimal("0.25")
    storage = book.shape("n2-storage-4")
    assert storage is not None
    assert storage.bundled_local_ssd_gib == 750
    assert book.regions() == ("aa-one1", "bb-two2", "cc-three3")
    states = {region: book.types.offered(region)["n2-standard-4"].deprecation
              for region in book.regions()}  # fmt: skip
    assert states == {"aa-one1": None, "bb-two2": "DEPRECATED", "cc-three3": None}
    assert book.types.zones("n2-standard-4") == (
        *("aa-one1-a", "aa-one1-b", "bb-two2-a", "cc-three3-a"),
    )
    with pytest.raises(MissingDatum, match="local_ssd"):
        book.machine(AA, "n2-storage-4")
    # That such traffic is billed as between zones no SKU says: the tool itself knows.
    step = book.traffic(PathClass.SAME_ZONE_EXTERNAL, src_region=AA)[0]
    assert (step.price.usd, step.price.sku_id) == (Decimal("0.01"), "NET0-0001")
    assert "billed as between zones" in step.price.note


def stepped(sku_id: str, *steps: tuple[float, str]) -> list[dict[str, Any]]:
    """Return the made SKUs, one of them with other steps."""
    found = made_skus()
    for one in found:
        if one["skuId"] == sku_id:
            other = sku("x", "CPU", unit="h", usd=steps)["pricingInfo"][0]["pricingExpression"]
            one["pricingInfo"][0]["pricingExpression"]["tieredRates"] = other["tieredRates"]
    return found


def test_a_core_with_steps_is_read_where_they_are_one_and_else_refused_for_that_reason(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    same = book_of(tmp_path / "a", skus=stepped("N21-CPU-ONDEMAND", (0, "0.12"), (100, "0.12")))
    assert same.rates.price("bb-two2", "n2", "core", Usage.ON_DEMAND).usd == Decimal("0.12")
    book = book_of(tmp_path / "b", skus=stepped("N21-CPU-ONDEMAND", (0, "0.12"), (100, "0.1")))
    with pytest.raises(MissingDatum, match="prices it in steps") as refused:
        book.rates.price("bb-two2", "n2", "core", Usage.ON_DEMAND)
    assert "at 0" not in str(refused.value)


def test_a_tier1_fee_without_a_price_is_unknown_and_not_the_next_one(tmp_path: Path) -> None:
    greater = network(
        "On-demand fee for total VM network bandwidth up to 100 Gbps in Ay",
        *("AdvancedNetworking", "T-100", ((0, "1"),), (AA,)),
        unit="h",
    )
    skus = [*stepped("NET0-0006", (0, "0.5"), (100, "0.4")), greater]
    book = book_of(tmp_path, skus=skus)
    assert book.tier1_fee(AA, "n2-standard-80", 100).usd == 1
    with pytest.raises(MissingDatum, match="NET0-0006"):
        book.tier1_fee(AA, "n2-standard-80", 50)
