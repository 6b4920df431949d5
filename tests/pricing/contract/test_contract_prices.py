"""Discounts and the billing export: whose price stands, and what is said about it."""

import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import AddressUse, PathClass, PriceBook, Usage
from netplan_pricing import open_prices, open_snapshot
from netplan_pricing.contract.effective import effective_prices
from netplan_pricing.contract.flexible import flexible_commitments
from netplan_pricing.contract.terms import parse_discount
from support.commands.run import run_verbs
from support.listed import listed
from support.prices.billing_export import pricing, usage, write_flat_csv, write_parquet

CORE, RAM = "BB77-5FDA-69D9", "5B01-D157-A097"
"""SKUs of N2 in the Americas: 0.031611 an hour, 0.004237 a GiB and hour."""
BETWEEN_ZONES = "DE9E-AFBC-A15A"
CENTRAL = "us-central1"
LIST = open_snapshot()


def test_a_discount_on_a_service_is_taken_off_every_part() -> None:
    book = open_prices(discounts=["Compute Engine=10"])
    price = book.machine(CENTRAL, "n2-standard-16")
    assert price.usd == LIST.machine(CENTRAL, "n2-standard-16").usd * Decimal("0.9")
    assert "less 10 % on Compute Engine" in price.source
    assert "the list says 0.031611" in price.note
    steps = book.traffic(PathClass.INTER_ZONE_INTERNAL, src_region=CENTRAL)
    assert steps[0].price.usd == Decimal("0.009")
    assert book.nat_data(CENTRAL).usd == LIST.nat_data(CENTRAL).usd  # Networking
    assert book.info.terms == "10 % off Compute Engine"
    listed = book.machine(CENTRAL, "n2-standard-16", Usage.SPOT)
    assert listed.usd == LIST.machine(CENTRAL, "n2-standard-16", Usage.SPOT).usd * Decimal("0.9")
    row = next(book.machine_batch([(CENTRAL, "n2-standard-16")]))
    assert (row.on_demand_usd_per_hour, row.spot_usd_per_hour) == (price.usd, listed.usd)


def test_a_discount_on_a_sku_goes_before_one_on_its_service() -> None:
    book = open_prices(discounts=[f"{CORE}=50", "compute engine=10", "all=1"])
    core, ram = book.machine(CENTRAL, "n2-standard-16").parts
    assert core.unit_price_usd == Decimal("0.0158055")
    assert ram.unit_price_usd == Decimal("0.0038133")
    assert book.nat_data(CENTRAL).usd == LIST.nat_data(CENTRAL).usd * Decimal("0.99")
    # Free steps stay what they are.
    steps = open_prices(discounts=["all=20"]).external_address_tiers(
        AddressUse.STANDARD_VM, CENTRAL
    )
    assert [step.price.usd for step in steps] == [0, Decimal("0.004")]


@listed(
    "text",
    ["", "Compute Engine", "=5", "Disk=5", "all=-1", "all=100", "all=x", "all=nan", "AAAA=1"],
)
def test_what_is_no_discount_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--discount"):
        parse_discount(text)
    with pytest.raises(UsageError, match="is given twice"):
        open_prices(discounts=["all=1", "all=2"])
    with pytest.raises(UsageError, match="this snapshot has no SKU with this ID"):
        open_prices(discounts=["0000-0000-0000=5"])


def dotted(path: Path, rows: list[dict[str, Any]]) -> Path:
    return write_flat_csv(path, rows)


def joined(path: Path, rows: list[dict[str, Any]]) -> Path:
    return write_flat_csv(path, rows, "_")


WRITERS = pytest.mark.parametrize("write", [write_parquet, dotted, joined])
Writer = Callable[[Path, list[dict[str, Any]]], Path]


