"""An answer as one comment of a merge request of GitLab, to be updated in place.

As GitHub's, and harmless there too: GitLab obeys a line that begins with a slash, and links
`!1`, `~label`, `%milestone`, `$snippet` and `&epic`.
"""

import re
from collections.abc import Iterable, Iterator

from netplan_planner.renderers import github_comment, markdown
from netplan_planner.renderers.document import Block
from netplan_planner.renderers.options import RenderOptions

_BREAK = "&#8203;"
_CODE_SPAN = re.compile(r"((?<![\\`])(`+)(?!`).*?(?<!`)\2(?!`))")
_REFERENCE = re.compile(r"(!|\\?~|%|\$|\^|&amp;)(?=[\w\"])")
_FENCE = re.compile(r"`{3,}")


def render(answer: object, options: RenderOptions) -> str:
    """Return the comment with its marker."""
    return github_comment.render(answer, options, _lines)


def _lines(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield lines of Markdown; those of code blocks, which GitLab leaves alone, as they are."""
    fence = ""
    for line in markdown.lines_of(blocks):
        begun = _FENCE.match(line)
        yield line if fence or begun else _inert(line)
        if fence:
            fence = "" if line == fence else fence
        elif begun:
            fence = begun[0]


def _inert(line: str) -> str:
    """Return a line outside of code blocks that GitLab takes for text.

    >>> _inert("/close now"), _inert("saves $5 `a!1` !2")
    ('&#47;close now', 'saves $&#8203;5 `a!1` !&#8203;2')
    """
    pieces = _CODE_SPAN.split(line)
    for at in range(0, len(pieces), 3):
        pieces[at] = _REFERENCE.sub(rf"\1{_BREAK}", pieces[at])
    # A piece of code is followed by its own fence.
    shown = "".join(piece for at, piece in enumerate(pieces) if at % 3 != 2)
    return re.sub(r"^(\s*)/", r"\1&#47;", shown)
