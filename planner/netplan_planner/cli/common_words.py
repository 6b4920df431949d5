"""Options of the whole command, which may stand before the verb or behind it.

Behind a verb that has an option of the same spelling, that one is meant. Where it takes a value
and none stands behind it (`audit --explain`), it means what the flag does: all.
"""

from collections.abc import Sequence
from typing import Any

FLAGS = frozenset({"--quiet", "-q", "--explain", "-v"})
WITH_VALUE = frozenset({"--config"})
_NO_MORE_OPTIONS = "--"
ALL = "all"
"""The value of a verb's own option that is a flag before the verb."""


def in_front(words: Sequence[str], root: Any) -> list[str]:
    """Return a command line with the whole command's options before the verb.

    Args:
        words: Of the command line, without the program's name.
        root: The command, which knows its verbs and what they take.
    """
    front: list[str] = []
    rest: list[str] = []
    command, taken = root, dict[str, Any]()
    at = 0
    while at < len(words):
        word = words[at]
        if word == _NO_MORE_OPTIONS:
            return [*front, *rest, *words[at:]]
        name, equals, _ = word.partition("=")
        if name in FLAGS | WITH_VALUE and name not in taken:
            size = 2 if name in WITH_VALUE and not equals else 1
            front += words[at : at + size]
            at += size
            continue
        inner = getattr(command, "commands", {}).get(word)
        if inner is not None:
            command = inner
            taken = {spelling: one for one in inner.params for spelling in one.opts}
        rest.append(word)
        at += 1
        if word in FLAGS and _takes_value(taken[word]) and _is_option([*words[at:], "--"][0]):
            rest.append(ALL)
    return [*front, *rest]


def _takes_value(parameter: Any) -> bool:
    return not (parameter.is_flag or parameter.count)


def _is_option(word: str) -> bool:
    return word.startswith("-")