@WRITERS
def test_effective_prices_of_the_usage_table_go_before_list_and_discount(
    tmp_path: Path, write: Writer
) -> None:
    rows = [
        usage(CORE, "N2 Core", 100, 2.5, unit="hour", effective=0.025),
        usage(RAM, "N2 Ram", 100, 0.4, unit="gibibyte hour", effective=0.0035, currency="EUR",
              rate=0.875),
        usage(BETWEEN_ZONES, "zones", 10, 0.08, effective=0.008),
        usage(BETWEEN_ZONES, "tax", 10, 0.08, effective=0.5, cost_type="tax"),
    ]  # fmt: skip
    path = write(tmp_path / "export", rows)
    book = open_prices(discounts=["all=50"], billing_exports=[path])
    price = book.machine(CENTRAL, "n2-standard-16")
    assert [part.unit_price_usd for part in price.parts] == [Decimal("0.025"), Decimal("0.004")]
    assert price.usd == 16 * Decimal("0.025") + 64 * Decimal("0.004")
    assert price.as_of == date(2026, 11, 1)
    assert "effective price of the billing export" in price.source
    assert "contract price; the list says 0.031611" in price.note
    step = book.traffic(PathClass.INTER_ZONE_INTERNAL, src_region=CENTRAL)[0]
    assert step.price.usd == Decimal("0.008")
    # What the export does not name has the discount.
    assert book.nat_data(CENTRAL).usd == LIST.nat_data(CENTRAL).usd / 2
    assert "for 3 SKUs; 50 % off all" in book.info.terms


@WRITERS
def test_the_pricing_table_prices_every_step(tmp_path: Path, write: Writer) -> None:
    ids = [tier.price.sku_id for tier in LIST.traffic(
        PathClass.INTERNET, src_region=CENTRAL, area="Africa")]  # fmt: skip
    sku_id = str(ids[0])
    rows = [
        pricing(sku_id, "gibibyte", [(0, 0), (1, 0.1), (1024, 0.09), (10240, 0.08)]),
        pricing(sku_id, "gibibyte", [(0, 0.7)], day=date_time(2026, 9)),
        pricing(CORE, "hour", [(0, 25)], quantity=1000),
    ]
    path = write(tmp_path / "pricing", rows)
    book = open_prices(billing_exports=[path])
    steps = book.traffic(PathClass.INTERNET, src_region=CENTRAL, area="Africa")
    assert [str(step.price.usd) for step in steps] == ["0", "0.1", "0.09", "0.08"]
    assert book.machine(CENTRAL, "n2-standard-16").parts[0].unit_price_usd == Decimal("0.025")


def date_time(year: int, month: int) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC)


def test_what_of_an_export_cannot_be_used_is_said(tmp_path: Path) -> None:
    rows = [
        usage(CORE, "N2 Core", 1, 1, unit="parsec", effective=0.5),
        usage(RAM, "N2 Ram", 1, 1, unit="gibibyte hour", effective=0.003),
        usage(RAM, "N2 Ram", 1, 1, unit="gibibyte hour", effective=0.002, end=date_time(2026, 12)),
        usage("0000-0000-0001", "x", 1, 1, unit="hour", effective=1, currency="EUR", rate=0),
    ]
    path = write_parquet(tmp_path / "export", rows)
    book = open_prices(billing_exports=[path])
    core, ram = book.machine(CENTRAL, "n2-standard-16").parts
    assert (core.unit_price_usd, ram.unit_price_usd) == (Decimal("0.031611"), Decimal("0.004237"))
    said = "\n".join(book.terms.unread)
    assert "unknown pricing unit 'parsec'" in said
    assert f"{RAM} has 2 effective prices at one time" in said
    assert "no conversion rate" in said
    done = run_verbs(arguments=["price", "machine", "n2-standard-16", "--region", CENTRAL,
                     "--billing-export", str(path)])  # fmt: skip
    assert done.returncode == 0
    assert "parsec" in done.stderr


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ({"sku": None}, "not used: row without a SKU: 1"),
        ({"price": None}, "not used: SKU without a price: 1"),
        ({"usage_start_time": None, "usage_end_time": None}, f"{RAM}: no date; the list price"),
    ],
)
def test_a_row_of_usage_that_lacks_something_is_said(
    tmp_path: Path, lacking: dict[str, None], said: str
) -> None:
    row = usage(RAM, "N2 Ram", 1, 1, unit="gibibyte hour", effective=0.001) | lacking
    book = open_prices(billing_exports=[write_parquet(tmp_path / "own", [core(0.03), row])])
    (line,) = book.terms.unread
    assert said in line
    assert book.machine(CENTRAL, "n2-standard-16").parts[1].unit_price_usd == Decimal("0.004237")


