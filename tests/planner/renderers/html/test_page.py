"""The text of a page: its policy, its size, that everything is in it, once."""

import base64
import hashlib
import re
from decimal import Decimal
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers import RenderOptions, render
from support.probes import answers as probe_answers
from support.reports import made as reports
from support.reports import pages as html_reports

OPTIONS = RenderOptions(rules=reports.RULES)
EUROS = CurrencyRate(code="EUR", per_usd=Decimal("0.5"), as_of="2026-04-29")
VOID = {"meta", "input", "wbr", "link", "img", "br", "hr"}


class Elements(HTMLParser):
    """Start tags with attributes, ids, text, and whether every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page(report: object = None, options: RenderOptions = OPTIONS) -> str:
    return render(report or html_reports.pictured_report(), "html", options)


def test_the_policy_names_its_own_style_and_script_and_nothing_else_is_asked_for() -> None:
    made = page()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', made)
    assert policy is not None
    for kind in ("style", "script"):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", made, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    # Nothing is asked for and nothing runs from attributes.
    for tag, attributes in Elements(page()).tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "image", "use"}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert not attributes.keys() & {"src", "srcset", "action", "formaction", "xlink:href"}
        if "href" in attributes:
            assert str(attributes["href"]).startswith("#")
    for asset in re.findall(r"<(?:style|script)>(.*?)</", page(), re.DOTALL):
        assert not re.search(r"url\(|@import|https?:|fetch|XMLHttp|innerHTML|eval\(", asset)


@pytest.mark.parametrize(
    "report",
    [
        html_reports.pictured_report(),
        reports.empty_report(),
        reports.crowded_report(9, 4),
        probe_answers.plan(),
        probe_answers.results(),
        probe_answers.imported(),
        probe_answers.evaluation(),
    ],
)
def test_elements_nest_ids_are_unique_and_links_lead_somewhere(report: object) -> None:
    made = Elements(page(report))
    assert (made.faults, made.open) == ([], [])
    ids = [attributes["id"] for _, attributes in made.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {str(attributes["href"])[1:] for _, attributes in made.tags if "href" in attributes}
    assert links <= set(ids)


def test_it_says_what_the_text_says() -> None:
    """Words of every section of the text report stand in the page too."""
    text = render(reports.gecko_report(), "text", replace(OPTIONS, width=4000))
    shown = "".join(Elements(page(reports.gecko_report())).words)
    shown_words = set(re.findall(r"[\w.$,/-]+", shown))
    missing = {
        word
        for line in text.splitlines()
        if not re.search(r"(?<![\w-])-(?:-[a-z]|v\b)", line)
        for word in re.findall(r"[\w.$,/-]+", line)
        if word.strip(".,") and word not in shown_words and word.lower() not in shown_words
    }
    # Hints to options, which a page leaves out, and the line that the page has as a table.
    assert missing <= {"below", "first", "In"}


def test_findings_have_their_sources_without_being_asked() -> None:
    made = page(reports.gecko_report())
    text = " ".join("".join(Elements(made).words).split())
    for word in ("SKU 0000-AAAA-0001", "flow logs", "inventory/instances.json:/1", "2026-07-30"):
        assert word in text


def test_findings_are_cut_with_a_count_or_are_all_there() -> None:
    report = reports.crowded_report(1, 120)
    assert "and 70 more resources" in page(report)
    assert "more resources" not in page(report, replace(OPTIONS, max_members=0)).split("also")[0]
    assert "and 117 more resources" in page(report, replace(OPTIONS, max_members=3))
    # Many findings stay openable and are all there.
    made = page(reports.crowded_report(10_000, 20))
    assert len(made.encode()) < 8_000_000
    numbers = [int(found) for found in re.findall(r'data-number="(\d+)"', made)]
    assert numbers == list(range(1, 10_001))
    assert "further findings, one line each" in made
    # A number of findings in full is followed.
    made = page(reports.crowded_report(12), replace(OPTIONS, max_findings=5))
    assert made.count('<details class="finding"') == 5
    assert made.count("<tr data-number") == 7
    assert page(reports.crowded_report(12), replace(OPTIONS, max_findings=0)).count("<tr d") == 0
    # More than a page holds is counted.
    made = page(reports.crowded_report(25_000))
    numbers = re.findall(r'data-number="(\d+)"', made)
    left = re.search(r"and ([\d,]+) more findings, in the JSON output", made)
    assert left is not None
    assert len(numbers) + int(left[1].replace(",", "")) == 25_000
    assert len(made.encode()) < 8_000_000


def test_no_finding_is_no_silence() -> None:
    assert "All rules were checked. No findings." in page(reports.empty_report())
    bare = replace(reports.report_without_traffic(), findings=())
    assert "traffic is missing" in page(bare)
    # An answer that nothing meets is a page.
    from netplan_planner.model import Infeasible

    answer = Infeasible(
        need=reports.machine_plan().need, binding="vm-egress", shortfall="200 Gbit/s are the most"
    )
    assert "Infeasible:" in page(reports.recommendation(answer))


def test_a_currency_is_followed() -> None:
    made = page(options=replace(OPTIONS, currency=EUROS))
    body = made.partition("<body>")[2].partition("<script>")[0]
    assert "EUR 321.5" in body
    # Steps of severity are set in dollars, and are told in them.
    dollars = re.findall(r"(?:saves at least )?\$[\d.,]+", body)
    assert set(dollars) == {"saves at least $643.07", "$100"}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_text_makes_a_page_of_the_same_shape(text: str) -> None:
    made = Elements(page(reports.hostile_report(f"x{text}")))
    plain = Elements(page(reports.hostile_report("x-x")))
    assert (made.faults, made.open) == ([], [])
    assert {tag for tag, _ in made.tags} <= {tag for tag, _ in plain.tags}
