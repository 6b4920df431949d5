"""The product speaks plainly: none of `tests/words.txt`, no endless sentence, nothing said twice.

Read are the strings of the program and of the rules' documents, the pages of the documentation,
then answers: the goldens, the embedded samples in every format, and the audit of a generated
project (its goldens).
"""

import ast
import html
import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from support.commands.in_process import netplan
from support.commands.run import ROOTS

TESTS = Path(__file__).parents[1]
HOME = TESTS.parent
GOLDEN = TESTS / "golden"
MOST_WORDS = 30
"""Of a sentence; the style is 20."""
UNREAD = ("planner/netplan_planner/throughput/limits/shared_by.py",)
"""Files that hold such words as keys of stored files, which stay."""
PAGES = (
    *("README.md", "CONTRIBUTING.md", "docs/**/*.md", "tests/README.md", "benchmarks/README.md"),
    *("planner/README.md", "pricing/README.md", "rules/README.md"),
)
NOT_YET = ("docs/adr",)
"""Pages, or folders of them, that are not plain yet; decisions keep the words of their day."""
HIDDEN = re.compile(r"^(?: *)(```+).*?^ *\1 *$|<!--.*?-->", re.DOTALL | re.MULTILINE)
"""Of a page: code and comments."""
INLINE = re.compile(r"``.*?``|`[^`]*`|(?<=\])\([^)]*\)")
"""Of a paragraph: code, and where links lead."""
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) |\s*\||#)|(?<!\\)\|")
"""Between paragraphs, points of a list, headings and cells of a table."""
ROWS = re.compile(r"[│┃|]| {2,}|\t")
"""Between cells of a table."""
AGES = re.compile(r"\b(?:over \d+ days|prices of [-\d]+ are) old\b")
"""The line that ends a text; a finding on the snapshot itself has the number of its days."""
SKIPPED = re.compile(
    r"\b\d+ (?:more )?rules? (?:was |were )?(?:skipped|not evaluated)|\bSkipped: \d"
)
NOT_PROSE = re.compile(
    r"\b(?:SELECT|FROM|CASE|THEN|GREATEST|read_csv)\b|set -u|^\s*(?:gcloud|netplan|iperf3) "
    r"|; then\n|\n(?:from \w|say |ulimit )|\n *select |^title = |^\s*(?:[A-Z]{3}\s+){9}"
)
"""Statements, scripts, commands, sources and lists of codes."""
BLOCK = re.compile(
    r"</?(?:article|body|br|button|caption|d[dlt]|details|div|figcaption|figure|h[1-6]|header|label"
    r"|li|main|nav|ol|option|p|pre|section|summary|svg|t[dhr]|table|text|title|ul)\b[^>]*>"
)
"""What ends a paragraph of a page."""
FIELD = re.compile(r"\{[a-z_]+(?::[^{}]*)?\}")
CODE = re.compile(r"`[^`]*`|\S*[-_/=]\S*|\{[^{}]*\}")
"""A word that is no word of a sentence: code, an option, a path, a value."""


class Word(NamedTuple):
    """A line of `words.txt`."""

    pattern: str
    instead: str

    def is_in(self, text: str) -> bool:
        return re.search(self.pattern, text, re.IGNORECASE) is not None


@cache
def words() -> tuple[Word, ...]:
    lines = (TESTS / "words.txt").read_text("utf-8").splitlines()
    return tuple(Word(*line.split("\t")) for line in lines if line and not line.startswith("#"))


@cache
def any_word() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one.pattern})" for one in words()), re.IGNORECASE)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each with code as one word; a line break ends none."""
    for one in re.split(r"(?<=[.!?])\s| · ", text):
        yield CODE.sub("x", one)


def faults(text: str) -> Iterator[str]:
    """Yield what is not plain in a text of more than one word; fields and keys are none."""
    if " " not in text.strip():
        return
    text = FIELD.sub("{}", text)
    if any_word().search(text):
        yield from (f"{one.pattern} ({one.instead})" for one in words() if one.is_in(text))
    yield from (
        f"{len(one.split())} words: {one[:60]}…"
        for one in sentences(text)
        if len(one.split()) > MOST_WORDS
    )


def template(node: ast.JoinedStr) -> str:
    """Return a text with its fields as `{}`."""
    return "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)


def _is_kind(key: ast.expr | None) -> bool:
    """Return whether a key says the kind of a row of data, whose values are no words for people."""
    return isinstance(key, ast.Constant) and key.value == "kind"


def literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that somebody may read, with their lines: no docstring."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            inside.update(id(one) for one in node.values)
            yield node.lineno, template(node)
        elif isinstance(node, ast.keyword) and node.arg == "kind":
            inside.add(id(node.value))
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            inside.update(id(one) for key, one in pairs if _is_kind(key))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in inside:
            continue
        if isinstance(node.value, str):
            yield node.lineno, node.value