def test_rows_of_the_pricing_table_that_lack_something_are_counted(tmp_path: Path) -> None:
    row = pricing(RAM, "gibibyte hour", [(0, 0.001)])
    lacking = [
        row | {"sku": None},
        row | {"pricing_as_of_time": None, "export_time": None},
        pricing("0000-0000-0001", "hour", []),
    ]
    used = pricing(CORE, "hour", [(0, 0.03)])
    path = write_parquet(tmp_path / "own.parquet", [used, *lacking])
    (line,) = open_prices(billing_exports=[path]).terms.unread
    assert line.endswith(
        "not used: row without a SKU: 1, row without a date: 1, SKU without a price: 1"
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.csv", None, "cannot be read: No such file"),
        ("other.csv", b"a,b\n1,2\n", "not the detailed usage cost table or pricing table"),
        ("cut.parquet", b"PAR1" + b"\0" * 100, "cannot be read"),
        ("standard.csv", b"sku.id,cost,currency,usage_end_time\nX,1,USD,2026-10-01\n",
         "export the detailed one"),
        ("empty.csv", b"sku.id,cost,currency,usage_end_time,price.effective_price,price.unit\n",
         "no effective price"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_export_is_refused(
    tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        open_prices(billing_exports=[path])


def test_an_audit_says_whose_prices_it_shows(tmp_path: Path) -> None:
    path = write_parquet(
        tmp_path / "export.parquet", [usage(BETWEEN_ZONES, "zones", 10, 0.08, effective=0.008)]
    )
    options = ["--billing-export", str(path), "--discount", "Compute Engine=25"]
    done = run_verbs(
        arguments=["audit", "--full", "--demo", "gecko", "--fail-on", "never", *options]
    )
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "Paid per month: " in text
    assert "traffic $1,905.40" in text
    assert "238,175 GiB × $0.008" in text
    assert "effective price of the billing export export.parquet for 1 SKUs" in text
    assert "25 % off Compute Engine" in text


def internet_bill(book: PriceBook) -> Decimal:
    """Return what 20,000 GiB from us-central1 to North America cost."""
    volume, route = Decimal(20_000), {"src_region": CENTRAL, "area": "usa"}
    lines = book.traffic_line_items("t", PathClass.INTERNET, volume, **route)
    return sum((line.usd_per_month for line in lines), Decimal(0))


def contract_bill(rows: list[dict[str, Any]], folder: Path) -> Decimal:
    path = write_parquet(folder / "own.parquet", rows)
    return internet_bill(open_prices(billing_exports=[path]))


ROUTE = LIST.traffic(PathClass.INTERNET, src_region=CENTRAL, area="usa")
TO_AMERICA = str(ROUTE[0].price.sku_id)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(0, 0.05)], 1000),
        ([(0, 0.06), (5000, 0.03)], 750),
        ([(0, 0), (1, 0.06), (500, 0.03)], 499 * 0.06 + 19_500 * 0.03),
    ],
)
def test_a_pricing_table_brings_its_own_steps(
    tmp_path: Path, steps: list[tuple[float, float]], expected: float
) -> None:
    found = contract_bill([pricing(TO_AMERICA, "gibibyte", steps)], tmp_path)
    assert found == Decimal(str(expected))


def test_billed_steps_that_the_list_lacks_are_the_contracts(tmp_path: Path) -> None:
    def billed(*steps: tuple[float, float]) -> Decimal:
        rows = [usage(TO_AMERICA, "x", 1, 1.0, effective=usd, tier=start) for start, usd in steps]
        return contract_bill(rows, tmp_path)

    assert billed((0, 0.05)) == 1000
    assert billed((0, 0.06), (5000, 0.03)) == 750
    # A step of the list that was billed at another price: the others stay.
    assert billed((1024, 0.05)) < internet_bill(LIST)


WEST = "D4B4-719D-EBAB"
FREE = usage(TO_AMERICA, "x", 1, 0, effective=0)
REACHED = usage(TO_AMERICA, "x", 1, 1, effective=0.096, tier=1)


