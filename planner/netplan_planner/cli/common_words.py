"""Options of the whole command, which may stand before the verb or behind it.

Behind a verb that has an option of the same spelling, that one is meant.
"""

from collections.abc import Sequence
from typing import Any

FLAGS = frozenset({"--quiet", "-q", "--explain", "-v"})
WITH_VALUE = frozenset({"--config"})
_NO_MORE_OPTIONS = "--"


def in_front(words: Sequence[str], root: Any) -> list[str]:
    """Return a command line with the whole command's options before the verb.

    Args:
        words: Of the command line, without the program's name.
        root: The command, which knows its verbs and what they take.
    """
    front: list[str] = []
    rest: list[str] = []
    command, taken = root, set[str]()
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
            taken = {spelling for one in inner.params for spelling in one.opts}
        rest.append(word)
        at += 1
    return [*front, *rest]
