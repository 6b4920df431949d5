"""Names in the program are the field's plain words; others stand in the glossary with a reason."""

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from support.commands.run import ROOTS

PRIVATE = (
    "claim",
    "face",
    "habit",
    "lane",
    "latent",
    "lesson",
    "regime",
    "slot",
    "stranger",
    "stray",
    "talk",
    "tenure",
)
"""Words that say nothing to a reader who knows networks."""
EXPLAINED = frozenset({"latent", "lesson", "regime", "slot", "talk"})
"""Those of them that files of users, published tables or names of rules carry."""
BEGUN = re.compile(
    "|".join(rf"(?<![a-z]){one}|{one.title()}|(?<![A-Z]){one.upper()}" for one in PRIVATE)
)
"""What a name with such a word has; files without it are not taken apart."""
GLOSSARY = Path(__file__).parents[2] / "docs/reference/glossary.md"


def words_of(name: str) -> Iterator[str]:
    """Yield the words of a name, in small letters and without a plural's ending."""
    for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name):
        yield part.lower().removesuffix("s")


def found() -> set[str]:
    """Return the private words that names in the program have."""
    words: set[str] = set()
    for root in ROOTS:
        for file in root.glob("netplan_*/**/*.py"):
            words.update(word for part in file.stem.split("_") for word in words_of(part))
            if not BEGUN.search(text := file.read_text("utf-8")):
                continue
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                    words.update(words_of(token.string))
    return words & {*PRIVATE}


def test_private_words_are_those_that_the_glossary_explains() -> None:
    assert found() == EXPLAINED
    text = GLOSSARY.read_text("utf-8")
    assert all(re.search(rf"\b{word}s?\b", text) for word in EXPLAINED)
