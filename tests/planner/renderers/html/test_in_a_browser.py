"""The pages in a real browser: quiet, reachable, sorting, filtering, and whole without scripts."""

import struct
import time
import zlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from netplan_planner.choices import Paid
from netplan_planner.planning.inputs import PriceSource
from netplan_planner.planning.path_question import PathQuestion
from netplan_planner.planning.predict_path import predict_described
from netplan_planner.renderers import RenderOptions, render
from netplan_planner.renderers.document import Column, Section, Table, Title, line
from netplan_planner.renderers.html.page import render_blocks
from netplan_planner.verbs.audit.answer import Report
from netplan_planner.verbs.caps.ask import CapsAsk
from netplan_planner.verbs.caps.run import caps_of
from netplan_planner.verbs.price.ask import MachineAsk
from netplan_planner.verbs.price.run import machine_prices
from support.nightly import every
from support.probes import answers as probe_answers
from support.reports import browser as browsers
from support.reports import made as reports
from support.reports import pages as html_reports

pytestmark = pytest.mark.skipif(browsers.chromium() is None, reason=browsers.MISSING)
OPTIONS = RenderOptions(rules=reports.RULES)
DAY = date(2026, 11, 22)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '" onmouseover="alert(1)" x="',
    "</style></title><svg onload=alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers.launched() as made:
        yield made


def written(folder: Path, report: Report, options: RenderOptions = OPTIONS) -> Path:
    path = folder / "report.html"
    path.write_text(render(report, "html", options), "utf-8")
    return path


