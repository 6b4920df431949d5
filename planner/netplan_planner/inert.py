r"""Text from the input made harmless: the one door through which it reaches a reader.

Names in a project, a flow log or a label may hold escape sequences, line breaks, characters that
turn the direction of writing, or ten thousand letters. What cannot be printed is shown as an
escape (`\x1b`, `\u202e`), so that it can be seen but does nothing.
"""

import re
import unicodedata

NAME_LENGTH = 80
"""Characters of a name in a table or a list; Google's own names have at most 63."""
TEXT_LENGTH = 600
"""Characters of a sentence."""
LINE_LENGTH = 4000
"""Characters of a line that lists things, such as all regions; and of a CSV cell, which a
spreadsheet ends at 32,767."""
COMMAND_LENGTH = 2000
"""Characters of a command; a longer one is not shown, because half a command is dangerous."""

_FORMULA = tuple("=+-@＝＋－＠")
_MARKS_IN_A_ROW = 3
"""Combining marks that languages need; more of them climb over the neighbouring lines."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORKFLOW_COMMAND = re.compile(r"^(\s*)(::|##)")
"""What GitHub's and Azure's runners obey where a log line begins with it."""
_UNSAFE_IN_JSON = re.compile(r"[^\x00-\x7e]")


def inert(text: str, length: int = TEXT_LENGTH) -> str:
    r"""Return `text` in printable characters on one line, shortened in the middle to `length`.

    >>> inert("a\x1b[31mb\nc")
    'a\\x1b[31mb\\nc'
    >>> inert("x" * 100, 40)
    'xxxxxxxxxxx…(100 characters)…xxxxxxxxxxx'
    """
    count = len(text)
    if count > length:
        text = _shortened(text, length, count)
    if text.isascii():
        shown = text if text.isprintable() else "".join(map(_shown, text))
    else:
        shown = _without_stacks("".join(map(_shown, text)))
    return shown if len(shown) <= length else _shortened(shown, length, count)


def without_command(line: str) -> str:
    r"""Return a line that is no command to a runner of workflows.

    >>> without_command("::add-mask::x"), without_command("main.tf:3: x")
    ('\\x3a:add-mask::x', 'main.tf:3: x')
    """
    return _WORKFLOW_COMMAND.sub(
        lambda found: f"{found[1]}\\x{ord(found[2][0]):02x}{found[2][1]}", line
    )


def inert_line(text: str) -> str:
    """Return a line of an answer as `inert` does; it may be longer than a sentence."""
    return inert(text, LINE_LENGTH)


def inert_cell(text: str) -> str:
    """Return text that no spreadsheet takes for a formula.

    >>> inert_cell("=1+1"), inert_cell(" -2"), inert_cell("vm-1"), inert_cell("")
    ("'=1+1", "' -2", 'vm-1', '')
    """
    shown = inert_line(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def is_inert(text: str, length: int = COMMAND_LENGTH) -> bool:
    """Return whether `text` may be shown letter by letter, as a command must be."""
    return inert(text, length) == text


def scalars(text: str) -> str:
    r"""Return `text` with halves of surrogate pairs replaced, so that it can be written as UTF-8.

    >>> scalars("a\ud800b")
    'a�b'
    """
    return _SURROGATE.sub("\ufffd", text)


def escaped_json(document: str) -> str:
    r"""Return a JSON document with every character that could steer a terminal as `\uXXXX`.

    JSON itself demands that only for the characters below the space. Outside of strings JSON has
    nothing but ASCII, so the values stay what they were.

    >>> escaped_json('"\x9b → \u202e"')
    '"\\u009b → \\u202e"'
    """
    return _UNSAFE_IN_JSON.sub(_json_escape, document)


def _json_escape(match: re.Match[str]) -> str:
    char = match.group()
    if char.isprintable():
        return char
    pair = char.encode("utf-16-be")
    return "".join(f"\\u{pair[i : i + 2].hex()}" for i in range(0, len(pair), 2))


def _shown(char: str) -> str:
    if char.isprintable():
        return char
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\xa0": " "}.get(char)
    if named is not None:
        return named
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _shortened(text: str, length: int, count: int) -> str:
    told = f"…({count:,} characters)…"
    kept = max(length - len(told), 2)
    head = (kept + 1) // 2
    return f"{text[:head]}{told}{text[len(text) - (kept - head) :]}"


def _without_stacks(text: str) -> str:
    """Return `text` with at most a few combining marks on one letter; the rest is counted."""
    kept: list[str] = []
    run = 0
    for char in text:
        run = run + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if run <= _MARKS_IN_A_ROW:
            kept.append(char)
        else:
            kept.append(f"\\u{ord(char):04x}" if run == _MARKS_IN_A_ROW + 1 else "")
    return "".join(kept)
