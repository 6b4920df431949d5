"""What the options of `netplan probe` say: pairs, ends and ports."""

import re
from collections.abc import Sequence

from netplan_planner.errors import UsageError

_PORTS = re.compile(r"(\d{1,5})-(\d{1,5})")
_SHOWN = 80
"""Characters of a text that is refused."""


def pairs(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return pairs of names written as `SRC:DST`.

    A project id may hold a colon of its own (`example.com:web`), in `project/zone/name`.

    Raises:
        UsageError: If a text has no two names.

    >>> pairs(["vm-1:vm-2", "example.com:p/z/a:example.com:p/z/b"])
    (('vm-1', 'vm-2'), ('example.com:p/z/a', 'example.com:p/z/b'))
    """
    return tuple(map(_two_names, texts))


def ends(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return machines and how they are reached, written as `NAME=HOW`.

    Raises:
        UsageError: If a text names no machine.

    >>> ends(["vm-1=ip netns exec a", "vm-2="])
    (('vm-1', 'ip netns exec a'), ('vm-2', ''))
    """
    found = []
    for text in texts:
        name, joint, how = text.partition("=")
        if not joint or not name.strip():
            raise UsageError(f"--end is NAME=HOW, such as vm-1=me@10.0.0.2, not {text[:_SHOWN]!r}")
        found.append((name.strip(), how))
    return tuple(found)


def ports(text: str) -> tuple[int, int]:
    """Return the first and last port of a range.

    Raises:
        UsageError: If it is none.

    >>> ports("5201-5232")
    (5201, 5232)
    """
    found = _PORTS.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--ports is a range such as 5201-5232, not {text[:_SHOWN]!r}")
    return int(found[1]), int(found[2])


def _two_names(text: str) -> tuple[str, str]:
    parts = text.split(":")
    # Two plain names, or two with as many colons in their projects.
    half = len(parts) // 2
    names = ":".join(parts[:half]).strip(), ":".join(parts[half:]).strip()
    if len(parts) % 2 or not all(names):
        raise UsageError(f"--pair is two machines as SRC:DST, not {text[:_SHOWN]!r}")
    return names