def column(page: Page, table: str, index: int) -> list[str]:
    return [
        text.strip()
        for text in page.locator(f"{table} tbody tr td:nth-child({index})").all_inner_texts()
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_it_is_quiet_and_anybody_can_use_it(
    browser: Browser, tmp_path: Path, scheme: browsers.Scheme, width: int
) -> None:
    file = written(tmp_path, html_reports.pictured_report())
    with browsers.opened(browser, file, scheme=scheme, width=width) as seen:
        seen.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert browsers.violations(seen.page) == []
        assert seen.page.evaluate("document.documentElement.scrollWidth") == width
        assert (seen.complaints, seen.requests, seen.dialogs) == ([], [], [])


def answers() -> dict[str, object]:
    """Return an answer of several verbs, and something that its page shows."""
    asked = MachineAsk(machine_type="n2-standard-16", region="us-central1", usage=Paid.ALL)
    path = PathQuestion(
        src_type="n2-standard-32",
        src_place="us-central1",
        dst_place="europe-west1",
        dst_type="n2-standard-32",
    )
    return {
        "n1-standard-8": reports.recommendation(),
        "egress inside the VPC": caps_of(CapsAsk(machine_type="n2-standard-32"), DAY),
        "e2-standard-32": caps_of(CapsAsk(series=("e2",)), DAY),
        "sustained-use": machine_prices(asked, PriceSource(today=DAY)),
        "if one core carries all": predict_described(path, DAY, 0.9),
        "Impact on the VMs": probe_answers.plan(),
        "Not measured": probe_answers.results(),
        "the rate is missing": probe_answers.imported(),
        "Columns": probe_answers.evaluation(),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("shown", list(answers()))
def test_answers_are_pages_too(
    browser: Browser, tmp_path: Path, scheme: browsers.Scheme, shown: str
) -> None:
    file = tmp_path / "answer.html"
    file.write_text(render(answers()[shown], "html", OPTIONS), "utf-8")
    with browsers.opened(browser, file, scheme=scheme, width=400) as seen:
        assert browsers.violations(seen.page) == []
        assert seen.page.get_by_text(shown).count() >= 1
        assert seen.page.evaluate("document.documentElement.scrollWidth") == 400
        assert (seen.complaints, seen.requests) == ([], [])


def test_axe_sees_a_fault(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "bad.html"
    file.write_text("<!doctype html><title>x</title><p style='color:#bbb'>pale</p><img src=''>")
    with browsers.opened(browser, file) as seen:
        found = " ".join(browsers.violations(seen.page))
    assert "color-contrast" in found
    assert "image-alt" in found


def test_the_policy_stops_what_is_not_ours(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path, reports.gecko_report())
    text = file.read_text("utf-8")
    foreign = "<script>document.title = 'taken'</script><img src=http://127.0.0.1:9/x.png>"
    file.write_text(text.replace("</body>", f"{foreign}</body>"), "utf-8")
    with browsers.opened(browser, file) as seen:
        assert seen.page.title() == "gecko-demo · netplan"
        refused = " ".join(seen.complaints)
        assert "script-src" in refused
        assert "default-src" in refused


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_shown_inert(browser: Browser, tmp_path: Path, text: str) -> None:
    file = written(tmp_path, reports.hostile_report(text))
    with browsers.opened(browser, file) as seen:
        page = seen.page
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.mouse.move(300, 300)
        assert (
            page.evaluate("document.querySelectorAll('img, [onmouseover], [onload]').length") == 0
        )
        assert page.evaluate("document.scripts.length") == 1
        assert text in page.locator("h1").inner_text()
        assert text in page.locator("#first tbody tr").first.inner_text()
        assert (seen.complaints, seen.requests, seen.dialogs) == ([], [], [])


def test_tables_sort_by_what_the_figures_mean(browser: Browser, tmp_path: Path) -> None:
    with browsers.opened(browser, written(tmp_path, html_reports.pictured_report())) as seen:
        page = seen.page
        heads = page.locator("#strips thead th")
        ratio = heads.filter(has_text="p95 of cap")
        assert ratio.get_attribute("aria-sort") is None
        before = column(page, "#strips table", 8)
        ratio.get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert ratio.get_attribute("aria-sort") == "descending"
        assert column(page, "#strips table", 8) == before
        page.keyboard.press("Enter")
        assert ratio.get_attribute("aria-sort") == "ascending"
        assert column(page, "#strips table", 8) == before[::-1]
        heads.filter(has_text="sends").get_by_role("button").click()
        assert ratio.get_attribute("aria-sort") is None
        assert column(page, "#strips table", 3) == sorted(column(page, "#strips table", 3))


@pytest.mark.parametrize(
    ("title", "rising"),
    [
        ("rate", ["under 0.1 Mbit/s", "90 Mbit/s", "1.6 Gbit/s", "2 → 16 Gbit/s", ""]),
        ("bill", ["costs $1,200.50", "saves $9.00", "saves $10,400.00", "unknown", ""]),
        ("size", ["512 MiB", "2.1 GiB", "1,000 GiB", "1.5 TiB", "unknown"]),
        ("time", ["0.4 ms", "120 ms", "45 s", "3 min", "7 days"]),
        ("part", ["under 0.1%", "9%", "80%", "102%", "1,200%"]),
        ("name", ["a-2", "a-10", "b-1", "C-1", "d 5"]),
    ],
)
def test_the_order_of_figures(
    browser: Browser, tmp_path: Path, title: str, rising: list[str]
) -> None:
    is_name = title == "name"
    columns = (Column(title="row"), Column(title="figure", is_number=not is_name))
    mixed = sorted(rising, key=lambda text: text[::-1])
    rows = tuple((line(f"{n}"), line(text)) for n, text in enumerate(mixed))
    page_title = Title(line=line(title), basis=line("made"))
    blocks = (Section(line=line("Figures")), Table(columns=columns, rows=rows))
    file = tmp_path / "table.html"
    file.write_text(render_blocks((page_title, *blocks), "netplan"), "utf-8")
    with browsers.opened(browser, file) as seen:
        head = seen.page.locator("thead th").nth(1)
        for _ in range(1 if is_name else 2):
            head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert column(seen.page, "main table", 2) == rising
        head.get_by_role("button").click()
        figures = [text for text in rising if text not in {"", "unknown"}]
        assert column(seen.page, "main table", 2)[: len(figures)] == figures[::-1]


def test_the_filter_shows_what_it_says(browser: Browser, tmp_path: Path) -> None:
    with browsers.opened(browser, written(tmp_path, html_reports.placed_report())) as seen:
        page = seen.page
        status = page.get_by_role("status")

        def numbers() -> list[str]:
            found: list[str] = page.locator("[data-rule]:visible").evaluate_all(
                "found => found.map(one => one.dataset.number)"
            )
            return found

        def reset() -> None:
            page.get_by_role("button", name="All", exact=True).click()
            expect(status).to_have_text("")

        assert numbers() == ["1", "2", "3", "4"]
        assert status.inner_text() == ""
        page.get_by_label("zone", exact=True).select_option("us-east1-b")
        expect(status).to_contain_text("1 of 4 shown")
        assert numbers() == ["2"]
        reset()
        assert numbers() == ["1", "2", "3", "4"]
        page.get_by_label("severity", exact=True).select_option("high")
        expect(status).to_contain_text("of 4 shown")
        high = page.locator("[data-severity=high]").count()
        assert len(numbers()) == high
        assert 0 < high < 4
        reset()
        page.get_by_label("project", exact=True).select_option("other-project")
        expect(status).to_contain_text("1 of 4 shown")
        assert numbers() == ["3"]
        reset()
        page.get_by_label("rule", exact=True).select_option("needless-external-address")
        expect(status).to_contain_text("1 of 4 shown")
        assert numbers() == ["4"]
        reset()
        page.get_by_label("saves at least", exact=True).fill("100")
        expect(status).to_contain_text("of 4 shown")
        savings = page.locator("[data-rule]:visible").evaluate_all(
            "found => found.map(one => Number(one.dataset.saving))"
        )
        assert savings
        assert min(savings) >= 100
        reset()
        page.get_by_label("contains", exact=True).fill("35.184.0.10")
        expect(status).to_contain_text("of 4 shown")
        assert "1" in numbers()
        page.get_by_label("contains", exact=True).fill("nothing has these letters")
        expect(status).to_contain_text("0 of 4 shown")
        assert seen.complaints == []


def test_findings_fold(browser: Browser, tmp_path: Path) -> None:
    with browsers.opened(browser, written(tmp_path, reports.gecko_report())) as seen:
        page = seen.page
        page.get_by_role("button", name="Unfold").click()
        assert page.locator(".finding[open]").count() == 4
        page.get_by_role("button", name="Fold", exact=True).click()
        assert page.locator(".finding[open]").count() == 0


def test_it_works_without_scripts(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path, html_reports.pictured_report())
    with browsers.opened(browser, file, has_scripts=False) as seen:
        page = seen.page
        assert not page.locator("#filter").is_visible()
        assert page.locator("th button").count() == 0
        second = page.locator("#finding-2")
        assert not second.is_visible()
        page.locator(".finding > summary").nth(1).click()
        assert second.is_visible()
        dollars, volume = page.locator(".show-2").last, page.locator(".show-1").last
        assert volume.is_visible()
        assert not dollars.is_visible()
        page.get_by_role("radio", name="dollars").last.check()
        assert dollars.is_visible()
        assert not volume.is_visible()
        sources = page.locator("#finding-1 details.sources")
        sources.locator("summary").click()
        assert "SKU" in sources.inner_text()
        assert "2026-04-30" in sources.inner_text()
        assert seen.complaints == []


def test_a_link_opens_its_finding(browser: Browser, tmp_path: Path) -> None:
    with browsers.opened(
        browser, written(tmp_path, reports.gecko_report()), has_scripts=False
    ) as seen:
        link = seen.page.locator("#first a").last
        target = seen.page.locator(str(link.get_attribute("href")))
        assert not target.is_visible()
        link.click()
        target.wait_for(state="visible")


@pytest.mark.parametrize("scheme", every(2, ["light", "dark"]))
def test_it_is_seen(browser: Browser, tmp_path: Path, scheme: browsers.Scheme) -> None:
    file = written(tmp_path, html_reports.pictured_report())
    with browsers.opened(browser, file, scheme=scheme) as seen:
        pixels = pixel_bytes(seen.page.screenshot())
        paper = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 29)")
    assert len(set(zip(pixels[0::3], pixels[1::3], pixels[2::3], strict=False))) > 100


@pytest.mark.nightly
def test_it_prints_on_a4_with_all_findings(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path, html_reports.pictured_report())
    with browsers.opened(browser, file) as seen:
        page = seen.page
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 688, "height": 1000})
        assert not page.locator("nav").is_visible()
        assert page.locator("#finding-2").is_visible()
        assert page.locator(".show-2").last.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 688
        made = page.pdf(prefer_css_page_size=True)
    assert made.startswith(b"%PDF")
    assert b"/MediaBox [0 0 594" in made or b"/MediaBox [0 0 595" in made


@pytest.mark.alone
def test_ten_thousand_findings_open_in_three_seconds(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path, reports.crowded_report(10_000, 60))
    assert file.stat().st_size < 8_000_000
    started = time.monotonic()
    with browsers.opened(browser, file) as seen:
        seen.page.locator("#first, #findings").first.wait_for()
        seen.page.evaluate("new Promise(requestAnimationFrame)")
        took_s = time.monotonic() - started
        assert seen.page.locator("[data-rule]").count() == 10_000
        assert seen.complaints == []
    # Three seconds are what a reader waits; a slow machine gets more.
    assert took_s < 12


def pixel_bytes(png: bytes) -> bytes:
    """Return the unpacked lines of a picture: enough to count what is in it."""
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompress(data)
