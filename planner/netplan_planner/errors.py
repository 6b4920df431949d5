"""Every error that netplan raises on purpose.

    NetplanError
    ├── UsageError      wrong flag or configuration                 exit status 2
    ├── InputError      a file or page cannot be read, or written   exit status 3
    │   └── AccessError the cloud refused, or is silent; names the permission
    ├── MissingDatum    no price, cap or measurement; never a 0     exit status 3
    │   └── UnknownName a word that names nothing, with the nearest     exit status 2
    └── IncompleteError the answer lacks a part and `--strict` was given   exit status 4

The shell translates foreign exceptions where they arise (`from exc`). After that, errors are
caught at two places only: `engine`, so that one rule's crash does not hide the others, and `cli`.
"""

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST_NAME = 80
"""Of a name that is compared with others; a longer one is no slip of the hand."""


class NetplanError(Exception):
    """An error whose text tells the user what was wrong, where, and what to do."""

    exit_status = 3


class UsageError(NetplanError):
    """A flag, environment variable or configuration file asks for what cannot be."""

    exit_status = 2


class InputError(NetplanError):
    """An input exists but cannot be read, or an answer not be written; the text names the place."""


class EmptyError(InputError):
    """An input that holds nothing; among others it is a note."""


class AccessError(InputError):
    """The cloud refused or did not answer; the text names the missing permission where known."""


class MissingDatum(NetplanError):
    """A price, cap or measurement that netplan does not have. It is never read as 0."""


class UnknownName(MissingDatum):
    """A type, region, area, SKU or the like that netplan does not know; the text has the nearest.

    As the word of a command it is wrong usage. In a table or an inventory it is one more datum that
    is missing, which is why those who read them need not know of it.
    """

    exit_status = 2


class IncompleteError(NetplanError):
    """A part of the answer is missing and `--strict` asked to fail on that."""

    exit_status = 4


def nearest_names(
    name: str, known: Iterable[str], count: int = 3, cutoff: float = 0.6
) -> tuple[str, ...]:
    """Return the known names most like one that is none, best first; for the text of an error.

    `cutoff` is how alike they must be, 0 to 1.

    >>> nearest_names("US-Centrall1", ["us-central1", "europe-west1"])
    ('us-central1',)
    """
    if len(name) > _LONGEST_NAME:
        return ()
    lower = name.casefold()
    by_lower = {one.casefold(): one for one in sorted(known)}
    # Names of one family begin alike; comparing with all of them costs ten times as much.
    alike = [one for one in by_lower if one[:1] == lower[:1]]
    found = get_close_matches(lower, alike or by_lower, n=count, cutoff=cutoff)
    return tuple(by_lower[one] for one in found)


def near(name: str, known: Iterable[str]) -> str:
    """Return the end of an error's text: the known names that are most like one that is none."""
    found = nearest_names(name, known)
    return f"; near: {', '.join(found)}" if found else ""


def no_region(name: str, known: Iterable[str], what: str = "region") -> str:
    """Return what is said of a name that is none of a region, with the regions most like it.

    >>> no_region("us-centrall1", ["us-central1", "europe-west1"])
    "no region 'us-centrall1' is known; near: us-central1"
    """
    return f"no {what} {name[:_SHOWN]!r} is known{near(name, known)}"


_SHOWN = 80
"""Letters of a name that is none; more of them say nothing."""


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.4, before: str = "") -> str:
    """Return the end of an error's text about a word to choose: the known one that is most like it.

    What all known ones begin with is left out of them, and given as `before`.

    >>> did_you_mean("geko", ["gecko", "interzone"]), did_you_mean("x", ["gecko"])
    ('; did you mean gecko?', '')
    """
    near = nearest_names(name, known, 1, cutoff)
    return f"; did you mean {before}{near[0]}?" if near else ""