@pytest.mark.parametrize(
    ("rows", "is_used", "said"),
    [
        ([FREE, REACHED, usage(TO_AMERICA, "x", 1, 1, effective=0.07, tier=1024),
          usage(TO_AMERICA, "x", 1, 1, effective=0.1, tier=1024)], False, "2 effective prices"),
        ([FREE, REACHED, usage(TO_AMERICA, "x", 1, 1, effective=-0.09, tier=1024)], True,
         f"{TO_AMERICA} from 1024 on: no price: -0.09"),
        ([usage(TO_AMERICA, "x", 1, 1, effective=0.09, unit="parsec")], False, "unknown pricing"),
        ([usage(TO_AMERICA, "x", 1, 1, effective=0.09, currency="EUR", rate=0)], False, "no conv"),
        ([usage(TO_AMERICA, "x", 1, 1, effective=0.09, model=("A", "FLEX"))], False, "only under"),
        ([usage(TO_AMERICA, "x", 1, 1, effective=0.09, tier=5000),
          usage(TO_AMERICA, "x", 1, 1, effective=-1, tier=9000)], False, "no price: -1"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_at_list_as_it_is_said(
    tmp_path: Path, rows: list[dict[str, Any]], is_used: bool, said: str
) -> None:
    """All else of the bill is a fifth below the list; no SKU has that of which a price is lost."""
    others = [
        usage(WEST, "x", 1, 1, effective=0.096, tier=1),
        usage(BETWEEN_ZONES, "x", 1, 1, effective=0.008),
    ]
    path = write_parquet(tmp_path / "own.parquet", [*others, *rows])
    book = open_prices(billing_exports=[path])
    steps = book.traffic(PathClass.INTERNET, src_region=CENTRAL, area="usa")
    first = Decimal("0.096") if is_used else Decimal("0.12")
    assert [step.price.usd for step in steps] == [0, first, Decimal("0.11"), Decimal("0.08")]
    (line,) = book.terms.unread
    assert said in line
    assert "the list price" in line
    # What the bill does not name at all has the discount.
    route = {"src_region": CENTRAL, "network_tier": "STANDARD"}
    assert book.traffic(PathClass.INTERNET, **route)[-1].price.usd == Decimal("0.045") * 4 / 5


def test_a_row_that_cannot_be_used_takes_no_price_of_another(tmp_path: Path) -> None:
    rows = [
        pricing(TO_AMERICA, "gibibyte", [(0, 0.06), (5000, 0.03)], models={"Default": 0.06,
                FLEXIBLE[1]: -1}),
        usage(TO_AMERICA, "x", 1, 1, effective=-1, tier=5000),
        usage(TO_AMERICA, "x", 1, 1, effective=0.03, tier=5000, model=FLEXIBLE, rate=0,
              currency="EUR"),
    ]  # fmt: skip
    files = [write_parquet(tmp_path / "pricing.parquet", rows[:1])]
    files.append(write_parquet(tmp_path / "usage.parquet", [core(0.03), *rows[1:]]))
    book = open_prices(billing_exports=files)
    assert len(book.terms.unread) == 3
    assert internet_bill(book) == 750


def test_one_fault_of_two_steps_is_two(tmp_path: Path) -> None:
    """Of the last step there is another row; of the one below it there is none."""
    rows = [usage(TO_AMERICA, "x", 1, 1, effective=-1, tier=tier) for tier in (1024, 10240)]
    rows += [REACHED, usage(TO_AMERICA, "x", 1, 1, effective=0.064, tier=10240)]
    book = open_prices(billing_exports=[write_parquet(tmp_path / "own.parquet", rows)])
    assert len(book.terms.unread) == 2
    assert book.terms.at_list == {TO_AMERICA}


def test_a_table_of_all_steps_that_lacks_one_has_the_lists_there(tmp_path: Path) -> None:
    steps = [(0, 0), (1, 0.1), (1024, -1), (10240, 0.07)]
    path = write_parquet(tmp_path / "own.parquet", [pricing(TO_AMERICA, "gibibyte", steps)])
    route = {"src_region": CENTRAL, "area": "usa"}
    found = open_prices(billing_exports=[path]).traffic(PathClass.INTERNET, **route)
    assert [str(step.price.usd) for step in found] == ["0", "0.1", "0.11", "0.07"]


def test_the_sku_of_an_area_is_the_bills_with_a_price_or_without(tmp_path: Path) -> None:
    rows = [usage(WEST, "x", 1, 1, effective=usd, tier=1) for usd in (0.09, 0.1)]
    path = write_parquet(tmp_path / "own.parquet", [*rows, core(0.03)])
    route = {"src_region": CENTRAL, "area": "Europe/deu"}
    found = open_prices(billing_exports=[path]).traffic(PathClass.INTERNET, **route)
    assert [(str(step.price.usd), step.price.sku_id) for step in found][1] == ("0.12", WEST)


def test_a_core_of_which_the_price_is_lost_is_at_list(tmp_path: Path) -> None:
    skus = {
        LIST.rates.price(CENTRAL, series, part, Usage.ON_DEMAND).sku_id: price.usd
        for series in ("n1", "e2")
        for part in ("core", "ram")
        if (price := LIST.rates.price(CENTRAL, series, part, Usage.ON_DEMAND))
    }
    others = [
        usage(str(sku), "x", 1, 1, unit="hour", effective=float(usd) * 0.8)
        for sku, usd in skus.items()
    ]
    assert core_of(tmp_path, *others)[0] == Decimal("0.0252888")
    assert core_of(tmp_path, *others, core(0.03), core(0.02))[0] == Decimal("0.031611")
    parsec = usage(CORE, "N2 Core", 1, 1, unit="parsec", effective=0.5)
    assert core_of(tmp_path, *others, parsec)[0] == Decimal("0.031611")


def test_a_step_of_a_contract_is_named_as_people_write_it(tmp_path: Path) -> None:
    rows = [usage(TO_AMERICA, "x", 1, 1.0, effective=0.13, tier=5000)]
    write_parquet(tmp_path / "own.parquet", rows)
    own = ["--billing-export", str(tmp_path / "own.parquet"), "--from", CENTRAL, "--gib", "20000"]
    words = ["price", "traffic", *own, "--to", "internet", "--area", "usa"]
    done = run_verbs(arguments=words)
    assert "above 5,000 GiB" in done.stdout
    assert "2,510.12 USD per month" in done.stdout


def test_an_effective_price_that_is_no_number_is_named(tmp_path: Path) -> None:
    good = usage(CORE, "core", 1, 1.0, unit="hour", effective=0.02)
    path = write_flat_csv(tmp_path / "own.csv", [good, good])
    lines = path.read_text().splitlines()
    lines[2] = lines[2].replace("0.02", "cheap")
    path.write_text("\n".join(lines) + "\n")
    book = open_prices(billing_exports=[path])
    assert any(f"{CORE}: no price: cheap" in line for line in book.info.unread)
    # The other row has a price of the same step, which holds.
    assert book.rates.price(CENTRAL, "n2", "core", Usage.ON_DEMAND).usd == Decimal("0.02")


DEFAULT = ("7754-699E-0EBF", "Default")
FLEXIBLE = ("D97B-0795-975B", "Compute Flexible CUDs 1 Year")


def core_of(folder: Path, *rows: dict[str, Any]) -> tuple[Decimal, tuple[str, ...]]:
    """Return what a core costs on demand with an export, and what of the export is not used."""
    book = open_prices(billing_exports=[write_parquet(folder / "own.parquet", list(rows))])
    return book.rates.price(CENTRAL, "n2", "core", Usage.ON_DEMAND).usd, book.info.unread


def core(usd: float, **more: Any) -> dict[str, Any]:
    return usage(CORE, "N2 Core", 100, 1.0, unit="hour", effective=usd, **more)


def test_a_price_under_a_commitment_is_not_the_price_on_demand(tmp_path: Path) -> None:
    rows = [core(0.03, model=DEFAULT), core(0.0216, model=FLEXIBLE)]
    for order in (rows, rows[::-1]):
        assert core_of(tmp_path, *order) == (Decimal("0.03"), ())
        own = ["--billing-export", str(tmp_path / "own.parquet")]
        done = run_verbs(arguments=["price", "sku", CORE, *own])
        assert "Compute Flexible CUDs 1 Year: 0.0216" in done.stdout
    # Where all is covered, the price on demand is the export's default, or the list's.
    default = core(0.0216, model=FLEXIBLE, default_price=0.03)
    assert core_of(tmp_path, default) == (Decimal("0.03"), ())
    usd, unread = core_of(tmp_path, core(0.0216, model=FLEXIBLE))
    assert usd == Decimal("0.031611")
    assert "only under Compute Flexible CUDs 1 Year" in unread[0]


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("more", [{}, {"account": "111111-MADE00-111111"}])
def test_two_prices_at_one_time_are_not_used_whatever_their_order(
    tmp_path: Path, is_turned: bool, more: dict[str, Any]
) -> None:
    rows = [core(0.03), core(0.02, **more)]
    usd, unread = core_of(tmp_path, *(rows[::-1] if is_turned else rows))
    assert usd == Decimal("0.031611")
    assert f"{CORE} has 2 effective prices at one time" in unread[0]
    assert "0.02, 0.03 USD" in unread[0]
    assert ("111111-MADE00-111111" in unread[0]) is bool(more)


def test_a_price_that_followed_another_stands_and_says_so(tmp_path: Path) -> None:
    half = datetime(2026, 10, 16, tzinfo=UTC)
    path = write_parquet(tmp_path / "own.parquet", [core(0.02, start=half), core(0.03, end=half)])
    book = open_prices(billing_exports=[path])
    price = book.rates.price(CENTRAL, "n2", "core", Usage.ON_DEMAND)
    assert (price.usd, book.info.unread) == (Decimal("0.02"), ())
    assert "(until 2026-10-16 0.03)" in price.source


def test_one_sku_in_two_units_or_two_files_is_no_race(tmp_path: Path) -> None:
    per_second = usage(CORE, "N2 Core", 1, 1.0, unit="seconds", effective=0.02 / 3600)
    usd, unread = core_of(tmp_path, core(0.03), per_second)
    assert usd == Decimal("0.031611")
    assert "2 effective prices" in unread[0]
    one = write_parquet(tmp_path / "one.parquet", [core(0.03)])
    two = write_parquet(tmp_path / "two.parquet", [core(0.02)])
    for files in ([one, two], [two, one]):
        book = open_prices(billing_exports=files)
        assert book.rates.price(CENTRAL, "n2", "core", Usage.ON_DEMAND).usd == Decimal("0.031611")


@WRITERS
def test_the_pricing_tables_consumption_models_are_read_apart(
    tmp_path: Path, write: Writer
) -> None:
    rows = [pricing(CORE, "hour", [(0, 0.03)], models={"Default": 0.03, FLEXIBLE[1]: 0.0216})]
    book = open_prices(billing_exports=[write(tmp_path / "pricing", rows)])
    assert book.rates.price(CENTRAL, "n2", "core", Usage.ON_DEMAND).usd == Decimal("0.03")
    (found,) = book.terms.under[CORE].items()
    assert (found[0], found[1].usd) == (FLEXIBLE[1], Decimal("0.0216"))


@pytest.mark.parametrize(
    ("reader", "has_other"), [(effective_prices, False), (flexible_commitments, True)]
)
def test_of_a_file_that_is_refused_no_copy_stays(
    reader: Callable[[list[Path]], object],
    has_other: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    good = write_flat_csv(tmp_path / "good.csv", [usage("1111-1111-1111", "Core", 10, 17.0)])
    foreign = tmp_path / "foreign.csv"
    # It is copied, as another encoding than the engine reads.
    foreign.write_text("one,other\n1,2\n", encoding="utf-16")
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    with pytest.raises(
        InputError,
        match="not the detailed usage cost table or pricing table",
    ) as caught:
        reader([good, foreign] if has_other else [foreign])
    # The error is still held, and all that its frames hold.
    assert caught.tb is not None
    assert list(copies.iterdir()) == []