def template_texts(template: str) -> Iterator[str]:
    """Yield the texts of a template of a page, with its values as `{}`."""
    text = re.sub(
        r"\{#.*?#\}|\{%.*?%\}|<(style|script|code)\b.*?</\1>", "", template, flags=re.DOTALL
    )
    yield from re.split(r"<[^>]*>", re.sub(r"\{\{.*?\}\}", "{}", text, flags=re.DOTALL))


def texts_of(value: Any) -> Iterator[str]:
    """Yield the texts of a document, not its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts_of(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts_of(one)


@cache
def strings() -> tuple[tuple[str, int, str], ...]:
    """Return file, line and text of everything that the product may say."""
    found: list[tuple[str, int, str]] = []
    for root in ROOTS:
        for file in sorted(root.glob("netplan_*/**/*")):
            name = file.relative_to(HOME).as_posix()
            if file.suffix == ".py":
                told = literals(ast.parse(file.read_text("utf-8")))
            elif file.suffix == ".toml":
                told = ((1, one) for one in texts_of(tomllib.loads(file.read_text("utf-8"))))
            elif file.suffix == ".j2":
                told = ((1, one) for one in template_texts(file.read_text("utf-8")))
            else:
                continue
            found.extend((name, at, text) for at, text in told if is_prose(text))
    return tuple(found)


def is_prose(text: str) -> bool:
    """Return whether a text has words with blanks between them, or is a word of the list."""
    return not NOT_PROSE.search(text) and (" " in text.strip() or text.isalpha())


def room_of(name: str) -> str:
    """Return the entry of the list that a file belongs to; empty where it is held to the words."""
    return next((one for one in UNREAD if name == one or name.startswith(f"{one}/")), "")


@cache
def by_room() -> dict[str, list[str]]:
    """Return what is not plain in the product, by entry of the list."""
    found: dict[str, list[str]] = {}
    for name, at, text in strings():
        for fault in faults(text):
            found.setdefault(room_of(name), []).append(f"{name}:{at}: {fault}: {text[:90]}")
    return found


def test_the_product_has_none_of_the_words() -> None:
    assert not by_room().get(""), "\n".join(by_room()[""])


def test_the_list_of_what_is_unread_shrinks() -> None:
    assert set(UNREAD) <= by_room().keys(), "plain by now: take it out of UNREAD"


def page_faults(text: str) -> Iterator[str]:
    """Yield what is not plain in the prose of a page: its code and where links lead are none."""
    for paragraph in PARAGRAPH.split(HIDDEN.sub("\n\n", text)):
        words_only = " ".join(INLINE.sub("x", paragraph).lstrip("# \n-").split())
        yield from (f"{fault}: {words_only[:90]}" for fault in faults(words_only))


@cache
def by_page() -> dict[str, list[str]]:
    """Return what is not plain in the documentation, by page."""
    files = sorted(file for pattern in PAGES for file in HOME.glob(pattern))
    assert len(files) > len(PAGES)
    pages = {file.relative_to(HOME).as_posix(): file.read_text("utf-8") for file in files}
    return {name: list(page_faults(text)) for name, text in pages.items()}


def test_the_documentation_has_none_of_the_words() -> None:
    found = [
        f"{name}: {fault}"
        for name, told in by_page().items()
        if not name.startswith(NOT_YET)
        for fault in told
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("entry", NOT_YET)
def test_the_list_of_pages_shrinks(entry: str) -> None:
    told = [one for name, ones in by_page().items() if name.startswith(entry) for one in ones]
    assert told, "plain by now: take it out of NOT_YET"


@pytest.mark.parametrize(
    ("text", "fault_count"),
    [
        ("# The dearest\n\n| the dearest pair | 4 machines |\n", 3),
        ("```text\nthe dearest pair\n```\n\n`the dearest pair` is [here](the dearest.md)\n", 0),
        (f"- {'word ' * 20}\n- {'word ' * 20}\n", 0),
        (f"- {'word ' * 20}\n  {'word ' * 20}\n", 1),
    ],
)
def test_a_fault_of_a_page_is_found(text: str, fault_count: int) -> None:
    assert len(list(page_faults(text))) == fault_count


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("the dearest pair", False),
        ("$7.30 a month", False),
        ("$7.30/month", True),
        ("4 machines send", False),
        ("a machine type, machine_type, --machine-type, general-purpose-machines", True),
        (f"{'word ' * 31}", False),
        (f"{'word ' * 20}: {'word ' * 20}", False),
        (f"{'word ' * 20}\n{'word ' * 20}", False),
        (f"{'word ' * 20}. {'word ' * 20}", True),
        (f"use `{'word ' * 40}`", True),
    ],
)
def test_a_fault_is_found(text: str, is_plain: bool) -> None:
    assert (not list(faults(text))) is is_plain


@cache
def still_said() -> re.Pattern[str]:
    """Return the words that rooms of the list still have: an answer may repeat them."""
    told = [text for name, _, text in strings() if room_of(name)]
    left = [one.pattern for one in words() if any(map(one.is_in, told))]
    return re.compile("|".join(f"(?:{one})" for one in left) or "(?!)", re.IGNORECASE)


def in_answer(text: str) -> Iterator[str]:
    """Yield the faults of an answer that no room of the list is the reason of."""
    yield from (one for one in words_in(text) if not still_said().search(one))
    if not NOT_PROSE.search(text):
        yield from (one for one in faults(text) if " words: " in one)


def words_in(text: str) -> Iterator[str]:
    return (found[0] for found in any_word().finditer(text))


def prose_of(form: str, text: str) -> Iterator[str]:
    """Yield the texts of an answer."""
    if form == "json":
        yield from (one for one in texts_of(json.loads(text)) if is_prose(one))
    elif form == "html":
        page = re.sub(r"<(style|script|code)\b.*?</\1>", " ", text, flags=re.DOTALL)
        told = (re.sub(r"<[^>]*>", "", one) for one in BLOCK.split(page))
        yield from (html.unescape(one) for one in told if one.strip())
    else:
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        yield from (one for row in prose.splitlines() for one in ROWS.split(row) if one.strip())


DEMOS = (
    "audit --demo gecko --fail-on never --full",
    "audit --demo interzone --fail-on never",
    "audit --demo gecko --fail-on never --show 1",
    "flow-logs plan --demo gecko",
    "graph --demo gecko",
    "whatif --demo gecko --vm transcoder-1 --machine-type n1-standard-4",
    "job --demo dobermanifesto",
    "probe plan --demo gecko",
    "forecast --series docs/examples/series.csv",
    "fleet --needs docs/examples/needs.csv",
    "flow-logs cost --records docs/examples/records.csv",
    "place --vms docs/examples/vms.csv --edges docs/examples/edges.csv"
    " --zones docs/examples/zones.csv",
    "predict c3-standard-176 n1-standard-1 --streams 16",
    "recommend --gbps 10 --region us-central1",
    "price traffic --from us-central1 --to europe-west1 --gib 1000",
    "transfer --from us-central1 --to europe-west4 --bytes 10TB --series n2 --max-count 4 --top 2",
)
OF_FILES = ("md", "json", "html")


def shown() -> Iterator[tuple[str, str, str]]:
    """Yield a name, the format and the text of every answer that is kept whole."""
    for file in sorted(GOLDEN.glob("**/*")):
        if file.suffix[1:] in {"txt", "md", "json"}:
            yield file.name, file.suffix[1:].replace("txt", "text"), file.read_text("utf-8")


def test_answers_that_are_kept_have_none_of_the_words() -> None:
    found = [
        f"{name}: {fault}"
        for name, form, text in shown()
        for one in prose_of(form, text)
        for fault in in_answer(one)
    ]
    assert not found, "\n".join(found)


def test_places_that_rules_name_have_none_of_the_words() -> None:
    found = [
        f"{file.parent.name}: {one['subject']}"
        for file in sorted((TESTS.parent / "rules/fixtures").glob("*/*.json"))
        for one in json.loads(file.read_text("utf-8")).get("expect", ())
        if any_word().search(str(one.get("subject", "")))
    ]
    assert not found, "\n".join(found)


@pytest.fixture(scope="module", params=DEMOS)
def answer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Return what a verb says of an embedded sample, by format."""
    folder = tmp_path_factory.mktemp("plain")
    line: str = request.param
    forms = () if "--show" in line else OF_FILES
    outputs = [word for form in forms for word in ("-o", f"{form}:{folder / form}")]
    with patch.dict(os.environ, {"COLUMNS": "10000"}):  # no line is cut, so each sentence is whole
        done = netplan(*shlex.split(line), *outputs, "-o", "text")
    assert done.status <= 1, done.err
    return {"text": done.out} | {form: (folder / form).read_text("utf-8") for form in forms}


def test_answers_to_samples_are_plain(answer: dict[str, str]) -> None:
    found = [
        f"{form}: {fault}: {one[:90]}"
        for form, text in answer.items()
        for one in prose_of(form, text)
        for fault in in_answer(one)
    ]
    assert not found, "\n".join(found)


def test_answers_say_a_thing_once(answer: dict[str, str]) -> None:
    said_once(answer["text"])


def test_reports_that_are_kept_say_a_thing_once() -> None:
    for name, form, text in shown():
        if form == "text":
            said_once(text, name)


def said_once(text: str, name: str = "") -> None:
    """Hold a text to one line on the age of prices and one on how many rules were skipped."""
    whole = " ".join(text.split())
    for fact in (AGES, SKIPPED):
        assert len(fact.findall(whole)) <= 1, (name, fact.findall(whole))


def test_the_glossary_is_short() -> None:
    text = (HOME / "docs/reference/glossary.md").read_text("utf-8").partition("\n## ")[0]
    entries = re.findall(r"^\| (?!---|term )[^|]+\|", text, re.MULTILINE)
    assert 0 < len(entries) <= 40
