"""What SRC and DST of `netplan predict` name: machines of an input, or two machine types."""

from datetime import date
from typing import NamedTuple

from netplan_planner.errors import UsageError
from netplan_planner.model import PathClass, shape_of_custom
from netplan_planner.throughput.limits.caps import load_caps

_PATHS = frozenset(path.value for path in PathClass)


class Ends(NamedTuple):
    """The two ends: machines by name, or types."""

    machines: tuple[str, str] | None
    types: tuple[str, str | None] | None


def ends_of(src: str, dst: str | None, *, has_input: bool, on: date) -> Ends:
    """Return what the two words name.

    Args:
        src: The first.
        dst: The second; a type alone stands for both ends.
        has_input: Whether there is an input whose machines they may be.
        on: The day whose machine types count.

    Raises:
        UsageError: If a word is neither, or one machine is missing.
    """
    if has_input:
        if dst is None:
            raise UsageError("name both machines, the sender and the receiver")
        return Ends((src, dst), None)
    caps = load_caps(on)
    for word in (src, dst):
        if word is None or shape_of_custom(word) is not None or word in caps.machine_types:
            continue
        if word in _PATHS:
            how = f"netplan predict TYPE --path {word}"
            raise UsageError(f"{word!r} is a path, not a machine: {how}")
        near = caps.nearest(word)
        hint = f" (near: {', '.join(near)})" if near else ""
        raise UsageError(
            f"{word[:60]!r} is no machine type{hint}, and no input is given to look for a machine"
            " of that name: name the input with --project, --inventory or --demo, and name both"
            " machines"
        )
    return Ends(None, (src, dst))
