"""The builder: byte-identical, and no table that cannot be trusted becomes a snapshot."""

import gzip
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from netplan_planner.errors import InputError, MissingDatum
from netplan_planner.model import AddressUse, PathClass
from netplan_pricing import SnapshotPriceBook, open_snapshot
from netplan_pricing.building.assemble import build_snapshot
from netplan_pricing.container import EMBEDDED, FILE_NAME
from support.price_tables import TABLES, replaced, write_tables
from support.shared_data import needs_shared, shared

SCRIPT = Path(__file__).parents[2] / "pricing/scripts/build_snapshot.py"
PRICES = "catalog/prices.csv.gz"
NETWORK = "catalog/network_prices.csv.gz"
PAGES = "network/traffic_prices.csv"


def built(folder: Path, changed: dict[str, str | None] | dict[str, str] | None = None) -> bytes:
    tables = write_tables(folder, dict(changed or {}))
    return build_snapshot(tables / "catalog", tables / "network")


def book_of(folder: Path, changed: dict[str, str] | None = None) -> SnapshotPriceBook:
    content = built(folder, changed)
    (folder / FILE_NAME).write_bytes(content)
    return open_snapshot(folder)


def run_script(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@needs_shared
def test_the_shipped_snapshot_is_what_the_script_makes_of_the_tables(tmp_path: Path) -> None:
    ran = run_script(shared("data"), "--out", tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / FILE_NAME).read_bytes() == (EMBEDDED / FILE_NAME).read_bytes()
    assert "79389  rows" in ran.stdout


def test_two_builds_of_made_tables_are_equal_whatever_the_order_of_rows(tmp_path: Path) -> None:
    head, *rows = TABLES[PRICES].splitlines()
    turned = "\n".join([head, *reversed(rows)]) + "\n"
    assert built(tmp_path / "a") == built(tmp_path / "b", {PRICES: turned})


def test_made_tables_answer_as_written(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    assert book.machine("aa-one1", "n2-standard-4").usd == Decimal("0.4")
    assert book.machine("bb-two2", "n2-standard-4").usd == Decimal("0.5")
    steps = book.traffic(PathClass.INTERNET, src_region="aa-one1", area="Europe/deu")
    assert [(str(step.start), str(step.price.usd)) for step in steps] == [
        ("0", "0.4"),
        ("1024", "0.3"),
    ]


def test_the_catalogue_goes_before_the_pages_which_fill_what_it_lacks(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    unused = AddressUse.UNUSED_STATIC
    assert book.external_address(unused, "aa-one1").usd == Decimal("0.01")
    assert book.external_address(unused, "bb-two2").usd == Decimal("0.02")
    with pytest.raises(MissingDatum):
        book.external_address(unused, "cc-three3")


def test_a_sku_id_is_given_only_where_exactly_one_fits(tmp_path: Path) -> None:
    book = book_of(tmp_path)

    def sku_id(dst: str) -> str | None:
        return book.traffic(PathClass.INTER_REGION_INTERNAL, src_region="aa-one1", dst_region=dst)[
            0
        ].price.sku_id

    assert sku_id("bb-two2") == "AAAA-0001"
    assert sku_id("cc-three3") is None  # two ids fit
    assert book.traffic(PathClass.INTER_ZONE_INTERNAL, src_region="bb-two2")[0].price.sku_id == (
        "AAAA-0004"
    )
    with pytest.raises(MissingDatum, match="AAAA-0005"):
        book.traffic(PathClass.INTER_ZONE_INTERNAL, src_region="cc-three3")


def test_dates_of_pages_are_never_newer_than_what_they_say(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    assert book.services.one("cloud_nat_data").as_of.isoformat() == "2026-07-01"
    assert book.services.one("vpn_tunnel", "aa-one1").as_of.isoformat() == "2026-01-01"


def test_steps_of_log_generation_are_in_gib(tmp_path: Path) -> None:
    steps = book_of(tmp_path).services.tiers("vpc_flow_log_generation", condition=None)
    assert [int(step.start) for step in steps] == [0, 10 * 1024]


def test_a_rate_listed_at_zero_is_absent(tmp_path: Path) -> None:
    table = book_of(tmp_path).file.table("component_prices")
    row = table["component"].texts().index("nvidia-l4")
    assert table["usd"][row] == ""
    assert table["note"][row] == "zero-priced-in-catalogue"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (replaced(PRICES, "0.4,0.1,0.3", "0,0.1,0.3"), "a price of 0"),
        (replaced(PRICES, "0.4,0.1,0.3", "-0.4,0.1,0.3"), "not an amount"),
        (replaced(PRICES, "0.4,0.1,0.3", "1e400,0.1,0.3"), "not an amount"),
        (replaced(PRICES, "0.4,0.1,0.3", "nan,0.1,0.3"), "not an amount"),
        (replaced(PRICES, "0.4,0.1,0.3", ",0.1,0.3"), "no on-demand price"),
        (replaced(PRICES, "0.4,0.1,0.3", "0.4,0.5,0.3"), "above the on-demand price"),
        (replaced(PRICES, "0.32,1,", "0.32,0,"), "its offer differs"),
        (replaced(PRICES, "bb-two2,n2-standard-4,", "aa-one1,n2-standard-4,"), "two rows"),
        (replaced(PRICES, "spot-withheld", "spot-withheld,more"), "more or fewer cells"),
        (replaced(PRICES, "cud_3y_usd_hour,", ""), "no column cud_3y_usd_hour"),
        (replaced(NETWORK, "0,0.01,GiBy", "0,0,GiBy"), "a price of 0 where one is expected"),
        (replaced(NETWORK, "0,0.01,GiBy", "5,0.01,GiBy"), "does not begin at 0"),
        (replaced(NETWORK, "0,0.01,GiBy", ",,GiBy"), "contradict each other"),
        (replaced(NETWORK, "0,0.01,GiBy", "0,0.01,GBy"), "unknown unit"),
        (replaced(NETWORK, "intrazone_out", "teleport_out"), "unknown kind of price"),
        (replaced(NETWORK, "P0,aa-one1,P1,bb-two2", "P0,aa-one1,P2,cc-three3"), "two prices"),
        (replaced(NETWORK, "P0,aa-one1,P1,bb-two2", "P0,aa-one1,P9,dd-four4"), "0 prices for"),
        (replaced(PAGES, "cloud_nat_data,", "cloud_magic,"), "unknown class of price"),
        (replaced(PAGES, "GiB,0.045", "GiB,0"), "a price of 0"),
        (replaced(PAGES, "high,a page,2026-07,", "high,a page,long ago,"), "no date"),
        ({PAGES: None}, "cannot be read"),
        ({PRICES: ""}, "no column"),
    ],
)
def test_a_table_that_cannot_be_trusted_is_refused(
    tmp_path: Path, changed: dict[str, str | None], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        built(tmp_path, changed)


def test_the_script_leaves_the_old_snapshot_when_a_table_is_cut(tmp_path: Path) -> None:
    tables = write_tables(tmp_path / "tables")
    out = tmp_path / "out"
    assert run_script(tables, "--out", out).returncode == 0
    before = (out / FILE_NAME).read_bytes()
    whole = gzip.compress(TABLES[PRICES].encode())
    (tables / PRICES).write_bytes(whole[: len(whole) // 2])
    ran = run_script(tables, "--out", out)
    assert ran.returncode == 3
    assert "prices.csv.gz: cannot be read" in ran.stderr
    assert (out / FILE_NAME).read_bytes() == before
    assert [path.name for path in out.iterdir()] == [FILE_NAME]
