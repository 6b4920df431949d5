"""Files of the catalogue: every shape is read, every fault is named with its place."""

import gzip
import json
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from netplan_planner.errors import InputError
from netplan_pricing.catalogue.dumps import read_dump, require_complete
from netplan_pricing.catalogue.sku import Sku, rate_of
from support.commands.run import run_verbs
from support.prices.skus import NETWORKING, sku, write_page

CORE = sku("N2 Instance Core running in Iowa", "CPU", sku_id="AAAA-0000-0001")
RAM = sku("N2 Instance Ram running in Iowa", "RAM", sku_id="AAAA-0000-0002", unit="GiBy.h")
NAT = sku("Networking Cloud Nat Data Processing", "Nat", sku_id="AAAA-0000-0003", unit="GiBy",
          family="Network", service=NETWORKING)  # fmt: skip


def test_pages_lists_and_lines_hold_the_same(tmp_path: Path) -> None:
    both = [CORE, RAM]
    pages = [{"skus": [CORE], "nextPageToken": "x"}, {"skus": [RAM], "nextPageToken": ""}]
    forms = {
        "page.json": json.dumps({"skus": both, "nextPageToken": ""}).encode(),
        "page.json.gz": gzip.compress(json.dumps({"skus": both}).encode()),
        "pages.json": json.dumps(pages).encode(),
        "list.json": json.dumps(both).encode(),
        "skus.jsonl": "\n".join(map(json.dumps, both)).encode(),
        "pages.jsonl": "\n".join(map(json.dumps, pages)).encode(),
        "pretty.json": json.dumps({"skus": both}, indent=2).encode(),
    }
    for name, content in forms.items():
        (tmp_path / name).write_bytes(content)
        found = read_dump([tmp_path / name])
        assert [one.sku_id for one in found.skus] == ["AAAA-0000-0001", "AAAA-0000-0002"], name
        assert found.unfinished == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps({"skus": [CORE]}).encode()[:-40], "incomplete or not JSON"),
        (
            gzip.compress(json.dumps({"skus": [CORE]}).encode(), mtime=0)[:-30],
            "the compressed file is incomplete or damaged",
        ),
        (b"", "not JSON, or empty"),
        (b"<html>", "not JSON, or empty"),
        (b'{"skus": [{"description": "x"}]}', r"skuId.*\$\.skus\[0\]"),
        (b'{"error": {"code": 400, "message": "API key expired."}}', "400 API key expired"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "skus.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said) as caught:
        read_dump([path])
    assert str(path) in str(caught.value)


def test_what_no_snapshot_can_be_made_from_is_refused(tmp_path: Path) -> None:
    foreign = sku("Bucket", "Storage", service="1111-2222-3333", sku_id="BBBB-0000-0001")
    rupiah = sku("N4 Instance Core running in Iowa", "CPU", currency="IDR", sku_id="BBBB-0000-0002")
    cases = {
        "names a next one": write_page(tmp_path / "cut.json", [CORE, NAT], token="more"),
        "no SKU of Networking": write_page(tmp_path / "half.json", [CORE]),
        "another service": write_page(tmp_path / "other.json", [CORE, NAT, foreign]),
        "AAAA-0000-0001.*read twice|repeated.*AAAA-0000-0001": write_page(
            tmp_path / "twice.json", [CORE, NAT, CORE]
        ),
        "BBBB-0000-0002: a price in IDR": write_page(tmp_path / "idr.json", [CORE, NAT, rupiah]),
    }
    for said, path in cases.items():
        with pytest.raises(InputError, match=said):
            require_complete(read_dump([path]))
    good = write_page(tmp_path / "good.json", [CORE, RAM, NAT])
    require_complete(read_dump([good]))


def rate(**more: object) -> tuple[str, list[tuple[Decimal, Decimal]], str]:
    found = rate_of(msgspec.convert(sku("X", "RAM", **more), Sku))  # type: ignore[arg-type]
    return found.unit, [(step.start, step.usd) for step in found.steps], found.reason


def test_prices_are_exact_and_in_netplans_units() -> None:
    zero = Decimal(0)
    assert rate(unit="h", usd=((0, "0.031611"),)) == ("hour", [(zero, Decimal("0.031611"))], "")
    assert rate(unit="GBy.h", usd=((0, "0.001"),))[:2] == (
        "gib-hour",
        [(zero, Decimal("0.001073741824"))],
    )
    assert rate(unit="GBy", usd=((0, "0"), (1000, "0.1")))[1] == [
        (zero, zero),
        (Decimal("931.322574615478515625"), Decimal("0.1073741824")),
    ]
    assert rate(unit="GiBy.mo", usd=((0, "0.08"),))[:2] == (
        "gib-month",
        [(zero, Decimal("0.08"))],
    )
    assert rate(unit="mo", usd=((0, "3000"),))[:2] == ("month", [(zero, Decimal(3000))])


def test_no_steps_foreign_money_and_negative_prices_are_no_price() -> None:
    assert rate(usd=())[1:] == ([], "the catalog states no price")
    assert rate(currency="IDR")[1:] == ([], "in IDR, not USD")
    negative = msgspec.convert(sku("X", "RAM", usd=((0, "-1"),)), Sku)
    assert rate_of(negative).reason == "a negative price"
    falling = rate(usd=((10, "0.1"), (0, "0.2")))
    assert falling[1:] == ([], "steps that do not increase")


def test_the_command_prints_a_row_for_each_sku_in_order(tmp_path: Path) -> None:
    odd = sku("=cmd() Instance Core running in Iowa", "CPU", sku_id="=1+1")
    page = write_page(tmp_path / "page.json", [RAM, CORE, odd, NAT])
    done = run_verbs(arguments=["prices", "map", str(page), "--format", "csv"])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "sku_id,kind,series,component,usage,counts_in_plain_vm_price,reason",
        "AAAA-0000-0002,vm_component,n2,ram,ondemand,true,",
        "AAAA-0000-0001,vm_component,n2,core,ondemand,true,",
    ]
    assert lines[3].startswith("'=1+1,,,,ondemand,false,a VM part in unknown words")
    assert "4 SKUs: 3 of kinds that netplan prices, 0 of others, 1 not recognised" in done.stderr
    assert "'=cmd() Instance Core running in Iowa'" in done.stderr
