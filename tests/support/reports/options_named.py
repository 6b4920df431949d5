"""Where a page speaks of the command line's options."""

import html
import re

BLOCKS = re.compile(r"</?(?:p|li|td|th|div|section|h\d|summary|dt|dd|pre|details|text)\b[^>]*>")
COMMANDS = re.compile(r"`?\b(?:gcloud|kubectl|netplan [a-z-]+|iperf3) [^`;]*")
OPTION = re.compile(r"(?<![\w-])-(?:-[a-z][a-z-]*|[a-z])\b")


def said(page: str) -> list[str]:
    """Return the lines of a page that name an option outside of a command."""
    shown = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    lines = (html.unescape(re.sub(r"<[^>]*>", "", one)) for one in BLOCKS.split(shown))
    return [one.strip() for one in lines if OPTION.search(COMMANDS.sub("", one))]
