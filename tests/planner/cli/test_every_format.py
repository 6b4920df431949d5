"""Every verb in every format at once: each file is whole, and harmless to whoever opens it."""

import json
import re
from contextlib import ExitStack
from html.parser import HTMLParser
from pathlib import Path

import pytest

from netplan_planner.renderers.output import FORMATS
from support.commands.in_process import netplan
from support.commands.lines import VERBS, success
from support.reports.options_named import said

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
HOSTILE = "<script>alert(1)<b onclick=x>"
"""A folder's name, which verbs that read files show."""
LOADING = {"src", "srcset", "action", "formaction", "xlink:href", "data", "poster", "background"}
"""Attributes that make a browser ask for something."""
OF_FRAMES = {"link", "img", "iframe", "object", "embed", "base", "image", "use", "video", "audio"}


class Tags(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module", params=VERBS)
def verb(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def written(verb: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what a verb writes, by format; the last one goes to the standard output."""
    folder = tmp_path_factory.mktemp("verb") / HOSTILE
    folder.mkdir()
    *others, last = FORMATS
    files = {form: folder / f"answer.{form}" for form in others}
    outputs = [word for form, file in files.items() for word in ("-o", f"{form}:{file}")]
    with ExitStack() as stack:
        done = netplan(*success(verb, folder, stack), *outputs, "--output", last)
    assert done.status == 0, done.err
    return {form: file.read_text("utf-8") for form, file in files.items()} | {last: done.out}


def test_each_is_written(written: dict[str, str]) -> None:
    assert set(written) == set(FORMATS)
    for form, text in written.items():
        assert text.strip(), form
        assert text.endswith("</html>\n" if form == "html" else "\n"), form
        assert not text.endswith("\n\n"), form
        assert "\x1b" not in text, form


def test_json_names_its_published_schema(written: dict[str, str]) -> None:
    document = json.loads(written["json"])
    assert (SCHEMAS / f"{document['schema']}.json").is_file()


def test_a_page_asks_for_nothing_and_says_so(written: dict[str, str]) -> None:
    page = written["html"]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    for tag, attributes in Tags(page).found:
        assert tag not in OF_FRAMES
        assert not attributes.keys() & LOADING
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
    for asset in re.findall(r"<(?:style|script)>(.*?)</", page, re.DOTALL):
        assert not re.search(r"url\(|@import|https?:|fetch|XMLHttp|innerHTML|eval\(", asset)


def test_a_page_is_titled_with_what_it_is(verb: str, written: dict[str, str]) -> None:
    title = re.search("<title>([^<]*)</title>", written["html"])
    assert title is not None
    assert title[1].endswith(f"netplan {verb}")
    heading = re.search("<h1>(.*?)</h1>", written["html"], re.DOTALL)
    assert heading is not None
    assert heading[1].strip()


def test_times_have_one_sign(written: dict[str, str]) -> None:
    """A number of things, such as 3 × n2-standard-8; a factor is 3.9x."""
    for form, text in written.items():
        assert not re.search(r"\d x [\w$]", text), form


def test_a_page_names_no_option(verb: str, written: dict[str, str]) -> None:
    # Options are what `config show` lists.
    assert verb == "config show" or said(written["html"]) == []


def test_names_are_no_markup(written: dict[str, str]) -> None:
    assert "<script>alert" not in written["html"]
    assert "<b onclick" not in written["html"]
    # What stands in code is shown as it is.
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", written["md"], flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<[a-z!/]", prose)


def test_every_answer_with_prices_names_the_snapshot() -> None:
    """The same inputs give the same bytes only with the same prices."""
    files = {file.parent.name: file.read_text() for file in SCHEMAS.glob("*/*.json")}
    priced = [
        name for name, text in files.items() if '"price_age"' in text or "prices_as_of" in text
    ]
    assert len(priced) > 15
    assert [name for name in priced if '"prices_sha256"' not in files[name]] == []
