"""The last handler: an error that nobody foresaw becomes one line, and with `--debug` its trace.

What the inputs hold never gets into either: messages of such errors quote values, and a value may
be a key. Texts between quotes are shown by their length alone.
"""

import re
import sys
import traceback
from collections.abc import Mapping, Sequence

from netplan_planner.cli.options import WITH_VALUE
from netplan_planner.cli.verbs import VERBS
from netplan_planner.inert import inert, inert_line
from netplan_planner.input_files import is_path, read_when

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
"""What a variable or an option is named that holds a secret."""
_OF_URL = re.compile(
    r":/{1,2}(?:[^/\s@:]*:)?([^@/\s]+)@|[?&;#](?:[^=&;#]*[_-])?"
    r"(?:key|token|secret|passw\w*|pwd|pass|auth|sig|signature)=([^&;#\s]+)",
    re.IGNORECASE,
)
"""A password, and a value in a query whose name says that it is one; paths have one stroke."""
_SHORTEST = 6
"""Characters of a secret; a shorter one would be found in every other word."""
_WITHHELD = "(not shown)"
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[bru]?'[^']*$", re.DOTALL)
_LONG_WORD = re.compile(r"[\w+/=.~-]{24,}")
"""A word so long may be a key."""
_MESSAGE_LENGTH = 300


def withheld(text: str, environment: Mapping[str, str], words: Sequence[str]) -> str:
    """Return a text without the values of secret variables and options.

    Args:
        text: Of an error.
        environment: Variables; those whose name says so hold secrets.
        words: The command line.

    >>> withheld("refused: abcdef123", {"MY_API_KEY": "abcdef123"}, ())
    'refused: (not shown)'
    """
    # A URL in the text may be of a file of settings.
    for secret in secrets_of(environment, (text, *words)):
        text = text.replace(secret, _WITHHELD)
    return text


def secrets_of(environment: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """Return the values of secret variables and options, and those in URLs, long ones first.

    >>> secrets_of({}, ["gs://b", "https://me:hunter2@h/x?sig=abcdef123"])
    ['abcdef123', 'hunter2']
    """
    found = [value for name, value in environment.items() if _SECRET_NAME.search(name)]
    own = [value for name, value in environment.items() if name.startswith("NETPLAN_")]
    found += [one for text in (*words, *own) for pair in _OF_URL.findall(text) for one in pair]
    for before, word in zip(["", *words], words, strict=False):
        name, is_joined, value = word.partition("=")
        if name.startswith("--") and is_joined and _SECRET_NAME.search(name):
            found.append(value)
        elif before.startswith("--") and "=" not in before and _SECRET_NAME.search(before):
            found.append(word)
    # A file's path is no secret: GOOGLE_APPLICATION_CREDENTIALS names one.
    kept = {one for one in found if len(one) >= _SHORTEST and not is_path(one)}
    return sorted(kept, key=len, reverse=True)


def without_values(text: str) -> str:
    """Return a message without what it quotes.

    >>> without_values("could not convert string to float: 'hunter2'")
    'could not convert string to float: (9 characters)'
    """
    told = _QUOTED.sub(lambda found: f"({len(found[0])} characters)", text)
    return _LONG_WORD.sub(lambda found: f"({len(found[0])} characters)", told)


def line_of(exc: BaseException, words: Sequence[str]) -> str:
    """Return the one line on an error that nobody foresaw: what was read, and how to learn more."""
    when = inert(read_when(exc))
    if isinstance(exc, MemoryError):
        what = "not enough memory"
    elif isinstance(exc, RecursionError):
        what = "the input is nested too deeply"
    elif isinstance(exc, OSError) and exc.strerror:
        what = f"{inert(str(exc.filename))}: {exc.strerror}" if exc.filename else exc.strerror
    else:
        what = f"unexpected error ({type(exc).__name__})"
    pairs = zip(["", *words], words, strict=False)
    verb = next((one for before, one in pairs if one in VERBS and before not in WITH_VALUE), "")
    again = f"netplan --debug {verb} …" if verb else "netplan --debug"
    return inert_line(f"{what}{', ' if when else ''}{when}; `{again}` shows the stack trace")


def trace_of(exc: BaseException) -> str:
    """Return where an error arose, and the errors behind it, without what any of them quotes."""
    found = traceback.TracebackException.from_exception(exc, lookup_lines=True)
    lines: list[str] = []
    _add(found, lines, depth=0)
    return "\n".join(lines)


def _add(found: traceback.TracebackException, lines: list[str], depth: int) -> None:
    behind = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    if behind is not None and depth < sys.getrecursionlimit() // 100:
        _add(behind, lines, depth + 1)
        lines.append("which led to")
    for frame in _shortened([*found.stack]):
        lines += [line.rstrip() for line in frame.splitlines()]
    name = found.exc_type.__name__ if found.exc_type else "error"
    lines.append(f"{name}: {inert(without_values(str(found)), _MESSAGE_LENGTH)}")


def _shortened(stack: list[traceback.FrameSummary]) -> list[str]:
    """Return frames as text; of a deep recursion the first and the last ones."""
    most = 20
    if len(stack) <= 2 * most:
        return traceback.StackSummary.from_list(stack).format()
    left_out = [f"  … {len(stack) - 2 * most:,} more"]
    first = traceback.StackSummary.from_list(stack[:most]).format()
    last = traceback.StackSummary.from_list(stack[-most:]).format()
    return [*first, *left_out, *last]
